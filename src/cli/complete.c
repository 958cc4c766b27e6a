// SPDX-License-Identifier: GPL-2.0-only
/* Shared by the writers of completion scripts. */
#include "cli/complete.h"

void complete_add_code(const struct complete *c, const char *text)
{
	static const char token[] = "_ktstr";
	const char *found;

	while ((found = strstr(text, token))) {
		str_addn(c->out, text, (size_t)(found - text));
		str_add(c->out, c->prefix);
		text = found + strlen(token);
	}
	str_add(c->out, text);
}

static void add_quote_char(struct str *out, char sign, enum complete_quote quote)
{
	if (quote == QUOTE_BASH)
		str_add(out, "'\\''");
	else if (quote == QUOTE_FISH)
		str_addf(out, "\\%c", sign);
	else
		str_add(out, "''");
}

void complete_add_quoted(struct str *out, const char *text, enum complete_quote quote)
{
	str_addc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'' || (*text == '\\' && quote == QUOTE_FISH))
			add_quote_char(out, *text, quote);
		else
			str_addc(out, *text);
	}
	str_addc(out, '\'');
}

void complete_add_path(struct str *out, const struct cli_walk *w, char separator)
{
	for (size_t i = 1; i < w->depth; i++) {
		if (i > 1)
			str_addc(out, separator);
		str_add(out, w->path[i]->name);
	}
}

void complete_add_steps(const struct complete *c, const struct complete_steps *steps)
{
	const struct cli_cmd *cmd;
	struct cli_walk w = {};

	while ((cmd = cli_walk_next(&w))) {
		_str_ struct str parent = {};
		struct cli_walk up = w;

		if (w.depth == 1)
			continue;
		up.depth--;
		complete_add_path(&parent, &up, ' ');
		str_addf(c->out, "%s%s%s%s", steps->begin, str_get(&parent), steps->joint,
			 cmd->name);
		if (cmd->alias)
			str_addf(c->out, "%s%s%s%s", steps->other, str_get(&parent), steps->joint,
				 cmd->alias);
		str_add(c->out, steps->then);
		complete_add_path(c->out, &w, ' ');
		str_add(c->out, steps->end);
	}
}

static void add_params(struct str *out, const struct complete_table *t, const struct cli_cmd *cmd,
		       bool args)
{
	const struct cli_param *p;
	size_t state = 0;

	str_add(out, args ? t->arguments : t->options);
	while ((p = cli_param_next(cmd, &state)))
		if (p->is_arg == args)
			t->add_param(out, p);
	str_add(out, t->close);
}

void complete_add_table(const struct complete *c, const struct complete_table *t)
{
	const struct cli_cmd *cmd;
	struct cli_walk w = {};

	complete_add_code(c, t->title);
	while ((cmd = cli_walk_next(&w))) {
		str_add(c->out, t->begin);
		complete_add_path(c->out, &w, ' ');
		str_addf(c->out, "%s%s", t->then, t->commands);
		cli_each_sub(sub, cmd)
			if (!sub->is_hidden)
				t->add_command(c->out, sub);
		str_add(c->out, t->close);
		add_params(c->out, t, cmd, true);
		add_params(c->out, t, cmd, false);
		str_add(c->out, t->end);
	}
	str_add(c->out, t->finish);
}

const char *complete_kind(const struct cli_param *p)
{
	static const char *const kinds[] = {
		[CLI_FLAG] = "none",  [CLI_STRING] = "any",   [CLI_FILE] = "file",
		[CLI_DIR] = "dir",    [CLI_NUMBER] = "any",   [CLI_DURATION] = "any",
		[CLI_CHOICE] = "one", [CLI_CHOICES] = "list", [CLI_COMMAND] = "command",
	};

	return kinds[p->kind];
}

const char *const *complete_choices(const struct cli_param *p)
{
	static const char *const none[] = { NULL };

	return p->choices ? p->choices() : none;
}

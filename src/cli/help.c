// SPDX-License-Identifier: GPL-2.0-only
/* --help, formatted for the width of the terminal. */
#include "cli/cli.h"

#define TEXT_COLUMN 26
#define NARROW 60 /* below this, descriptions are on separate lines */
#define VERY_NARROW 40
#define FALLBACK_WIDTH 80
#define HANGING 5

struct layout {
	struct str *out;
	size_t width;
};

static bool is_narrow(const struct layout *l)
{
	return l->width < NARROW;
}

/* Text that starts in column 1 and continues in column 5; `broken` is appended to wrapped lines. */
static void add_hanging(const struct layout *l, const char *text, const char *broken)
{
	size_t room = strlen(broken) < l->width ? l->width - strlen(broken) : 1;
	_str_ struct str lines = {};

	text_wrap(&lines, text, HANGING, 1 + text_width(text) > l->width ? room : SIZE_MAX);
	str_addc(l->out, ' ');
	for (const char *c = str_get(&lines); *c; c++) {
		if (*c == '\n')
			str_add(l->out, broken);
		str_addc(l->out, *c);
	}
	str_addc(l->out, '\n');
	l->out->failed |= lines.failed;
}

/* Appends " left side            description, wrapped under itself". */
static void add_row(const struct layout *l, const char *left, const char *text)
{
	size_t column = !is_narrow(l) ? TEXT_COLUMN : l->width < VERY_NARROW ? 4 : 8;
	size_t used = text_width(left);

	if (is_narrow(l)) {
		add_hanging(l, left + 1, "");
		used = 0;
	} else if (used + 2 > column) {
		str_addf(l->out, "%s\n", left);
		used = 0;
	} else {
		str_add(l->out, left);
	}
	str_repeat(l->out, ' ', column - used);
	text_wrap(l->out, text, column, l->width);
	str_addc(l->out, '\n');
}

/* Long names are aligned, if there is room for that. */
static void add_left(const struct layout *l, struct str *left, const struct cli_param *p)
{
	const char *value = cli_param_value(p);

	if (p->is_arg) {
		str_addf(left, " %s%s", value, p->is_repeatable ? "..." : "");
		return;
	}
	if (p->letter)
		str_addf(left, " -%c, --%s", p->letter, p->name);
	else
		str_addf(left, "%s--%s", is_narrow(l) ? " " : "     ", p->name);
	if (value)
		str_addf(left, " %s", value);
}

static void add_choices(struct str *text, const struct cli_param *p)
{
	const char *const *c = p->choices();

	for (size_t i = 0; c[i]; i++)
		str_addf(text, "%s%s", i ? ", " : " (", c[i]);
	str_addc(text, ')');
}

bool cli_has_short_choices(const struct cli_param *p)
{
	size_t count = 0;

	if (!p->choices)
		return false;
	while (p->choices()[count])
		count++;
	return count <= 16;
}

static void add_param(const struct layout *l, const struct cli_param *p)
{
	_str_ struct str left = {}, text = {};

	add_left(l, &left, p);
	str_add(&text, p->help);
	if (cli_has_short_choices(p))
		add_choices(&text, p);
	if (p->fallback)
		str_addf(&text, " [default: %s]", p->fallback);
	if (p->is_repeatable && !p->is_arg)
		str_add(&text, " (repeatable)");
	add_row(l, str_get(&left), str_get(&text));
	l->out->failed |= left.failed || text.failed;
}

static void add_params(const struct layout *l, const struct cli_cmd *cmd, bool args)
{
	const struct cli_param *p;
	size_t state = 0;
	bool titled = false;

	while ((p = cli_param_next(cmd, &state))) {
		if (p->is_arg != args)
			continue;
		if (!titled)
			str_add(l->out, args ? "\nArguments:\n" : "\nOptions:\n");
		titled = true;
		add_param(l, p);
	}
}

static void add_commands(const struct layout *l, const struct cli_cmd *group)
{
	if (!cli_heading(*group->subs))
		str_add(l->out, "\nCommands:\n");
	cli_each_sub(sub, group) {
		_str_ struct str left = {};

		if (sub->is_hidden)
			continue;
		if (cli_heading(sub))
			str_addf(l->out, "\n%s:\n", cli_heading(sub));
		str_addf(&left, " %s%s%s", sub->name, sub->alias ? ", " : "",
			 sub->alias ? sub->alias : "");
		add_row(l, str_get(&left), sub->summary);
		l->out->failed |= left.failed;
	}
}

static void add_usage(const struct layout *l, const struct cli_call *call)
{
	const struct cli_cmd *cmd = cli_command(call);
	const struct cli_param *p;
	_str_ struct str line = {};
	size_t state = 0;

	cli_add_path(&line, call);
	str_add(&line, !cmd->subs ? " [options]" :
		       cmd->run	  ? " [COMMAND] [options]" :
				    " COMMAND [options]");
	while ((p = cli_param_next(cmd, &state))) {
		if (p->is_arg)
			str_addf(&line, p->is_required ? " %s%s" : " [%s%s]", cli_param_value(p),
				 p->is_repeatable ? "..." : "");
		else if (p->is_required)
			str_addf(&line, " --%s %s", p->name, cli_param_value(p));
	}
	if (cmd->rest)
		str_add(&line, " [-- OPTION...]");
	str_add(l->out, "Usage:\n");
	add_hanging(l, str_get(&line), "");
	l->out->failed |= line.failed;
}

static void add_examples(const struct layout *l, const struct cli_call *call)
{
	str_add(l->out, "\nExamples:\n");
	for (const struct cli_example *e = cli_command(call)->examples; e->command; e++) {
		_str_ struct str line = {};

		str_addf(&line, "%s %s", call->program, e->command);
		/* With a backslash the wrapped line can be copied. */
		add_hanging(l, str_get(&line), " \\");
		l->out->failed |= line.failed;
		str_repeat(l->out, ' ', HANGING);
		text_wrap(l->out, e->what, HANGING, l->width);
		str_addc(l->out, '\n');
	}
}

static void add_rest(const struct layout *l, const struct cli_cmd *rest)
{
	str_add(l->out, "\nOptions after --:\n");
	for (const struct cli_param *p = rest->params; p->name; p++)
		add_param(l, p);
}

void cli_add_help(struct str *out, const struct cli_call *call, unsigned int width)
{
	const struct cli_cmd *cmd = cli_command(call);
	struct layout l = { .out = out, .width = width ? MIN(width, 100) : FALLBACK_WIDTH };

	add_usage(&l, call);
	str_addc(out, '\n');
	text_wrap(out, cmd->about ? cmd->about : cmd->summary, 0, l.width);
	str_addc(out, '\n');
	if (cmd->subs)
		add_commands(&l, cmd);
	add_params(&l, cmd, true);
	add_params(&l, cmd, false);
	if (cmd->rest)
		add_rest(&l, cmd->rest);
	if (cmd->examples)
		add_examples(&l, call);
}

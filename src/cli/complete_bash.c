// SPDX-License-Identifier: GPL-2.0-only
/*
 * bash: a function that holds the table, one row per command, option and
 * argument, and the code that reads the command line by it.
 */
#include "cli/complete.h"

/* "--interval,-i,!--watch": what is behind a ! is understood and not offered. */
static void add_names(struct str *out, const struct cli_param *p)
{
	str_addf(out, "--%s", p->name);
	if (p->letter)
		str_addf(out, ",-%c", p->letter);
	if (p->alias)
		str_addf(out, ",!--%s", p->alias);
}

/* How often, what kind of value, the names, the values. */
static void add_param(struct str *out, const struct cli_param *p)
{
	_str_ struct str row = {};

	str_addf(&row, "%c %s ", p->is_repeatable ? '*' : '1', complete_kind(p));
	if (p->is_arg)
		str_add(&row, cli_param_value(p));
	else
		add_names(&row, p);
	for (const char *const *choice = complete_choices(p); *choice; choice++)
		str_addf(&row, " %s", *choice);
	str_add(out, "\n\t\t\t");
	complete_add_quoted(out, str_get(&row), QUOTE_BASH);
	out->failed |= row.failed;
}

static void add_params(struct str *out, const struct cli_cmd *cmd, bool args)
{
	const struct cli_param *p;
	size_t state = 0;

	str_add(out, args ? "\t\targuments=(" : "\t\toptions=(");
	while ((p = cli_param_next(cmd, &state)))
		if (p->is_arg == args)
			add_param(out, p);
	str_add(out, ")\n");
}

static void add_commands(struct str *out, const struct cli_cmd *group)
{
	str_add(out, "\t\tcommands=(");
	for (const struct cli_cmd *sub = group->subs; sub && sub->name; sub++)
		if (!sub->is_hidden)
			str_addf(out, "\n\t\t\t'%s%s%s'", sub->name, sub->alias ? "," : "",
				 sub->alias ? sub->alias : "");
	str_add(out, ")\n");
}

static void add_table(const struct complete *c)
{
	const struct cli_cmd *cmd;
	struct cli_walk w = {};

	complete_add_code(c,
			  "\n# Sets what the command $1 takes.\n_ktstr_table() {\n\tcase $1 in\n");
	while ((cmd = cli_walk_next(&w))) {
		str_add(c->out, "\t'");
		complete_add_path(c->out, &w, ' ');
		str_add(c->out, "')\n");
		add_commands(c->out, cmd);
		add_params(c->out, cmd, true);
		add_params(c->out, cmd, false);
		str_add(c->out, "\t\t;;\n");
	}
	str_add(c->out, "\tesac\n}\n\n");
}

void complete_bash(const struct complete *c)
{
	complete_add_code(c, complete_code_bash);
	add_table(c);
	complete_add_code(c, "_ktstr() {\n\t_ktstr_complete 1\n}\n\ncomplete -F _ktstr ");
	str_addf(c->out, "%s\n", c->is_cargo ? "cargo-ktstr" : c->binary);
	if (c->is_cargo)
		complete_add_code(c, complete_code_bash_cargo);
}

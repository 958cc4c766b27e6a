// SPDX-License-Identifier: GPL-2.0-only
/*
 * bash: a function that contains the table, one row per command, option and argument, and the code
 * that parses the command line by it.
 */
#include "cli/complete.h"

/* "--interval,-i,!--watch": names after a ! are recognized but not offered. */
static void add_names(struct str *out, const struct cli_param *p)
{
	str_addf(out, "--%s", p->name);
	if (p->letter)
		str_addf(out, ",-%c", p->letter);
	if (p->alias)
		str_addf(out, ",!--%s", p->alias);
}

/* Multiplicity, kind of value, names, values. */
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

static void add_command(struct str *out, const struct cli_cmd *cmd)
{
	str_addf(out, "\n\t\t\t'%s%s%s'", cmd->name, cmd->alias ? "," : "",
		 cmd->alias ? cmd->alias : "");
}

static const struct complete_table table = {
	.title = "\n# Sets what the command $1 takes.\n_ktstr_table() {\n\tcase $1 in\n",
	.begin = "\t'",
	.then = "')\n",
	.commands = "\t\tcommands=(",
	.arguments = "\t\targuments=(",
	.options = "\t\toptions=(",
	.close = ")\n",
	.end = "\t\t;;\n",
	.finish = "\tesac\n}\n\n",
	.add_command = add_command,
	.add_param = add_param,
};

void complete_bash(const struct complete *c)
{
	complete_add_code(c, complete_code_bash);
	complete_add_table(c, &table);
	complete_add_code(c, "_ktstr() {\n\t_ktstr_complete 1\n}\n\ncomplete -F _ktstr ");
	str_addf(c->out, "%s\n", c->is_cargo ? "cargo-ktstr" : c->binary);
	if (c->is_cargo)
		complete_add_code(c, complete_code_bash_cargo);
}

// SPDX-License-Identifier: GPL-2.0-only
/* elvish: the table as a map from commands to their parameters, and code that uses it. */
#include "cli/complete.h"

static void add_help(struct str *out, const char *help)
{
	str_add(out, " &help=");
	complete_add_quoted(out, help, QUOTE_DOUBLED);
}

static void add_param(struct str *out, const struct cli_param *p)
{
	str_add(out, "\n\t\t\t[&names=[");
	if (!p->is_arg)
		str_addf(out, "--%s", p->name);
	if (p->letter)
		str_addf(out, " -%c", p->letter);
	str_add(out, "] &hidden=[");
	if (p->alias)
		str_addf(out, "--%s", p->alias);
	str_addf(out, "] &kind=%s &many=%s &values=[", complete_kind(p),
		 p->is_repeatable ? "$true" : "$false");
	for (const char *const *choice = complete_choices(p); *choice; choice++) {
		str_addc(out, ' ');
		complete_add_quoted(out, *choice, QUOTE_DOUBLED);
	}
	str_addc(out, ']');
	add_help(out, p->help);
	str_addc(out, ']');
}

static void add_command(struct str *out, const struct cli_cmd *cmd)
{
	str_addf(out, "\n\t\t\t[&names=[%s%s%s]", cmd->name, cmd->alias ? " " : "",
		 cmd->alias ? cmd->alias : "");
	add_help(out, cmd->summary);
	str_addc(out, ']');
}

static const struct complete_table table = {
	.title = "# What each command takes.\nvar _ktstr-table = [\n",
	.begin = "\t&'",
	.then = "'=[\n",
	.commands = "\t\t&commands=[",
	.arguments = "\t\t&arguments=[",
	.options = "\t\t&options=[",
	.close = "]\n",
	.end = "\t]\n",
	.finish = "]\n\n",
	.add_command = add_command,
	.add_param = add_param,
};

void complete_elvish(const struct complete *c)
{
	str_add(c->out, "use str\n\n");
	complete_add_table(c, &table);
	complete_add_code(c, complete_code_elvish);
	complete_add_code(c, c->is_cargo ? "\nset edit:completion:arg-completer[cargo] = "
					   "(_ktstr-behind-cargo)\n" :
					   "");
	str_addf(c->out, "\nset edit:completion:arg-completer[%s] = ",
		 c->is_cargo ? "cargo-ktstr" : c->binary);
	complete_add_code(c, "{|@words| _ktstr-complete $words }\n");
}

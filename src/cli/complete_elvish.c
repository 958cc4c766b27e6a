// SPDX-License-Identifier: GPL-2.0-only
/* elvish: the table as a map from commands to what they take, and code that reads it. */
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

static void add_params(struct str *out, const struct cli_cmd *cmd, bool args)
{
	const struct cli_param *p;
	size_t state = 0;

	str_add(out, args ? "\t\t&arguments=[" : "\t\t&options=[");
	while ((p = cli_param_next(cmd, &state)))
		if (p->is_arg == args)
			add_param(out, p);
	str_add(out, "]\n");
}

static void add_commands(struct str *out, const struct cli_cmd *group)
{
	str_add(out, "\t\t&commands=[");
	for (const struct cli_cmd *sub = group->subs; sub && sub->name; sub++) {
		if (sub->is_hidden)
			continue;
		str_addf(out, "\n\t\t\t[&names=[%s%s%s]", sub->name, sub->alias ? " " : "",
			 sub->alias ? sub->alias : "");
		add_help(out, sub->summary);
		str_addc(out, ']');
	}
	str_add(out, "]\n");
}

static void add_table(const struct complete *c)
{
	const struct cli_cmd *cmd;
	struct cli_walk w = {};

	complete_add_code(c, "# What each command takes.\nvar _ktstr-table = [\n");
	while ((cmd = cli_walk_next(&w))) {
		str_add(c->out, "\t&'");
		complete_add_path(c->out, &w, ' ');
		str_add(c->out, "'=[\n");
		add_commands(c->out, cmd);
		add_params(c->out, cmd, true);
		add_params(c->out, cmd, false);
		str_add(c->out, "\t]\n");
	}
	str_add(c->out, "]\n\n");
}

void complete_elvish(const struct complete *c)
{
	str_add(c->out, "use str\n\n");
	add_table(c);
	complete_add_code(c, complete_code_elvish);
	complete_add_code(c, c->is_cargo ? "\nset edit:completion:arg-completer[cargo] = "
					   "(_ktstr-behind-cargo)\n" :
					   "");
	str_addf(c->out, "\nset edit:completion:arg-completer[%s] = ",
		 c->is_cargo ? "cargo-ktstr" : c->binary);
	complete_add_code(c, "{|@words| _ktstr-complete $words }\n");
}

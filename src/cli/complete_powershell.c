// SPDX-License-Identifier: GPL-2.0-only
/*
 * PowerShell: a script block with the table as nested hash tables, in which everything to offer is
 * a CompletionResult, and the code that uses it.
 */
#include "cli/complete.h"

static void add_result(struct str *out, const char *name, const char *type, const char *help)
{
	str_add(out, "\n\t\t\t\t\t[System.Management.Automation.CompletionResult]::new(");
	complete_add_quoted(out, name, QUOTE_DOUBLED);
	str_add(out, ", ");
	complete_add_quoted(out, name, QUOTE_DOUBLED);
	str_addf(out, ", '%s', ", type);
	complete_add_quoted(out, help, QUOTE_DOUBLED);
	str_addc(out, ')');
}

static void add_option_names(struct str *out, const struct cli_param *p)
{
	_str_ struct str name = {};

	str_addf(&name, "--%s", p->name);
	add_result(out, str_get(&name), "ParameterName", p->help);
	if (!p->letter)
		return;
	str_reset(&name);
	str_addf(&name, "-%c", p->letter);
	add_result(out, str_get(&name), "ParameterName", p->help);
	out->failed |= name.failed;
}

static void add_param(struct str *out, const struct cli_param *p)
{
	str_addf(out, "\n\t\t\t\t@{ Kind = '%s'; Many = $%s; Hidden = @(", complete_kind(p),
		 p->is_repeatable ? "true" : "false");
	if (p->alias)
		str_addf(out, "'--%s'", p->alias);
	str_add(out, "); Offers = @(");
	if (!p->is_arg)
		add_option_names(out, p);
	str_add(out, "); Values = @(");
	for (const char *const *choice = complete_choices(p); *choice; choice++)
		add_result(out, *choice, "ParameterValue", *choice);
	str_add(out, ") }");
}

static void add_command(struct str *out, const struct cli_cmd *cmd)
{
	str_add(out, "\n\t\t\t\t@{ Offers = @(");
	add_result(out, cmd->name, "Command", cmd->summary);
	if (cmd->alias)
		add_result(out, cmd->alias, "Command", cmd->summary);
	str_add(out, ") }");
}

static const struct complete_table table = {
	.title = "\t$table = @{\n",
	.begin = "\t\t'",
	.then = "' = @{\n",
	.commands = "\t\t\tCommands = @(",
	.arguments = "\t\t\tArguments = @(",
	.options = "\t\t\tOptions = @(",
	.close = ")\n",
	.end = "\t\t}\n",
	.finish = "\t}\n",
	.add_command = add_command,
	.add_param = add_param,
};

void complete_powershell(const struct complete *c)
{
	complete_add_code(c, "$_ktstr_completer = {\n"
			     "\tparam($wordToComplete, $commandAst, $cursorPosition)\n\n");
	complete_add_table(c, &table);
	complete_add_code(c, complete_code_powershell);
	if (c->is_cargo)
		complete_add_code(c, complete_code_powershell_cargo);
	complete_add_code(c, "\nRegister-ArgumentCompleter -Native -CommandName ");
	str_addf(c->out, "'%s'", c->is_cargo ? "cargo-ktstr" : c->binary);
	complete_add_code(c, " -ScriptBlock $_ktstr_completer\n");
}

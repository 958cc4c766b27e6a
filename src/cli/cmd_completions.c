// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr completions SHELL`: checks the name, and calls the shell's writer. */
#include "cli/complete.h"
#include "cli/table.h"

struct shell {
	const char *name;
	void (*write)(const struct complete *c);
};

static const struct shell shells[] = {
	{ "bash", complete_bash },
	{ "zsh", complete_zsh },
	{ "fish", complete_fish },
	{ "elvish", complete_elvish },
	{ "powershell", complete_powershell },
};

#define MAX_NAME 64

/* Words that need no quotes in any of the five shells. */
static bool is_plain_word(const char *name)
{
	return isalnum((unsigned char)name[0]) && strlen(name) <= MAX_NAME &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-") ==
		       strlen(name);
}

/* Function names start with our prefix, so that they do not replace others. */
static void add_prefix(struct str *out, const char *binary)
{
	str_add(out, "_ktstr");
	if (str_eq(binary, "ktstr"))
		return;
	str_add(out, "_as_");
	for (; *binary; binary++)
		str_addc(out, isalnum((unsigned char)*binary) ? *binary : '_');
}

static int cmd_completions_run(const struct cli_call *call)
{
	const char *given = cli_text(call, "binary");
	const char *binary = given ? given : call->is_cargo ? "cargo" : "ktstr";
	_str_ struct str prefix = {}, out = {};
	struct complete c = { .out = &out, .binary = binary, .is_cargo = str_eq(binary, "cargo") };

	if (!is_plain_word(binary))
		return cli_usage_error(
			call,
			"invalid value %s for --binary: expected a command's name, at most "
			"64 ASCII letters, digits, and _ . + - after the first",
			cli_quoted(binary));
	add_prefix(&prefix, binary);
	c.prefix = str_get(&prefix);
	for (size_t i = 0; i < ARRAY_SIZE(shells); i++)
		if (str_eq(shells[i].name, cli_text(call, "shell")))
			shells[i].write(&c);
	out.failed |= prefix.failed;
	return output_raw(&out);
}

/* clang-format off */
CLI_CHOICE_LIST(shell_names, "bash", "zsh", "fish", "elvish", "powershell")

const struct cli_cmd cmd_completions = {
	.name = "completions", .summary = "write a completion script for a shell",
	.about = "Writes a script that completes commands, options and their values. With --binary "
		 "cargo, the script completes 'cargo ktstr' and keeps the completion of other "
		 "cargo commands; for bash, add to ~/.bashrc: source <(cargo ktstr completions "
		 "bash).",
	.params = CLI_PARAMS(
		{ .name = "shell", .is_arg = true, .is_required = true, .kind = CLI_CHOICE,
		  .value = "SHELL", .choices = shell_names, .help = "shell to write for" },
		{ .name = "binary", .kind = CLI_STRING, .value = "NAME",
		  .help = "name under which the program is called [default: ktstr, or cargo for "
			  "cargo-ktstr]" }),
	.examples = CLI_EXAMPLES(
		{ "completions bash > ~/.local/share/bash-completion/completions/ktstr",
		  "complete in bash from the next shell on" },
		{ "completions zsh > ~/.zfunc/_ktstr", "the same for zsh, with ~/.zfunc in $fpath" },
		{ "completions fish > ~/.config/fish/completions/ktstr.fish", "the same for fish" }),
	.run = cmd_completions_run,
};
/* clang-format on */

// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr help COMMAND...`: the same text as `ktstr COMMAND... --help`. */
#include "cli/table.h"

static int cmd_help_run(const struct cli_call *call)
{
	struct cli_call about = { .program = call->program, .path = { &cli_root }, .depth = 1 };
	_str_ struct str text = {};

	for (size_t i = 0; i < cli_count(call, "command"); i++) {
		const char *name = cli_nth(call, "command", i);
		const struct cli_cmd *sub = cli_find_sub(cli_command(&about), name);

		if (!sub)
			return cli_unknown_command(&about, name);
		about.path[about.depth++] = sub;
	}
	cli_add_help(&text, &about, term_width(stdout));
	return output_text(&text);
}

/* clang-format off */
const struct cli_cmd cmd_help = {
	.name = "help", .summary = "explain a command",
	.params = CLI_PARAMS(
		{ .name = "command", .is_arg = true, .is_repeatable = true, .kind = CLI_COMMAND,
		  .value = "COMMAND", .help = "command to explain" }),
	.run = cmd_help_run,
};
/* clang-format on */

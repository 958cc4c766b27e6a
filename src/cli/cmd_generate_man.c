// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr generate-man DIR`: used by the build, hidden from users. */
#include "cli/table.h"

/* cmd is NULL for the page of the program itself. */
static int write_page(const char *dir, const struct cli_cmd *cmd)
{
	_str_ struct str path = {}, page = {};
	int rc;

	str_addf(&path, "%s/ktstr%s%s.1", dir, cmd ? "-" : "", cmd ? cmd->name : "");
	if (cmd)
		man_add_command(&page, cmd);
	else
		man_add_overview(&page);
	rc = str_check(&page) ?: str_check(&path);
	return rc ?: file_replace(str_get(&path), str_get(&page), page.len, 0644);
}

static int cmd_generate_man_run(const struct cli_call *call)
{
	const char *dir = cli_text(call, "dir");
	const struct cli_cmd *cmd;
	struct cli_walk w = {};
	int rc = file_make_dirs(dir, 0755) ?: write_page(dir, NULL);

	while (rc == 0 && (cmd = cli_walk_next(&w)))
		if (w.depth == 2)
			rc = write_page(dir, cmd);
	return rc;
}

/* clang-format off */
const struct cli_cmd cmd_generate_man = {
	.name = "generate-man", .summary = "write the man pages",
	.params = CLI_PARAMS(
		{ .name = "dir", .is_arg = true, .is_required = true, .kind = CLI_DIR, .value = "DIR",
		  .help = "directory for the pages" }),
	.is_hidden = true, .run = cmd_generate_man_run,
};
/* clang-format on */

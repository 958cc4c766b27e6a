// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr show-host`. */
#include "cli/table.h"
#include "host/context.h"

static int cmd_show_host_run(const struct cli_call *call)
{
	_host_context_ struct host_context host;
	_str_ struct str out = {};
	struct json j;
	int rc = host_context_read(&host, &roots_live);

	if (rc < 0)
		return rc;
	if (!cli_flag(call, "json")) {
		host_context_to_text(&host, &out);
		return output_text(&out);
	}
	json_document(&j, &out);
	host_context_put_fields(&host, &j);
	json_object_end(&j);
	return output_json(&out);
}

/* clang-format off */
const struct cli_cmd cmd_show_host = {
	.name = "show-host", .summary = "show the host context that runs and snapshots record",
	.about = "Prints kernel, CPU, memory, scheduler tunables and frequency governors of "
		 "this machine, as run records and snapshots keep them. What could not be read "
		 "is '(unknown)'.",
	.params = CLI_PARAMS(CLI_JSON),
	.run = cmd_show_host_run,
};
/* clang-format on */

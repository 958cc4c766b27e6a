// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr show-host`. */
#include "cli/table.h"
#include "host/context.h"

int output_host(const struct cli_call *call, const struct host_context *host)
{
	struct printout o;

	output_document(&o, call);
	if (o.is_json)
		host_context_put_fields(host, &o.json);
	else
		host_context_to_text(host, &o.text);
	return output_end(&o, 0);
}

static int cmd_show_host_run(const struct cli_call *call)
{
	_host_context_ struct host_context host;
	int rc = host_context_read(&host, &roots_live);

	return rc < 0 ? rc : output_host(call, &host);
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

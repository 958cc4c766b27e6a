// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr show-host`. */
#include "cli/cli.h"
#include "host/context.h"

int cmd_show_host(const struct cli_call *call)
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

// SPDX-License-Identifier: GPL-2.0-only
/* Sources of scenarios. */
#include "cli/options.h"

int host_options_scenarios(const struct cli_call *call, struct host_scenarios *out)
{
	size_t files = cli_count(call, "file"), libraries = cli_count(call, "load");
	int rc = files || libraries ? 0 : host_scenarios_add_catalog(out);

	for (size_t i = 0; i < files && rc == 0; i++)
		rc = host_scenarios_add_file(out, cli_nth(call, "file", i));
	for (size_t i = 0; i < libraries && rc == 0; i++)
		rc = host_scenarios_add_library(out, cli_nth(call, "load", i));
	return rc < 0 ? rc : host_scenarios_check(out);
}

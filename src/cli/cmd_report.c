// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr report`. */
#include "cli/cli.h"
#include "stats/stats.h"

int cmd_report(const struct cli_call *call)
{
	const char *output = cli_text(call, "output");
	_free_ const char **names = NULL;
	size_t count;
	int rc = cli_collect(call, "run", &names, &count);

	rc = rc ?: html_report_write(cli_text(call, "dir"), count ? names : NULL, count, output);
	if (rc < 0)
		return rc;
	if (!str_eq(output, "-"))
		log_note("%s: wrote %s", log_label(), output);
	return EXIT_OK;
}

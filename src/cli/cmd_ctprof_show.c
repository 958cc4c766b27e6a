// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr ctprof show`. */
#include "cli/ctprof_report.h"

int cmd_ctprof_show(const struct cli_call *call)
{
	const char *const paths[SIDES] = { [CANDIDATE] = cli_text(call, "snapshot") };
	_snapshot_ struct snapshot snapshot = {};
	_report_options_ struct report_options options = {};
	_report_ struct report report = {};
	struct snapshot_pair pair = { { [CANDIDATE] = &snapshot } };
	int rc = ctprof_check_format(call, true);

	if (rc)
		return rc;
	rc = ctprof_options_show(call, &options);
	if (rc < 0)
		return rc;
	rc = snapshot_load(&snapshot, paths[CANDIDATE]);
	if (rc < 0)
		return err_wrap(rc, "load %s", paths[CANDIDATE]);
	rc = report_build(&report, &pair, paths, &options);
	return rc < 0 ? rc : ctprof_print(&report, &options);
}

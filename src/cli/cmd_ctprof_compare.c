// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr ctprof compare` and `ktstr host-state compare`. */
#include "cli/ctprof_report.h"
#include "ctprof/snapshot.h"

static int compare(const struct cli_call *call, bool shows_cgroups)
{
	const char *const paths[SIDES] = { cli_text(call, "baseline"),
					   cli_text(call, "candidate") };
	_snapshot_ struct snapshot baseline = {}, candidate = {};
	_report_options_ struct report_options options = {};
	_report_ struct report report = {};
	struct snapshot_pair pair = { { &baseline, &candidate } };
	int rc = ctprof_check_format(call, false);

	if (rc)
		return rc;
	rc = ctprof_options_compare(call, &options);
	if (rc == 0 && shows_cgroups)
		options_show_cgroups(&options);
	rc = rc ?: snapshot_load_pair(&baseline, paths[BASELINE], &candidate, paths[CANDIDATE]);
	rc = rc ?: report_build(&report, &pair, paths, &options);
	return rc < 0 ? rc : ctprof_print(&report, &options);
}

int cmd_ctprof_compare(const struct cli_call *call)
{
	return compare(call, false);
}

/*
 * The same with other defaults: it joins on literal process and thread names, and shows the
 * cgroup path at the candidate, unless columns are chosen.
 */
int cmd_host_state_compare(const struct cli_call *call)
{
	return compare(call,
		       !cli_is_given(call, "columns") && !cli_is_given(call, "display-format"));
}

// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr ctprof show`. */
#include "cli/ctprof_report.h"
#include "cli/rows_ctprof.h"

static int cmd_ctprof_show_run(const struct cli_call *call)
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

/* clang-format off */
CLI_CHOICE_LIST(show_columns, "group", "threads", "metric", "value", "tags", "uptime", "cgroup")

const struct cli_cmd cmd_ctprof_show = {
	.name = "show", .summary = "print one snapshot",
	.about = "Groups the threads of one snapshot and prints their aggregated values. A dash "
		 "is a value that was not measured.",
	.params = CLI_PARAMS(
		{ .name = "snapshot", .is_arg = true, .is_required = true, .kind = CLI_FILE,
		  .value = "SNAPSHOT", .help = "snapshot to show" },
		{ .name = "group-by", .kind = CLI_CHOICE, .value = "AXIS", .choices = compare_axes,
		  .fallback = "pcomm", .help = AXES_HELP },
		{ .name = "columns", .kind = CLI_CHOICES, .value = "LIST", .choices = show_columns,
		  .help = "columns by name, comma-separated" },
		GROUPING,
		{ .name = "per-thread", .help = "divide values by the number of measured threads" },
		FILTERS),
	.run = cmd_ctprof_show_run,
};
/* clang-format on */

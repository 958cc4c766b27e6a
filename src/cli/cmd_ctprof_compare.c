// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr ctprof compare` and `ktstr host-state compare`. */
#include "cli/ctprof_report.h"
#include "cli/rows_ctprof.h"
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

static int cmd_ctprof_compare_run(const struct cli_call *call)
{
	return compare(call, false);
}

/*
 * The same with other defaults: joins on literal process and thread names, and shows the cgroup
 * path of the candidate, unless columns are selected.
 */
static int cmd_host_state_compare_run(const struct cli_call *call)
{
	return compare(call,
		       !cli_is_given(call, "columns") && !cli_is_given(call, "display-format"));
}

/* clang-format off */
CLI_CHOICE_LIST(host_state_axes, "names", "all", "pcomm", "cgroup", "comm", "comm-exact")

#define COMPARE_FILES                                                                          \
	{ .name = "baseline", .is_arg = true, .is_required = true, .kind = CLI_FILE,           \
	  .value = "BASELINE", .help = "snapshot taken before" },                              \
	{ .name = "candidate", .is_arg = true, .is_required = true, .kind = CLI_FILE,          \
	  .value = "CANDIDATE", .help = "snapshot taken after" }

static const struct cli_exit compare_exits[] = {
	{ "5", "a group grew past a --threshold" },
	{}
};

const struct cli_cmd cmd_ctprof_compare = {
	.name = "compare", .summary = "compare two snapshots",
	.about = "Joins two snapshots on names that survive restarts and prints what changed. "
		 "Unless --metrics or --sections is given, the output begins with a summary, in "
		 "words and as a table, of the groups that ran, waited, slept and migrated most in "
		 "between. A dash is a value that was not measured. A counter marked * decreased, "
		 "so its delta is not what was counted in between; --match tid compares only "
		 "threads that are in both snapshots. A value marked ~ does not include all "
		 "threads of the group, because some were not measured. If both snapshots are of "
		 "the same boot, averages and ratios of the candidate are those of the time "
		 "between them, and those of the baseline are of the time before; the column "
		 "lifetime shows them since the threads started. Tables go to standard output, "
		 "warnings and notes to standard error. Exits with 5 when a group is past a "
		 "--threshold.",
	.params = CLI_PARAMS(COMPARE_FILES, COMPARE_OPTIONS(compare_axes, "all", "arrow")),
	.examples = CLI_EXAMPLES(
		{ "ctprof compare baseline.ctprof.zst candidate.ctprof.zst", "what changed, "
			"beginning with what took most time" },
		{ "ctprof compare baseline.ctprof.zst candidate.ctprof.zst --sections taskstats-delay "
		  "--sort-by total_offcpu_delay_ns:desc",
		  "groups by the time that they lost off the CPU" },
		{ "ctprof compare a.ctprof.zst b.ctprof.zst --threshold wait_time_ns=20",
		  "for CI: exit with 5 when any group waits 20 % longer" }),
	.exits = compare_exits,
	.run = cmd_ctprof_compare_run,
};

const struct cli_cmd cmd_host_state_compare = {
	.name = "compare", .summary = "compare two snapshots, joined on process and thread name",
	.about = "Unless --columns is given, the last column is the cgroup of the row's threads in "
		 "the candidate, or the most frequent one if there are several.",
	.params = CLI_PARAMS(COMPARE_FILES, COMPARE_OPTIONS(host_state_axes, "names", "full")),
	.exits = compare_exits,
	.run = cmd_host_state_compare_run,
};
/* clang-format on */

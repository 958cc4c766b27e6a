// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr ctprof` and its older spelling `ktstr host-state`. */
#include "cli/table.h"
#include "ctprof/metric.h"

#define CHOICE_LIST(function, ...)                                          \
	static const char *const *function(void)                            \
	{                                                                   \
		static const char *const choices[] = { __VA_ARGS__, NULL }; \
		return choices;                                             \
	}

CHOICE_LIST(compare_axes, "all", "pcomm", "cgroup", "comm", "comm-exact")
CHOICE_LIST(host_state_axes, "names", "all", "pcomm", "cgroup", "comm", "comm-exact")
CHOICE_LIST(display_formats, "arrow", "full", "delta-only", "no-pct", "pct-only")
CHOICE_LIST(output_formats, "table", "json", "csv", "html")
CHOICE_LIST(match_modes, "name", "tid")
CHOICE_LIST(compare_columns, "group", "threads", "metric", "baseline", "candidate", "delta", "%",
	    "arrow", "tags", "uptime", "cgroup", "survived", "born", "died", "lifetime", "time")
CHOICE_LIST(show_columns, "group", "threads", "metric", "value", "tags", "uptime", "cgroup")

/* Rows read better packed than one field to a line. */
/* clang-format off */
#define FILTERS                                                                                \
	{ .name = "pid", .kind = CLI_NUMBER, .value = "PID", .min = 1, .max = 4294967295,      \
	  .is_repeatable = true, .help = "only threads of this process" },                     \
	{ .name = "cgroup", .kind = CLI_STRING, .value = "GLOB", .is_repeatable = true,        \
	  .help = "only threads whose cgroup path matches" },                                  \
	{ .name = "comm", .kind = CLI_STRING, .value = "GLOB", .is_repeatable = true,          \
	  .help = "only threads whose name or process name matches" }

#define GROUPING                                                                                 \
	{ .name = "sections", .kind = CLI_CHOICES, .value = "LIST", .choices = section_names,    \
	  .help = "parts to print, comma-separated [default: those with data]" },                \
	{ .name = "metrics", .kind = CLI_CHOICES, .value = "LIST", .choices = metric_names,      \
	  .help = "metrics to print, comma-separated; see ktstr ctprof metric-list" },           \
	{ .name = "sort-by", .kind = CLI_STRING, .value = "SPEC",                                \
	  .help = "rank groups by metric[:asc|desc],...; desc is the default direction" },       \
	{ .name = "limit", .kind = CLI_NUMBER, .value = "N", .fallback = "500",                  \
	  .help = "most lines per section; 0 is unlimited. Unless it is given, html has 5000, json " \
		  "and csv have all" },                                                          \
	{ .name = "cgroup-flatten", .kind = CLI_STRING, .value = "GLOB", .is_repeatable = true,  \
	  .help = "cgroup paths that match count as one, called by the pattern" },               \
	{ .name = "no-thread-normalize",                                                         \
	  .help = "literal thread and process names: worker-1 and worker-2 stay apart" },        \
	{ .name = "no-cg-normalize", .help = "literal cgroup paths" },                           \
	{ .name = "wrap", .help = "wrap cells to the width of the terminal" },                   \
	{ .name = "json", .excludes = "format", .help = "the same as --format json" },           \
	{ .name = "format", .kind = CLI_CHOICE, .value = "FORMAT", .choices = output_formats,    \
	  .fallback = "table", .help = "what to print" }

#define COMPARE_FILES                                                                          \
	{ .name = "baseline", .is_arg = true, .is_required = true, .kind = CLI_FILE,           \
	  .value = "BASELINE", .help = "snapshot taken before" },                              \
	{ .name = "candidate", .is_arg = true, .is_required = true, .kind = CLI_FILE,          \
	  .value = "CANDIDATE", .help = "snapshot taken after" }

#define AXES_HELP                                                                           \
	"what makes a row: cgroup, process and thread name together, or one of them; comm " \
	"joins names that differ in numbers, comm-exact does not, except under smaps-rollup"

#define COMPARE_OPTIONS(axes, axis, display)                                                           \
	{ .name = "group-by", .kind = CLI_CHOICE, .value = "AXIS", .choices = axes,              \
	  .fallback = axis,                                                                      \
	  .help = AXES_HELP },                                                                   \
	{ .name = "display-format", .kind = CLI_CHOICE, .value = "FMT",                          \
	  .choices = display_formats, .fallback = display,                                          \
	  .help = "columns of tables, csv and html; json always has every value" },              \
	{ .name = "columns", .kind = CLI_CHOICES, .value = "LIST", .choices = compare_columns,   \
	  .help = "columns by name, comma-separated; overrides --display-format; csv keeps to one order" },              \
	GROUPING,                                                                                \
	{ .name = "match", .kind = CLI_CHOICE, .value = "MODE", .choices = match_modes,          \
	  .fallback = "name",                                                                    \
	  .help = "tid joins the same threads only and lists born and died ones apart" },        \
	{ .name = "per-second", .help = "divide deltas by the time between the snapshots" },     \
	{ .name = "per-thread", .help = "divide values by the threads that were measured" },           \
	{ .name = "all-rows",                                                                    \
	  .help = "also rows that did not change, and all of a group instead of 10; so do --metrics " \
		  "and --sections, json and csv" },                                                \
	{ .name = "changed-only", .help = "leave out rows without a change" },                   \
	{ .name = "min-pct", .kind = CLI_STRING, .value = "PCT",                                 \
	  .help = "leave out rows that changed by less percent" },                               \
	{ .name = "min-delta", .kind = CLI_STRING, .value = "N",                                 \
	  .help = "leave out rows that changed by less, in the metric's own unit; --threshold does too" },             \
	{ .name = "threshold", .kind = CLI_STRING, .value = "METRIC=PCT", .is_repeatable = true, \
	  .help = "exit with 5 when a group's metric grew by more than PCT percent, or with a negative " \
		  "PCT when it fell by more; 1 when no group measured it" },             \
	FILTERS

static const struct cli_param capture_params[] = {
	{ .name = "output", .letter = 'o', .kind = CLI_FILE, .value = "PATH", .is_required = true,
	  .help = "file to write, conventionally NAME.ctprof.zst; - is standard output" },
	FILTERS,
	{ .name = "interval", .alias = "watch", .kind = CLI_DURATION, .value = "DUR",
	  .help = "keep capturing this often, into NAME.0001.ctprof.zst and so on; --watch is the same" },
	{ .name = "count", .kind = CLI_NUMBER, .value = "N", .min = 1, .needs = "interval",
	  .help = "stop after this many snapshots" },
	{ .name = "no-probe", .help = "do not read jemalloc counters, which may take stops of threads" },
	{ .name = "no-smaps", .help = "do not read smaps_rollup" },
	{ .name = "no-taskstats", .help = "do not ask for delay accounting" },
	{ .name = "max-one-stop", .kind = CLI_DURATION, .value = "DUR", .fallback = "1ms",
	  .help = "let go of a thread unread when it was held for longer; stop none "
		  "without CAP_SYS_NICE; 0s is no limit" },
	{ .name = "max-stop-ms", .kind = CLI_NUMBER, .value = "MS", .min = 1, .max = 86400000,
	  .help = "stop reading jemalloc counters once targets were held this long in all" },
	{ .name = "zero-fill", .help = "write 0 instead of null for what could not be read" },
	{ .name = "strict", .help = "refuse to capture when doctor finds a data family degraded or missing" },
	CLI_ROOTS,
	{}
};

static const struct cli_param host_state_capture_params[] = {
	{ .name = "output", .letter = 'o', .kind = CLI_FILE, .value = "PATH", .is_required = true,
	  .help = "file to write, conventionally NAME.hst.zst" },
	CLI_ROOTS,
	{}
};

static const struct cli_param compare_params[] = { COMPARE_FILES, COMPARE_OPTIONS(compare_axes, "all", "arrow"),
						   {} };
static const struct cli_param host_state_compare_params[] = {
	COMPARE_FILES, COMPARE_OPTIONS(host_state_axes, "names", "full"), {}
};

static const struct cli_param show_params[] = {
	{ .name = "snapshot", .is_arg = true, .is_required = true, .kind = CLI_FILE,
	  .value = "SNAPSHOT", .help = "snapshot to show" },
	{ .name = "group-by", .kind = CLI_CHOICE, .value = "AXIS", .choices = compare_axes,
	  .fallback = "pcomm", .help = AXES_HELP },
	{ .name = "columns", .kind = CLI_CHOICES, .value = "LIST", .choices = show_columns,
	  .help = "columns by name, comma-separated" },
	GROUPING,
	{ .name = "per-thread", .help = "divide values by the threads that were measured" },
	FILTERS,
	{}
};

static const struct cli_param watch_params[] = {
	{ .name = "interval", .letter = 'n', .kind = CLI_DURATION, .value = "DUR", .fallback = "2s",
	  .help = "time between two snapshots" },
	{ .name = "count", .kind = CLI_NUMBER, .value = "N", .min = 1,
	  .help = "stop after this many comparisons" },
	{ .name = "since-start", .help = "compare with the first snapshot, not with the last" },
	{ .name = "probe", .help = "also read jemalloc counters, which may take stops of threads" },
	COMPARE_OPTIONS(compare_axes, "all", "arrow"),
	CLI_ROOTS,
	{}
};

static const struct cli_param doctor_params[] = { CLI_JSON, CLI_ROOTS, {} };
static const struct cli_param metric_list_params[] = { CLI_JSON, {} };
static const struct cli_param info_params[] = {
	{ .name = "snapshot", .is_arg = true, .is_required = true, .is_repeatable = true,
	  .kind = CLI_FILE, .value = "FILE", .help = "snapshot to describe" },
	CLI_JSON,
	{}
};

static const struct cli_example capture_examples[] = {
	{ "ctprof capture --output baseline.ctprof.zst", "every thread of this host" },
	{ "ctprof capture -o run.ctprof.zst --interval 5s --count 12 --comm 'postgres*'",
	  "a minute of one program, in twelve files" },
	{}
};

static const struct cli_example compare_examples[] = {
	{ "ctprof compare baseline.ctprof.zst candidate.ctprof.zst", "who, and why: what took most time first" },
	{ "ctprof compare baseline.ctprof.zst candidate.ctprof.zst --sections taskstats-delay "
	  "--sort-by total_offcpu_delay_ns:desc",
	  "who lost time off the CPU, and to what" },
	{ "ctprof compare a.ctprof.zst b.ctprof.zst --threshold wait_time_ns=20",
	  "for CI: exit with 5 when any group waits 20 % longer" },
	{}
};

static const struct cli_exit capture_exits[] = {
	{ "130", "interrupted; no file is left unfinished" },
	{}
};

static const struct cli_exit compare_exits[] = {
	{ "5", "a group grew past a --threshold" },
	{}
};

static const struct cli_exit doctor_exits[] = {
	{ "3", "some data families are degraded or missing" },
	{ "4", "nothing can be measured" },
	{}
};

static const struct cli_exit watch_exits[] = {
	{ "5", "a group grew past a --threshold" },
	{ "130", "interrupted before --count was reached" },
	{}
};

const struct cli_cmd cli_ctprof_commands[] = {
	{ .name = "capture", .summary = "write a snapshot of every thread's counters",
	  .about = "Walks /proc once and writes every thread's scheduling, memory, I/O and delay "
		   "counters as zstd-compressed JSON. Nothing is traced; only the counters of "
		   "jemalloc need a short ptrace stop of threads that use it without glibc on "
		   "x86-64. What cannot be read is null in the file, with the reason, and never fails the snapshot.",
	  .params = capture_params, .examples = capture_examples, .holds_resources = true,
	  .exits = capture_exits, .run = cmd_ctprof_capture },
	{ .name = "compare", .summary = "subtract two snapshots",
	  .about = "Joins two snapshots on names that survive restarts and prints what changed. "
		   "First, in words and as a table, who ran, waited, slept and moved most between "
		   "them; not where --metrics or --sections choose. A dash is a value that was not "
		   "measured. A counter marked * fell, so its "
		   "delta is not what was counted in between; --match tid compares only threads that "
		   "are in both snapshots. A value marked ~ leaves out threads of the group, which "
		   "were not measured. Averages and ratios of the candidate are those of the time "
		   "between two snapshots of one boot, those of the baseline of the time before; the "
		   "column lifetime has them since the threads started. Tables go to "
		   "standard output, warnings and notes to standard error. Exits with 5 when a group "
		   "is past a --threshold.",
	  .params = compare_params, .examples = compare_examples, .exits = compare_exits,
	  .run = cmd_ctprof_compare },
	{ .name = "show", .summary = "print one snapshot",
	  .about = "Groups the threads of one snapshot and prints their merged values, without "
		   "any difference. A dash is a value that was not measured.",
	  .params = show_params,
	  .run = cmd_ctprof_show },
	{ .name = "metric-list", .summary = "explain every metric, tag and section",
	  .params = metric_list_params, .run = cmd_ctprof_metric_list },
	{ .name = "info", .summary = "tell where a snapshot comes from and what it lacks",
	  .params = info_params, .run = cmd_ctprof_info },
	{ .name = "doctor", .summary = "tell what this host lets us measure, and how to get more",
	  .about = "Prints each data family as ok, degraded or missing, with the command that "
		   "fixes it. Exits with 0 when all are ok, 3 when some are degraded or missing, "
		   "4 when nothing can be measured.",
	  .params = doctor_params, .exits = doctor_exits, .run = cmd_ctprof_doctor },
	{ .name = "watch", .summary = "compare again and again, live",
	  .about = "Captures every interval and compares with the capture before. A terminal is "
		   "redrawn, elsewhere one report follows the other; json is one document per line. "
		   "An interrupt ends it.",
	  .params = watch_params,
	  .exits = watch_exits, .holds_resources = true, .run = cmd_ctprof_watch },
	{}
};

const struct cli_cmd cli_host_state_commands[] = {
	{ .name = "capture", .summary = "write a snapshot; stops no thread",
	  .params = host_state_capture_params, .exits = capture_exits, .holds_resources = true,
	  .run = cmd_host_state_capture },
	{ .name = "compare", .summary = "subtract two snapshots, joined on process and thread name",
	  .about = "Unless columns are chosen, the last one is the cgroup of the row's threads when "
		   "the candidate was captured; of several the most frequent.",
	  .params = host_state_compare_params, .exits = compare_exits,
	  .run = cmd_host_state_compare },
	{}
};
/* clang-format on */

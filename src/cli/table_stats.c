// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr stats`, `ktstr report` and `ktstr model`. */
#include "cli/table.h"

/* Rows read better packed than one field to a line. */
/* clang-format off */

#define DIR_PARAM \
	{ .name = "dir", .kind = CLI_DIR, .value = "DIR", \
	  .help = "directory of run directories [default: KTSTR_RUNS_ROOT, or ktstr below " \
		  "CARGO_TARGET_DIR or target]" }
#define RUN_PARAM \
	{ .name = "run", .kind = CLI_STRING, .value = "ID", .is_required = true, \
	  .help = "run directory, as 'stats list' shows it" }

static const struct cli_param list_params[] = { CLI_JSON, DIR_PARAM, {} };
static const struct cli_param metrics_params[] = { CLI_JSON, {} };
static const struct cli_param run_params[] = { RUN_PARAM, DIR_PARAM, CLI_JSON, {} };

/* A filter for both sides, and one that replaces it on each. */
#define FILTER(option, placeholder, what) \
	{ .name = option, .kind = CLI_STRING, .value = placeholder, .is_repeatable = true, \
	  .help = "only runs with this " what }, \
	{ .name = "a-" option, .kind = CLI_STRING, .value = placeholder, .is_repeatable = true, \
	  .help = "the same for side A only" }, \
	{ .name = "b-" option, .kind = CLI_STRING, .value = placeholder, .is_repeatable = true, \
	  .help = "the same for side B only" }

static const struct cli_param compare_params[] = {
	{ .name = "run-a", .is_arg = true, .kind = CLI_FILE, .value = "RUN_A",
	  .help = "run (name or directory) that is side A" },
	{ .name = "run-b", .is_arg = true, .kind = CLI_FILE, .value = "RUN_B",
	  .help = "and the one that is side B" },
	FILTER("kernel", "VERSION", "kernel; 6.14 stands for its whole series"),
	FILTER("scheduler", "NAME", "scheduler"),
	FILTER("topology", "TOPOLOGY", "topology, such as 1n2l4c1t"),
	FILTER("work-type", "NAME", "work type"),
	FILTER("project-commit", "COMMIT", "commit of the project, or git revision or A..B; "
	       "COMMIT-dirty are runs of changed files"),
	FILTER("kernel-commit", "COMMIT", "commit of the kernel; also a git revision or A..B"),
	FILTER("run-source", "SOURCE", "source: ci, local or archive"),
	FILTER("flag", "FLAG", "flag of the scheduler; given more than once, all of them"),
	FILTER("cpu-budget", "N", "CPU budget"),
	FILTER("accel", "ACCEL", "accelerator: kvm, sim or tcg"),
	FILTER("program", "NAME", "test program"),
	{ .name = "expression", .letter = 'E', .kind = CLI_STRING, .value = "TEXT",
	  .help = "only tests whose scenario, topology, scheduler, work type and flags contain it" },
	{ .name = "no-average", .help = "refuse runs that agree in everything instead of averaging" },
	{ .name = "gate-single", .help = "one run on each side is enough for a verdict: without it such a "
					 "change is shown as not gated" },
	{ .name = "threshold", .kind = CLI_STRING, .value = "PERCENT", .excludes = "policy",
	  .help = "relative change that counts, for all metrics" },
	{ .name = "policy", .kind = CLI_FILE, .value = "FILE",
	  .help = "the same by metric: {\"default_percent\":N,\"per_metric_percent\":{NAME:N}}" },
	DIR_PARAM,
	CLI_JSON,
	{}
};

static const struct cli_param trend_params[] = {
	{ .name = "metric", .kind = CLI_STRING, .value = "NAME",
	  .help = "only this metric, also one of a payload or a test that does not say what is better" },
	{ .name = "test", .kind = CLI_STRING, .value = "TEXT",
	  .help = "only tests with this in name, program, topology, scheduler, flags or kernel" },
	DIR_PARAM,
	CLI_JSON,
	{ .name = "html", .kind = CLI_FILE, .value = "FILE",
	  .help = "also write a page with a plot of each" },
	{}
};

static const struct cli_example trend_examples[] = {
	{ "stats trend --metric worst_p99_wait_us", "one metric of all tests" },
	{ "stats trend --test two_cgroups --html trend.html", "all metrics of a test, as a page" },
	{}
};

static const struct cli_param merge_params[] = {
	{ .name = "source", .is_arg = true, .is_required = true, .is_repeatable = true,
	  .kind = CLI_DIR, .value = "DIR", .help = "directory with records, at any depth" },
	{ .name = "into", .kind = CLI_DIR, .value = "DIR",
	  .help = "where the merged runs go [default: KTSTR_RUNS_ROOT, or ktstr below "
		  "CARGO_TARGET_DIR or target]" },
	{}
};

const struct cli_example cli_stats_examples[] = {
	{ "stats", "results of the newest run" },
	{ "stats compare --a-kernel 6.19 --b-kernel 7.0", "what another kernel changes" },
	{}
};

static const struct cli_example compare_examples[] = {
	{ "stats compare 7.0.13-1a2b3c4@2026-11-15T22:41:33.723Z 7.0.13-1a2b3c4",
	  "two runs, such as those of two builds of a scheduler" },
	{ "stats compare --a-kernel 6.19 --b-kernel 7.0", "two series of kernels" },
	{ "stats compare --kernel 7.0 --a-scheduler eevdf --b-scheduler scx_simple",
	  "two schedulers on one kernel" },
	{ "stats compare --a-project-commit main --b-project-commit HEAD -E two_cgroups",
	  "one test before and after a change" },
	{}
};

static const struct cli_exit compare_exits[] = {
	{ "1", "also: at least one metric regressed" },
	{}
};

static const struct cli_example merge_examples[] = {
	{ "stats merge shard-1 shard-2 shard-3 --into all", "three shards of one gauntlet" },
	{}
};

const struct cli_cmd cli_stats_commands[] = {
	{ .name = "list", .summary = "list the runs, newest first", .params = list_params,
	  .run = cmd_stats_list },
	{ .name = "list-metrics", .summary = "list the metrics that runs are compared by",
	  .about = "Lists name, what is better, and the two gates of each metric: a change counts "
		   "when it is at least DEFAULT_ABS and at least the share DEFAULT_REL.",
	  .params = metrics_params, .run = cmd_stats_list_metrics },
	{ .name = "list-values", .summary = "list the values that runs can be filtered by",
	  .params = list_params, .run = cmd_stats_list_values },
	{ .name = "show-host", .summary = "show the host that a run was made on",
	  .params = run_params, .run = cmd_stats_show_host },
	{ .name = "explain-sidecar", .summary = "say why fields of a run's records are empty",
	  .about = "Goes through the records of a run as they are, and says of each field that is "
		   "null whether that is expected, what causes it and how to change it. Files that "
		   "cannot be used are listed with their errors.",
	  .params = run_params, .run = cmd_stats_explain_sidecar },
	{ .name = "compare", .summary = "compare two sets of runs",
	  .about = "Compares runs that differ in what the filters of the two sides differ in, and "
		   "agree in everything else, or two runs that are named. A change counts when it passes both gates of its "
		   "metric, see 'stats list-metrics'; metrics of payloads and of tests count when "
		   "they declare what is better. With one run on a side nothing is gated: "
		   "two runs of the same code differ, too.",
	  .params = compare_params, .examples = compare_examples, .exits = compare_exits,
	  .run = cmd_stats_compare },
	{ .name = "trend", .summary = "show how the metrics went over the runs that are kept",
	  .about = "Follows each metric of each test and of its payloads over the runs that passed, the "
		   "oldest first, and marks where its level changed: optimal partitioning of the mean, "
		   "with a penalty of 3 log n, and what a t-test at 1 % does not separate left out. 'test "
		   "--keep-history N' keeps more than one run of a commit.",
	  .params = trend_params, .examples = trend_examples, .run = cmd_stats_trend },
	{ .name = "merge", .summary = "merge the runs of shards",
	  .about = "Copies the records of all given directories into one. A record that is there "
		   "twice is kept once, the newest, with a note; merging again changes nothing.",
	  .params = merge_params, .examples = merge_examples, .run = cmd_stats_merge },
	{}
};

/* ---- report ---- */

const struct cli_param cli_report_params[] = {
	{ .name = "run", .is_arg = true, .is_repeatable = true, .kind = CLI_STRING, .value = "RUN",
	  .help = "run directory, by name or path; several become one page [default: the newest]" },
	{ .name = "output", .letter = 'o', .kind = CLI_FILE, .value = "FILE",
	  .fallback = "report.html", .help = "file to write; - is stdout" },
	DIR_PARAM,
	{}
};

const struct cli_example cli_report_examples[] = {
	{ "report", "the newest run as report.html" },
	{ "report 7.0.13-abc1234 -o gauntlet.html", "a run of 'stats list'" },
	{}
};

/* ---- funify ---- */

const struct cli_param cli_funify_params[] = {
	{ .name = "file", .is_arg = true, .kind = CLI_FILE, .value = "FILE",
	  .help = "JSON, such as a record or a snapshot [default: stdin]" },
	{ .name = "seed", .kind = CLI_NUMBER, .value = "S", .fallback = "0",
	  .help = "other names for the same texts" },
	{ .name = "pretty", .help = "with line ends and indentation" },
	{}
};

const struct cli_example cli_funify_examples[] = {
	{ "funify target/ktstr/7.0.13-1a2b3c4/pp-0123456789abcdef.ktstr.json", "a record to show around" },
	{}
};

/* ---- model ---- */

static const struct cli_exit fetch_exits[] = {
	{ "130", "interrupted; no file is left unfinished" },
	{}
};

const struct cli_cmd cli_model_commands[] = {
	{ .name = "fetch", .summary = "download the model and check it",
	  .about = "Downloads the model that turns the text of benchmarks into metrics, unless the "
		   "cached file has the right SHA-256 already.",
	  .holds_resources = true, .exits = fetch_exits, .run = cmd_model_fetch },
	{ .name = "status", .summary = "say whether the model is cached and good",
	  .run = cmd_model_status },
	{ .name = "clean", .summary = "remove the model from the cache", .run = cmd_model_clean },
	{}
};
/* clang-format on */

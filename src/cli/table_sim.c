// SPDX-License-Identifier: GPL-2.0-only
/* Commands that make use of runs that can be repeated. */
#include "cli/options.h"
#include "cli/table.h"
#include "run/knobs.h"

/* Rows read better packed than one field to a line. */
/* clang-format off */
#define TEST_ROW                                                                               \
	{ .name = "test", .is_arg = true, .is_required = true, .is_repeatable = true,          \
	  .kind = CLI_FILE, .value = "TEST",                                                   \
	  .help = "name of a test, test program or C file; a file with several tests and the " \
		  "name of one" }
#define NO_PERF_ROW \
	{ .name = "no-perf-mode", .help = "reserve no CPUs; KTSTR_NO_PERF_MODE is the same" }

#define KERNEL_ROW                                                            \
	{ .name = "kernel", .kind = CLI_STRING, .value = "ID",                \
	  .help = "kernel, as for test [default: the newest one available]" }

const struct cli_param cli_explore_params[] = {
	TEST_ROW,
	{ .name = "seeds", .letter = 'n', .kind = CLI_NUMBER, .value = "N", .fallback = "100",
	  .min = 1, .max = 10000000, .excludes = "shrink", .help = "how many seeds" },
	{ .name = "first-seed", .kind = CLI_NUMBER, .value = "S", .fallback = "1", .min = 1,
	  .excludes = "shrink", .help = "the first one" },
	{ .name = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 512,
	  .help = "runs at once [default: as CPUs and memory allow]" },
	{ .name = "budget", .kind = CLI_DURATION, .value = "DUR", .excludes = "shrink",
	  .help = "start no more seeds after this long" },
	{ .name = "stop-on-failure", .excludes = "shrink",
	  .help = "start no more seeds after a failure" },
	{ .name = "shard", .kind = CLI_STRING, .value = "K/N", .excludes = "shrink",
	  .help = "only every N-th seed, from the K-th on" },
	{ .name = "no-jitter", .excludes = "sim-jitter",
	  .help = "seeds only move the beginning and the random numbers of a run; --sim-delays "
		  "and the like add to it" },
	{ .name = "shrink", .kind = CLI_NUMBER, .value = "SEED", .min = 1,
	  .help = "find the smallest machine, the fewest steps and workers and the shortest time "
		  "that fail as this seed does" },
	{ .name = "tries", .kind = CLI_NUMBER, .value = "N", .fallback = "8", .min = 1, .max = 10000,
	  .needs = "shrink", .help = "with --shrink: seeds to run each smaller form with" },
	KERNEL_ROW,
	CLI_KNOBS,
	NO_PERF_ROW,
	CLI_JSON,
	{},
};

const struct cli_example cli_explore_examples[] = {
	{ "explore my_race.c --seeds 1000", "how a thousand interleavings end" },
	{ "explore my_race.c --seeds 100000 --budget 10m --stop-on-failure",
	  "one failure, if ten minutes are enough to find it" },
	{ "explore my_race.c --strategy pct --depth 3",
	  "random priorities and two change points in each run" },
	{ "explore my_race.c --shrink 4711", "the smallest run that fails like that of seed 4711" },
	{},
};

const struct cli_param cli_fuzz_params[] = {
	{ .name = "scheduler-bin", .kind = CLI_FILE, .value = "PATH", .is_required = true,
	  .help = "program that loads the scheduler and stays" },
	{ .name = "budget", .kind = CLI_DURATION, .value = "DUR", .fallback = "30m",
	  .help = "start no more runs after this long" },
	{ .name = "runs", .letter = 'n', .kind = CLI_NUMBER, .value = "N", .min = 1,
	  .help = "scenarios at most, without those that confirm and shrink failures [default: as "
		  "many as there is time for]" },
	{ .name = "corpus", .kind = CLI_DIR, .value = "DIR", .fallback = "corpus",
	  .help = "scenarios to begin with, and where those are kept that are worth it" },
	{ .name = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 512,
	  .help = "runs at once [default: as CPUs and memory allow]" },
	CLI_SEED("of the campaign"),
	{ .name = "shard", .kind = CLI_STRING, .value = "K/N",
	  .help = "this is process K of N that share a corpus: run its part of it, others than they, "
		  "and what they keep" },
	{ .name = "uniform", .help = "make every scenario anew and keep none: what guidance is worth" },
	{ .name = "mute", .kind = CLI_STRING, .value = "SIGNATURE", .is_repeatable = true,
	  .help = "neither shrink nor count as found what has this in its signature" },
	{ .name = "invariant", .kind = CLI_STRING, .value = "EXPR", .is_repeatable = true,
	  .help = "what a global variable of the scheduler's BPF programs is at all times, such as "
		  "'stats.lost == 0': a scenario in which it is not fails" },
	{ .name = "stop-on-failure", .help = "start no more runs after a failure" },
	KERNEL_ROW,
	NO_PERF_ROW,
	CLI_JSON,
	{ .name = "html", .kind = CLI_FILE, .value = "FILE",
	  .help = "also write a page with the curve of what was reached" },
	{},
};

const struct cli_example cli_fuzz_examples[] = {
	{ "fuzz --scheduler-bin ./scx_mine", "half an hour of random scenarios" },
	{ "fuzz --scheduler-bin ./scx_mine --budget 8h --corpus ~/corpus -- --verbose",
	  "a night, with a scheduler that takes an option" },
	{},
};

const struct cli_exit cli_fuzz_exits[] = {
	{ "1", "a failure was found" },
	{ "4", "nothing ran" },
	{ "130", "interrupted" },
	{},
};

const struct cli_param cli_trace_params[] = {
	{ .name = "test", .is_arg = true, .is_required = true, .is_repeatable = true,
	  .kind = CLI_FILE, .value = "RUN",
	  .help = "record, directory of a run, name of a test, test program or C file" },
	{ .name = "output", .letter = 'o', .kind = CLI_FILE, .value = "FILE", .is_required = true,
	  .help = "for ui.perfetto.dev; a picture when it ends in .svg, a page for a browser in .html, text in .txt" },
	CLI_SELECT("of a run, the test that is meant"),
	{ .name = "dir", .kind = CLI_DIR, .value = "DIR", .help = "directory of runs" },
	CLI_SCHEDULER_BIN("this program instead of the test's or the record's scheduler"),
	CLI_TRUST,
	CLI_SEED("of the whole run"),
	KERNEL_ROW,
	CLI_KNOBS,
	NO_PERF_ROW,
	{},
};

const struct cli_example cli_trace_examples[] = {
	{ "trace my_race.c --seed 4711 --sim-jitter -o race.html", "one run of a test" },
	{ "trace target/ktstr/7.0.13-1a2b3c4 -E two_cgroups -o out.txt",
	  "a run that left a record, as text" },
	{ "trace target/ktstr/7.0.13-1a2b3c4 -E 'test(=ktstr/two_cgroups)' -o out.perfetto",
	  "the one test of exactly this name" },
	{},
};

const struct cli_param cli_debug_params[] = {
	{ .name = "run", .is_arg = true, .is_required = true, .kind = CLI_FILE, .value = "RUN",
	  .help = "record, or directory of a run" },
	{ .name = "at", .kind = CLI_STRING, .value = "WHEN", .excludes = "break",
	  .help = "where to begin: failure, where the kernel throws the scheduler out; start, where "
		  "the scheduler is attached; or a time of the guest's clock, such as 1.25s "
		  "[default: failure; start of a run that did not fail]" },
	{ .name = "break", .kind = CLI_STRING, .value = "SYMBOL",
	  .help = "begin where this function of the kernel or of the scheduler's BPF programs is "
		  "entered first" },
	{ .name = "batch", .help = "let gdb end after its script" },
	{ .name = "script", .letter = 'x', .kind = CLI_FILE, .value = "FILE",
	  .help = "gdb's commands, once it is connected" },
	{ .name = "write", .help = "let gdb write to the guest's memory, which makes it another run" },
	CLI_SELECT("of a run, the test that is meant"),
	{ .name = "dir", .kind = CLI_DIR, .value = "DIR", .help = "directory of runs" },
	CLI_SCHEDULER_BIN("this program instead of the record's scheduler"),
	CLI_TRUST,
	{},
};

static const struct cli_param debug_rest_params[] = {
	{ .name = "argument", .is_arg = true, .is_repeatable = true, .kind = CLI_STRING,
	  .value = "ARG", .help = "option or file for gdb" },
	{},
};
const struct cli_cmd cli_debug_rest = { .name = "debug", .params = debug_rest_params };

const struct cli_example cli_debug_examples[] = {
	{ "debug target/ktstr/7.0.13-1a2b3c4 -E two_cgroups", "at the failure of a test" },
	{ "debug target/ktstr/7.0.13-1a2b3c4 -E two_cgroups --break do_enqueue_task",
	  "where the first task is enqueued" },
	{ "debug RECORD.ktstr.json --batch -x script.gdb", "a script, from the beginning on" },
	{},
};

const struct cli_param cli_bisect_params[] = {
	TEST_ROW,
	{ .name = "good", .kind = CLI_STRING, .value = "A",
	  .help = "kernel version, or with --build a commit, with which the test passes" },
	{ .name = "bad", .kind = CLI_STRING, .value = "B", .needs = "good",
	  .help = "kernel version or commit with which it fails" },
	{ .name = "scheduler-list", .kind = CLI_FILE, .value = "FILE", .is_repeatable = true,
	  .excludes = "good", .help = "program of the scheduler, the oldest first" },
	{ .name = "build", .kind = CLI_STRING, .value = "CMD", .needs = "binary",
	  .excludes = "scheduler-list",
	  .help = "command that builds the scheduler in a work tree of each commit" },
	{ .name = "binary", .kind = CLI_STRING, .value = "PATH", .needs = "build",
	  .help = "what it builds, relative to the work tree" },
	{ .name = "seeds", .letter = 'n', .kind = CLI_NUMBER, .value = "N", .fallback = "1", .min = 1,
	  .max = 100000, .help = "seeds to run each candidate with; one failure makes it bad" },
	CLI_SEED("of the whole run, or the first of --seeds"),
	KERNEL_ROW,
	{ .name = "include-eol", .help = "also series that kernel.org no longer lists" },
	{ .name = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 512,
	  .help = "runs at once [default: as CPUs and memory allow]" },
	CLI_KNOBS,
	NO_PERF_ROW,
	{},
};

const struct cli_example cli_bisect_examples[] = {
	{ "bisect my_test.c --good 6.16 --bad 7.2", "the first kernel with which it fails" },
	{ "bisect my_test.c --scheduler-list v1/scx_my --scheduler-list v2/scx_my",
	  "the first of these programs" },
	{ "bisect my_test.c --good v1.0 --bad HEAD --build 'make -j4' --binary build/scx_my",
	  "the first commit of this repository" },
	{},
};
/* clang-format on */

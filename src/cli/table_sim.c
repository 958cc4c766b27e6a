// SPDX-License-Identifier: GPL-2.0-only
/* Commands that make use of runs that can be repeated. */
#include "cli/commands.h"
#include "cli/table.h"

/* Rows read better packed than one field to a line. */
/* clang-format off */
#define TEST_ROW                                                                               \
	{ .name = "test", .is_arg = true, .is_required = true, .is_repeatable = true,          \
	  .kind = CLI_FILE, .value = "TEST",                                                   \
	  .help = "name of a test, test program or C file; a file with several tests and the " \
		  "name of one" }
#define NO_PERF_ROW \
	{ .name = "no-perf-mode", .help = "reserve no CPUs; KTSTR_NO_PERF_MODE is the same" }

const struct cli_param cli_explore_params[] = {
	TEST_ROW,
	{ .name = "seeds", .letter = 'n', .kind = CLI_NUMBER, .value = "N", .fallback = "100",
	  .min = 1, .max = 10000000, .help = "how many seeds" },
	{ .name = "first-seed", .kind = CLI_NUMBER, .value = "S", .fallback = "1", .min = 1,
	  .help = "the first one" },
	{ .name = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 512,
	  .help = "runs at once [default: as CPUs and memory allow]" },
	{ .name = "budget", .kind = CLI_DURATION, .value = "DUR",
	  .help = "start no more seeds after this long" },
	{ .name = "stop-on-failure", .help = "start no more seeds after a failure" },
	{ .name = "shard", .kind = CLI_STRING, .value = "K/N",
	  .help = "only every N-th seed, from the K-th on" },
	{ .name = "no-jitter", .help = "seeds only move the beginning and the random numbers of a "
				       "run, not its slices and delays" },
	{ .name = "shrink", .kind = CLI_NUMBER, .value = "SEED", .min = 1,
	  .help = "find the smallest machine, number of workers and duration that fail as this "
		  "seed does" },
	{ .name = "tries", .kind = CLI_NUMBER, .value = "N", .fallback = "8", .min = 1, .max = 10000,
	  .help = "with --shrink: seeds to run each smaller form with" },
	{ .name = "kernel", .kind = CLI_STRING, .value = "ID",
	  .help = "kernel, as for test [default: the newest one at hand]" },
	CLI_KNOBS,
	NO_PERF_ROW,
	CLI_JSON,
	{},
};

const struct cli_example cli_explore_examples[] = {
	{ "explore my_race.c --seeds 1000", "how a thousand interleavings end" },
	{ "explore my_race.c --seeds 100000 --budget 10m --stop-on-failure",
	  "one failure, if ten minutes are enough to find it" },
	{ "explore my_race.c --shrink 4711", "the smallest run that fails like that of seed 4711" },
	{},
};
/* clang-format on */

// SPDX-License-Identifier: GPL-2.0-only
/* ktstr explore: runs one test with many seeds, or minimizes one failure. */
#include "cli/options.h"
#include "cli/rows_test.h"
#include "explore/explore.h"

static int check_seeds(const struct cli_call *call)
{
	if (cli_is_given(call, "shrink"))
		return trial_seeds_check(cli_number(call, "shrink"), cli_number(call, "tries"));
	return trial_seeds_check(cli_number(call, "first-seed"), cli_number(call, "seeds"));
}

static int read_options(const struct cli_call *call, struct explore_options *o)
{
	const char *shard = cli_text(call, "shard");
	int rc;

	*o = (struct explore_options){
		.first_seed = cli_number(call, "first-seed"),
		.seeds = cli_number(call, "seeds"),
		.budget_ns = cli_number(call, "budget"),
		.stops_on_failure = cli_flag(call, "stop-on-failure"),
		.is_json = cli_flag(call, "json"),
	};
	rc = check_seeds(call);
	if (rc == 0 && cli_flag(call, "no-jitter") && cli_text(call, "strategy") &&
	    str_eq(cli_text(call, "strategy"), RUN_STRATEGY_RANDOM))
		rc = err_set(EINVAL, "--no-jitter and --strategy random exclude each other");
	if (rc == 0 && cli_is_given(call, "budget") && !o->budget_ns)
		rc = err_set(EINVAL, "--budget must be more than 0");
	if (rc == 0 && shard)
		rc = shard_parse(shard, &o->shard);
	return rc < 0 ? cli_usage_error(call, "%s", err_text(rc)) : 0;
}

static int run(const struct cli_call *call, struct lab *l, const struct explore_options *o)
{
	struct minimize_options m = { .seed = cli_number(call, "shrink"),
				      .tries = (unsigned int)cli_number(call, "tries"),
				      .is_json = o->is_json };

	return cli_is_given(call, "shrink") ? minimize_run(l, &m) : explore_run(l, o);
}

static int cmd_explore_run(const struct cli_call *call)
{
	_cleanup_(lab_words_finish) struct lab_words words = {};
	struct explore_options options;
	struct lab_request request;
	_lab_ struct lab lab = {};
	int rc = lab_options(call, &words, &request) ?: read_options(call, &options);

	if (rc)
		return rc;
	request.jobs = (size_t)cli_number(call, "jobs");
	/* A strategy replaces the jitter, unless both are requested. */
	if (!request.knobs.strategy)
		request.knobs.has_jitter = !cli_flag(call, "no-jitter");
	interrupt_install();
	rc = lab_open(&lab, &request) ?: run(call, &lab, &options);
	return rc == -EINTR ? RUN_EXIT_INTERRUPTED : rc;
}

/* clang-format off */
const struct cli_cmd cmd_explore = {
	.name = "explore", .summary = "run a test with many seeds and group the failures",
	.about = "Runs one test in sim with many seeds, in parallel. Every seed is another "
		 "interleaving: it changes where the run begins, how often vCPUs are switched, "
		 "and adds short delays at random times; with --strategy, also which task goes "
		 "first. Failures are grouped by their message, each with the command that "
		 "reproduces it exactly, and the figures of all runs are summarised. --shrink "
		 "then minimises one failure. The steps of a scenario are not changed.",
	.params = CLI_PARAMS(
		TEST_ROW,
		{ .name = "seeds", .letter = 'n', .kind = CLI_NUMBER, .value = "N", .fallback = "100",
		  .min = 1, .max = 10000000, .excludes = "shrink", .help = "number of seeds" },
		{ .name = "first-seed", .kind = CLI_NUMBER, .value = "S", .fallback = "1", .min = 1,
		  .excludes = "shrink", .help = "first seed" },
		PARALLEL_ROW,
		{ .name = "budget", .kind = CLI_DURATION, .value = "DUR", .excludes = "shrink",
		  .help = "start no further seeds after this time" },
		{ .name = "stop-on-failure", .excludes = "shrink",
		  .help = "start no further seeds after a failure" },
		{ .name = "shard", .kind = CLI_STRING, .value = "K/N", .excludes = "shrink",
		  .help = "only every N-th seed, starting with the K-th" },
		{ .name = "no-jitter", .excludes = "sim-jitter",
		  .help = "let seeds change only the start and the random numbers of a run; "
			  "--sim-delays and similar options add to it" },
		{ .name = "shrink", .kind = CLI_NUMBER, .value = "SEED", .min = 1,
		  .help = "find the smallest machine, the fewest steps and workers and the "
			  "shortest time that fail in the same way as this seed" },
		{ .name = "tries", .kind = CLI_NUMBER, .value = "N", .fallback = "8", .min = 1, .max = 10000,
		  .needs = "shrink", .help = "with --shrink: number of seeds to try each smaller "
			  "variant with" },
		KERNEL_ROW,
		CLI_KNOBS,
		NO_PERF_ROW,
		CLI_JSON),
	.examples = CLI_EXAMPLES(
		{ "explore my_race.c --seeds 1000", "how a thousand interleavings end" },
		{ "explore my_race.c --seeds 100000 --budget 10m --stop-on-failure",
		  "one failure, if ten minutes are enough to find it" },
		{ "explore my_race.c --strategy pct --depth 3",
		  "random priorities and two change points in each run" },
		{ "explore my_race.c --shrink 4711", "the smallest run that fails like that of seed 4711" }),
	.holds_resources = true,
	.exits = cli_test_exits, .run = cmd_explore_run,
};
/* clang-format on */

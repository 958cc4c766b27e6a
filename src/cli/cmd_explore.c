// SPDX-License-Identifier: GPL-2.0-only
/* ktstr explore: one test over many seeds, or one failure made small. */
#include "cli/options.h"
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

int cmd_explore(const struct cli_call *call)
{
	_cleanup_(lab_words_finish) struct lab_words words = {};
	struct explore_options options;
	struct lab_request request;
	_lab_ struct lab lab = {};
	int rc = lab_options(call, &words, &request) ?: read_options(call, &options);

	if (rc)
		return rc;
	request.jobs = (size_t)cli_number(call, "jobs");
	/* A strategy of its own takes the place of the jitter, unless both are asked for. */
	if (!request.knobs.strategy)
		request.knobs.has_jitter = !cli_flag(call, "no-jitter");
	interrupt_install();
	rc = lab_open(&lab, &request) ?: run(call, &lab, &options);
	return rc == -EINTR ? RUN_EXIT_INTERRUPTED : rc;
}

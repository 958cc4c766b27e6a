// SPDX-License-Identifier: GPL-2.0-only
/* Options of `ktstr test` and related commands. */
#include "cli/options.h"
#include "repro/repro.h"

/* Options of cargo's runner that have no effect here. */
static const char *const without_effect[] = { "workspace", "features", "exclude-from-report" };

void test_call_finish(struct test_call *t)
{
	cli_call_finish(&t->rest);
	filter_finish(&t->filter);
	free(t->paths);
	free(t->kernels);
	free(t->substrings);
	free(t->scheduler_args);
	free(t->scheduler);
}

bool test_call_is_set(const struct test_call *t, const char *name)
{
	return cli_flag(t->call, name) || cli_flag(&t->rest, name);
}

static int add_filters(struct test_call *t, const struct cli_call *call)
{
	int rc = 0;

	for (size_t i = 0; i < cli_count(call, "filter-expr") && rc == 0; i++)
		rc = filter_option_add(&t->filter, cli_nth(call, "filter-expr", i));
	return rc;
}

static int read_shard(struct test_call *t)
{
	const char *text = cli_text(t->call, "shard");
	struct shard *shard = &t->options.choice.shard;
	int rc = text ? shard_parse(text, shard) : shard_from_environment(shard);

	return rc < 0 ? cli_usage_error(t->call, "%s", err_text(rc)) : 0;
}

/* Tests run under it by its own name. */
static int read_scheduler(struct test_call *t)
{
	struct runner_options *o = &t->options;
	const char *given = cli_text(t->call, "scheduler-bin");
	int rc = given ? scheduler_program(given, &t->scheduler) : 0;

	rc = rc	   ?:
		     cli_collect(t->call, "scheduler-arg", &t->scheduler_args,
				 &o->knobs.scheduler_arg_count);
	rc = rc ?: scheduler_args_check(t->scheduler_args, o->knobs.scheduler_arg_count);
	if (rc || !given)
		return rc;
	o->scheduler = t->scheduler;
	o->knobs.scheduler = strrchr(t->scheduler, '/') + 1;
	o->knobs.scheduler_args = t->scheduler_args;
	return 0;
}

static void read_budget(struct test_call *t)
{
	const char *text = env_get("KTSTR_BUDGET_SECS");

	if (text && !selection_budget_parse(text, &t->options.choice.budget_s)) {
		t->options.choice.budget_s = 0;
		log_note("warning: KTSTR_BUDGET_SECS is '%s', which is not a positive number of "
			 "seconds; it is ignored",
			 text);
	}
}

static enum run_ignored ignored_of(const struct test_call *t)
{
	const char *word = cli_text(&t->rest, "run-ignored");

	if (!word)
		word = cli_text(t->call, "run-ignored");
	if (word && str_eq(word, "all"))
		return RUN_IGNORED_ALL;
	return word && str_eq(word, "ignored-only") ? RUN_IGNORED_ONLY : RUN_IGNORED_DEFAULT;
}

/* A number given after the "--", else that of the command's own option. */
static uint64_t number_of(const struct test_call *t, const char *rest, const char *own)
{
	return cli_is_given(&t->rest, rest) ? cli_number(&t->rest, rest) : cli_number(t->call, own);
}

static void read_profile(struct test_call *t)
{
	struct runner_options *o = &t->options;
	const char *name = cli_text(&t->rest, "profile");

	o->profile = run_profile_by_name(name ? name : cli_text(t->call, "nextest-profile"));
	if (!str_eq(o->profile->name, "default"))
		o->knobs.profile = o->profile->name;
	o->is_fail_fast = o->profile->is_fail_fast;
	if (test_call_is_set(t, "fail-fast"))
		o->is_fail_fast = true;
	if (test_call_is_set(t, "no-fail-fast"))
		o->is_fail_fast = false;
	o->scheduler_profile = cli_text(t->call, "profile");
	if (!o->scheduler_profile)
		o->scheduler_profile = env_get("KTSTR_SCHEDULER_PROFILE");
	if (!o->scheduler_profile)
		o->scheduler_profile = "release";
}

/* Rejects invalid words before anything runs. */
static int read_probe_stack(struct test_call *t)
{
	_cleanup_(repro_chain_finish) struct repro_chain chain = {};
	const char *words = cli_text(t->call, "probe-stack");
	int rc = words ? repro_chain_add_words(&chain, words) : 0;

	t->options.probe_stack = words;
	return rc;
}

static void read_switches(struct test_call *t)
{
	const struct cli_call *call = t->call;
	struct runner_options *o = &t->options;

	o->label = call->program;
	o->include_eol = cli_flag(call, "include-eol");
	o->accel = cli_text(call, "accel");
	o->no_perf_mode = cli_flag(call, "no-perf-mode");
	o->explains = !cli_flag(call, "no-auto-repro");
	/* Any value of the variable counts. */
	o->fails_on_skip = cli_flag(call, "no-skip-mode") || getenv("KTSTR_NO_SKIP_MODE");
	o->trace_dir = cli_text(call, "trace");
	o->jobs = (size_t)number_of(t, "test-threads", "jobs");
	o->retries = (unsigned int)number_of(t, "retries", "retries");
	o->shows_output = test_call_is_set(t, "no-capture");
	o->is_quiet = cli_flag(call, "quiet");
	o->is_verbose = cli_flag(call, "verbose");
	o->list = cli_flag(call, "list") ? RUN_LIST_NAMES : RUN_LIST_NO;
	o->history = (unsigned int)cli_number(call, "keep-history");
	o->format = run_report_format_by_name(cli_text(call, "format"));
	o->choice.filter = &t->filter;
	o->choice.ignored = ignored_of(t);
	o->choice.is_performance_only = env_get("KTSTR_PERF_ONLY") != NULL;
}

static void tell_without_effect(const struct test_call *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(without_effect); i++)
		if (cli_is_given(&t->rest, without_effect[i]))
			log_note("%s: --%s has no effect here", t->call->program,
				 without_effect[i]);
}

int test_call_read(struct test_call *t)
{
	struct runner_options *o = &t->options;
	int rc = cli_parse_rest(t->call, &t->rest) ?: add_filters(t, t->call);

	rc = rc ?: add_filters(t, &t->rest);
	rc = rc ?: read_shard(t);
	rc = rc ?: knob_options(t->call, &o->knobs);
	rc = rc ?: read_scheduler(t);
	rc = rc ?: seed_option(t->call, &o->seed);
	rc = rc ?: read_probe_stack(t);
	rc = rc ?: cli_collect(t->call, "path", &t->paths, &o->path_count);
	rc = rc ?: cli_collect(t->call, "kernel", &t->kernels, &o->kernel_count);
	rc = rc ?: cli_collect(&t->rest, "substring", &t->substrings, &o->choice.substring_count);
	if (rc)
		return rc;
	o->paths = t->paths;
	o->kernels = t->kernels;
	o->choice.substrings = t->substrings;
	read_switches(t);
	read_profile(t);
	read_budget(t);
	tell_without_effect(t);
	return 0;
}

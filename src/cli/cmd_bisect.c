// SPDX-License-Identifier: GPL-2.0-only
/* ktstr bisect: finds the first kernel, program or commit with which a test fails. */
#include "cli/options.h"
#include "cli/rows_test.h"
#include "explore/explore.h"

#define SCHEDULER_VARIABLE "KTSTR_SCHEDULER"

struct bisecting {
	const struct cli_call *call;
	struct lab_request request;
	struct candidates candidates;
	uint64_t first_seed, seeds;
	struct str command; /* that showed the newest failure of the first bad candidate */
};

static int check_options(const struct cli_call *call)
{
	bool has_list = cli_is_given(call, "scheduler-list");

	if (!has_list && (!cli_is_given(call, "good") || !cli_is_given(call, "bad")))
		return cli_usage_error(call, "--good and --bad, or --scheduler-list, say what is "
					     "bisected");
	if (cli_count(call, "scheduler-list") == 1)
		return cli_usage_error(call, "--scheduler-list has to be given for two programs at "
					     "least");
	if (cli_is_given(call, "kernel") && !has_list && !cli_is_given(call, "build"))
		return cli_usage_error(call, "--kernel cannot be given when kernels are bisected");
	return 0;
}

static int read_seeds(struct bisecting *b)
{
	int rc = seed_option(b->call, &b->first_seed);

	if (rc < 0)
		return rc;
	b->seeds = cli_number(b->call, "seeds");
	rc = trial_seeds_check(b->first_seed, b->seeds);
	return rc < 0 ? cli_usage_error(b->call, "%s", err_text(rc)) : 0;
}

static int list_programs(struct bisecting *b)
{
	size_t count = cli_count(b->call, "scheduler-list");
	_free_ const char **files = calloc(count + 1, sizeof(*files));

	if (!files)
		return err_no_memory();
	for (size_t i = 0; i < count; i++)
		files[i] = cli_nth(b->call, "scheduler-list", i);
	return candidates_of_programs(&b->candidates, files, count);
}

static int list_candidates(struct bisecting *b)
{
	const char *good = cli_text(b->call, "good"), *bad = cli_text(b->call, "bad");

	if (cli_is_given(b->call, "scheduler-list"))
		return list_programs(b);
	b->candidates.build = cli_text(b->call, "build");
	b->candidates.binary = cli_text(b->call, "binary");
	if (b->candidates.build)
		return candidates_of_commits(&b->candidates, good, bad);
	return candidates_of_kernels(&b->candidates, good, bad, cli_flag(b->call, "include-eol"),
				     b->call->program);
}

static bool on_ended(void *ctx, struct trial *t, const struct judgement *j _unused_,
		     int *rc _unused_)
{
	const struct trial **failed = ctx;

	if (trial_has_failed(t) && (!*failed || t->seed < (*failed)->seed))
		*failed = t;
	return !*failed;
}

static void tell(const struct bisecting *b, size_t i, const char *verdict, const char *why)
{
	const struct candidates *c = &b->candidates;
	_str_ struct str reason = {};

	text_add_printable(&reason, why ? why : "");
	printf("  %.*s%s%s%s  %s%s%s\n", c->kind == CANDIDATE_COMMIT ? 12 : 4096, c->names.items[i],
	       i < c->subjects.count ? " (" : "", i < c->subjects.count ? c->subjects.items[i] : "",
	       i < c->subjects.count ? ")" : "", verdict, reason.len ? ": " : "", str_get(&reason));
	fflush(stdout);
}

static enum bisect_verdict judge_trials(struct bisecting *b, struct lab *l, size_t i,
					const struct trial *trials, const struct trial *failed)
{
	if (failed && failed->unstarted) {
		tell(b, i, "cannot be tested", failed->unstarted);
		return BISECT_UNTESTABLE;
	}
	if (failed) {
		_free_ char *why = str_fmt("seed %llu: %s", ULL(failed->seed), failed->signature);

		tell(b, i, "bad", why);
		str_reset(&b->command);
		lab_add_command(l, failed->knobs, failed->seed, &b->command);
		return BISECT_BAD;
	}
	if (trials[0].status == TEST_PASSED) {
		tell(b, i, "good", NULL);
		return BISECT_GOOD;
	}
	tell(b, i, "cannot be tested", trials[0].text);
	return BISECT_UNTESTABLE;
}

static int run_trials(struct bisecting *b, struct lab *l, size_t i, enum bisect_verdict *verdict)
{
	size_t count = (size_t)b->seeds;
	struct trial *trials = calloc(count, sizeof(*trials));
	const struct trial *failed = NULL;
	struct lab_watch watch = { .ended = on_ended, .ctx = &failed };
	int rc = trials ? 0 : err_no_memory();

	for (size_t k = 0; k < count && rc == 0; k++)
		trials[k] = (struct trial){ .seed = b->first_seed + k, .knobs = &l->options.knobs };
	rc = rc ?: lab_run(l, trials, count, &watch);
	if (rc == 0)
		*verdict = judge_trials(b, l, i, trials, failed);
	trials_finish(trials, count);
	return rc;
}

/* The program must be the one that is run: a test without a scheduler would never fail. */
static int check_scheduler(const struct lab *l, const char *program)
{
	const char *used = l->task->job.scheduler;

	if (!program)
		return 0;
	if (!used)
		return err_set(EINVAL, "%s declares no scheduler: there is nothing to bisect",
			       lab_variant(l)->name);
	if (!str_eq(used, program))
		return err_set(EINVAL,
			       "%s takes its scheduler from %s, not from " SCHEDULER_VARIABLE,
			       lab_variant(l)->name, used);
	return 0;
}

/* Errors at the ends are fatal; candidates in between may be unavailable and are skipped. */
static int step_around(const struct bisecting *b, size_t i, int rc)
{
	if (rc == -EINTR || i == 0 || i + 1 == b->candidates.names.count)
		return rc;
	tell(b, i, "cannot be tested", err_text(rc));
	return 0;
}

static int judge_candidate(void *ctx, size_t i, enum bisect_verdict *verdict)
{
	struct bisecting *b = ctx;
	_free_ char *program = NULL;
	_lab_ struct lab lab = {};
	int rc = 0;

	*verdict = BISECT_UNTESTABLE;
	if (b->candidates.kind == CANDIDATE_KERNEL)
		b->request.kernel = b->candidates.names.items[i];
	else
		rc = candidates_make_program(&b->candidates, i, &program);
	if (rc > 0) {
		tell(b, i, "cannot be tested",
		     rc == CANDIDATE_FAILS ? "it does not build" : "its build leaves no program");
		return 0;
	}
	if (rc == 0 && program)
		setenv(SCHEDULER_VARIABLE, program, 1);
	rc = rc ?: lab_open(&lab, &b->request);
	if (rc < 0)
		return step_around(b, i, rc);
	rc = check_scheduler(&lab, program);
	if (rc < 0)
		return rc;
	rc = run_trials(b, &lab, i, verdict);
	return rc < 0 ? step_around(b, i, rc) : 0;
}

static void print_answer(const struct bisecting *b, const struct bisect_result *r)
{
	char *const *names = b->candidates.names.items;

	if (r->first_bad - r->last_good == 1)
		printf("first bad: %s (last good: %s), after %zu steps\n", names[r->first_bad],
		       names[r->last_good], r->steps);
	else
		printf("first bad: one of %zu, up to %s; those between it and %s cannot be tested; "
		       "%zu steps\n",
		       r->first_bad - r->last_good, names[r->first_bad], names[r->last_good],
		       r->steps);
	/* The program of a commit was removed with its work tree. */
	if (b->candidates.kind == CANDIDATE_PROGRAM || b->candidates.kind == CANDIDATE_KERNEL)
		printf("again: %s\n", str_get(&b->command));
}

static int run(struct bisecting *b)
{
	struct bisect_result result;
	int rc = list_candidates(b);
	size_t count = b->candidates.names.count;

	if (rc < 0)
		return rc;
	printf("%zu candidate%s from %s to %s\n", count, count == 1 ? "" : "s",
	       count ? b->candidates.names.items[0] : "-",
	       count ? b->candidates.names.items[count - 1] : "-");
	fflush(stdout);
	rc = bisect_run(count, judge_candidate, b, &result);
	if (rc == 0)
		print_answer(b, &result);
	return rc;
}

static void bisecting_finish(struct bisecting *b)
{
	candidates_finish(&b->candidates);
	str_finish(&b->command);
}

static int cmd_bisect_run(const struct cli_call *call)
{
	_cleanup_(lab_words_finish) struct lab_words words = {};
	_cleanup_(bisecting_finish) struct bisecting b = {
		.call = call,
	};
	int rc = check_options(call) ?: read_seeds(&b) ?: lab_options(call, &words, &b.request);

	if (rc)
		return rc;
	b.request.jobs = (size_t)cli_number(call, "jobs");
	interrupt_install();
	rc = run(&b);
	return rc == -EINTR ? RUN_EXIT_INTERRUPTED : rc;
}

/* clang-format off */
const struct cli_cmd cmd_bisect = {
	.name = "bisect", .summary = "find the first kernel or scheduler with which a test fails",
	.about = "Runs one test in sim on kernels from --good to --bad, with the schedulers of "
		 "--scheduler-list, or with a scheduler built from the commits between --good "
		 "and --bad, and bisects the range. Runs are exact, so a step is never wrong by "
		 "chance. Candidates that cannot be tested are skipped.",
	.params = CLI_PARAMS(
		TEST_ROW,
		{ .name = "good", .kind = CLI_STRING, .value = "A",
		  .help = "kernel version, or with --build a commit, with which the test passes" },
		{ .name = "bad", .kind = CLI_STRING, .value = "B", .needs = "good",
		  .help = "kernel version or commit with which it fails" },
		{ .name = "scheduler-list", .kind = CLI_FILE, .value = "FILE", .is_repeatable = true,
		  .excludes = "good", .help = "program of the scheduler; give the oldest first" },
		{ .name = "build", .kind = CLI_STRING, .value = "CMD", .needs = "binary",
		  .excludes = "scheduler-list",
		  .help = "command that builds the scheduler in a work tree of each commit" },
		{ .name = "binary", .kind = CLI_STRING, .value = "PATH", .needs = "build",
		  .help = "scheduler that --build builds, relative to the work tree" },
		{ .name = "seeds", .letter = 'n', .kind = CLI_NUMBER, .value = "N", .fallback = "1", .min = 1,
		  .max = 100000, .help = "seeds to run each candidate with; one failure makes it bad" },
		CLI_SEED("seed of the run, or the first of --seeds"),
		KERNEL_ROW,
		{ .name = "include-eol", .help = "include series that kernel.org no longer lists" },
		PARALLEL_ROW,
		CLI_KNOBS,
		NO_PERF_ROW),
	.examples = CLI_EXAMPLES(
		{ "bisect my_test.c --good 6.16 --bad 7.2", "the first kernel with which it fails" },
		{ "bisect my_test.c --scheduler-list v1/scx_my --scheduler-list v2/scx_my",
		  "the first of these programs" },
		{ "bisect my_test.c --good v1.0 --bad HEAD --build 'make -j4' --binary build/scx_my",
		  "the first commit of this repository" }),
	.holds_resources = true,
	.run = cmd_bisect_run,
};
/* clang-format on */

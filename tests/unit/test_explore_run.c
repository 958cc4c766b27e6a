// SPDX-License-Identifier: GPL-2.0-only
/* Exploring and shrinking from the first run to what is printed, with runs that a test plays. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "explore/explore.h"

/* What a run comes to, by its seed and knobs. */
typedef void play_fn(struct trial *t);

static play_fn *play;
static size_t runs;		  /* that were played */
static uint64_t hole;		  /* a seed that comes to no end */
static int lab_rc;		  /* after the last of them */
static struct run_knobs of_first; /* knobs of the first run */
static uint64_t now_ns;

uint64_t __wrap_clock_mono_ns(void);
int __wrap_lab_run(struct lab *l, struct trial *trials, size_t count,
		   const struct lab_watch *watch);

uint64_t __wrap_clock_mono_ns(void)
{
	return now_ns;
}

/* A second for each run. */
int __wrap_lab_run(struct lab *l, struct trial *trials, size_t count, const struct lab_watch *watch)
{
	const struct judgement none = {};
	int rc = 0;

	(void)l;
	for (size_t i = 0; i < count; i++) {
		if (trials[i].seed == hole)
			continue;
		if (runs++ == 0)
			of_first = *trials[i].knobs;
		play(&trials[i]);
		trials[i].is_done = true;
		now_ns += NSEC_PER_SEC;
		if ((watch->ended && !watch->ended(watch->ctx, &trials[i], &none, &rc)) || rc < 0)
			break;
	}
	return rc < 0 ? rc : lab_rc;
}

static struct test_program program = { .path = (char *)"/t/race.c" };
static struct probe_test test = { .name = (char *)"race", .duration_ms = 5000 };
static struct variant variant = {
	.program = &program, .test = &test, .name = (char *)"ktstr/race", .topology = { 1, 1, 4, 1 }
};
static struct run_kernel kernel = { .image.version = (char *)"7.0.13" };
static const struct task task = { .job.variant = &variant };
static struct lab lab;

static int start(void **state)
{
	(void)state;
	lab = (struct lab){ .options = { .label = "ktstr", .knobs = RUN_KNOBS_DEFAULT },
			    .task = &task };
	lab.campaign.kernels.items.items = &kernel;
	runs = 0;
	lab_rc = 0;
	hole = 0;
	now_ns = 1000 * NSEC_PER_SEC;
	return 0;
}

#define IN_LAB(f) cmocka_unit_test_setup(f, start)

/* ---- what was printed ---- */

static int real_stdout, printed_fd;

static void catch_output(void)
{
	fflush(stdout);
	real_stdout = dup(STDOUT_FILENO);
	printed_fd = memfd_create("stdout", MFD_CLOEXEC);
	dup2(printed_fd, STDOUT_FILENO);
}

static char *caught_output(void)
{
	char *text;
	off_t len;

	fflush(stdout);
	dup2(real_stdout, STDOUT_FILENO);
	close(real_stdout);
	len = lseek(printed_fd, 0, SEEK_END);
	text = calloc(1, (size_t)len + 1);
	assert_int_equal(pread(printed_fd, text, (size_t)len, 0), len);
	close(printed_fd);
	return text;
}

static void expect_explored(const struct explore_options *o, int code, const char *expected)
{
	char *text;
	int rc;

	catch_output();
	rc = explore_run(&lab, o);
	text = caught_output();
	if (rc < 0)
		fail_msg("%s", err_text(rc));
	assert_string_equal(text, expected);
	assert_int_equal(rc, code);
	free(text);
}

static void expect_minimized(const struct minimize_options *o, const char *expected)
{
	char *text;
	int rc;

	catch_output();
	rc = minimize_run(&lab, o);
	text = caught_output();
	if (rc < 0)
		fail_msg("%s", err_text(rc));
	assert_string_equal(text, expected);
	assert_int_equal(rc, RUN_EXIT_FAILED);
	free(text);
}

static void come_to(struct trial *t, enum test_status status, const char *signature,
		    const char *text)
{
	t->status = status;
	t->signature = signature ? strdup(signature) : NULL;
	t->cause = signature ? strdup(signature) : NULL;
	t->text = text ? strdup(text) : NULL;
}

#define AGAIN "ktstr test /t/race.c -E 'test(=ktstr/race)' --kernel 7.0.13 --accel sim --seed "

/* ---- explore ---- */

static void play_all_pass(struct trial *t)
{
	come_to(t, TEST_PASSED, NULL, NULL);
}

static void seeds_that_pass_are_counted(void **state)
{
	(void)state;
	play = play_all_pass;
	expect_explored(&(struct explore_options){ .first_seed = 1, .seeds = 3 }, RUN_EXIT_PASSED,
			"ktstr/race on 1n1l4c1t, kernel 7.0.13, scheduler eevdf\n"
			"3 of 3 seeds: 3 passed, 0 failed; 3.0 s, 60 seeds a minute\n"
			"strategy: " STRATEGY_NONE "\n");
}

static void play_two_failures(struct trial *t)
{
	if (t->seed == 3 || t->seed >= 8)
		come_to(t, TEST_FAILED, "Stuck",
			"one\ntwo \033[31m\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13");
	else if (t->seed == 5)
		come_to(t, TEST_TIMED_OUT, "timeout", "too long");
	else if (t->seed == 6)
		come_to(t, TEST_INCONCLUSIVE, NULL, "no evidence\n");
	else if (t->seed == 7)
		come_to(t, TEST_SKIPPED, NULL, "not here");
	else
		come_to(t, TEST_PASSED, NULL, NULL);
	snprintf(t->digest, sizeof(t->digest), "%s", t->seed == 3 ? "abc" : "");
}

static void failures_are_told_with_their_seeds_and_first_lines(void **state)
{
	(void)state;
	play = play_two_failures;
	expect_explored(
		&(struct explore_options){ .first_seed = 2, .seeds = 20 }, RUN_EXIT_FAILED,
		"ktstr/race on 1n1l4c1t, kernel 7.0.13, scheduler eevdf\n"
		"20 of 20 seeds: 2 passed, 16 failed, 1 inconclusive, 1 skipped; 20.0 s, 60 seeds "
		"a minute\n"
		"strategy: " STRATEGY_NONE "\n"
		"\n"
		"2 distinct failures:\n"
		"\n"
		"  1. Stuck\n"
		"     15 of 20 seeds of " STRATEGY_NONE
		": 3, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, ... 3 more\n"
		"     seed 3:\n"
		"     | one\n"
		"     | two \\x1b[31m\n"
		"     | 3\n     | 4\n     | 5\n     | 6\n     | 7\n     | 8\n     | 9\n"
		"     | 10\n     | 11\n     | 12\n"
		"     | ...\n"
		"     again: " AGAIN "3\n"
		"\n"
		"  2. timeout\n"
		"     1 of 20 seeds of " STRATEGY_NONE ": 5\n"
		"     seed 5:\n"
		"     | too long\n"
		"     again: " AGAIN "5\n"
		"\n"
		"seed 6 was inconclusive:\n"
		"     | no evidence\n");
}

static void programs_read_the_same_as_json(void **state)
{
	(void)state;
	play = play_two_failures;
	expect_explored(
		&(struct explore_options){ .first_seed = 3, .seeds = 2, .is_json = true },
		RUN_EXIT_FAILED,
		"{\n"
		"  \"schema_version\": 1,\n"
		"  \"test\": \"ktstr/race\",\n"
		"  \"kernel\": \"7.0.13\",\n"
		"  \"planned\": 2,\n"
		"  \"passed\": 1,\n"
		"  \"failed\": 1,\n"
		"  \"inconclusive\": 0,\n"
		"  \"skipped\": 0,\n"
		"  \"seconds\": 2,\n"
		"  \"interrupted\": false,\n"
		"  \"strategy\": {\n"
		"    \"name\": \"" STRATEGY_NONE "\",\n"
		"    \"depth\": null,\n"
		"    \"events\": null,\n"
		"    \"tasks\": null,\n"
		"    \"bound\": null\n"
		"  },\n"
		"  \"failures\": [\n"
		"    {\n"
		"      \"signature\": \"Stuck\",\n"
		"      \"seeds\": [\n"
		"        3\n"
		"      ],\n"
		"      \"text\": \"one\\ntwo \\u001b[31m\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n10\\n11\\n12\\n13\",\n"
		"      \"command\": \"" AGAIN "3\"\n"
		"    }\n"
		"  ],\n"
		"  \"metrics\": {},\n"
		"  \"runs\": [\n"
		"    {\n"
		"      \"seed\": 3,\n"
		"      \"outcome\": \"fail\",\n"
		"      \"digest\": \"abc\",\n"
		"      \"signature\": \"Stuck\"\n"
		"    },\n"
		"    {\n"
		"      \"seed\": 4,\n"
		"      \"outcome\": \"pass\",\n"
		"      \"digest\": null,\n"
		"      \"signature\": null\n"
		"    }\n"
		"  ]\n"
		"}\n");
}

/* Several run at once: one that did not come to its end may stand before one that did. */
static void runs_without_an_end_are_left_out(void **state)
{
	const struct explore_options o = { .first_seed = 1, .seeds = 3, .is_json = true };
	char *text;

	(void)state;
	play = play_all_pass;
	hole = 1;
	catch_output();
	assert_int_equal(explore_run(&lab, &o), RUN_EXIT_PASSED);
	text = caught_output();
	assert_null(strstr(text, "\"seed\": 1,"));
	assert_non_null(strstr(text, "\"seed\": 2,"));
	assert_non_null(strstr(text, "\"seed\": 3,"));
	free(text);
}

static int explored(struct explore_options o)
{
	char *text;
	int rc;

	runs = 0;
	catch_output();
	rc = explore_run(&lab, &o);
	text = caught_output();
	free(text);
	return rc;
}

static void play_other_verdicts(struct trial *t)
{
	static const enum test_status by_seed[] = { TEST_SKIPPED, TEST_INCONCLUSIVE };

	come_to(t, by_seed[t->seed % 2], NULL, NULL);
}

static void the_exit_code_is_that_of_the_worst_seed(void **state)
{
	(void)state;
	play = play_other_verdicts;
	assert_int_equal(explored((struct explore_options){ .first_seed = 2, .seeds = 1 }),
			 RUN_EXIT_NOTHING);
	assert_int_equal(explored((struct explore_options){ .first_seed = 2, .seeds = 2 }),
			 RUN_EXIT_INCONCLUSIVE);
	lab_rc = -EINTR;
	assert_int_equal(explored((struct explore_options){ .first_seed = 2, .seeds = 2 }),
			 RUN_EXIT_INTERRUPTED);
	lab_rc = -ENOSPC;
	assert_int_equal(explored((struct explore_options){ .first_seed = 2, .seeds = 2 }),
			 -ENOSPC);
}

static void it_ends_with_the_budget_or_the_first_failure(void **state)
{
	(void)state;
	play = play_two_failures;
	assert_int_equal(explored((struct explore_options){
				 .first_seed = 1, .seeds = 9, .stops_on_failure = true }),
			 RUN_EXIT_FAILED);
	assert_int_equal(runs, 3);
	assert_int_equal(explored((struct explore_options){
				 .first_seed = 1, .seeds = 9, .budget_ns = 2 * NSEC_PER_SEC }),
			 RUN_EXIT_PASSED);
	assert_int_equal(runs, 2);
}

/* ---- the strategy that needs a run first ---- */

static void play_counted(struct trial *t)
{
	come_to(t, TEST_PASSED, NULL, NULL);
	t->sched_events = 100;
	t->sched_tasks = 5;
}

static void play_uncounted(struct trial *t)
{
	come_to(t, TEST_SKIPPED, NULL, t->seed == 1 ? "no such machine" : NULL);
}

static void a_first_run_tells_how_much_there_is_to_choose_from(void **state)
{
	struct strategy s;

	(void)state;
	lab.options.knobs.strategy = "pct";
	lab.options.knobs.depth = 3;
	play = play_counted;
	assert_int_equal(strategy_measure(&lab, &s), 0);
	assert_int_equal(runs, 1);
	assert_int_equal(of_first.events, 0);
	assert_int_equal(s.events, 100);
	assert_int_equal(s.tasks, 5);
	assert_int_equal(s.depth, 3);
	assert_int_equal(lab.options.knobs.events, 100);
	/* Who told a number gets that one, and the tasks are measured all the same. */
	lab.options.knobs.events = 7;
	runs = 0;
	assert_int_equal(strategy_measure(&lab, &s), 0);
	assert_int_equal(of_first.events, 0);
	assert_int_equal(s.events, 7);
	assert_int_equal(s.tasks, 5);
	assert_int_equal(lab.options.knobs.events, 7);

	play = play_uncounted;
	assert_int_equal(strategy_measure(&lab, &s), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "nothing ran: no such machine");
	play = play_all_pass;
	assert_int_equal(strategy_measure(&lab, &s), -EIO);
	/* Others need none. */
	runs = 0;
	lab.options.knobs.strategy = NULL;
	lab.options.knobs.has_jitter = true;
	assert_int_equal(strategy_measure(&lab, &s), 0);
	assert_int_equal(runs, 0);
	assert_string_equal(s.name, RUN_STRATEGY_RANDOM);
	assert_int_equal(s.depth, 0);
}

/* ---- shrinking ---- */

/* Fails in its way from two CPUs and a second on; with fewer CPUs it fails in another way. */
static void play_race(struct trial *t)
{
	const struct run_knobs *k = t->knobs;
	unsigned int cpus = k->topology.llcs ? vm_topology_cpus(&k->topology) : 4;
	uint64_t ms = k->duration_ms ? k->duration_ms : 5000;

	t->guest_ns = ms * NSEC_PER_MSEC;
	if (ms < 1000)
		come_to(t, TEST_PASSED, NULL, NULL);
	else if (cpus >= 2 && t->seed != 9 && (cpus > 2 || t->seed == 12))
		come_to(t, TEST_FAILED, "race", "it raced");
	else
		come_to(t, TEST_FAILED, "other", "something else");
}

static void a_failing_seed_is_shrunk_to_the_same_failure(void **state)
{
	(void)state;
	play = play_race;
	/* Two CPUs race with seed 12 only: the third one that is tried with that form. */
	expect_minimized(&(struct minimize_options){ .seed = 10, .tries = 5 },
			 "ktstr/race fails with race\n"
			 "smallest of 16 forms (23 runs): 2 CPUs, 1015 ms, seed 12\n"
			 "again: " AGAIN "12 --duration 1015ms --topology 1,1,2,1\n");
}

/* The longer it runs, the more fails; what is told first does from a second on. */
static void play_more_and_more(struct trial *t)
{
	uint64_t ms = t->knobs->duration_ms ? t->knobs->duration_ms : 5000;

	if (ms < 1000 || t->knobs->topology.llcs) {
		come_to(t, TEST_FAILED, "late", "a wakeup is late");
		return;
	}
	come_to(t, TEST_FAILED, ms < 4000 ? "stuck; by a" : "late; stuck; by a", "a task is stuck");
	free(t->cause);
	t->cause = strdup("stuck; by a");
}

static void a_shorter_run_that_fails_with_less_is_the_same_failure(void **state)
{
	(void)state;
	test.workers_per_cgroup = 0;
	play = play_more_and_more;
	expect_minimized(&(struct minimize_options){ .seed = 10, .tries = 1 },
			 "ktstr/race fails with stuck; by a\n"
			 "smallest of 11 forms (12 runs): 4 CPUs, 1015 ms, seed 10\n"
			 "again: " AGAIN "10 --duration 1015ms\n");
}

/* Which seeds are tried with a form: that which is known to fail, then others from the first on. */
static struct str tried;

static void play_and_note(struct trial *t)
{
	const struct run_knobs *k = t->knobs;

	if (k->topology.llcs && !k->duration_ms)
		str_addf(&tried, "%llu ", (unsigned long long)t->seed);
	if (k->topology.llcs || k->duration_ms)
		come_to(t, TEST_PASSED, NULL, NULL);
	else
		come_to(t, TEST_FAILED, "race", "it raced");
}

static void no_seed_is_tried_twice_with_a_form(void **state)
{
	int real = dup(STDERR_FILENO), to = memfd_create("stderr", MFD_CLOEXEC);
	char text[1024] = "";

	(void)state;
	play = play_and_note;
	catch_output();
	dup2(to, STDERR_FILENO);
	assert_int_equal(minimize_run(&lab, &(struct minimize_options){ .seed = 10, .tries = 4 }),
			 RUN_EXIT_FAILED);
	dup2(real, STDERR_FILENO);
	close(real);
	free(caught_output());
	assert_true(str_starts(str_get(&tried), "10 11 12 13 10 11 12 13 "));
	/* Each form is told as it is tried, in the words of the command. */
	assert_true(pread(to, text, sizeof(text) - 1, 0) > 0);
	close(to);
	assert_non_null(strstr(text, "ktstr: --duration 2500ms does not\n"));
	assert_non_null(strstr(text, "ktstr: --topology 1,1,2,1 does not\n"));
	str_finish(&tried);
}

/* Whatever is small: one worker, one step, one CPU. */
static void play_anything(struct trial *t)
{
	const struct run_knobs *k = t->knobs;

	come_to(t, TEST_FAILED, "any\033[2J", "it failed");
	t->workers = k->workers ? k->workers : 8;
	t->steps = k->steps ? (size_t)__builtin_popcountll(k->steps & 3) : 2;
	t->guest_ns = (k->duration_ms ? k->duration_ms : 5000) * NSEC_PER_MSEC +
		      (k->hold_percent ? k->hold_percent : 100) * NSEC_PER_MSEC;
}

#define SMALLEST \
	AGAIN "10 --duration 1ms --workers 1 --topology 1,1,1,1 --steps 1 --hold-percent 12"

static void what_is_left_is_told(void **state)
{
	(void)state;
	test.workers_per_cgroup = 8;
	play = play_anything;
	expect_minimized(&(struct minimize_options){ .seed = 10, .tries = 5 },
			 "ktstr/race fails with any\\x1b[2J\n"
			 "smallest of 7 forms (8 runs): 1 CPU, 1 worker, 1 step, 1 ms, seed 10\n"
			 "again: " SMALLEST "\n");
	runs = 0;
	expect_minimized(&(struct minimize_options){ .seed = 10, .tries = 5, .is_json = true },
			 "{\n"
			 "  \"schema_version\": 1,\n"
			 "  \"test\": \"ktstr/race\",\n"
			 "  \"first_failure\": \"any\\u001b[2J\",\n"
			 "  \"topology\": \"1n1l1c1t\",\n"
			 "  \"workers\": 1,\n"
			 "  \"steps\": 1,\n"
			 "  \"duration_ms\": 1,\n"
			 "  \"seed\": 10,\n"
			 "  \"forms\": 7,\n"
			 "  \"runs\": 8,\n"
			 "  \"command\": \"" SMALLEST "\"\n"
			 "}\n");
	test.workers_per_cgroup = 0;
}

static void what_does_not_fail_is_not_shrunk(void **state)
{
	(void)state;
	play = play_all_pass;
	catch_output();
	assert_int_equal(minimize_run(&lab, &(struct minimize_options){ .seed = 10, .tries = 5 }),
			 -EINVAL);
	free(caught_output());
	assert_int_equal(runs, 1);
	assert_non_null(
		strstr(err_text(-EINVAL), "seed 10 does not fail: there is nothing to shrink"));
	play = play_race;
	lab_rc = -EINTR;
	assert_int_equal(minimize_run(&lab, &(struct minimize_options){ .seed = 10, .tries = 5 }),
			 -EINTR);
}

/* ---- traces ---- */

static const char *with_tracer; /* the digest of a run that is traced */

static void play_traced(struct trial *t)
{
	come_to(t, t->seed == 5 ? TEST_FAILED : TEST_PASSED, NULL, NULL);
	if (t->seed == 6)
		t->status = TEST_SKIPPED;
	if (t->trace)
		close(open(t->trace, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644));
	snprintf(t->digest, sizeof(t->digest), "%s",
		 t->seed == 7 ? "" :
		 t->trace     ? with_tracer :
				"0123456789abcdef-plain");
}

static int trace(uint64_t seed, const char *digest, const char *output, char **text)
{
	int rc;

	catch_output();
	rc = tracing_run(&lab, &(struct tracing_options){
				       .seed = seed, .digest = digest, .output = output });
	*text = caught_output();
	return rc;
}

/* Twice, without the tracer and with it; once where it is known what it was. */
static void a_trace_is_of_the_run_that_is_meant(void **state)
{
	static const char same[] = "0123456789abcdef-plain";
	char *dir = unit_temp_create(), *text;
	_free_ char *path = str_fmt("%s/t.svg", dir), *expected = NULL;

	(void)state;
	play = play_traced;
	with_tracer = same;
	assert_int_equal(trace(5, NULL, path, &text), 0);
	expected = str_fmt("%s: ktstr/race, seed 5, which failed; digest 0123456789abcdef with and "
			   "without the tracer\n",
			   path);
	assert_string_equal(text, expected);
	free(text);
	assert_int_equal(runs, 2);
	assert_int_equal(access(path, F_OK), 0);
	runs = 0;
	assert_int_equal(trace(4, same, path, &text), 0);
	assert_non_null(strstr(text, "seed 4, which passed; "));
	free(text);
	assert_int_equal(runs, 1);
	/* Another run: what was written of it goes. */
	with_tracer = "fedcba9876543210-other";
	assert_int_equal(trace(5, NULL, path, &text), -EIO);
	assert_string_equal(text, "");
	free(text);
	assert_true(access(path, F_OK) < 0);
	assert_string_equal(err_text(-EIO),
			    "two runs of seed 5 were not the same (digest 0123456789abcdef, with "
			    "the tracer fedcba9876543210): no trace was written");
	assert_int_equal(trace(4, same, path, &text), -EIO);
	free(text);
	assert_non_null(strstr(err_text(-EIO), "this run differs from the recorded one (digest "
					       "0123456789abcdef, now fedcba9876543210)"));
	/* What is no file stays. */
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(trace(4, same, path, &text), -EIO);
	free(text);
	assert_int_equal(unlink(path), 0);
	/* One that did not run, and one that said nothing. */
	assert_int_equal(trace(6, NULL, path, &text), -EINVAL);
	free(text);
	assert_string_equal(err_text(-EINVAL), "nothing ran: the test was skipped");
	assert_int_equal(trace(7, NULL, path, &text), -EIO);
	free(text);
	assert_string_equal(err_text(-EIO), "the guest said nothing that could be compared");
	unit_temp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_LAB(seeds_that_pass_are_counted),
		IN_LAB(failures_are_told_with_their_seeds_and_first_lines),
		IN_LAB(programs_read_the_same_as_json),
		IN_LAB(runs_without_an_end_are_left_out),
		IN_LAB(the_exit_code_is_that_of_the_worst_seed),
		IN_LAB(it_ends_with_the_budget_or_the_first_failure),
		IN_LAB(a_first_run_tells_how_much_there_is_to_choose_from),
		IN_LAB(a_failing_seed_is_shrunk_to_the_same_failure),
		IN_LAB(a_shorter_run_that_fails_with_less_is_the_same_failure),
		IN_LAB(no_seed_is_tried_twice_with_a_form),
		IN_LAB(what_is_left_is_told),
		IN_LAB(what_does_not_fail_is_not_shrunk),
		IN_LAB(a_trace_is_of_the_run_that_is_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

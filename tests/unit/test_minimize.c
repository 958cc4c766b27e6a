// SPDX-License-Identifier: GPL-2.0-only
/* Strategies and shrinking from the first run to what is printed, with runs that a test plays. */
#include "played_lab.h"

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

static void a_bound_is_told_where_there_is_one(void **state)
{
	static const struct {
		struct strategy s;
		const char *text;
		double bound;
		const char *json;
	} rows[] = {
		{ { .name = "pct", .depth = 3, .events = 100, .tasks = 5 },
		  "strategy: pct of depth 3; k = 100 scheduling events, n = 5 tasks\n"
		  "in theory a failure of that depth shows in at least 1/(n*k^2) = 2e-05 of the "
		  "runs\n",
		  0.00002,
		  "{\"strategy\":{\"name\":\"pct\",\"depth\":3,\"events\":100,\"tasks\":5,"
		  "\"bound\":2e-05}" },
		{ { .name = "pct", .depth = 2, .events = 100, .tasks = 4 },
		  "strategy: pct of depth 2; k = 100 scheduling events, n = 4 tasks\n"
		  "in theory a failure of that depth shows in at least 1/(n*k^1) = 0.0025 of the "
		  "runs\n",
		  0.0025,
		  "{\"strategy\":{\"name\":\"pct\",\"depth\":2,\"events\":100,\"tasks\":4,"
		  "\"bound\":0.0025}" },
		{ { .name = "pct", .depth = 1, .events = 100, .tasks = 4 },
		  "strategy: pct of depth 1; k = 100 scheduling events, n = 4 tasks\n"
		  "in theory a failure of that depth shows in at least 1/(n*k^0) = 0.25 of the "
		  "runs\n",
		  0.25,
		  "{\"strategy\":{\"name\":\"pct\",\"depth\":1,\"events\":100,\"tasks\":4,"
		  "\"bound\":0.25}" },
		{ { .name = "pct", .depth = 3, .events = 100 },
		  "strategy: pct of depth 3; k = 100 scheduling events, n = 0 tasks\n",
		  0,
		  "{\"strategy\":{\"name\":\"pct\",\"depth\":3,\"events\":100,\"tasks\":null,"
		  "\"bound\":null}" },
		{ { .name = "pct", .depth = 3, .tasks = 5 },
		  "strategy: pct of depth 3; k = 0 scheduling events, n = 5 tasks\n",
		  0,
		  "{\"strategy\":{\"name\":\"pct\",\"depth\":3,\"events\":null,\"tasks\":5,"
		  "\"bound\":null}" },
		{ { .name = "random", .events = 9, .tasks = 5 },
		  "strategy: random\n",
		  0,
		  "{\"strategy\":{\"name\":\"random\",\"depth\":null,\"events\":9,\"tasks\":5,"
		  "\"bound\":null}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str text = {}, json = {};
		struct json j;

		strategy_add_text(&rows[i].s, &text);
		assert_string_equal(str_get(&text), rows[i].text);
		assert_float_equal(strategy_bound(&rows[i].s), rows[i].bound, 1e-12);
		json_init(&j, &json, false);
		json_object(&j);
		strategy_put_json(&rows[i].s, &j);
		assert_string_equal(str_get(&json), rows[i].json);
	}
}

/* More events than the option can have. */
static void play_many_events(struct trial *t)
{
	play_counted(t);
	t->sched_events = UINT64_MAX;
}

static void the_number_of_events_has_a_bound(void **state)
{
	struct strategy s;

	(void)state;
	lab.options.knobs.strategy = "pct";
	play = play_many_events;
	assert_int_equal(strategy_measure(&lab, &s), 0);
	assert_int_equal(s.events, UINT32_MAX);
	lab.options.knobs.strategy = "other";
	runs = 0;
	assert_int_equal(strategy_measure(&lab, &s), 0);
	assert_int_equal(runs, 0);
	assert_string_equal(s.name, "other");
	lab.options.knobs.strategy = "pct";
	lab_rc = -EINTR;
	assert_int_equal(strategy_measure(&lab, &s), -EINTR);
	assert_int_equal(explore_run(&lab,
				     &(struct explore_options){ .first_seed = 1, .seeds = 1 }),
			 -EINTR);
	assert_int_equal(minimize_run(&lab, &(struct minimize_options){ .seed = 1, .tries = 1 }),
			 -EINTR);
}

static void no_seeds_are_explored_beyond_the_last(void **state)
{
	(void)state;
	play = play_all_pass;
	assert_int_equal(explore_run(&lab, &(struct explore_options){ .first_seed = UINT64_MAX,
								      .seeds = 2 }),
			 -EINVAL);
	assert_int_equal(runs, 0);
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

/* Needs the whole time and machine, and one worker of those that the first run had. */
static void play_workers(struct trial *t)
{
	const struct run_knobs *k = t->knobs;
	bool is_whole = !k->duration_ms && !k->topology.llcs && !k->hold_percent;

	come_to(t, is_whole ? TEST_FAILED : TEST_PASSED, is_whole ? "any" : NULL, "it failed");
	t->workers = k->workers ? k->workers : 8;
	t->steps = k->steps ? (size_t)__builtin_popcountll(k->steps & 3) : 2;
}

static void what_the_first_failure_had_is_shrunk(void **state)
{
	(void)state;
	test.workers_per_cgroup = 8;
	play = play_workers;
	expect_minimized(
		&(struct minimize_options){ .seed = 10, .tries = 1 },
		"ktstr/race fails with any\n"
		"smallest of 18 forms (19 runs): 4 CPUs, 1 worker, 1 step, 5000 ms, seed 10\n"
		"again: " AGAIN "10 --workers 1 --steps 1\n");
	test.workers_per_cgroup = 0;
}

/* Several may end at once; which one is first is chance, so the first of the list is taken. */
static void play_topologies(struct trial *t)
{
	bool is_first = !t->knobs->topology.llcs;

	come_to(t, t->knobs->duration_ms ? TEST_PASSED : TEST_FAILED,
		t->knobs->duration_ms ? NULL : "any", "it failed");
	t->workers = is_first ? 0 : (unsigned int)t->seed;
}

static void the_first_seed_that_fails_is_taken(void **state)
{
	(void)state;
	play = play_topologies;
	is_backwards = true;
	expect_minimized(&(struct minimize_options){ .seed = 10, .tries = 3 },
			 "ktstr/race fails with any\n"
			 "smallest of 13 forms (16 runs): 1 CPU, 10 workers, 5000 ms, seed 10\n"
			 "again: " AGAIN "10 --topology 1,1,1,1\n");
}

/* The knobs of the command are where it starts from. */
static void knobs_are_shrunk_from_where_they_are(void **state)
{
	(void)state;
	lab.options.knobs.duration_ms = 800;
	lab.options.knobs.workers = 2;
	lab.options.knobs.topology = (struct vm_topology){ 1, 1, 2, 1 };
	play = play_anything;
	expect_minimized(&(struct minimize_options){ .seed = 10, .tries = 1 },
			 "ktstr/race fails with any\\x1b[2J\n"
			 "smallest of 7 forms (8 runs): 1 CPU, 1 worker, 1 step, 1 ms, seed 10\n"
			 "again: " SMALLEST "\n");
	play = play_race;
	lab.options.knobs.topology = (struct vm_topology){ 1, 2, 2, 1 };
	lab.options.knobs.duration_ms = 1000;
	expect_minimized(&(struct minimize_options){ .seed = 12, .tries = 1, .is_json = true },
			 "{\n"
			 "  \"schema_version\": 1,\n"
			 "  \"test\": \"ktstr/race\",\n"
			 "  \"first_failure\": \"race\",\n"
			 "  \"topology\": \"1n1l2c1t\",\n"
			 "  \"workers\": null,\n"
			 "  \"steps\": null,\n"
			 "  \"duration_ms\": 1000,\n"
			 "  \"seed\": 12,\n"
			 "  \"forms\": 15,\n"
			 "  \"runs\": 16,\n"
			 "  \"command\": \"" AGAIN
			 "12 --duration 1000ms --workers 2 --topology 1,1,2,1\"\n"
			 "}\n");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_LAB(a_first_run_tells_how_much_there_is_to_choose_from),
		IN_LAB(a_bound_is_told_where_there_is_one),
		IN_LAB(the_number_of_events_has_a_bound),
		IN_LAB(no_seeds_are_explored_beyond_the_last),
		IN_LAB(a_failing_seed_is_shrunk_to_the_same_failure),
		IN_LAB(a_shorter_run_that_fails_with_less_is_the_same_failure),
		IN_LAB(no_seed_is_tried_twice_with_a_form),
		IN_LAB(what_is_left_is_told),
		IN_LAB(what_the_first_failure_had_is_shrunk),
		IN_LAB(the_first_seed_that_fails_is_taken),
		IN_LAB(knobs_are_shrunk_from_where_they_are),
		IN_LAB(what_does_not_fail_is_not_shrunk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

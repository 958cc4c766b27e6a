// SPDX-License-Identifier: GPL-2.0-only
/* Files of rt-app: the bounds of what is taken, and workers that do what the tasks say. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "scenfile/rtapp.h"
#include "scenfile/scenfile.h"
#include "scenfile_text.h"
#include "workers_fixture.h"

static void expect_taken(const char *text)
{
	struct scenfile f;

	if (parse(text, &f) < 0)
		fail_msg("'%s' was refused: %s", text, err_text(-EINVAL));
}

static void expect_refused(const char *text, const char *message)
{
	struct scenfile f;

	if (parse(text, &f) != -EINVAL)
		fail_msg("'%s' was taken", text);
	assert_string_equal(err_text(-EINVAL), message);
}

#define TASK(body) "{ \"tasks\": {\n \"t\": {\n " body " } } }"
#define RUN ", \"run\": 1"
#define GLOBAL(body) "{ \"global\": { " body " }, \"tasks\": { \"t\": { \"run\": 1 } } }"

static void last_values_are_taken(void **state)
{
	static const char *const texts[] = {
		TASK("\"run\": 86400000000"),
		TASK("\"run\": 0"),
		TASK("\"loop\": 1" RUN),
		TASK("\"loop\": 2147483647" RUN),
		TASK("\"loop\": -1" RUN),
		TASK("\"instance\": 1" RUN),
		TASK("\"instance\": 4096" RUN),
		TASK("\"cpus\": [0, 8191]" RUN),
		TASK("\"priority\": 19" RUN),
		TASK("\"priority\": -20" RUN),
		TASK("\"policy\": \"SCHED_FIFO\", \"priority\": 1" RUN),
		TASK("\"policy\": \"SCHED_FIFO\", \"priority\": 99" RUN),
		TASK("\"run0\": 1, \"run-a\": 1, \"run9\": 1, \"run_\": 1"),
		TASK("\"suspend\": null, \"resume\": \"t\""),
		GLOBAL("\"duration\": 1"),
		GLOBAL("\"duration\": 86400"),
		GLOBAL("\"duration\": -1"),
		("{ \"tasks\": { \"a\": { \"taskgroup\": \"/g\", \"run\": 1 },"
		 "\"b\": { \"taskgroup\": \"/gh\", \"run\": 1 } } }"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		expect_taken(texts[i]);
}

static void first_values_beyond_are_refused(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ TASK("\"run\": 86400000001"), "f:3: 'run' must be a number of microseconds" },
		{ TASK("\"run\": \"1\""), "f:3: 'run' must be a number of microseconds" },
		{ TASK("\"running\": 1"), "f:3: rt-app key 'running' (task) is not supported" },
		{ TASK("\"loop\": 2147483648"),
		  "f:3: 'loop' must be a number above 0, or -1 for unlimited" },
		{ TASK("\"loop\": -2"),
		  "f:3: 'loop' must be a number above 0, or -1 for unlimited" },
		{ TASK("\"loop\": \"1\""),
		  "f:3: 'loop' must be a number above 0, or -1 for unlimited" },
		{ TASK("\"instance\": 4097"), "f:3: 'instance' must be a number from 1 to 4096" },
		{ TASK("\"instance\": -1"), "f:3: 'instance' must be a number from 1 to 4096" },
		{ TASK("\"cpus\": [8192]"), "f:3: 'cpus' must be a list of CPU numbers" },
		{ TASK("\"cpus\": []"), "f:3: 'cpus' is empty" },
		{ TASK("\"priority\": 100"), "f:3: 'priority' must be a number from -20 to 99" },
		{ TASK("\"priority\": -21"), "f:3: 'priority' must be a number from -20 to 99" },
		{ TASK("\"priority\": \"1\""), "f:3: 'priority' must be a number from -20 to 99" },
		{ TASK("\"policy\": \"SCHED_RR\", \"priority\": 0" RUN),
		  "f: task 't': its policy has priorities from 1 to 99" },
		{ TASK("\"policy\": \"\""), "f:3: 'policy' must not be empty" },
		{ TASK("\"policy\": 1"), "f:3: 'policy' must be a string, not a number" },
		{ TASK("\"resume\": null"), "f:3: 'resume' must be a string, not null" },
		{ TASK("\"phases\": { \"p\": { \"loop\": 2 } }"),
		  "f:3: phase 'p' of task 't' has no events" },
		{ TASK("\"timer\": { \"period\": 5 }"), "f:3: a timer needs a ref and a period" },
		{ TASK("\"timer\": 5"), "f:3: 'timer' must be an object, not a number" },
		{ TASK("\"run\": 1") " x", "f:3: something follows the document" },
		{ GLOBAL("\"duration\": 0"), "f:1: 'duration' must be a number of seconds, or -1" },
		{ GLOBAL("\"duration\": 86401"),
		  "f:1: 'duration' must be a number of seconds, or -1" },
		{ GLOBAL("\"duration\": -2"),
		  "f:1: 'duration' must be a number of seconds, or -1" },
		{ "{ \"tasks\": { \"\": { \"run\": 1 } } }", "f:1: a task needs a name" },
		{ "{ \"tasks\": 3 }", "f:1: 'tasks' must be an object, not a number" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_refused(cases[i].text, cases[i].message);
}

static void add_members(struct str *text, const char *fmt, int count)
{
	for (int i = 0; i < count; i++) {
		str_add(text, i ? ", " : "");
		str_addf(text, fmt, i, i); /* NOLINT(clang-diagnostic-format-nonliteral) */
	}
}

/* So many of something as a file may have, and one more. */
static void numbers_of_things_have_bounds(void **state)
{
	static const struct {
		const char *before, *member, *after, *message;
		int most;
	} rows[] = {
		{ "{ \"tasks\": { ", "\"t%d\": { \"run\": 1 }", " } }", "f:1: more than 256 tasks",
		  256 },
		{ "{ \"tasks\": { \"t\": { ", "\"timer%d\": { \"ref\": \"r%d\", \"period\": 1 }",
		  " } } }", "f:1: task 't' has more than 8 timers", 8 },
		{ "{ \"tasks\": { \"t\": { ", "\"lock%d\": \"l%d\"", " } } }",
		  "f:1: more than 64 locks or conditions", 64 },
		{ "{ \"tasks\": { \"t\": { ", "\"resume%d\": \"c%d\"", " } } }",
		  "f:1: more than 64 locks or conditions", 64 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (int more = 0; more < 2; more++) {
			_str_ struct str text = {};

			str_add(&text, rows[i].before);
			add_members(&text, rows[i].member, rows[i].most + more);
			str_add(&text, rows[i].after);
			if (more)
				expect_refused(str_get(&text), rows[i].message);
			else
				expect_taken(str_get(&text));
		}
	}
}

/* Each event is kept, however many there are, and each name has one number. */
static void events_and_phases_keep_their_order(void **state)
{
	_str_ struct str text = {};
	const struct rtapp_task *t;
	struct scenfile f;

	(void)state;
	str_add(&text, "{ \"tasks\": { \"t\": { \"phases\": { ");
	for (int p = 0; p < 20; p++) {
		str_addf(&text, "%s\"p%d\": { ", p ? ", " : "", p);
		add_members(&text, "\"run%d\": %d", 17);
		str_addf(&text,
			 ", \"lock\": \"l%d\", \"timer\": { \"ref\": \"r%d\", \"period\": 9 } }",
			 p % 3, p % 2);
	}
	str_add(&text, " } } } }");
	assert_int_equal(parse(str_get(&text), &f), 0);
	t = f.run.backdrop.defs[0].works[0].work_type.arg;
	assert_int_equal(t->phase_count, 20);
	assert_int_equal(t->timer_count, 2);
	assert_int_equal(f.rtapp->lock_count, 3);
	for (unsigned int p = 0; p < 20; p++) {
		assert_int_equal(t->phases[p].count, 19);
		assert_int_equal(t->phases[p].loop, 1);
		for (unsigned int i = 0; i < 17; i++)
			assert_int_equal(t->phases[p].events[i].us, i);
		assert_int_equal(t->phases[p].events[17].object, p % 3);
		assert_int_equal(t->phases[p].events[18].object, p % 2);
	}
}

/* A task that suspends on nothing waits for its own name. */
static void conditions_have_names(void **state)
{
	const struct rtapp_event *e;
	struct scenfile f;

	(void)state;
	assert_int_equal(
		parse(TASK("\"resume\": \"x\", \"suspend\": null, \"resume1\": \"t\""), &f), 0);
	e = ((struct rtapp_task *)f.run.backdrop.defs[0].works[0].work_type.arg)->phases[0].events;
	assert_int_equal(f.rtapp->condition_count, 2);
	assert_int_equal(e[0].object, 0);
	assert_int_equal(e[1].object, 1);
	assert_int_equal(e[2].object, 1);
}

static void tasks_have_defaults(void **state)
{
	const struct rtapp_task *t;
	const struct ktstr_work *w;
	struct scenfile f;

	(void)state;
	assert_int_equal(parse(TASK("\"policy\": \"SCHED_FIFO\"" RUN), &f), 0);
	w = f.run.backdrop.defs[0].works;
	t = w->work_type.arg;
	assert_int_equal(w->workers, 1);
	assert_int_equal(w->sched_policy.kind, KTSTR_POLICY_FIFO);
	assert_int_equal(w->sched_policy.priority, 10);
	assert_int_equal(t->loop, RTAPP_FOREVER);
	assert_int_equal(f.duration_ms, 0);
	assert_int_equal(f.run.steps[0].hold.kind, KTSTR_HOLD_FRAC);
	assert_true(f.run.steps[1].is_end_);
}

/* ---- workers ---- */

/* The tasks of a file, each a group of workers. */
struct players {
	struct scenfile file;
	struct workers *groups[4];
	size_t count;
	uint64_t start_ns;
};

static void start_all(struct players *p, const char *text)
{
	const struct ktstr_work *works;

	assert_int_equal(parse(text, &p->file), 0);
	assert_int_equal(rtapp_prepare(p->file.rtapp), 0);
	works = p->file.run.backdrop.defs[0].works;
	p->start_ns = clock_mono_ns();
	for (p->count = 0; works[p->count].workers != UINT32_MAX; p->count++) {
		p->groups[p->count] = fixture_start(&works[p->count], works[p->count].workers);
		assert_non_null(p->groups[p->count]);
	}
}

/* Until each has told of so many units; how long it took. */
static uint64_t await_all(const struct players *p, uint64_t units)
{
	for (size_t i = 0; i < p->count; i++)
		assert_true(fixture_await_units(p->groups[i], units));
	return clock_mono_ns() - p->start_ns;
}

/* Every one of them notices the request. */
static void stop_all(struct players *p)
{
	workers_stop_all(p->groups, p->count);
	for (size_t i = 0; i < p->count; i++)
		assert_int_equal(workers_report(p->groups[i], 0)->end, WORKER_COMPLETED);
}

static const struct worker_counts *counts_of(const struct players *p, size_t group)
{
	return &workers_report(p->groups[group], 0)->total;
}

static void free_all(struct players *p)
{
	for (size_t i = 0; i < p->count; i++)
		workers_free(p->groups[i]);
}

/* 3 times (2 times 2 events, and 1): each counts, and then the task is idle. */
static void loops_are_done_as_often_as_they_say(void **state)
{
	struct players p;

	(void)state;
	start_all(&p, TASK("\"loop\": 3, \"phases\": { \"a\": { \"loop\": 2, \"lock\": \"m\", "
			   "\"unlock\": \"m\" }, \"b\": { \"sleep\": 1000 } }"));
	await_all(&p, 15);
	/* Whoever does more does it in that time. */
	clock_sleep_ns(20 * NSEC_PER_MSEC);
	stop_all(&p);
	assert_int_equal(counts_of(&p, 0)->work_units, 15);
	assert_true(counts_of(&p, 0)->wakes.count >= 3);
	free_all(&p);
}

/* The second task makes progress when the first is done with its three rounds. */
static void runs_take_cpu_time_and_sleeps_take_none(void **state)
{
	struct players p;

	(void)state;
	start_all(&p, "{ \"tasks\": { \"a\": { \"phases\": {"
		      "\"p\": { \"loop\": 3, \"run\": 10000, \"sleep\": 10000 },"
		      "\"q\": { \"loop\": -1, \"resume\": \"done\", \"sleep\": 1000 } } },"
		      "\"b\": { \"loop\": 1, \"suspend\": \"done\" } } }");
	assert_true(await_all(&p, 1) >= 60 * NSEC_PER_MSEC);
	stop_all(&p);
	assert_true(counts_of(&p, 0)->cpu_time_ns >= 30 * NSEC_PER_MSEC);
	assert_true(counts_of(&p, 0)->wall_time_ns >= 60 * NSEC_PER_MSEC);
	assert_int_equal(counts_of(&p, 1)->work_units, 1);
	free_all(&p);
}

/* Five times 10 ms each, one after the other. */
static void a_lock_has_one_holder(void **state)
{
	struct players p;

	(void)state;
	start_all(&p,
		  "{ \"tasks\": {"
		  "\"a\": { \"loop\": 5, \"lock\": \"m\", \"sleep\": 10000, \"unlock\": \"m\" },"
		  "\"b\": { \"loop\": 5, \"lock\": \"m\", \"sleep\": 10000, \"unlock\": \"m\" }"
		  "} }");
	assert_true(await_all(&p, 15) >= 100 * NSEC_PER_MSEC);
	stop_all(&p);
	free_all(&p);
}

static void a_lock_is_let_go_when_its_task_is_done(void **state)
{
	struct players p;

	(void)state;
	start_all(&p, "{ \"tasks\": {"
		      "\"a\": { \"loop\": 1, \"lock\": \"m\" },"
		      "\"b\": { \"loop\": 1, \"lock\": \"m\" } } }");
	await_all(&p, 1);
	clock_sleep_ns(20 * NSEC_PER_MSEC);
	stop_all(&p);
	free_all(&p);
}

/* A period of 10 ms, of which a part was used already; 5 of them. */
static void timers_fire_once_in_a_period(void **state)
{
	struct players p;

	(void)state;
	start_all(&p, TASK("\"loop\": 5, \"timer\": { \"ref\": \"t\", \"period\": 10000 }, "
			   "\"sleep\": 1"));
	assert_true(await_all(&p, 10) >= 50 * NSEC_PER_MSEC);
	stop_all(&p);
	assert_int_equal(counts_of(&p, 0)->work_units, 10);
	/* On a busy machine a period may be over already, and is not waited for. */
	assert_in_range(counts_of(&p, 0)->wakes.count, 5, 10);
	free_all(&p);
}

/*
 * 10 ms, and 50 ms in which four periods are missed: the next moment is at once, and the two behind it
 * are 10 ms apart.
 */
static void periods_that_were_missed_are_not_made_up_for(void **state)
{
	struct players p;

	(void)state;
	start_all(&p, TASK("\"loop\": 1, \"phases\": { \"a\": { \"timer\": { \"ref\": \"t\", "
			   "\"period\": 10000 }, \"sleep\": 50000 }, \"b\": { \"loop\": 3, "
			   "\"timer\": { \"ref\": \"t\", \"period\": 10000 } } }"));
	assert_true(await_all(&p, 5) >= 80 * NSEC_PER_MSEC);
	stop_all(&p);
	free_all(&p);
}

/* Who sleeps for an hour, waits for that one's lock, for somebody to resume it, or works. */
static void a_stop_is_noticed_anywhere(void **state)
{
	struct players p;

	(void)state;
	start_all(&p, "{ \"tasks\": {"
		      "\"a\": { \"resume\": \"x\", \"lock\": \"m\", \"sleep\": 3600000000 },"
		      "\"b\": { \"sleep\": 1, \"lock\": \"m\", \"run\": 1 },"
		      "\"c\": { \"sleep\": 1, \"suspend\": \"x\" },"
		      "\"d\": { \"run\": 3600000000 } } }");
	await_all(&p, 1);
	stop_all(&p);
	free_all(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(last_values_are_taken, finish_arena),
		cmocka_unit_test_teardown(first_values_beyond_are_refused, finish_arena),
		cmocka_unit_test_teardown(numbers_of_things_have_bounds, finish_arena),
		cmocka_unit_test_teardown(events_and_phases_keep_their_order, finish_arena),
		cmocka_unit_test_teardown(conditions_have_names, finish_arena),
		cmocka_unit_test_teardown(tasks_have_defaults, finish_arena),
		cmocka_unit_test_teardown(loops_are_done_as_often_as_they_say, finish_arena),
		cmocka_unit_test_teardown(runs_take_cpu_time_and_sleeps_take_none, finish_arena),
		cmocka_unit_test_teardown(a_lock_has_one_holder, finish_arena),
		cmocka_unit_test_teardown(a_lock_is_let_go_when_its_task_is_done, finish_arena),
		cmocka_unit_test_teardown(timers_fire_once_in_a_period, finish_arena),
		cmocka_unit_test_teardown(periods_that_were_missed_are_not_made_up_for,
					  finish_arena),
		cmocka_unit_test_teardown(a_stop_is_noticed_anywhere, finish_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

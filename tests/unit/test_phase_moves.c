// SPDX-License-Identifier: GPL-2.0-only
/* What is made of switches and migrations in a phase. */
#include "phase_scene.h"

/* ---- switches ---- */

static void a_storm_of_switches_is_told(void **state)
{
	struct scene s;

	(void)state;
	for (int i = 0; i < 6; i++) {
		scene_begin(&s);
		add_worker(&s, "cg_0", 1000, 1000);
		add_worker(&s, "cg_0", 1000, 1000);
		s.seen.tasks.items[0].runs = 3200;
		s.seen.tasks.items[1].runs = 5000;
		/* Each wakeup of anybody explains one. */
		add_task(&s, 1, 1, 1)->wakeups = i == 1 ? 4200 : 200;
		s.checks.max_switches_per_s = i == 2 ? 4000 : i == 3 ? KTSTR_OFF : 2000;
		/* Who yields, or sleeps by itself, does so itself. */
		s.workers[0].is_restless = s.workers[1].is_restless = i == 4;
		s.seen.tasks.items[0].wakeups = s.seen.tasks.items[1].wakeups = i == 5 ? 4000 : 0;
		if (i == 0)
			expect_failure(&s, DETAIL_SWITCH_STORM,
				       "4000 switches per second of CPU time of tasks that are "
				       "always busy, without a wakeup that explains them; cg_0/1 "
				       "(tid 101) ran 5000 times for 200us on average "
				       "(threshold 2000)");
		else
			expect_pass(&s);
	}
}

/* ---- the scheduler's own process ---- */

static void a_scheduler_that_takes_a_cpu_is_told(void **state)
{
	struct scene s;

	(void)state;
	for (int i = 0; i < 7; i++) {
		struct observe_task *t;

		scene_begin(&s);
		add_worker(&s, "cg_0", 1000, 1000);
		add_worker(&s, "cg_0", 1000, 1000);
		/* Threads of one process; not much; for many decisions; nobody knows which it is. */
		for (int k = 0; k < 2; k++) {
			t = add_task(&s, i == 1 ? 240 : k ? 400 : 200, 1, 1);
			t->tgid = 77;
			strcpy(t->comm, k ? "decider" : "main");
		}
		s.seen.tasks.items[0].runs = i == 2 ? 4900 : 100;
		s.scheduler_pid = i == 3 ? 0 : i == 4 ? 78 : 77;
		s.checks.max_scheduler_us_per_run = i == 5 ? KTSTR_OFF : 250;
		s.checks.max_switches_per_s = s.checks.max_share_error_pct = KTSTR_OFF;
		s.seen.forgotten.runs = i == 6 ? 4800 : 0;
		if (i == 0)
			expect_failure(
				&s, DETAIL_SCHEDULER_TIME,
				"the scheduler's own process ran 600ms of 2000ms, 3000us for "
				"each time that a task began to run; most of it decider "
				"(pid 103) with 400ms (threshold 250us)");
		else
			expect_pass(&s);
	}
}

/* Its time counts as that of tasks, so no share and no wait tells of it. */
static void programs_that_take_the_machine_are_told(void **state)
{
	struct scene s;

	(void)state;
	for (int i = 0; i < 8; i++) {
		scene_begin(&s);
		add_worker(&s, "cg_0", 1000, 1000);
		add_worker(&s, "cg_0", 1000, 1000);
		/* A quarter of the machine; many short calls; nobody asks; no scheduler; tasks that went on. */
		s.seen.programs.ns = (i == 1 ? 1000 : 1001) * MS;
		s.seen.programs.calls = i == 6 ? 4004 : i == 7 ? 4003 : 0;
		s.seen.tasks.items[0].runs = i == 2 ? 3905 : 100;
		s.seen.tasks.items[1].runs = 100;
		s.seen.forgotten.runs = i == 5 ? 3804 : 0;
		s.scheduler_pid = i == 4 ? 0 : 77;
		s.checks.max_scheduler_us_per_run = i == 3 ? KTSTR_OFF : 250;
		s.checks.max_switches_per_s = s.checks.max_share_error_pct = KTSTR_OFF;
		if (i == 0)
			expect_failure(
				&s, DETAIL_SCHEDULER_TIME,
				"the scheduler's BPF programs took 1001ms of the 4000ms of all "
				"CPUs, 5005us for each time that a task began to run "
				"(threshold 250us)");
		else if (i == 7)
			expect_failure(
				&s, DETAIL_SCHEDULER_TIME,
				"the scheduler's BPF programs took 1001ms of the 4000ms of all "
				"CPUs, 250us for each time that a task began to run or went on "
				"(threshold 250us)");
		else
			expect_pass(&s);
	}
}

/* The group of one with usual turns, and of who is woken, do not hide it. */
static void a_storm_in_one_group_is_told(void **state)
{
	struct scene s;

	(void)state;
	for (int i = 0; i < 3; i++) {
		scene_begin(&s);
		add_worker(&s, "cg_0", 1000, 1000);
		add_worker(&s, "cg_1", i == 1 ? 150 : 1000, i == 1 ? 1850 : 1000);
		s.seen.tasks.items[0].runs = 200;
		s.seen.tasks.items[1].runs = i == 1 ? 450 : 3000;
		add_task(&s, 1, 1, 1)->wakeups = i == 2 ? 1100 : 100;
		s.checks.max_share_error_pct = KTSTR_OFF;
		if (i == 0)
			expect_failure(
				&s, DETAIL_SWITCH_STORM,
				"2900 switches per second of CPU time of tasks of cg_1 that "
				"are always busy, without a wakeup that explains them; cg_1/1 "
				"(tid 101) ran 3000 times for 333us on average (threshold "
				"2000)");
		else
			expect_pass(&s);
	}
}

/* ---- migrations ---- */

/* One worker that ran for a second, was woken and moved so often. */
static struct observe_task *begin_with_one(struct scene *s, uint64_t wakeups, uint64_t migrations)
{
	struct observe_task *t;

	scene_begin(s);
	add_worker(s, "cg_0", 1000, 10);
	t = &s->seen.tasks.items[0];
	t->wakeups = wakeups;
	t->migrations = migrations;
	return t;
}

static void a_storm_of_migrations_is_told(void **state)
{
	struct scene s;

	(void)state;
	begin_with_one(&s, 1000, 7000);
	expect_failure(
		&s, DETAIL_MIGRATION_STORM,
		"1250 migrations/s per CPU that no wakeup explains, in 2.0 s on 2 CPUs; "
		"cg_0/0 (tid 100) moved 7000 times, was woken 1000 times, and left an idle CPU 0 "
		"times (threshold 1000)");
}

/* Nobody waited, and they are moved all the same. */
static void moves_for_nothing_are_told(void **state)
{
	struct scene s;

	(void)state;
	for (int i = 0; i < 5; i++) {
		scene_begin(&s);
		add_worker(&s, "cg_0", 2000, 10);
		add_worker(&s, "cg_0", 2000, 10);
		/* One of three always waits: short turns that go around serve them all. */
		s.seen.tasks.items[0].wait_ns = i == 4 ? s.seen.tasks.items[0].run_ns : 10;
		s.seen.tasks.items[0].hasty = s.seen.tasks.items[0].migrations = 300;
		s.seen.tasks.items[1].hasty = s.seen.tasks.items[1].migrations = 340;
		/* Somebody was woken each time; it is as much as may be; it is not asked for. */
		s.seen.tasks.items[0].wakeups = i == 1 ? 40 : 0;
		s.checks.max_hasty_migrations_per_s = i == 2 ? 160 : i == 3 ? KTSTR_OFF : 150;
		if (i == 0)
			expect_failure(
				&s, DETAIL_MIGRATION_STORM,
				"160 migrations per second of CPU time of tasks that had not "
				"waited, nor been woken; cg_0/1 (tid 101) moved 340 times so in "
				"2.0 s of CPU time (threshold 150)");
		else
			expect_pass(&s);
	}
}

/* A CPU that is idle is left for another one, again and again. */
static void wakeups_that_leave_an_idle_cpu_are_told(void **state)
{
	struct scene s;

	(void)state;
	for (int i = 0; i < 6; i++) {
		scene_begin(&s);
		add_worker(&s, "cg_0", 100, 10);
		add_worker(&s, "cg_0", 100, 10);
		add_worker(&s, "cg_1", 100, 10);
		for (int k = 0; k < 3; k++) {
			struct observe_task *t = &s.seen.tasks.items[k];

			t->wakeups = i == 1 ? 40 : 100;
			t->migrations = t->wakeups;
			/* The others of a group do not: one of them may have its reasons. */
			t->needless = k == 2 || (i == 2 && k == 0) ? 5 : 70 + (uint64_t)k;
			t->allowed_cpus = i == 3 ? 1 : 2;
		}
		s.checks.max_needless_wakeup_pct = i == 4 ? 75 : i == 5 ? KTSTR_OFF : 60;
		if (i == 0)
			expect_failure(
				&s, DETAIL_MIGRATION_STORM,
				"needless migrations: 2 workers of cg_0 left an idle CPU for "
				"another one in 141 of 200 wakeups; cg_0/1 (tid 101) in 71 of "
				"100 (threshold 60%)");
		else
			expect_pass(&s);
	}
}

/* Who is preempted by a woken task may go elsewhere. */
static void wakeups_of_others_explain_migrations(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 10);
	add_worker(&s, "cg_0", 1000, 10);
	s.seen.tasks.items[0].wakeups = 6000;
	s.seen.tasks.items[1].migrations = 9000;
	expect_pass(&s);
}

static void wakeups_explain_migrations(void **state)
{
	struct scene s;

	(void)state;
	begin_with_one(&s, 6000, 6000);
	expect_pass(&s);
}

static void a_wakeup_explains_no_leaving_of_an_idle_cpu(void **state)
{
	struct scene s;

	(void)state;
	begin_with_one(&s, 6000, 6000)->needless = 5000;
	judge(&s);
	assert_int_equal(s.res.details.count, 1);
	assert_int_equal(s.res.details.items[0].kind, DETAIL_MIGRATION_STORM);
	scene_end(&s);
}

/* As on a central CPU that hands tasks on: the choice of the first is no choice. */
static void a_wakeup_in_two_steps_explains_both(void **state)
{
	struct scene s;

	(void)state;
	begin_with_one(&s, 6000, 12000)->handed_on = 6000;
	expect_pass(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_storm_of_switches_is_told),
		cmocka_unit_test(a_scheduler_that_takes_a_cpu_is_told),
		cmocka_unit_test(programs_that_take_the_machine_are_told),
		cmocka_unit_test(a_storm_in_one_group_is_told),
		cmocka_unit_test(a_storm_of_migrations_is_told),
		cmocka_unit_test(moves_for_nothing_are_told),
		cmocka_unit_test(wakeups_that_leave_an_idle_cpu_are_told),
		cmocka_unit_test(wakeups_of_others_explain_migrations),
		cmocka_unit_test(wakeups_explain_migrations),
		cmocka_unit_test(a_wakeup_explains_no_leaving_of_an_idle_cpu),
		cmocka_unit_test(a_wakeup_in_two_steps_explains_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

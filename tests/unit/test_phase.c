// SPDX-License-Identifier: GPL-2.0-only
/* What scheduling events make of a phase. */
#include "phase_scene.h"

#include "base/util.h"

/* ---- waits ---- */

static void a_worker_that_waited_too_long_is_stuck(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 500, 600);
	s.seen.tasks.items[0].worst.ns = 600 * MS;
	expect_failure(&s, DETAIL_STUCK,
		       "stuck 600ms on cpu1 at +650ms: cg_0/0 (tid 100) was runnable and did not "
		       "run; hog (pid 7) ran there (threshold 250ms)");
}

static void a_wait_at_the_limit_is_none(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 500, 600);
	s.seen.tasks.items[0].worst.ns = 250 * MS;
	expect_pass(&s);
}

static void kernel_threads_are_seen(void **state)
{
	struct scene s;
	struct observe_task *t;

	(void)state;
	scene_begin(&s);
	t = add_task(&s, 1, 1200, 1200);
	t->is_kernel = 1;
	t->worst.by = 0;
	t->worst.since_ns = START + 800 * MS;
	strcpy(t->comm, "kworker/1:0");
	expect_failure(&s, DETAIL_SYSTEM,
		       "stuck 1200ms on cpu1 at +2000ms: kworker/1:0 (kernel thread 100) was "
		       "runnable and did not run until the end of the phase; the CPU was idle "
		       "(threshold 125ms)");
	/* They have half of what others may wait, or what the test says. */
	for (int i = 0; i < 3; i++) {
		scene_begin(&s);
		add_task(&s, 1, 126, i == 1 ? 125 : 126)->is_kernel = i > 0;
		if (i == 2)
			s.checks.max_kernel_wait_ms = 126;
		expect_pass(&s);
	}
}

/* Three of them are told of. Of the rest, the longest wait is what the host has to explain. */
static void many_that_waited_are_counted(void **state)
{
	static const struct {
		uint64_t ms;
		bool is_kernel;
	} waits[] = { { 140, true }, { 700, true }, { 600, true }, { 400, false }, { 650, true } };
	const struct detail *last;
	struct scene s;

	(void)state;
	scene_begin(&s);
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
		add_task(&s, 1, waits[i].ms, waits[i].ms)->is_kernel = waits[i].is_kernel;
	judge(&s);
	assert_int_equal(s.res.details.count, 4);
	last = &s.res.details.items[3];
	assert_string_equal(last->message, "2 more tasks were runnable and did not run");
	assert_int_equal(last->verdict, KTSTR_FAILED);
	assert_int_equal(last->time_ns, 400 * MS);
	scene_end(&s);
}

/* Who ran last does not matter: it is "hog", an ordinary task. */
static void real_time_tasks_are_obeyed(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 500, 1200);
	s.seen.tasks.items[0].worst.ns = 1200 * MS;
	s.seen.tasks.items[0].worst.rt_ns = 1190 * MS;
	s.seen.tasks.items[0].worst.all_rt_ns = 1180 * MS;
	expect_pass(&s);
}

static void who_waits_beside_short_bursts_is_stuck(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 500, 600);
	s.seen.tasks.items[0].worst.ns = 600 * MS;
	s.seen.tasks.items[0].worst.rt_ns = s.seen.tasks.items[0].worst.all_rt_ns = 120 * MS;
	expect_failure(&s, DETAIL_STUCK,
		       "stuck 600ms on cpu1 at +650ms: cg_0/0 (tid 100) was runnable and did not "
		       "run; hog (pid 7) ran there; real-time tasks had its CPU for 120ms "
		       "(threshold 250ms)");
}

/* The longest wait was real-time tasks' doing; another one was not. */
static void a_wait_behind_real_time_tasks_hides_no_other(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 500, 1000);
	s.seen.tasks.items[0].late = s.seen.tasks.items[0].worst;
	s.seen.tasks.items[0].late.ns = 300 * MS;
	s.seen.tasks.items[0].worst.ns = s.seen.tasks.items[0].worst.rt_ns =
		s.seen.tasks.items[0].worst.all_rt_ns = 700 * MS;
	expect_failure(&s, DETAIL_STUCK,
		       "stuck 300ms on cpu1 at +350ms: cg_0/0 (tid 100) was runnable and did not "
		       "run; hog (pid 7) ran there (threshold 250ms)");
}

static void who_has_a_quota_may_wait_for_it(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 500, 1200);
	s.seen.tasks.items[0].worst.ns = 1200 * MS;
	s.seen.tasks.items[0].mark = OBSERVE_LIMITED;
	expect_pass(&s);
}

/* Forty tasks on one CPU, each a slice: the limit of 250 ms is for four. */
static void a_crowd_waits_longer(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	for (int i = 0; i < 40; i++) {
		struct observe_task *t = add_task(&s, 50, 1950, 800);

		t->cpu = 1;
		t->allowed_cpus = 1;
		t->runs = 10;
	}
	expect_pass(&s);
}

/* Sixteen pairs that run for a moment each: who waits for that long was left out of the round. */
static void a_crowd_of_short_turns_does_not_wait_longer(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	for (int i = 0; i < 24; i++) {
		struct observe_task *t = add_task(&s, i ? 80 : 1, 1900, i ? 10 : 897);

		t->cpu = 1;
		t->allowed_cpus = 1;
		t->runs = i ? 800 : 2;
	}
	/* Some have turns of 5 ms: four rounds of 15 of those and of 8 short ones, and a single turn makes no difference. */
	for (int i = 9; i < 24; i++)
		s.seen.tasks.items[i].runs = 16;
	s.seen.tasks.items[0].run_ns = 12 * MS;
	add_task(&s, 8, 0, 0)->runs = 1;
	judge(&s);
	assert_int_equal(s.res.details.count, 1);
	assert_non_null(strstr(s.res.details.items[0].message, "stuck 897ms"));
	assert_non_null(strstr(s.res.details.items[0].message, "(threshold 323ms)"));
	scene_end(&s);
}

static void a_crowd_has_a_limit_as_well(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	for (int i = 0; i < 16; i++) {
		struct observe_task *t = add_task(&s, 125, 1875, i ? 100 : 1100);

		t->cpu = 1;
		t->allowed_cpus = 1;
		t->runs = 7;
	}
	judge(&s);
	assert_int_equal(s.res.details.count, 1);
	assert_non_null(strstr(s.res.details.items[0].message, "(threshold 1000ms)"));
	scene_end(&s);
}

/* Eight tasks on two CPUs: four of them are due a quarter, and take turns all the same. */
static void who_is_due_less_waits_longer(void **state)
{
	struct scene s;

	(void)state;
	for (int late = 0; late < 8; late += 4) {
		scene_begin(&s);
		for (int i = 0; i < 8; i++) {
			uint64_t run = i < 4 ? 250 : 750;

			add_worker(&s, i < 4 ? "light" : "heavy", run, 2000 - run);
			s.workers[i].cpu_weights[0] = i < 4 ? 100 : 300;
			s.seen.tasks.items[i].runs = 50;
		}
		s.seen.tasks.items[late].worst.ns = 400 * MS;
		if (late == 0) {
			expect_pass(&s);
			continue;
		}
		expect_failure(&s, DETAIL_STUCK,
			       "stuck 400ms on cpu1 at +450ms: heavy/4 (tid 104) was runnable and "
			       "did not run; hog (pid 7) ran there (threshold 250ms)");
	}
}

/* Tasks that may run elsewhere as well are no crowd on one CPU. */
static void who_is_bound_waits_for_its_part_of_the_crowd(void **state)
{
	struct scene s;
	struct observe_task *t;

	(void)state;
	scene_begin(&s);
	for (int i = 0; i < 6; i++)
		add_task(&s, 600, 1400, 100);
	t = add_task(&s, 1, 300, 300);
	t->is_kernel = 1;
	t->allowed_cpus = 1;
	t->cpu = 1;
	judge(&s);
	assert_int_equal(s.res.details.count, 1);
	assert_int_equal(s.res.details.items[0].kind, DETAIL_SYSTEM);
	assert_non_null(strstr(s.res.details.items[0].message, "(threshold 125ms)"));
	scene_end(&s);
}

static void who_waited_worst_is_told_first(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_task(&s, 1, 260, 260);
	add_worker(&s, "cg_0", 500, 600);
	s.seen.tasks.items[1].worst.ns = 300 * MS;
	judge(&s);
	assert_int_equal(s.res.details.count, 2);
	assert_int_equal(s.res.details.items[0].kind, DETAIL_STUCK);
	assert_int_equal(s.res.details.items[1].kind, DETAIL_SYSTEM);
	scene_end(&s);
}

static void a_test_may_have_its_own_limit(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	s.checks.max_gap_ms = 1500;
	add_worker(&s, "cg_0", 500, 1200);
	s.seen.tasks.items[0].worst.ns = 1200 * MS;
	expect_pass(&s);
	scene_begin(&s);
	s.checks.max_wait_ms = KTSTR_OFF;
	add_task(&s, 1, 1200, 1200);
	expect_pass(&s);
}

/* ---- idle CPUs ---- */

static void make_idle(struct scene *s, uint64_t wanted_ms)
{
	s->seen.cpus.items[1] = (struct observe_cpu){ .busy_ns = LENGTH - wanted_ms * MS,
						      .idle_ns = wanted_ms * MS,
						      .wanted_ns = wanted_ms * MS };
}

static void a_cpu_that_idles_while_tasks_wait_is_told(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 500);
	make_idle(&s, 600);
	expect_failure(&s, DETAIL_WORK_CONSERVATION,
		       "cpu1 was idle for 600ms of 2000ms while tasks waited that may run there; "
		       "cg_0/0 (tid 100) waited 500ms in all, 10ms at worst on cpu1 at +60ms "
		       "(threshold 20%)");
}

/* Waits are short, but there is always one. */
static void a_cpu_that_idles_without_a_pause_is_told(void **state)
{
	struct scene s;

	(void)state;
	for (int i = 0; i < 3; i++) {
		scene_begin(&s);
		add_worker(&s, "cg_0", 1800, 200);
		make_idle(&s, 190);
		s.seen.cpus.items[1].idle = (struct observe_wait){ .ns = (i == 1 ? 100 : 101) * MS,
								   .since_ns = START + 1800 * MS };
		if (i == 2)
			s.checks.max_idle_wait_ms = KTSTR_OFF;
		if (i == 0)
			expect_failure(
				&s, DETAIL_WORK_CONSERVATION,
				"cpu1 was idle for 101ms until +1901ms while there was always "
				"a task that waited and may run there; cg_0/0 (tid 100) waited "
				"200ms in all, 10ms at worst on cpu1 at +60ms (threshold "
				"100ms)");
		else
			expect_pass(&s);
	}
}

/* A limit for each of them, and half of it for all together. */
static void all_cpus_that_idle_at_times_are_told(void **state)
{
	struct scene s;

	(void)state;
	for (uint64_t wanted_ms = 100; wanted_ms <= 300; wanted_ms += 100) {
		scene_begin(&s);
		add_worker(&s, "cg_0", 1700, wanted_ms);
		make_idle(&s, wanted_ms);
		s.seen.cpus.items[0] = s.seen.cpus.items[1];
		if (wanted_ms == 100)
			expect_pass(&s);
		else
			expect_failure(
				&s, DETAIL_WORK_CONSERVATION,
				wanted_ms == 200 ?
					"cpu0 was idle for 200ms of 2000ms while tasks waited that may "
					"run there; cg_0/0 (tid 100) waited 200ms in all, 10ms at "
					"worst on cpu1 at +60ms; and 1 more CPU; 10% of the time of "
					"all CPUs (threshold 5%)" :
					"cpu0 was idle for 300ms of 2000ms while tasks waited that may "
					"run there; cg_0/0 (tid 100) waited 300ms in all, 10ms at "
					"worst on cpu1 at +60ms; and 1 more CPU; 15% of the time of "
					"all CPUs (threshold 10%)");
	}
	/* One of them may, as long as the other one does not. */
	scene_begin(&s);
	add_worker(&s, "cg_0", 1700, 390);
	make_idle(&s, 390);
	expect_pass(&s);
}

/* A wakeup on its way: many short waits, nobody who waited long. */
static void short_waits_are_no_idling(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 500);
	s.seen.tasks.items[0].long_wait_ns = 0;
	make_idle(&s, 600);
	expect_pass(&s);
}

static void who_may_not_run_there_does_not_count(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 900);
	s.seen.sets.items[0].cpus[0] = 1;
	make_idle(&s, 600);
	expect_pass(&s);
}

static void a_cpu_that_nobody_ever_ran_on_is_dead(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 1000);
	make_idle(&s, 2000);
	s.seen.cpus.items[1].busy_ns = s.seen.cpus.items[1].pinned_ns = 3 * MS;
	s.seen.cpus.items[1].idle_ns -= 3 * MS;
	expect_failure(&s, DETAIL_DEAD_CPU,
		       "cpu1 never ran a task that may run elsewhere, for 2000ms, while tasks "
		       "waited; cg_0/0 (tid 100) waited 1000ms in all, 10ms at worst on cpu1 at "
		       "+60ms");
}

/* It has no room for others but between two turns of those. */
static void a_cpu_that_its_own_tasks_keep_busy_is_not_dead(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 1000);
	make_idle(&s, 260);
	s.seen.cpus.items[1].pinned_ns = s.seen.cpus.items[1].busy_ns;
	expect_pass(&s);
}

static void a_cpu_that_went_offline_is_not_judged(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 1000);
	make_idle(&s, 2000);
	s.cpus.bits[0] = 1;
	expect_pass(&s);
}

static void a_cpu_that_came_back_is_judged_from_then_on(void **state)
{
	struct worker_cpus returned = {};
	struct judged_phase phase;
	struct scene s;

	(void)state;
	worker_cpus_add(&returned, 1);
	for (uint64_t idle_ms = 99; idle_ms <= 150; idle_ms += 51) {
		scene_begin(&s);
		add_worker(&s, "cg_0", 1000, 1000);
		s.cpus.bits[0] = 1;
		s.seen.cpus.items[1] = (struct observe_cpu){ .busy_ns = 150 * MS,
							     .idle_ns = idle_ms * MS,
							     .wanted_ns = idle_ms * MS };
		phase = phase_of(&s);
		phase.returned = &returned;
		result_pass(&s.res);
		check_phase(&phase, &s.checks, &s.res);
		assert_int_equal(s.res.verdict, idle_ms == 99 ? KTSTR_PASSED : KTSTR_FAILED);
		if (idle_ms != 99)
			assert_string_equal(s.res.details.items[0].message,
					    "cpu1 was idle for 150ms of 300ms while tasks waited "
					    "that may run there; cg_0/0 (tid 100) waited 1000ms in "
					    "all, 10ms at worst on cpu1 at +60ms (threshold 20%)");
		scene_end(&s);
	}
}

/* A CPU that idled while the last task that was added waited. */
static struct observe_task *idle_beside(struct scene *s, uint64_t waits, uint64_t all_ms,
					uint64_t longest_ms)
{
	struct observe_task *t = &s->seen.tasks.items[s->seen.tasks.count - 1];

	t->idle_waits = waits;
	t->idle_wait_ns = all_ms * MS;
	t->idle = (struct observe_idle_wait){ .ns = longest_ms * MS,
					      .wait_ns = 2 * longest_ms * MS,
					      .since_ns = START + 40 * MS };
	return t;
}

static void a_long_stretch_of_idling_beside_a_task_is_told(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1500, 500);
	idle_beside(&s, 1, 101, 101);
	add_worker(&s, "cg_0", 1500, 500);
	idle_beside(&s, 2, 300, 180);
	expect_failure(&s, DETAIL_WORK_CONSERVATION,
		       "cpu0 was idle for 180ms of 360ms until +400ms in which cg_0/1 (tid 101) "
		       "waited that may run there; and 1 more task (threshold 100ms)");
	scene_begin(&s);
	add_worker(&s, "cg_0", 1500, 500);
	idle_beside(&s, 1, 100, 100);
	expect_pass(&s);
	/* The test's own limit, and none. */
	for (int i = 0; i < 2; i++) {
		scene_begin(&s);
		s.checks.max_idle_wait_ms = i ? KTSTR_OFF : 200;
		add_worker(&s, "cg_0", 1500, 500);
		idle_beside(&s, 1, 180, 180);
		expect_pass(&s);
	}
}

static void a_kernel_thread_beside_an_idle_cpu_is_told(void **state)
{
	struct scene s;

	(void)state;
	for (int is_kernel = 0; is_kernel < 2; is_kernel++) {
		scene_begin(&s);
		add_task(&s, 1, 200, 120);
		idle_beside(&s, 1, 150, 150)->is_kernel = (uint32_t)is_kernel;
		if (is_kernel)
			expect_failure(
				&s, DETAIL_WORK_CONSERVATION,
				"cpu0 was idle for 150ms of 300ms until +340ms in which task "
				"(kernel thread 100) waited that may run there (threshold 100ms)");
		else
			expect_pass(&s);
	}
}

static void idling_beside_a_task_again_and_again_is_told(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 20, 120);
	idle_beside(&s, 12, 91, 14);
	expect_failure(&s, DETAIL_WORK_CONSERVATION,
		       "cg_0/0 (tid 100) waited 12 times beside a CPU that idled and may run it, "
		       "91ms in all, 65% of the time that it wanted to run; 14ms at worst beside "
		       "cpu0 at +68ms (threshold 20%)");
}

static void some_idling_beside_a_task_is_chance(void **state)
{
	static const struct {
		uint64_t run_ms, waits, all_ms;
	} rows[] = { { 20, 7, 91 }, { 20, 12, 49 }, { 400, 12, 91 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene s;

		scene_begin(&s);
		add_worker(&s, "cg_0", rows[i].run_ms, 120);
		idle_beside(&s, rows[i].waits, rows[i].all_ms, 14);
		expect_pass(&s);
	}
}

static void idling_that_is_nobodys_fault_is_not_judged(void **state)
{
	struct scene s;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct observe_task *t;

		scene_begin(&s);
		add_worker(&s, "cg_0", 100, 500);
		t = idle_beside(&s, 12, 480, 400);
		if (i == 0)
			t->mark = OBSERVE_LIMITED;
		else if (i == 1)
			t->policy = SCHED_IDLE;
		else
			s.cpus.bits[0] = 2;
		expect_pass(&s);
	}
}

static void nothing_is_judged_that_was_not_seen(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 500, 1500);
	s.seen.tasks.items[0].worst.ns = 1500 * MS;
	s.seen.is_known = false;
	expect_pass(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_that_waited_too_long_is_stuck),
		cmocka_unit_test(a_wait_at_the_limit_is_none),
		cmocka_unit_test(kernel_threads_are_seen),
		cmocka_unit_test(many_that_waited_are_counted),
		cmocka_unit_test(real_time_tasks_are_obeyed),
		cmocka_unit_test(who_waits_beside_short_bursts_is_stuck),
		cmocka_unit_test(a_wait_behind_real_time_tasks_hides_no_other),
		cmocka_unit_test(who_has_a_quota_may_wait_for_it),
		cmocka_unit_test(a_crowd_waits_longer),
		cmocka_unit_test(a_crowd_of_short_turns_does_not_wait_longer),
		cmocka_unit_test(a_crowd_has_a_limit_as_well),
		cmocka_unit_test(who_is_due_less_waits_longer),
		cmocka_unit_test(who_is_bound_waits_for_its_part_of_the_crowd),
		cmocka_unit_test(who_waited_worst_is_told_first),
		cmocka_unit_test(a_test_may_have_its_own_limit),
		cmocka_unit_test(a_cpu_that_idles_while_tasks_wait_is_told),
		cmocka_unit_test(a_cpu_that_idles_without_a_pause_is_told),
		cmocka_unit_test(all_cpus_that_idle_at_times_are_told),
		cmocka_unit_test(short_waits_are_no_idling),
		cmocka_unit_test(who_may_not_run_there_does_not_count),
		cmocka_unit_test(a_cpu_that_nobody_ever_ran_on_is_dead),
		cmocka_unit_test(a_cpu_that_its_own_tasks_keep_busy_is_not_dead),
		cmocka_unit_test(a_cpu_that_went_offline_is_not_judged),
		cmocka_unit_test(a_cpu_that_came_back_is_judged_from_then_on),
		cmocka_unit_test(a_long_stretch_of_idling_beside_a_task_is_told),
		cmocka_unit_test(a_kernel_thread_beside_an_idle_cpu_is_told),
		cmocka_unit_test(idling_beside_a_task_again_and_again_is_told),
		cmocka_unit_test(some_idling_beside_a_task_is_chance),
		cmocka_unit_test(idling_that_is_nobodys_fault_is_not_judged),
		cmocka_unit_test(nothing_is_judged_that_was_not_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* What scheduling events make of a phase, right at the limits, and how much time was lost. */
#include "phase_scene.h"

#include "base/str.h"

/* It fails for this alone, and tells of so much time. */
static void expect_lost(struct scene *s, enum detail_kind kind, uint64_t lost_ns)
{
	judge(s);
	for (size_t i = 1; i < s->res.details.count; i++)
		print_error("%s\n", s->res.details.items[i].message);
	assert_int_equal(s->res.details.count, 1);
	assert_int_equal(s->res.verdict, KTSTR_FAILED);
	assert_int_equal(s->res.details.items[0].kind, kind);
	assert_int_equal(s->res.details.items[0].time_ns, lost_ns);
	scene_end(s);
}

static void expect_text(struct scene *s, const char *part)
{
	judge(s);
	assert_true(s->res.details.count > 0);
	if (!strstr(s->res.details.items[0].message, part))
		fail_msg("no '%s' in '%s'", part, s->res.details.items[0].message);
	scene_end(s);
}

/* Only waits are judged. */
static void judge_waits_only(struct scene *s)
{
	s->checks.max_share_error_pct = s->checks.max_even_share_error_pct = KTSTR_OFF;
	s->checks.max_wakeup_wait_ratio = KTSTR_OFF;
}

static void few_of_those_that_wait_are_listed(void **state)
{
	static const char *const last[] = { NULL, "1 more task was runnable and did not run",
					    "2 more tasks were runnable and did not run" };

	(void)state;
	for (size_t more = 0; more < ARRAY_SIZE(last); more++) {
		struct scene s;

		scene_begin(&s);
		for (size_t i = 0; i < 3 + more; i++)
			add_task(&s, 1, 300, 251 + i);
		judge(&s);
		assert_int_equal(s.res.details.count, more ? 4 : 3);
		/* The worst come first. */
		assert_int_equal(s.res.details.items[0].time_ns, (253 + more) * MS);
		assert_int_equal(s.res.details.items[2].time_ns, (251 + more) * MS);
		if (more)
			assert_string_equal(s.res.details.items[3].message, last[more]);
		scene_end(&s);
	}
}

/* Who is not known any more, too. */
static void the_forgotten_waited_as_well(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	s.seen.forgotten =
		(struct observe_task){ .static_prio = 120, .worst = { .ns = 251 * MS, .cpu = 1 } };
	expect_lost(&s, DETAIL_SYSTEM, 251 * MS);
	scene_begin(&s);
	s.seen.forgotten =
		(struct observe_task){ .static_prio = 120, .worst = { .ns = 250 * MS, .cpu = 1 } };
	expect_pass(&s);
}

/* Five want one CPU where the limit is for four: 312.5 ms. */
static void the_limit_of_waits_grows_with_the_crowd(void **state)
{
	(void)state;
	for (uint64_t worst_ms = 312; worst_ms <= 313; worst_ms++) {
		struct scene s;

		scene_begin(&s);
		for (int i = 0; i < 5; i++) {
			struct observe_task *t = add_task(&s, 400, 1600, i ? 10 : worst_ms);

			t->cpu = 1;
			t->allowed_cpus = 1;
			t->runs = 20;
		}
		if (worst_ms == 312)
			expect_pass(&s);
		else
			expect_lost(&s, DETAIL_SYSTEM, 313 * MS);
	}
}

/* Who makes itself light and heavy in turn may wait for 2000 ms. */
static void who_changes_its_weight_may_wait_longer(void **state)
{
	(void)state;
	for (uint64_t worst_ms = 2000; worst_ms <= 2001; worst_ms++) {
		struct scene s;

		scene_begin(&s);
		judge_waits_only(&s);
		add_worker(&s, "churn", 100, 1800)->changes_weight = true;
		s.seen.tasks.items[0].worst.ns = worst_ms * MS;
		if (worst_ms == 2000)
			expect_pass(&s);
		else
			expect_lost(&s, DETAIL_STUCK, 2001 * MS);
	}
}

/* Four of half the usual weight and four of the usual one on two CPUs: 6 of the first for each. */
static void the_limit_of_waits_grows_with_weights(void **state)
{
	(void)state;
	for (uint64_t worst_ms = 375; worst_ms <= 376; worst_ms++) {
		struct scene s;

		scene_begin(&s);
		judge_waits_only(&s);
		for (int i = 0; i < 8; i++) {
			add_worker(&s, i < 4 ? "light" : "usual", 500, 1500)->cpu_weights[0] =
				i < 4 ? 50 : 0;
			s.seen.tasks.items[i].runs = 25;
		}
		s.seen.tasks.items[0].worst.ns = worst_ms * MS;
		if (worst_ms == 375)
			expect_pass(&s);
		else
			expect_lost(&s, DETAIL_STUCK, 376 * MS);
	}
}

/*
 * All of what real-time tasks had of the CPUs that it may use is taken off, of other CPUs as much as
 * the limit is.
 */
static void what_real_time_tasks_took_is_not_counted(void **state)
{
	static const struct {
		uint64_t rt_ms, all_rt_ms;
		bool is_excused;
	} rows[] = { { 350, 350, true }, { 349, 349, false }, { 350, 0, false },
		     { 600, 0, false },	 { 350, 100, true },  { 349, 100, false },
		     { 600, 100, true }, { 600, 99, false },  { 0, 0, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene s;

		scene_begin(&s);
		add_worker(&s, "cg_0", 500, 600);
		s.seen.tasks.items[0].worst.ns = 600 * MS;
		s.seen.tasks.items[0].worst.rt_ns = rows[i].rt_ms * MS;
		s.seen.tasks.items[0].worst.all_rt_ns = rows[i].all_rt_ms * MS;
		if (rows[i].is_excused)
			expect_pass(&s);
		else
			expect_lost(&s, DETAIL_STUCK, 600 * MS);
	}
}

/* Whether it waited to the end: to the nanosecond. */
static void a_wait_to_the_end_is_told_as_such(void **state)
{
	(void)state;
	for (uint64_t early = 0; early < 2; early++) {
		struct scene s;

		scene_begin(&s);
		add_worker(&s, "cg_0", 500, 600);
		s.seen.tasks.items[0].worst.ns = 600 * MS;
		s.seen.tasks.items[0].worst.since_ns = START + LENGTH - 600 * MS - early;
		expect_text(&s,
			    early ? "was runnable and did not run; hog" :
				    "was runnable and did not run until the end of the phase; hog");
	}
	/* Who ran there is a thread of the kernel. */
	struct scene s;

	scene_begin(&s);
	add_worker(&s, "cg_0", 500, 600);
	add_task(&s, 10, 0, 0)->is_kernel = 1;
	s.seen.tasks.items[0].worst.ns = 600 * MS;
	s.seen.tasks.items[0].worst.by = FIRST_TID + 1;
	expect_text(&s, "; hog (kernel thread 101) ran there");
}

/* ---- idle CPUs ---- */

static void make_idle(struct scene *s, unsigned int cpu, uint64_t wanted_ns)
{
	s->seen.cpus.items[cpu] = (struct observe_cpu){ .busy_ns = LENGTH - wanted_ns,
							.idle_ns = wanted_ns,
							.wanted_ns = wanted_ns };
}

static void a_cpu_may_idle_for_a_part_of_the_phase(void **state)
{
	(void)state;
	for (uint64_t extra = 0; extra < 2; extra++) {
		struct scene s;

		scene_begin(&s);
		add_worker(&s, "cg_0", 1000, 500);
		make_idle(&s, 1, 400 * MS + extra);
		s.checks.max_all_idle_wait_pct = KTSTR_OFF;
		if (extra)
			expect_lost(&s, DETAIL_WORK_CONSERVATION, 400 * MS + extra);
		else
			expect_pass(&s);
		/* Below 100 ms it is load balancing, whatever the limit. */
		scene_begin(&s);
		s.checks.max_idle_wait_pct = 1;
		add_worker(&s, "cg_0", 1000, 500);
		make_idle(&s, 1, 100 * MS - 1 + extra);
		if (extra)
			expect_lost(&s, DETAIL_WORK_CONSERVATION, 100 * MS);
		else
			expect_pass(&s);
		/* Others waited for long for half of that time at least. */
		scene_begin(&s);
		add_worker(&s, "cg_0", 1000, 500);
		s.seen.tasks.items[0].long_wait_ns = 300 * MS - 1 + extra;
		make_idle(&s, 1, 600 * MS);
		if (extra)
			expect_lost(&s, DETAIL_WORK_CONSERVATION, 600 * MS);
		else
			expect_pass(&s);
	}
}

/* 600 ms of one CPU are 15 % of two; 10 % of both are above the half of the limit for each. */
static void all_cpus_together_have_a_limit(void **state)
{
	static const struct {
		uint64_t first_ms, second_ms;
		double limit;
		bool fails;
	} rows[] = {
		{ 0, 600, 15, false },	  { 0, 600, 14.9, true }, { 200, 200, 20, false },
		{ 200, 200, 19.9, true }, { 99, 200, 10, false }, { 0, 0, 0.001, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene s;

		scene_begin(&s);
		s.checks.max_idle_wait_pct = KTSTR_OFF;
		s.checks.max_all_idle_wait_pct = rows[i].limit;
		add_worker(&s, "cg_0", 1000, 900);
		make_idle(&s, 0, rows[i].first_ms * MS);
		make_idle(&s, 1, rows[i].second_ms * MS);
		if (rows[i].fails)
			expect_lost(&s, DETAIL_WORK_CONSERVATION, rows[i].second_ms * MS);
		else
			expect_pass(&s);
	}
}

static void the_cpu_that_idled_most_is_told(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 900);
	make_idle(&s, 0, 700 * MS);
	make_idle(&s, 1, 600 * MS);
	expect_text(&s, "cpu0 was idle for 700ms of 2000ms");
	/* In one stretch. */
	scene_begin(&s);
	add_worker(&s, "cg_0", 1800, 300);
	make_idle(&s, 0, 150 * MS);
	make_idle(&s, 1, 150 * MS);
	s.checks.max_all_idle_wait_pct = KTSTR_OFF;
	s.seen.cpus.items[0].idle.ns = 120 * MS;
	s.seen.cpus.items[1].idle.ns = 110 * MS;
	expect_lost(&s, DETAIL_WORK_CONSERVATION, 120 * MS);
}

/* A worker, even if another task waited longer; of two the one that waited longer. */
static void a_worker_tells_more_than_others(void **state)
{
	static const struct {
		uint64_t long_ms[3];
		bool is_worker[3];
		const char *named;
	} rows[] = {
		{ { 300, 900, 200 }, { true, false, false }, "; cg_0/0 (tid 100) waited" },
		{ { 900, 300, 200 }, { false, true, false }, "; cg_0/0 (tid 101) waited" },
		{ { 300, 400, 200 }, { true, true, true }, "; cg_0/1 (tid 101) waited" },
		{ { 400, 300, 0 }, { false, false, true }, "; task (pid 100) waited" },
		{ { 0, 300, 400 }, { true, false, false }, "; task (pid 102) waited" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene s;

		scene_begin(&s);
		judge_waits_only(&s);
		for (int k = 0; k < 3; k++) {
			if (rows[i].is_worker[k])
				add_worker(&s, "cg_0", 500, 1000);
			else
				add_task(&s, 500, 1000, 10);
			s.seen.tasks.items[k].long_wait_ns = rows[i].long_ms[k] * MS;
		}
		make_idle(&s, 1, 600 * MS);
		expect_text(&s, rows[i].named);
	}
}

/* Nobody ever ran there, but those that may run nowhere else, for less than half of the time. */
static void dead_cpus_are_those_that_idle_more(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		struct scene s;

		scene_begin(&s);
		add_worker(&s, "cg_0", 1000, 900);
		make_idle(&s, 1, 1001 * MS);
		s.seen.cpus.items[1].busy_ns = (i == 1 ? 1001 : 999) * MS;
		s.seen.cpus.items[1].pinned_ns = (i == 2 ? 998 : 1001) * MS;
		expect_lost(&s, i ? DETAIL_WORK_CONSERVATION : DETAIL_DEAD_CPU, 1001 * MS);
	}
}

/* ---- idle beside a task ---- */

static void idling_beside_a_task_has_limits(void **state)
{
	static const struct {
		uint64_t waits, all_ns, longest_ns, lost_ns;
	} rows[] = {
		{ 1, 100 * MS, 100 * MS, 0 },	{ 1, 100 * MS + 1, 100 * MS + 1, 100 * MS + 1 },
		{ 7, 60 * MS, 14 * MS, 0 },	{ 8, 60 * MS, 14 * MS, 60 * MS },
		{ 8, 50 * MS - 1, 14 * MS, 0 }, { 8, 50 * MS, 14 * MS, 50 * MS },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene s;

		scene_begin(&s);
		add_worker(&s, "cg_0", 20, 180);
		s.seen.tasks.items[0].idle_waits = rows[i].waits;
		s.seen.tasks.items[0].idle_wait_ns = rows[i].all_ns;
		s.seen.tasks.items[0].idle.ns = rows[i].longest_ns;
		if (rows[i].lost_ns)
			expect_lost(&s, DETAIL_WORK_CONSERVATION, rows[i].lost_ns);
		else
			expect_pass(&s);
	}
	/* 20 % of the time that it wanted to run, and more. */
	for (uint64_t extra = 0; extra < 2; extra++) {
		struct scene s;

		scene_begin(&s);
		add_worker(&s, "cg_0", 120, 180);
		s.seen.tasks.items[0].idle_waits = 8;
		s.seen.tasks.items[0].idle_wait_ns = 60 * MS + extra;
		s.seen.tasks.items[0].idle.ns = 14 * MS;
		if (extra)
			expect_lost(&s, DETAIL_WORK_CONSERVATION, 60 * MS + 1);
		else
			expect_pass(&s);
	}
}

/* ---- storms ---- */

static void storms_have_limits(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		struct scene s;

		/* 2000 in one second of CPU time, and of 200 ms. */
		scene_begin(&s);
		add_worker(&s, "cg_0", 1000, 1000);
		s.seen.tasks.items[0].runs = 2000 + i;
		if (i)
			expect_text(&s, i == 1 ? "2001 switches per second" :
						 "2002 switches per second");
		else
			expect_pass(&s);
		/* 2 s on two CPUs: 4000 are 1000 for each second and CPU. */
		scene_begin(&s);
		add_worker(&s, "cg_0", 1000, 10);
		s.seen.tasks.items[0].migrations = 4000 + i;
		s.checks.max_hasty_migrations_per_s = KTSTR_OFF;
		if (i)
			expect_text(&s, "1000 migrations/s per CPU");
		else
			expect_pass(&s);
		/* Left an idle CPU: not more often than it was woken and moved. */
		scene_begin(&s);
		add_worker(&s, "cg_0", 1000, 10);
		s.seen.tasks.items[0].migrations = s.seen.tasks.items[0].wakeups = 4000 + i;
		s.seen.tasks.items[0].needless = 9000;
		s.checks.max_needless_wakeup_pct = KTSTR_OFF;
		if (i)
			expect_text(&s, "1000 migrations/s per CPU");
		else
			expect_pass(&s);
	}
}

static void little_cpu_time_proves_nothing(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 2; i++) {
		struct scene s;

		scene_begin(&s);
		add_worker(&s, "cg_0", 200, 1800);
		s.seen.tasks.items[0].run_ns -= i;
		s.seen.tasks.items[0].runs = 9000;
		if (i)
			expect_pass(&s);
		else
			expect_text(&s, "45000 switches per second");
		scene_begin(&s);
		add_worker(&s, "cg_0", 200, 10);
		s.seen.tasks.items[0].run_ns -= i;
		s.seen.tasks.items[0].hasty = 900;
		if (i)
			expect_pass(&s);
		else
			expect_text(&s, "4500 migrations per second of CPU time");
		/* Half a task waits on average. */
		scene_begin(&s);
		add_worker(&s, "cg_0", 200, 1000);
		s.seen.tasks.items[0].wait_ns += i;
		s.seen.tasks.items[0].long_wait_ns = 0;
		s.seen.tasks.items[0].hasty = 900;
		if (i)
			expect_pass(&s);
		else
			expect_text(&s, "4500 migrations per second of CPU time");
	}
}

/* Three LLCs of two CPUs and eight workers each: those of the first lack 200 of 500 ms. */
static void what_an_llc_lacks_is_lost(void **state)
{
	_topology_ struct topology topology = {};
	struct scene s;

	(void)state;
	assert_int_equal(topology_from_notation(&topology, "1n3l2c1t"), 0);
	scene_begin(&s);
	s.topology = &topology;
	s.seen.sets.items[0].cpus[0] = 63;
	for (unsigned int cpu = 2; cpu < 6; cpu++) {
		worker_cpus_add(&s.cpus, cpu);
		assert_int_equal(vec_push(&s.seen.cpus, (struct observe_cpu){ .busy_ns = LENGTH }),
				 0);
	}
	for (int i = 0; i < 24; i++) {
		uint64_t run = i < 8 ? 300 : 600;

		add_worker(&s, "cg_0", run, 2000 - run);
		s.seen.tasks.items[i].cpu = i / 4;
		s.seen.tasks.items[i].allowed_cpus = 6;
	}
	expect_lost(&s, DETAIL_SHARE, 1600 * MS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_of_those_that_wait_are_listed),
		cmocka_unit_test(the_forgotten_waited_as_well),
		cmocka_unit_test(the_limit_of_waits_grows_with_the_crowd),
		cmocka_unit_test(who_changes_its_weight_may_wait_longer),
		cmocka_unit_test(the_limit_of_waits_grows_with_weights),
		cmocka_unit_test(what_real_time_tasks_took_is_not_counted),
		cmocka_unit_test(a_wait_to_the_end_is_told_as_such),
		cmocka_unit_test(a_cpu_may_idle_for_a_part_of_the_phase),
		cmocka_unit_test(all_cpus_together_have_a_limit),
		cmocka_unit_test(the_cpu_that_idled_most_is_told),
		cmocka_unit_test(a_worker_tells_more_than_others),
		cmocka_unit_test(dead_cpus_are_those_that_idle_more),
		cmocka_unit_test(idling_beside_a_task_has_limits),
		cmocka_unit_test(storms_have_limits),
		cmocka_unit_test(little_cpu_time_proves_nothing),
		cmocka_unit_test(what_an_llc_lacks_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

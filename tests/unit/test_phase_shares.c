// SPDX-License-Identifier: GPL-2.0-only
/* What shares of the CPUs scheduling events make of a phase. */
#include "phase_scene.h"

/* ---- shares ---- */

static void equals_get_equal_shares(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1050, 950);
	add_worker(&s, "cg_0", 950, 1050);
	add_worker(&s, "cg_1", 1000, 1000);
	add_worker(&s, "cg_1", 1000, 1000);
	expect_pass(&s);
}

static void a_cgroup_that_gets_twice_as_much_is_told(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1333, 667);
	add_worker(&s, "cg_0", 1333, 667);
	add_worker(&s, "cg_1", 667, 1333);
	add_worker(&s, "cg_1", 667, 1333);
	expect_failure(
		&s, DETAIL_SHARE,
		"unfair share: the 2 workers of cg_1 ran 1334ms of a share of 2000ms, least of "
		"them cg_1/2 (tid 102) with 667ms; the 2 workers of cg_0 ran 2666ms of a share "
		"of 2000ms, most of them cg_0/0 (tid 100) with 1333ms; 4 busy workers, 2.0 s "
		"(threshold 20%)");
}

static void a_cgroup_of_one_worker_is_that_worker(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	s.checks.max_share_error_pct = 29;
	add_worker(&s, "cg_0", 1300, 700);
	add_worker(&s, "cg_1", 700, 1300);
	expect_failure(&s, DETAIL_SHARE,
		       "unfair share: cg_1/1 (tid 101) ran 700ms of a share of 1000ms; cg_0/0 "
		       "(tid 100) ran 1300ms of a share of 1000ms; 2 busy workers, 2.0 s "
		       "(threshold 29%)");
}

/* Equal among tasks or among cgroups: both are fair where nothing was asked for. */
static void both_notions_of_fair_are_fair(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1333, 667);
	add_worker(&s, "cg_1", 1333, 667);
	add_worker(&s, "cg_1", 1333, 667);
	expect_pass(&s);
	scene_begin(&s);
	add_worker(&s, "cg_0", 2000, 0);
	add_worker(&s, "cg_1", 1000, 1000);
	add_worker(&s, "cg_1", 1000, 1000);
	expect_pass(&s);
}

static void a_short_phase_proves_nothing_about_shares(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	s.seen.end_ns = START + 900 * MS;
	add_worker(&s, "cg_0", 900, 0);
	add_worker(&s, "cg_0", 300, 600);
	expect_note(&s,
		    "shares not judged: less than 1 s, in which load balancing may be under way");
}

/* One worker of many that gets far less than the others of its cgroup. */
static void a_single_worker_has_twice_the_limit(void **state)
{
	struct scene s;

	(void)state;
	for (uint64_t run = 500; run >= 300; run -= 200) {
		scene_begin(&s);
		add_worker(&s, "cg_0", run, 2000 - run);
		for (int i = 0; i < 3; i++)
			add_worker(&s, "cg_0", (4000 - run) / 3, 2000 - (4000 - run) / 3);
		if (run == 500)
			expect_pass(&s);
	}
	judge(&s);
	assert_int_equal(s.res.details.count, 1);
	assert_non_null(strstr(s.res.details.items[0].message, "cg_0/0 (tid 100) ran 300ms"));
	scene_end(&s);
}

/* What the others miss is little each; the one that misses most is named all the same. */
static void who_misses_most_is_named_beside_who_has_too_much(void **state)
{
	static const uint64_t run_ms[] = { 480, 440, 456, 456, 456, 456, 456, 800 };
	struct scene s;

	(void)state;
	scene_begin(&s);
	for (size_t i = 0; i < ARRAY_SIZE(run_ms); i++)
		add_worker(&s, "cg_0", run_ms[i], 2000 - run_ms[i]);
	expect_failure(
		&s, DETAIL_SHARE,
		"unfair share: cg_0/1 (tid 101) ran 440ms of a share of 500ms; cg_0/7 (tid 107) "
		"ran 800ms of a share of 500ms; 8 busy workers, 2.0 s (threshold 50%)");
}

/* Two of four CPUs of an LLC: one worker has one for itself, three share the other. */
static void on_a_part_of_an_llc_cpus_are_not_balanced(void **state)
{
	_topology_ struct topology topology = {};
	struct scene s;

	(void)state;
	assert_int_equal(topology_from_notation(&topology, "1n1l4c1t"), 0);
	for (int i = 0; i < 2; i++) {
		uint64_t run = i ? 100 : 660;

		scene_begin(&s);
		s.topology = &topology;
		add_worker(&s, "cg_0", 2000, 0);
		add_worker(&s, "cg_0", run, 2000 - run);
		add_worker(&s, "cg_0", (2000 - run) / 2, 1000 + run / 2);
		add_worker(&s, "cg_0", (2000 - run) / 2, 1000 + run / 2);
		s.seen.tasks.items[0].cpu = 1;
		if (!i)
			expect_pass(&s);
	}
	judge(&s);
	assert_int_equal(s.res.details.count, 1);
	assert_non_null(strstr(s.res.details.items[0].message,
			       "cg_0/1 (tid 101) ran 100ms of a share of 667ms"));
	scene_end(&s);
}

/* One that is moved all the time could have been given its share. */
static void who_moves_all_the_time_is_balanced(void **state)
{
	_topology_ struct topology topology = {};
	struct scene s;

	(void)state;
	assert_int_equal(topology_from_notation(&topology, "1n1l4c1t"), 0);
	for (uint64_t migrations = 15; migrations <= 100; migrations += 85) {
		scene_begin(&s);
		s.topology = &topology;
		for (size_t i = 0; i < 4; i++) {
			add_worker(&s, "cg_0", i ? 667 : 2000, i ? 1333 : 0);
			s.seen.tasks.items[i].migrations = migrations;
			s.seen.tasks.items[i].runs = 1000;
		}
		if (migrations == 15)
			expect_note(&s, "some shares not judged: workers changed the CPU now and "
					"then on CPUs that are a part of an LLC");
	}
	judge(&s);
	assert_int_equal(s.res.verdict, KTSTR_FAILED);
	scene_end(&s);
}

/* Five workers on two CPUs: three share one of them. On two LLCs balancing is coarser. */
static void cpus_hold_whole_tasks(void **state)
{
	static const struct {
		const char *machine;
		uint64_t least_ms;
		bool is_fair;
	} cases[] = { { "1n1l2c1t", 410, true },
		      { "1n1l2c1t", 390, false },
		      { "1n2l1c1t", 310, true },
		      { "1n2l1c1t", 290, false } };
	struct scene s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_topology_ struct topology topology = {};
		uint64_t others = (4000 - cases[i].least_ms) / 4;

		assert_int_equal(topology_from_notation(&topology, cases[i].machine), 0);
		scene_begin(&s);
		s.topology = &topology;
		add_worker(&s, "cg_0", cases[i].least_ms, 2000 - cases[i].least_ms);
		for (int k = 0; k < 4; k++)
			add_worker(&s, "cg_0", others, 2000 - others);
		judge(&s);
		if ((s.res.verdict == KTSTR_PASSED) != cases[i].is_fair)
			fail_msg("%s %d", cases[i].machine, (int)cases[i].least_ms);
		scene_end(&s);
	}
}

/* On two LLCs of two CPUs each: so many of eight are in the first one, and all of them stay there. */
static void add_in_llcs(struct scene *s, const struct topology *topology, uint64_t in_first)
{
	scene_begin(s);
	s->topology = topology;
	s->seen.sets.items[0].cpus[0] = 15;
	for (unsigned int cpu = 2; cpu < 4; cpu++) {
		worker_cpus_add(&s->cpus, cpu);
		assert_int_equal(vec_push(&s->seen.cpus, (struct observe_cpu){ .busy_ns = LENGTH }),
				 0);
	}
	for (uint64_t i = 0; i < 8; i++) {
		uint64_t here = i < in_first ? in_first : 8 - in_first;
		uint64_t run = here > 2 ? 4000 / here : 2000;

		add_worker(s, "cg_0", run, 2000 - run);
		s->seen.tasks.items[i].cpu = (int)(i < in_first ? i % 2 : 2 + i % 2);
		s->seen.tasks.items[i].allowed_cpus = 4;
	}
}

/*
 * Six on four CPUs of two LLCs: two may share a CPU, in one LLC or in each; three, and somebody who sleeps at
 * times, may not.
 */
static void three_of_six_do_not_share_one_of_four_cpus(void **state)
{
	_topology_ struct topology topology = {};

	(void)state;
	assert_int_equal(topology_from_notation(&topology, "1n2l2c1t"), 0);
	for (size_t alone = 2; alone < 4; alone++) {
		struct scene s;

		add_in_llcs(&s, &topology, 4);
		s.seen.tasks.count = s.worker_count = 6;
		for (size_t i = 0; i < 6; i++) {
			uint64_t run = i < alone ? 2000 : alone == 2 ? 1000 : 600;

			s.seen.tasks.items[i].run_ns = run * MS;
			s.seen.tasks.items[i].wait_ns = (2000 - run) * MS;
			s.seen.tasks.items[i].cpu = i < alone ? (int)i :
								3 - (int)(i % 2 && alone == 2);
		}
		judge(&s);
		assert_int_equal(s.res.verdict, alone == 2 ? KTSTR_PASSED : KTSTR_FAILED);
		scene_end(&s);
	}
}

static void an_llc_has_its_part_of_the_workers(void **state)
{
	_topology_ struct topology nodes = {};
	struct scene s;

	(void)state;
	for (uint64_t i = 4; i <= 6; i++) {
		_topology_ struct topology topology = {};

		assert_int_equal(topology_from_notation(&topology, "1n2l2c1t"), 0);
		add_in_llcs(&s, &topology, i);
		if (i < 6)
			expect_pass(&s);
		else
			expect_failure(
				&s, DETAIL_SHARE,
				"unfair share: 6 workers in the LLC of cpu0 ran 3996ms of a "
				"share of 5997ms, least of them cg_0/0 (tid 100) with 666ms; 2 "
				"workers in the LLC of cpu2 ran 4000ms of a share of 1999ms, "
				"most of them cg_0/6 (tid 106) with 2000ms; 8 busy workers, 2.0 "
				"s (threshold 58%)");
	}
	/* Nodes are balanced more slowly. */
	assert_int_equal(topology_from_notation(&nodes, "2n2l2c1t"), 0);
	add_in_llcs(&s, &nodes, 6);
	expect_pass(&s);
}

/* Errors are figures of their own, also where they are no failure. */
/* Two busy workers, and somebody who takes half of a CPU: one of them has it beside it. */
static void others_on_the_same_cpus_are_a_matter_of_luck(void **state)
{
	struct share_finding found[2];
	struct scene s;

	(void)state;
	for (int moves = 0; moves < 2; moves++) {
		struct judged_phase phase;

		memset(found, 0, sizeof(found));
		scene_begin(&s);
		add_worker(&s, "cg_0", 1300, 700);
		add_worker(&s, "cg_0", 1700, 300);
		add_task(&s, 1000, 0, 1)->wakeups = 100;
		s.seen.tasks.items[0].migrations = s.seen.tasks.items[1].migrations = moves * 10;
		phase = phase_of(&s);
		phase.shares = found;
		check_shares(&phase, &s.checks, &s.res);
		assert_int_equal(s.res.details.count, 1);
		assert_string_equal(s.res.details.items[0].message,
				    "shares not judged: tasks that were not always busy took "
				    "their CPUs, too");
		for (int i = 0; i < 2; i++) {
			assert_false(found[i].is_fair);
			assert_float_equal(found[i].luck_pct, moves ? 0 : 50, 0.01);
		}
		scene_end(&s);
	}
}

static void errors_of_shares_are_told(void **state)
{
	struct share_errors worst;
	struct judged_phase phase;
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 900, 1100);
	add_worker(&s, "cg_0", 1200, 800);
	add_worker(&s, "cg_1", 900, 1100);
	add_worker(&s, "cg_1", 1000, 1000);
	phase = phase_of(&s);
	assert_int_equal(shares_worst(&phase, &worst), 0);
	assert_true(worst.is_known);
	assert_int_equal(worst.equals_pct * 10, 50);
	assert_int_equal(worst.single_pct * 10, 200);
	s.seen.end_ns = START + 900 * MS;
	assert_int_equal(shares_worst(&phase, &worst), 0);
	assert_false(worst.is_known);
	scene_end(&s);
}

static void sleepers_have_no_share(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 2000, 0);
	add_worker(&s, "cg_1", 1900, 100);
	add_worker(&s, "cg_1", 100, 1900);
	s.seen.tasks.items[2].wakeups = 100;
	expect_pass(&s);
}

/* Of workers that go from CPU to CPU none has bad luck. */
static void workers_that_no_cpu_is_kept_for_are_equal(void **state)
{
	static const struct {
		uint64_t migrations, runs, least_ms;
		bool is_fair;
	} rows[] = { { 3, 100, 571, true }, { 4, 100, 571, false }, { 3, 70, 571, false },
		     { 2, 10, 571, true },  { 4, 100, 910, true },  { 3, 100, 810, true },
		     { 4, 100, 810, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene s;

		scene_begin(&s);
		for (size_t k = 0; k < 4; k++) {
			uint64_t run = k % 2 ? rows[i].least_ms : 2000 - rows[i].least_ms;

			add_worker(&s, "cg_0", run, 2000 - run);
			s.seen.tasks.items[k].migrations = rows[i].migrations;
			s.seen.tasks.items[k].runs = rows[i].runs;
		}
		if (rows[i].is_fair)
			expect_pass(&s);
		else
			expect_failure(
				&s, DETAIL_SHARE,
				rows[i].least_ms == 571 ?
					"unfair share: cg_0/1 (tid 101) ran 571ms of a share "
					"of 1000ms; cg_0/0 (tid 100) ran 1429ms of a share of "
					"1000ms; 4 busy workers, 2.0 s (threshold 10%)" :
					"unfair share: cg_0/1 (tid 101) ran 810ms of a share "
					"of 1000ms; cg_0/0 (tid 100) ran 1190ms of a share of "
					"1000ms; 4 busy workers, 2.0 s (threshold 10%)");
	}
}

/* Turns of 70 ms: one more or less is 7 % of a share. */
static void who_came_later_is_due_less(void **state)
{
	(void)state;
	for (uint64_t late_ms = 0; late_ms <= 100; late_ms += 100) {
		struct scene s;

		scene_begin(&s);
		for (size_t k = 0; k < 4; k++) {
			uint64_t run = k % 2 ? 880 : 1120;

			add_worker(&s, "cg_0", run, 2000 - run - (k % 2 ? late_ms : 0));
			s.seen.tasks.items[k].migrations = 4;
		}
		if (late_ms)
			expect_pass(&s);
		else
			expect_failure(
				&s, DETAIL_SHARE,
				"unfair share: cg_0/1 (tid 101) ran 880ms of a share of 1000ms; "
				"cg_0/0 (tid 100) ran 1120ms of a share of 1000ms; 4 busy workers, "
				"2.0 s (threshold 10%)");
	}
}

static void long_turns_widen_the_limit_of_a_worker(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct scene s;

		scene_begin(&s);
		for (size_t k = 0; k < 4; k++) {
			uint64_t least = i ? 780 : 870, run = k % 2 ? least : 2000 - least;

			add_worker(&s, "cg_0", run, 2000 - run);
			s.seen.tasks.items[k].migrations = 4;
			s.seen.tasks.items[k].runs = 16;
		}
		if (i == 0)
			expect_pass(&s);
		else
			expect_failure(
				&s, DETAIL_SHARE,
				"unfair share: cg_0/1 (tid 101) ran 780ms of a share of 1000ms; "
				"cg_0/0 (tid 100) ran 1220ms of a share of 1000ms; 4 busy workers, "
				"2.0 s (threshold 15%)");
	}
}

static void workers_of_one_cpu_are_equal(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	for (size_t i = 0; i < 2; i++) {
		add_worker(&s, "cg_0", i ? 1430 : 570, i ? 570 : 1430);
		s.seen.tasks.items[i].allowed_cpus = 1;
	}
	expect_failure(
		&s, DETAIL_SHARE,
		"unfair share: cg_0/0 (tid 100) ran 570ms of a share of 1000ms; cg_0/1 (tid "
		"101) ran 1430ms of a share of 1000ms; 2 busy workers, 2.0 s (threshold 10%)");
}

/* Cgroups in one another: what is due goes from level to level. */
/* Four busy ones, of which two are threads of a worker that sleeps; the second one has so much. */
static struct observe_task *add_threads(struct scene *s, uint64_t run_ms)
{
	scene_begin(s);
	add_worker(s, "program", 10, 0);
	add_worker(s, "busy", 1000, 1000);
	add_worker(s, "busy", 2000 - run_ms, run_ms);
	for (int i = 0; i < 2; i++)
		add_task(s, i ? run_ms : 1000, i ? 2000 - run_ms : 1000, 10)->tgid = FIRST_TID;
	return &s->seen.tasks.items[4];
}

static void busy_threads_of_a_worker_have_a_share(void **state)
{
	struct scene s;

	(void)state;
	add_threads(&s, 400);
	for (size_t i = 1; i < 5; i++)
		s.seen.tasks.items[i].migrations = 50;
	expect_failure(
		&s, DETAIL_SHARE,
		"unfair share: the 2 workers of program ran 1400ms of a share of 2000ms, least "
		"of them program/0 (thread 104) with 400ms; the 2 workers of busy ran 2600ms "
		"of a share of 2000ms, most of them busy/2 (tid 102) with 1600ms; 4 busy "
		"workers, 2.0 s (threshold 15%)");
	add_threads(&s, 1000);
	expect_pass(&s);
	/* Not of a worker: then it is somebody else, who took its CPUs. */
	add_threads(&s, 400)->tgid = 4000;
	judge(&s);
	assert_int_equal(s.res.verdict, KTSTR_PASSED);
	scene_end(&s);
}

/* Of several groups of a cgroup it is the cgroup that is named. */
static void equals_of_several_groups_have_the_name_of_their_cgroup(void **state)
{
	struct scene s;

	(void)state;
	for (int i = 0; i < 2; i++) {
		scene_begin(&s);
		add_worker(&s, "low:one", 500, 1500)->cgroup = "low";
		add_worker(&s, i ? "low:one" : "low:other", 500, 1500)->cgroup = "low";
		add_worker(&s, "high", 1500, 500);
		add_worker(&s, "high", 1500, 500);
		judge(&s);
		assert_int_equal(s.res.verdict, KTSTR_FAILED);
		assert_non_null(
			strstr(s.res.details.items[0].message,
			       i ? "the 2 workers of low:one ran" : "the 2 workers of low ran"));
		scene_end(&s);
	}
}

static void nested_cgroups_are_judged_level_by_level(void **state)
{
	static const struct {
		const char *cgroups[4];
		uint32_t top_weight; /* of the first worker's "a" */
		uint64_t run_ms[4];
		bool is_fair;
	} rows[] = {
		/* Siblings are equal. */
		{ { "a/x", "a/x", "a/y", "a/y" }, 0, { 1000, 1000, 1000, 1000 }, true },
		{ { "a/x", "a/x", "a/y", "a/y" }, 0, { 1500, 1500, 500, 500 }, false },
		/* a has a half, and so has b; or all tasks have the same. */
		{ { "a/x", "a/y", "a/z", "b" }, 0, { 667, 667, 667, 2000 }, true },
		{ { "a/x", "a/y", "a/z", "b" }, 0, { 1000, 1000, 1000, 1000 }, true },
		{ { "a/x", "a/y", "a/z", "b" }, 0, { 1800, 700, 700, 800 }, false },
		/* Three quarters are for a, by its weight. */
		{ { "a/x", "a/x/deep", "b", "b" }, 300, { 1500, 1500, 500, 500 }, true },
		{ { "a/x", "a/x", "b", "b" }, 300, { 1000, 1000, 1000, 1000 }, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene s;

		scene_begin(&s);
		for (size_t k = 0; k < 4; k++) {
			struct known_worker *w = add_worker(&s, rows[i].cgroups[k],
							    rows[i].run_ms[k],
							    2000 - rows[i].run_ms[k]);

			if (rows[i].top_weight)
				w->cpu_weights[0] = rows[i].cgroups[k][0] == 'a' ? 300 : 100;
		}
		judge(&s);
		if ((s.res.verdict == KTSTR_PASSED) != rows[i].is_fair)
			fail_msg("row %zu", i);
		scene_end(&s);
	}
}

static void cgroups_far_below_others_are_not_judged(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "a/b/c/d/e", 1500, 500);
	add_worker(&s, "a/b/c/d/e", 500, 1500);
	expect_note(&s, "shares not judged: cgroups lie in one another, more than four levels of "
			"them or on a part of an LLC");
}

static void overlapping_cpus_are_not_compared(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	assert_int_equal(
		vec_push(&s.seen.sets, (struct observe_set){ .is_ready = 2, .cpus = { 2 } }), 0);
	add_worker(&s, "cg_0", 1500, 500);
	add_worker(&s, "cg_0", 500, 1500);
	add_worker(&s, "cg_1", 1900, 100);
	s.seen.tasks.items[2].last_set = 2;
	judge(&s);
	assert_int_equal(s.res.verdict, KTSTR_PASSED);
	assert_string_equal(s.res.details.items[0].message,
			    "shares not judged: workers compete on CPUs of which others may use "
			    "only some");
	scene_end(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_get_equal_shares),
		cmocka_unit_test(a_cgroup_that_gets_twice_as_much_is_told),
		cmocka_unit_test(a_cgroup_of_one_worker_is_that_worker),
		cmocka_unit_test(both_notions_of_fair_are_fair),
		cmocka_unit_test(a_short_phase_proves_nothing_about_shares),
		cmocka_unit_test(a_single_worker_has_twice_the_limit),
		cmocka_unit_test(on_a_part_of_an_llc_cpus_are_not_balanced),
		cmocka_unit_test(who_moves_all_the_time_is_balanced),
		cmocka_unit_test(cpus_hold_whole_tasks),
		cmocka_unit_test(an_llc_has_its_part_of_the_workers),
		cmocka_unit_test(three_of_six_do_not_share_one_of_four_cpus),
		cmocka_unit_test(who_misses_most_is_named_beside_who_has_too_much),
		cmocka_unit_test(others_on_the_same_cpus_are_a_matter_of_luck),
		cmocka_unit_test(errors_of_shares_are_told),
		cmocka_unit_test(sleepers_have_no_share),
		cmocka_unit_test(workers_that_no_cpu_is_kept_for_are_equal),
		cmocka_unit_test(who_came_later_is_due_less),
		cmocka_unit_test(long_turns_widen_the_limit_of_a_worker),
		cmocka_unit_test(workers_of_one_cpu_are_equal),
		cmocka_unit_test(busy_threads_of_a_worker_have_a_share),
		cmocka_unit_test(equals_of_several_groups_have_the_name_of_their_cgroup),
		cmocka_unit_test(nested_cgroups_are_judged_level_by_level),
		cmocka_unit_test(cgroups_far_below_others_are_not_judged),
		cmocka_unit_test(overlapping_cpus_are_not_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

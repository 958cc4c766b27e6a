// SPDX-License-Identifier: GPL-2.0-only
/* Workers that get unequal shares, and the check of their spread. */
#include "check_run.h"

static void test_unfair(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.made.reports[1]->total.cpu_time_ns = 600000000;
	expect_only(
		&r, KTSTR_FAILED, DETAIL_UNFAIR,
		"unfair cgroup: spread=20% (50-70%) 2 workers on 2 cpus: cg_0; cg_0/1 (tid 101) was off a CPU most");
	/* The same run is within the limit of an unoptimised build. */
	run_init(&r, 2);
	r.made.reports[1]->total.cpu_time_ns = 600000000;
	check_set_release(false);
	expect_quiet(&r);
	run_init(&r, 2);
	r.made.reports[1]->total.cpu_time_ns = 600000000;
	r.checks.max_spread_pct = 10;
	expect_only(
		&r, KTSTR_FAILED, DETAIL_UNFAIR,
		"unfair cgroup: spread=20% (50-70%) 2 workers on 2 cpus (threshold 10%): cg_0; cg_0/1 (tid 101) was off a CPU most");
	run_init(&r, 2);
	r.made.reports[1]->total.cpu_time_ns = 600000000;
	r.checks.max_spread_pct = KTSTR_OFF;
	expect_quiet(&r);
}

/* A limit is what is still allowed. */
static void test_spread_at_the_limit_is_fair(void **state)
{
	struct run r;

	(void)state;
	for (int limit = 24; limit <= 26; limit++) {
		run_init(&r, 2);
		r.made.reports[1]->total.cpu_time_ns = 500000000;
		r.checks.max_spread_pct = limit;
		if (limit >= 25)
			expect_quiet(&r);
		else
			expect_only(&r, KTSTR_FAILED, DETAIL_UNFAIR,
				    "unfair cgroup: spread=25% (50-75%) 2 workers on 2 cpus "
				    "(threshold 24%): cg_0; cg_0/1 (tid 101) was off a CPU most");
	}
}

static void test_only_workers_of_one_role_are_compared(void **state)
{
	struct run r;

	(void)state;
	/* Who wakes the others never waits itself. */
	run_init(&r, 4);
	r.made.reports[0]->total.cpu_time_ns = 2000000000;
	for (int i = 1; i < 4; i++)
		r.made.reports[i]->role = 1;
	expect_quiet(&r);
	run_init(&r, 4);
	r.made.reports[0]->total.cpu_time_ns = 2000000000;
	for (int i = 1; i < 4; i++)
		r.made.reports[i]->role = 1;
	r.made.reports[3]->total.cpu_time_ns = 400000000;
	expect_only(
		&r, KTSTR_FAILED, DETAIL_UNFAIR,
		"unfair cgroup: spread=30% (50-80%) 4 workers on 2 cpus: cg_0; cg_0/3 (tid 103) was off a CPU most");
}

static void test_workers_pinned_apart_are_compared_on_demand(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.made.reports[1]->total.cpu_time_ns = 2000000000;
	r.made.cgroup.is_pinned_apart = true;
	expect_quiet(&r);
	run_init(&r, 2);
	r.made.reports[1]->total.cpu_time_ns = 2000000000;
	r.made.cgroup.is_pinned_apart = true;
	r.checks.max_spread_pct = 40;
	expect_only(
		&r, KTSTR_FAILED, DETAIL_UNFAIR,
		"unfair cgroup: spread=50% (0-50%) 2 workers on 2 cpus (threshold 40%): cg_0; cg_0/0 (tid 100) was off a CPU most");
}

/* Workers that sleep by themselves differ, and nobody had to wait. */
static void test_who_does_not_wait_is_not_treated_unfairly(void **state)
{
	struct run r;

	(void)state;
	for (int waited_pct = 10; waited_pct <= 20; waited_pct += 10) {
		run_init(&r, 2);
		for (int i = 0; i < 2; i++) {
			struct worker_counts *c = &r.made.reports[i]->total;

			c->has_run_delay = true;
			c->run_delay_ns = i ? c->wall_time_ns * (uint64_t)waited_pct / 100 : 0;
		}
		r.made.reports[1]->total.cpu_time_ns = 600000000;
		if (waited_pct == 10)
			expect_only(&r, KTSTR_PASSED, DETAIL_NOTE,
				    "spread=20% of cg_0 not judged: no worker waited long enough "
				    "for a CPU to explain it");
		else
			expect_only(
				&r, KTSTR_FAILED, DETAIL_UNFAIR,
				"unfair cgroup: spread=20% (50-70%) 2 workers on 2 cpus: cg_0; cg_0/1 (tid 101) was off a CPU most");
	}
}

/* Shares that were compared with everybody's tell more than the spread of one cgroup. */
static void test_fair_shares_explain_a_spread(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.made.reports[1]->total.cpu_time_ns = 600000000;
	r.made.cgroup.has_fair_shares = true;
	expect_only(&r, KTSTR_PASSED, DETAIL_NOTE,
		    "spread=20% of cg_0 not judged: each worker has a fair share, as far as CPUs "
		    "can be divided among tasks");
}

/* Where others take the same CPUs, one worker has one of them beside it and another has not. */
static void test_one_task_more_on_a_cpu_explains_a_spread(void **state)
{
	struct run r;

	(void)state;
	for (int i = 0; i < 2; i++) {
		run_init(&r, 2);
		r.made.reports[1]->total.cpu_time_ns = 600000000;
		r.made.cgroup.luck_pct = i ? 4 : 5; /* beside the threshold of 15 % */
		if (i)
			expect_only(
				&r, KTSTR_FAILED, DETAIL_UNFAIR,
				"unfair cgroup: spread=20% (50-70%) 2 workers on 2 cpus: cg_0; cg_0/1 (tid 101) was off a CPU most");
		else
			expect_only(&r, KTSTR_PASSED, DETAIL_NOTE,
				    "spread=20% of cg_0 not judged: others take some of its CPUs, "
				    "too, and one task more or less on a CPU explains it");
	}
}

/* The cpuset is CPUs 0 and 1: of four of an LLC, then of two. */
static void test_a_part_of_an_llc_is_not_balanced(void **state)
{
	static const struct {
		const char *machine;
		uint64_t migrations;
		bool is_judged;
	} cases[] = { { "1n1l4c1t", 1, false },
		      { "1n1l4c1t", 100, true },
		      { "1n2l2c1t", 1, true } };
	struct run r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_topology_ struct topology topology = {};

		assert_int_equal(topology_from_notation(&topology, cases[i].machine), 0);
		run_init(&r, 2);
		r.made.cgroup.topology = &topology;
		r.made.reports[1]->total.cpu_time_ns = 600000000;
		r.made.reports[1]->total.migrations = cases[i].migrations;
		if (cases[i].is_judged)
			expect_only(
				&r, KTSTR_FAILED, DETAIL_UNFAIR,
				"unfair cgroup: spread=20% (50-70%) 2 workers on 2 cpus: cg_0; cg_0/1 (tid 101) was off a CPU most");
		else
			expect_only(&r, KTSTR_PASSED, DETAIL_NOTE,
				    "spread=20% of cg_0 not judged: its CPUs are a part of an LLC, "
				    "over which the kernel does not balance a load");
	}
}

static void test_a_short_life_is_no_proof_of_unfairness(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.made.reports[1]->total.cpu_time_ns = 600000000;
	r.made.cgroup.fair_after_ns = 10000000000;
	expect_only(
		&r, KTSTR_PASSED, DETAIL_NOTE,
		"spread=20% of cg_0 not judged: the workers lived too short a time, in which load "
		"balancing may be under way");
	/* A limit of the test's own is not kept for lack of evidence. */
	run_init(&r, 2);
	r.made.reports[1]->total.cpu_time_ns = 600000000;
	r.made.cgroup.fair_after_ns = 10000000000;
	r.checks.max_spread_pct = 10;
	expect_only(
		&r, KTSTR_INCONCLUSIVE, DETAIL_UNFAIR,
		"unfair cgroup: spread=20% (50-70%) 2 workers on 2 cpus (threshold 10%): cg_0; cg_0/1 (tid 101) was off a CPU most; not "
		"judged: the workers lived too short a time, in which load balancing may be "
		"under way");
	/* Long enough. */
	run_init(&r, 2);
	r.made.reports[1]->total.cpu_time_ns = 600000000;
	r.made.cgroup.fair_after_ns = 2000000000;
	expect_only(
		&r, KTSTR_FAILED, DETAIL_UNFAIR,
		"unfair cgroup: spread=20% (50-70%) 2 workers on 2 cpus: cg_0; cg_0/1 (tid 101) was off a CPU most");
}

/* The second had not begun when the cgroup was frozen. */
static void test_who_was_frozen_lived_as_long_or_is_not_compared(void **state)
{
	struct run r;

	(void)state;
	for (int is_frozen = 0; is_frozen < 2; is_frozen++) {
		run_init(&r, 2);
		r.made.cgroup.was_frozen = is_frozen;
		r.made.reports[1]->total.wall_time_ns -= r.made.reports[1]->total.wall_time_ns / 4;
		run_judge(&r);
		assert_int_equal(r.res.verdict, is_frozen ? KTSTR_PASSED : KTSTR_FAILED);
		assert_string_equal(
			r.res.details.items[r.res.details.count - 1].message,
			is_frozen ?
				"spread=17% of cg_0 not judged: the test froze it, and its "
				"workers lived for different times" :
				"unfair cgroup: spread=17% (33-50%) 2 workers on 2 cpus: cg_0; cg_0/0 (tid 100) was off a CPU most");
		run_finish(&r);
	}
	/* All of them had. */
	run_init(&r, 2);
	r.made.cgroup.was_frozen = true;
	r.made.reports[1]->total.cpu_time_ns = 600000000;
	r.made.reports[1]->total.wall_time_ns -= r.made.reports[1]->total.wall_time_ns / 20;
	run_judge(&r);
	assert_int_equal(r.res.verdict, KTSTR_FAILED);
	run_finish(&r);
}

static void test_spread_needs_two_workers(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.made.reports[0]->total.wall_time_ns = 0;
	r.made.reports[1]->total.cpu_time_ns = 1;
	expect_quiet(&r);
}

static void test_more_cpu_than_wall_time_is_all_of_it(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.made.reports[0]->total.cpu_time_ns = 2000000500;
	r.made.reports[1]->total.cpu_time_ns = 2000000000;
	run_judge(&r);
	assert_true(r.res.cgroups.items[0].spread_pct == 0);
	assert_true(r.res.cgroups.items[0].max_off_cpu_pct == 0);
	run_finish(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unfair),
		cmocka_unit_test(test_only_workers_of_one_role_are_compared),
		cmocka_unit_test(test_workers_pinned_apart_are_compared_on_demand),
		cmocka_unit_test(test_who_does_not_wait_is_not_treated_unfairly),
		cmocka_unit_test(test_fair_shares_explain_a_spread),
		cmocka_unit_test(test_one_task_more_on_a_cpu_explains_a_spread),
		cmocka_unit_test(test_a_part_of_an_llc_is_not_balanced),
		cmocka_unit_test(test_a_short_life_is_no_proof_of_unfairness),
		cmocka_unit_test(test_spread_at_the_limit_is_fair),
		cmocka_unit_test(test_who_was_frozen_lived_as_long_or_is_not_compared),
		cmocka_unit_test(test_spread_needs_two_workers),
		cmocka_unit_test(test_more_cpu_than_wall_time_is_all_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

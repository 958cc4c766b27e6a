// SPDX-License-Identifier: GPL-2.0-only
/* Checks of workers at their limits: the last value that is fine, the first that is not. */
#include "check_run.h"

#include <sched.h>

#include "check/parts.h"

#define MS UINT64_C(1000000)

/* It fails for this alone, and tells how much time was lost. */
static void expect_lost(struct run *r, enum detail_kind kind, uint64_t lost_ns)
{
	run_judge(r);
	only_detail(&r->res, kind);
	assert_int_equal(r->res.details.count, 1);
	assert_int_equal(r->res.verdict, KTSTR_FAILED);
	assert_int_equal(r->res.details.items[0].time_ns, lost_ns);
	run_finish(r);
}

static void expect_blind(struct run *r, const char *field)
{
	run_judge(r);
	assert_int_equal(r->res.verdict, KTSTR_INCONCLUSIVE);
	assert_int_equal(r->res.details.count, 1);
	if (!str_starts(only_detail(&r->res, DETAIL_BENCHMARK), field))
		fail_msg("not %s: %s", field, r->res.details.items[0].message);
	run_finish(r);
}

static void gaps_have_a_limit_by_build(void **state)
{
	(void)state;
	for (int is_release = 0; is_release < 2; is_release++) {
		uint64_t limit = is_release ? 2001 : 3001;
		struct run r;

		run_init(&r, 1);
		check_set_release(is_release);
		r.made.reports[0]->total.max_gap_ns = limit * MS;
		expect_lost(&r, DETAIL_STUCK, limit * MS);
		run_init(&r, 1);
		check_set_release(is_release);
		r.made.reports[0]->total.max_gap_ns = limit * MS - 1;
		expect_quiet(&r);
		/* Nothing was measured. */
		run_init(&r, 1);
		r.made.reports[0]->total.max_gap_ns = 9000 * MS;
		r.made.reports[0]->total.max_gap_cpu = -1;
		expect_quiet(&r);
	}
}

/* One phase in which worker 0 waited so long at once. */
static struct observed waited(uint64_t ns)
{
	struct observed seen = { .is_known = true, .end_ns = 2000 * MS };
	struct observe_task t = { .pid = 100, .worst = { .ns = ns, .cpu = 1 } };

	assert_int_equal(vec_push(&seen.tasks, t), 0);
	assert_int_equal(vec_push(&seen.cpus, (struct observe_cpu){}), 0);
	return seen;
}

/* That is told by the check of waits. */
static void gaps_of_which_most_is_a_wait_are_not_told(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct observed seen[2] = { waited(2500 * MS + (uint64_t)i), waited(1) };
		struct run r;

		run_init(&r, 1);
		r.made.reports[0]->total.max_gap_ns = 5000 * MS;
		r.made.cgroup.seen = seen;
		r.made.cgroup.seen_count = 2;
		if (i)
			expect_quiet(&r);
		else
			expect_lost(&r, DETAIL_STUCK, 5000 * MS);
		observed_finish(&seen[0]);
		observed_finish(&seen[1]);
	}
}

/* Of 2000 ms worker 0 ran or waited for so many, and did nothing; worker 1 did. */
static void judge_sleeper(uint64_t run_ms, uint64_t wait_ms, bool is_alone, bool is_known,
			  bool is_starved)
{
	struct observed seen = waited(1);
	struct run r;

	seen.is_known = is_known;
	seen.tasks.items[0].run_ns = run_ms * MS;
	seen.tasks.items[0].wait_ns = wait_ms * MS;
	run_init(&r, 2);
	r.made.reports[0]->total.work_units = 0;
	r.made.reports[0]->total.cpu_time_ns = run_ms * MS;
	r.made.reports[0]->total.wall_time_ns = 2000 * MS;
	r.made.reports[1]->total.work_units = is_alone ? 0 : 1;
	r.made.reports[1]->end = is_alone ? WORKER_TIMED_OUT : WORKER_COMPLETED;
	r.checks.max_spread_pct = KTSTR_OFF;
	r.made.cgroup.seen = &seen;
	r.made.cgroup.seen_count = 1;
	run_judge(&r);
	if (is_starved)
		assert_string_equal(only_detail(&r.res, DETAIL_STARVED),
				    "tid 100 starved (0 work units): cg_0/0");
	else
		assert_string_equal(
			only_detail(&r.res, DETAIL_NOTE),
			"progress of cg_0/0 (tid 100) not judged: it slept for nearly all "
			"of the time, while others of cg_0 worked");
	assert_int_equal(r.res.verdict, is_starved ? KTSTR_FAILED : KTSTR_PASSED);
	run_finish(&r);
	observed_finish(&seen);
}

static void who_slept_for_most_of_its_life_is_not_starved(void **state)
{
	(void)state;
	judge_sleeper(100, 399, false, true, false);
	judge_sleeper(100, 400, false, true, true);
	judge_sleeper(0, 1999, false, true, true);
	/* Nobody did anything; nothing was recorded. */
	judge_sleeper(0, 1, true, true, true);
	judge_sleeper(0, 1, false, false, true);
}

/* Told to stop at 2000 ms, it waited since 500 ms, and until 2000 or 2100 ms. */
static void who_never_got_a_cpu_is_stuck_and_not_lost(void **state)
{
	static const struct {
		uint64_t since_ms, length_ms;
		bool is_stuck;
	} rows[] = {
		{ 500, 1600, true }, { 500, 1500, false }, { 2000, 50, true }, { 2001, 50, false }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct observed seen = waited(1), after = waited(rows[i].length_ms * MS);
		struct run r;

		run_init(&r, 1);
		after.tasks.items[0].worst.since_ns = rows[i].since_ms * MS;
		r.made.cgroup.seen = &seen;
		r.made.cgroup.seen_count = 1;
		r.made.cgroup.after = &after;
		r.made.cgroup.start_ns = 100 * MS;
		r.made.reports[0]->end = WORKER_TIMED_OUT;
		run_judge(&r);
		assert_int_equal(r.res.details.count, 1);
		assert_int_equal(r.res.details.items[0].kind,
				 rows[i].is_stuck ? DETAIL_STUCK : DETAIL_WORKER_LOST);
		if (i == 0) {
			assert_string_equal(r.res.details.items[0].message,
					    "stuck 1600ms on cpu1 at +2000ms: cg_0/0 (tid 100) was "
					    "runnable, and did not run when it was told to stop");
			assert_int_equal(r.res.details.items[0].time_ns, 1600 * MS);
		}
		run_finish(&r);
		observed_finish(&seen);
		observed_finish(&after);
	}
}

static void starvation_costs_the_whole_life(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 1);
	r.made.reports[0]->total.work_units = 0;
	/* Half of the time on a CPU is not most of it. */
	expect_lost(&r, DETAIL_STARVED, 2000 * MS);
	run_init(&r, 1);
	r.made.reports[0]->total.work_units = 1;
	expect_quiet(&r);
	/* From 100 ms on it had time, whoever ended the run. */
	for (uint64_t ns = 100 * MS - 1; ns <= 100 * MS; ns++) {
		run_init(&r, 1);
		r.made.reports[0]->total.work_units = 0;
		r.made.reports[0]->total.wall_time_ns = ns;
		r.made.reports[0]->total.cpu_time_ns = 0;
		r.made.cgroup.was_cut_short = true;
		if (ns < 100 * MS)
			expect_quiet(&r);
		else
			expect_lost(&r, DETAIL_STARVED, ns);
	}
}

static void rates_at_their_limits_are_kept(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.checks.min_work_rate = 1024000;
	expect_quiet(&r);
	/* A quarter of its CPU time would not have been needed. */
	run_init(&r, 2);
	r.checks.min_work_rate = 1024000;
	r.made.reports[1]->total.work_units = 768000;
	expect_lost(&r, DETAIL_BENCHMARK, 250 * MS);
	run_init(&r, 2);
	r.checks.min_iteration_rate = 500;
	expect_quiet(&r);
	run_init(&r, 2);
	r.checks.min_iteration_rate = 500;
	r.made.reports[1]->total.iterations = 750;
	expect_lost(&r, DETAIL_BENCHMARK, 500 * MS);
	/* 512000 and 1536000: a mean of 1024000, and half of it either way. */
	for (int i = 0; i < 2; i++) {
		run_init(&r, 2);
		r.checks.max_throughput_cv = i ? 0.49 : 0.5;
		r.made.reports[0]->total.work_units = 512000;
		r.made.reports[1]->total.work_units = 1536000;
		if (i)
			expect_only(&r, KTSTR_FAILED, DETAIL_BENCHMARK,
				    "throughput CV 0.500 exceeds limit 0.490 (mean=1024000 "
				    "work/cpu_s), least of cg_0/0 (tid 100) with 512000");
		else
			expect_quiet(&r);
	}
	run_init(&r, 2);
	r.checks.max_migration_ratio = 0.002;
	expect_quiet(&r);
	/* 45 and 50 % of their lives. */
	run_init(&r, 2);
	r.checks.max_run_delay_spread_pct = 5;
	r.made.reports[1]->total.run_delay_ns = 1000 * MS;
	expect_quiet(&r);
}

static void wakeups_at_their_limits_are_kept(void **state)
{
	struct run r;

	(void)state;
	for (int i = 0; i < 2; i++) {
		run_init(&r, 2);
		histogram_add(&r.made.reports[0]->total.wakes, 60);
		r.checks.max_p99_wake_latency_ns = 60 - i;
		if (i)
			expect_lost(&r, DETAIL_BENCHMARK, 60);
		else
			expect_quiet(&r);
		run_init(&r, 2);
		histogram_add(&r.made.reports[0]->total.wakes, 10);
		histogram_add(&r.made.reports[1]->total.wakes, 30);
		r.checks.max_wake_latency_cv = i ? 0.49 : 0.5;
		if (i)
			expect_only(&r, KTSTR_FAILED, DETAIL_BENCHMARK,
				    "wake latency CV 0.500 exceeds limit 0.490 (mean=20ns)");
		else
			expect_quiet(&r);
	}
}

/* 25 ms for each that wants a CPU: twice that where two tasks want one. */
static void timers_may_be_late_by_a_slice_of_each(void **state)
{
	static const struct {
		uint64_t lateness_ms, load_ms;
		int64_t limit;
		bool is_seen, is_late;
	} rows[] = {
		{ 25, 1000, 0, true, false },	    { 26, 1000, 0, true, true },
		{ 26, 1000, 0, false, false },	    { 50, 4000, 0, true, false },
		{ 51, 4000, 0, true, true },	    { 26, 4000, 25000001, false, true },
		{ 26, 4000, 25000001, true, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct observed seen[2] = { waited(1), waited(1) };
		struct run r;

		run_init(&r, 1);
		seen[0].tasks.items[0].run_ns = seen[0].tasks.items[0].wait_ns =
			rows[i].load_ms / 2 * MS;
		histogram_add(&r.made.reports[0]->total.timers, rows[i].lateness_ms * MS);
		r.made.cgroup.seen = seen;
		r.made.cgroup.seen_count = rows[i].is_seen ? 2 : 0;
		if (rows[i].limit)
			r.checks.max_p99_timer_lateness_ns = rows[i].limit;
		if (rows[i].is_late)
			expect_lost(&r, DETAIL_TIMER, rows[i].lateness_ms * MS);
		else
			expect_quiet(&r);
		observed_finish(&seen[0]);
		observed_finish(&seen[1]);
	}
}

/* A limit of the spread that the test tightens wants two workers that lived long enough. */
static void a_spread_limit_without_a_spread_is_told(void **state)
{
	static const struct {
		double own;
		unsigned int workers;
		uint64_t fair_after_ms; /* workers live for 2000 ms */
		bool is_blind;
	} rows[] = {
		{ 5, 1, 0, true },	{ 5, 2, 2000, false },	    { 5, 2, 2001, true },
		{ 99, 1, 2001, false }, { KTSTR_OFF, 1, 0, false }, { 0, 1, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ktstr_assert own = { .max_spread_pct = rows[i].own };
		struct run r;

		run_init(&r, rows[i].workers);
		assert_merge(&r.checks, &own);
		for (unsigned int k = 0; k < rows[i].workers; k++)
			r.made.reports[k]->total.wall_time_ns = 2000 * MS;
		r.made.cgroup.fair_after_ns = rows[i].fair_after_ms * MS;
		result_ask(&r.res, &own);
		if (rows[i].is_blind)
			expect_blind(&r, "max_spread_pct");
		else
			expect_quiet(&r);
	}
}

/* A limit that the test tightens is not kept because there was no timer. */
static void a_timer_limit_without_a_timer_is_told(void **state)
{
	static const struct {
		int64_t own;
		bool has_timer, is_blind;
	} rows[] = { { 1000, false, true }, { 1000, true, false }, { 25000000, false, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ktstr_assert own = { .max_p99_timer_lateness_ns = rows[i].own };
		struct run r;

		run_init(&r, 1);
		assert_merge(&r.checks, &own);
		if (rows[i].has_timer)
			histogram_add(&r.made.reports[0]->total.timers, 1);
		result_ask(&r.res, &own);
		if (rows[i].is_blind)
			expect_blind(&r, "max_p99_timer_lateness_ns");
		else
			expect_quiet(&r);
	}
}

/* Worker 0 waited on CPU 1; a second task wants all of the 2000 ms there, or on CPU 0. */
static void judge_timer(uint64_t lateness_ms, const struct observe_task *how, int other_cpu,
			int other_prio, bool is_frozen, const char *said)
{
	struct observed seen = waited(1);
	struct observe_task other = {
		.pid = 200, .cpu = other_cpu, .run_ns = 2000 * MS, .static_prio = other_prio
	};
	struct run r;

	seen.tasks.items[0].mark = how->mark;
	seen.tasks.items[0].policy = how->policy;
	seen.tasks.items[0].static_prio = 120;
	seen.tasks.items[0].worst.rt_ns = how->worst.rt_ns;
	assert_int_equal(vec_push(&seen.tasks, other), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(vec_push(&seen.cpus, (struct observe_cpu){}), 0);
	run_init(&r, 1);
	histogram_add(&r.made.reports[0]->total.timers, lateness_ms * MS);
	r.made.cgroup.seen = &seen;
	r.made.cgroup.seen_count = 1;
	r.made.cgroup.was_frozen = is_frozen;
	if (said) {
		run_judge(&r);
		assert_int_equal(r.res.verdict, KTSTR_PASSED);
		/* Of who was frozen more is not judged, which is told before. */
		assert_int_equal(r.res.details.count, is_frozen ? 2 : 1);
		assert_string_equal(r.res.details.items[is_frozen].message, said);
		run_finish(&r);
	} else if (lateness_ms > 70) {
		expect_lost(&r, DETAIL_TIMER, lateness_ms * MS);
	} else {
		expect_quiet(&r);
	}
	observed_finish(&seen);
}

/* Nice -5 has three times the weight of nice 0, so 76 ms are the limit beside it. */
static void timers_are_late_by_the_crowd_of_their_cpu(void **state)
{
	static const struct observe_task plain = {};

	(void)state;
	judge_timer(70, &plain, 1, 115, false, NULL);
	judge_timer(80, &plain, 1, 115, false, NULL);
	judge_timer(25, &plain, 0, 115, false, NULL);
	judge_timer(71, &plain, 0, 115, false, NULL);
	judge_timer(71, &plain, 1, 120, false, NULL);
}

static void timers_of_who_could_not_run_are_not_judged(void **state)
{
	static const struct observe_task plain = {}, limited = { .mark = OBSERVE_LIMITED },
					 idle = { .policy = SCHED_IDLE },
					 behind = { .worst = { .rt_ns = 65 * MS } },
					 beside = { .worst = { .rt_ns = 65 * MS - 1 } };

	(void)state;
	judge_timer(90, &limited, 0, 120, false,
		    "timer lateness of cg_0 not judged: its CPU time is limited by cpu.max");
	judge_timer(90, &idle, 0, 120, false,
		    "timer lateness of cg_0 not judged: SCHED_IDLE runs when nobody else does");
	judge_timer(90, &behind, 0, 120, false,
		    "timer lateness of cg_0 not judged: real-time tasks had its CPU");
	judge_timer(90, &beside, 0, 120, false, NULL);
	judge_timer(90, &plain, 0, 120, true,
		    "timer lateness of cg_0 not judged: the test froze or stopped its workers");
}

/* A limit without a reading is not kept, one that is off is not asked. */
static void limits_without_readings_are_told(void **state)
{
	struct run r;

	(void)state;
	for (int i = 0; i < 2; i++) {
		run_init(&r, 2);
		r.checks.min_work_rate = i ? KTSTR_OFF : 1;
		r.made.reports[0]->total.cpu_time_ns = r.made.reports[1]->total.cpu_time_ns = 0;
		i ? expect_quiet(&r) : expect_blind(&r, "min_work_rate");
		run_init(&r, 2);
		r.checks.min_iteration_rate = i ? KTSTR_OFF : 1;
		r.made.reports[0]->total.wall_time_ns = r.made.reports[1]->total.wall_time_ns = 0;
		i ? expect_quiet(&r) : expect_blind(&r, "min_iteration_rate");
		/* One is not two. */
		run_init(&r, 2);
		r.checks.max_throughput_cv = i ? KTSTR_OFF : 1;
		r.made.reports[0]->total.cpu_time_ns = r.made.reports[0]->total.wall_time_ns = 0;
		i ? expect_quiet(&r) : expect_blind(&r, "max_throughput_cv");
		run_init(&r, 2);
		r.checks.max_wake_latency_cv = i ? KTSTR_OFF : 1;
		histogram_add(&r.made.reports[0]->total.wakes, 10);
		i ? expect_quiet(&r) : expect_blind(&r, "max_wake_latency_cv");
		run_init(&r, 2);
		r.checks.max_migration_ratio = i ? KTSTR_OFF : 1;
		r.made.reports[0]->total.iterations = r.made.reports[1]->total.iterations = 0;
		i ? expect_quiet(&r) : expect_blind(&r, "max_migration_ratio");
		run_init(&r, 2);
		r.checks.min_page_locality = i ? KTSTR_OFF : 1;
		i ? expect_quiet(&r) : expect_blind(&r, "min_page_locality");
		run_init(&r, 2);
		r.checks.max_slow_tier_ratio = i ? KTSTR_OFF : 1;
		i ? expect_quiet(&r) : expect_blind(&r, "max_slow_tier_ratio");
		run_init(&r, 2);
		r.checks.max_cross_node_migration_ratio = i ? KTSTR_OFF : 1;
		i ? expect_quiet(&r) : expect_blind(&r, "max_cross_node_migration_ratio");
		run_init(&r, 1);
		r.checks.max_run_delay_spread_pct = i ? KTSTR_OFF : 1;
		i ? expect_quiet(&r) : expect_blind(&r, "max_run_delay_spread_pct");
	}
}

/* A worker that is gone has no rate; the other is judged. */
static void who_is_lost_has_no_rates(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.checks.min_work_rate = 2000000;
	r.checks.min_iteration_rate = 1;
	r.made.reports[0]->end = WORKER_EXITED;
	run_judge(&r);
	assert_string_equal(only_detail(&r.res, DETAIL_BENCHMARK),
			    "worker 101 throughput 1024000 work/cpu_s below floor 2000000: cg_0/1");
	assert_int_equal(r.res.details.count, 2);
	run_finish(&r);
}

/* Two nodes of one CPU each, 75 pages on the first, which is the cpuset's. */
static void pages_at_their_limits_are_fine(void **state)
{
	_topology_ struct topology topology = {};
	struct cgroup_stats *s;
	struct run r;

	(void)state;
	assert_int_equal(topology_from_notation(&topology, "2n2l1c1t"), 0);
	run_init(&r, 2);
	r.checks.isolation = KTSTR_OFF;
	r.checks.min_page_locality = 0.75;
	r.checks.max_cross_node_migration_ratio = 0.3;
	r.checks.max_slow_tier_ratio = 0.25;
	r.made.cpuset = (struct worker_cpus){};
	worker_cpus_add(&r.made.cpuset, 0);
	r.made.cgroup.topology = &topology;
	for (int i = 0; i < 2; i++) {
		r.made.reports[i]->has_numa_pages = r.made.reports[i]->has_pages_migrated = true;
		r.made.reports[i]->numa_pages[0] = 75;
		r.made.reports[i]->numa_pages[1] = 25;
		r.made.reports[i]->pages_migrated = i ? 30 : 20;
	}
	run_judge(&r);
	assert_int_equal(r.res.verdict, KTSTR_PASSED);
	/* Migrations are those of the machine: of two that saw them the larger number counts. */
	s = &r.res.cgroups.items[0];
	assert_true(s->has_page_locality);
	assert_true(s->page_locality == 0.75);
	assert_true(s->cross_node_migration_ratio == 0.15);
	run_finish(&r);
}

/* 50 and 65 % off their CPUs are not unfair, 50 and 66 % are: 16 % of 2 s each. */
static void an_unfair_spread_costs_its_part_of_a_life(void **state)
{
	struct run r;

	(void)state;
	for (uint64_t i = 0; i < 2; i++) {
		run_init(&r, 2);
		r.made.reports[1]->total.cpu_time_ns = (700 - 20 * i) * MS;
		r.made.reports[1]->total.run_delay_ns = 1300 * MS;
		if (i)
			expect_lost(&r, DETAIL_UNFAIR, 320 * MS);
		else
			expect_quiet(&r);
	}
}

static void benchmarks_without_workers_are_skipped(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		struct run r;

		run_init(&r, 0);
		if (i == 0)
			r.checks.max_throughput_cv = 1;
		else if (i == 1)
			r.checks.min_work_rate = 1;
		else if (i == 2)
			r.checks.max_p99_wake_latency_ns = 1;
		else if (i == 3)
			r.checks.max_wake_latency_cv = 1;
		else if (i == 4)
			r.checks.min_iteration_rate = 1;
		run_judge(&r);
		assert_int_equal(r.res.details.count, i < 5);
		run_finish(&r);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_have_a_limit_by_build),
		cmocka_unit_test(gaps_of_which_most_is_a_wait_are_not_told),
		cmocka_unit_test(who_slept_for_most_of_its_life_is_not_starved),
		cmocka_unit_test(who_never_got_a_cpu_is_stuck_and_not_lost),
		cmocka_unit_test(starvation_costs_the_whole_life),
		cmocka_unit_test(rates_at_their_limits_are_kept),
		cmocka_unit_test(wakeups_at_their_limits_are_kept),
		cmocka_unit_test(timers_may_be_late_by_a_slice_of_each),
		cmocka_unit_test(a_spread_limit_without_a_spread_is_told),
		cmocka_unit_test(a_timer_limit_without_a_timer_is_told),
		cmocka_unit_test(timers_are_late_by_the_crowd_of_their_cpu),
		cmocka_unit_test(timers_of_who_could_not_run_are_not_judged),
		cmocka_unit_test(limits_without_readings_are_told),
		cmocka_unit_test(who_is_lost_has_no_rates),
		cmocka_unit_test(pages_at_their_limits_are_fine),
		cmocka_unit_test(an_unfair_spread_costs_its_part_of_a_life),
		cmocka_unit_test(benchmarks_without_workers_are_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

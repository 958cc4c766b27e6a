// SPDX-License-Identifier: GPL-2.0-only
/* Workers that misbehave, each in one respect, and the check that is meant for it. */
#include "check/parts.h"
#include "check_run.h"

static void test_quiet_workers_pass(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 4);
	expect_quiet(&r);
}

static void test_nothing_judged_is_no_pass(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 0);
	run_judge(&r);
	assert_int_equal(r.res.verdict, KTSTR_SKIPPED);
	assert_int_equal(r.res.cgroups.count, 0);
	run_finish(&r);
	run_init(&r, 0);
	r.checks.min_work_rate = 1;
	expect_only(&r, KTSTR_SKIPPED, DETAIL_SKIP, "no worker reports - benchmark skipped");
}

static void test_starved(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.made.reports[1]->total.work_units = 0;
	expect_only(&r, KTSTR_FAILED, DETAIL_STARVED, "tid 101 starved (0 work units): cg_0/1");
}

static void test_starved_is_checked_when_nothing_is_configured(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.checks = (struct ktstr_assert){ .max_imbalance_ratio = 4 };
	r.made.reports[1]->total.work_units = 0;
	expect_only(&r, KTSTR_FAILED, DETAIL_STARVED, "tid 101 starved (0 work units): cg_0/1");
	run_init(&r, 2);
	r.checks = (struct ktstr_assert){ .not_starved = KTSTR_OFF };
	r.made.reports[1]->total.work_units = 0;
	expect_quiet(&r);
}

static void test_who_was_cut_short_is_not_starved(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	for (int i = 0; i < 2; i++) {
		r.made.reports[i]->total.work_units = 0;
		r.made.reports[i]->total.wall_time_ns = 3000000;
		r.made.reports[i]->total.cpu_time_ns = 0;
	}
	r.made.cgroup.was_cut_short = true;
	expect_quiet(&r);
	/* Whoever had time before is judged all the same. */
	run_init(&r, 1);
	r.made.reports[0]->total.work_units = 0;
	r.made.reports[0]->total.cpu_time_ns = 0;
	r.made.cgroup.was_cut_short = true;
	expect_only(&r, KTSTR_FAILED, DETAIL_STARVED, "tid 100 starved (0 work units): cg_0/0");
}

static void test_progress_of_the_frozen_is_not_judged(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.made.reports[0]->total.work_units = 0;
	r.made.reports[1]->total.max_gap_ns = 9000000000;
	r.made.reports[1]->total.max_gap_cpu = 0;
	r.made.cgroup.was_frozen = true;
	expect_only(&r, KTSTR_PASSED, DETAIL_NOTE,
		    "progress of cg_0 not judged: the test froze its cgroup");
}

static void test_who_was_stopped_early_is_not_starved(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 1);
	r.made.reports[0]->total.work_units = 0;
	r.made.reports[0]->total.cpu_time_ns = 0;
	r.made.reports[0]->total.wall_time_ns = 249000000;
	r.made.cgroup.ends_early = true;
	expect_quiet(&r);
	/* Longer than a task may wait; and to the end, however long that was. */
	run_init(&r, 1);
	r.made.reports[0]->total.work_units = 0;
	r.made.reports[0]->total.cpu_time_ns = 0;
	r.made.reports[0]->total.wall_time_ns = 250000000;
	r.made.cgroup.ends_early = true;
	expect_only(&r, KTSTR_FAILED, DETAIL_STARVED, "tid 100 starved (0 work units): cg_0/0");
	run_init(&r, 1);
	r.made.reports[0]->total.work_units = 0;
	r.made.reports[0]->total.cpu_time_ns = 0;
	r.made.reports[0]->total.wall_time_ns = 100000000;
	expect_only(&r, KTSTR_FAILED, DETAIL_STARVED, "tid 100 starved (0 work units): cg_0/0");
}

static void test_silent_work_is_told_from_starvation(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 1);
	r.made.reports[0]->total.work_units = 0;
	r.made.reports[0]->total.cpu_time_ns = 1500000000;
	run_judge(&r);
	assert_string_equal(only_detail(&r.res, DETAIL_STARVED),
			    "tid 100 starved (0 work units): cg_0/0");
	assert_string_equal(
		only_detail(&r.res, DETAIL_NOTE),
		"cg_0/0 (tid 100) had 1.5 s on a CPU: its work has to call ktstr_worker_did()");
	assert_int_equal(r.res.verdict, KTSTR_FAILED);
	run_finish(&r);
	/* Once for all of a cgroup. */
	run_init(&r, 3);
	for (int i = 0; i < 3; i++) {
		r.made.reports[i]->total.work_units = 0;
		r.made.reports[i]->total.cpu_time_ns = i ? 1500000000 : 0;
	}
	run_judge(&r);
	assert_string_equal(only_detail(&r.res, DETAIL_NOTE),
			    "cg_0/1 (tid 101) had 1.5 s on a CPU (and 1 more alike): its work has "
			    "to call ktstr_worker_did()");
	run_finish(&r);
}

static void test_stuck(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.made.reports[1]->total.max_gap_ns = 3500999999;
	r.made.reports[1]->total.max_gap_at_ns = 1200000000;
	expect_only(&r, KTSTR_FAILED, DETAIL_STUCK,
		    "stuck 3500ms on cpu1 at +1200ms: cg_0/1 (tid 101) made no progress");
	run_init(&r, 2);
	r.made.reports[1]->total.max_gap_ns = 2500000000;
	check_set_release(false);
	expect_quiet(&r);
	run_init(&r, 2);
	r.made.reports[0]->total.max_gap_ns = 2000999999; /* not above 2000 ms */
	expect_quiet(&r);
	run_init(&r, 2);
	r.checks.max_gap_ms = 10;
	r.made.reports[0]->total.max_gap_ns = 1000000;
	expect_only(
		&r, KTSTR_FAILED, DETAIL_STUCK,
		"stuck 20ms on cpu1 at +500ms: cg_0/1 (tid 101) made no progress (threshold 10ms)");
}

static void test_zero_is_a_limit(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 1);
	r.checks.max_gap_ms = KTSTR_ZERO;
	expect_only(
		&r, KTSTR_FAILED, DETAIL_STUCK,
		"stuck 20ms on cpu0 at +500ms: cg_0/0 (tid 100) made no progress (threshold 0ms)");
	run_init(&r, 2);
	r.checks.max_spread_pct = KTSTR_ZERO;
	r.made.reports[1]->total.cpu_time_ns = 980000000;
	expect_only(
		&r, KTSTR_FAILED, DETAIL_UNFAIR,
		"unfair cgroup: spread=1% (50-51%) 2 workers on 2 cpus (threshold 0%): cg_0; cg_0/1 (tid 101) was off a CPU most");
}

static void test_isolation(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	worker_cpus_add(&r.made.reports[1]->total.cpus_used, 3);
	worker_cpus_add(&r.made.reports[1]->total.cpus_used, 70);
	expect_only(&r, KTSTR_FAILED, DETAIL_ISOLATION,
		    "tid 101 ran on unexpected CPUs {3, 70}: cg_0/1");
	run_init(&r, 2);
	worker_cpus_add(&r.made.reports[1]->total.cpus_used, 3);
	r.checks.isolation = KTSTR_OFF;
	expect_quiet(&r);
	/* A cpuset that changed is told by there being none to judge by. */
	run_init(&r, 2);
	worker_cpus_add(&r.made.reports[1]->total.cpus_used, 3);
	r.made.cgroup.cpuset = NULL;
	expect_quiet(&r);
}

static void test_lost_workers(void **state)
{
	static const struct {
		enum worker_end end;
		int value;
		const char *message;
		uint64_t time_ns;
	} cases[] = {
		{ WORKER_EXITED, 0,
		  "cg_0/1 (tid 101) lost: exited with code 0 without a complete report" },
		{ WORKER_EXITED, 3,
		  "cg_0/1 (tid 101) lost: exited with code 3 without a complete report" },
		{ WORKER_SIGNALED, 9, "cg_0/1 (tid 101) lost: killed by signal 9 (SIGKILL)" },
		{ WORKER_TIMED_OUT, 0, "cg_0/1 (tid 101) lost: did not stop within 5 s",
		  5 * NSEC_PER_SEC },
		{ WORKER_WAIT_FAILED, ECHILD,
		  "cg_0/1 (tid 101) lost: waiting for it failed: No child processes" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct run r;

		run_init(&r, 3);
		r.made.reports[1]->end = cases[i].end;
		r.made.reports[1]->end_value = cases[i].value;
		/* Not starved, not stuck, not unfair: gone. */
		r.made.reports[1]->total.work_units = 0;
		r.made.reports[1]->total.wall_time_ns = 0;
		r.made.reports[1]->total.max_gap_ns = 60000000000;
		expect_timed(&r, DETAIL_WORKER_LOST, cases[i].time_ns, cases[i].message);
	}
}

static void test_lost_worker_fails_with_all_checks_off(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.checks = (struct ktstr_assert){ .not_starved = KTSTR_OFF, .isolation = KTSTR_OFF };
	r.made.reports[0]->end = WORKER_SIGNALED;
	r.made.reports[0]->end_value = 11;
	expect_only(&r, KTSTR_FAILED, DETAIL_WORKER_LOST,
		    "cg_0/0 (tid 100) lost: killed by signal 11 (SIGSEGV)");
}

static void test_refused_setup_is_inconclusive(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	snprintf(r.made.reports[0]->problem, WORKER_PROBLEM_SIZE,
		 "SCHED_FIFO: Operation not permitted");
	expect_only(&r, KTSTR_INCONCLUSIVE, DETAIL_WORKER_SETUP,
		    "cg_0/0 (tid 100): SCHED_FIFO: Operation not permitted");
}

static void test_unequal_work(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.checks.max_throughput_cv = 0.2;
	r.made.reports[1]->total.work_units = 512000;
	expect_only(&r, KTSTR_FAILED, DETAIL_BENCHMARK,
		    "throughput CV 0.333 exceeds limit 0.200 (mean=768000 work/cpu_s), least of "
		    "cg_0/1 (tid 101) with 512000");
	run_init(&r, 2);
	r.checks.max_throughput_cv = 0.2;
	expect_quiet(&r);
	run_init(&r, 2);
	r.checks.min_work_rate = 600000;
	r.made.reports[1]->total.work_units = 512000;
	expect_only(&r, KTSTR_FAILED, DETAIL_BENCHMARK,
		    "worker 101 throughput 512000 work/cpu_s below floor 600000: cg_0/1");
	run_init(&r, 2);
	r.checks.min_iteration_rate = 500.5;
	r.made.reports[1]->total.iterations = 1002;
	expect_only(&r, KTSTR_FAILED, DETAIL_BENCHMARK,
		    "worker 100 iteration rate 500.0/s below floor 500.5/s: cg_0/0");
}

/* Who is off the CPU makes the others faster there: only the time on it says anything. */
static void test_rates_in_sim_are_of_cpu_time(void **state)
{
	struct run r;

	(void)state;
	check_set_sim(true);
	run_init(&r, 1);
	r.checks.min_iteration_rate = 501;
	r.made.reports[0]->total.cpu_time_ns = r.made.reports[0]->total.wall_time_ns / 2;
	r.made.reports[0]->total.iterations = 1002;
	expect_quiet(&r);
	run_init(&r, 1);
	r.checks.min_iteration_rate = 2001;
	r.made.reports[0]->total.cpu_time_ns = r.made.reports[0]->total.wall_time_ns / 2;
	r.made.reports[0]->total.iterations = 2000;
	check_set_sim(false);
	expect_only(&r, KTSTR_FAILED, DETAIL_BENCHMARK,
		    "worker 100 iteration rate 1000.0/s below floor 2001.0/s: cg_0/0");
	run_init(&r, 1);
	r.checks.min_iteration_rate = 2001;
	r.made.reports[0]->total.cpu_time_ns = r.made.reports[0]->total.wall_time_ns / 2;
	r.made.reports[0]->total.iterations = 2000;
	check_set_sim(true);
	expect_only(&r, KTSTR_FAILED, DETAIL_BENCHMARK,
		    "worker 100 iteration rate 2000.0/s of CPU time below floor 2001.0/s: cg_0/0");
	check_set_sim(false);
}

static void test_wake_latency(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	for (int i = 0; i < 99; i++)
		histogram_add(&r.made.reports[i % 2]->total.wakes, 32);
	histogram_add(&r.made.reports[0]->total.wakes, 60);
	histogram_add(&r.made.reports[0]->total.wakes, 61);
	r.checks.max_p99_wake_latency_ns = 59;
	expect_only(&r, KTSTR_FAILED, DETAIL_BENCHMARK,
		    "p99 wake latency 60ns exceeds limit 59ns (101 samples)");
	run_init(&r, 2);
	histogram_add(&r.made.reports[0]->total.wakes, 10);
	histogram_add(&r.made.reports[1]->total.wakes, 30);
	r.checks.max_wake_latency_cv = 0.4;
	expect_timed(&r, DETAIL_BENCHMARK, 10,
		     "wake latency CV 0.500 exceeds limit 0.400 (mean=20ns)");
}

static void test_migration_ratio(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.checks.max_migration_ratio = 0.0015;
	expect_only(&r, KTSTR_FAILED, DETAIL_MIGRATION,
		    "migration ratio 0.0020 exceeds threshold 0.0015 (4 migrations / 2000 "
		    "iterations)");
}

static void test_run_delay_spread(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.checks.max_run_delay_spread_pct = 10;
	r.made.reports[1]->total.run_delay_ns = 100000000;
	expect_timed(&r, DETAIL_UNFAIR, 800000000,
		     "unfair cgroup: run delay spread=40% 2 workers on 2 cpus (threshold 10%)");
}

/* Two nodes of one CPU each; the cpuset is node 0's. */
static void test_pages(void **state)
{
	_topology_ struct topology topology = {};
	static const struct {
		enum detail_kind kind;
		const char *message;
	} expected[] = {
		{ DETAIL_PAGE_LOCALITY,
		  "page locality 0.7500 below threshold 0.9000 (75/100 pages local)" },
		{ DETAIL_CROSS_NODE_MIGRATION,
		  "cross-node migration ratio 0.3000 exceeds threshold 0.1000 (30/100 pages "
		  "migrated)" },
		{ DETAIL_SLOW_TIER,
		  "slow-tier page ratio 0.2500 exceeds threshold 0.1000 (25/100 pages on non-CPU "
		  "nodes)" },
	};

	(void)state;
	assert_int_equal(topology_from_notation(&topology, "2n2l1c1t"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		struct run r;

		run_init(&r, 1);
		r.checks.isolation = KTSTR_OFF;
		if (i == 0)
			r.checks.min_page_locality = 0.9;
		else if (i == 1)
			r.checks.max_cross_node_migration_ratio = 0.1;
		else
			r.checks.max_slow_tier_ratio = 0.1;
		r.made.cpuset = (struct worker_cpus){};
		worker_cpus_add(&r.made.cpuset, 0);
		r.made.cgroup.topology = &topology;
		r.made.reports[0]->has_numa_pages = r.made.reports[0]->has_pages_migrated = true;
		r.made.reports[0]->numa_pages[0] = 75;
		r.made.reports[0]->numa_pages[1] = 25;
		r.made.reports[0]->pages_migrated = 30;
		expect_only(&r, KTSTR_FAILED, expected[i].kind, expected[i].message);
	}
}

/* A limit that met no reading was not kept. */
static void test_blind_thresholds_are_inconclusive(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.checks.max_p99_wake_latency_ns = 1000;
	expect_only(&r, KTSTR_INCONCLUSIVE, DETAIL_BENCHMARK,
		    "max_p99_wake_latency_ns could not be judged: no worker measured a wake "
		    "latency");
	run_init(&r, 2);
	r.checks.max_run_delay_spread_pct = 1;
	r.made.reports[0]->total.has_run_delay = r.made.reports[1]->total.has_run_delay = false;
	expect_only(&r, KTSTR_INCONCLUSIVE, DETAIL_BENCHMARK,
		    "max_run_delay_spread_pct could not be judged: no two workers with run "
		    "delays");
}

static void test_blind_in_one_cgroup_only_is_fine(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	r.checks.max_p99_wake_latency_ns = 1000;
	check_cgroup(&r.made.cgroup, &r.checks, &r.res);
	histogram_add(&r.made.reports[0]->total.wakes, 10);
	expect_quiet(&r);
}

static void test_statistics(void **state)
{
	struct run r;
	const struct cgroup_stats *s;

	(void)state;
	run_init(&r, 2);
	r.made.reports[1]->total.cpu_time_ns = 900000000;
	r.made.reports[1]->total.run_delay_ns = 1100000000;
	r.made.reports[1]->total.max_gap_ns = 30000000;
	run_judge(&r);
	s = &r.res.cgroups.items[0];
	assert_string_equal(s->name, "cg_0");
	assert_int_equal(s->workers, 2);
	assert_int_equal(s->cpus, 2);
	assert_true(fabs(s->min_off_cpu_pct - 50) < 1e-9 && fabs(s->max_off_cpu_pct - 55) < 1e-9);
	assert_true(fabs(s->mean_off_cpu_pct - 52.5) < 1e-9 && fabs(s->spread_pct - 5) < 1e-9);
	assert_int_equal(s->gap_ms, 30);
	assert_int_equal(s->gap_cpu, 1);
	assert_int_equal(s->gap_tid, 101);
	assert_int_equal(s->migrations, 4);
	assert_true(fabs(s->migration_ratio - 0.002) < 1e-9);
	assert_true(fabs(s->mean_run_delay_us - 1e6) < 1e-6);
	assert_true(fabs(s->worst_run_delay_us - 1.1e6) < 1e-6);
	assert_true(fabs(s->run_delay_spread_pct - 10) < 1e-9);
	assert_true(s->iterations_per_worker == 1000);
	run_finish(&r);
}

/* The longest gap counts, on whichever CPU; one of which the CPU is not known does not. */
static void test_the_longest_gap_has_its_cpu(void **state)
{
	static const struct {
		int cpus[2];
		uint64_t ms[2];
		int cpu;
		uint64_t gap_ms;
	} rows[] = {
		{ { 0, 1 }, { 40, 30 }, 0, 40 },   { { 1, 0 }, { 30, 40 }, 0, 40 },
		{ { 1, 0 }, { 40, 40 }, 1, 40 },   { { -1, 1 }, { 90, 40 }, 1, 40 },
		{ { -1, -1 }, { 90, 40 }, -1, 0 }, { { -1, 0 }, { 90, 0 }, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct run r;

		run_init(&r, 2);
		for (size_t k = 0; k < 2; k++) {
			r.made.reports[k]->total.max_gap_cpu = rows[i].cpus[k];
			r.made.reports[k]->total.max_gap_ns = rows[i].ms[k] * 1000000;
		}
		run_judge(&r);
		assert_int_equal(r.res.cgroups.items[0].gap_cpu, rows[i].cpu);
		assert_int_equal(r.res.cgroups.items[0].gap_ms, rows[i].gap_ms);
		run_finish(&r);
	}
}

/* One that was there for no time at all was off no CPU. */
static void test_a_worker_without_time_was_never_off_its_cpu(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 1);
	r.made.reports[0]->total.wall_time_ns = r.made.reports[0]->total.cpu_time_ns = 0;
	run_judge(&r);
	assert_true(r.res.cgroups.items[0].max_off_cpu_pct == 0);
	assert_true(r.res.cgroups.items[0].mean_off_cpu_pct == 0);
	run_finish(&r);
}

/* A report comes from another process: it may claim more phases than it has room for. */
static void test_a_report_has_no_more_phases_than_room_for_them(void **state)
{
	static struct worker_report w = { .phase_count = WORKER_MAX_PHASES + 5 };

	(void)state;
	for (int i = 0; i < WORKER_MAX_PHASES; i++)
		w.phases[i].iterations = 1;
	assert_ptr_equal(worker_counts_of(&w, STATS_WHOLE_RUN), &w.total);
	assert_ptr_equal(worker_counts_of(&w, WORKER_MAX_PHASES - 1),
			 &w.phases[WORKER_MAX_PHASES - 1]);
	assert_null(worker_counts_of(&w, WORKER_MAX_PHASES));
	w.phase_count = 2;
	assert_non_null(worker_counts_of(&w, 1));
	assert_null(worker_counts_of(&w, 2));
	w.phases[1].iterations = 0;
	assert_null(worker_counts_of(&w, 1));
	w.phases[1].wall_time_ns = 1;
	assert_non_null(worker_counts_of(&w, 1));
}

static void test_phases_get_their_part(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	assert_int_equal(result_add_phase(&r.res, "before", 0), 0);
	assert_int_equal(result_add_phase(&r.res, "after", 1000), 1);
	for (int i = 0; i < 2; i++) {
		struct worker_report *w = r.made.reports[i];

		/* The second one was only born in the second phase. */
		w->phase_count = 2;
		w->phases[0].wall_time_ns = w->phases[0].iterations = i == 0 ? 100 : 0;
		w->phases[1].wall_time_ns = 100;
		w->phases[1].iterations = 7;
		w->phases[0].max_gap_cpu = w->phases[1].max_gap_cpu = -1;
	}
	run_judge(&r);
	assert_int_equal(r.res.phases.items[0].end_ms, 1000);
	assert_int_equal(r.res.phases.items[0].cgroups.count, 1);
	assert_int_equal(r.res.phases.items[0].cgroups.items[0].workers, 1);
	assert_int_equal(r.res.phases.items[1].cgroups.items[0].workers, 2);
	assert_int_equal(r.res.phases.items[1].cgroups.items[0].iterations, 14);
	run_finish(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quiet_workers_pass),
		cmocka_unit_test(test_nothing_judged_is_no_pass),
		cmocka_unit_test(test_starved),
		cmocka_unit_test(test_starved_is_checked_when_nothing_is_configured),
		cmocka_unit_test(test_who_was_cut_short_is_not_starved),
		cmocka_unit_test(test_progress_of_the_frozen_is_not_judged),
		cmocka_unit_test(test_who_was_stopped_early_is_not_starved),
		cmocka_unit_test(test_silent_work_is_told_from_starvation),
		cmocka_unit_test(test_stuck),
		cmocka_unit_test(test_zero_is_a_limit),
		cmocka_unit_test(test_isolation),
		cmocka_unit_test(test_lost_workers),
		cmocka_unit_test(test_lost_worker_fails_with_all_checks_off),
		cmocka_unit_test(test_refused_setup_is_inconclusive),
		cmocka_unit_test(test_unequal_work),
		cmocka_unit_test(test_rates_in_sim_are_of_cpu_time),
		cmocka_unit_test(test_wake_latency),
		cmocka_unit_test(test_migration_ratio),
		cmocka_unit_test(test_run_delay_spread),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_blind_thresholds_are_inconclusive),
		cmocka_unit_test(test_blind_in_one_cgroup_only_is_fine),
		cmocka_unit_test(test_statistics),
		cmocka_unit_test(test_the_longest_gap_has_its_cpu),
		cmocka_unit_test(test_a_worker_without_time_was_never_off_its_cpu),
		cmocka_unit_test(test_a_report_has_no_more_phases_than_room_for_them),
		cmocka_unit_test(test_phases_get_their_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

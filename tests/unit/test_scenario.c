// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios with real workers on a cgroup tree of plain files and a machine that
 * exists on paper. Nothing here depends on how much CPU time the workers get:
 * starvation is not checked, isolation only where a test says so.
 */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "scenario_fixture.h"

static void test_defs_become_cgroups_with_workers(void **state)
{
	(void)state;
	assert_int_equal(ktstr_run_defs(&ctx, &res,
					KTSTR_CGROUPS({ .name = "a",
							.cpuset = KTSTR_DISJOINT(0, 2),
							.cpu_max = "50000 100000",
							.cpu_weight = 200,
							.memory_max = "64M",
							.pids_max = 50,
							.workers = 3 },
						      { .name = "b/c" })),
			 0);
	expect_verdict(KTSTR_PASSED);
	expect_logged("a/cpuset.cpus=0-2;");
	expect_logged("a/cpu.max=50000 100000;a/cpu.weight=200;");
	expect_logged("a/memory.max=64M;");
	expect_logged("a/pids.max=50;");
	expect_logged("b/c/cgroup.procs=");
	assert_int_equal(res.cgroups.count, 2);
	assert_string_equal(res.cgroups.items[0].name, "a");
	assert_int_equal(res.cgroups.items[0].workers, 3);
	assert_string_equal(res.cgroups.items[1].name, "b/c");
	assert_int_equal(res.cgroups.items[1].workers, 2);
	assert_int_equal(res.phases.count, 1);
	assert_string_equal(res.phases.items[0].name, "1");
	assert_int_equal(res.phases.items[0].cgroups.count, 2);
	assert_true(res.phases.items[0].end_ms - res.phases.items[0].start_ms >= 60);
	expect_nothing_left();
}

static void test_steps_are_phases_and_stimuli(void **state)
{
	const struct ktstr_scenario_run run = {
		.backdrop = { .defs = KTSTR_CGROUPS({ .name = "a", .workers = 1 }) },
		.steps = KTSTR_STEPS({ .name = "calm", .hold = BRIEFLY },
				     { .ops = KTSTR_OPS(KTSTR_SET_CPUSET("a", KTSTR_LLC(1)),
							KTSTR_CLEAR_CPUSET("a")),
				       .defs = KTSTR_CGROUPS({ .name = "b", .workers = 2 }),
				       .hold = BRIEFLY }),
	};

	(void)state;
	/* Two that begin on one CPU are no matter here. */
	ctx.checks.max_spread_pct = KTSTR_OFF;
	assert_int_equal(ktstr_run_scenario(&ctx, &res, &run), 0);
	expect_verdict(KTSTR_PASSED);
	assert_int_equal(res.phases.count, 2);
	assert_string_equal(res.phases.items[0].name, "calm");
	assert_string_equal(res.phases.items[1].name, "2");
	assert_int_equal(res.phases.items[0].cgroups.count, 1);
	assert_int_equal(res.phases.items[1].cgroups.count, 2);
	assert_true(res.phases.items[0].end_ms <= res.phases.items[1].start_ms);
	assert_int_equal(res.stimuli.count, 2);
	assert_int_equal(res.stimuli.items[0].op_count, 0);
	assert_int_equal(res.stimuli.items[0].worker_count, 1);
	assert_int_equal(res.stimuli.items[1].step, 1);
	assert_int_equal(res.stimuli.items[1].op_kinds,
			 1 << KTSTR_OP_SET_CPUSET | 1 << KTSTR_OP_CLEAR_CPUSET);
	assert_int_equal(res.stimuli.items[1].cgroup_count, 2);
	assert_int_equal(res.stimuli.items[1].worker_count, 3);
	expect_logged("a/cpuset.cpus=4-7;a/cpuset.cpus=;");
	expect_nothing_left();
}

static void test_isolation_is_for_cpusets_that_stay(void **state)
{
	/* The workers are on CPUs of this machine, the cpuset is on paper only. */
	static const struct ktstr_cgroup defs[] = {
		{ .name = "a", .cpuset = KTSTR_EXACT("7"), .workers = 1 }, {}
	};

	(void)state;
	ctx.checks = isolated;
	if (sysconf(_SC_NPROCESSORS_ONLN) > 7)
		skip();
	run_steps(KTSTR_STEPS({ .defs = defs, .hold = BRIEFLY }));
	assert_true(has_detail(DETAIL_ISOLATION, "ran on unexpected CPUs"));
	result_finish(&res);
	assert_int_equal(
		ktstr_run_scenario(
			&ctx, &res,
			&(struct ktstr_scenario_run){
				.backdrop = { .defs = defs },
				.steps = KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_CLEAR_CPUSET("a")),
						       .hold = BRIEFLY }) }),
		0);
	expect_verdict(KTSTR_PASSED);
	result_finish(&res);
	run_steps(KTSTR_STEPS(
		{ .defs = defs,
		  .hold = BRIEFLY,
		  .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("b"), KTSTR_SET_CPUSET("b", KTSTR_LLC(0))) }));
	assert_true(has_detail(DETAIL_ISOLATION, "ran on unexpected CPUs"));
}

static void test_nested_cpuset_is_that_of_all_levels(void **state)
{
	struct scenario_run r = { .ctx = &ctx };
	struct worker_cpus cpus;

	(void)state;
	assert_int_equal(run_add_cgroup(&r, "a/b"), 0);
	assert_false(run_effective_cpuset(&r, "a/b", &cpus));
	assert_int_equal(run_op(&r, &(struct ktstr_op)KTSTR_SET_CPUSET("a", KTSTR_LLC(0))), 0);
	assert_int_equal(run_op(&r, &(struct ktstr_op)KTSTR_SET_CPUSET("a/b", KTSTR_EXACT("3-5"))),
			 0);
	assert_true(run_effective_cpuset(&r, "a/b", &cpus));
	assert_int_equal(cpus.bits[0], 1 << 3);
	/* The level that came with it may be asked for later, once. */
	assert_int_equal(run_add_cgroup(&r, "a"), 0);
	assert_int_equal(run_add_cgroup(&r, "a"), -EEXIST);
	run_teardown(&r, false);
	run_free_lists(&r);
	expect_nothing_left();
}

static void test_several_groups_have_labels(void **state)
{
	(void)state;
	run_steps(KTSTR_STEPS(
		{ .defs = KTSTR_CGROUPS(
			  { .name = "a",
			    .works = KTSTR_WORKS({ .workers = 1, .work_type = KTSTR_YIELD_HEAVY },
						 { .workers = 2 }, { .workers = 3 }) }),
		  .hold = BRIEFLY }));
	expect_verdict(KTSTR_PASSED);
	assert_int_equal(res.cgroups.count, 3);
	assert_string_equal(res.cgroups.items[0].name, "a:YieldHeavy");
	assert_string_equal(res.cgroups.items[1].name, "a:CpuSpin");
	assert_string_equal(res.cgroups.items[2].name, "a:CpuSpin:2");
	assert_int_equal(res.cgroups.items[2].workers, 3);
}

static void test_workers_by_percent(void **state)
{
	(void)state;
	run_steps(KTSTR_STEPS(
		{ .defs = KTSTR_CGROUPS(
			  { .name = "a", .cpuset = KTSTR_EXACT("0-2"), .workers_pct = 50 }),
		  .hold = BRIEFLY }));
	expect_verdict(KTSTR_PASSED);
	assert_int_equal(res.cgroups.items[0].workers, 2);
	result_finish(&res);
	run_steps(KTSTR_STEPS(
		{ .defs = KTSTR_CGROUPS({ .name = "a", .workers = 1, .workers_pct = 50 }),
		  .hold = BRIEFLY }));
	expect_failure("step 1 failed: cgroup 'a': workers and workers_pct exclude each other");
}

static void test_ops_change_the_tree(void **state)
{
	const struct ktstr_scenario_run run = {
		.backdrop = { .defs = KTSTR_CGROUPS(
				      { .name = "a", .cpuset = KTSTR_LLC(0), .workers = 1 },
				      { .name = "b", .cpuset = KTSTR_LLC(1), .workers = 1 }) },
		.steps = KTSTR_STEPS(
			{ .ops = KTSTR_OPS(
				  KTSTR_SWAP_CPUSETS("a", "b"), KTSTR_FREEZE("a"),
				  KTSTR_UNFREEZE("a"), KTSTR_SET_CPU_MAX("b", "max"),
				  KTSTR_SET_CPU_WEIGHT("b", 1), KTSTR_SET_UCLAMP("b", 5, 95),
				  KTSTR_SET_AFFINITY("a", KTSTR_PIN_EXACT("0")),
				  KTSTR_SPAWN("b", .workers = 2), KTSTR_SPAWN_HOST(.workers = 1),
				  { .kind = KTSTR_OP_CAPTURE_CGROUP_PROCS, .cgroup = "b" }),
			  .hold = BRIEFLY }),
	};

	(void)state;
	fake_cgroup_clear_log();
	assert_int_equal(ktstr_run_scenario(&ctx, &res, &run), 0);
	expect_verdict(KTSTR_PASSED);
	expect_logged("a/cpuset.cpus=4-7;b/cpuset.cpus=0-3;a/cgroup.freeze=1;a/cgroup.freeze=0;"
		      "b/cpu.max=max;b/cpu.weight=1;b/cpu.uclamp.min=5;b/cpu.uclamp.max=95;");
	assert_true(has_detail(DETAIL_NOTE, "cgroup 'b' has 3 tasks: "));
	assert_int_equal(res.cgroups.count, 4);
	assert_string_equal(res.cgroups.items[0].name, "b:CpuSpin");
	assert_string_equal(res.cgroups.items[1].name, "host");
	expect_nothing_left();
}

static void test_swap_leaves_an_empty_cpuset_alone(void **state)
{
	(void)state;
	fake_cgroup_clear_log();
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"), KTSTR_ADD_CGROUP("b"),
						 KTSTR_SET_CPUSET("a", KTSTR_LLC(0)),
						 KTSTR_SWAP_CPUSETS("a", "b")) }));
	assert_null(strstr(fake_cgroup_log(), "a/cpuset.cpus=;"));
	expect_logged("a/cpuset.cpus=0-3;b/cpuset.cpus=0-3;");
	/* Nothing was judged: that is not a pass. */
	expect_verdict(KTSTR_SKIPPED);
}

static void test_frozen_workers_are_stopped_and_judged(void **state)
{
	(void)state;
	run_steps(KTSTR_STEPS({ .defs = KTSTR_CGROUPS({ .name = "a", .workers = 1 }),
				.hold = BRIEFLY },
			      { .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"),
						 KTSTR_SPAWN("a", .workers = 1), KTSTR_FREEZE("a")),
				.hold = BRIEFLY }));
	expect_verdict(KTSTR_PASSED);
	expect_logged("a/cgroup.freeze=1;a/cgroup.freeze=0;");
	/* Whichever of several it is. */
	fake_cgroup_clear_log();
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"), KTSTR_ADD_CGROUP("b"),
						 KTSTR_SPAWN("b", .workers = 1), KTSTR_FREEZE("b")),
				.hold = BRIEFLY }));
	expect_logged("b/cgroup.freeze=1;b/cgroup.freeze=0;");
	assert_null(strstr(fake_cgroup_log(), "a/cgroup.freeze"));
}

/* One that is left stopped goes on at the end: it could not be judged otherwise. */
static void test_workers_are_stopped_by_signals_and_judged(void **state)
{
	(void)state;
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"), KTSTR_ADD_CGROUP("b"),
						 KTSTR_SPAWN("a", .workers = 2), KTSTR_SIGSTOP("a"),
						 KTSTR_SIGCONT("a"), KTSTR_SPAWN("b", .workers = 1),
						 KTSTR_SIGSTOP("b")),
				.hold = BRIEFLY }));
	expect_verdict(KTSTR_PASSED);
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_SIGSTOP("nowhere")) }));
	expect_verdict(KTSTR_FAILED);
}

static void test_policies_change_meanwhile(void **state)
{
	(void)state;
	run_steps(KTSTR_STEPS(
		{ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"), KTSTR_SPAWN("a", .workers = 2),
				   KTSTR_SET_POLICY("a", KTSTR_BATCH),
				   KTSTR_SET_POLICY("a", KTSTR_NORMAL)),
		  .hold = BRIEFLY }));
	expect_verdict(KTSTR_PASSED);
	run_steps(KTSTR_STEPS(
		{ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"), KTSTR_SPAWN("a", .workers = 1),
				   KTSTR_SET_POLICY("a", { .kind = 99 })) }));
	expect_verdict(KTSTR_FAILED);
}

static void test_nice_values_change_meanwhile(void **state)
{
	(void)state;
	run_steps(KTSTR_STEPS(
		{ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"), KTSTR_SPAWN("a", .workers = 2),
				   KTSTR_SET_NICE("a", 1)),
		  .hold = BRIEFLY }));
	expect_verdict(KTSTR_PASSED);
	run_steps(KTSTR_STEPS(
		{ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"), KTSTR_SPAWN("a", .workers = 1),
				   KTSTR_SET_NICE("a", 20)) }));
	expect_verdict(KTSTR_FAILED);
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_SET_NICE("nowhere", 1)) }));
	expect_verdict(KTSTR_FAILED);
}

static void test_moved_workers_change_owner(void **state)
{
	const struct ktstr_scenario_run run = {
		.backdrop = { .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a/sub")) },
		.steps = KTSTR_STEPS({ .defs = KTSTR_CGROUPS({ .name = "b", .workers = 1 }),
				       .ops = NULL,
				       .hold = BRIEFLY },
				     { .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("b"),
							KTSTR_SPAWN("b", .workers = 1),
							KTSTR_MOVE_ALL_TASKS("b", "a")),
				       .hold = BRIEFLY },
				     { .hold = BRIEFLY }),
	};

	(void)state;
	assert_int_equal(ktstr_run_scenario(&ctx, &res, &run), 0);
	expect_verdict(KTSTR_PASSED);
	expect_logged("a/cgroup.subtree_control=-cpuset -cpu;");
	/* The one of step 2 lives on in step 3; the one of step 1 does not. */
	assert_int_equal(res.phases.items[2].cgroups.count, 1);
	expect_nothing_left();
}

static void test_loop_step_repeats_its_ops(void **state)
{
	size_t rounds = 0;

	(void)state;
	ctx.duration_ms = 1000;
	fake_cgroup_clear_log();
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("b"), KTSTR_REMOVE_CGROUP("b"),
						 KTSTR_SET_CPU_WEIGHT("a", 7)),
				.defs = KTSTR_CGROUPS({ .name = "a", .workers = 1 }),
				.hold = KTSTR_LOOP_MS(100) }));
	expect_verdict(KTSTR_PASSED);
	for (const char *p = fake_cgroup_log(); (p = strstr(p, "a/cpu.weight=7;")); p++)
		rounds++;
	/* At once, then never sooner than after the interval; fewer where the machine is slow. */
	assert_in_range(rounds, 2, 10);
	assert_int_equal(res.stimuli.count, rounds);
	assert_int_equal(res.phases.count, 1);
}

static void test_wrong_hold_touches_nothing(void **state)
{
	(void)state;
	run_steps(KTSTR_STEPS({ .defs = KTSTR_CGROUPS({ .name = "a" }), .hold = BRIEFLY },
			      { .hold = KTSTR_FRAC(-1) }));
	assert_string_equal(fake_cgroup_log(), "");
	expect_failure("step 2 failed: hold: a fraction must be finite and above 0, not -1");
}

static void test_wrong_checks_touch_nothing(void **state)
{
	const struct ktstr_assert wrong = { .max_spread_pct = NAN };

	(void)state;
	assert_int_equal(ktstr_run_steps_with(&ctx, &res, KTSTR_STEPS({ .hold = BRIEFLY }), &wrong),
			 0);
	expect_verdict(KTSTR_FAILED);
	assert_true(has_detail(DETAIL_OTHER, "max_spread_pct"));
	assert_int_equal(res.phases.count, 0);
}

static void test_memory_policies_are_checked_before_anyone_runs(void **state)
{
	(void)state;
	run_steps(KTSTR_STEPS(
		{ .defs = KTSTR_CGROUPS(
			  { .name = "a",
			    .works = KTSTR_WORKS(
				    { .workers = 1 },
				    { .workers = 1,
				      .mem_policy = { .kind = KTSTR_MEM_BIND, .nodes = "4" } }) }),
		  .hold = BRIEFLY }));
	assert_int_equal(res.cgroups.count, 0);
	expect_failure("step 1 failed: cgroup 'a': memory policy: node 4 does not exist: the "
		       "machine has 0");
}

static void test_error_in_a_step_is_told_and_torn_down(void **state)
{
	(void)state;
	run_steps(KTSTR_STEPS({ .defs = KTSTR_CGROUPS({ .name = "a", .workers = 1 },
						      { .name = "b", .cpuset = KTSTR_LLC(9) }),
				.hold = BRIEFLY },
			      { .hold = BRIEFLY }));
	/* What did run was judged, the next step did not run. */
	assert_int_equal(res.cgroups.count, 1);
	assert_int_equal(res.phases.count, 1);
	expect_failure("step 1 failed: cgroup 'b': CpusetSpec validation failed: LLC 9 is out of "
		       "range: the machine has 2");
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_STOP_CGROUP("a")) }));
	expect_failure("step 1 failed: stop_cgroup: there is no cgroup 'a': make it with a def or "
		       "KTSTR_ADD_CGROUP");
	run_steps(KTSTR_STEPS(
		{ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"), KTSTR_MOVE_ALL_TASKS("a", "b")) }));
	expect_failure(
		"step 1 failed: move_all_tasks: there is no cgroup 'b': make it with a def or "
		"KTSTR_ADD_CGROUP");
	run_steps(KTSTR_STEPS(
		{ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"), KTSTR_SWAP_CPUSETS("a", "b")) }));
	expect_failure("step 1 failed: swap_cpusets: there is no cgroup 'b': make it with a def or "
		       "KTSTR_ADD_CGROUP");
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"), KTSTR_ADD_CGROUP("a")) }));
	expect_failure("step 1 failed: add_cgroup: cgroup 'a' exists already");
	run_steps(KTSTR_STEPS({ .defs = KTSTR_CGROUPS({ .name = "a/../b" }), .hold = BRIEFLY }));
	expect_failure("step 1 failed: 'a/../b' is not a cgroup name: write \"a\" or \"a/b\"");
	fake_cgroup_fail("cgroup.procs", EIO, 1);
	run_steps(KTSTR_STEPS({ .defs = KTSTR_CGROUPS({ .name = "a" }), .hold = BRIEFLY }));
	assert_true(has_detail(DETAIL_OTHER, "step 1 failed: workers of cgroup 'a': move task "));
	assert_int_equal(res.details.items[0].time_ns, 0);
}

/* The host may explain it, as other failures about time. */
static void test_a_kernel_that_does_not_answer_took_a_time(void **state)
{
	const struct ktstr_cgroup *defs =
		KTSTR_CGROUPS({ .name = "a", .workers = 1, .cpu_weight = 7 });

	(void)state;
	fake_cgroup_fail("cpu.weight", ETIMEDOUT, 1);
	run_steps(KTSTR_STEPS({ .defs = defs, .hold = BRIEFLY }));
	assert_true(has_detail(DETAIL_OTHER, "the kernel did not answer within 2 s"));
	assert_int_equal(res.details.items[0].time_ns, 2000000000);
	fake_cgroup_fail("cpu.weight", ETIMEDOUT, 1);
	result_finish(&res);
	assert_int_equal(
		ktstr_run_scenario(&ctx, &res,
				   &(struct ktstr_scenario_run){ .backdrop = { .defs = defs } }),
		0);
	assert_true(has_detail(DETAIL_OTHER, "Backdrop setup failed: "));
	assert_int_equal(res.details.items[0].time_ns, 2000000000);
}

/* More than anybody can do. */
static const struct ktstr_assert impossible = { .not_starved = KTSTR_OFF, .min_work_rate = 1e18 };

#define TOO_LONG_NS UINT64_C(100000000)
#define MAX_TRIES 50

/* Runs it until it was over in less time than is judged: a busy host may take more. */
static void run_cut_short(const struct ktstr_scenario_run *what)
{
	for (int i = 0; i < MAX_TRIES; i++) {
		uint64_t begin = clock_mono_ns();

		result_finish(&res);
		result_init(&res);
		assert_int_equal(ktstr_run_scenario_with(&ctx, &res, what, &impossible), 0);
		if (clock_mono_ns() - begin < TOO_LONG_NS)
			return;
	}
	fail_msg("no run of %d was over in time", MAX_TRIES);
}

/* Workers that an error stops have done too little for anything to be said of it. */
static void test_who_is_cut_short_is_not_judged_by_work(void **state)
{
	const struct ktstr_cgroup *defs = KTSTR_CGROUPS({ .name = "a", .workers = 1 });
	const struct ktstr_scenario_run
		whole = { .steps = KTSTR_STEPS({ .defs = defs, .hold = BRIEFLY }) },
		step = { .steps = KTSTR_STEPS(
				 { .defs = KTSTR_CGROUPS({ .name = "a", .workers = 1 },
							 { .name = "b", .cpuset = KTSTR_LLC(9) }),
				   .hold = BRIEFLY }) },
		backdrop = {
			.backdrop = { .defs = defs,
				      .ops = KTSTR_OPS(KTSTR_SET_CPU_WEIGHT("a", 0)) },
		};

	(void)state;
	assert_int_equal(ktstr_run_scenario_with(&ctx, &res, &whole, &impossible), 0);
	assert_true(has_detail(DETAIL_BENCHMARK, "work"));
	run_cut_short(&step);
	expect_failure("step 1 failed: cgroup 'b': CpusetSpec validation failed: LLC 9 is out of "
		       "range: the machine has 2");
	run_cut_short(&backdrop);
	expect_failure("Backdrop setup failed: set_cpu_weight: cgroup 'a': cpu.weight is 1 to "
		       "10000, not 0");
}

static void test_grouped_work_needs_its_number(void **state)
{
	(void)state;
	run_steps(KTSTR_STEPS(
		{ .defs = KTSTR_CGROUPS({ .name = "a",
					  .workers = 3,
					  .work_type = KTSTR_MUTEX_CONTENTION(2, 1, 1) }),
		  .hold = BRIEFLY }));
	assert_true(has_detail(DETAIL_OTHER, "requires num_workers divisible by 2, got 3"));
	expect_verdict(KTSTR_FAILED);
}

static void run_on_backdrop(struct ktstr_step step)
{
	const struct ktstr_step steps[] = { step, { .is_end_ = true } };
	const struct ktstr_scenario_run run = {
		.backdrop = { .defs = KTSTR_CGROUPS({ .name = "a", .workers = 1 }) },
		.steps = steps,
	};

	assert_int_equal(ktstr_run_scenario(&ctx, &res, &run), 0);
	expect_nothing_left();
}

static void test_backdrop_is_guarded(void **state)
{
	(void)state;
	run_on_backdrop((struct ktstr_step){ .ops = KTSTR_OPS(KTSTR_REMOVE_CGROUP("a")) });
	expect_failure("step 1 failed: remove_cgroup: a step may not remove cgroup 'a' of the "
		       "backdrop, unless it sets .allow_backdrop = true");
	run_on_backdrop((struct ktstr_step){ .ops = KTSTR_OPS(KTSTR_STOP_CGROUP("a")) });
	expect_failure("step 1 failed: stop_cgroup: a step may not stop cgroup 'a' of the "
		       "backdrop, unless it sets .allow_backdrop = true");
	run_on_backdrop((struct ktstr_step){
		.ops = KTSTR_OPS(KTSTR_ADD_CGROUP("b"), KTSTR_MOVE_ALL_TASKS("a", "b")),
		.allow_backdrop = true });
	expect_failure("step 1 failed: move_all_tasks: tasks of 'a' in the backdrop may not move "
		       "to 'b', which goes with the step: they would be stranded");
	run_on_backdrop(
		(struct ktstr_step){ .defs = KTSTR_CGROUPS({ .name = "a" }), .hold = BRIEFLY });
	expect_failure("step 1 failed: cgroup 'a' exists already, in the backdrop");
	run_on_backdrop((struct ktstr_step){
		.ops = KTSTR_OPS(KTSTR_STOP_CGROUP("a"), KTSTR_REMOVE_CGROUP("a")),
		.allow_backdrop = true });
	expect_verdict(KTSTR_PASSED);
	assert_int_equal(res.cgroups.count, 1);
}

static void test_backdrop_error(void **state)
{
	const struct ktstr_scenario_run run = {
		.backdrop = { .defs = KTSTR_CGROUPS({ .name = "a", .workers = 1 }),
			      .ops = KTSTR_OPS(KTSTR_SET_CPU_WEIGHT("a", 0)) },
		.steps = KTSTR_STEPS({ .hold = BRIEFLY }),
	};

	(void)state;
	assert_int_equal(ktstr_run_scenario(&ctx, &res, &run), 0);
	expect_nothing_left();
	assert_int_equal(res.cgroups.count, 1);
	assert_int_equal(res.phases.count, 0);
	expect_failure("Backdrop setup failed: set_cpu_weight: cgroup 'a': cpu.weight is 1 to "
		       "10000, not 0");
}

static const char *online(int cpu)
{
	static struct str text;
	_free_ char *path = str_fmt("../sys/devices/system/cpu/cpu%d/online", cpu);

	str_finish(&text);
	text = (struct str){};
	str_add(&text, fake_cgroup_read(&fake, path));
	return str_get(&text);
}

static void test_cpus_come_back(void **state)
{
	(void)state;
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_CPU_OFFLINE(3), KTSTR_CPU_OFFLINE(5),
						 KTSTR_CPU_ONLINE(3)) },
			      { .ops = KTSTR_OPS(KTSTR_CPU_OFFLINE(0)) }));
	expect_failure("step 2 failed: cpu_offline: CPU 0 cannot be taken offline on this machine");
	assert_string_equal(online(5), "1");
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_CPU_OFFLINE(8)) }));
	expect_failure("step 1 failed: cpu_offline: CPU 8 does not exist: the machine has 0-7");
	assert_int_equal(ctx_offline_list(&ctx, "6-7"), 0);
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_CPU_OFFLINE(5)) }));
	assert_string_equal(online(5), "1");
	/* These were offline before the body began: they come back after it. */
	assert_string_equal(online(6), "0");
	assert_int_equal(ctx_online_again(&ctx, 0), 0);
	assert_string_equal(online(6), "1");
	online(0);
}

static void test_work_type_override(void **state)
{
	struct ktstr_work_type yield = KTSTR_YIELD_HEAVY, grouped = KTSTR_MUTEX_CONTENTION(2, 1, 1);
	const struct ktstr_work pair[] = { { .workers = 3 },
					   { .workers = 2 },
					   { .workers = UINT32_MAX } };
	const struct ktstr_step steps[] = {
		{ .defs = KTSTR_CGROUPS({ .name = "a", .works = pair, .swappable = true },
					{ .name = "b", .works = pair }),
		  .ops = NULL,
		  .hold = BRIEFLY },
		{ .is_end_ = true },
	};
	struct ctx_options o = options();

	ctx_finish(&ctx);
	(void)state;
	o.work_type = &yield;
	start_with(o);
	run_steps(steps);
	assert_string_equal(res.cgroups.items[0].name, "a:YieldHeavy");
	assert_string_equal(res.cgroups.items[1].name, "a:YieldHeavy:2");
	assert_string_equal(res.cgroups.items[2].name, "b:CpuSpin");
	result_finish(&res);
	ctx_finish(&ctx);
	o.work_type = &grouped;
	start_with(o);
	run_steps(steps);
	assert_string_equal(res.cgroups.items[0].name, "a:CpuSpin");
	assert_string_equal(res.cgroups.items[1].name, "a:MutexContention");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(test_defs_become_cgroups_with_workers),
		WITH(test_steps_are_phases_and_stimuli),
		WITH(test_isolation_is_for_cpusets_that_stay),
		WITH(test_nested_cpuset_is_that_of_all_levels),
		WITH(test_several_groups_have_labels),
		WITH(test_workers_by_percent),
		WITH(test_ops_change_the_tree),
		WITH(test_swap_leaves_an_empty_cpuset_alone),
		WITH(test_frozen_workers_are_stopped_and_judged),
		WITH(test_workers_are_stopped_by_signals_and_judged),
		WITH(test_policies_change_meanwhile),
		WITH(test_nice_values_change_meanwhile),
		WITH(test_moved_workers_change_owner),
		WITH(test_loop_step_repeats_its_ops),
		WITH(test_wrong_hold_touches_nothing),
		WITH(test_wrong_checks_touch_nothing),
		WITH(test_memory_policies_are_checked_before_anyone_runs),
		WITH(test_error_in_a_step_is_told_and_torn_down),
		WITH(test_a_kernel_that_does_not_answer_took_a_time),
		WITH(test_who_is_cut_short_is_not_judged_by_work),
		WITH(test_grouped_work_needs_its_number),
		WITH(test_backdrop_is_guarded),
		WITH(test_backdrop_error),
		WITH(test_cpus_come_back),
		WITH(test_work_type_override),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

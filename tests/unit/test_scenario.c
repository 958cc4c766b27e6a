// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios with real workers on a cgroup tree of plain files and a machine that
 * exists on paper. Nothing here depends on how much CPU time the workers get:
 * starvation is not checked, isolation only where a test says so.
 */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "check/check.h"
#include "fake_cgroup.h"
#include "scenario/ctx.h"
#include "scenario/run.h"

static struct fake_cgroup fake;
static struct topology topology;
static struct ktstr_ctx ctx;
static struct ktstr_result res;

static const struct ktstr_assert lenient = { .not_starved = KTSTR_OFF, .isolation = KTSTR_OFF };
static const struct ktstr_assert isolated = { .not_starved = KTSTR_OFF, .isolation = KTSTR_ON };

#define BRIEFLY KTSTR_FIXED_MS(20)

static struct ctx_options options(void)
{
	return (struct ctx_options){
		.roots = &fake.roots,
		.topology = &topology,
		.cgroup_parent = "ktstr-1",
		.duration_ms = 60,
		.settle_ms = 10,
		.checks = &lenient,
		.seed = 1,
	};
}

static void start_with(struct ctx_options o)
{
	assert_int_equal(ctx_init(&ctx, &o), 0);
	result_init(&res);
}

/* Eight CPUs 0-7, seven of them usable. Number 0 cannot be taken offline. */
static int start_bare(void **state)
{
	(void)state;
	fake_cgroup_start(&fake, "cpuset cpu memory pids");
	for (int i = 1; i < 8; i++) {
		_free_ char *file = str_fmt("sys/devices/system/cpu/cpu%d/online", i);

		unit_write(fake.dir, file, "1");
	}
	assert_int_equal(topology_from_notation(&topology, "1n2l4c1t"), 0);
	return 0;
}

static int start(void **state)
{
	start_bare(state);
	start_with(options());
	return 0;
}

static int stop(void **state)
{
	(void)state;
	result_finish(&res);
	assert_int_equal(ctx_finish(&ctx), 0);
	assert_false(fake_cgroup_has(&fake, "ktstr-1"));
	fake_cgroup_stop(&fake);
	topology_finish(&topology);
	return 0;
}

static bool has_detail(enum detail_kind kind, const char *text)
{
	for (size_t i = 0; i < res.details.count; i++)
		if (res.details.items[i].kind == kind && strstr(res.details.items[i].message, text))
			return true;
	return false;
}

static void expect_verdict(enum ktstr_verdict verdict)
{
	if (res.verdict == verdict)
		return;
	for (size_t i = 0; i < res.details.count; i++)
		print_message("detail: %s\n", res.details.items[i].message);
	fail_msg("expected %s, got %s", verdict_name(verdict), verdict_name(res.verdict));
}

/* The scenario failed with this sentence and nothing else. */
static void expect_failure(const char *text)
{
	expect_verdict(KTSTR_FAILED);
	for (size_t i = 0; i < res.details.count; i++)
		if (res.details.items[i].verdict == KTSTR_FAILED)
			assert_string_equal(res.details.items[i].message, text);
	result_finish(&res);
}

static void expect_logged(const char *text)
{
	if (!strstr(fake_cgroup_log(), text))
		fail_msg("expected '%s' in '%s'", text, fake_cgroup_log());
}

static void expect_nothing_left(void)
{
	assert_false(fake_cgroup_has(&fake, "ktstr-1/a"));
	assert_false(fake_cgroup_has(&fake, "ktstr-1/b"));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void run_steps(const struct ktstr_step *steps)
{
	assert_int_equal(ktstr_run_steps(&ctx, &res, steps), 0);
	expect_nothing_left();
}

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
				       .defs = KTSTR_CGROUPS({ .name = "b", .workers = 1 }),
				       .hold = BRIEFLY }),
	};

	(void)state;
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
	assert_int_equal(res.stimuli.items[0].handle_count, 1);
	assert_int_equal(res.stimuli.items[1].step, 2);
	assert_int_equal(res.stimuli.items[1].op_kinds,
			 1 << KTSTR_OP_SET_CPUSET | 1 << KTSTR_OP_CLEAR_CPUSET);
	assert_int_equal(res.stimuli.items[1].cgroup_count, 2);
	assert_int_equal(res.stimuli.items[1].handle_count, 2);
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
	struct run r = { .ctx = &ctx };
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
	/* Nothing was judged: that is no pass. */
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
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"), KTSTR_ADD_CGROUP("a")) }));
	expect_failure("step 1 failed: add_cgroup: cgroup 'a' exists already");
	run_steps(KTSTR_STEPS({ .defs = KTSTR_CGROUPS({ .name = "a/../b" }), .hold = BRIEFLY }));
	expect_failure("step 1 failed: 'a/../b' is no name of a cgroup: write \"a\" or \"a/b\"");
	fake_cgroup_fail("cgroup.procs", EIO, 1);
	run_steps(KTSTR_STEPS({ .defs = KTSTR_CGROUPS({ .name = "a" }), .hold = BRIEFLY }));
	assert_true(has_detail(DETAIL_OTHER, "step 1 failed: workers of cgroup 'a': move task "));
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
		       "backdrop, unless it says .allow_backdrop = true");
	run_on_backdrop((struct ktstr_step){ .ops = KTSTR_OPS(KTSTR_STOP_CGROUP("a")) });
	expect_failure("step 1 failed: stop_cgroup: a step may not stop cgroup 'a' of the "
		       "backdrop, unless it says .allow_backdrop = true");
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

/* A process that stands for a scheduler, and is a child of this one. */
static pid_t fake_scheduler(unsigned int lives_ms)
{
	pid_t pid = fork();

	if (pid == 0) {
		usleep(lives_ms * 1000);
		_exit(0);
	}
	return pid;
}

static void start_with_scheduler(unsigned int lives_ms)
{
	struct ctx_options o = options();

	o.scheduler_name = "scx_x";
	o.scheduler_pid = fake_scheduler(lives_ms);
	start_with(o);
	ctx.scheduler.is_child = true;
}

static void test_scheduler_death_between_steps(void **state)
{
	(void)state;
	start_with_scheduler(1);
	run_steps(KTSTR_STEPS({ .hold = KTSTR_FIXED_MS(200) }, { .hold = BRIEFLY }));
	assert_true(
		has_detail(DETAIL_SCHEDULER_DIED,
			   "scheduler process died unexpectedly after completing step 1 of 2 ("));
	assert_true(has_detail(DETAIL_SCHEDULER_DIED, "s into test)"));
	assert_int_equal(res.phases.count, 1);
	expect_verdict(KTSTR_FAILED);
}

static void test_scheduler_death_in_the_last_step(void **state)
{
	(void)state;
	start_with_scheduler(1);
	run_steps(KTSTR_STEPS({ .hold = KTSTR_FIXED_MS(200) }));
	assert_true(has_detail(DETAIL_SCHEDULER_DIED,
			       "scheduler process died unexpectedly (detected after all 1 steps "
			       "completed, "));
	assert_true(has_detail(DETAIL_SCHEDULER_DIED, "s elapsed)"));
}

static void test_scheduler_death_in_a_polled_hold(void **state)
{
	(void)state;
	start_with_scheduler(1);
	assert_int_equal(ctx_hold(&ctx, 100, &res), -ESRCH);
	assert_true(has_detail(DETAIL_SCHEDULER_DIED,
			       "scheduler process died unexpectedly during workload ("));
}

static void test_detach_and_attach(void **state)
{
	static const char *const argv[] = { "sleep", "1000", NULL };
	struct ctx_options o = options();

	(void)state;
	o.scheduler_argv = argv;
	o.attach_timeout_ms = 100;
	start_with(o);
	assert_int_equal(ctx_scheduler_detach(&ctx), -EINVAL);
	assert_int_equal(ctx_scheduler_attach(&ctx), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "attach eevdf: this kernel has no sched_ext");
	unit_write(fake.dir, "sys/kernel/sched_ext/state", "disabled\n");
	assert_int_equal(ctx_scheduler_attach(&ctx), -ETIMEDOUT);
	assert_string_equal(err_text(-ETIMEDOUT), "eevdf did not attach within 0.1 s");
	unit_write(fake.dir, "sys/kernel/sched_ext/state", "enabled\n");
	assert_int_equal(ctx_scheduler_attach(&ctx), 0);
	assert_true(ctx_scheduler_is_alive(&ctx));
	assert_int_equal(ctx_scheduler_attach(&ctx), -EBUSY);
	unit_write(fake.dir, "sys/kernel/sched_ext/state", "disabled\n");
	assert_int_equal(ctx_scheduler_detach(&ctx), 0);
	assert_int_equal(ktstr_scheduler_pid(&ctx), 0);
}

static int brief_body(struct ktstr_ctx *c, struct ktstr_result *r)
{
	return ktstr_run_steps(c, r,
			       KTSTR_STEPS({ .name = "only",
					     .defs = KTSTR_CGROUPS({ .name = "a", .workers = 1 }),
					     .hold = BRIEFLY }));
}

static void test_versus_has_two_sets_of_phases(void **state)
{
	(void)state;
	start_with(options());
	assert_int_equal(ctx_run_versus(&ctx, &res, brief_body), -EINVAL);
	ctx_finish(&ctx);
	start_with_scheduler(100000);
	assert_int_equal(ctx_run_versus(&ctx, &res, brief_body), 0);
	assert_int_equal(ktstr_scheduler_pid(&ctx), 0);
	expect_verdict(KTSTR_PASSED);
	assert_int_equal(res.phases.count, 2);
	assert_string_equal(res.phases.items[0].name, "scx_x: only");
	assert_string_equal(res.phases.items[1].name, "eevdf: only");
	assert_int_equal(res.phases.items[1].cgroups.count, 1);
}

static int failing_body(struct ktstr_ctx *c, struct ktstr_result *r)
{
	(void)r;
	return ktstr_fail(c, "no %s today", "luck");
}

static void test_fail_is_reported(void **state)
{
	(void)state;
	ctx_report(&ctx, failing_body(&ctx, &res), &res);
	expect_failure("no luck today");
	ctx_report(&ctx, err_set(EIO, "the disk is gone"), &res);
	assert_true(has_detail(DETAIL_OTHER, "no luck today"));
}

static void test_workers_by_hand(void **state)
{
	struct ktstr_workers *w;
	const int *pids;
	_free_ char *logged = NULL;

	(void)state;
	assert_int_equal(ktstr_cgroup_create(&ctx, "a"), 0);
	assert_int_equal(ktstr_cgroup_set_cpuset(&ctx, "a", "0-1"), 0);
	assert_int_equal(ktstr_workers_spawn(&ctx, &(struct ktstr_work){ .workers = 2 }, "a", &w),
			 0);
	assert_int_equal(ktstr_workers_pids(w, &pids), 2);
	logged =
		str_fmt("a/cpuset.cpus=0-1;a/cgroup.procs=%d;a/cgroup.procs=%d;", pids[0], pids[1]);
	expect_logged(logged);
	assert_int_equal(ktstr_workers_start(w), 0);
	assert_int_equal(ktstr_workers_set_affinity(w, 2, "0"), -EINVAL);
	assert_int_equal(ktstr_workers_set_affinity(w, 1, "0"), 0);
	ctx_sleep_ms(50);
	assert_int_equal(ktstr_workers_stop_collect(w, &res), 0);
	ktstr_workers_free(w);
	expect_verdict(KTSTR_PASSED);
	assert_int_equal(res.cgroups.items[0].workers, 2);
	assert_int_equal(ktstr_cgroup_remove(&ctx, "a"), 0);
	expect_nothing_left();
}

static void test_a_crowd_of_cgroups(void **state)
{
	struct ktstr_crowd *crowd, *others;

	(void)state;
	assert_int_equal(ktstr_setup_cgroups(&ctx, 3, NULL, &crowd), 0);
	assert_true(cgroup_exists(&ctx.cgroup_manager, "cg_2"));
	ctx_sleep_ms(50);
	assert_int_equal(ktstr_collect_all(crowd, NULL, &res), 0);
	ktstr_crowd_free(crowd);
	expect_verdict(KTSTR_PASSED);
	assert_int_equal(res.cgroups.count, 3);
	assert_int_equal(ktstr_cgroup_create(&ctx, "x"), 0);
	assert_int_equal(ktstr_spawn_diverse(&ctx, KTSTR_ARGS("x", "missing"), &others), -ENOENT);
	assert_null(others);
	assert_int_equal(ktstr_spawn_diverse(&ctx, KTSTR_ARGS("x", "x", "x"), &others), 0);
	ctx_sleep_ms(50);
	/* Checks given here take the place of the test's. */
	assert_int_equal(ktstr_collect_all(others,
					   &(struct ktstr_assert){ .min_iteration_rate = 1e15 },
					   &res),
			 0);
	ktstr_crowd_free(others);
	expect_verdict(KTSTR_FAILED);
	assert_int_equal(res.cgroups.count, 6);
	assert_int_equal(res.cgroups.items[5].workers, 2);
	assert_int_equal(ktstr_cgroup_remove(&ctx, "x"), 0);
	expect_nothing_left();
}

static void test_without_cgroup_v2(void **state)
{
	(void)state;
	unit_write(fake.dir, "proc/self/mounts", "");
	run_steps(KTSTR_STEPS({ .defs = KTSTR_CGROUPS({ .name = "a" }), .hold = BRIEFLY }));
	expect_failure("step 1 failed: cgroup v2 is not mounted on this machine; cgroups need it: "
		       "boot with systemd.unified_cgroup_hierarchy=1, or run the test in a VM");
	/* Who needs none is fine. */
	run_steps(
		KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_SPAWN_HOST(.workers = 1)), .hold = BRIEFLY }));
	expect_verdict(KTSTR_PASSED);
}

static void test_core_cookies_are_skipped_where_there_are_none(void **state)
{
	(void)state;
	if (core_cookie_check() == 0)
		skip();
	run_steps(KTSTR_STEPS({ .defs = KTSTR_CGROUPS({ .name = "a" }),
				.ops = KTSTR_OPS(KTSTR_CORE_COOKIE("a")),
				.hold = BRIEFLY }));
	expect_verdict(KTSTR_SKIPPED);
	assert_true(has_detail(DETAIL_SKIP, "core scheduling: this "));
	assert_string_equal(fake_cgroup_log(), "");
}

static void test_every_op_has_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < KTSTR_OP_END; i++)
		assert_non_null(op_info(i)->name);
	assert_null(op_info(KTSTR_OP_END));
}

static const struct ktstr_payload nap = { .binary = "sleep",
					  .name = "nap",
					  .args = KTSTR_ARGS("100") };
static const struct ktstr_payload quick = { .binary = "true",
					    .checks = KTSTR_CHECKS(KTSTR_EXIT_EQ(3)) };

static void test_payloads(void **state)
{
	(void)state;
	run_steps(KTSTR_STEPS(
		{ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"), KTSTR_ADD_CGROUP("b"),
				   KTSTR_RUN_PAYLOAD(&nap, "a"), KTSTR_RUN_PAYLOAD(&nap, "b"),
				   KTSTR_RUN_PAYLOAD(&quick, NULL),
				   KTSTR_WAIT_PAYLOAD("true", NULL), KTSTR_KILL_PAYLOAD("nap", "a"),
				   KTSTR_KILL_PAYLOAD("nap", NULL)) }));
	/* Recorded, but it does not fail the step. */
	assert_true(has_detail(DETAIL_PAYLOAD, "exited with code 0, expected 3"));
	expect_verdict(KTSTR_SKIPPED);
}

static void test_payload_errors(void **state)
{
	(void)state;
	run_steps(KTSTR_STEPS(
		{ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"), KTSTR_ADD_CGROUP("b"),
				   KTSTR_RUN_PAYLOAD(&nap, "a"), KTSTR_RUN_PAYLOAD(&nap, "b"),
				   KTSTR_KILL_PAYLOAD("nap", NULL)) }));
	expect_failure("step 1 failed: kill_payload: payload 'nap' is ambiguous: it runs in a, b; "
		       "name the cgroup");
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_WAIT_PAYLOAD("nap", NULL)) }));
	expect_failure("step 1 failed: wait_payload: no payload 'nap' runs: start it with "
		       "KTSTR_RUN_PAYLOAD, a def or the backdrop");
	run_steps(
		KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"), KTSTR_RUN_PAYLOAD(&nap, "a"),
					       KTSTR_RUN_PAYLOAD(&nap, "a")) }));
	expect_failure("step 1 failed: run_payload: payload 'nap' runs already in cgroup a");
}

#define WITH(f) cmocka_unit_test_setup_teardown(f, start, stop)
#define BARE(f) cmocka_unit_test_setup_teardown(f, start_bare, stop)

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
		WITH(test_moved_workers_change_owner),
		WITH(test_loop_step_repeats_its_ops),
		WITH(test_wrong_hold_touches_nothing),
		WITH(test_wrong_checks_touch_nothing),
		WITH(test_memory_policies_are_checked_before_anyone_runs),
		WITH(test_error_in_a_step_is_told_and_torn_down),
		WITH(test_grouped_work_needs_its_number),
		WITH(test_backdrop_is_guarded),
		WITH(test_backdrop_error),
		WITH(test_cpus_come_back),
		WITH(test_work_type_override),
		BARE(test_scheduler_death_between_steps),
		BARE(test_scheduler_death_in_the_last_step),
		BARE(test_scheduler_death_in_a_polled_hold),
		BARE(test_detach_and_attach),
		BARE(test_versus_has_two_sets_of_phases),
		WITH(test_fail_is_reported),
		WITH(test_workers_by_hand),
		WITH(test_a_crowd_of_cgroups),
		WITH(test_without_cgroup_v2),
		WITH(test_core_cookies_are_skipped_where_there_are_none),
		WITH(test_every_op_has_a_name),
		WITH(test_payloads),
		WITH(test_payload_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

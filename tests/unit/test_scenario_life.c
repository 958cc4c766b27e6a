// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios around their steps: schedulers that end, payloads, workers by hand, what a
 * machine does not have. As in test_scenario.c the cgroup tree is one of plain files.
 */
#include "unit.h"

#include <signal.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "scenario_fixture.h"

/* A process that stands for a scheduler, and is a child of this one. */
static pid_t fake_scheduler(bool is_dead)
{
	pid_t pid = fork();
	siginfo_t info;

	if (pid == 0) {
		if (!is_dead)
			pause();
		_exit(0);
	}
	/* Nobody knows yet: what remains of it is ours to wait for. */
	if (is_dead)
		assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	return pid;
}

static void start_with_scheduler(bool is_dead)
{
	struct ctx_options o = options();

	o.scheduler_name = "scx_x";
	o.scheduler_pid = fake_scheduler(is_dead);
	start_with(o);
	ctx.scheduler.is_child = true;
}

static void test_scheduler_death_between_steps(void **state)
{
	(void)state;
	start_with_scheduler(true);
	run_steps(KTSTR_STEPS({ .hold = BRIEFLY }, { .hold = BRIEFLY }));
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
	start_with_scheduler(true);
	run_steps(KTSTR_STEPS({ .hold = BRIEFLY }));
	assert_true(has_detail(DETAIL_SCHEDULER_DIED,
			       "scheduler process died unexpectedly (detected after all 1 steps "
			       "completed, "));
	assert_true(has_detail(DETAIL_SCHEDULER_DIED, "s elapsed)"));
}

static void test_scheduler_death_in_a_polled_hold(void **state)
{
	(void)state;
	start_with_scheduler(true);
	assert_int_equal(ctx_hold(&ctx, 100, &res), -ESRCH);
	assert_true(has_detail(DETAIL_SCHEDULER_DIED,
			       "scheduler process died unexpectedly during workload ("));
}

/* In a guest the kernel may go on without the process, which is no death. */
static void test_scheduler_that_is_pinned(void **state)
{
	struct ctx_options o = options();

	(void)state;
	o.scheduler_name = "scx_x";
	o.scheduler_pid = fake_scheduler(true);
	o.is_guest = true;
	start_with(o);
	ctx.scheduler.is_child = true;
	unit_write(fake.dir, "sys/kernel/sched_ext/state", "enabled\n");
	assert_int_equal(ctx_hold(&ctx, 100, &res), 0);
	unit_write(fake.dir, "sys/kernel/sched_ext/state", "disabled\n");
	assert_int_equal(ctx_hold(&ctx, 100, &res), -ESRCH);
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
	/* As for a job in the background of a script; SIGINT is what ends a scheduler. */
	signal(SIGINT, SIG_IGN);
	assert_int_equal(ctx_scheduler_attach(&ctx), 0);
	signal(SIGINT, SIG_DFL);
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
	/* Nothing to compare: the body runs once, as always. */
	assert_int_equal(ctx_run_versus(&ctx, &res, brief_body), 0);
	assert_int_equal(res.phases.count, 1);
	assert_string_equal(res.phases.items[0].name, "only");
	assert_true(has_detail(DETAIL_NOTE, "not compared with eevdf: no program of ours holds"));
	result_finish(&res);
	ctx_finish(&ctx);
	start_with_scheduler(false);
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

static void test_an_errno_without_its_sign_is_no_success(void **state)
{
	(void)state;
	result_pass(&res);
	ctx_report(&ctx, 0, &res);
	expect_verdict(KTSTR_PASSED);
	ctx_report(&ctx, ENOENT, &res);
	expect_failure("the test returned 2: it has to return 0, a negative errno or a verdict");
}

static void test_a_verdict_that_a_body_returns_counts(void **state)
{
	static const struct {
		bool has_passed;
		int returned;
		enum ktstr_verdict verdict;
		const char *detail;
	} cases[] = {
		{ true, KTSTR_FAILED, KTSTR_FAILED, "the test returned KTSTR_FAILED" },
		{ true, KTSTR_INCONCLUSIVE, KTSTR_INCONCLUSIVE,
		  "the test returned KTSTR_INCONCLUSIVE" },
		{ true, KTSTR_SKIPPED, KTSTR_SKIPPED, "the test returned KTSTR_SKIPPED" },
		{ false, KTSTR_PASSED, KTSTR_PASSED, NULL },
		{ true, KTSTR_SKIPPED + 1, KTSTR_FAILED,
		  "the test returned 4100: it has to return 0, a negative errno or a verdict" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (cases[i].has_passed)
			result_pass(&res);
		ctx_report(&ctx, cases[i].returned, &res);
		expect_verdict(cases[i].verdict);
		assert_int_equal(res.details.count, cases[i].detail ? 1 : 0);
		if (cases[i].detail)
			assert_string_equal(res.details.items[0].message, cases[i].detail);
		result_finish(&res);
	}
}

static void test_a_returned_verdict_does_not_mend_or_repeat(void **state)
{
	(void)state;
	ktstr_result_fail(&res, "too slow");
	ctx_report(&ctx, KTSTR_FAILED, &res);
	ctx_report(&ctx, KTSTR_PASSED, &res);
	assert_int_equal(res.details.count, 1);
	ctx_report(&ctx, KTSTR_SKIPPED, &res);
	expect_verdict(KTSTR_FAILED);
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
	/* What was not observed is told, and a limit of the test's own is not kept. */
	assert_string_equal(res.details.items[0].message,
			    "waits, idle CPUs, shares and migrations not judged: scheduling events "
			    "were not recorded: no reason is known");
	assert_int_equal(ktstr_workers_spawn(&ctx, &(struct ktstr_work){ .workers = 1 }, NULL, &w),
			 0);
	assert_int_equal(ktstr_workers_start(w), 0);
	ctx_sleep_ms(50);
	assert_int_equal(ktstr_assert_cgroup(w, &(struct ktstr_assert){ .max_wait_ms = 7 }, &res),
			 0);
	ktstr_workers_free(w);
	expect_verdict(KTSTR_INCONCLUSIVE);
	assert_non_null(strstr(res.details.items[1].message, "max_wait_ms could not be judged"));
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

/* Parts that are judged apart and put together by the body. */
static void test_groups_and_results_of_ones_own(void **state)
{
	const struct ktstr_work work = { .workers = 2 };
	struct ktstr_cgroup_group *group = NULL;
	struct ktstr_result *part = ktstr_result_new();
	struct ktstr_workers *w = NULL;

	(void)state;
	assert_non_null(part);
	assert_int_equal(ktstr_cgroup_group_new(&ctx, &group), 0);
	assert_int_equal(ktstr_cgroup_group_add(group, "one", NULL), 0);
	assert_int_equal(ktstr_cgroup_group_add(group, "one/below", "0"), 0);
	assert_int_equal(ktstr_cgroup_group_add(group, "../out", NULL), -EINVAL);
	assert_int_equal(ktstr_workers_spawn(&ctx, &work, "one/below", &w), 0);
	assert_int_equal(ktstr_workers_start(w), 0);
	ctx_sleep_ms(50);
	assert_int_equal(
		ktstr_assert_cgroup(w, &(struct ktstr_assert){ .min_iteration_rate = 1e15 }, part),
		0);
	ktstr_workers_free(w);
	assert_int_equal(ktstr_result_verdict(part), KTSTR_FAILED);
	ktstr_result_merge(&res, part);
	expect_verdict(KTSTR_FAILED);
	assert_int_equal(res.cgroups.count, 1);
	assert_int_equal(ktstr_result_verdict(part), KTSTR_SKIPPED);
	ktstr_result_free(part);
	/* One that the test removed itself is fine. */
	assert_int_equal(ktstr_cgroup_remove(&ctx, "one/below"), 0);
	ktstr_cgroup_group_free(group);
	ktstr_cgroup_group_free(NULL);
	ktstr_result_free(NULL);
	expect_nothing_left();
}

static void test_cgroups_by_hand(void **state)
{
	static const char *const wrong[] = { NULL, "", "..", "../other", "/sys", "a/../../b" };
	const int pids[] = { getpid(), getpid() };
	struct ktstr_workers *w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(ktstr_cgroup_create(&ctx, wrong[i]), -EINVAL);
		assert_int_equal(ktstr_cgroup_remove(&ctx, wrong[i]), -EINVAL);
		assert_int_equal(ktstr_cgroup_set_cpuset(&ctx, wrong[i], "0"), -EINVAL);
		assert_int_equal(ktstr_cgroup_clear_cpuset(&ctx, wrong[i]), -EINVAL);
		assert_int_equal(ktstr_cgroup_move_task(&ctx, wrong[i], getpid()), -EINVAL);
		assert_int_equal(ktstr_cgroup_drain(&ctx, wrong[i]), -EINVAL);
		assert_int_equal(ktstr_cgroup_clear_subtree_control(&ctx, wrong[i]), -EINVAL);
		if (wrong[i])
			assert_int_equal(ktstr_workers_spawn(&ctx, &(struct ktstr_work){}, wrong[i],
							     &w),
					 -EINVAL);
	}
	assert_int_equal(ktstr_cgroup_create(&ctx, "a/b"), 0);
	assert_int_equal(ktstr_cgroup_create(&ctx, "c"), 0);
	fake_cgroup_clear_log();
	assert_int_equal(ktstr_cgroup_clear_subtree_control(&ctx, "a"), 0);
	assert_non_null(strstr(fake_cgroup_log(), "a/cgroup.subtree_control=-"));
	fake_cgroup_clear_log();
	assert_int_equal(ktstr_cgroup_move_tasks(&ctx, "c", pids, 2), 0);
	assert_non_null(strstr(fake_cgroup_log(), "c/cgroup.procs="));
	assert_int_equal(ktstr_cgroup_cleanup_all(&ctx), 0);
	assert_false(cgroup_exists(&ctx.cgroup_manager, "a"));
	assert_false(cgroup_exists(&ctx.cgroup_manager, "c"));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		BARE(test_scheduler_death_between_steps),
		BARE(test_scheduler_death_in_the_last_step),
		BARE(test_scheduler_death_in_a_polled_hold),
		BARE(test_scheduler_that_is_pinned),
		BARE(test_detach_and_attach),
		BARE(test_versus_has_two_sets_of_phases),
		WITH(test_fail_is_reported),
		WITH(test_an_errno_without_its_sign_is_no_success),
		WITH(test_a_verdict_that_a_body_returns_counts),
		WITH(test_a_returned_verdict_does_not_mend_or_repeat),
		WITH(test_workers_by_hand),
		WITH(test_a_crowd_of_cgroups),
		WITH(test_groups_and_results_of_ones_own),
		WITH(test_cgroups_by_hand),
		WITH(test_without_cgroup_v2),
		WITH(test_core_cookies_are_skipped_where_there_are_none),
		WITH(test_every_op_has_a_name),
		WITH(test_payloads),
		WITH(test_payload_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

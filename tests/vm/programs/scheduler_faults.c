// SPDX-License-Identifier: GPL-2.0-only
/*
 * A test for every way in which scx-ktstr can misbehave, and the same bodies with
 * the scheduler as it is. What a body asks for is what any good scheduler gives;
 * nothing here knows how the fixture works. tests/vm/scheduler-faults runs it.
 */
#include <stdio.h>
#include <time.h>

#include <ktstr/ktstr.h>

/* Two LLCs of one CPU: small enough to be quick, large enough to be starved in part. */
KTSTR_SCHEDULER(scx_ktstr, .name = "scx_ktstr", .binary = "scx-ktstr",
		.topology = KTSTR_TOPO(1, 2, 1, 1));

#define CASE(ident, body, ...)                                                               \
	KTSTR_TEST(ident, .scheduler = &scx_ktstr, .duration_s = 2, .watchdog_timeout_s = 1, \
		   ##__VA_ARGS__)                                                            \
	{                                                                                    \
		return body(ctx, res);                                                       \
	}
#define SWITCH(...) .extra_sched_args = KTSTR_ARGS(__VA_ARGS__)

/* ---- bodies ---- */

static int busy(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return ktstr_run_defs(ctx, res,
			      KTSTR_CGROUPS({ .name = "cg_0", .workers = 2 },
					    { .name = "cg_1", .workers = 2 }));
}

static int crowd(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return ktstr_run_defs(ctx, res,
			      KTSTR_CGROUPS({ .name = "cg_0", .workers = 4 },
					    { .name = "cg_1", .workers = 4 }));
}

static int wakers(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return ktstr_run_defs(ctx, res,
			      KTSTR_CGROUPS({ .name = "pairs",
					      .workers = 2,
					      .work_type = KTSTR_FUTEX_PING_PONG(10) }));
}

static int pinned(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return ktstr_run_steps(
		ctx, res,
		KTSTR_STEPS(
			{ .defs = KTSTR_CGROUPS(
				  { .name = "cg_0", .workers = 2, .cpuset = KTSTR_DISJOINT(0, 2) },
				  { .name = "cg_1", .workers = 2, .cpuset = KTSTR_DISJOINT(1, 2) }),
			  .hold = KTSTR_HOLD_FULL }));
}

static int alone(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "one", .workers = 1 }));
}

static int hotplug(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return ktstr_run_scenario(
		ctx, res,
		&(struct ktstr_scenario_run){
			.backdrop.defs = KTSTR_CGROUPS({ .name = "crowd", .workers = 4 }),
			.steps = KTSTR_STEPS({ .name = "both", .hold = KTSTR_FRAC(0.1) },
					     { .name = "one",
					       .ops = KTSTR_OPS(KTSTR_CPU_OFFLINE(1)),
					       .hold = KTSTR_FRAC(0.2) },
					     { .name = "again",
					       .ops = KTSTR_OPS(KTSTR_CPU_ONLINE(1)),
					       .hold = KTSTR_FRAC(0.7) }) });
}

/* Nice 0 has about nine times the weight of nice 10; three times is less than anybody promises. */
static int weights(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	struct ktstr_work light = { .workers = 2, .nice = 10 }, heavy = { .workers = 2 };
	struct timespec nap = { .tv_sec = (time_t)(ktstr_duration_ms(ctx) / 1000) };
	struct ktstr_workers *a = NULL, *b = NULL;
	uint64_t few, many;
	int rc = ktstr_workers_spawn(ctx, &light, NULL, &a);

	if (rc == 0)
		rc = ktstr_workers_spawn(ctx, &heavy, NULL, &b);
	for (unsigned int i = 0; i < 2 && rc == 0; i++) {
		rc = ktstr_workers_set_affinity(a, i, i ? "1" : "0");
		if (rc == 0)
			rc = ktstr_workers_set_affinity(b, i, i ? "1" : "0");
	}
	if (rc == 0)
		rc = ktstr_workers_start(a);
	if (rc == 0)
		rc = ktstr_workers_start(b);
	if (rc == 0) {
		nanosleep(&nap, NULL);
		few = ktstr_workers_snapshot(a);
		many = ktstr_workers_snapshot(b);
		if (many < 3 * few)
			ktstr_result_fail(res,
					  "nice 0 got %.1f times what nice 10 got, which is "
					  "less than 3",
					  few ? (double)many / (double)few : 0);
		rc = ktstr_workers_stop_collect(a, res);
	}
	if (rc == 0)
		rc = ktstr_workers_stop_collect(b, res);
	ktstr_workers_free(a);
	ktstr_workers_free(b);
	return rc;
}

static double cpu_seconds(int pid)
{
	char path[64];
	double ns = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%lf", &ns) != 1)
		ns = 0;
	if (f)
		fclose(f);
	return ns / 1e9;
}

/* As many busy workers as CPUs: each has a right to one of its own. */
static int one_each(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	struct ktstr_work work = { .workers = ktstr_cpu_count(ctx) };
	struct timespec nap = { .tv_sec = (time_t)(ktstr_duration_ms(ctx) / 1000) };
	struct ktstr_workers *w = NULL;
	const int *pids;
	size_t count;
	int rc = ktstr_workers_spawn(ctx, &work, NULL, &w);

	if (rc == 0)
		rc = ktstr_workers_start(w);
	if (rc == 0) {
		nanosleep(&nap, NULL);
		count = ktstr_workers_pids(w, &pids);
		for (size_t i = 0; i < count; i++) {
			double share = cpu_seconds(pids[i]) / (double)nap.tv_sec;

			if (share < 0.7)
				ktstr_result_fail(res,
						  "worker %zu of %zu had %.0f%% of a CPU on a "
						  "machine with a CPU for each",
						  i, count, share * 100);
		}
		rc = ktstr_workers_stop_collect(w, res);
	}
	ktstr_workers_free(w);
	return rc;
}

/* ---- what a good scheduler does ---- */

#define PROMPT .assert = { .max_p99_wake_latency_ns = 5000000 }
#define STAYS .assert = { .max_migration_ratio = 0.002 }

CASE(good_busy, busy)
CASE(good_crowd, crowd)
CASE(good_one_each, one_each)
CASE(good_wakers, wakers, PROMPT)
CASE(good_pinned, pinned)
CASE(good_alone, alone, STAYS)
CASE(good_hotplug, hotplug)
CASE(good_weights, weights, .assert = { .not_starved = KTSTR_OFF })

/* ---- what a bad one does ---- */

CASE(drop_task, busy, SWITCH("--drop-task"))
CASE(forget_wakeup, wakers, SWITCH("--forget-wakeup"))
CASE(ignore_affinity, pinned, SWITCH("--ignore-affinity"))
CASE(ignore_weights, weights, .assert = { .not_starved = KTSTR_OFF }, SWITCH("--ignore-weights"))
CASE(lockstep, wakers, PROMPT, SWITCH("--lockstep"))
CASE(stall_after, busy, SWITCH("--stall-after", "0.3"))
CASE(error_after, busy, SWITCH("--error-after", "0.3"))
CASE(unregister_after, busy, SWITCH("--unregister-after", "0.3"))
CASE(offline_cpu, wakers, SWITCH("--offline-cpu"))
CASE(starve_llc, busy, SWITCH("--starve-llc"))
CASE(delay_wakeups, wakers, PROMPT, SWITCH("--delay-wakeups", "20"))
CASE(leak_on_hotplug, hotplug, SWITCH("--leak-on-hotplug"))
CASE(unfair_slices, busy, SWITCH("--unfair-slices"))
CASE(one_cpu, one_each, SWITCH("--one-cpu"))
CASE(endless_slice, busy, SWITCH("--endless-slice"))
CASE(newest_first, crowd, SWITCH("--newest-first"))
CASE(bounce, alone, STAYS, SWITCH("--bounce"))
CASE(fail_verify, busy, SWITCH("--fail-verify"))
CASE(verify_loop, busy, SWITCH("--verify-loop"))
CASE(invalid_dsq, busy, SWITCH("--invalid-dsq", "0.3"))
CASE(hang, busy, .attach_timeout_s = 2, SWITCH("--hang"))
CASE(exit_early, busy, SWITCH("--exit-early", "3"))
CASE(die_after, busy, SWITCH("--die-after", "0.3"))
CASE(fork_away, busy, SWITCH("--fork-away"))
CASE(pin_after, busy, SWITCH("--pin-after", "0.3"))

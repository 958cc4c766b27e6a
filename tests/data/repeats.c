// SPDX-License-Identifier: GPL-2.0-only
/* Short and busy: whether runs of it are the same is what matters, not how they end. */
#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(scx_ktstr, .name = "scx_ktstr", .binary = "scx-ktstr",
		.topology = KTSTR_TOPO(1, 1, 2, 1));

KTSTR_PAYLOAD(hackbench, .binary = "hackbench",
	      .args = KTSTR_ARGS("--groups", "1", "--fds", "4", "--loops", "20"),
	      .checks = KTSTR_CHECKS(KTSTR_EXIT_EQ(0)));

static int run_mix(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return ktstr_run_defs(ctx, res,
			      KTSTR_CGROUPS({ .name = "spin", .workers = 2 },
					    { .name = "pairs",
					      .workers = 2,
					      .work_type = KTSTR_FUTEX_PING_PONG(0) }));
}

KTSTR_TEST(mix_under_eevdf, .llcs = 1, .cores = 2, .threads = 1, .duration_ms = 100)
{
	return run_mix(ctx, res);
}

KTSTR_TEST(mix_under_scx, .scheduler = &scx_ktstr, .duration_ms = 100)
{
	return run_mix(ctx, res);
}

/* Pipes, timers, sleeps, locks, page faults, new processes and signals beside each other. */
static int run_types(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return ktstr_run_defs(
		ctx, res,
		KTSTR_CGROUPS(
			{ .name = "pipes", .workers = 2, .work_type = KTSTR_PIPE_IO(0) },
			{ .name = "bursts", .workers = 2, .work_type = KTSTR_BURSTY(3, 2) },
			{ .name = "timers", .workers = 1, .work_type = KTSTR_TIMER_LATENCY(0) },
			{ .name = "lock",
			  .workers = 2,
			  .work_type = KTSTR_MUTEX_CONTENTION(2, 0, 0) },
			{ .name = "memory",
			  .workers = 1,
			  .work_type = KTSTR_PAGE_FAULT_CHURN(0, 0, 0) },
			{ .name = "forks", .workers = 1, .work_type = KTSTR_FORK_EXIT },
			{ .name = "nice", .workers = 2, .work_type = KTSTR_NICE_SWEEP }));
}

KTSTR_TEST(types_under_eevdf, .llcs = 1, .cores = 2, .threads = 1, .duration_ms = 100)
{
	return run_types(ctx, res);
}

KTSTR_TEST(types_under_scx, .scheduler = &scx_ktstr, .duration_ms = 100)
{
	return run_types(ctx, res);
}

KTSTR_TEST(payload_under_eevdf, .llcs = 1, .cores = 2, .threads = 1, .payload = &hackbench)
{
	return ktstr_payload_run(ctx, &hackbench, NULL, res, NULL);
}

KTSTR_TEST(payload_under_scx, .scheduler = &scx_ktstr, .payload = &hackbench)
{
	return ktstr_payload_run(ctx, &hackbench, NULL, res, NULL);
}

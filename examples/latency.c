// SPDX-License-Identifier: GPL-2.0-only
/* Thresholds of your own: what must hold besides that nobody starves. */
#include <ktstr/ktstr.h>

KTSTR_TEST(wake_latency, .cores = 2,
	   .assert = { .max_p99_wake_latency_ns = 200 * 1000 * 1000, .max_migration_ratio = 0.5 })
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
		{ .name = "pairs", .workers = 4, .work_type = KTSTR_PIPE_IO(0) },
		{ .name = "noise", .workers = 2, .work_type = KTSTR_BURSTY(10, 20) }));
}

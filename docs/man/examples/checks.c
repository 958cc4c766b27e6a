// SPDX-License-Identifier: GPL-2.0-only
/* Limits for workers that sleep: the spread is not checked. */
#include <ktstr/ktstr.h>

KTSTR_TEST(wakes_fast, .cores = 4,
	.assert = {
		.max_p99_wake_latency_ns = 50 * 1000 * 1000,
		.max_wait_ms = 200,
		.max_spread_pct = KTSTR_OFF,
		.max_run_delay_spread_pct = 50,
	})
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
		{ .name = "pairs", .work_type = KTSTR_PIPE_IO(0) }));
}

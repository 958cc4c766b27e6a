// SPDX-License-Identifier: GPL-2.0-only
/*
 * Thresholds of your own. Workers that sleep on purpose differ in their time off the
 * CPU, so the spread is switched off here, and run delays, which count waiting only,
 * are checked by a limit instead. The limits are generous: they also have to hold
 * without KVM on a busy host. Four CPUs have room for all of it: with two, EEVDF now and
 * then lets the noise wait for more than a second behind a pair that never stops talking.
 */
#include <ktstr/ktstr.h>

KTSTR_TEST(wake_latency, .cores = 4,
	   .assert = { .max_p99_wake_latency_ns = 1000 * 1000 * 1000,
		       .max_migration_ratio = 1.0,
		       .max_spread_pct = KTSTR_OFF,
		       .max_run_delay_spread_pct = 50 })
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
		{ .name = "pairs", .workers = 4, .work_type = KTSTR_PIPE_IO(0) },
		{ .name = "noise", .workers = 2, .work_type = KTSTR_BURSTY(10, 20) }));
}

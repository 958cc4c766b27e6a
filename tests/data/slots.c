// SPDX-License-Identifier: GPL-2.0-only
/* Uneven queues, so that a test which passes leaves a dump of its scheduler. */
#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(tried, .name = "tried", .binary = "tried", .topology = KTSTR_TOPO(1, 1, 2, 1));

KTSTR_TEST(slots, .scheduler = &tried, .duration_ms = 800,
	   .assert = { .max_imbalance_ratio = 1.1, .sustained_samples = 4 })
{
	return ktstr_run_defs(
		ctx, res,
		KTSTR_CGROUPS({ .name = "long", .workers = 3, .cpuset = KTSTR_EXACT("0") },
			      { .name = "short", .workers = 1, .cpuset = KTSTR_EXACT("1") }));
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that are always busy, and tasks that sleep for a while: nobody may starve the others. */
#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(credit, .name = "credit", .binary = "scx_credit",
	.topology = KTSTR_TOPO(1, 1, 2, 1)); /* a node, an LLC, two CPUs, no SMT */

KTSTR_TEST(busy, .scheduler = &credit, .duration_s = 1)
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "busy", .workers = 4 }));
}

/* Two workers are always busy; four are busy for 1000 ms and then sleep for 1500 ms. */
KTSTR_TEST(naps, .scheduler = &credit, .duration_s = 4)
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
		{ .name = "busy", .workers = 2 },
		{ .name = "naps", .workers = 4, .work_type = KTSTR_BURSTY(1000, 1500) }));
}

// SPDX-License-Identifier: GPL-2.0-only
/* A crowd that its scheduler does not survive. */
#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(tried, .name = "tried", .binary = "tried", .topology = KTSTR_TOPO(1, 1, 2, 1));

KTSTR_TEST(hangs, .scheduler = &tried, .duration_ms = 1000)
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "busy", .workers = 5 }));
}

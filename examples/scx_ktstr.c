// SPDX-License-Identifier: GPL-2.0-only
/*
 * The same test twice: with scx-ktstr as it is, and with one of its switches that
 * make it misbehave. The first passes, the second fails, which is why it runs only
 * when asked for: `ktstr test --run-ignored all build/examples/scx_ktstr`.
 */
#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(scx_ktstr, .name = "scx_ktstr", .binary = "scx-ktstr",
	.topology = KTSTR_TOPO(1, 1, 2, 1));

/* Four busy workers on two CPUs: each has a right to half of one. */
static int share_two_cpus(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "busy", .workers = 4 }));
}

KTSTR_TEST(scx_ktstr_is_fair, .scheduler = &scx_ktstr, .duration_s = 1)
{
	return share_two_cpus(ctx, res);
}

KTSTR_TEST(demo_scx_ktstr_is_unfair, .scheduler = &scx_ktstr, .duration_s = 1,
	   .extra_sched_args = KTSTR_ARGS("--unfair-slices"))
{
	return share_two_cpus(ctx, res);
}

// SPDX-License-Identifier: GPL-2.0-only
/* A scheduler with a flag and an invariant, and a test of it. */
#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(my_sched,
	.name = "my_sched",
	.binary = "scx_my_sched",
	.topology = KTSTR_TOPO(1, 2, 4, 1),
	.sched_args = KTSTR_ARGS("--enable-llc"),
	.flags = KTSTR_FLAGS(
		{ .name = "steal", .args = KTSTR_ARGS("--steal") }),
	.sysctls = KTSTR_SYSCTLS({ "kernel.sched_schedstats", "1" }),
	.invariants = KTSTR_INVARIANT("stats.lost == 0"),
	.constraints = { .max_llcs = 8, .requires_even_cpus = true },
	.assert = { .max_wait_ms = 300 });

KTSTR_TEST(stealing, .scheduler = &my_sched,
	.required_flags = KTSTR_ARGS("steal"))
{
	return ktstr_scn_steady(ctx, res);
}

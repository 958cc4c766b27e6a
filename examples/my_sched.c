// SPDX-License-Identifier: GPL-2.0-only
/*
 * A scheduler, declared once, and tests that point at it. scx_my_sched stands for
 * yours: it is looked for beside this program, in the build directories, and in
 * KTSTR_SCHEDULER. KTSTR_SCHEDULER=build/scx-ktstr runs them with the fixture.
 */
#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(my_sched,
	.name = "my_sched",
	.binary = "scx_my_sched",
	.topology = KTSTR_TOPO(1, 2, 4, 1), /* 1n2l4c1t, 8 vCPUs */
	.sched_args = KTSTR_ARGS("--enable-llc", "--enable-stealing"));

/* Dimensions that are left out come from the scheduler. */
KTSTR_TEST(sched_two_cgroups, .scheduler = &my_sched)
{
	static const struct ktstr_cgroup pair[] = {
		{ .name = "cg_0", .workers = 2 },
		{ .name = "cg_1", .workers = 2 },
		{}
	};

	return ktstr_run_defs(ctx, res, pair);
}

/* Two halves of the machine, one for each cgroup. */
KTSTR_TEST(cpuset_split, .scheduler = &my_sched, .llcs = 1, .cores = 4, .threads = 1)
{
	return ktstr_run_steps(ctx, res, KTSTR_STEPS({
		.defs = KTSTR_CGROUPS(
			{ .name = "cg_0", .cpuset = KTSTR_DISJOINT(0, 2) },
			{ .name = "cg_1", .cpuset = KTSTR_DISJOINT(1, 2) }),
		.hold = KTSTR_HOLD_FULL }));
}

/* The same steps under the scheduler and, after it was detached, under EEVDF: one table. */
KTSTR_TEST(my_sched_versus_eevdf, .scheduler = &my_sched, .versus = KTSTR_EEVDF, .duration_s = 4)
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
		{ .name = "busy", .workers = 8 },
		{ .name = "wakers", .workers = 4, .work_type = KTSTR_FUTEX_PING_PONG(0) }));
}

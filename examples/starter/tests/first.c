// SPDX-License-Identifier: GPL-2.0-only
/*
 * A scheduler, declared once, and two tests under it. scx-ktstr comes with ktstr and stands for
 * yours: put the name of its program into .binary, or try it with KTSTR_SCHEDULER=./scx_mine.
 */
#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(mine, .name = "mine", .binary = "scx-ktstr",
	.topology = KTSTR_TOPO(1, 2, 2, 1)); /* a node, two LLCs of two CPUs, no SMT */

/* More busy workers than CPUs: each has to get its share. */
KTSTR_TEST(busy, .scheduler = &mine, .duration_s = 1)
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
		{ .name = "cg_0", .workers = 4 },
		{ .name = "cg_1", .workers = 4 }));
}

/* Pairs that wake each other: nobody may wait longer than 10 ms. */
KTSTR_TEST(wakes, .scheduler = &mine, .duration_s = 1,
	   .assert = { .max_p99_wake_latency_ns = 10000000 })
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
		{ .name = "pairs", .workers = 4, .work_type = KTSTR_FUTEX_PING_PONG(10) }));
}

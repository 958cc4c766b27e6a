// SPDX-License-Identifier: GPL-2.0-only
/* What is judged the same whichever accelerator runs it: see tests/vm/kvm-nested. */
#include <ktstr/ktstr.h>

/* One vCPU, and limits that an emulator which is kept from running does not reach. */
#define MACHINE(ms) .llcs = 1, .cores = 1, .threads = 1, .duration_ms = ms
#define ROOMY                                                                                 \
	.max_gap_ms = 60000, .max_wait_ms = 60000, .max_kernel_wait_ms = 60000,               \
	.max_spread_pct = 100, .max_share_error_pct = 1000, .max_even_share_error_pct = 1000, \
	.max_idle_wait_pct = 100, .max_all_idle_wait_pct = 100, .max_idle_wait_ms = 60000
#define STEADY                                                      \
	ktstr_run_defs(ctx, res,                                    \
		       KTSTR_CGROUPS({ .name = "a", .workers = 2 }, \
				     { .name = "b", .workers = 2 }))

KTSTR_SCHEDULER(fixture, .name = "fixture", .binary = "scx-ktstr",
		.topology = KTSTR_TOPO(1, 1, 1, 1));

KTSTR_TEST(steady, MACHINE(1000), .assert = { ROOMY })
{
	return STEADY;
}

KTSTR_TEST(impossible, MACHINE(1000), .assert = { ROOMY, .min_iteration_rate = 1e15 })
{
	return STEADY;
}

KTSTR_TEST(scheduled, MACHINE(1000), .scheduler = &fixture, .assert = { ROOMY })
{
	return STEADY;
}

KTSTR_TEST(stalls, MACHINE(8000), .scheduler = &fixture,
	   .extra_sched_args = KTSTR_ARGS("--stall-after", "1"))
{
	return STEADY;
}

/* Somebody looks at it meanwhile. */
KTSTR_TEST(lasts, MACHINE(20000), .scheduler = &fixture, .assert = { ROOMY })
{
	return STEADY;
}

/* What it misses for longer than that somebody else has. */
KTSTR_TEST(gap, MACHINE(2000), .assert = { .max_gap_ms = 250 })
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "a", .workers = 1 }));
}

KTSTR_TEST(refused, MACHINE(1000), .scheduler = &fixture,
	   .extra_sched_args = KTSTR_ARGS("--fail-verify"))
{
	return STEADY;
}

KTSTR_TEST(pinned, MACHINE(1000), .memory_mib = 512, .performance_mode = true,
	   .scheduler = &fixture, .assert = { ROOMY })
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "a", .workers = 1 }));
}

// SPDX-License-Identifier: GPL-2.0-only
/* What is judged the same whichever accelerator runs it: see tests/vm/kvm-nested. */
#include <ktstr/ktstr.h>

#define MACHINE(cpus, ms) .llcs = 1, .cores = cpus, .threads = 1, .duration_ms = ms
#define STEADY                                                      \
	ktstr_run_defs(ctx, res,                                    \
		       KTSTR_CGROUPS({ .name = "a", .workers = 2 }, \
				     { .name = "b", .workers = 2 }))

KTSTR_SCHEDULER(fixture, .name = "fixture", .binary = "scx-ktstr",
		.topology = KTSTR_TOPO(1, 1, 2, 1));

KTSTR_TEST(steady, MACHINE(2, 1000))
{
	return STEADY;
}

KTSTR_TEST(impossible, MACHINE(2, 1000), .assert = { .min_iteration_rate = 1e15 })
{
	return STEADY;
}

KTSTR_TEST(scheduled, MACHINE(2, 1000), .scheduler = &fixture)
{
	return STEADY;
}

KTSTR_TEST(stalls, MACHINE(2, 8000), .scheduler = &fixture,
	   .extra_sched_args = KTSTR_ARGS("--stall-after", "1"))
{
	return STEADY;
}

KTSTR_TEST(refused, MACHINE(2, 1000), .scheduler = &fixture,
	   .extra_sched_args = KTSTR_ARGS("--fail-verify"))
{
	return STEADY;
}

KTSTR_TEST(pinned, MACHINE(1, 1000), .performance_mode = true)
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "a", .workers = 1 }));
}

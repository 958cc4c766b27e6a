// SPDX-License-Identifier: GPL-2.0-only
/* A real-time worker and a worker with nice 5 share an LLC. */
#include <ktstr/ktstr.h>

KTSTR_TEST(placed, .llcs = 2, .cores = 2)
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
		{ .name = "a", .cpuset = KTSTR_LLC(0),
		  .works = KTSTR_WORKS(
			{ .workers = 1, .sched_policy = KTSTR_FIFO(10),
			  .work_type = KTSTR_BURSTY(10, 90) },
			{ .workers = 1, .nice = 5, .comm = "niced",
			  .affinity = KTSTR_PIN_SINGLE_CPU }) },
		{ .name = "b", .cpuset = KTSTR_LLC(1) }));
}

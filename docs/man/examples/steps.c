// SPDX-License-Identifier: GPL-2.0-only
/* The second of three steps limits the CPU time of a cgroup. */
#include <ktstr/ktstr.h>

KTSTR_TEST(squeezed, .cores = 2, .duration_s = 3)
{
	const struct ktstr_scenario_run run = {
		.backdrop.defs = KTSTR_CGROUPS({ .name = "a", .workers = 2 }),
		.steps = KTSTR_STEPS(
			{ .name = "free", .hold = KTSTR_FRAC(0.3) },
			{ .name = "squeezed", .hold = KTSTR_FRAC(0.3),
			  .ops = KTSTR_OPS(
				KTSTR_SET_CPU_MAX("a", "50000 100000"),
				KTSTR_SPAWN_HOST(.workers = 1)) },
			{ .name = "free again", .hold = KTSTR_FRAC(0.4),
			  .ops = KTSTR_OPS(KTSTR_SET_CPU_MAX("a", "max")) }),
	};

	return ktstr_run_scenario(ctx, res, &run);
}

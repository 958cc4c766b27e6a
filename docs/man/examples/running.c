// SPDX-License-Identifier: GPL-2.0-only
/* Runs as many workers as CPUs, with a threshold of its own. */
#include <ktstr/ktstr.h>

KTSTR_TEST(one_for_each_cpu, .cores = 4)
{
	const struct ktstr_assert checks = { .max_gap_ms = 1000 };
	unsigned int cpus = ktstr_cpu_count(ctx);

	if (cpus < 2)
		return ktstr_fail(ctx, "%u CPU is too few", cpus);
	return ktstr_run_steps_with(ctx, res, KTSTR_STEPS({
		.defs = KTSTR_CGROUPS({ .name = "all", .workers = cpus }),
		.hold = KTSTR_HOLD_FULL,
	}), &checks);
}

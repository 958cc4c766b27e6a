// SPDX-License-Identifier: GPL-2.0-only
/* Runs on eight CPUs for 4 s, and limits the regression of a metric. */
#include <ktstr/ktstr.h>

KTSTR_TEST(eight_cpus,
	.llcs = 2, .cores = 4, .threads = 1,
	.duration_s = 4,
	.workers_per_cgroup = 8,
	.requires_even_cpus = true,
	.perf_delta_assertions = KTSTR_PERF_DELTA({
		.metric = "worst_wait_us",
		.max_regression_percent = 50,
		.min_abs = 1000,
	}))
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
		{ .name = "a" },
		{ .name = "b" }));
}

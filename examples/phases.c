// SPDX-License-Identifier: GPL-2.0-only
/* Changing conditions: a backdrop that lives across the steps, and operations on it. */
#include <ktstr/ktstr.h>

KTSTR_TEST(cpuset_swap, .llcs = 2, .cores = 4, .threads = 1,
	   .assert = { .max_gap_ms = 5000, .isolation = KTSTR_ON })
{
	return ktstr_run_scenario(ctx, res, &(struct ktstr_scenario_run){
		.backdrop = { .defs = KTSTR_CGROUPS(
			{ .name = "a", .cpuset = KTSTR_LLC(0), .workers = 4 },
			{ .name = "b", .cpuset = KTSTR_LLC(1),
			  .work_type = KTSTR_BURSTY(50, 100) }) },
		.steps = KTSTR_STEPS(
			{ .hold = KTSTR_FRAC(0.5) },
			{ .ops = KTSTR_OPS(KTSTR_SWAP_CPUSETS("a", "b")),
			  .hold = KTSTR_FRAC(0.5) }) });
}

/* A CPU goes away under load and comes back. */
KTSTR_TEST(cpu_hotplug, .cores = 4, .duration_s = 3)
{
	return ktstr_run_scenario(ctx, res, &(struct ktstr_scenario_run){
		.backdrop = { .defs = KTSTR_CGROUPS({ .name = "load", .workers = 4 }) },
		.steps = KTSTR_STEPS(
			{ .name = "all CPUs", .hold = KTSTR_FRAC(0.3) },
			{ .name = "one less", .ops = KTSTR_OPS(KTSTR_CPU_OFFLINE(3)),
			  .hold = KTSTR_FRAC(0.3) },
			{ .name = "all again", .ops = KTSTR_OPS(KTSTR_CPU_ONLINE(3)),
			  .hold = KTSTR_FRAC(0.4) }) });
}

/* The bandwidth of a cgroup is taken away and given back. */
KTSTR_TEST(cpu_max_squeeze, .cores = 2)
{
	return ktstr_run_scenario(ctx, res, &(struct ktstr_scenario_run){
		.backdrop = { .defs = KTSTR_CGROUPS({ .name = "squeezed", .workers = 2 }) },
		.steps = KTSTR_STEPS(
			{ .hold = KTSTR_FRAC(0.5) },
			{ .ops = KTSTR_OPS(KTSTR_SET_CPU_MAX("squeezed", "50000 100000")),
			  .hold = KTSTR_FRAC(0.5) }) });
}

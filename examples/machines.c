// SPDX-License-Identifier: GPL-2.0-only
/* Machines that differ from the usual: NUMA nodes of their own kind, CPUs that are off. */
#include <ktstr/ktstr.h>

/* Two nodes with CPUs and one of memory only. */
KTSTR_TEST(uneven_nodes, .cores = 2, .min_numa_nodes = 3, .max_numa_nodes = 3,
	   .nodes = KTSTR_NODES({ .llcs = 2, .memory_mib = 1024 },
				{ .llcs = 1, .memory_mib = 512 },
				{ .memory_mib = 512, .latency_ns = 300 }))
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
		{ .name = "near", .cpuset = KTSTR_NUMA(0), .workers = 4 },
		{ .name = "far", .cpuset = KTSTR_NUMA(1), .workers = 2 }));
}

KTSTR_TEST(starts_with_a_cpu_off, .cores = 4, .offline_cpus = "3")
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "cg_0", .workers = 3 }));
}

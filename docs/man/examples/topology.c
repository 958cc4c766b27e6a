// SPDX-License-Identifier: GPL-2.0-only
/* Two NUMA nodes with CPUs, and one with slower memory and a cache. */
#include <ktstr/ktstr.h>

KTSTR_TEST(three_nodes, .cores = 2,
	.nodes = KTSTR_NODES(
		{ .llcs = 1, .memory_mib = 1024 },
		{ .llcs = 1, .memory_mib = 512 },
		{ .memory_mib = 512, .latency_ns = 300, .bandwidth_mbs = 8000,
		  .mem_side_cache = {
			.size_kib = 4096, .line_size = 64,
			.associativity = KTSTR_DIRECT_MAPPED,
			.write_policy = KTSTR_WRITE_BACK } }))
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
		{ .name = "near", .cpuset = KTSTR_NUMA(0) },
		{ .name = "far", .cpuset = KTSTR_NUMA(1) }));
}

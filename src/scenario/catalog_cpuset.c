// SPDX-License-Identifier: GPL-2.0-only
/* Catalog: basic scenarios, and scenarios with constant or changing cpusets. */
#include "scenario/catalog_parts.h"

#define THIRD (1.0 / 3)

static int run_apply_midrun(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(ctx, res,
			 .backdrop = { .defs = KTSTR_CGROUPS(SPIN("cg_0", 0), SPIN("cg_1", 0)) },
			 .steps = KTSTR_STEPS(
				 { .name = "free", .hold = KTSTR_SETTLE_FRAC(0.5) },
				 { .name = "halves",
				   .ops = KTSTR_OPS(KTSTR_SET_CPUSET("cg_0", KTSTR_DISJOINT(0, 2)),
						    KTSTR_SET_CPUSET("cg_1", KTSTR_DISJOINT(1, 2))),
				   .hold = KTSTR_FRAC(0.5) }));
}

/* Sets the border between the two cgroups at this fraction of the CPUs. */
#define BORDER_AT(f)                                           \
	KTSTR_OPS(KTSTR_SET_CPUSET("cg_0", KTSTR_RANGE(0, f)), \
		  KTSTR_SET_CPUSET("cg_1", KTSTR_RANGE(f, 1)))
#define RANGE_HALVES                                                  \
	KTSTR_CGROUPS(SPIN("cg_0", 0, .cpuset = KTSTR_RANGE(0, 0.5)), \
		      SPIN("cg_1", 0, .cpuset = KTSTR_RANGE(0.5, 1)))

static int run_resize(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(
		ctx, res, .backdrop = { .defs = RANGE_HALVES },
		.steps = KTSTR_STEPS(
			{ .name = "50/50", .hold = KTSTR_SETTLE_FRAC(THIRD) },
			{ .name = "25/75", .ops = BORDER_AT(0.25), .hold = KTSTR_FRAC(THIRD) },
			{ .name = "75/25", .ops = BORDER_AT(0.75), .hold = KTSTR_FRAC(THIRD) }));
}

#define SWAP_PAIR KTSTR_OPS(KTSTR_SWAP_CPUSETS("cg_0", "cg_1"))

static int run_swap_disjoint(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(ctx, res, .backdrop = { .defs = RANGE_HALVES },
			 .steps = KTSTR_STEPS(
				 { .hold = KTSTR_SETTLE_FRAC(THIRD) },
				 { .name = "swapped", .ops = SWAP_PAIR, .hold = KTSTR_FRAC(THIRD) },
				 { .name = "back", .ops = SWAP_PAIR, .hold = KTSTR_FRAC(THIRD) }));
}

static int run_numa_swap(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(
		ctx, res,
		.backdrop = { .defs = KTSTR_CGROUPS(SPIN("cg_0", 0, .cpuset = KTSTR_NUMA(0)),
						    SPIN("cg_1", 0, .cpuset = KTSTR_NUMA(1))) },
		.steps = KTSTR_STEPS(
			{ .hold = KTSTR_SETTLE_FRAC(0.5) },
			{ .name = "swapped", .ops = SWAP_PAIR, .hold = KTSTR_FRAC(0.5) }));
}

/* clang-format off */
const struct catalog_row catalog_basic[] = {
	{ .name = "cgroup_steady", .description = "two equal cgroups without cpusets",
	  .steady = { .cgroups = 2 } },
	{ .name = "cgroup_cpuset_llc_steady", .description = "two cgroups on an LLC each",
	  .steady = { .cgroups = 2, .partition = { PARTITION_LLC_ALIGNED } } },
	{ .name = "cgroup_cpuset_cross_llc_steady",
	  .description = "two cpusets whose border lies inside an LLC",
	  .steady = { .cgroups = 2, .partition = { PARTITION_SPLIT_MISALIGNED } } },
	{}
};

const struct catalog_row catalog_cpuset[] = {
	{ .name = "cgroup_cpuset_overlap_steady", .description = "three cpusets that overlap by half",
	  .steady = { .cgroups = 3, .partition = { PARTITION_OVERLAP, 0.5 } } },
	{ .name = "cgroup_cpuset_apply_midrun", .min_cpus = 2,
	  .description = "two cgroups get disjoint cpusets in the middle of the run",
	  .run = run_apply_midrun },
	{ .name = "cgroup_cpuset_clear_midrun", .min_cpus = 2,
	  .description = "two cgroups lose their cpusets in the middle of the run",
	  .run = parts_run_clear_midrun },
	/* One CPU is reserved, so a quarter of the remaining four is one CPU. */
	{ .name = "cgroup_cpuset_resize", .min_cpus = 5,
	  .description = "cpusets of 50/50, then 25/75, then 75/25 of the CPUs",
	  .run = run_resize },
	{ .name = "cgroup_cpuset_swap_disjoint", .min_cpus = 8,
	  .description = "two cgroups swap their halves and swap back", .run = run_swap_disjoint },
	{ .name = "cgroup_cpuset_numa_swap", .min_nodes = 2,
	  .description = "two cgroups swap their NUMA nodes", .run = run_numa_swap },
	{}
};
/* clang-format on */

// SPDX-License-Identifier: GPL-2.0-only
/* Catalog: affinities, scheduling classes, and schedulers that stall. */
#include "scenario/catalog_parts.h"

#define RANDOM_BOTH                                                    \
	KTSTR_OPS(KTSTR_SET_AFFINITY("cg_0", KTSTR_PIN_RANDOM_SUBSET), \
		  KTSTR_SET_AFFINITY("cg_1", KTSTR_PIN_RANDOM_SUBSET))
#define RANDOM_STEP                                         \
	{                                                   \
		.ops = RANDOM_BOTH, .hold = KTSTR_FRAC(0.2) \
	}

static int run_affinity_change(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(ctx, res,
			 .backdrop = { .defs = KTSTR_CGROUPS(SPIN("cg_0", 0), SPIN("cg_1", 0)) },
			 .steps = KTSTR_STEPS({ .hold = KTSTR_SETTLE_FRAC(0.2) }, RANDOM_STEP,
					      RANDOM_STEP, RANDOM_STEP, RANDOM_STEP));
}

#define CLASSES                                                                      \
	KTSTR_WORKS({ .workers = 2 }, { .workers = 2, .sched_policy = KTSTR_BATCH }, \
		    { .workers = 2, .sched_policy = KTSTR_IDLE },                    \
		    { .workers = 2,                                                  \
		      .sched_policy = KTSTR_FIFO(1),                                 \
		      .work_type = KTSTR_BURSTY(500, 250) })

static int run_mixed_classes(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run_pair(ctx, res,
			      KTSTR_CGROUPS({ .name = "cg_0", .works = CLASSES },
					    { .name = "cg_1", .works = CLASSES }));
}

#define PIPES_AND_SPIN \
	KTSTR_WORKS({ .workers = 2, .work_type = KTSTR_PIPE_IO(1024) }, { .workers = 0 })

static int run_pipe_io(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run_pair(ctx, res,
			      KTSTR_CGROUPS({ .name = "cg_0", .works = PIPES_AND_SPIN },
					    { .name = "cg_1", .works = PIPES_AND_SPIN }));
}

/* A scheduler that ktstr started is restarted; on a host, that is the operator's task. */
static int run_stall_recovery(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	if (!ctx->scheduler.argv)
		return steady_run(ctx, res,
				  &(struct steady){ .cgroups = 2, .works = { SPINS(16) } });
	return parts_run(ctx, res,
			 .backdrop = { .defs = KTSTR_CGROUPS(SPIN("cg_0", 16), SPIN("cg_1", 16)) },
			 .steps = KTSTR_STEPS({ .hold = KTSTR_SETTLE_FRAC(0.5) },
					      { .name = "restarted",
						.ops = KTSTR_OPS(KTSTR_RESTART_SCHEDULER),
						.hold = KTSTR_FRAC(0.5) }));
}

#define SPLIT_PINNED(...)                                                  \
	{                                                                  \
		.cgroups = 2, .partition = { PARTITION_SPLIT }, .works = { \
			{ .affinity = __VA_ARGS__ }                        \
		}                                                          \
	}

/* clang-format off */
const struct catalog_row catalog_affinity[] = {
	{ .name = "cgroup_affinity_inherit",
	  .description = "two cgroups that compute and yield wherever they like",
	  .steady = { .cgroups = 2, .works = { { .work_type = KTSTR_MIXED } } } },
	{ .name = "cgroup_affinity_random",
	  .description = "workers on random CPUs of their cgroup's half",
	  .steady = SPLIT_PINNED(KTSTR_PIN_RANDOM_SUBSET) },
	{ .name = "cgroup_affinity_spanning",
	  .description = "affinities that reach beyond the cgroup's half",
	  .steady = SPLIT_PINNED(KTSTR_PIN_CROSS_CGROUP) },
	{ .name = "cgroup_affinity_pinned",
	  .description = "all workers of a cgroup on one CPU of its half",
	  .steady = SPLIT_PINNED(KTSTR_PIN_SINGLE_CPU) },
	{ .name = "cgroup_cpuset_llc_affinity", .needs = FLAG_LLC,
	  .description = "cpusets and affinities along the LLCs",
	  .steady = { .cgroups = 2, .partition = { PARTITION_LLC_ALIGNED },
		      .works = { { .affinity = KTSTR_PIN_LLC_ALIGNED } } } },
	{ .name = "cgroup_affinity_change", .excludes = FLAG_REJECT_PIN,
	  .description = "random affinities that change four times", .run = run_affinity_change },
	{}
};

const struct catalog_row catalog_sched_class[] = {
	{ .name = "sched_batch", .description = "two cgroups of SCHED_BATCH",
	  .steady = { .cgroups = 2, .works = { { .sched_policy = KTSTR_BATCH } } } },
	{ .name = "sched_idle", .description = "two cgroups of SCHED_IDLE",
	  .steady = { .cgroups = 2, .works = { { .sched_policy = KTSTR_IDLE } } } },
	{ .name = "sched_fifo", .description = "a SCHED_FIFO worker in each of two cgroups",
	  .steady = { .cgroups = 2, .works = { { .workers = 1, .sched_policy = KTSTR_FIFO(1),
						 .work_type = KTSTR_BURSTY(500, 250) } } } },
	{ .name = "sched_rr", .description = "two SCHED_RR workers in each of two cgroups",
	  .steady = { .cgroups = 2, .works = { { .workers = 2, .sched_policy = KTSTR_RR(1),
						 .work_type = KTSTR_BURSTY(500, 250) } } } },
	{ .name = "sched_mixed", .description = "normal, batch, idle and FIFO workers together",
	  .run = run_mixed_classes },
	{ .name = "cgroup_pipe_io", .description = "pairs that talk over pipes beside computing ones",
	  .run = run_pipe_io },
	{}
};

const struct catalog_row catalog_stall[] = {
	{ .name = "stall_detect", .description = "one cgroup of sixteen workers",
	  .steady = { .cgroups = 1, .works = { SPINS(16) } } },
	{ .name = "stall_recovery",
	  .description = "two cgroups of sixteen; a scheduler of ours is restarted meanwhile",
	  .run = run_stall_recovery },
	{}
};
/* clang-format on */

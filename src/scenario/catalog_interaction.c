// SPDX-License-Identifier: GPL-2.0-only
/* Catalog: several features of a scheduler at once, and their performance cost. */
#include "scenario/catalog_parts.h"

#define SIXTH (1.0 / 6)
#define THIRD (1.0 / 3)

static int run_imbalance_combined(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	unsigned int heavy = 2 * (ktstr_usable_cpu_count(ctx) / 2);

	return parts_run_pair(ctx, res,
			      KTSTR_CGROUPS(SPIN("cg_0", heavy, HALF(0)),
					    BURSTY("cg_1", 2, 50, 150, HALF(1))));
}

#define AWAY                                                                        \
	{                                                                           \
		.ops = KTSTR_OPS(KTSTR_MOVE_ALL_TASKS("cg_mobile", "cg_overflow")), \
		.hold = KTSTR_FRAC(SIXTH)                                           \
	}
#define BACK                                                                        \
	{                                                                           \
		.ops = KTSTR_OPS(KTSTR_MOVE_ALL_TASKS("cg_overflow", "cg_mobile")), \
		.hold = KTSTR_FRAC(SIXTH)                                           \
	}

static int run_no_ctrl_imbalance(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(ctx, res,
			 .backdrop = { .defs = KTSTR_CGROUPS(SPIN("cg_heavy", 6),
							     BURSTY("cg_light", 2, 50, 100),
							     SPIN("cg_mobile", 2)),
				       .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("cg_overflow")) },
			 .steps = KTSTR_STEPS({ .hold = SETTLE(ctx) }, AWAY, BACK, AWAY, BACK, AWAY,
					      { .hold = KTSTR_FRAC(SIXTH) }));
}

static int run_cpuset_multicpu_pin(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	_cleanup_(arena_finish) struct arena arena = {};
	size_t half = ctx->usable.count / 2;
	const char *left = parts_usable(ctx, &arena, 0, MIN(half, (size_t)2));
	const char *right = parts_usable(ctx, &arena, half, half + 2);

	if (!left || !right)
		return err_no_memory();
	return parts_run(
		ctx, res,
		.backdrop = { .defs = KTSTR_CGROUPS(SPIN("cg_0", 0, HALF(0)),
						    SPIN("cg_1", 0, HALF(1))) },
		.steps = KTSTR_STEPS(
			{ .name = "halves", .hold = SETTLE(ctx) },
			{ .name = "pinned",
			  .ops = KTSTR_OPS(KTSTR_SET_AFFINITY("cg_0", KTSTR_PIN_EXACT(left)),
					   KTSTR_SET_AFFINITY("cg_1", KTSTR_PIN_EXACT(right))),
			  .hold = KTSTR_HOLD_FULL }));
}

static int run_cpuset_add_remove(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(ctx, res,
			 .backdrop = { .defs = KTSTR_CGROUPS(
					       SPIN("cg_0", 0, .cpuset = KTSTR_DISJOINT(0, 3)),
					       SPIN("cg_1", 0, .cpuset = KTSTR_DISJOINT(1, 3))) },
			 .steps = KTSTR_STEPS({ .name = "two", .hold = KTSTR_SETTLE_FRAC(THIRD) },
					      { .name = "three",
						.defs = KTSTR_CGROUPS(SPIN(
							"cg_2", 0, .cpuset = KTSTR_DISJOINT(2, 3))),
						.hold = KTSTR_FRAC(THIRD) },
					      { .name = "two again", .hold = KTSTR_FRAC(THIRD) }));
}

static int run_add_during_imbalance(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(
		ctx, res,
		.backdrop = { .defs = KTSTR_CGROUPS(SPIN("cg_0", 8), BURSTY("cg_1", 2, 50, 100)) },
		.steps = KTSTR_STEPS({ .name = "two", .hold = KTSTR_SETTLE_FRAC(0.5) },
				     { .name = "three",
				       .defs = KTSTR_CGROUPS(SPIN("cg_2", 4)),
				       .hold = KTSTR_FRAC(0.5) }));
}

static int run_nested_imbalance(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run_pair(
		ctx, res, KTSTR_CGROUPS(SPIN("cg_0/sub_a", 8), BURSTY("cg_1/sub_b", 2, 50, 100)));
}

/* Runs this work in one cgroup, and a spinning worker per CPU in the other. */
static int run_against_spin(struct ktstr_ctx *ctx, struct ktstr_result *res, struct ktstr_work work)
{
	return steady_run(ctx, res,
			  &(struct steady){ .cgroups = 2,
					    .has_many_works = true,
					    .works = { work, SPINS(ktstr_cpu_count(ctx)) } });
}

static int run_cache_pressure(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return run_against_spin(ctx, res,
				(struct ktstr_work){ .work_type = KTSTR_CACHE_PRESSURE(32, 64) });
}

static int run_cache_yield(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run_pair(ctx, res,
			      KTSTR_CGROUPS({ .name = "cg_0",
					      .work_type = KTSTR_CACHE_YIELD(32, 64),
					      .cpuset = KTSTR_LLC(0) },
					    { .name = "cg_1",
					      .work_type = KTSTR_CACHE_YIELD(32, 64),
					      .cpuset = KTSTR_LLC(1) }));
}

static int run_cache_pipe(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return run_against_spin(ctx, res,
				(struct ktstr_work){ .workers =
							     (ctx->workers_per_cgroup + 1) / 2 * 2,
						     .work_type = KTSTR_CACHE_PIPE(32, 1024) });
}

/* As many groups of one messenger and four workers that it wakes as fit, at least one. */
static unsigned int fan_out_workers(const struct ktstr_ctx *ctx)
{
	return MAX(ctx->workers_per_cgroup / 5, 1U) * 5;
}

static int run_fan_out_wake(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return run_against_spin(ctx, res,
				(struct ktstr_work){ .workers = fan_out_workers(ctx),
						     .work_type = KTSTR_FUTEX_FAN_OUT(4, 1024) });
}

static int run_fan_out_compute(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return run_against_spin(
		ctx, res,
		(struct ktstr_work){ .workers = fan_out_workers(ctx),
				     .work_type = KTSTR_FAN_OUT_COMPUTE(4, 256, 5, 100) });
}

/* clang-format off */
const struct catalog_row catalog_interaction[] = {
	{ .name = "cgroup_cpuset_imbalance_combined", .needs = FLAG_BORROW | FLAG_REBAL,
	  .min_cpus = 2, .description = "a full half of the machine beside an almost idle one",
	  .run = run_imbalance_combined },
	{ .name = "cgroup_cpuset_overlap_imbalance_combined", .needs = FLAG_BORROW | FLAG_REBAL,
	  .description = "three overlapping cpusets: crowded, bursty, yielding",
	  .steady = { .cgroups = 3, .has_many_works = true, .partition = { PARTITION_OVERLAP, 0.5 },
		      .works = { SPINS(12), BURSTS(2, 50, 100), YIELDS } } },
	{ .name = "cgroup_no_ctrl_imbalance", .needs = FLAG_NO_CTRL | FLAG_BORROW,
	  .description = "mobile tasks beside a heavy and a light cgroup",
	  .run = run_no_ctrl_imbalance },
	{ .name = "cgroup_no_ctrl_cpuset_change", .needs = FLAG_NO_CTRL, .min_cpus = 2,
	  .description = "cpusets that go away without the cpu controller",
	  .run = parts_run_clear_midrun },
	{ .name = "cgroup_no_ctrl_load_imbalance", .needs = FLAG_NO_CTRL | FLAG_REBAL,
	  .description = "sixteen workers beside one that yields, without the cpu controller",
	  .steady = { .cgroups = 2, .has_many_works = true, .works = { SPINS(16), YIELDS } } },
	{ .name = "cgroup_cpuset_multicpu_pin", .needs = FLAG_REJECT_PIN, .min_cpus = 2,
	  .checks = { .max_spread_pct = 75 }, .run = run_cpuset_multicpu_pin,
	  .description = "each cgroup pinned to the first two CPUs of its half" },
	{ .name = "cgroup_cpuset_add_remove", .min_cpus = 4, .run = run_cpuset_add_remove,
	  .description = "a third cpuset comes to two others and goes" },
	{ .name = "cgroup_add_during_imbalance", .needs = FLAG_BORROW,
	  .description = "one more cgroup while the load is uneven",
	  .run = run_add_during_imbalance },
	{ .name = "nested_cgroup_imbalance", .needs = FLAG_BORROW,
	  .description = "uneven load one level down", .run = run_nested_imbalance },
	{}
};

const struct catalog_row catalog_performance[] = {
	{ .name = "cache_pressure_imbalance", .needs = FLAG_BORROW,
	  .checks = { .max_throughput_cv = 1.0 }, .run = run_cache_pressure,
	  .description = "cache users beside a computing worker for each CPU" },
	{ .name = "cache_yield_wake_affine", .needs = FLAG_LLC, .min_llcs = 2,
	  .checks = { .max_wake_latency_cv = 50, .max_throughput_cv = 1.0 }, .run = run_cache_yield,
	  .description = "cache users that yield, on an LLC each" },
	{ .name = "cache_pipe_io_compute_imbalance", .needs = FLAG_BORROW,
	  .checks = { .max_wake_latency_cv = 15 }, .run = run_cache_pipe,
	  .description = "cache users that wake each other beside computing ones" },
	{ .name = "fan_out_wake", .needs = FLAG_BORROW, .run = run_fan_out_wake,
	  .checks = { .max_wake_latency_cv = 10, .max_spread_pct = 50 },
	  .description = "one wakes four, beside a computing worker for each CPU" },
	{ .name = "fan_out_compute", .needs = FLAG_BORROW, .run = run_fan_out_compute,
	  .checks = { .max_wake_latency_cv = 10, .max_spread_pct = 50 },
	  .description = "one wakes four that then compute, beside others that always do" },
	{}
};
/* clang-format on */

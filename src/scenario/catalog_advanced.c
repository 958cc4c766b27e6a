// SPDX-License-Identifier: GPL-2.0-only
/* Catalog: unevenly distributed load, and what is needed to balance it. */
#include "scenario/catalog_parts.h"

#define THIRD (1.0 / 3)
#define MAX_EXHAUST 15

/* The cgroups belong to the backdrop, so they live across steps; the step "remove" removes some. */
static int run_exhaust_reuse(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	unsigned int count = MIN(ktstr_cpu_count(ctx) - 1, (unsigned int)MAX_EXHAUST);
	struct ktstr_op add[2 * MAX_EXHAUST + 1], remove[MAX_EXHAUST + 1];
	struct ktstr_cgroup reuse[MAX_EXHAUST + 1] = {};
	_cleanup_(arena_finish) struct arena arena = {};

	for (unsigned int i = 0; i < count; i++) {
		const char *name = parts_name(&arena, "cg_", i);
		const char *reused = parts_name(&arena, "reuse_", i);
		const char *cpu = parts_usable(ctx, &arena, i, i + 1);

		if (!name || !reused || !cpu)
			return err_no_memory();
		add[(size_t)2 * i] = (struct ktstr_op)KTSTR_ADD_CGROUP(name);
		add[(size_t)2 * i + 1] = (struct ktstr_op)KTSTR_SET_CPUSET(name, KTSTR_EXACT(cpu));
		if (i >= count / 2)
			continue;
		remove[i] = (struct ktstr_op)KTSTR_REMOVE_CGROUP(name);
		reuse[i] = (struct ktstr_cgroup)SPIN(reused, 1);
	}
	add[(size_t)2 * count].kind = KTSTR_OP_END;
	remove[count / 2].kind = KTSTR_OP_END;
	return parts_run(
		ctx, res, .backdrop = { .ops = add },
		.steps = KTSTR_STEPS({ .name = "exhaust", .hold = KTSTR_FIXED_MS(1000) },
				     { .name = "remove",
				       .ops = remove,
				       .allow_backdrop = true,
				       .hold = KTSTR_FIXED_MS(1000) },
				     { .name = "reuse", .defs = reuse, .hold = KTSTR_HOLD_FULL }));
}

static int run_cpuset_workload_imbalance(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	unsigned int heavy = 2 * (ktstr_usable_cpu_count(ctx) / 2);

	return parts_run_pair(ctx, res,
			      KTSTR_CGROUPS(SPIN("cg_0", heavy, HALF(0)),
					    BURSTY("cg_1", 0, 50, 100, HALF(1))));
}

static int run_cpuset_load_shift(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(
		ctx, res,
		.backdrop = { .defs = KTSTR_CGROUPS(SPIN("cg_0", 16, HALF(0)),
						    YIELDING("cg_1", HALF(1))) },
		.steps = KTSTR_STEPS({ .name = "one-sided", .hold = KTSTR_SETTLE_FRAC(0.5) },
				     { .name = "both",
				       .ops = KTSTR_OPS(KTSTR_SPAWN("cg_1", .workers = 16)),
				       .hold = KTSTR_FRAC(0.5) }));
}

static int run_add_load_imbalance(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(ctx, res,
			 .backdrop = { .defs = KTSTR_CGROUPS(YIELDING("cg_0"), YIELDING("cg_1")) },
			 .steps = KTSTR_STEPS({ .name = "light", .hold = KTSTR_SETTLE_FRAC(0.5) },
					      { .name = "heavy",
						.defs = KTSTR_CGROUPS(SPIN("cg_2", 16)),
						.hold = KTSTR_FRAC(0.5) }));
}

static int run_imbalance_mixed(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run_pair(ctx, res,
			      KTSTR_CGROUPS(SPIN("cg_0", 8), BURSTY("cg_1", 0, 100, 50),
					    { .name = "cg_2", .work_type = KTSTR_IO_SYNC }));
}

static int run_multicpu_pin(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	_cleanup_(arena_finish) struct arena arena = {};
	const char *two = parts_usable(ctx, &arena, 0, 2);

	if (!two)
		return err_no_memory();
	return parts_run(
		ctx, res, .backdrop = { .defs = KTSTR_CGROUPS(SPIN("cg_0", 0), SPIN("cg_1", 0)) },
		.steps = KTSTR_STEPS(
			{ .name = "free", .hold = SETTLE(ctx) },
			{ .name = "pinned",
			  .ops = KTSTR_OPS(KTSTR_SET_AFFINITY("cg_0", KTSTR_PIN_EXACT(two)),
					   KTSTR_SET_AFFINITY("cg_1", KTSTR_PIN_EXACT(two))),
			  .hold = KTSTR_HOLD_FULL }));
}

#define AWAY                                                                 \
	{                                                                    \
		.ops = KTSTR_OPS(KTSTR_MOVE_ALL_TASKS("cg_mobile", "cg_1")), \
		.hold = KTSTR_FRAC(0.1)                                      \
	}
#define BACK                                                                 \
	{                                                                    \
		.ops = KTSTR_OPS(KTSTR_MOVE_ALL_TASKS("cg_1", "cg_mobile")), \
		.hold = KTSTR_FRAC(0.1)                                      \
	}

static int run_task_migration(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(ctx, res,
			 .backdrop = { .defs = KTSTR_CGROUPS(SPIN("cg_0", 0), SPIN("cg_mobile", 0)),
				       .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("cg_1")) },
			 .steps = KTSTR_STEPS({ .hold = KTSTR_FIXED_MS(2000) }, AWAY, BACK, AWAY,
					      BACK, AWAY, BACK, AWAY, BACK, AWAY,
					      { .hold = KTSTR_FRAC(0.1) }));
}

static int run_cpuset_change(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	unsigned int heavy = 2 * ((ktstr_cpu_count(ctx) - 1) / 2);
	_cleanup_(arena_finish) struct arena arena = {};
	const char *one = parts_usable(ctx, &arena, ctx->usable.count - 1, ctx->usable.count);

	if (!one)
		return err_no_memory();
	return parts_run(
		ctx, res,
		.backdrop = { .defs = KTSTR_CGROUPS(
				      SPIN("cg_0", heavy, .cpuset = KTSTR_RANGE(0, 0.5)),
				      BURSTY("cg_1", 2, 30, 100, .cpuset = KTSTR_RANGE(0.5, 1))) },
		.steps = KTSTR_STEPS(
			{ .name = "halves", .hold = KTSTR_SETTLE_FRAC(THIRD) },
			{ .name = "one CPU",
			  .ops = KTSTR_OPS(KTSTR_SET_CPUSET("cg_1", KTSTR_EXACT(one))),
			  .hold = KTSTR_FRAC(THIRD) },
			{ .name = "halves again",
			  .ops = KTSTR_OPS(KTSTR_SET_CPUSET("cg_1", KTSTR_RANGE(0.5, 1))),
			  .hold = KTSTR_FRAC(THIRD) }));
}

static int run_oscillation(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	unsigned int heavy = 2 * ctx->workers_per_cgroup;
	const struct ktstr_cgroup *left = KTSTR_CGROUPS(SPIN("cg_0", heavy), YIELDING("cg_1"));
	const struct ktstr_cgroup *right = KTSTR_CGROUPS(YIELDING("cg_0"), SPIN("cg_1", heavy));

	return ktstr_run_steps(ctx, res,
			       KTSTR_STEPS({ .defs = left, .hold = KTSTR_SETTLE_FRAC(0.25) },
					   { .defs = right, .hold = KTSTR_FRAC(0.25) },
					   { .defs = left, .hold = KTSTR_FRAC(0.25) },
					   { .defs = right, .hold = KTSTR_FRAC(0.25) }));
}

static int run_nested_no_ctrl(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run_pair(ctx, res,
			      KTSTR_CGROUPS(SPIN("cg_0/sub_a/deep", 0), SPIN("cg_1/sub_b", 0)));
}

static int run_io_compute(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return steady_run(ctx, res,
			  &(struct steady){ .cgroups = 2,
					    .has_many_works = true,
					    .works = { { .work_type = KTSTR_IO_SYNC },
						       SPINS(ktstr_cpu_count(ctx)) } });
}

#define WORKS(n, ...)                                                            \
	{                                                                        \
		.cgroups = (n), .has_many_works = true, .works = { __VA_ARGS__ } \
	}
#define OVERLAPPING(...)                                                                       \
	{                                                                                      \
		.cgroups = 3, .has_many_works = true, .partition = { PARTITION_OVERLAP, 0.5 }, \
		.works = {                                                                     \
			__VA_ARGS__                                                            \
		}                                                                              \
	}

/* clang-format off */
const struct catalog_row catalog_advanced[] = {
	{ .name = "cgroup_idle_overloaded", .needs = FLAG_BORROW,
	  .description = "sixteen workers beside one", .steady = WORKS(2, SPINS(16), SPINS(1)) },
	{ .name = "cgroup_all_loaded", .needs = FLAG_BORROW,
	  .description = "no cgroup has idle CPUs to lend",
	  .steady = { .cgroups = 2, .works = { SPINS(16) } } },
	{ .name = "cgroup_llc_overflow", .needs = FLAG_LLC | FLAG_STEAL,
	  .description = "one cgroup of eight workers that may not fit an LLC",
	  .steady = { .cgroups = 1, .works = { SPINS(8) } } },
	{ .name = "cgroup_load_imbalance", .needs = FLAG_REBAL,
	  .description = "sixteen computing workers beside one that yields",
	  .steady = WORKS(2, SPINS(16), YIELDS) },
	{ .name = "cgroup_exhaust_reuse", .min_cpus = 3, .run = run_exhaust_reuse,
	  .description = "many pinned cgroups, half of them removed, new ones in their place" },
	{ .name = "cgroup_cpuset_workload_imbalance", .needs = FLAG_BORROW, .min_cpus = 2,
	  .description = "a full half of the machine beside a bursty one",
	  .run = run_cpuset_workload_imbalance },
	{ .name = "cgroup_cpuset_load_shift", .needs = FLAG_REBAL, .min_cpus = 2,
	  .description = "load on one half, then on both", .run = run_cpuset_load_shift },
	{ .name = "cgroup_add_load_imbalance", .needs = FLAG_REBAL,
	  .description = "a heavy cgroup comes to two light ones", .run = run_add_load_imbalance },
	{ .name = "cgroup_imbalance_mixed_workload", .needs = FLAG_BORROW | FLAG_REBAL,
	  .description = "computing, bursty and writing cgroups", .run = run_imbalance_mixed },
	{ .name = "cgroup_multicpu_pin", .needs = FLAG_REJECT_PIN,
	  .checks = { .max_spread_pct = 75 }, .run = run_multicpu_pin,
	  .description = "both cgroups pinned to the same two CPUs" },
	{ .name = "cgroup_no_ctrl_task_migration", .needs = FLAG_NO_CTRL,
	  .description = "tasks that change cgroups nine times", .run = run_task_migration },
	{ .name = "cgroup_cpuset_change_imbalance", .needs = FLAG_BORROW, .min_cpus = 4,
	  .description = "a bursty cgroup shrinks to one CPU and grows back",
	  .run = run_cpuset_change },
	{ .name = "cgroup_load_oscillation", .needs = FLAG_REBAL,
	  .description = "load that swings between two cgroups", .run = run_oscillation },
	{ .name = "nested_cgroup_no_ctrl", .needs = FLAG_NO_CTRL,
	  .description = "nested cgroups without the cpu controller", .run = run_nested_no_ctrl },
	{ .name = "cgroup_io_compute_imbalance", .needs = FLAG_BORROW,
	  .description = "writing workers beside a computing one for each CPU",
	  .run = run_io_compute },
	{ .name = "cgroup_4way_load_imbalance", .needs = FLAG_REBAL, .min_cpus = 5,
	  .need_why = " for 4 cgroups", .description = "four cgroups of very different load",
	  .steady = WORKS(4, SPINS(16), YIELDS, SPINS(8), SPINS(4)) },
	{ .name = "cgroup_cpuset_overlap_imbalance", .needs = FLAG_BORROW,
	  .description = "three overlapping cpusets, one of them busy",
	  .steady = OVERLAPPING(SPINS(8), BURSTS(1, 50, 100), YIELDS) },
	{ .name = "cgroup_cpuset_overlap_load_imbalance", .needs = FLAG_REBAL,
	  .description = "three overlapping cpusets of different load",
	  .steady = OVERLAPPING(SPINS(16), YIELDS, SPINS(4)) },
	{ .name = "cgroup_bursty_imbalance", .needs = FLAG_BORROW,
	  .description = "computing workers beside bursty ones",
	  .steady = WORKS(2, SPINS(8), BURSTS(4, 50, 100)) },
	{ .name = "cgroup_bursty_load_shift", .needs = FLAG_REBAL,
	  .description = "long bursts of many beside a few that always compute",
	  .steady = WORKS(2, BURSTS(12, 200, 50), SPINS(4)) },
	{}
};
/* clang-format on */

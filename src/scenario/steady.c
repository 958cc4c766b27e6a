// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a steady scenario: creates cgroups first, and workers once the scheduler has noticed
 * them.
 */
#include "scenario/catalog.h"

#include "check/result.h"
#include "scenario/run.h"
#include "work/workers.h"

static const char *const cgroup_names[STEADY_MAX_CGROUPS] = { "cg_0", "cg_1", "cg_2", "cg_3",
							      "cg_4" };

/*
 * Replaces CpuSpin by --work-type. Spawning never does that, because spawned workers
 * usually have a purpose. If the number of workers does not fit the other type, CpuSpin
 * stays.
 */
static void replace_work_type(const struct ktstr_ctx *ctx, struct ktstr_work *work)
{
	enum ktstr_work_kind kind = work->work_type.kind;
	unsigned int workers = work->workers ? work->workers : ctx->workers_per_cgroup;

	if (!ctx->has_work_type || (kind != KTSTR_WORK_DEFAULT && kind != KTSTR_WORK_CPU_SPIN))
		return;
	if (workers % work_type_group(&ctx->work_type) == 0)
		work->work_type = ctx->work_type;
}

struct steady_ops {
	struct ktstr_op prepare[2 * STEADY_MAX_CGROUPS + 1];
	struct ktstr_op start[STEADY_MAX_CGROUPS + 1];
};

static void fill_ops(struct steady_ops *ops, const struct ktstr_ctx *ctx,
		     const struct steady *steady, const char *const *cpus)
{
	size_t prepared = 0;

	for (unsigned int i = 0; i < steady->cgroups; i++) {
		const char *name = cgroup_names[i];

		ops->prepare[prepared++] = (struct ktstr_op)KTSTR_ADD_CGROUP(name);
		if (cpus[i])
			ops->prepare[prepared++] =
				(struct ktstr_op)KTSTR_SET_CPUSET(name, KTSTR_EXACT(cpus[i]));
		ops->start[i] = (struct ktstr_op){ .kind = KTSTR_OP_SPAWN, .cgroup = name };
		ops->start[i].work = steady->works[steady->has_many_works ? i : 0];
		replace_work_type(ctx, &ops->start[i].work);
	}
	ops->prepare[prepared].kind = KTSTR_OP_END;
	ops->start[steady->cgroups].kind = KTSTR_OP_END;
}

static int run_with_log(struct ktstr_ctx *ctx, struct ktstr_result *res,
			const struct steady_ops *ops)
{
	_close_ int log = kmsg_open();
	int rc = ktstr_run_scenario(
		ctx, res,
		&(struct ktstr_scenario_run){
			.backdrop = { .ops = ops->prepare },
			.steps = KTSTR_STEPS(
				{ .name = "settle", .hold = KTSTR_FIXED_MS(ctx->settle_ms) },
				{ .name = "run", .ops = ops->start, .hold = KTSTR_HOLD_FULL }) });

	if (rc < 0 || ktstr_result_verdict(res) == KTSTR_FAILED)
		kmsg_add_details(log, res);
	return rc;
}

int steady_run(struct ktstr_ctx *ctx, struct ktstr_result *res, const struct steady *steady)
{
	const char *cpus[STEADY_MAX_CGROUPS] = {};
	_cleanup_(arena_finish) struct arena arena = {};
	struct steady_ops ops = {};
	int rc = partition_resolve(ctx, steady->partition, steady->cgroups, &arena, cpus);

	if (rc < 0)
		return rc;
	if (rc > 0) {
		ktstr_result_skip(res, "not enough CPUs/LLCs");
		return 0;
	}
	fill_ops(&ops, ctx, steady, cpus);
	return run_with_log(ctx, res, &ops);
}

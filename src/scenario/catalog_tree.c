// SPDX-License-Identifier: GPL-2.0-only
/* Catalog: cgroups that come and go, and nested cgroups. */
#include "scenario/catalog_parts.h"

#define PAIR KTSTR_CGROUPS(SPIN("cg_0", 0), SPIN("cg_1", 0))

static int run_add_midrun(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	struct ktstr_cgroup added[] = { SPIN("cg_2", 0), SPIN("cg_3", 0), {} };

	if (ktstr_cpu_count(ctx) - 3 < 2)
		added[1].name = NULL;
	return parts_run(
		ctx, res, .backdrop = { .defs = PAIR },
		.steps = KTSTR_STEPS({ .name = "two", .hold = KTSTR_SETTLE_FRAC(0.5) },
				     { .name = "more", .defs = added, .hold = KTSTR_FRAC(0.5) }));
}

/* Half of the cgroups live in the first step only. */
static int run_remove_midrun(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	static const char *const names[] = { "cg_0", "cg_1", "cg_2", "cg_3" };
	unsigned int count = MIN(ktstr_cpu_count(ctx) - 1, (unsigned int)ARRAY_SIZE(names));
	struct ktstr_cgroup staying[ARRAY_SIZE(names) + 1] = {}, going[ARRAY_SIZE(names) + 1] = {};
	unsigned int stays = count - count / 2;

	for (unsigned int i = 0; i < count; i++)
		*(i < stays ? &staying[i] : &going[i - stays]) =
			(struct ktstr_cgroup)SPIN(names[i], 0);
	return parts_run(ctx, res, .backdrop = { .defs = staying },
			 .steps = KTSTR_STEPS(
				 { .name = "all", .defs = going, .hold = KTSTR_SETTLE_FRAC(0.5) },
				 { .name = "half", .hold = KTSTR_FRAC(0.5) }));
}

/*
 * One round: creates something, waits, removes it. False ends the rounds, with the reason
 * in *rc.
 */
typedef bool churn_fn(struct ktstr_ctx *ctx, struct ktstr_result *res, unsigned int round, int *rc);

static bool live_for(struct ktstr_ctx *ctx, struct ktstr_result *res, const char *cgroup,
		     uint64_t ms, int *rc)
{
	int held;

	*rc = ktstr_cgroup_create(ctx, cgroup);
	held = *rc == 0 ? ctx_hold(ctx, ms, res) : *rc;
	/* If the scheduler died, the result has that, and workers' reports are still collected. */
	*rc = held == -ESRCH ? 0 : held;
	return held == 0;
}

static bool churn_flat(struct ktstr_ctx *ctx, struct ktstr_result *res, unsigned int round, int *rc)
{
	_free_ char *name = str_fmt("ephemeral_%u", round);
	bool go_on;

	if (!name) {
		*rc = err_no_memory();
		return false;
	}
	go_on = live_for(ctx, res, name, 100, rc);
	if (*rc == 0)
		*rc = ktstr_cgroup_remove(ctx, name);
	return go_on && *rc == 0;
}

static bool churn_nested(struct ktstr_ctx *ctx, struct ktstr_result *res, unsigned int round,
			 int *rc)
{
	_free_ char *name = str_fmt("cg_0/churn_%u", round);
	_free_ char *deep = str_fmt("cg_0/churn_%u/deep", round);
	bool go_on;

	if (!name || !deep) {
		*rc = err_no_memory();
		return false;
	}
	go_on = live_for(ctx, res, name, 50, rc);
	if (go_on && round % 3 == 2)
		go_on = live_for(ctx, res, deep, 50, rc);
	/* Removes the cgroups below it, too. */
	if (*rc == 0)
		*rc = ktstr_cgroup_remove(ctx, name);
	return go_on && *rc == 0;
}

static int run_churn(struct ktstr_ctx *ctx, struct ktstr_result *res, const char *first,
		     const char *second, churn_fn *churn)
{
	_cleanup_(parts_load_finish) struct parts_load load = {};
	int rc = parts_load_start(&load, ctx, first, second);
	uint64_t end_ns = clock_mono_ns() + ctx->duration_ms * NSEC_PER_MSEC;
	unsigned int round = 0;

	if (rc < 0)
		return rc;
	while (clock_mono_ns() < end_ns && churn(ctx, res, round, &rc))
		round++;
	return rc < 0 ? rc : parts_load_collect(&load, res);
}

static int run_rapid_churn(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return run_churn(ctx, res, "cg_0", "cg_1", churn_flat);
}

/*
 * A cgroup that enables controllers for its children must not have tasks, so the load runs
 * in a child.
 */
static int run_nested_churn(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return run_churn(ctx, res, "cg_0/load", "cg_1/load", churn_nested);
}

static int run_nested_steady(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(
		ctx, res,
		.backdrop = { .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("cg_0"), KTSTR_ADD_CGROUP("cg_1"),
					       KTSTR_ADD_CGROUP("cg_1/sub_a"),
					       KTSTR_ADD_CGROUP_DEF(SPIN("cg_0/sub_a", 0)),
					       KTSTR_ADD_CGROUP_DEF(SPIN("cg_0/sub_b", 0)),
					       KTSTR_ADD_CGROUP_DEF(SPIN("cg_1/sub_b", 0)),
					       KTSTR_ADD_CGROUP_DEF(SPIN("cg_1/sub_a/deep", 0))) },
		.steps = KTSTR_STEPS({ .hold = KTSTR_FIXED_MS(2000 + ctx->duration_ms) }));
}

#define MOVE_STEP(from, to)                                                   \
	{                                                                     \
		.name = to, .ops = KTSTR_OPS(KTSTR_MOVE_ALL_TASKS(from, to)), \
		.hold = KTSTR_FRAC(0.25)                                      \
	}

static int run_nested_move(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(
		ctx, res,
		.backdrop = { .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("cg_0"), KTSTR_ADD_CGROUP("cg_1"),
					       KTSTR_ADD_CGROUP("cg_1/sub"),
					       KTSTR_ADD_CGROUP_DEF(SPIN("cg_0/sub", 0))) },
		.steps = KTSTR_STEPS({ .name = "cg_0/sub",
				       .hold = KTSTR_FIXED_MS(2000 + ctx->duration_ms / 4) },
				     MOVE_STEP("cg_0/sub", "cg_0"), MOVE_STEP("cg_0", "cg_1/sub"),
				     MOVE_STEP("cg_1/sub", "cg_1")));
}

static int run_nested_cpuset(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	_cleanup_(arena_finish) struct arena arena = {};
	size_t half = ctx->usable.count / 2;
	const char *wide = parts_usable(ctx, &arena, 0, half);
	const char *narrow = parts_usable(ctx, &arena, 0, MAX(half / 2, (size_t)1));

	if (!wide || !narrow)
		return err_no_memory();
	return parts_run(ctx, res,
			 .backdrop = { .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("cg_0"),
							KTSTR_SET_CPUSET("cg_0", KTSTR_EXACT(wide)),
							KTSTR_ADD_CGROUP_DEF(SPIN(
								"cg_0/narrow", 0,
								.cpuset = KTSTR_EXACT(narrow)))) },
			 .steps = KTSTR_STEPS({ .hold = KTSTR_SETTLE_FRAC(1) }));
}

/* clang-format off */
const struct catalog_row catalog_dynamic[] = {
	{ .name = "cgroup_add_midrun", .min_cpus = 4, .run = run_add_midrun,
	  .description = "more cgroups come in the middle of the run" },
	{ .name = "cgroup_remove_midrun", .min_cpus = 3, .run = run_remove_midrun,
	  .description = "half of the cgroups go in the middle of the run" },
	{ .name = "cgroup_rapid_churn", .run = run_rapid_churn,
	  .description = "empty cgroups come and go ten times a second beside two loaded ones" },
	{}
};

const struct catalog_row catalog_nested[] = {
	{ .name = "nested_cgroup_steady", .run = run_nested_steady,
	  .description = "workers at different depths of a cgroup tree" },
	{ .name = "nested_cgroup_task_move", .run = run_nested_move,
	  .description = "workers move up, across and up again in a cgroup tree" },
	{ .name = "nested_cgroup_rapid_churn", .run = run_nested_churn,
	  .description = "nested cgroups come and go beside two loaded ones" },
	{ .name = "nested_cgroup_cpuset", .min_cpus = 4, .run = run_nested_cpuset,
	  .checks = { .not_starved = KTSTR_ON, .isolation = KTSTR_ON },
	  .description = "a cpuset inside of a cpuset" },
	{}
};
/* clang-format on */

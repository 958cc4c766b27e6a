// SPDX-License-Identifier: GPL-2.0-only
/* Helpers shared by functions of the catalog. */
#include "scenario/catalog_parts.h"

const char *parts_name(struct arena *arena, const char *prefix, unsigned int index)
{
	_str_ struct str name = {};

	str_addf(&name, "%s%u", prefix, index);
	return name.failed ? NULL : arena_copy(arena, name.s, name.len);
}

const char *parts_usable(const struct ktstr_ctx *ctx, struct arena *arena, size_t from, size_t to)
{
	_str_ struct str list = {};

	to = MIN(to, ctx->usable.count);
	from = MIN(from, to - 1);
	cpulist_format(ctx->usable.cpus + from, to - from, &list);
	return list.failed ? NULL : arena_copy(arena, list.s, list.len);
}

int parts_run_pair(struct ktstr_ctx *ctx, struct ktstr_result *res, const struct ktstr_cgroup *defs)
{
	return parts_run(ctx, res, .backdrop = { .defs = defs },
			 .steps = KTSTR_STEPS({ .hold = KTSTR_SETTLE_FRAC(1) }));
}

static int load_one(struct ktstr_ctx *ctx, const char *cgroup, struct ktstr_workers **out)
{
	int rc = ktstr_workers_spawn(ctx, &(struct ktstr_work){}, cgroup, out);

	return rc < 0 ? rc : ktstr_workers_start(*out);
}

int parts_run_clear_midrun(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(ctx, res,
			 .backdrop = { .defs = KTSTR_CGROUPS(SPIN("cg_0", 0, HALF(0)),
							     SPIN("cg_1", 0, HALF(1))) },
			 .steps = KTSTR_STEPS({ .name = "halves", .hold = KTSTR_SETTLE_FRAC(0.5) },
					      { .name = "free",
						.ops = KTSTR_OPS(KTSTR_CLEAR_CPUSET("cg_0"),
								 KTSTR_CLEAR_CPUSET("cg_1")),
						.hold = KTSTR_FRAC(0.5) }));
}

int parts_load_start(struct parts_load *load, struct ktstr_ctx *ctx, const char *first,
		     const char *second)
{
	int rc = ktstr_cgroup_create(ctx, first) ?: ktstr_cgroup_create(ctx, second);

	if (rc == 0)
		ctx_sleep_ms(ctx->settle_ms);
	rc = rc ?: load_one(ctx, first, &load->groups[0]);
	return rc ?: load_one(ctx, second, &load->groups[1]);
}

int parts_load_collect(struct parts_load *load, struct ktstr_result *res)
{
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(load->groups) && rc == 0; i++)
		rc = ktstr_workers_stop_collect(load->groups[i], res);
	return rc;
}

void parts_load_finish(struct parts_load *load)
{
	for (size_t i = 0; i < ARRAY_SIZE(load->groups); i++)
		ktstr_workers_free(load->groups[i]);
}

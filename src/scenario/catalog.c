// SPDX-License-Identifier: GPL-2.0-only
/* The list of the catalog's tables, running a row, and rows that tests call by name. */
#include "scenario/catalog.h"

#include "check/check.h"
#include "scenario/ctx.h"

const struct ktstr_flag catalog_flags[] = {
	{ .name = "llc" },
	{ .name = "borrow" },
	{ .name = "steal", .requires_flags = (const char *const[]){ "llc", NULL } },
	{ .name = "rebal" },
	{ .name = "reject-pin" },
	{ .name = "no-ctrl" },
	{},
};

const struct catalog_category catalog_categories[] = {
	{ "basic", catalog_basic },
	{ "cpuset", catalog_cpuset },
	{ "stress", catalog_stress },
	{ "affinity", catalog_affinity },
	{ "sched_class", catalog_sched_class },
	{ "stall", catalog_stall },
	{ "dynamic", catalog_dynamic },
	{ "nested", catalog_nested },
	{ "advanced", catalog_advanced },
	{ "interaction", catalog_interaction },
	{ "performance", catalog_performance },
	{},
};

const struct catalog_row *catalog_find(const char *name)
{
	for (const struct catalog_category *c = catalog_categories; c->name; c++)
		for (const struct catalog_row *row = c->rows; row->name; row++)
			if (str_eq(row->name, name))
				return row;
	return NULL;
}

static bool skip_small_machine(const struct catalog_row *row, const struct ktstr_ctx *ctx,
			       struct ktstr_result *res)
{
	const struct {
		unsigned int needed, there;
		const char *what;
	} bounds[] = {
		{ row->min_cpus, ktstr_cpu_count(ctx), "CPUs" },
		{ row->min_llcs, ktstr_llc_count(ctx), "LLCs" },
		{ row->min_nodes, ktstr_numa_node_count(ctx), "NUMA nodes" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bounds); i++)
		if (bounds[i].there < bounds[i].needed) {
			ktstr_result_skip(res, "need >=%u %s%s", bounds[i].needed, bounds[i].what,
					  row->need_why ? row->need_why : "");
			return true;
		}
	return false;
}

int catalog_run(const struct catalog_row *row, struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	struct ktstr_assert checks = ctx->checks;
	int rc;

	if (skip_small_machine(row, ctx, res))
		return 0;
	assert_merge(&ctx->checks, &row->checks);
	rc = row->run ? row->run(ctx, res) : steady_run(ctx, res, &row->steady);
	ctx->checks = checks;
	return rc;
}

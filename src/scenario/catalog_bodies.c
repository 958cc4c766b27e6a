// SPDX-License-Identifier: GPL-2.0-only
/* Ready-made bodies for tests: rows of the catalog, and three shorter ones. */
#include <ktstr/ktstr.h>

#include "scenario/catalog.h"

int ktstr_scn_steady(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "cg_0" }, { .name = "cg_1" }));
}

int ktstr_scn_steady_llc(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	if (ktstr_llc_count(ctx) < 2) {
		ktstr_result_skip(res, "need >=2 LLCs");
		return 0;
	}
	return ktstr_run_defs(ctx, res,
			      KTSTR_CGROUPS({ .name = "cg_0", .cpuset = KTSTR_LLC(0) },
					    { .name = "cg_1", .cpuset = KTSTR_LLC(1) }));
}

int ktstr_scn_oversubscribed(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return ktstr_run_defs(
		ctx, res,
		KTSTR_CGROUPS({ .name = "cg_0", .workers = 32, .work_type = KTSTR_MIXED },
			      { .name = "cg_1", .workers = 32, .work_type = KTSTR_MIXED }));
}

#define ROW_BODY(body, row)                                                   \
	int ktstr_scn_##body(struct ktstr_ctx *ctx, struct ktstr_result *res) \
	{                                                                     \
		return catalog_run(catalog_find(row), ctx, res);              \
	}

ROW_BODY(cpuset_apply, "cgroup_cpuset_apply_midrun")
ROW_BODY(cpuset_clear, "cgroup_cpuset_clear_midrun")
ROW_BODY(cpuset_resize, "cgroup_cpuset_resize")
ROW_BODY(cgroup_add, "cgroup_add_midrun")
ROW_BODY(cgroup_remove, "cgroup_remove_midrun")
ROW_BODY(affinity_change, "cgroup_affinity_change")
ROW_BODY(affinity_pinned, "cgroup_multicpu_pin")
ROW_BODY(host_contention, "host_cgroup_contention")
ROW_BODY(mixed_workloads, "cgroup_imbalance_mixed_workload")
ROW_BODY(nested_steady, "nested_cgroup_steady")
ROW_BODY(nested_task_move, "nested_cgroup_task_move")

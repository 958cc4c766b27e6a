// SPDX-License-Identifier: GPL-2.0-only
/* The table of run modes. */
#include "host/plan.h"

static const struct run_mode_traits modes[] = {
	[RUN_PERFORMANCE] = { .name = "performance",
			      .locks_llcs = true,
			      .is_llc_exclusive = true,
			      .pins_vcpus = true,
			      .vcpu_priority = 1,
			      .service_priority = 2 },
	[RUN_DEFAULT] = { .name = "default",
			  .locks_llcs = true,
			  .locks_cpus = true,
			  .pins_vcpus = true },
	[RUN_BUDGETED] = { .name = "budgeted", .locks_llcs = true },
	[RUN_FREE] = { .name = "free" },
};

static const char *const skip_names[] = {
	[SKIP_NONE] = "",
	[SKIP_PERF_MODE_UNAVAILABLE] = "PerfModeUnavailable",
	[SKIP_RESOURCE_CONTENTION] = "ResourceContention",
	[SKIP_CPU_BUDGET] = "CpuBudgetUnsatisfiable",
};

const struct run_mode_traits *run_mode_traits(enum run_mode mode)
{
	return &modes[mode];
}

enum run_mode run_mode_select(const struct run_mode_wishes *wishes)
{
	if (wishes->wants_performance && !wishes->no_perf_mode)
		return RUN_PERFORMANCE;
	if (wishes->has_budget)
		return RUN_BUDGETED;
	return wishes->no_perf_mode ? RUN_FREE : RUN_DEFAULT;
}

bool run_mode_env_no_perf(void)
{
	return env_get("KTSTR_NO_PERF_MODE") != NULL;
}

const char *skip_reason_name(enum skip_reason reason)
{
	return skip_names[reason];
}

// SPDX-License-Identifier: GPL-2.0-only
/* Reserves CPUs for a build. */
#include "kernel/build.h"

#include "host/budget.h"

int build_cpus_parse_cap(const char *flag, size_t *cap)
{
	struct cpulist allowed = {};
	struct cpu_cap resolved = {};
	int rc = budget_read_allowed(&allowed, &roots_live);

	rc = rc ?: cpu_cap_resolve(&resolved, flag, allowed.count);
	cpulist_finish(&allowed);
	*cap = resolved.cpus;
	return rc;
}

/* Shares LLCs that other builds already use, and leaves the others free. */
static int reserve(struct build_cpus *b)
{
	struct reserve_request request = { .mode = RUN_BUDGETED,
					   .budget = b->count,
					   .preference = PLAN_CONSOLIDATE,
					   .topology = &b->topology,
					   .allowed = &b->allowed };
	int rc = topology_read(&b->topology, &roots_live);

	return rc ?: reservation_acquire(&b->reservation, &request);
}

int build_cpus_take(struct build_cpus *b, size_t cap)
{
	int rc;

	*b = (struct build_cpus){};
	rc = budget_read_allowed(&b->allowed, &roots_live);
	if (rc < 0)
		return rc;
	if (budget_is_bypassed()) {
		b->count = b->allowed.count;
		return 0;
	}
	b->count = cap ? cap : budget_default_build(b->allowed.count);
	rc = reserve(b);
	return rc < 0 ? rc : sandbox_enter_plan(&b->sandbox, &b->reservation.plan, cap > 0);
}

void build_cpus_finish(struct build_cpus *b)
{
	sandbox_leave(&b->sandbox);
	reservation_release(&b->reservation);
	topology_finish(&b->topology);
	cpulist_finish(&b->allowed);
	*b = (struct build_cpus){};
}

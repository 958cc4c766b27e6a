/* SPDX-License-Identifier: GPL-2.0-only */
/* Which scenarios run with which profiles, in which order, and what that will cost. */
#ifndef KTSTR_HOSTMODE_PLAN_H
#define KTSTR_HOSTMODE_PLAN_H

#include "base/str.h"
#include "hostmode/scenarios.h"
#include "run/selection.h"

enum host_profiles {
	HOST_PROFILES_ALL,
	HOST_PROFILES_BASE,  /* only the flags that the scenario is about */
	HOST_PROFILES_EXACT, /* this one */
};

struct host_run {
	const struct host_scenario *scenario;
	uint64_t profile;
	const char *profile_name;
	const char *name; /* "cgroup_steady/default" */
	const char *skip; /* why it cannot run, or NULL */
};

struct host_plan_options {
	const char *filter; /* or NULL */
	enum host_profiles profiles;
	uint64_t exact;
	double budget_s; /* 0 = none */
	uint64_t duration_ms;
	unsigned int workers;
	/* Of this machine, for the budget. */
	unsigned int nodes, llcs, cpus;
	bool has_smt;
};

struct host_plan {
	struct arena arena;
	VEC(struct host_run) runs;
	double estimate_s;
	bool has_budget;
	struct selection_summary budget;
};

/* Refers to the scenarios. -ENOENT with a suggestion when the filter matches nothing. */
int host_plan_build(struct host_plan *plan, const struct host_scenarios *scenarios,
		    const struct host_plan_options *options);
void host_plan_finish(struct host_plan *plan);

#define _host_plan_ _cleanup_(host_plan_finish)

/* The names of the profiles that suit a scenario, with ", " between them. */
int host_plan_add_profiles(const struct host_scenario *s, struct arena *arena,
			   const char *const **names, size_t *count);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Running scenarios on this machine. Each run has a process of its own: one that
 * crashes, hangs or is interrupted takes its workers with it and nothing else.
 */
#ifndef KTSTR_HOSTMODE_EXECUTE_H
#define KTSTR_HOSTMODE_EXECUTE_H

#include "base/roots.h"
#include "check/result.h"
#include "host/topology.h"
#include "hostmode/plan.h"

struct host_options {
	const struct topology *topology;
	const char *cgroup_parent; /* of host_check() */
	/* Of scenarios that do not say themselves. */
	uint64_t duration_ms;
	unsigned int workers;
	const struct ktstr_work_type *work_type; /* or NULL */
	uint64_t seed;
	const char *observe_dir, *observe_problem; /* as of struct ctx_options */
	bool is_verbose;
};

/*
 * The directory of this process's cgroups (free()), or a sentence why scenarios cannot run
 * here: no cgroup v2, no controllers, no rights.
 */
int host_check(const struct roots *roots, char **cgroup_parent);

/*
 * One run with its verdict in an initialised result. -EINTR when interrupted; what the
 * run left behind is gone then too.
 */
int host_execute(const struct host_run *run, const struct host_options *options,
		 struct ktstr_result *res, double *seconds);

#endif

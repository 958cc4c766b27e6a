/* SPDX-License-Identifier: GPL-2.0-only */
/* From what a test asks for to CPUs and memory nodes of this machine. */
#ifndef KTSTR_SCENARIO_CPUSET_H
#define KTSTR_SCENARIO_CPUSET_H

#include "scenario/ctx.h"

/*
 * The CPUs of a spec. -EINVAL with "cgroup 'NAME': CpusetSpec validation failed: ..."
 * where the machine does not have them. Not for KTSTR_CPUSET_NONE.
 */
int cpuset_resolve(const struct ktstr_ctx *ctx, const char *cgroup, const struct ktstr_cpuset *spec,
		   struct worker_cpus *out);

/*
 * One set per worker into out[count]. cpuset is that of the cgroup, or NULL. Returns
 * 1, or 0 when the affinity is to be left alone, or a negative errno.
 */
int affinity_resolve(struct ktstr_ctx *ctx, const struct ktstr_affinity *intent,
		     const struct worker_cpus *cpuset, unsigned int count, struct worker_cpus *out);

/* Whether not all of these sets are the same. */
bool affinities_differ(const struct worker_cpus *sets, unsigned int count);

/* Whether set_mempolicy() can do what the work asks for. cpuset as above. */
int mem_policy_validate(const struct ktstr_ctx *ctx, const char *cgroup,
			const struct ktstr_work *work, const struct worker_cpus *cpuset);

#endif

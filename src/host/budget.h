/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many host CPUs a build or a VM may use: --cpu-cap, KTSTR_CPU_CAP, and the defaults.
 * The reference is the set of CPUs that this process may run on.
 */
#ifndef KTSTR_HOST_BUDGET_H
#define KTSTR_HOST_BUDGET_H

#include "base/base.h"

/*
 * Reads this process's affinity; on a recorded machine, or if the call fails,
 * Cpus_allowed_list. Never empty.
 */
int budget_read_allowed(struct cpulist *allowed, const struct roots *roots);

struct cpu_cap {
	size_t cpus;	    /* 0 = no cap */
	const char *source; /* "--cpu-cap" or "KTSTR_CPU_CAP" */
};

/*
 * The effective cap: the flag's text (NULL = not given) overrides KTSTR_CPU_CAP. Returns an
 * error for text that is not a positive number, for more CPUs than allowed, and for a cap
 * together with KTSTR_BYPASS_LLC_LOCKS.
 */
int cpu_cap_resolve(struct cpu_cap *cap, const char *flag, size_t allowed);

/*
 * For commands that can run in performance mode: the flag without --no-perf-mode is an
 * error; the variable without it is reported as ineffective and dropped.
 */
int cpu_cap_check_mode(struct cpu_cap *cap, bool no_perf_mode);

/* True if KTSTR_BYPASS_LLC_LOCKS disables coordination with other processes. */
bool budget_is_bypassed(void);

/* Default without a cap: 30 %, rounded up, of the allowed CPUs. */
size_t budget_default_build(size_t allowed);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Confines a process to its CPU budget: by a child cgroup with a cpuset (cgroup v2) or, if
 * that is not available, by the affinity of its threads.
 *
 * Enter with the own pid before starting children: they inherit both.
 */
#ifndef KTSTR_HOST_SANDBOX_H
#define KTSTR_HOST_SANDBOX_H

#include "host/plan.h"

/* Cgroups are named ktstr-budget-PID-SECONDS, the latter since the epoch. */
#define SANDBOX_PREFIX "ktstr-budget-"
#define SANDBOX_ORPHAN_AGE_S (24 * 3600ULL)

struct sandbox_request {
	pid_t pid; /* 0 = the caller */
	const unsigned int *cpus;
	size_t cpu_count;
	const unsigned int *nodes; /* for memory */
	size_t node_count;
	bool is_explicit; /* the user gave the number: fewer CPUs are an error */
};

struct sandbox {
	pid_t pid;	       /* 0 = nothing to undo */
	char *path;	       /* the created cgroup; NULL = affinity is used */
	char *home;	       /* its parent cgroup */
	bool enabled_cpuset;   /* in home, by this process */
	struct cpulist before; /* original affinity */
};

int sandbox_enter(struct sandbox *s, const struct sandbox_request *request,
		  const struct roots *roots);

/*
 * For the caller and its children: the CPUs and nodes of a plan, on this machine. A budget
 * is enforced by a cpuset if possible; the other modes only use affinity.
 */
int sandbox_enter_plan(struct sandbox *s, const struct plan *plan, bool is_explicit);

/*
 * Checks whether a cgroup with a cpuset is possible: returns 0, or a negative errno with
 * the reason why sandbox_enter() would have to use affinity. Changes nothing.
 */
int sandbox_probe(const struct roots *roots);

/* Moves the process back and removes the cgroup. */
void sandbox_leave(struct sandbox *s);

#endif

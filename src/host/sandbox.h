/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeping a process to its CPU budget: a child of its own cgroup with a cpuset
 * (cgroup v2), or, where there is none to be had, the affinity of its threads.
 *
 * Enter with one's own pid before starting children: they inherit both.
 */
#ifndef KTSTR_HOST_SANDBOX_H
#define KTSTR_HOST_SANDBOX_H

#include "host/plan.h"

/* Cgroups are called ktstr-budget-PID-SECONDS, the latter since the epoch. */
#define SANDBOX_PREFIX "ktstr-budget-"
#define SANDBOX_ORPHAN_AGE_S (24 * 3600ULL)

struct sandbox_request {
	pid_t pid; /* 0 = ourselves */
	const unsigned int *cpus;
	size_t cpu_count;
	const unsigned int *nodes; /* for memory */
	size_t node_count;
	bool is_explicit; /* the user gave the number: getting less is an error */
};

struct sandbox {
	pid_t pid;	       /* 0 = nothing to undo */
	char *path;	       /* our cgroup, or NULL when affinity has to do */
	char *home;	       /* the cgroup that it is in */
	bool enabled_cpuset;   /* in home, by us */
	struct cpulist before; /* affinity to go back to */
};

int sandbox_enter(struct sandbox *s, const struct sandbox_request *request,
		  const struct roots *roots);

/*
 * For ourselves and what we start: the CPUs and nodes of a plan, on this machine. A
 * budget is held by a cpuset where there is one to be had; the other modes only keep
 * to their CPUs.
 */
int sandbox_enter_plan(struct sandbox *s, const struct plan *plan, bool is_explicit);

/*
 * Whether a cgroup with a cpuset can be had for us: 0, or a negative errno with the
 * reason why sandbox_enter() would have to do with affinity. Changes nothing.
 */
int sandbox_probe(const struct roots *roots);

/* Puts the process back and removes the cgroup. */
void sandbox_leave(struct sandbox *s);

#endif

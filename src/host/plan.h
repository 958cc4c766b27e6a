/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which CPUs and LLCs a run should get. Pure: a plan follows from the topology,
 * the CPUs that we may use and who holds what; taking the locks is reserve.h's.
 */
#ifndef KTSTR_HOST_PLAN_H
#define KTSTR_HOST_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/cpulist.h"
#include "base/str.h"
#include "host/run_mode.h"
#include "host/topology.h"

/* Who holds an LLC's lock. */
struct plan_use {
	size_t holders;
	bool is_exclusive;
};

struct plan_host {
	const struct topology *topology;
	const struct cpulist *allowed;
	const struct plan_use *llc_use;	 /* by LLC; NULL = all free */
	const struct cpulist *busy_cpus; /* CPUs locked by others; NULL = none */
};

/* The virtual machine: LLCs in total, cores per LLC, threads per core. */
struct plan_shape {
	size_t nodes, llcs, cores, threads;
};

struct plan {
	enum run_mode mode;
	size_t *llcs; /* host LLCs to lock, ascending */
	size_t llc_count;
	unsigned int *cpus; /* of vCPU 0, 1, ... where vCPUs are pinned; else the pool */
	size_t cpu_count;
	unsigned int *nodes; /* of the LLCs, ascending */
	size_t node_count;
	bool has_service_cpu;
	unsigned int service_cpu;
	bool is_overcommitted; /* fewer CPUs than vCPUs: nothing is pinned, no CPU is locked */
};

static inline size_t plan_shape_vcpus(const struct plan_shape *shape)
{
	return shape->llcs * shape->cores * shape->threads;
}

/*
 * One host LLC per virtual LLC, free ones and near ones first, and one CPU more
 * for the monitor. -EOPNOTSUPP with a sentence when this machine never can.
 */
int plan_performance(struct plan *p, const struct plan_host *host, const struct plan_shape *shape);

/*
 * One CPU per vCPU in the LLCs from number start on, CPUs in use left out.
 * -EBUSY when that window is not free. With fewer allowed CPUs than vCPUs the
 * plan is overcommitted: all of them.
 */
int plan_window(struct plan *p, const struct plan_host *host, const struct plan_shape *shape,
		size_t start);

enum plan_preference {
	PLAN_CONSOLIDATE, /* on LLCs that are in use already: builds and explicit caps */
	PLAN_SPREAD,	  /* on those least in use */
};

/*
 * Exactly count CPUs: whole LLCs of the first one's node, then of the nearest
 * nodes. -ERANGE when there are not as many.
 */
int plan_budget(struct plan *p, const struct plan_host *host, size_t count,
		enum plan_preference preference);

/* What the user should know: LLCs of several nodes, more vCPUs than CPUs. */
void plan_add_warnings(const struct plan *p, const struct topology *t, size_t vcpus,
		       struct str *out);

void plan_finish(struct plan *p);

#define _plan_ _cleanup_(plan_finish)

#endif

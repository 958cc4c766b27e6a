/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPUs of this machine a run gets, and how it uses them. */
#ifndef KTSTR_HOST_PLAN_H
#define KTSTR_HOST_PLAN_H

#include "host/context.h"
#include "host/topology.h"

/* run_mode.c: how a run shares this machine with others, and why it may have to be skipped. */

enum run_mode {
	RUN_PERFORMANCE, /* LLCs of its own, pinned, real-time */
	RUN_DEFAULT,	 /* CPUs of its own on shared LLCs */
	RUN_BUDGETED,	 /* a number of CPUs of shared LLCs */
	RUN_FREE,	 /* no reservation at all */
};

struct run_mode_traits {
	const char *name;
	bool locks_llcs;
	bool is_llc_exclusive;
	bool locks_cpus;
	bool pins_vcpus;   /* 1:1; else threads are confined to the plan's CPUs */
	int vcpu_priority; /* SCHED_FIFO priority; 0 = normal */
	int service_priority;
};

const struct run_mode_traits *run_mode_traits(enum run_mode mode);

struct run_mode_wishes {
	bool wants_performance; /* performance_mode of the test */
	bool has_budget;	/* --cpu-cap, KTSTR_CPU_CAP or the test's cpu_budget */
	bool no_perf_mode;	/* --no-perf-mode or KTSTR_NO_PERF_MODE; overrides performance */
};

enum run_mode run_mode_select(const struct run_mode_wishes *wishes);

/* True if KTSTR_NO_PERF_MODE is set. */
bool run_mode_env_no_perf(void);

enum skip_reason {
	SKIP_NONE,
	SKIP_PERF_MODE_UNAVAILABLE, /* impossible on this machine */
	SKIP_RESOURCE_CONTENTION,   /* needed resources are held by others */
	SKIP_CPU_BUDGET,	    /* the test's cpu_budget exceeds the allowed CPUs */
};

/* "PerfModeUnavailable"; "" for SKIP_NONE. */
const char *skip_reason_name(enum skip_reason reason);

/*
 * plan.c: which CPUs and LLCs a run should get. Pure functions: a plan follows from the
 * topology, the allowed CPUs and the held locks; reserve.h takes the locks.
 */

/* How many processes hold an LLC's lock. */
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

/* The virtual machine: total LLCs, cores per LLC, threads per core. */
struct plan_shape {
	size_t nodes, llcs, cores, threads;
};

struct plan {
	enum run_mode mode;
	size_t *llcs; /* host LLCs to lock, ascending */
	size_t llc_count;
	unsigned int *cpus; /* of vCPU 0, 1, ... if vCPUs are pinned; else the pool */
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
 * One host LLC per virtual LLC, preferably free and near ones, and one more CPU for the
 * monitor. Returns -EOPNOTSUPP with a message if this machine can never do it.
 */
int plan_performance(struct plan *p, const struct plan_host *host, const struct plan_shape *shape);

/*
 * One CPU per vCPU in the LLCs from number start on, without CPUs in use. Returns -EBUSY if
 * that window is not free. With fewer allowed CPUs than vCPUs, the plan is overcommitted
 * and has all of them.
 */
int plan_window(struct plan *p, const struct plan_host *host, const struct plan_shape *shape,
		size_t start);

enum plan_preference {
	PLAN_CONSOLIDATE, /* on LLCs in use: builds and explicit caps */
	PLAN_SPREAD,	  /* on the least used LLCs */
};

/*
 * Exactly count CPUs: whole LLCs of the first one's node, then of the nearest nodes.
 * Returns -ERANGE if there are not enough.
 */
int plan_budget(struct plan *p, const struct plan_host *host, size_t count,
		enum plan_preference preference);

/* Adds warnings for the user: LLCs of several nodes, more vCPUs than CPUs. */
void plan_add_warnings(const struct plan *p, const struct topology *t, size_t vcpus,
		       struct str *out);

void plan_finish(struct plan *p);

/* Building blocks of plans; only for plan*.c. */

struct plan_use plan_use_of(const struct plan_host *host, size_t llc);
bool plan_cpu_allowed(const struct plan_host *host, unsigned int cpu);
bool plan_cpu_free(const struct plan_host *host, unsigned int cpu);

/* Number of allowed CPUs of an LLC, and of those of them that are not locked. */
size_t plan_llc_allowed(const struct plan_host *host, size_t llc);
size_t plan_llc_free(const struct plan_host *host, size_t llc);

/* Number of allowed CPUs of the machine. */
size_t plan_allowed_count(const struct plan_host *host);

/* Stores the indices of nodes by distance from the given one, which comes first. */
void plan_node_order(const struct topology *t, size_t from, size_t *order);
size_t plan_node_index(const struct topology *t, unsigned int node);

int plan_init(struct plan *p, enum run_mode mode, const struct topology *t, size_t cpus);
bool plan_has_llc(const struct plan *p, size_t llc);
bool plan_has_cpu(const struct plan *p, unsigned int cpu);
void plan_add_llc(struct plan *p, size_t llc);

/* Sorts the LLCs and derives the nodes. */
void plan_settle(struct plan *p, const struct topology *t);

/*
 * perfmode.c: what performance mode does to threads, and what on this machine will disturb
 * its figures. Threads are given by id: QEMU reports those of its vCPUs.
 */

/* Pins thread i to cpus[i]. */
int perfmode_pin(const pid_t *tids, const unsigned int *cpus, size_t count);

/* Confines every thread to these CPUs. */
int perfmode_mask(const pid_t *tids, size_t count, const unsigned int *cpus, size_t cpu_count);

/* Sets SCHED_FIFO. If that is refused (-EPERM), the run continues with a warning. */
int perfmode_set_fifo(const pid_t *tids, size_t count, int priority);

/* Pins the caller to a CPU, and sets the priority if allowed. */
int perfmode_serve(unsigned int cpu, int priority);

/* Applies all of this to the vCPUs of a plan, according to its mode. */
int perfmode_place_vcpus(const struct plan *plan, const pid_t *tids, size_t count);

/*
 * Moves the other threads of the process to the service CPU, if the plan has one: on the
 * CPUs of real-time vCPUs they would starve, and so would the guest when it waits for a
 * device.
 */
int perfmode_place_others(const struct plan *plan, pid_t pid, const pid_t *vcpus, size_t count);

struct perfmode_facts {
	struct host_number hugepages_free; /* 2 MiB pages on the plan's nodes */
	struct host_number procs_running;
	char *clocksource; /* NULL = unknown */
};

void perfmode_read_facts(struct perfmode_facts *facts, const struct plan *plan,
			 const struct roots *roots);
void perfmode_facts_finish(struct perfmode_facts *facts);

#define _perfmode_facts_ _cleanup_(perfmode_facts_finish)

/* True if the guest's memory fits in the free huge pages. */
bool perfmode_has_hugepages(const struct perfmode_facts *facts, uint64_t memory_mib);

/* Adds lines `performance_mode: WARNING: ...`. */
void perfmode_add_warnings(const struct perfmode_facts *facts, size_t vcpus, uint64_t memory_mib,
			   struct str *out);

#endif

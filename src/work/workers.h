/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A group of equal workers: forked processes that wait until they are placed and started,
 * work until they are stopped, and leave a report each.
 *
 *	workers_spawn(&spec, &w);			  forked, waiting
 *	...move workers_pids() into a cgroup...
 *	workers_start(w);
 *	...workers_set_phase(w, 1) for the next phase of the scenario...
 *	workers_stop_all(&w, 1);			  every report is final
 *	workers_free(w);				  kills and reaps what is left
 *
 * Workers die with the thread that spawned them: do not spawn from short-lived threads.
 */
#ifndef KTSTR_WORK_WORKERS_H
#define KTSTR_WORK_WORKERS_H

#include <ktstr/work.h>

#include "work/report.h"

struct workers;

struct workers_spec {
	const struct ktstr_work *work; /* copied */
	const char *name;	       /* of the group, see work/name.h; NULL = none */
	unsigned int count;	       /* not 0 */
	/* One CPU set per worker; NULL = inherited affinity. */
	const struct worker_cpus *affinities;
	uint64_t seed;		/* for all random choices of the workers */
	pid_t scheduler_pid;	/* gets SIGUSR2 for gaps above 2 s if it handles it; 0 = none */
	bool is_repro;		/* then it gets no signal */
	bool has_init_parent;	/* in a guest, the parent may be PID 1 */
	const char *cgroup_dir; /* parent of CgroupAttachStorm's cgroups, or NULL */
};

/* Returns -EINVAL with a message if the count does not fit the work type. */
int workers_spawn(const struct workers_spec *spec, struct workers **out);
int workers_start(struct workers *w);
size_t workers_pids(const struct workers *w, const pid_t **pids);
int workers_set_affinity(struct workers *w, unsigned int index, const struct worker_cpus *cpus);
/* Changes the policy of all workers; nice stays. */
int workers_set_policy(struct workers *w, const struct ktstr_policy *policy);
/* Changes the nice value of all workers. */
int workers_set_nice(struct workers *w, int nice);
void workers_signal(const struct workers *w, int number);
void workers_set_phase(struct workers *w, unsigned int phase);
uint64_t workers_iterations(const struct workers *w); /* sum so far */

/*
 * Stops all groups with a common deadline of 5 s. Never fails; the reports say how each
 * worker ended.
 */
void workers_stop_all(struct workers *const *groups, size_t count);
const struct worker_report *workers_report(const struct workers *w, unsigned int index);
const struct ktstr_work *workers_work(const struct workers *w);
void workers_free(struct workers *w);

/* "completed", "exited(3)", "signaled(11)", "timed_out", "wait_failed(why)". */
void worker_end_format(const struct worker_report *r, char *out, size_t size);

/* ---- the table of work types ---- */

struct work_parameter {
	const char *name;
	uint64_t value; /* default */
};

struct work_type_info {
	const char *name; /* "CpuSpin" */
	const char *stresses;
	struct work_parameter parameters[KTSTR_WORK_ARGS];	   /* name NULL = end */
	unsigned int (*group)(const struct ktstr_work_type *type); /* NULL = any count */
	bool is_unnameable; /* cannot be given as --work-type */
};

/* The row of KTSTR_WORK_DEFAULT is that of CpuSpin. */
const struct work_type_info *work_type_info(enum ktstr_work_kind kind);
/* The worker count must be a multiple of this; 1 = any count. */
unsigned int work_type_group(const struct ktstr_work_type *type);
/* Exact match; -EINVAL with "unknown work type: 'X'. valid types: ..." and a suggestion. */
int work_type_by_name(const char *name, struct ktstr_work_type *out);

#endif

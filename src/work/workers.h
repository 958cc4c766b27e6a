/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A group of equal workers: forked processes that wait until they are placed and
 * started, work until they are stopped, and leave a report each.
 *
 *	workers_spawn(&spec, &w);   forked, waiting
 *	...move workers_pids() into a cgroup...
 *	workers_start(w);
 *	...workers_set_phase(w, 1) when the scenario goes on...
 *	workers_stop_all(&w, 1);    every report is final
 *	workers_free(w);	    kills and reaps whatever is left
 *
 * Workers die with the thread that spawned them: do not spawn from short-lived ones.
 */
#ifndef KTSTR_WORK_WORKERS_H
#define KTSTR_WORK_WORKERS_H

#include <ktstr/work.h>

#include "work/report.h"

struct workers;

struct workers_spec {
	const struct ktstr_work *work; /* copied */
	const char *name;	       /* of the group, see work/name.h; NULL = none */
	unsigned int count;	       /* resolved: not 0 */
	/* One CPU set per worker, already resolved; NULL = the affinity is inherited. */
	const struct worker_cpus *affinities;
	uint64_t seed;		/* every random choice of the workers */
	pid_t scheduler_pid;	/* 0 = none: who handles SIGUSR2 is told of gaps above 2 s */
	bool is_repro;		/* then it is not told */
	bool has_init_parent;	/* in a guest the parent may be PID 1 */
	const char *cgroup_dir; /* where CgroupAttachStorm makes its children; or NULL */
};

/* -EINVAL with the sentence of the spec when the count does not suit the work type. */
int workers_spawn(const struct workers_spec *spec, struct workers **out);
int workers_start(struct workers *w);
size_t workers_pids(const struct workers *w, const pid_t **pids);
int workers_set_affinity(struct workers *w, unsigned int index, const struct worker_cpus *cpus);
/* Another policy than that of their work, with the same nice, for all of them. */
int workers_set_policy(struct workers *w, const struct ktstr_policy *policy);
/* The same with another nice value. */
int workers_set_nice(struct workers *w, int nice);
/* Sends a signal to all of them. */
void workers_signal(const struct workers *w, int number);
void workers_set_phase(struct workers *w, unsigned int phase);
uint64_t workers_iterations(const struct workers *w); /* so far, of all */

/* Stops all groups with one deadline of 5 s for all; never fails, see the reports' ends. */
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
	struct work_parameter parameters[KTSTR_WORK_ARGS];	   /* name NULL = no more */
	unsigned int (*group)(const struct ktstr_work_type *type); /* NULL = any count */
	bool is_unnameable; /* cannot be given as --work-type */
};

/* By kind; the row of KTSTR_WORK_DEFAULT is that of CpuSpin. */
const struct work_type_info *work_type_info(enum ktstr_work_kind kind);
/* The divisor of the worker count; 1 = any. */
unsigned int work_type_group(const struct ktstr_work_type *type);
/* Exactly by name; -EINVAL with "unknown work type: 'X'. valid types: ..." and a suggestion. */
int work_type_by_name(const char *name, struct ktstr_work_type *out);

#endif

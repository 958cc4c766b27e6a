/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this host lets us measure. Facts about the kernel and our rights are
 * gathered first; a table of families then judges them, one function each.
 */
#ifndef KTSTR_CTPROF_DOCTOR_H
#define KTSTR_CTPROF_DOCTOR_H

#include "base/finding.h"
#include "ctprof/procfs_view.h"

enum doctor_state { DOCTOR_OK, DOCTOR_DEGRADED, DOCTOR_MISSING, DOCTOR_STATES };
extern const char *const doctor_state_names[DOCTOR_STATES];

/* A sysctl or another small file: its number, if it is there. */
struct doctor_number {
	bool is_known;
	uint64_t value;
};

struct doctor_facts {
	struct roots roots;
	bool is_live; /* system calls tell about these roots too */
	struct running_config config;
	char self[32]; /* a process of the tree to look at */
	uint64_t process_count;
	struct procfs_view view; /* what the process may see and do */
	bool has_foreign_pids;	 /* another pid namespace's */
	bool is_user_namespace;	 /* in one of our own, outside of which they do not count */
	struct doctor_number delayacct, schedstats, ptrace_scope;
	bool has_delayacct_boot;
	struct str sched;	  /* of self; empty = not readable */
	int schedstat, io, smaps; /* of self: 0 or a negative errno */
	bool is_schedstat_zero;
	int pressure; /* of cpu: 0 or a negative errno */
	bool has_irq_pressure;
	bool counts_irq_time; /* as a delay of the task that it held up */
	int taskstats;	      /* 0 or a negative errno; only where is_live */
	int taskstats_version;
	struct str cgroup_mount;			/* of cgroup2; empty = not mounted */
	struct str cgroup_controllers, cgroup_children; /* of its top */
	struct str sched_ext_state, sched_ext_ops;
};

/* The first one is the processes themselves: without them there is nothing to capture. */
#define DOCTOR_FAMILIES 13

/* boot is where kernel configurations lie, or NULL. -ENOMEM with a message. */
int doctor_gather(struct doctor_facts *f, const struct roots *roots, const char *boot);
void doctor_facts_finish(struct doctor_facts *f);

int doctor_judge(const struct doctor_facts *f, struct finding out[static DOCTOR_FAMILIES]);

#endif

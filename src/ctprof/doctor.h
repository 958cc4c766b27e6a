/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can be measured on this host. Facts about the kernel and our privileges are collected first;
 * then a table of families, one function each, judges them.
 */
#ifndef KTSTR_CTPROF_DOCTOR_H
#define KTSTR_CTPROF_DOCTOR_H

#include "base/finding.h"
#include "ctprof/procfs_view.h"

enum doctor_state { DOCTOR_OK, DOCTOR_DEGRADED, DOCTOR_MISSING, DOCTOR_STATES };
extern const char *const doctor_state_names[DOCTOR_STATES];

/* A sysctl or another small file: its number, if it exists. */
struct doctor_number {
	bool is_known;
	uint64_t value;
};

struct doctor_facts {
	struct roots roots;
	bool is_live; /* system calls refer to these roots, too */
	struct running_config config;
	char self[32]; /* a process of the tree to inspect */
	uint64_t process_count;
	struct procfs_view view; /* what this process may see and do */
	bool has_foreign_pids;	 /* those of another PID namespace */
	bool is_user_namespace;	 /* in a user namespace: capabilities do not count outside of it */
	struct doctor_number delayacct, schedstats, ptrace_scope;
	bool has_delayacct_boot;
	struct str sched;	  /* of self; empty = unreadable */
	int schedstat, io, smaps; /* of self: 0 or a negative errno */
	bool is_schedstat_zero;
	int pressure; /* of cpu: 0 or a negative errno */
	bool has_irq_pressure;
	bool counts_irq_time; /* as a delay of the interrupted task */
	int taskstats;	      /* 0 or a negative errno; only if is_live */
	int taskstats_version;
	struct str cgroup_mount;			/* of cgroup2; empty = not mounted */
	struct str cgroup_controllers, cgroup_children; /* of the root cgroup */
	struct str sched_ext_state, sched_ext_ops;
};

/* The first family is the processes themselves: without them nothing can be captured. */
#define DOCTOR_FAMILIES 13

/* boot: directory of kernel configurations, or NULL. -ENOMEM with a message. */
int doctor_gather(struct doctor_facts *f, const struct roots *roots, const char *boot);
void doctor_facts_finish(struct doctor_facts *f);

int doctor_judge(const struct doctor_facts *f, struct finding out[static DOCTOR_FAMILIES]);

#endif

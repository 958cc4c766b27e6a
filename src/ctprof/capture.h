/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes a snapshot of all threads of the host, or of the selected ones.
 *
 * Unreadable data does not fail a capture. Only a procfs without any process, a selected process
 * that does not exist, and lack of memory do.
 */
#ifndef KTSTR_CTPROF_CAPTURE_H
#define KTSTR_CTPROF_CAPTURE_H

#include "ctprof/jemalloc.h"
#include "ctprof/snapshot.h"

struct capture_opts {
	struct roots roots;
	/*
	 * Roots given by the user. Otherwise the cgroup root is searched; with a recorded procfs
	 * the cgroups and sysfs of this machine are not used.
	 */
	bool is_cgroup_root_given, is_sys_root_given;
	const uint32_t *pids;
	size_t pid_count;
	const char *const *cgroup_globs;
	size_t cgroup_glob_count;
	const char *const *comm_globs;
	size_t comm_glob_count;
	bool no_probe, no_smaps, no_taskstats;
	const char *cgroup2;   /* live hierarchy of these threads, or NULL */
	bool has_foreign_pids; /* system calls on these thread IDs would reach other threads */
	struct jemalloc_limits stops;
	unsigned int worker_count; /* 0 = by the load of the machine */
};

/* Returns whether system calls on the thread IDs of this procfs make sense. */
bool capture_can_ask(const struct capture_opts *o);

/* 0, or a negative errno with a message. */
int capture_snapshot(struct snapshot *s, const struct capture_opts *opts);

/* Prints one line each to stderr: ctprof parse, ctprof taskstats, ctprof probe. */
void capture_log(const struct snapshot *s);

/*
 * For --strict: -ENODATA with a message that names data families which are degraded or missing. The
 * host is checked before a capture, as by doctor; for a recorded tree only the tallies of the
 * capture count. Families that were not requested are ignored.
 */
int capture_refuse_host(const struct capture_opts *o);
int capture_refuse_recorded(const struct snapshot *s);

/* Number of reader threads, from the machine's size and load. */
unsigned int capture_worker_count(unsigned int cpus, double load);

#endif

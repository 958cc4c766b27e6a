/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Taking a snapshot: every thread of the host, or those that were asked for.
 *
 * Nothing unreadable fails a capture. Only a procfs without any process, a
 * process that was asked for and is not there, and a lack of memory do.
 */
#ifndef KTSTR_CTPROF_CAPTURE_H
#define KTSTR_CTPROF_CAPTURE_H

#include "ctprof/jemalloc.h"
#include "ctprof/snapshot.h"

struct capture_opts {
	struct roots roots;
	/*
	 * Roots that somebody chose. A cgroup root that nobody chose is looked for;
	 * and of a recorded procfs, this machine's cgroups and sysfs tell nothing.
	 */
	bool is_cgroup_root_given, is_sys_root_given;
	const uint32_t *pids;
	size_t pid_count;
	const char *const *cgroup_globs;
	size_t cgroup_glob_count;
	const char *const *comm_globs;
	size_t comm_glob_count;
	bool no_probe, no_smaps, no_taskstats;
	const char *cgroup2;   /* the live hierarchy of these threads, or NULL */
	bool has_foreign_pids; /* system calls on these thread numbers would reach others */
	struct jemalloc_limits stops;
	unsigned int worker_count; /* 0 = by the load of the machine */
};

/* Whether system calls on the thread numbers of this procfs make sense. */
bool capture_can_ask(const struct capture_opts *o);

/* 0, or a negative errno with a message. */
int capture_snapshot(struct snapshot *s, const struct capture_opts *opts);

/* One line each on stderr: ctprof parse, ctprof taskstats, ctprof probe. */
void capture_log(const struct snapshot *s);

/*
 * For --strict: -ENODATA with a message that names the data families which are
 * degraded or missing. The host is judged before a capture, as doctor does; of a
 * recorded tree only the tallies of the capture tell. Families that were not
 * asked for do not count.
 */
int capture_refuse_host(const struct capture_opts *o);
int capture_refuse_recorded(const struct snapshot *s);

/* How many threads do the reading, from the machine's size and load. */
unsigned int capture_worker_count(unsigned int cpus, double load);

#endif

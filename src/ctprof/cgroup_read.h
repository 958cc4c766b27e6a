/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a cgroup, pressure of host and cgroups, and the state of sched_ext. */
#ifndef KTSTR_CTPROF_CGROUP_READ_H
#define KTSTR_CTPROF_CGROUP_READ_H

#include "ctprof/snapshot.h"

/*
 * Where cgroup v2 is mounted: the configured root if that is one, else the first
 * cgroup2 in mountinfo, else the configured root all the same. The result is in the arena.
 */
const char *cgroup_find_root(const struct roots *roots, struct arena *arena);

/*
 * Whether all threads of a process are in the cgroup that one of them is in: then the
 * others need not be asked. Only threaded cgroups part them. False where that cannot
 * be told. root is where cgroup v2 is mounted.
 */
bool cgroup_keeps_together(const char *root, const char *path);

/* Whether a cgroup v2 is mounted there. */
bool cgroup_is_v2(const char *root);

/* Fills the record but for its path. Only running out of memory is an error. */
int cgroup_record_read(const char *root, const char *path, struct arena *arena,
		       struct cgroup_record *out);

/* The files base/PREFIX + resource + SUFFIX. */
void psi_read(const char *base, const char *prefix, const char *suffix, struct psi *out);
bool psi_is_known(const struct psi *psi);

/* False when the kernel has no sched_ext. */
bool sched_ext_read(const char *sys, struct arena *arena, struct sched_ext_record *out);

#endif

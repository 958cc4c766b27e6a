/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cgroups that were renamed between two snapshots. A service that is restarted
 * under a generated name has no partner by name; its population of threads
 * gives it away. Groups of such cgroups are joined as if the name had stayed.
 */
#ifndef KTSTR_CTPROF_FUDGE_H
#define KTSTR_CTPROF_FUDGE_H

#include "base/arena.h"
#include "ctprof/group.h"

/* A cgroup is told by at least this many types of threads (process, thread name) ... */
#define FUDGE_MIN_TYPES 10
/* ... and this much of the union of both populations must be in both. */
#define FUDGE_MIN_JACCARD_PERCENT 90

struct thread_type {
	const char *pcomm, *comm;
};

struct fudge_pair {
	const char *cgroups[SIDES]; /* as shown */
	const char *roots[SIDES];   /* without the trailing segments both share */
	bool has_own_roots;	    /* they differ from the paths */
	uint32_t overlap;	    /* types in both */
	uint32_t in_all;	    /* types in either */
	uint32_t cascaded;	    /* groups joined elsewhere below the roots */
	struct {
		struct thread_type *items;
		size_t count, cap;
	} residual[SIDES]; /* what has no partner in the other cgroup */
};

struct fudge {
	struct arena arena;
	struct fudge_pair *pairs;
	size_t count;
};

/* Joins one-sided groups of renamed cgroups in place. -ENOMEM with a message. */
int fudge_join(struct fudge *f, struct grouping *g);
void fudge_finish(struct fudge *f);

#define _fudge_ _cleanup_(fudge_finish)

#endif

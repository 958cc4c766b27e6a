/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU time that no thread of either snapshot accounts for: of those that came and
 * went in between, or died. The kernel's totals tell how much; whose children
 * they were is told by the processes that waited for them.
 */
#ifndef KTSTR_CTPROF_UNSEEN_H
#define KTSTR_CTPROF_UNSEEN_H

#include "ctprof/report.h"

#define UNSEEN_PARENTS 3

struct unseen {
	double busy_s, unseen_s; /* of all threads, and of those that nobody saw */
	struct unseen_parent {
		const struct thread_record *process;
		double seconds; /* of children that it waited for, some older than the window */
	} parents[UNSEEN_PARENTS];
	size_t parent_count;
	const char *cgroup; /* the innermost one in which most of it was used, or NULL */
};

/* False when it cannot be told, or is too little to tell it from noise. */
bool unseen_find(struct unseen *u, const struct report *r);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* One cgroup on its way through the checks of its workers. */
#ifndef KTSTR_CHECK_JUDGING_H
#define KTSTR_CHECK_JUDGING_H

#include "check/check.h"

struct judging {
	const struct judged_cgroup *cgroup;
	const struct ktstr_assert *checks;
	const struct cgroup_stats *stats;
	struct ktstr_result *res;
	bool is_not_starved; /* asked for, or nothing else was */
};

/* Workers that came to their end: the others are lost, and nothing else is said of them. */
static inline const struct worker_report *judged_worker(const struct judging *j, size_t i)
{
	const struct worker_report *w = j->cgroup->reports[i];

	return w->end == WORKER_COMPLETED ? w : NULL;
}

/*
 * The limit of a part of not_starved: its own field, else the default. False when
 * it is not checked. is_custom: the message tells the limit.
 */
bool judging_limit(const struct judging *j, double raw, double fallback, double *limit,
		   bool *is_custom);
/* How long the one that lived longest did. */
uint64_t judging_life_ns(const struct judging *j);
/* Workers whose life was timed. */
unsigned int judging_timed_workers(const struct judging *j);

void check_spread(struct judging *j);

#endif

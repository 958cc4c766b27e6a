/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics of the workers of one cgroup: for the whole run, or for one phase of it. */
#ifndef KTSTR_CHECK_STATS_H
#define KTSTR_CHECK_STATS_H

#include "check/check.h"

#define STATS_WHOLE_RUN (-1)

/* What a worker counted in that phase, or over the whole run; NULL = it did not live then. */
const struct worker_counts *worker_counts_of(const struct worker_report *w, int phase);

/* Share of its wall time that a worker was not on a CPU, in percent. */
double worker_off_cpu_pct(const struct worker_counts *c);

/* Pages on the nodes of the cpuset's CPUs, and in all. */
struct page_counts {
	uint64_t local, total;
};
struct page_counts worker_pages(const struct worker_report *w, const struct judged_cgroup *cgroup);

/*
 * Fills everything but the name. False when no worker lived in that phase.
 * Workers that were lost add what they had counted, but their times are not
 * final and stay out of every share.
 */
bool stats_of_cgroup(struct cgroup_stats *s, const struct judged_cgroup *cgroup, int phase);

/* Of that what the scheduling events tell. */
void stats_add_events(struct cgroup_stats *s, const struct judged_cgroup *cgroup, int phase);
/* Sums and the worst of both. */
void stats_merge_events(struct cgroup_stats *into, const struct cgroup_stats *c);

#endif

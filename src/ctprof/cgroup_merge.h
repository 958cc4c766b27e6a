/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroup records of both snapshots, merged under the key that joins them. */
#ifndef KTSTR_CTPROF_CGROUP_MERGE_H
#define KTSTR_CTPROF_CGROUP_MERGE_H

#include "ctprof/naming.h"
#include "ctprof/select.h"

struct cgroup_pair {
	uint32_t key_id; /* in the naming */
	const char *key, *shown;
	struct cgroup_record *sides[SIDES]; /* NULL: not there */
};

struct cgroup_table {
	struct arena arena;
	struct cgroup_pair *pairs; /* sorted by key */
	size_t count, cap;
};

/*
 * Counters add up, gauges, peaks and averages take the larger one, limits the larger
 * one unless one is unlimited, floors the smaller one unless one is unset. What
 * one of them lacks is unknown.
 */
int cgroup_record_merge(struct cgroup_record *into, const struct cgroup_record *from,
			struct arena *arena);

int cgroups_join(struct cgroup_table *t, struct naming *n, const struct snapshot_pair *pair,
		 const struct selection *kept, const struct thread_filter *filter);
void cgroup_table_finish(struct cgroup_table *t);

/* memory.stat keys that tell a present size and not a count of events. */
bool memory_stat_is_gauge(const char *key);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of the parent's side (starting, ending) know of a group. */
#ifndef KTSTR_WORK_GROUP_H
#define KTSTR_WORK_GROUP_H

#include "work/shared.h"
#include "work/workers.h"

struct workers {
	struct ktstr_work work;
	unsigned int count; /* asked for; forked so far: */
	unsigned int forked;
	bool is_started, is_stopped;
	void *map;
	size_t map_size;
	struct workers_shared *shared;
	struct worker_line *lines;
	struct team_line *teams;
	/* In the shared memory only because a fork makes every private page cost a copy. */
	pid_t *pids;
	bool *are_reaped;
	char *reports;
	size_t report_stride; /* whole pages: see the order of struct worker_report */
	bool has_vmstat;
	uint64_t vmstat_migrated; /* at the start */
	char *cgroup_dir;
};

static inline struct worker_report *report_of(const struct workers *w, unsigned int index)
{
	return (struct worker_report *)(w->reports + index * w->report_stride);
}

#endif

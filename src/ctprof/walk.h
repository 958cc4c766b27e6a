/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which threads there are, and reading them all.
 *
 * The list is made first; then workers take ranges of it. Ranges of threads, not
 * processes: one process may own the whole crowd.
 */
#ifndef KTSTR_CTPROF_WALK_H
#define KTSTR_CTPROF_WALK_H

#include "ctprof/capture.h"
#include "ctprof/taskstats.h"

struct walk_thread {
	uint32_t tgid, tid;
};

struct walk_list {
	struct walk_thread *items;
	size_t count, cap;
	size_t hidden; /* processes whose threads we may not list */
};

/* Processes ascending, threads ascending within. */
int walk_list_threads(struct walk_list *list, const struct capture_opts *opts, int proc_fd);
void walk_list_finish(struct walk_list *list);

/*
 * Fills s->threads, s->parse and s->taskstats, and counts in s->unread the values
 * that were below zero. gates is NULL when delay accounting is not asked for.
 */
int walk_read_threads(struct snapshot *s, const struct capture_opts *opts,
		      const struct walk_list *list, int proc_fd,
		      const struct taskstats_gates *gates, unsigned int worker_count);

#endif

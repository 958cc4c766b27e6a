/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest that runs, looked at again and again: its CPUs, queues, tasks, events and programs as
 * text. Only its memory is read: it notices nothing, and need not be able to answer.
 */
#ifndef KTSTR_WATCH_TOP_H
#define KTSTR_WATCH_TOP_H

#include "watch/moment.h"
#include "watch/notice.h"

enum top_section { TOP_CPUS, TOP_QUEUES, TOP_TASKS, TOP_EVENTS, TOP_PROGRAMS, TOP_SECTIONS };

enum top_sort { TOP_BY_WAIT, TOP_BY_CPU, TOP_BY_DSQ, TOP_BY_VTIME, TOP_BY_PID, TOP_SORTS };

extern const char *const top_section_names[TOP_SECTIONS + 1]; /* "cpus", ...; the last is "all" */
extern const char *const top_sort_names[TOP_SORTS];

struct top_rows {
	VEC(size_t) items;
};

struct top {
	struct notice notice;
	struct space space;
	bool has_space;
	struct guest_sample now, before; /* before: without CPUs that are known at first */
	uint64_t *moved_ns; /* by CPU: host's clock when that of its queue moved last */
	uint64_t host_ns;
	struct moment moment;
	struct moment_parts parts;
	struct programs old_programs;
	struct top_rows rows[TOP_SECTIONS]; /* what is shown, and in which order */
	enum top_sort sort;
};

int top_open(struct top *t, const struct notice *notice);
void top_close(struct top *t);

/*
 * -ESRCH with a message when the guest has ended, -EPERM when it may not be looked at, -EAGAIN when
 * its kernel has not begun.
 */
int top_read(struct top *t, uint64_t host_ns);

void top_set_sort(struct top *t, enum top_sort sort);

/* Appends one section, or all (TOP_SECTIONS), in that many lines at most; 0 = no limit. */
int top_add_text(const struct top *t, enum top_section section, size_t lines, struct str *out);

/* Appends a file of snapshots with this moment, maps and all. */
int top_dump(struct top *t, struct str *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace drawn by us: a row per CPU with what runs there, a row per task with when it ran and
 * when it waited for a CPU. As an SVG file to put somewhere, or as a page to look around in.
 */
#ifndef KTSTR_TRACE_PICTURE_H
#define KTSTR_TRACE_PICTURE_H

#include "base/base.h"
#include "trace/perfetto.h"
#include "trace/states.h"

/* A task does one thing on one CPU. */
struct picture_span {
	uint64_t from_ns, to_ns;
	uint32_t task, cpu; /* task: index */
	enum task_state state;
};

struct picture_task {
	uint32_t pid;
	char name[TRACE_TEXT + 1];
	uint32_t cgroup; /* index, or TRACE_NO_CGROUP */
	bool is_in_root; /* not a test's own */
	uint64_t ran_ns, waited_ns, longest_wait_ns;
	uint32_t rank; /* 0 = ran and waited longest */
};

struct picture {
	const char *of;			/* "ktstr/naps, seed 1"; NULL = not told */
	VEC(struct picture_span) spans; /* by from_ns */
	VEC(struct picture_task) tasks; /* by cgroup, root last, then pid; only those with a span */
	VEC(char *) cgroups;
	uint32_t cpu_count;
	uint64_t trace_from_ns, from_ns, to_ns; /* of the trace, of the picture, of both */
	size_t cut_spans;			/* before from_ns, and not here */
	bool has_exit;				/* the scheduler was thrown out */
	uint64_t exit_ns;
};

/* Files must stay small enough for a browser: of a long trace the last spans are kept. */
#define PICTURE_MAX_SPANS 100000

/* Reads the records, of which max_spans are kept. */
int picture_read(struct picture *p, const void *records, size_t len, size_t max_spans);
void picture_finish(struct picture *p);

#define _picture_ _cleanup_(picture_finish)

/* "spinner 7", as text. */
void picture_add_name(struct str *out, const struct picture_task *t);
/* What was left out, as sentences; nothing when the picture has all. */
void picture_add_cut(struct str *out, const struct picture *p, size_t max_rows);
/* "1.234 ms" */
void picture_add_time(struct str *out, uint64_t ns);

/* picture_svg.c */

/* So many tasks, and as many CPUs, are drawn: those that ran and waited longest. */
#define PICTURE_MAX_ROWS 48
void picture_draw(const struct picture *p, struct str *out);
int picture_write_svg(const void *records, size_t len, const char *of, struct str *out);

/* picture_html.c */
#define PICTURE_MAX_PAGE_ROWS 400
int picture_write_html(const void *records, size_t len, const char *of, struct str *out);

#endif

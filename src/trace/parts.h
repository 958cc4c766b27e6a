/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the files of this directory only. */
#ifndef KTSTR_TRACE_PARTS_H
#define KTSTR_TRACE_PARTS_H

#include "trace/trace.h"

/*
 * states.c: state of each task at a moment of a trace; the only place that derives states from
 * records.
 */

enum task_state { TASK_ABSENT, TASK_WAITING, TASK_RUNNING };

struct task_now {
	enum task_state state;
	uint32_t cpu;
	uint64_t since_ns;
};

struct task_change {
	uint32_t pid;
	struct task_now now;
};

/* Zeroed = start of the trace, when no task is known. */
struct task_states {
	VEC(struct task_now) tasks; /* indexed by PID */
};

/* A record changes at most the task that leaves a CPU and the one that enters it. */
#define STATES_MAX_CHANGES 2

/* Computes the changes made by a record, in order, without applying them; returns their number. */
size_t states_changes(const struct task_states *s, const struct trace_record *e,
		      struct task_change changes[STATES_MAX_CHANGES]);

struct task_now states_get(const struct task_states *s, uint32_t pid);
int states_set(struct task_states *s, const struct task_change *change);
void states_finish(struct task_states *s);

/*
 * perfetto.c: writes a trace for Perfetto: a track per CPU with the running task, counters of its
 * queues, a track per cgroup, and below it a track per task that shows when it ran, on which CPU,
 * and when it was runnable.
 */

/* records: as written by the plugin; out gets the contents of a trace file. */
int perfetto_write(const void *records, size_t len, struct str *out);

/* Field numbers of Perfetto's documented messages (protos/perfetto/trace). */

enum { TRACE_PACKET = 1 };

enum {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
};

enum {
	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PARENT = 5,
	DESCRIPTOR_COUNTER = 8,
};

enum { EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23, EVENT_COUNTER = 30 };
enum { EVENT_SLICE_BEGIN = 1, EVENT_SLICE_END, EVENT_INSTANT, EVENT_IS_COUNTER };

#define SEQUENCE_CLEARED 1

/* protobuf.c: The wire format of protocol buffers, as far as a trace needs it. */

void protobuf_varint(struct str *out, unsigned int field, uint64_t value);
void protobuf_bytes(struct str *out, unsigned int field, const void *data, size_t len);
void protobuf_string(struct str *out, unsigned int field, const char *text);
void protobuf_message(struct str *out, unsigned int field, const struct str *message);

/* timeline.c: a trace as text, one event per line, for grep and diff. */

int timeline_write(const void *records, size_t len, struct str *out);

/*
 * picture.c: draws a trace: a row per CPU with the running task, a row per task that shows when it
 * ran and when it waited for a CPU. As an SVG file, or as an interactive HTML page.
 */

/* An interval in which a task has one state on one CPU. */
struct picture_span {
	uint64_t from_ns, to_ns;
	uint32_t task, cpu; /* task: index */
	enum task_state state;
};

struct picture_task {
	uint32_t pid;
	char name[TRACE_TEXT + 1];
	uint32_t cgroup; /* index, or TRACE_NO_CGROUP */
	bool is_in_root; /* not in a cgroup of the test */
	uint64_t ran_ns, waited_ns, longest_wait_ns;
	uint32_t rank; /* 0 = longest time running and waiting */
};

struct picture {
	const char *of;			/* title, such as "ktstr/naps, seed 1"; or NULL */
	VEC(struct picture_span) spans; /* ordered by from_ns */
	VEC(struct picture_task) tasks; /* by cgroup, root last, then PID; only tasks with a span */
	struct texts cgroups;
	uint32_t cpu_count;
	uint64_t trace_from_ns, from_ns, to_ns; /* trace start, picture start, end */
	size_t cut_spans;			/* spans left out before from_ns */
	bool has_exit;				/* the scheduler was ejected */
	uint64_t exit_ns;
};

/* Files must stay small enough for a browser: of a long trace only the last spans are kept. */
#define PICTURE_MAX_SPANS 100000

/* Reads the records; keeps the last max_spans spans. */
int picture_read(struct picture *p, const void *records, size_t len, size_t max_spans);
void picture_finish(struct picture *p);

#define _picture_ _cleanup_(picture_finish)

/* Appends "spinner 7". */
void picture_add_name(struct str *out, const struct picture_task *t);
/* Appends sentences about what was left out; nothing if the picture is complete. */
void picture_add_cut(struct str *out, const struct picture *p, size_t max_rows);
/* Appends "1.234 ms". */
void picture_add_time(struct str *out, uint64_t ns);

/* picture_svg.c */

/* Maximum number of tasks, and of CPUs: those with the longest time running and waiting. */
#define PICTURE_MAX_ROWS 48
void picture_draw(const struct picture *p, struct str *out);
int picture_write_svg(const void *records, size_t len, const char *of, struct str *out);

/* picture_html.c */
#define PICTURE_MAX_PAGE_ROWS 400
int picture_write_html(const void *records, size_t len, const char *of, struct str *out);

/* symbols.c */

/* Keeps the symbols of the kernel itself; -EINVAL if addresses are hidden or it is not a list. */
int symbols_filter(const char *kallsyms, size_t len, struct str *out);

#endif

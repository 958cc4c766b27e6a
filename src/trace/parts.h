/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share and nobody else uses. */
#ifndef KTSTR_TRACE_PARTS_H
#define KTSTR_TRACE_PARTS_H

#include "trace/trace.h"

/* states.c: What each task does at a moment of a trace: the one place where records become states. */

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

/* Zeroed = at the beginning, when nothing is known of anybody. */
struct task_states {
	VEC(struct task_now) tasks; /* by pid */
};

/* Of one record: who leaves a CPU and who comes. */
#define STATES_MAX_CHANGES 2

/* What the record changes, in this order; returns how many. Nothing is changed yet. */
size_t states_changes(const struct task_states *s, const struct trace_record *e,
		      struct task_change changes[STATES_MAX_CHANGES]);

struct task_now states_get(const struct task_states *s, uint32_t pid);
int states_set(struct task_states *s, const struct task_change *change);
void states_finish(struct task_states *s);

/*
 * perfetto.c: A trace as Perfetto shows it: a track per CPU with what runs there, counters of
 * the queues beside it, a track per cgroup, and below each a track per task that
 * tells when it ran, on which CPU, and when it wanted to.
 */

/* records as the plugin wrote them; out gets the bytes of a trace file. */
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

/* timeline.c: A trace as text, one event per line, for grep and diff. */

int timeline_write(const void *records, size_t len, struct str *out);

/*
 * picture.c: A trace drawn by us: a row per CPU with what runs there, a row per task with when it
 * ran and when it waited for a CPU. As an SVG file to put somewhere, or as a page to look around
 * in.
 */

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
	struct texts cgroups;
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

/* symbols.c */

/* Keeps the lines of the kernel itself; -EINVAL when addresses are hidden or it is not a list. */
int symbols_filter(const char *kallsyms, size_t len, struct str *out);

#endif

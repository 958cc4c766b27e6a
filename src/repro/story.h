/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happened to one task before its scheduler was thrown out, or until its longest wait was
 * over, from the records of the second run: wakeups, queues, CPUs, and each BPF program that
 * worked on it, line by line. Of a wait also what the CPUs did instead that could have run it.
 */
#ifndef KTSTR_REPRO_STORY_H
#define KTSTR_REPRO_STORY_H

#include "repro/plan.h"

#define STORY_NAME (TRACE_TEXT + 1)
#define STORY_TOP 16

/* One record of the trace, or several of one program. */
struct story_event {
	uint64_t time_ns, number;
	size_t order;		    /* of its first record */
	uint32_t pid, other, value; /* as in struct trace_record; other = arg */
	uint16_t type, cpu;
	/* Of TRACE_ENTER: value is the index of the program, or of the function of the kernel. */
	bool is_function;
	bool is_inside; /* when the story ended */
	bool is_over;	/* it returned result */
	bool is_unseen; /* it is over, but how was not seen */
	uint64_t result, ended_ns;
	uint64_t arguments[TRACE_MAX_ARGUMENTS];
	uint64_t before[TRACE_MAX_FIELDS], after[TRACE_MAX_FIELDS];
	bool has_fields;
	size_t first, count; /* of story.lines */
};

/* What a CPU did while the task waited. */
struct story_cpu {
	bool may_run_it;
	bool is_known; /* who runs there, and since when */
	uint32_t running;
	uint64_t since_ns;
	uint64_t idle_ns, other_ns;
	size_t switches;
	struct story_share {
		uint32_t pid;
		uint64_t ns;
	} top[STORY_TOP]; /* by time */
	struct story_source {
		uint64_t dsq;
		size_t count;
	} sources[STORY_TOP]; /* queues that it asked for a task */
	bool has_first, has_last;
	struct story_event first, last; /* calls of its dispatch: in the wait, and of all */
};

struct story_who {
	uint32_t pid;
	char name[STORY_NAME];
};

struct story {
	const struct repro_plan *plan;
	bool has_exit; /* it ends with the scheduler's */
	bool has_wait; /* it is of a wait, and ends with that */
	bool is_cut;
	size_t end_order; /* of the record with which it ends */
	uint64_t end_ns, waits_from_ns;
	uint16_t end_cpu;
	uint32_t end_pid; /* who ran at an exit */
	uint32_t pid;	  /* whose it is; 0 = nobody's */
	uint64_t mask;	  /* of the first 64 CPUs, those that it may use */
	bool is_in_queue; /* at the end, unless it runs */
	uint64_t queue, queued_ns;
	struct {
		uint64_t queue, from_ns, to_ns;
	} stay; /* the longest in a queue that it left before the wait was over; 0 to 0 = none */
	size_t record_count;
	VEC(struct story_event) events;
	VEC(uint32_t) lines; /* indices of programs.lines, in the order of execution */
	VEC(struct story_who) names;
	struct story_cpu *cpus;
	size_t cpu_count;
};

/* -EINVAL with a message for what is not a trace. */
int story_read(struct story *s, const struct repro_plan *plan, size_t cpu_count,
	       const void *records, size_t len);
void story_finish(struct story *s);

const char *story_name(const struct story *s, uint32_t pid);

/* Of a TRACE_ENTER: NULL = it is a program. */
const struct plan_function *story_function(const struct story *s, const struct story_event *e);
const struct prototype *story_prototype(const struct story *s, const struct story_event *e);

/* The name of the program or function of a TRACE_ENTER, and of the function of a TRACE_CALL. */
const char *story_entry_name(const struct story *s, const struct story_event *e);
const char *story_call_name(const struct story_event *e);

/* The fields that are told of it, one after the other from 0; false = there are no more. */
bool story_field_at(const struct story *s, const struct story_event *e, size_t i,
		    struct plan_field *out);

/*
 * The last line that a program executed, but for that of its end; where none was seen, and of a
 * function of the kernel, that of its beginning; NULL = none is known.
 */
const struct prog_line *story_last_line(const struct story *s, const struct story_event *e);

struct json;
void story_to_json(const struct story *s, struct json *j);
void story_add_text(const struct story *s, struct str *out);

#endif

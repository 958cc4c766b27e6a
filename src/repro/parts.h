/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the files of this directory only. */
#ifndef KTSTR_REPRO_PARTS_H
#define KTSTR_REPRO_PARTS_H

#include "repro/repro.h"

/*
 * plan.c: what to record in the second run: converts the data of the failed run to arguments of the
 * plugin. Both runs have the same times, so the start of the story is known.
 */

/* PID in a stall message of the kernel: "comm[pid] failed to run for 1.2s"; 0 = none. */
uint32_t repro_stalled_task(const char *message);

enum field_kind {
	FIELD_NUMBER,
	FIELD_SIGNED,
	FIELD_TRUTH,
	FIELD_POINTER,
	FIELD_ENUM,
	FIELD_DSQ,
	FIELD_ENQ_FLAGS,
	FIELD_WAKE_FLAGS,
	FIELD_KICK_FLAGS,
	FIELD_TASK_FLAGS,
	FIELD_SLICE,
	FIELD_CPUS,
	FIELD_CPU,
	FIELD_EXIT_KIND,
};

/* How to decode a value. */
struct decode_form {
	enum field_kind kind;
	uint32_t bytes; /* 0 = all 8 */
	uint32_t type;	/* for FIELD_ENUM: type ID in the kernel's BTF */
};

enum argument_kind { ARGUMENT_RAW, ARGUMENT_TASK, ARGUMENT_NUMBER, ARGUMENT_POINTER };

struct argument {
	const char *name; /* or "" */
	enum argument_kind kind;
	struct decode_form form;
	const char *target; /* name of the struct it points to, or "" */
};

/* Prototype of the program with the same index, or of a kernel function. */
struct prototype {
	struct argument arguments[TRACE_MAX_ARGUMENTS];
	uint8_t count, task;
	bool has_result;
	struct decode_form result;
};

/* A field of a task that is recorded before and after a call. */
struct field_row {
	const char *name, *path, *behind; /* behind: member of the pointer's target */
	enum field_kind kind;
	uint32_t bytes;
};

#define REPRO_FIELDS 9
extern const struct field_row repro_fields[REPRO_FIELDS];

/* A field of the target of an argument. */
struct plan_field {
	const char *name;
	uint8_t argument;
	struct decode_form form;
};

/* A kernel function that is recorded from its entry to its return. */
struct plan_function {
	const char *name;
	bool is_caller;		/* calls an operation; not on the chain */
	struct prog_line where; /* position in the kernel's source; no file = unknown */
	struct prototype prototype;
	struct plan_field fields[TRACE_MAX_FIELDS]; /* as many as place says */
	struct trace_function place;
};

/* An entry in the plugin's table of places: index of a program, or of a line. */
struct plan_place {
	struct trace_place place;
	uint32_t index;
};

struct repro_plan {
	const struct repro_scene *scene;
	uint32_t pid;			/* task of the story; 0 = found by the second run */
	const struct task_view *victim; /* for a stall, or NULL */
	uint64_t from_ns, near_ns;
	VEC(struct plan_place) places;
	struct prototype *prototypes; /* of the programs */
	struct arena arena;
	uint8_t fields[REPRO_FIELDS]; /* rows of fields that this kernel has */
	size_t field_count;
	const struct btf *types;
	VEC(struct plan_function) functions; /* by address */
	int places_fd, functions_fd;
	struct str arguments; /* of the plugin */
	uint64_t apart_ns;    /* maximum distance of related events; 0 = the default of sim */
};

/* types: BTF of the kernel. -ENOENT with a message if there is nothing to record. */
int repro_plan_make(struct repro_plan *p, const struct repro_scene *scene, const struct btf *types,
		    const struct repro_cause *cause);
/*
 * Adds functions of the chain (may be NULL), and those that call operations; dropped gets the
 * functions that cannot be recorded, and why. lines may be NULL.
 */
int repro_plan_add_functions(struct repro_plan *p, const struct repro_chain *chain,
			     const struct symbols *symbols, const struct source_lines *lines,
			     struct str *dropped);

/* Reads prototypes of the scene's programs, and fields, from the kernel's BTF. */
int repro_plan_read_kernel(struct repro_plan *p, const struct btf *types);
void repro_plan_finish(struct repro_plan *p);

/* decode.c: sched_ext values as text: DSQs, flags, exit kinds, CPUs. */

/* "SCX_DSQ_LOCAL_ON|3", "SCX_DSQ_GLOBAL", "DSQ(0x1f)" */
void decode_dsq(uint64_t id, struct str *out);
/* "WAKEUP|PREEMPT|0x4", "NONE" */
void decode_enq_flags(uint64_t flags, struct str *out);
/* "TTWU|SYNC"; "IDLE|PREEMPT" */
void decode_wake_flags(uint64_t flags, struct str *out);
void decode_kick_flags(uint64_t flags, struct str *out);
/* Flags of a task: "QUEUED|ENABLED" */
void decode_task_flags(uint64_t flags, struct str *out);
/* "20000000", "SCX_SLICE_INF" */
void decode_slice(uint64_t ns, struct str *out);
/* "ERROR_STALL" */
void decode_exit_kind(uint64_t kind, struct str *out);
/* The first 64 CPUs: "0xf(0-3)", "none" */
void decode_cpus(uint64_t mask, struct str *out);
/* An argument of unknown type: "int:5", "ptr:3f80", "dsq:...". */
void decode_raw(uint64_t value, struct str *out);

/*
 * story.c: what happened to one task before its scheduler was ejected, or until the end of its
 * longest wait, from the records of the second run: wakeups, queues, CPUs, and each BPF program
 * that ran on its behalf, line by line. For a wait also what the CPUs did that could have run it.
 */

#define STORY_NAME (TRACE_TEXT + 1)
#define STORY_TOP 16

/* One record of the trace, or all records of one call. */
struct story_event {
	uint64_t time_ns, number;
	size_t order;		    /* of its first record */
	uint32_t pid, other, value; /* as in struct trace_record; other = arg */
	uint16_t type, cpu;
	/* For TRACE_ENTER: value is the index of the program, or of the kernel function. */
	bool is_function;
	bool is_inside; /* still active at the end of the story */
	bool is_over;	/* it returned result */
	bool is_unseen; /* it has ended, but its return was not seen */
	uint64_t result, ended_ns;
	uint64_t arguments[TRACE_MAX_ARGUMENTS];
	uint64_t before[TRACE_MAX_FIELDS], after[TRACE_MAX_FIELDS];
	bool has_fields;
	size_t first, count; /* range in story.lines */
};

/* Activity of a CPU while the task waited. */
struct story_cpu {
	bool may_run_it;
	bool is_known; /* the running task, and since when, are known */
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
	} sources[STORY_TOP]; /* DSQs that it tried to get a task from */
	bool has_first, has_last;
	struct story_event first, last; /* calls of dispatch: first in the wait, last of all */
};

struct story_who {
	uint32_t pid;
	char name[STORY_NAME];
};

struct story {
	const struct repro_plan *plan;
	bool has_exit; /* ends with the exit of the scheduler */
	bool has_wait; /* is about a wait of the task */
	bool is_cut;
	size_t end_order; /* of its last record */
	uint64_t end_ns, waits_from_ns;
	uint16_t end_cpu;
	uint32_t end_pid; /* running task at an exit */
	uint32_t pid;	  /* task of the story; 0 = none */
	uint64_t mask;	  /* allowed CPUs among the first 64 */
	bool is_in_queue; /* at the end, unless it runs */
	uint64_t queue, queued_ns;
	struct {
		uint64_t queue, from_ns, to_ns;
	} stay; /* longest stay in a DSQ that it left before the wait was over; 0 to 0 = none */
	size_t record_count;
	VEC(struct story_event) events;
	VEC(uint32_t) lines; /* indices of programs.lines, in order of execution */
	VEC(struct story_who) names;
	struct story_cpu *cpus;
	size_t cpu_count;
};

/* -EINVAL with a message if it is not a trace. */
int story_read(struct story *s, const struct repro_plan *plan, size_t cpu_count,
	       const void *records, size_t len);
void story_finish(struct story *s);

const char *story_name(const struct story *s, uint32_t pid);

/* For a TRACE_ENTER: NULL = it is a program. */
const struct plan_function *story_function(const struct story *s, const struct story_event *e);
const struct prototype *story_prototype(const struct story *s, const struct story_event *e);

/* Name of the program or function of a TRACE_ENTER, and of the function of a TRACE_CALL. */
const char *story_entry_name(const struct story *s, const struct story_event *e);
const char *story_call_name(const struct story_event *e);

/* The i-th recorded field, from 0; false = there are no more. */
bool story_field_at(const struct story *s, const struct story_event *e, size_t i,
		    struct plan_field *out);

/*
 * The last line that a program executed, except that of its end; if none was seen, and for a kernel
 * function, that of its start; NULL = unknown.
 */
const struct prog_line *story_last_line(const struct story *s, const struct story_event *e);

void story_to_json(const struct story *s, struct json *j);
void story_add_text(const struct story *s, struct str *out);

/* story_cpus.c: what CPUs did while a task waited that they could have run. */

/* Takes each record in order; ignored for a story without a wait. */
void story_cpus_take(struct story *s, const struct trace_record *r);
/* Called after the last record. */
void story_cpus_finish(struct story *s);

/*
 * waiter.c: the task with the longest wait at the end of a trace: for a stall without a known task.
 */

/* 0 = no task waits, or it is not a trace. */
uint32_t repro_longest_waiter(const struct str *records);

/* Appends what was recorded and what could not be. */
void repro_add_pipeline(const struct repro_request *q, const struct repro_plan *p,
			const struct story *s, const char *dropped, struct str *out);

/* Appends the end of the story, and the story. */
void repro_add_end(const struct story *s, uint64_t exit_kind, struct str *out);

/* Reads the prototype of a function from the kernel's BTF; no arguments if it is not there. */
int repro_prototype_read(struct prototype *proto, struct arena *arena, const struct btf *types,
			 const char *name);

/* Creates a memory file for the plugin. */
int repro_write_table(const struct str *bytes, int *fd);

#endif

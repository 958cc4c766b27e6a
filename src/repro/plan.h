/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What to look at in the second run: from what the failed one left behind to arguments of the
 * plugin. The times of both runs are the same, so it is known when the story begins.
 */
#ifndef KTSTR_REPRO_PLAN_H
#define KTSTR_REPRO_PLAN_H

#include "kernel/source_lines.h"
#include "repro/chain.h"
#include "trace/format.h"
#include "watch/moment.h"
#include "watch/prog_lines.h"

/*
 * What the failed run leaves: the scheduler's programs, and who could run at the moment at which
 * the kernel threw it out.
 */
struct repro_scene {
	uint64_t time_ns; /* 0 = there was no such moment */
	struct prog_lines programs;
	VEC(struct task_view) runnable;
};

/* For struct watcher: ctx is the scene. m may be NULL. */
void repro_scene_take(void *ctx, struct space *space, const struct moment *m);
void repro_scene_finish(struct repro_scene *s);

/* Whom the kernel names: "comm[pid] failed to run for 1.2s"; 0 = nobody. */
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

/* How a value is to be read. */
struct form {
	enum field_kind kind;
	uint32_t bytes; /* 0 = all 8 */
	uint32_t type;	/* of FIELD_ENUM, in the kernel's types */
};

enum argument_kind { ARGUMENT_RAW, ARGUMENT_TASK, ARGUMENT_NUMBER, ARGUMENT_POINTER };

struct argument {
	const char *name; /* or "" */
	enum argument_kind kind;
	struct form form;
	const char *target; /* the struct that it points to, or "" */
};

/* Of the program of the same index, or of a function of the kernel. */
struct prototype {
	struct argument arguments[TRACE_MAX_ARGUMENTS];
	uint8_t count, task;
	bool has_result;
	struct form result;
};

/* A field of a task that is told before and after a call. */
struct field_row {
	const char *name, *path, *behind; /* behind: in what the pointer leads to */
	enum field_kind kind;
	uint32_t bytes;
};

#define REPRO_FIELDS 9
extern const struct field_row repro_fields[REPRO_FIELDS];

/* A field of what an argument points to. */
struct plan_field {
	const char *name;
	uint8_t argument;
	struct form form;
};

/* A function of the kernel that is told from its entry to its return. */
struct plan_function {
	const char *name;
	bool is_caller;		/* of an operation: not on the chain */
	struct prog_line where; /* in the kernel's source; no file = not known */
	struct prototype prototype;
	struct plan_field fields[TRACE_MAX_FIELDS]; /* as many as place has */
	struct trace_function place;
};

/* A place in the plugin's table: the index of a program, or of a line. */
struct plan_place {
	struct trace_place place;
	uint32_t index;
};

struct repro_plan {
	const struct repro_scene *scene;
	uint32_t pid;			/* whose story it is; 0 = the second run tells */
	const struct task_view *victim; /* of a stall, or NULL */
	uint64_t from_ns, near_ns;
	VEC(struct plan_place) places;
	struct prototype *prototypes; /* of the programs */
	struct arena arena;
	uint8_t fields[REPRO_FIELDS]; /* rows of those that this kernel has */
	size_t field_count;
	const struct btf *types;
	VEC(struct plan_function) functions; /* by address */
	int places_fd, functions_fd;
	struct str arguments; /* of the plugin */
	uint64_t apart_ns;    /* between what belongs together; 0 = as sim has it */
};

/* What a run failed of. */
struct repro_cause {
	uint64_t exit_kind;  /* 0 = the kernel did not throw the scheduler out */
	const char *message; /* of the kernel, "comm[pid] failed to run for 1.2s"; or NULL */
	uint32_t pid;	     /* without an exit: who waited too long; 0 = nobody */
};

/* types: the kernel's. -ENOENT with a sentence when there is nothing to look at. */
int repro_plan_make(struct repro_plan *p, const struct repro_scene *scene, const struct btf *types,
		    const struct repro_cause *cause);
/*
 * Adds functions of the chain, which may be NULL, and those that call the operations; dropped gets
 * those that cannot be looked at, and why. lines may be NULL.
 */
struct symbols;
int repro_plan_add_functions(struct repro_plan *p, const struct repro_chain *chain,
			     const struct symbols *symbols, const struct source_lines *lines,
			     struct str *dropped);

/* What it has to know of the kernel: prototypes of the scene's programs, and fields. */
int repro_plan_read_kernel(struct repro_plan *p, const struct btf *types);
void repro_plan_finish(struct repro_plan *p);

#endif

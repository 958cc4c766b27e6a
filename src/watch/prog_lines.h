/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the BPF programs of a guest are in its memory after JIT compilation, and which line of
 * source each of their instructions comes from. Copied: it stays when the guest is gone.
 */
#ifndef KTSTR_WATCH_PROG_LINES_H
#define KTSTR_WATCH_PROG_LINES_H

#include "watch/space.h"

/* Instructions from here to the next line's, or to the end of the function. */
struct prog_line {
	uint64_t address;
	const char *file, *text; /* as the compiler saw them; "" = not known */
	uint32_t line, column;	 /* from 1 on */
};

/* A program, or one of its subprograms, which lie elsewhere. */
struct prog_function {
	const char *program; /* "ktstr_enqueue" */
	const char *name;    /* of the function; the first of a program has the same */
	const char *op;	     /* "enqueue" of a scheduler's program; "" = none, or not known */
	uint32_t id;	     /* of the program; numbers are not used twice */
	uint64_t start, end;
	bool has_frame;	     /* it saves %rbp in its first instructions */
	uint16_t frame_at;   /* where, in bytes behind its start */
	size_t first, count; /* of prog_lines.lines, by address; 0 = it has no line info */
};

static inline bool prog_function_is_first(const struct prog_function *f)
{
	return f->name == f->program;
}

struct prog_lines {
	struct arena arena;
	VEC(struct prog_function) functions;
	VEC(struct prog_line) lines;
	bool is_cut; /* there was more, or a part of it cannot be read */
};

/* Adds the program whose struct bpf_prog is at this address. -ENOMEM only. */
int prog_lines_add(struct prog_lines *p, struct space *space, uint64_t program);

/* Adds those of all sched_ext schedulers that are loaded. */
int prog_lines_of_schedulers(struct prog_lines *p, struct space *space);
void prog_lines_finish(struct prog_lines *p);

#define _prog_lines_ _cleanup_(prog_lines_finish)

/* The line of an instruction; NULL = its function has no line info. */
const struct prog_line *prog_lines_at(const struct prog_lines *p, const struct prog_function *f,
				      uint64_t address);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What was executed of BPF programs and of sched_ext. */
#ifndef KTSTR_WATCH_COVER_H
#define KTSTR_WATCH_COVER_H

#include "watch/guest.h"

/*
 * bpf_cover.c: Which lines of BPF programs were executed: of one run, or of many added up.
 * Programs, functions and lines are the same when their names are; a line is known when line info
 * names it.
 */

struct cover_line {
	uint32_t file, line;
	uint64_t count; /* of executions */
	const char *text;
};

/* A conditional jump that was executed: where in its line, and which ways it went. */
struct cover_branch {
	uint32_t file, line, column, at;
	bool is_taken, is_passed;
};

struct cover_function {
	const char *program, *name; /* the same for the first of a program */
	VEC(struct cover_line) lines;
	VEC(struct cover_branch) branches;
};

/* One CPU was inside of the first line, or in what that called, when another executed the second. */
struct cover_pair {
	uint32_t first_function, first_line, second_function, second_line;
};

/* A run of instructions in a function of the kernel. */
struct cover_block {
	uint32_t at, bytes;
	uint64_t count;
};

/* Of kernels that differ in it there is one each. */
struct cover_kernel {
	const char *name;
	uint32_t bytes;
	VEC(struct cover_block) blocks; /* that were executed, by place; they may overlap */
};

struct bpf_cover {
	struct arena arena;
	VEC(const char *) files;
	VEC(struct cover_function) functions; /* those without lines have no line info */
	VEC(struct cover_pair) pairs;	      /* by index of functions */
	VEC(struct cover_kernel) kernel;      /* where it was asked for */
	uint64_t runs;
	bool is_cut; /* a part of it is not known */
};

/* Adds all of another. */
int bpf_cover_add(struct bpf_cover *c, const struct bpf_cover *from);

void bpf_cover_finish(struct bpf_cover *c);

#define _bpf_cover_ _cleanup_(bpf_cover_finish)

void bpf_cover_to_json(const struct bpf_cover *c, struct json *j);

/* Adds what such a JSON text says. The text is changed. -EINVAL with a message when it is none. */
int bpf_cover_add_json(struct bpf_cover *c, char *text, size_t len);

/*
 * kernel_functions.c: Functions of sched_ext in a kernel: those of kernel/sched/ext.c and its
 * relatives. Symbols do not tell files, so names have to: almost all of them say what they belong
 * to.
 */

struct kernel_function {
	const char *name;
	uint64_t start, end; /* up to what is behind it: up to 15 bytes of it are padding */
};

struct kernel_functions {
	struct arena arena;
	VEC(struct kernel_function) items; /* by address */
};

/*
 * bpf_blocks.c: What was executed of a guest's BPF programs: the plugin counts blocks of JITed code
 * (see trace/format.h), and stops where a program comes or goes, so that a block belongs to the
 * program that was at its address when it was translated.
 */

/* A program from its load on. */
struct bpf_life {
	uint64_t id;
	size_t first, count; /* of its functions */
	uint32_t from, to;   /* stops */
};

struct bpf_blocks {
	int fd; /* of a struct trace_blocks, or -1 */
	struct prog_lines lines;
	VEC(struct bpf_life) lives;
	bool counts_kernel; /* functions of sched_ext, too */
	struct kernel_functions kernel;
	uint32_t stops;
	/* Who keeps what was executed up to a mark (mark.h), or NULL; what follows counts anew. */
	int (*keep_part)(void *ctx, const struct bpf_blocks *b, uint32_t part);
	void *keep_ctx;
	int rc;
};

/* A negative errno with a message. */
int bpf_blocks_open(struct bpf_blocks *b);

/* Adds a run that is over, or what there is of it since the last mark. */
int bpf_blocks_collect(const struct bpf_blocks *b, struct bpf_cover *out);

void bpf_blocks_close(struct bpf_blocks *b);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Coverage of BPF programs and of sched_ext. */
#ifndef KTSTR_WATCH_COVER_H
#define KTSTR_WATCH_COVER_H

#include "watch/guest.h"

/*
 * bpf_cover.c: lines of BPF programs that were executed, in one run or summed over many. Programs,
 * functions and lines are identified by name; lines come from line info.
 */

struct cover_line {
	uint32_t file, line;
	uint64_t count; /* of executions */
	const char *text;
};

/* A conditional jump that was executed: its position in the line, and its directions. */
struct cover_branch {
	uint32_t file, line, column, at;
	bool is_taken, is_passed;
};

struct cover_function {
	const char *program, *name; /* equal for the main function of a program */
	VEC(struct cover_line) lines;
	VEC(struct cover_branch) branches;
};

/*
 * One CPU was in the first line, or in a function called from it, while another CPU executed the
 * second.
 */
struct cover_pair {
	uint32_t first_function, first_line, second_function, second_line;
};

/* A sequence of instructions in a kernel function. */
struct cover_block {
	uint32_t at, bytes;
	uint64_t count;
};

/* One entry per version of the function, if kernels differ in it. */
struct cover_kernel {
	const char *name;
	uint32_t bytes;
	VEC(struct cover_block) blocks; /* executed ones, by offset; they may overlap */
};

struct bpf_cover {
	struct arena arena;
	VEC(const char *) files;
	VEC(struct cover_function) functions; /* no lines = it has no line info */
	VEC(struct cover_pair) pairs;	      /* by index of functions */
	VEC(struct cover_kernel) kernel;      /* if requested */
	uint64_t runs;
	bool is_cut; /* incomplete */
};

/* Adds the coverage of another one. */
int bpf_cover_add(struct bpf_cover *c, const struct bpf_cover *from);

void bpf_cover_finish(struct bpf_cover *c);

#define _bpf_cover_ _cleanup_(bpf_cover_finish)

void bpf_cover_to_json(const struct bpf_cover *c, struct json *j);

/* Adds coverage from JSON. Modifies the text. -EINVAL with a message if it is invalid. */
int bpf_cover_add_json(struct bpf_cover *c, char *text, size_t len);

/*
 * kernel_functions.c: functions of sched_ext in a kernel: those of kernel/sched/ext.c and related
 * files. Symbols do not name files, so they are selected by name: almost all have a telling prefix.
 */

struct kernel_function {
	const char *name;
	uint64_t start, end; /* end: the next symbol, including up to 15 bytes of padding */
};

struct kernel_functions {
	struct arena arena;
	VEC(struct kernel_function) items; /* by address */
};

/*
 * bpf_blocks.c: which blocks of a guest's BPF programs were executed. The plugin counts translation
 * blocks of JITed code (see trace/format.h), and stops when a program is loaded or freed, so that a
 * block belongs to the program that was at its address when it was translated.
 */

/* The lifetime of a program, from its load on. */
struct bpf_life {
	uint64_t id;
	size_t first, count; /* range of its functions */
	uint32_t from, to;   /* numbers of stops */
};

struct bpf_blocks {
	int fd; /* of a struct trace_blocks, or -1 */
	struct prog_lines lines;
	VEC(struct bpf_life) lives;
	bool counts_kernel; /* count functions of sched_ext, too */
	struct kernel_functions kernel;
	uint32_t stops;
	/* Stores the coverage up to a mark (mark.h), or NULL; counting restarts after it. */
	int (*keep_part)(void *ctx, const struct bpf_blocks *b, uint32_t part);
	void *keep_ctx;
	int rc;
};

/* 0, or a negative errno with a message. */
int bpf_blocks_open(struct bpf_blocks *b);

/* Adds the coverage of a finished run, or of the part since the last mark. */
int bpf_blocks_collect(const struct bpf_blocks *b, struct bpf_cover *out);

void bpf_blocks_close(struct bpf_blocks *b);

#endif

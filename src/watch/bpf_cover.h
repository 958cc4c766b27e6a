/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which lines of BPF programs were executed: of one run, or of many added up. Programs, functions
 * and lines are the same when their names are; a line is known when line info names it.
 */
#ifndef KTSTR_WATCH_BPF_COVER_H
#define KTSTR_WATCH_BPF_COVER_H

#include "base/base.h"

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

/* The index of a file; SIZE_MAX = no memory, with a message. */
size_t bpf_cover_file(struct bpf_cover *c, const char *name);

/* A function, added when it is new; NULL = no memory, with a message. */
struct cover_function *bpf_cover_function(struct bpf_cover *c, const char *program,
					  const char *name);

/* Adds executions; the text is copied where the line is new. */
int bpf_cover_line(struct bpf_cover *c, struct cover_function *f, const struct cover_line *line);
int bpf_cover_branch(struct cover_function *f, const struct cover_branch *branch);

int bpf_cover_pair(struct bpf_cover *c, const struct cover_pair *pair);

struct cover_kernel *bpf_cover_kernel(struct bpf_cover *c, const char *name, uint32_t bytes);
int bpf_cover_block(struct cover_kernel *k, const struct cover_block *block);

/* Adds all of another. */
int bpf_cover_add(struct bpf_cover *c, const struct bpf_cover *from);

void bpf_cover_finish(struct bpf_cover *c);

#define _bpf_cover_ _cleanup_(bpf_cover_finish)

void bpf_cover_to_json(const struct bpf_cover *c, struct json *j);

/* Adds what such a JSON text says. The text is changed. -EINVAL with a message when it is none. */
int bpf_cover_add_json(struct bpf_cover *c, char *text, size_t len);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was executed of a guest's BPF programs: the plugin counts blocks of JITed code (see
 * trace/format.h), and stops where a program comes or goes, so that a block belongs to the program
 * that was at its address when it was translated.
 */
#ifndef KTSTR_WATCH_BPF_BLOCKS_H
#define KTSTR_WATCH_BPF_BLOCKS_H

#include "trace/format.h"
#include "watch/bpf_cover.h"
#include "watch/kernel_functions.h"
#include "watch/prog_lines.h"

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

/* Which functions of the kernel are to be counted, before it runs. */
int bpf_blocks_set_kernel(struct bpf_blocks *b, const struct symbols *symbols);

/* The guest begins anew. */
void bpf_blocks_reset(struct bpf_blocks *b);

/* Programs that are there before it runs: those of a template. */
void bpf_blocks_begin(struct bpf_blocks *b, struct space *space);

/* It has stopped for a program; space = NULL: its memory cannot be read. */
void bpf_blocks_stop(struct bpf_blocks *b, struct space *space, uint64_t program);

/* The guest asked for a stop; false = that was no mark. */
bool bpf_blocks_mark(struct bpf_blocks *b, uint64_t tag);

/* Adds a run that is over, or what there is of it since the last mark. */
int bpf_blocks_collect(const struct bpf_blocks *b, struct bpf_cover *out);

void bpf_blocks_close(struct bpf_blocks *b);

/* The same of blocks in memory. */
int bpf_blocks_add(const struct bpf_blocks *b, const struct trace_block *blocks, size_t count,
		   struct bpf_cover *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs of a sched_ext scheduler, out of a guest's memory: where their code is, and
 * which line of which source each piece of it comes from. Both are the same in every run of one
 * seed.
 */
#ifndef KTSTR_REPRO_PROGRAMS_H
#define KTSTR_REPRO_PROGRAMS_H

#include "base/arena.h"
#include "base/vec.h"
#include "watch/space.h"

#define PROGRAMS_NAME 64
#define PROGRAMS_OP 32

struct source_line {
	uint64_t address;
	uint32_t number;
	const char *file, *text; /* of the guest: they may hold anything */
};

struct bpf_program {
	uint64_t address;
	uint32_t bytes;
	char name[PROGRAMS_NAME], op[PROGRAMS_OP]; /* "ktstr_enqueue", "enqueue" */
	size_t first, count;			   /* of programs.lines; none = without line info */
};

struct programs {
	VEC(struct bpf_program) items;
	VEC(struct source_line) lines;
	struct arena arena;
	bool is_cut; /* there was more, or a part of it cannot be read */
};

/* -ENOMEM only. A guest that cannot be read has no programs. */
int programs_read(struct programs *p, struct space *space);
void programs_finish(struct programs *p);

#endif

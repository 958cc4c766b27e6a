/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of sched_ext in a kernel: those of kernel/sched/ext.c and its relatives. Symbols do not
 * tell files, so names have to: almost all of them say what they belong to.
 */
#ifndef KTSTR_WATCH_KERNEL_FUNCTIONS_H
#define KTSTR_WATCH_KERNEL_FUNCTIONS_H

#include "trace/symbols.h"

struct kernel_function {
	const char *name;
	uint64_t start, end; /* up to what is behind it: up to 15 bytes of it are padding */
};

struct kernel_functions {
	struct arena arena;
	VEC(struct kernel_function) items; /* by address */
};

/* -ENOMEM only. */
int kernel_functions_find(struct kernel_functions *f, const struct symbols *symbols);
void kernel_functions_finish(struct kernel_functions *f);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Source locations of kernel functions, from the debug information of its vmlinux. */
#ifndef KTSTR_KERNEL_SOURCE_LINES_H
#define KTSTR_KERNEL_SOURCE_LINES_H

#include "kernel/kernel.h"

struct source_lines {
	int fd;	    /* file descriptor + 1; 0 = none */
	void *info; /* Dwarf; NULL = no debug information */
};

struct source_line {
	const char *file; /* valid as long as the debug information; NULL = unknown */
	uint32_t line;
};

/*
 * dir: build directory of the kernel. An error with a message if vmlinux has no debug information.
 */
int source_lines_open(struct source_lines *s, const char *dir);

/*
 * Searches the build directory of a kernel, and where distributions install debug information. Only
 * accepts a file with the kernel's build ID. True = found.
 */
bool source_lines_search(struct source_lines *s, const struct kernel_image *k);

/* Finds all functions in one pass. Names are without compiler suffixes (".isra.0"). */
void source_lines_find(const struct source_lines *s, const char *const *functions, size_t count,
		       struct source_line *out);
void source_lines_finish(struct source_lines *s);

#endif

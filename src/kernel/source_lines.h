/* SPDX-License-Identifier: GPL-2.0-only */
/* Where functions of a kernel are in its source, by the debug information of its vmlinux. */
#ifndef KTSTR_KERNEL_SOURCE_LINES_H
#define KTSTR_KERNEL_SOURCE_LINES_H

#include "kernel/kernel.h"

struct source_lines {
	int fd;	    /* plus one; 0 = none */
	void *info; /* Dwarf; NULL = there is no debug information */
};

struct source_line {
	const char *file; /* lives as long as the debug information; NULL = not known */
	uint32_t line;
};

/* dir: where the kernel was built. A sentence when its vmlinux has no debug information. */
int source_lines_open(struct source_lines *s, const char *dir);

/*
 * Looks where a kernel was built, and where distributions install debug information. Only a file
 * with the kernel's own build ID is taken. True = there is one.
 */
bool source_lines_search(struct source_lines *s, const struct kernel_image *k);

/* All of them in one pass. Suffixes of the compiler (".isra.0") are not part of a name. */
void source_lines_find(const struct source_lines *s, const char *const *functions, size_t count,
		       struct source_line *out);
void source_lines_finish(struct source_lines *s);

#endif

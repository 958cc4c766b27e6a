/* SPDX-License-Identifier: GPL-2.0-only */
/* Where functions of a kernel are in its source, by the debug information of its vmlinux. */
#ifndef KTSTR_HOSTMODE_SOURCE_LINES_H
#define KTSTR_HOSTMODE_SOURCE_LINES_H

#include "base/base.h"

struct source_lines {
	int fd;	    /* plus one; 0 = none */
	void *info; /* Dwarf */
};

/* dir: where the kernel was built. A sentence when its vmlinux has no debug information. */
int source_lines_open(struct source_lines *s, const char *dir);
/* The file's name, which lives as long as s, and the line; NULL = it has no such function. */
const char *source_lines_find(void *s, const char *function, uint32_t *line);
void source_lines_finish(struct source_lines *s);

#endif

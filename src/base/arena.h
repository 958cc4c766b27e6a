/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that is given out piece by piece and freed all at once. Pieces never
 * move. One thread uses an arena at a time.
 */
#ifndef KTSTR_BASE_ARENA_H
#define KTSTR_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;
	size_t used; /* of the newest block */
};

/* Zeroed and aligned for any type. NULL when out of memory. */
void *arena_alloc(struct arena *a, size_t size);

/* A NUL-terminated copy, unaligned. NULL when out of memory. */
char *arena_copy(struct arena *a, const char *text, size_t len);

/* Moves all memory of from into to. */
void arena_adopt(struct arena *to, struct arena *from);

void arena_finish(struct arena *a);

#endif

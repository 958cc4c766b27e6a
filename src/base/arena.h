/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that is allocated piece by piece and freed all at once. Pieces never move. Not
 * thread-safe.
 */
#ifndef KTSTR_BASE_ARENA_H
#define KTSTR_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;
	size_t used; /* bytes of the newest block */
};

/* Zeroed and aligned for any type. NULL if out of memory. */
void *arena_alloc(struct arena *a, size_t size);

/* A NUL-terminated copy, unaligned. NULL if out of memory. */
char *arena_copy(struct arena *a, const char *text, size_t len);

/* Moves all memory of `from` to `to`. */
void arena_adopt(struct arena *to, struct arena *from);

void arena_finish(struct arena *a);

#endif

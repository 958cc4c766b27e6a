// SPDX-License-Identifier: GPL-2.0-only
/* Bump allocation from a list of blocks. */
#include "base/arena.h"

#include <stdalign.h>

#include "base/base.h"

#define BLOCK_SIZE ((size_t)64 * 1024)

struct arena_block {
	struct arena_block *next;
	size_t size;
	alignas(max_align_t) char data[];
};

static void *take(struct arena *a, size_t size, size_t align)
{
	size_t start = (a->used + align - 1) & ~(align - 1);
	struct arena_block *block = a->blocks;

	if (!block || start > block->size || size > block->size - start) {
		size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;

		if (size > SIZE_MAX / 2)
			return NULL;
		block = calloc(1, sizeof(*block) + room);
		if (!block)
			return NULL;
		block->size = room;
		block->next = a->blocks;
		a->blocks = block;
		start = 0;
	}
	a->used = start + size;
	return block->data + start;
}

void *arena_alloc(struct arena *a, size_t size)
{
	return take(a, size, alignof(max_align_t));
}

char *arena_copy(struct arena *a, const char *text, size_t len)
{
	char *copy = len == SIZE_MAX ? NULL : take(a, len + 1, 1);

	if (copy) {
		memcpy(copy, text, len);
		copy[len] = '\0';
	}
	return copy;
}

void arena_adopt(struct arena *to, struct arena *from)
{
	struct arena_block **end = &from->blocks;

	if (!from->blocks) /* keeps the fill level of `to` */
		return;
	while (*end)
		end = &(*end)->next;
	*end = to->blocks;
	to->blocks = from->blocks;
	to->used = from->used;
	*from = (struct arena){};
}

void arena_finish(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
	*a = (struct arena){};
}

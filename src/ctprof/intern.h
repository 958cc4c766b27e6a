/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dense numbers for strings and for 64-bit keys, by hashing. Grouping tens of
 * thousands of threads is then arithmetic on small integers.
 */
#ifndef KTSTR_CTPROF_INTERN_H
#define KTSTR_CTPROF_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define NO_ID UINT32_MAX

/* Equal texts have equal ids, counted from 0 in order of their first appearance. */
struct intern {
	const char **texts; /* by id */
	uint32_t *hashes;   /* by id */
	uint32_t *slots;
	size_t count, text_cap, hash_cap, slot_count;
	struct arena arena;
};

/* The text's id; it must outlive the table. 0, or -ENOMEM with a message. */
int intern_add(struct intern *t, const char *text, uint32_t *id);

/* The same with a copy of the text when it is new. */
int intern_add_copy(struct intern *t, const char *text, uint32_t *id);

/* NO_ID when the text was never added. */
uint32_t intern_find(const struct intern *t, const char *text);

void intern_finish(struct intern *t);

/* The same for 64-bit keys; pairs of ids make such a key. */
struct id_map {
	uint64_t *keys; /* by id */
	uint32_t *slots;
	size_t count, cap, slot_count;
};

int id_map_add(struct id_map *m, uint64_t key, uint32_t *id);

/* NO_ID when the key was never added. */
uint32_t id_map_find(const struct id_map *m, uint64_t key);

void id_map_finish(struct id_map *m);

static inline uint64_t id_pair(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

#endif

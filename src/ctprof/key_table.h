/* SPDX-License-Identifier: GPL-2.0-only */
/* A small, fixed map from the keys of a text file to numbers, made for millions of lookups. */
#ifndef KTSTR_CTPROF_KEY_TABLE_H
#define KTSTR_CTPROF_KEY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KEY_TABLE_SLOTS 256 /* a power of two, at least twice the keys of any table */

struct key_table {
	struct {
		const char *key; /* NULL = free */
		size_t len;
		int value;
	} slots[KEY_TABLE_SLOTS];
	bool starts[256]; /* first bytes of keys: most lines are ruled out by theirs */
};

static inline unsigned int key_table_hash(const char *key, size_t len)
{
	const unsigned char *k = (const unsigned char *)key;

	return (unsigned int)len * 31 + k[0] * 7U + k[len / 2] * 5U + k[len - 1] * 3U;
}

static inline bool key_table_starts(const struct key_table *t, char c)
{
	return t->starts[(unsigned char)c];
}

/* -1 when there is no such key. */
static inline int key_table_find(const struct key_table *t, const char *key, size_t len)
{
	if (len == 0)
		return -1;
	for (unsigned int i = key_table_hash(key, len);; i++) {
		unsigned int slot = i % KEY_TABLE_SLOTS;

		if (!t->slots[slot].key)
			return -1;
		if (t->slots[slot].len == len && memcmp(t->slots[slot].key, key, len) == 0)
			return t->slots[slot].value;
	}
}

/* The key is not copied. A key that is there already keeps its value. */
void key_table_add(struct key_table *t, const char *key, int value);

#endif

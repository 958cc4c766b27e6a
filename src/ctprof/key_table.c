// SPDX-License-Identifier: GPL-2.0-only
/* Filling key tables: the rare half of them. */
#include "ctprof/proc_parse.h"

#include <assert.h>

void key_table_add(struct key_table *t, const char *key, int value)
{
	size_t len = strlen(key);
	unsigned int i = key_table_hash(key, len);
	size_t tries = 0;

	assert(len > 0);
	while (t->slots[i % KEY_TABLE_SLOTS].key) {
		if (strcmp(t->slots[i % KEY_TABLE_SLOTS].key, key) == 0)
			return;
		tries++;
		assert(tries < KEY_TABLE_SLOTS / 2);
		i++;
	}
	t->slots[i % KEY_TABLE_SLOTS].key = key;
	t->slots[i % KEY_TABLE_SLOTS].len = len;
	t->slots[i % KEY_TABLE_SLOTS].value = value;
	t->starts[(unsigned char)key[0]] = true;
}

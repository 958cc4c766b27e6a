// SPDX-License-Identifier: GPL-2.0-only
/* Open addressing with linear probing; at most half of the slots are taken. */
#include "ctprof/group.h"

#define FIRST_SLOTS 64

static uint32_t hash_key(uint64_t key)
{
	key = (key ^ key >> 31) * 0x9e3779b97f4a7c15ULL;
	key = (key ^ key >> 29) * 0xbf58476d1ce4e5b9ULL;
	return (uint32_t)(key >> 32);
}

static void place(uint32_t *slots, size_t slot_count, uint32_t hash, uint32_t id)
{
	size_t at = hash & (slot_count - 1);

	while (slots[at] != NO_ID)
		at = (at + 1) & (slot_count - 1);
	slots[at] = id;
}

/* Returns empty slots for twice as many entries; NULL with a message if out of memory. */
static uint32_t *larger_slots(size_t *slot_count)
{
	size_t count = *slot_count ? *slot_count * 2 : FIRST_SLOTS;
	uint32_t *slots = count < UINT32_MAX / 2 ? malloc(count * sizeof(*slots)) : NULL;

	if (!slots) {
		err_no_memory();
		return NULL;
	}
	memset(slots, 0xff, count * sizeof(*slots));
	*slot_count = count;
	return slots;
}

uint32_t id_map_find(const struct id_map *m, uint64_t key)
{
	if (!m->slot_count)
		return NO_ID;
	for (size_t at = hash_key(key) & (m->slot_count - 1);;
	     at = (at + 1) & (m->slot_count - 1)) {
		uint32_t id = m->slots[at];

		if (id == NO_ID || m->keys[id] == key)
			return id;
	}
}

static int id_map_make_room(struct id_map *m)
{
	int rc = vec_grow((void **)&m->keys, &m->cap, m->count + 1, sizeof(*m->keys));
	uint32_t *slots;

	if (rc < 0 || m->count * 2 < m->slot_count)
		return rc;
	slots = larger_slots(&m->slot_count);
	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < m->count; i++)
		place(slots, m->slot_count, hash_key(m->keys[i]), (uint32_t)i);
	free(m->slots);
	m->slots = slots;
	return 0;
}

int id_map_add(struct id_map *m, uint64_t key, uint32_t *id)
{
	int rc;

	*id = id_map_find(m, key);
	if (*id != NO_ID)
		return 0;
	rc = id_map_make_room(m);
	if (rc < 0)
		return rc;
	*id = (uint32_t)m->count++;
	m->keys[*id] = key;
	place(m->slots, m->slot_count, hash_key(key), *id);
	return 0;
}

void id_map_finish(struct id_map *m)
{
	free(m->keys);
	free(m->slots);
	*m = (struct id_map){};
}

static uint64_t hash_text(const char *text)
{
	uint64_t h = 14695981039346656037ULL;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211ULL;
	return h;
}

/* The key of a text is its hash, or the next key that no other text uses. */
static uint32_t find_text(const struct intern *t, const char *text, uint64_t *key)
{
	uint32_t id;

	for (*key = hash_text(text);; ++*key) {
		id = id_map_find(&t->ids, *key);
		if (id == NO_ID || str_eq(t->texts.items[id], text))
			return id;
	}
}

uint32_t intern_find(const struct intern *t, const char *text)
{
	uint64_t key;

	return find_text(t, text, &key);
}

static int insert(struct intern *t, const char *text, uint64_t key, uint32_t *id)
{
	int rc = vec_reserve(&t->texts, t->texts.count + 1) ?: id_map_add(&t->ids, key, id);

	if (rc == 0)
		t->texts.items[t->texts.count++] = text;
	return rc;
}

int intern_add(struct intern *t, const char *text, uint32_t *id)
{
	uint64_t key;

	*id = find_text(t, text, &key);
	return *id == NO_ID ? insert(t, text, key, id) : 0;
}

int intern_add_copy(struct intern *t, const char *text, uint32_t *id)
{
	uint64_t key;

	*id = find_text(t, text, &key);
	if (*id != NO_ID)
		return 0;
	text = arena_copy(&t->arena, text, strlen(text));
	return text ? insert(t, text, key, id) : err_no_memory();
}

void intern_finish(struct intern *t)
{
	free(t->texts.items);
	id_map_finish(&t->ids);
	arena_finish(&t->arena);
	*t = (struct intern){};
}

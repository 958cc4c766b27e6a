// SPDX-License-Identifier: GPL-2.0-only
/* Reads ld.so.cache without trusting its contents. */
#include "vm/elf_closure.h"

#define OLD_MAGIC "ld.so-1.7.0"
#define OLD_HEADER_SIZE 16
#define OLD_ENTRY_SIZE 12
#define MAGIC "glibc-ld.so.cache1.1"
#define HEADER_SIZE 48
#define ENTRY_SIZE 24

struct cache {
	const uint8_t *data; /* starts with MAGIC; offsets are relative to it */
	size_t size;
	uint32_t entries;
};

static uint32_t word(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

/* Older systems put a cache in the old format before this one. */
static size_t skip_old_format(const uint8_t *data, size_t size)
{
	uint64_t end;

	if (size < OLD_HEADER_SIZE || memcmp(data, OLD_MAGIC, strlen(OLD_MAGIC)) != 0)
		return 0;
	end = OLD_HEADER_SIZE + (uint64_t)word(data + 12) * OLD_ENTRY_SIZE;
	end = (end + 7) & ~7ULL;
	return end < size ? (size_t)end : 0;
}

static int open_cache(struct cache *c, const uint8_t *data, size_t size)
{
	size_t start = skip_old_format(data, size);

	*c = (struct cache){ .data = data + start, .size = size - start };
	if (c->size < HEADER_SIZE || memcmp(c->data, MAGIC, strlen(MAGIC)) != 0)
		return -ENOENT;
	c->entries = word(c->data + 20);
	if (c->entries > (c->size - HEADER_SIZE) / ENTRY_SIZE)
		return -ENOENT;
	return 0;
}

static const char *text_at(const struct cache *c, uint32_t offset)
{
	if (offset >= c->size || !memchr(c->data + offset, '\0', c->size - offset))
		return NULL;
	return (const char *)c->data + offset;
}

int ld_cache_find(const uint8_t *data, size_t size, const char *name, struct str *path)
{
	struct cache c;

	if (!data || open_cache(&c, data, size) < 0)
		return -ENOENT;
	for (uint32_t i = 0; i < c.entries; i++) {
		const uint8_t *entry = c.data + HEADER_SIZE + (size_t)i * ENTRY_SIZE;
		const char *key = text_at(&c, word(entry + 4));
		const char *value = text_at(&c, word(entry + 8));
		bool needs_cpu = word(entry + 16) || word(entry + 20);

		if (word(entry) != ELF_NATIVE_CACHE_FLAGS || needs_cpu || !key || !value ||
		    *value != '/' || !str_eq(key, name))
			continue;
		str_add(path, value);
		return 0;
	}
	return -ENOENT;
}

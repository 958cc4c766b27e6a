// SPDX-License-Identifier: GPL-2.0-only
/* Files that claim to be programs, libraries or the cache of the dynamic linker. */
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "vm/elf_closure.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint8_t sink;

static void touch(const char *text)
{
	for (; text && *text; text++)
		sink ^= (uint8_t)*text;
}

static void parse(const uint8_t *data, size_t size)
{
	_cleanup_(arena_finish) struct arena memory = {};
	struct elf_image image;

	if (elf_image_parse(data, size, &memory, &image) < 0)
		return;
	touch(image.interpreter);
	touch(image.soname);
	touch(image.rpath);
	touch(image.runpath);
	for (size_t i = 0; i < image.needed_count; i++)
		touch(image.needed[i]);
}

static void strip(const uint8_t *data, size_t size)
{
	struct elf_strip s;
	uint64_t total = 0;

	if (elf_strip_plan(&s, data, size) < 0)
		return;
	for (size_t i = 0; i < s.count; i++) {
		const uint8_t *bytes = s.pieces[i].data;

		sink ^= bytes[0] ^ bytes[s.pieces[i].len - 1];
		total += s.pieces[i].len;
	}
	if (total != s.size || total >= size)
		abort();
	elf_strip_finish(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_str_ struct str path = {};

	parse(data, size);
	strip(data, size);
	if (ld_cache_find(data, size, "libc.so.6", &path) == 0)
		touch(str_get(&path));
	return 0;
}

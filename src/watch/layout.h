/* SPDX-License-Identifier: GPL-2.0-only */
/* One kernel's addresses and offsets, see layout.def. */
#ifndef KTSTR_WATCH_LAYOUT_H
#define KTSTR_WATCH_LAYOUT_H

#include "base/btf.h"
#include "trace/symbols.h"

enum watch_symbol {
#define SYMBOL(id, name, is_needed) SYM_##id,
#include "watch/layout.def"
	WATCH_SYMBOLS
};

enum watch_member {
#define MEMBER(type, id, path, other, is_needed) M_##id,
#include "watch/layout.def"
	WATCH_MEMBERS
};

enum watch_size {
#define SIZE(type, id) SIZE_##id,
#include "watch/layout.def"
	WATCH_SIZES
};

#define LAYOUT_ABSENT UINT32_MAX

struct watch_layout {
	uint64_t symbols[WATCH_SYMBOLS]; /* as the kernel was linked; 0 = there is none */
	uint32_t members[WATCH_MEMBERS]; /* in bytes, or LAYOUT_ABSENT */
	uint8_t bytes[WATCH_MEMBERS];	 /* of a number: 1, 2, 4 or 8; of others 8 */
	uint32_t sizes[WATCH_SIZES];	 /* of structs; 0 = there is none */
};

/* -ENOENT with a message when something is missing without which nothing can be read. */
int layout_fill(struct watch_layout *l, const struct symbols *symbols, const struct btf *types);
/* The same from the files of a kernel whose symbols are in the cache. */
int layout_read(struct watch_layout *l, const char *kernel, const char *vmlinux);

static inline bool layout_has(const struct watch_layout *l, enum watch_member m)
{
	return l->members[m] != LAYOUT_ABSENT;
}

/*
 * The number that a member is in these bytes of its struct, of which there are enough; 0 where
 * it is absent. Little-endian, as host and guest are.
 */
static inline uint64_t layout_number(const struct watch_layout *l, const char *data,
				     enum watch_member m)
{
	uint64_t value = 0;

	if (layout_has(l, m))
		memcpy(&value, data + l->members[m], l->bytes[m]);
	return value;
}

/* Whether all of them are there. */
bool layout_has_all(const struct watch_layout *l, const enum watch_member *members, size_t count);

#endif

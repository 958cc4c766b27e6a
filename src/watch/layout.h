/* SPDX-License-Identifier: GPL-2.0-only */
/* One kernel's addresses and offsets, see layout.def. */
#ifndef KTSTR_WATCH_LAYOUT_H
#define KTSTR_WATCH_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/btf_types.h"
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

#define LAYOUT_ABSENT UINT32_MAX

struct watch_layout {
	uint64_t symbols[WATCH_SYMBOLS]; /* as the kernel was linked; 0 = there is none */
	uint32_t members[WATCH_MEMBERS]; /* in bytes, or LAYOUT_ABSENT */
};

/* -ENOENT with a message when something is missing without which nothing can be read. */
int layout_fill(struct watch_layout *l, const struct symbols *symbols, const struct btf *types);

static inline bool layout_has(const struct watch_layout *l, enum watch_member m)
{
	return l->members[m] != LAYOUT_ABSENT;
}

/* Whether all of them are there. */
bool layout_has_all(const struct watch_layout *l, const enum watch_member *members, size_t count);

#endif

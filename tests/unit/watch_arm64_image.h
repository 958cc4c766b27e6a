/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns an image into the memory of an arm64 guest: the same addresses, other page tables. */
#ifndef KTSTR_WATCH_ARM64_IMAGE_H
#define KTSTR_WATCH_ARM64_IMAGE_H

#include "watch_image.h"

/* Offsets of symbols from the kernel's beginning. */
enum { ARM_FLAGS = 24, ARM_DISTANCE = 0x1060, ARM_MEMORY_START = 0x1068, ARM_TABLE = 0x800000 };

#define ARM_HEAP (28ULL << 20) /* physical: further tables */
#define ARM_BLOCK 1ULL	       /* an entry that leads to memory above the last level */
#define ARM_TABLE_OR_PAGE 3ULL

struct arm64_image {
	unsigned int page_bits;	   /* 12, 14 or 16 */
	unsigned int address_bits; /* that page tables translate */
	unsigned int built_bits;   /* that the kernel was built for */
	uint64_t next_table;
};

/* Tables down to the level of the leaf, 1 = that of pages. */
static inline void arm64_map(struct image *m, struct arm64_image *a, uint64_t address,
			     unsigned int leaf, uint64_t entry)
{
	unsigned int bits = a->page_bits - 3;
	unsigned int levels = (a->address_bits - a->page_bits + bits - 1) / bits;
	uint64_t table = m->load + ARM_TABLE, inside = address & ((1ULL << a->address_bits) - 1);

	for (unsigned int level = levels;; level--) {
		uint64_t at = table + 8 * (inside >> (a->page_bits + bits * (level - 1)) &
					   ((1ULL << bits) - 1)),
			 next;

		if (level == leaf) {
			image_put(m, at, entry, 8);
			return;
		}
		memcpy(&next, m->data + at, sizeof(next));
		if (!next) {
			next = a->next_table | ARM_TABLE_OR_PAGE;
			a->next_table += 1ULL << a->page_bits;
			image_put(m, at, next, 8);
		}
		table = next & ~((1ULL << a->page_bits) - 1);
	}
}

static inline void arm64_image_fill(struct image *m, struct arm64_image *a)
{
	uint64_t *s = m->layout.symbols;

	a->next_table = ARM_HEAP;
	s[SYM_TOP_TABLE] = s[SYM_PHYS_BASE] = s[SYM_PGDIR_SHIFT] = s[SYM_PAGE_OFFSET_BASE] = 0;
	s[SYM_IMAGE_DISTANCE] = IMAGE_TEXT + ARM_DISTANCE;
	s[SYM_MEMORY_START] = IMAGE_TEXT + ARM_MEMORY_START;
	s[SYM_TOP_TABLE_OLD] = IMAGE_TEXT + ARM_TABLE;
	s[SYM_END] = IMAGE_TEXT + (9ULL << 20);
	image_put(m, m->load + ARM_FLAGS, (a->page_bits - 10) / 2 << 1, 8);
	image_put(m, m->load + ARM_DISTANCE, IMAGE_TEXT + m->slide - m->load, 8);
	image_put(m, m->load + ARM_MEMORY_START, -(1ULL << a->built_bits) - IMAGE_DIRECT, 8);
	arm64_map(m, a, IMAGE_TEXT + m->slide, 1, m->load | ARM_TABLE_OR_PAGE);
	if (a->address_bits >= 47) /* others do not reach so far down */
		arm64_map(m, a, IMAGE_DIRECT + m->load, 1, m->load | ARM_TABLE_OR_PAGE);
}

#endif

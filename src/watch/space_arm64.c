// SPDX-License-Identifier: GPL-2.0-only
/* arm64, see Documentation/arch/arm64/memory.rst and booting.rst. */
#include "watch/parts.h"

#define LOAD_STEP (2ULL << 20)
#define KERNEL_HALF 0xff00000000000000ULL
#define FLAGS_AT 24 /* in the Image header, the first bytes of the kernel */
#define USUAL_IMAGE_BYTES (64ULL << 20)
#define ENTRY_VALID 1ULL
#define ENTRY_NO_BLOCK 2ULL

/* Possible widths of virtual addresses, by kernel configuration or CPU. */
static const unsigned int widths[] = { 52, 48, 47, 42, 39, 36 };

/* The kernel stores the distance between its virtual and its physical address. */
static bool take_load(struct space *s, uint64_t load)
{
	uint64_t text = s->layout->symbols[SYM_TEXT], end = s->layout->symbols[SYM_END], distance;

	if (!space_read_loaded(s, load, SYM_IMAGE_DISTANCE, &distance, sizeof(distance)))
		return false;
	s->image = (struct space_range){ .base = load + distance,
					 .bytes = end > text ? end - text : USUAL_IMAGE_BYTES,
					 .physical = load };
	s->slide = s->image.base - text;
	return s->image.base >= KERNEL_HALF && s->image.base % 4096 == 0;
}

/* Page size of 4, 16 or 64 KiB. */
static unsigned int read_page_bits(struct space *s)
{
	uint64_t flags = 0;
	unsigned int size;

	if (!space_read_u64(s, s->image.base + FLAGS_AT, &flags))
		return 12;
	size = flags >> 1 & 3;
	return size ? 10 + 2 * size : 12;
}

static bool leads_to_kernel(struct space *s, uint64_t address)
{
	uint64_t physical, left;

	return space_walk(s, address, &physical, &left) && physical == s->image.physical;
}

static void settle(struct space *s)
{
	uint64_t start = 0, table = space_symbol(s, SYM_TOP_TABLE_OLD);

	s->page_bits = read_page_bits(s);
	s->top_table = table ? table - s->image.base + s->image.physical : 0;
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		s->address_bits = widths[i];
		if (leads_to_kernel(s, s->image.base))
			break;
	}
	if (!leads_to_kernel(s, s->image.base))
		s->top_table = 0;
	/* The direct map depends on the configured width, which may exceed the width in use. */
	if (!space_read_u64(s, space_symbol(s, SYM_MEMORY_START), &start))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		uint64_t base = -(1ULL << widths[i]);

		if (!leads_to_kernel(s, base + s->image.physical - start))
			continue;
		s->linear = (struct space_range){ base, space_memory_end(s) - start, start };
		return;
	}
}

static enum space_entry look_at(uint64_t entry, unsigned int level)
{
	if (!(entry & ENTRY_VALID))
		return ENTRY_NOTHING;
	if (level == 1)
		return entry & ENTRY_NO_BLOCK ? ENTRY_PAGE : ENTRY_NOTHING;
	return entry & ENTRY_NO_BLOCK ? ENTRY_TABLE : ENTRY_PAGE;
}

const struct space_machine space_arm64 = {
	.load_step = LOAD_STEP,
	.take_load = take_load,
	.settle = settle,
	.look_at = look_at,
	.entry_address = 0x0000fffffffff000ULL,
	.first_symbol = KERNEL_HALF,
	.has_own_tables = true,
};

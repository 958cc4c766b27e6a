// SPDX-License-Identifier: GPL-2.0-only
/* x86-64, see Documentation/arch/x86/x86_64/mm.rst. */
#include "watch/parts.h"

#define KERNEL_MAP 0xffffffff80000000ULL
#define KERNEL_MAP_BYTES (1ULL << 30)
#define LOAD_STEP (2ULL << 20)
#define PAGE_OFFSET_4 0xffff888000000000ULL
#define PAGE_OFFSET_5 0xff11000000000000ULL
#define PAGE_BITS 12
#define ENTRY_PRESENT 1ULL
#define ENTRY_LARGE (1ULL << 7)
#define FIVE_LEVEL_SHIFT 48

static bool take_load(struct space *s, uint64_t load)
{
	uint64_t linked = s->layout->symbols[SYM_TEXT] - KERNEL_MAP, base;

	if (!space_read_loaded(s, load, SYM_PHYS_BASE, &base, sizeof(base)))
		base = 0;
	s->image = (struct space_range){ KERNEL_MAP, KERNEL_MAP_BYTES, base };
	s->slide = load - base - linked;
	return s->slide < KERNEL_MAP_BYTES && s->slide % LOAD_STEP == 0;
}

static void settle(struct space *s)
{
	uint64_t five = space_symbol(s, SYM_PGDIR_SHIFT);
	uint64_t base = space_symbol(s, SYM_PAGE_OFFSET_BASE);
	uint32_t shift = 0;
	bool has_five;

	s->top_table = space_symbol(s, SYM_TOP_TABLE) ?: space_symbol(s, SYM_TOP_TABLE_OLD);
	if (s->top_table)
		s->top_table = s->top_table - KERNEL_MAP + s->image.physical;
	/* Symbols that are missing if the kernel has only four levels, or no memory KASLR. */
	has_five = five && space_read_u32(s, five, &shift) && shift == FIVE_LEVEL_SHIFT;
	s->page_bits = PAGE_BITS;
	s->address_bits = has_five ? 57 : 48;
	if (!base || !space_read_u64(s, base, &s->linear.base) || !s->linear.base)
		s->linear.base = has_five ? PAGE_OFFSET_5 : PAGE_OFFSET_4;
	s->linear.bytes = space_memory_end(s);
}

static enum space_entry look_at(uint64_t entry, unsigned int level)
{
	if (!(entry & ENTRY_PRESENT))
		return ENTRY_NOTHING;
	return level == 1 || (level <= 3 && entry & ENTRY_LARGE) ? ENTRY_PAGE : ENTRY_TABLE;
}

/* Per-CPU variables of older kernels are linked at address 0. */
const struct space_machine space_x86 = {
	.load_step = LOAD_STEP,
	.take_load = take_load,
	.settle = settle,
	.look_at = look_at,
	.entry_address = 0x000ffffffffff000ULL,
	.first_symbol = KERNEL_MAP,
};

// SPDX-License-Identifier: GPL-2.0-only
/* From virtual to physical addresses, see Documentation/arch/x86/x86_64/mm.rst. */
#include "watch/space.h"

#define KERNEL_MAP 0xffffffff80000000ULL
#define KERNEL_MAP_BYTES (1ULL << 30)
#define LOAD_STEP (2ULL << 20) /* the kernel is loaded at multiples of this */
#define PAGE_OFFSET_4 0xffff888000000000ULL
#define PAGE_OFFSET_5 0xff11000000000000ULL
#define PAGE_SHIFT 12
#define LEVEL_BITS 9
#define ENTRY_PRESENT 1ULL
#define ENTRY_LARGE (1ULL << 7)
#define ENTRY_ADDRESS 0x000ffffffffff000ULL
#define FIVE_LEVEL_SHIFT 48

static const char banner[] = "Linux version ";

/* Before page tables are known: what lies so far behind the kernel's first byte. */
static bool read_loaded(const struct space *s, uint64_t load, enum watch_symbol symbol, void *data,
			size_t len)
{
	uint64_t address = s->layout->symbols[symbol];

	return address && vm_memory_read(s->memory, load + address - s->layout->symbols[SYM_TEXT],
					 data, len) == 0;
}

static bool is_loaded_at(const struct space *s, uint64_t load)
{
	char text[sizeof(banner) - 1];

	return read_loaded(s, load, SYM_BANNER, text, sizeof(text)) &&
	       memcmp(text, banner, sizeof(text)) == 0;
}

/* A copy of the text may lie elsewhere; the kernel that runs knows where it is. */
static bool take_load(struct space *s, uint64_t load)
{
	uint64_t linked = s->layout->symbols[SYM_TEXT] - KERNEL_MAP;

	if (!is_loaded_at(s, load))
		return false;
	if (!read_loaded(s, load, SYM_PHYS_BASE, &s->phys_base, sizeof(s->phys_base)))
		s->phys_base = 0;
	s->slide = load - s->phys_base - linked;
	return s->slide < KERNEL_MAP_BYTES && s->slide % LOAD_STEP == 0;
}

static bool find_load(struct space *s)
{
	const struct vm_memory *m = s->memory;

	if (take_load(s, s->layout->symbols[SYM_TEXT] - KERNEL_MAP))
		return true;
	for (size_t i = 0; i < m->count; i++) {
		uint64_t at = (m->extents[i].guest + LOAD_STEP - 1) & ~(LOAD_STEP - 1);

		for (; at - m->extents[i].guest < m->extents[i].bytes; at += LOAD_STEP)
			if (take_load(s, at))
				return true;
	}
	return false;
}

int space_open(struct space *s, const struct vm_memory *memory, const struct watch_layout *layout)
{
	uint32_t shift = 0;

	*s = (struct space){ .memory = memory, .layout = layout };
	if (!find_load(s))
		return err_set(ENOENT, "the guest's memory does not hold the kernel that was "
				       "started");
	s->top_table = space_symbol(s, SYM_TOP_TABLE);
	if (!s->top_table)
		s->top_table = space_symbol(s, SYM_TOP_TABLE_OLD);
	if (s->top_table)
		s->top_table = s->top_table - KERNEL_MAP + s->phys_base;
	s->levels = space_read_u32(s, space_symbol(s, SYM_PGDIR_SHIFT), &shift) &&
				    shift == FIVE_LEVEL_SHIFT ?
			    5 :
			    4;
	if (!space_read_u64(s, space_symbol(s, SYM_PAGE_OFFSET_BASE), &s->page_offset) ||
	    !s->page_offset)
		s->page_offset = s->levels == 5 ? PAGE_OFFSET_5 : PAGE_OFFSET_4;
	s->unreadable = 0;
	return 0;
}

/* All bits above those that page tables know are set. */
static bool is_kernel_address(const struct space *s, uint64_t address)
{
	return (int64_t)address >> (PAGE_SHIFT + LEVEL_BITS * s->levels - 1) == -1;
}

bool space_walk(struct space *s, uint64_t address, uint64_t *physical, uint64_t *left_in_page)
{
	uint64_t table = s->top_table, entry;

	if (!table || !is_kernel_address(s, address))
		return false;
	for (int level = s->levels; level > 0; level--) {
		int shift = PAGE_SHIFT + LEVEL_BITS * (level - 1);
		uint64_t inside = address & ((1ULL << shift) - 1);
		uint64_t index = address >> shift & ((1U << LEVEL_BITS) - 1);

		if (vm_memory_read(s->memory, table + index * sizeof(entry), &entry,
				   sizeof(entry)) < 0 ||
		    !(entry & ENTRY_PRESENT))
			return false;
		table = entry & ENTRY_ADDRESS;
		if (level > 1 && (level > 3 || !(entry & ENTRY_LARGE)))
			continue;
		*physical = (table & ~((1ULL << shift) - 1)) + inside;
		*left_in_page = (1ULL << shift) - inside;
		return true;
	}
	return false;
}

static uint64_t memory_end(const struct vm_memory *m)
{
	const struct vm_extent *last = m->count ? &m->extents[m->count - 1] : NULL;

	return last ? last->guest + last->bytes : 0;
}

/* Kernel image and direct map are in order; of everything else the page tables know. */
static bool translate(struct space *s, uint64_t address, uint64_t *physical, uint64_t *left)
{
	*left = UINT64_MAX;
	if (address - KERNEL_MAP < KERNEL_MAP_BYTES) {
		*physical = address - KERNEL_MAP + s->phys_base;
		return true;
	}
	if (address - s->page_offset < memory_end(s->memory) && s->page_offset) {
		*physical = address - s->page_offset;
		return true;
	}
	return space_walk(s, address, physical, left);
}

bool space_physical(struct space *s, uint64_t address, size_t len, uint64_t *physical)
{
	uint64_t left;

	return translate(s, address, physical, &left) && left >= len;
}

bool space_read(struct space *s, uint64_t address, void *data, size_t len)
{
	char *to = data;

	while (len) {
		uint64_t physical, left;
		size_t part;

		if (!translate(s, address, &physical, &left))
			break;
		part = MIN(len, left);
		if (vm_memory_read(s->memory, physical, to, part) < 0)
			break;
		to += part;
		address += part;
		len -= part;
	}
	s->unreadable += len != 0;
	return len == 0;
}

bool space_read_u64(struct space *s, uint64_t address, uint64_t *value)
{
	return space_read(s, address, value, sizeof(*value));
}

bool space_read_u32(struct space *s, uint64_t address, uint32_t *value)
{
	return space_read(s, address, value, sizeof(*value));
}

bool space_read_member(struct space *s, uint64_t address, enum watch_member m, uint64_t *value)
{
	*value = 0;
	return layout_has(s->layout, m) &&
	       space_read(s, address + s->layout->members[m], value, s->layout->bytes[m]);
}

/* Per-CPU variables of older kernels are linked at 0: they do not move with the kernel. */
uint64_t space_symbol(const struct space *s, enum watch_symbol symbol)
{
	uint64_t address = s->layout->symbols[symbol];

	return address >= KERNEL_MAP ? address + s->slide : address;
}

bool space_of_cpu(struct space *s, uint64_t address, unsigned int cpu, uint64_t *copy)
{
	uint64_t offset;

	if (!space_read_u64(s, space_symbol(s, SYM_PER_CPU_OFFSET) + cpu * sizeof(offset),
			    &offset) ||
	    !offset)
		return false;
	*copy = address + offset;
	return true;
}

bool space_read_cpus(struct space *s, uint64_t address, unsigned int cpu_count, size_t len,
		     char *out)
{
	uint64_t offsets[VM_MAX_CPUS], table;
	struct vm_read reads[VM_MAX_CPUS];

	if (cpu_count > VM_MAX_CPUS ||
	    !space_physical(s, space_symbol(s, SYM_PER_CPU_OFFSET), sizeof(offsets), &table) ||
	    vm_memory_read(s->memory, table, offsets, cpu_count * sizeof(*offsets)) < 0)
		return false;
	for (unsigned int i = 0; i < cpu_count; i++) {
		reads[i] = (struct vm_read){ .data = out + i * len, .len = len };
		if (!offsets[i] || !space_physical(s, address + offsets[i], len, &reads[i].address))
			return false;
	}
	return vm_memory_read_all(s->memory, reads, cpu_count) == 0;
}

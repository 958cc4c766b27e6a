// SPDX-License-Identifier: GPL-2.0-only
/* Translates virtual to physical addresses. */
#include "watch/parts.h"

#define ENTRIES_AT_ONCE 512

static const char banner[] = "Linux version ";

/* Detected by symbols that exist on one architecture only. */
static const struct space_machine *machine_of(const struct watch_layout *layout)
{
	return layout->symbols[SYM_IMAGE_DISTANCE] ? &space_arm64 : &space_x86;
}

bool space_read_loaded(const struct space *s, uint64_t load, enum watch_symbol symbol, void *data,
		       size_t len)
{
	uint64_t address = s->layout->symbols[symbol];

	return address && vm_memory_read(s->memory, load + address - s->layout->symbols[SYM_TEXT],
					 data, len) == 0;
}

static bool is_loaded_at(const struct space *s, uint64_t load)
{
	char text[sizeof(banner) - 1];

	return space_read_loaded(s, load, SYM_BANNER, text, sizeof(text)) &&
	       memcmp(text, banner, sizeof(text)) == 0;
}

static bool find_load(struct space *s)
{
	const struct vm_memory *m = s->memory;
	uint64_t step = s->machine->load_step;

	for (size_t i = 0; i < m->count; i++) {
		uint64_t at = (m->extents[i].guest + step - 1) & ~(step - 1);

		for (; at - m->extents[i].guest < m->extents[i].bytes; at += step)
			if (is_loaded_at(s, at) && s->machine->take_load(s, at))
				return true;
	}
	return false;
}

int space_open(struct space *s, const struct vm_memory *memory, const struct watch_layout *layout)
{
	*s = (struct space){ .memory = memory, .layout = layout, .machine = machine_of(layout) };
	if (!find_load(s))
		return err_set(ENOENT, "the guest's memory does not hold the kernel that was "
				       "started");
	s->machine->settle(s);
	s->unreadable = 0;
	return 0;
}

/* All bits above those that page tables translate are set; on x86 also the highest of these. */
bool space_is_kernel(const struct space *s, uint64_t address)
{
	return (int64_t)address >> (s->address_bits - !s->machine->has_own_tables) == -1;
}

/* *entry_at = address of the last page table entry that was read. */
static bool walk(struct space *s, uint64_t address, uint64_t *physical, uint64_t *left,
		 uint64_t *entry_at)
{
	unsigned int index_bits = s->page_bits - 3;
	unsigned int levels = (s->address_bits - s->page_bits + index_bits - 1) / index_bits;
	uint64_t table = s->top_table, entry, known = address & ((1ULL << s->address_bits) - 1);

	*left = 1ULL << s->page_bits;
	if (!table || !space_is_kernel(s, address))
		return false;
	for (unsigned int level = levels; level > 0; level--) {
		unsigned int shift = s->page_bits + index_bits * (level - 1);
		uint64_t inside = address & ((1ULL << shift) - 1);
		uint64_t index = known >> shift & ((1U << index_bits) - 1);
		enum space_entry kind;

		*entry_at = table + index * sizeof(entry);
		if (vm_memory_read(s->memory, *entry_at, &entry, sizeof(entry)) < 0)
			return false;
		*left = (1ULL << shift) - inside;
		kind = s->machine->look_at(entry, level);
		if (kind == ENTRY_NOTHING)
			return false;
		table = entry & s->machine->entry_address;
		if (kind == ENTRY_TABLE)
			continue;
		*physical = (table & ~((1ULL << shift) - 1)) + inside;
		return true;
	}
	return false;
}

bool space_walk(struct space *s, uint64_t address, uint64_t *physical, uint64_t *left)
{
	uint64_t entry_at;

	return walk(s, address, physical, left, &entry_at);
}

/* Number of consecutive absent entries in a last-level table, from this one on. */
static uint64_t count_absent(struct space *s, uint64_t entry_at, uint64_t count)
{
	uint64_t entries[ENTRIES_AT_ONCE];

	count = MIN(count, (uint64_t)ENTRIES_AT_ONCE);
	if (vm_memory_read(s->memory, entry_at, entries, count * sizeof(*entries)) < 0)
		return 1;
	for (uint64_t i = 0; i < count; i++)
		if (s->machine->look_at(entries[i], 1) != ENTRY_NOTHING)
			return MAX(i, 1UL);
	return count;
}

uint64_t space_next_page(struct space *s, uint64_t address, uint64_t end)
{
	uint64_t page = 1ULL << s->page_bits, in_table = 1ULL << (s->page_bits - 3);

	address &= ~(page - 1);
	while (address < end) {
		uint64_t physical, left, entry_at = 0;

		if (walk(s, address, &physical, &left, &entry_at))
			return address;
		/* The last-level table exists: skip all its absent entries at once. */
		if (left <= page && entry_at)
			left = page * count_absent(s, entry_at, in_table - entry_at / 8 % in_table);
		address = left < end - address ? address + left : end;
	}
	return end;
}

uint64_t space_memory_end(const struct space *s)
{
	const struct vm_memory *m = s->memory;
	const struct vm_extent *last = m->count ? &m->extents[m->count - 1] : NULL;

	return last ? last->guest + last->bytes : 0;
}

uint64_t space_plain_address(const struct space *s, uint64_t address)
{
	return s->machine->has_own_tables && address >> 55 & 1 ?
		       address | ~((1ULL << s->address_bits) - 1) :
		       address;
}

static bool is_in(const struct space_range *r, uint64_t address, uint64_t *physical)
{
	*physical = address - r->base + r->physical;
	return address - r->base < r->bytes;
}

/* Kernel image and direct map are contiguous; everything else needs the page tables. */
static bool translate(struct space *s, uint64_t address, uint64_t *physical, uint64_t *left)
{
	*left = UINT64_MAX;
	return is_in(&s->image, address, physical) || is_in(&s->linear, address, physical) ||
	       space_walk(s, address, physical, left);
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

uint64_t space_symbol(const struct space *s, enum watch_symbol symbol)
{
	uint64_t address = s->layout->symbols[symbol];

	return address >= s->machine->first_symbol ? address + s->slide : address;
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

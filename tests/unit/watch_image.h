/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest's memory by hand: a kernel of 2 MiB with symbols, page tables and run queues, small
 * enough for tests and fuzzers to change every part of it.
 */
#ifndef KTSTR_WATCH_IMAGE_H
#define KTSTR_WATCH_IMAGE_H

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "watch/parts.h"

#define IMAGE_BYTES (32ULL << 20)
#define IMAGE_TEXT 0xffffffff81000000ULL
#define IMAGE_MAP 0xffffffff80000000ULL
#define IMAGE_DIRECT 0xffff888000000000ULL
#define IMAGE_CPUS 2

/* Offsets of symbols from the kernel's beginning. */
enum image_place {
	IMAGE_BANNER = 0x1000,
	IMAGE_PHYS_BASE = 0x1040,
	IMAGE_PGDIR_SHIFT = 0x1048,
	IMAGE_PAGE_OFFSET = 0x1050,
	IMAGE_SCX_ROOT = 0x1058,
	IMAGE_PER_CPU = 0x1100,
	IMAGE_TABLE = 0x2000,
	IMAGE_RUNQUEUES = 0x8000,
	IMAGE_INIT_TASK = 0x9000,
	/* Physical, of what is reached through the direct map. */
	IMAGE_CPU_AREAS = 0x100000,
	IMAGE_CPU_AREA_BYTES = 0x10000,
	IMAGE_HEAP = 0x200000,
};

struct image {
	char *data;
	uint64_t load, slide; /* where the kernel is, and how far from where it was linked */
	struct vm_memory memory;
	struct watch_layout layout;
};

static inline void image_put(struct image *m, uint64_t physical, uint64_t value, size_t bytes)
{
	if (physical < IMAGE_BYTES && bytes <= IMAGE_BYTES - physical)
		memcpy(m->data + physical, &value, bytes);
}

static inline void image_set(struct image *m, enum image_place place, uint64_t value, size_t bytes)
{
	image_put(m, m->load + place, value, bytes);
}

static inline void image_symbols(struct image *m)
{
	uint64_t *s = m->layout.symbols;

	memset(&m->layout, 0, sizeof(m->layout));
	for (size_t i = 0; i < WATCH_MEMBERS; i++) {
		m->layout.members[i] = LAYOUT_ABSENT;
		m->layout.bytes[i] = 8;
	}
	s[SYM_TEXT] = IMAGE_TEXT;
	s[SYM_BANNER] = IMAGE_TEXT + IMAGE_BANNER;
	s[SYM_PHYS_BASE] = IMAGE_TEXT + IMAGE_PHYS_BASE;
	s[SYM_PGDIR_SHIFT] = IMAGE_TEXT + IMAGE_PGDIR_SHIFT;
	s[SYM_PAGE_OFFSET_BASE] = IMAGE_TEXT + IMAGE_PAGE_OFFSET;
	s[SYM_TOP_TABLE] = IMAGE_TEXT + IMAGE_TABLE;
	s[SYM_PER_CPU_OFFSET] = IMAGE_TEXT + IMAGE_PER_CPU;
	s[SYM_RUNQUEUES] = IMAGE_TEXT + IMAGE_RUNQUEUES;
	s[SYM_SCX_ROOT] = IMAGE_TEXT + IMAGE_SCX_ROOT;
	s[SYM_INIT_TASK] = IMAGE_TEXT + IMAGE_INIT_TASK;
}

/* Physical address of a CPU's copy of what was linked at place. */
static inline uint64_t image_of_cpu(unsigned int cpu, enum image_place place)
{
	return IMAGE_CPU_AREAS + cpu * IMAGE_CPU_AREA_BYTES + place;
}

static inline void image_fill(struct image *m, uint64_t load, uint64_t slide)
{
	m->load = load;
	m->slide = slide;
	madvise(m->data, IMAGE_BYTES, MADV_DONTNEED); /* zeroed when it is used again */
	memcpy(m->data + load + IMAGE_BANNER, "Linux version 7.0", 17);
	image_set(m, IMAGE_PHYS_BASE, load - (IMAGE_TEXT - IMAGE_MAP) - slide, 8);
	image_set(m, IMAGE_PGDIR_SHIFT, 39, 4);
	image_set(m, IMAGE_PAGE_OFFSET, IMAGE_DIRECT, 8);
	for (unsigned int i = 0; i < IMAGE_CPUS; i++)
		image_put(m, load + IMAGE_PER_CPU + 8ULL * i,
			  IMAGE_DIRECT + image_of_cpu(i, 0) - IMAGE_TEXT - slide, 8);
	image_symbols(m);
}

/* Zeroed by its source where it was not written: large, and cheap all the same. */
static inline int image_open(struct image *m)
{
	m->data =
		mmap(NULL, IMAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m->data == MAP_FAILED)
		return -1;
	m->memory = (struct vm_memory){ .pid = getpid(),
					.extents = { { 0, IMAGE_BYTES, (uintptr_t)m->data } },
					.count = 1 };
	image_fill(m, IMAGE_TEXT - IMAGE_MAP, 0);
	return 0;
}

static inline void image_close(struct image *m)
{
	munmap(m->data, IMAGE_BYTES);
}

#endif

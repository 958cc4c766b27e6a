/* SPDX-License-Identifier: GPL-2.0-only */
/* BPF maps of the types that can be read, with types of a program, and programs, in an image. */
#ifndef KTSTR_WATCH_MAPS_IMAGE_H
#define KTSTR_WATCH_MAPS_IMAGE_H

#include <stdio.h>

#include "watch_image.h"

#define MI_VIRTUAL(physical) (IMAGE_DIRECT + (physical))
#define MI_NODE(physical) (MI_VIRTUAL(physical) | 2)
#define MI_END 1ULL /* of a chain */

enum mi_place {
	MI_IDR = IMAGE_HEAP + 0x80000, /* its symbol lies in the direct map, as does all else */
	MI_TOP = IMAGE_HEAP + 0x80400,
	MI_LEAF = IMAGE_HEAP + 0x80800,
	MI_BTF = IMAGE_HEAP + 0x81000,
	MI_BTF_DATA = IMAGE_HEAP + 0x81100,
	MI_BUCKETS = IMAGE_HEAP + 0x82000,
	MI_ELEMENTS = IMAGE_HEAP + 0x83000, /* 0x100 each */
	MI_TASK = IMAGE_HEAP + 0x84000,
	MI_STORAGE = IMAGE_HEAP + 0x84100,
	MI_PROG_IDR = IMAGE_HEAP + 0x85000,
	MI_PROG_LEAF = IMAGE_HEAP + 0x85100,
	MI_STATS_KEY = IMAGE_HEAP + 0x85400,
	MI_PROGS = IMAGE_HEAP + 0x86000, /* 0x100 each: a program, and what belongs to it */
	MI_MAPS = IMAGE_HEAP + 0x90000,	 /* 0x1000 each */
};

/* Offsets of members. */
enum mi_member {
	MI_TYPE = 0,
	MI_KEY_SIZE = 4,
	MI_VALUE_SIZE = 8,
	MI_MAX = 12,
	MI_FLAGS = 16,
	MI_ID = 20,
	MI_MAP_BTF = 24,
	MI_KEY_TYPE = 32,
	MI_VALUE_TYPE = 36,
	MI_NAME = 40,
	MI_ARRAY_VALUE = 0x80,
	MI_OPS_DATA = 0x100, /* of a map of operations */
	MI_SCHED_OPS = 0x40,
	MI_FUNCTIONS = 0x20, /* bytes of pointers */
	MI_TABLE = 0x80,
	MI_TABLE_COUNT = 0x88,
	MI_KEY = 48,
	MI_OWNER = 32,
	MI_DATA = 72,
	MI_PID = 0x10,
	MI_PROG_TYPE = 0,
	MI_PROG_AUX = 8,
	MI_PROG_STATS = 16,
	MI_AUX = 0x80, /* of a program */
	MI_AUX_ID = 0,
	MI_AUX_INSNS = 4,
	MI_AUX_NAME = 8,
	/* A per-CPU address, seen from a CPU's copy of the kernel's beginning. */
	MI_PER_CPU = 0xa000,
};

enum mi_map { MI_SECTION, MI_ARRAY, MI_PERCPU_ARRAY, MI_HASH, MI_PERCPU_HASH, MI_TASKS, MI_RING };

static inline uint64_t mi_map(enum mi_map map)
{
	return MI_MAPS + 0x1000ULL * map;
}

/*
 * struct state { u32 count; s16 level; bool on; enum mode mode; char name[8]; u8 low:3, high:5; }
 * and a section with a variable of it and a u64 behind that.
 */
enum mi_type_number { MI_STATE = 8, MI_U64 = 9, MI_BSS = 12, MI_LINE = 13 };

#define MI_NAMES                                                                                    \
	"\0u32\0s16\0bool\0mode\0IDLE\0BUSY\0char\0state\0count\0level\0on\0name\0low\0high\0u64\0" \
	"total\0.bss\0u8\0now"

static inline uint32_t mi_name(const char *name)
{
	static const char names[] = MI_NAMES;

	for (uint32_t at = 1; at < sizeof(names); at += (uint32_t)strlen(names + at) + 1)
		if (strcmp(names + at, name) == 0)
			return at;
	return 0;
}

static inline size_t mi_types(uint32_t *out)
{
	const uint32_t words[] = {
		mi_name("u32"),
		1U << 24,
		4,
		32, /* 1 */
		mi_name("s16"),
		1U << 24,
		2,
		1U << 24 | 16, /* 2 */
		mi_name("bool"),
		1U << 24,
		1,
		4U << 24 | 8, /* 3 */
		mi_name("mode"),
		6U << 24 | 2,
		4,
		mi_name("IDLE"),
		0,
		mi_name("BUSY"),
		5, /* 4 */
		mi_name("char"),
		1U << 24,
		1,
		1U << 24 | 8, /* 5 */
		0,
		3U << 24,
		0,
		5,
		1,
		8, /* 6: char[8] */
		mi_name("u8"),
		1U << 24,
		1,
		8, /* 7 */
		mi_name("state"),
		1U << 31 | 4U << 24 | 7,
		24, /* 8 */
		mi_name("count"),
		1,
		0,
		mi_name("level"),
		2,
		32,
		mi_name("on"),
		3,
		48,
		mi_name("mode"),
		4,
		64,
		mi_name("name"),
		6,
		96,
		mi_name("low"),
		7,
		3U << 24 | 160,
		mi_name("high"),
		7,
		5U << 24 | 163,
		mi_name("u64"),
		1U << 24,
		8,
		64, /* 9 */
		mi_name("now"),
		14U << 24,
		8,
		1, /* 10: a variable */
		mi_name("total"),
		14U << 24,
		9,
		1, /* 11 */
		mi_name(".bss"),
		15U << 24 | 2,
		32,
		10,
		0,
		24,
		11,
		24,
		8, /* 12 */
		0,
		3U << 24,
		0,
		1,
		1,
		2, /* 13: u32[2] */
	};

	memcpy(out, words, sizeof(words));
	return sizeof(words);
}

static inline void mi_put_btf(struct image *m)
{
	static const char names[] = MI_NAMES;
	uint32_t types[256];
	uint32_t len = (uint32_t)mi_types(types);
	const uint32_t head[] = { 0x1eb9f, 24, 0, len, len, sizeof(names) };

	memcpy(m->data + MI_BTF_DATA, head, sizeof(head));
	memcpy(m->data + MI_BTF_DATA + sizeof(head), types, len);
	memcpy(m->data + MI_BTF_DATA + sizeof(head) + len, names, sizeof(names));
	image_put(m, MI_BTF, MI_VIRTUAL(MI_BTF_DATA), 8);
	image_put(m, MI_BTF + 8, sizeof(head) + len + sizeof(names), 4);
}

static inline void mi_layout(struct watch_layout *l)
{
	static const struct {
		enum watch_member member;
		uint32_t offset;
		uint8_t bytes;
	} rows[] = {
		{ M_IDR_HEAD, 8, 8 },
		{ M_IDR_NEXT, 20, 4 },
		{ M_XA_SHIFT, 0, 1 },
		{ M_XA_SLOTS, 40, 8 },
		{ M_MAP_TYPE, MI_TYPE, 4 },
		{ M_MAP_KEY_SIZE, MI_KEY_SIZE, 4 },
		{ M_MAP_VALUE_SIZE, MI_VALUE_SIZE, 4 },
		{ M_MAP_MAX_ENTRIES, MI_MAX, 4 },
		{ M_MAP_FLAGS, MI_FLAGS, 4 },
		{ M_MAP_ID, MI_ID, 4 },
		{ M_MAP_BTF, MI_MAP_BTF, 8 },
		{ M_MAP_KEY_TYPE, MI_KEY_TYPE, 4 },
		{ M_MAP_VALUE_TYPE, MI_VALUE_TYPE, 4 },
		{ M_MAP_NAME, MI_NAME, 8 },
		{ M_SCHED_OPS, MI_SCHED_OPS, 8 },
		{ M_OPS_FUNCTIONS, 0, 8 },
		{ M_OPS_FUNCTIONS_END, MI_FUNCTIONS, 4 },
		{ M_STRUCT_OPS_DATA, MI_OPS_DATA, 8 },
		{ M_ARRAY_VALUE, MI_ARRAY_VALUE, 8 },
		{ M_HTAB_BUCKETS, MI_TABLE, 8 },
		{ M_HTAB_N_BUCKETS, MI_TABLE_COUNT, 4 },
		{ M_HTAB_NODE, 0, 8 },
		{ M_HTAB_KEY, MI_KEY, 8 },
		{ M_STORAGE_BUCKETS, MI_TABLE, 8 },
		{ M_STORAGE_BUCKET_LOG, MI_TABLE_COUNT, 4 },
		{ M_STORAGE_NODE, 0, 8 },
		{ M_STORAGE_OWNER, MI_OWNER, 8 },
		{ M_STORAGE_DATA, MI_DATA, 8 },
		{ M_OWNER_TASK, 8, 8 },
		{ M_BTF_DATA, 0, 8 },
		{ M_BTF_DATA_SIZE, 8, 4 },
		{ M_TASK_PID, MI_PID, 4 },
		{ M_PROG_TYPE, MI_PROG_TYPE, 4 },
		{ M_PROG_AUX, MI_PROG_AUX, 8 },
		{ M_PROG_STATS, MI_PROG_STATS, 8 },
		{ M_AUX_ID, MI_AUX_ID, 4 },
		{ M_AUX_INSNS, MI_AUX_INSNS, 4 },
		{ M_AUX_NAME, MI_AUX_NAME, 8 },
		{ M_STATS_COUNT, 0, 8 },
		{ M_STATS_NS, 8, 8 },
		{ M_STATS_MISSES, 16, 8 },
		{ M_KEY_ENABLED, 0, 4 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		l->members[rows[i].member] = rows[i].offset;
		l->bytes[rows[i].member] = rows[i].bytes;
	}
	l->sizes[SIZE_BUCKET] = 16;
	l->sizes[SIZE_STORAGE_BUCKET] = 16;
	l->symbols[SYM_MAP_IDR] = MI_VIRTUAL(MI_IDR);
	l->symbols[SYM_PROG_IDR] = MI_VIRTUAL(MI_PROG_IDR);
	l->symbols[SYM_STATS_KEY] = MI_VIRTUAL(MI_STATS_KEY);
}

static inline void mi_put_map(struct image *m, enum mi_map map, const char *name, uint32_t type,
			      uint32_t value_size, uint32_t max, uint32_t value_type)
{
	uint64_t at = mi_map(map);

	image_put(m, at + MI_TYPE, type, 4);
	image_put(m, at + MI_KEY_SIZE, 4, 4);
	image_put(m, at + MI_VALUE_SIZE, value_size, 4);
	image_put(m, at + MI_MAX, max, 4);
	image_put(m, at + MI_ID, 10U + map, 4);
	image_put(m, at + MI_MAP_BTF, value_type ? MI_VIRTUAL(MI_BTF) : 0, 8);
	image_put(m, at + MI_KEY_TYPE, value_type == MI_BSS ? 0 : 1, 4);
	image_put(m, at + MI_VALUE_TYPE, value_type, 4);
	snprintf(m->data + at + MI_NAME, 16, "%s", name);
}

/* Element i has key 70 + i; chains are put together by hand. */
static inline uint64_t mi_element(unsigned int i)
{
	return MI_ELEMENTS + 0x100ULL * i;
}

static inline void mi_put_element(struct image *m, unsigned int i, uint64_t value, uint64_t next)
{
	image_put(m, mi_element(i), next, 8);
	image_put(m, mi_element(i) + MI_KEY, 70 + i, 4);
	image_put(m, mi_element(i) + MI_KEY + 8, value, 8);
}

static inline void mi_put_table(struct image *m, enum mi_map map, unsigned int number)
{
	uint64_t table = MI_BUCKETS + 0x400ULL * number;

	image_put(m, mi_map(map) + MI_TABLE, MI_VIRTUAL(table), 8);
	image_put(m, mi_map(map) + MI_TABLE_COUNT, 4, 4);
	for (uint64_t i = 0; i < 4; i++)
		image_put(m, table + 16 * i, MI_END | i << 1, 8);
}

/* What each CPU has at a per-CPU address. */
static inline void mi_put_percpu(struct image *m, uint64_t place, uint64_t first)
{
	for (unsigned int i = 0; i < IMAGE_CPUS; i++)
		image_put(m, image_of_cpu(i, 0) + place, first + i, 8);
}

static inline void mi_put_state(struct image *m, uint64_t at)
{
	image_put(m, at, 7, 4);
	image_put(m, at + 4, 0xfffd, 2);
	image_put(m, at + 6, 1, 1);
	image_put(m, at + 8, 5, 4);
	memcpy(m->data + at + 12, "abc", 4);
	image_put(m, at + 20, 9U << 3 | 2, 1);
}

/* The table of maps is a node of nodes, as it is of more than 64 of them. */
static inline void mi_put_idr(struct image *m)
{
	image_put(m, MI_IDR + 8, MI_NODE(MI_TOP), 8);
	image_put(m, MI_TOP, 6, 1);
	image_put(m, MI_TOP + 40, MI_NODE(MI_LEAF), 8);
	image_put(m, MI_LEAF, 0, 1);
	for (unsigned int i = 0; i <= MI_RING; i++)
		image_put(m, MI_LEAF + 40 + 8ULL * (i + 3), MI_VIRTUAL(mi_map(i)), 8);
}

static inline uint64_t mi_program(unsigned int i)
{
	return MI_PROGS + 0x100ULL * i;
}

/* Programs that all CPUs have called as often as their number and that of the CPU say. */
static inline void mi_put_program(struct image *m, unsigned int i, const char *name, uint32_t type)
{
	uint64_t at = mi_program(i), stats = MI_PER_CPU + 0x100 + 0x20ULL * i;

	image_put(m, MI_PROG_LEAF + 40 + 8ULL * i, MI_VIRTUAL(at), 8);
	image_put(m, at + MI_PROG_TYPE, type, 4);
	image_put(m, at + MI_PROG_AUX, MI_VIRTUAL(at + MI_AUX), 8);
	image_put(m, at + MI_PROG_STATS, IMAGE_TEXT + stats, 8);
	image_put(m, at + MI_AUX + MI_AUX_ID, 20 + i, 4);
	image_put(m, at + MI_AUX + MI_AUX_INSNS, 300 + i, 4);
	snprintf(m->data + at + MI_AUX + MI_AUX_NAME, 16, "%s", name);
	mi_put_percpu(m, stats, 10 * i);
	mi_put_percpu(m, stats + 8, 1000);
	mi_put_percpu(m, stats + 16, 3);
}

static inline void mi_put_programs(struct image *m)
{
	image_put(m, MI_PROG_IDR + 8, MI_NODE(MI_PROG_LEAF), 8);
	image_put(m, MI_STATS_KEY, 1, 4);
	mi_put_program(m, 0, "own_enqueue", 27);
	mi_put_program(m, 1, "own_dispatch", 27);
	mi_put_program(m, 2, "a_tracer", 26);
}

static inline void maps_image_fill(struct image *m)
{
	mi_put_programs(m);
	mi_layout(&m->layout);
	mi_put_idr(m);
	mi_put_btf(m);
	mi_put_map(m, MI_SECTION, "own.bss", 2, 32, 1, MI_BSS);
	mi_put_state(m, mi_map(MI_SECTION) + MI_ARRAY_VALUE);
	image_put(m, mi_map(MI_SECTION) + MI_ARRAY_VALUE + 24, 1234567890123, 8);
	mi_put_map(m, MI_ARRAY, "lines", 2, 8, 16, MI_LINE);
	image_put(m, mi_map(MI_ARRAY) + MI_ARRAY_VALUE + 8 * 5, 3ULL << 32 | 2, 8);
	mi_put_map(m, MI_PERCPU_ARRAY, "per_cpu", 6, 8, 2, MI_U64);
	image_put(m, mi_map(MI_PERCPU_ARRAY) + MI_ARRAY_VALUE, IMAGE_TEXT + MI_PER_CPU, 8);
	image_put(m, mi_map(MI_PERCPU_ARRAY) + MI_ARRAY_VALUE + 8, IMAGE_TEXT + MI_PER_CPU + 8, 8);
	mi_put_percpu(m, MI_PER_CPU + 8, 40);
	mi_put_map(m, MI_HASH, "by_pid", 1, 8, 8, MI_U64);
	mi_put_table(m, MI_HASH, 0);
	image_put(m, MI_BUCKETS + 32, MI_VIRTUAL(mi_element(0)), 8);
	mi_put_element(m, 0, 100, MI_VIRTUAL(mi_element(1)));
	mi_put_element(m, 1, 101, MI_END);
	mi_put_map(m, MI_PERCPU_HASH, "both", 5, 8, 8, MI_U64);
	mi_put_table(m, MI_PERCPU_HASH, 1);
	image_put(m, MI_BUCKETS + 0x400, MI_VIRTUAL(mi_element(2)), 8);
	mi_put_element(m, 2, IMAGE_TEXT + MI_PER_CPU + 16, MI_END);
	mi_put_percpu(m, MI_PER_CPU + 16, 50);
	mi_put_map(m, MI_TASKS, "contexts", 29, 8, 0, MI_U64);
	mi_put_table(m, MI_TASKS, 2);
	image_put(m, mi_map(MI_TASKS) + MI_TABLE_COUNT, 1, 4);
	image_put(m, MI_BUCKETS + 0x800, MI_VIRTUAL(mi_element(3)), 8);
	image_put(m, MI_BUCKETS + 0x810, 0, 8);
	image_put(m, mi_element(3) + MI_OWNER, MI_VIRTUAL(MI_STORAGE), 8);
	image_put(m, mi_element(3) + MI_DATA, 77, 8);
	image_put(m, MI_STORAGE + 8, MI_VIRTUAL(MI_TASK), 8);
	image_put(m, MI_TASK + MI_PID, 4321, 4);
	mi_put_map(m, MI_RING, "events", 27, 0, 4096, 0);
}

/* A fresh memory with them. */
static inline int maps_image_start(struct image *m, struct space *space)
{
	if (image_open(m) < 0)
		return -1;
	maps_image_fill(m);
	return space_open(space, &m->memory, &m->layout);
}

#endif

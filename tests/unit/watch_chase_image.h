/* SPDX-License-Identifier: GPL-2.0-only */
/* A program with an arena, and variables that point into it and into the kernel, in an image of maps. */
#ifndef KTSTR_WATCH_CHASE_IMAGE_H
#define KTSTR_WATCH_CHASE_IMAGE_H

#include "btf_maker.h"
#include "watch_maps_image.h"

/* An arena whose first pages are the image's from 24 MiB on; what its programs call their bytes. */
#define CI_PAGES 64
#define CI_USER 0x100000000000ULL
#define CI_AT (24ULL << 20)
#define CI_BASE 0xffffc90000000000ULL /* of the area; the gap before the first byte is in it */
#define CI_POINTER(inside) (CI_USER + (inside))
#define CI_TASK (18ULL << 20)
#define CI_TABLES (22ULL << 20)

enum ci_variable {
	CI_V_NODE,
	CI_V_RING,
	CI_V_TASK,
	CI_V_FAR,
	CI_V_NUMBER,
	CI_V_REAL,
	CI_V_SMALL,
	CI_V_NAME,
	CI_V_SLOT,
	CI_V_PERCPU,
	CI_V_EITHER,
	CI_V_DEEP,
	CI_V_COUNT
};

static inline void ci_put_variable(struct image *m, enum ci_variable v, uint64_t value)
{
	image_put(m, mi_map(MI_SECTION) + MI_ARRAY_VALUE + 8ULL * v, value, 8);
}

/* The number of struct node. */
#define CI_NODE 2

/* Where the allocator is in the section, and in the arena what it leads to. */
#define CI_ALLOCATOR (8U * CI_V_COUNT)
#define CI_ALLOCATOR_BYTES 40
#define CI_TREE 0x8000	 /* descriptors and chunks, one page each */
#define CI_SLOTS 0x10000 /* slots of CI_SLOT bytes */
#define CI_SLOT 64
#define CI_HEADER 16

/* A function of the program that is given a pointer to it. */
static inline void ci_hand_around(struct btf_maker *b, uint32_t type)
{
	uint32_t pointer = bm_ptr(b, type), proto = bm_proto(b, 0, 1);

	bm_parameter(b, "it", pointer);
	bm_type(b, "work_on", (uint32_t)BTF_FUNC << 24 | 1, proto);
}

/*
 * The structs of the allocator, as far as they are looked at, and what the slots are for:
 * struct payload { u64 mark; u32 level; u32 rest[3]; }
 */
static inline uint32_t ci_make_allocator(struct btf_maker *b, uint32_t u64)
{
	uint32_t any = bm_ptr(b, 0), u32, pool, desc, chunk, list, allocator, rest, payload;

	u32 = bm_int(b, "u32", 4, 0);
	pool = bm_record(b, BTF_STRUCT, "sdt_pool", 32, 2);
	bm_member(b, "slab", any, 0);
	bm_member(b, "elem_size", u64, 8);
	list = bm_array(b, u64, u32, 8);
	chunk = bm_ptr(b, bm_of(b, BTF_FWD, "sdt_chunk", 0));
	desc = bm_record(b, BTF_STRUCT, "sdt_desc", 80, 3);
	bm_member(b, "allocated", list, 0);
	bm_member(b, "nr_free", u64, 64);
	bm_member(b, "chunk", chunk, 72);
	desc = bm_ptr(b, desc);
	allocator = bm_record(b, BTF_STRUCT, "scx_allocator", CI_ALLOCATOR_BYTES, 2);
	bm_member(b, "pool", pool, 0);
	bm_member(b, "root", desc, 32);
	rest = bm_array(b, u32, u32, 3);
	payload = bm_record(b, BTF_STRUCT, "payload", CI_SLOT - CI_HEADER, 3);
	bm_member(b, "mark", u64, 0);
	bm_member(b, "level", u32, 8);
	bm_member(b, "rest", rest, 12);
	ci_hand_around(b, payload);
	return allocator;
}

/* Compilers may leave a declaration of the header only. */
static bool ci_declares_header;

static inline uint32_t ci_make_slot(struct btf_maker *b, uint32_t u64)
{
	uint32_t list = bm_array(b, u64, u64, 0), data;

	if (ci_declares_header) {
		bm_record(b, BTF_UNION, "sdt_id", CI_HEADER, 1);
		bm_member(b, "val", u64, 0);
		return bm_ptr(b, bm_of(b, BTF_FWD, "sdt_data", 0));
	}
	data = bm_record(b, BTF_STRUCT, "sdt_data", CI_HEADER, 3);
	bm_member(b, "tid", u64, 0);
	bm_member(b, "link", u64, 8);
	bm_member(b, "payload", list, 16);
	return bm_ptr(b, data);
}

/* struct deep { struct { struct { struct deep *next; } b; } a; } and a pointer to it */
static inline uint32_t ci_make_deep(struct btf_maker *b)
{
	uint32_t deep = b->count + 4, inner;

	bm_ptr(b, deep);
	inner = bm_record(b, BTF_STRUCT, NULL, 8, 1);
	bm_member(b, "next", deep - 3, 0);
	bm_record(b, BTF_STRUCT, NULL, 8, 1);
	bm_member(b, "b", inner, 0);
	bm_record(b, BTF_STRUCT, "deep", 8, 1);
	bm_member(b, "a", inner + 1, 0);
	return deep - 3;
}

/* struct node { u64 value; struct node *next; u64 task; }, and a task that is only declared. */
static inline void ci_make_types(struct btf_maker *b)
{
	static const char *const names[CI_V_COUNT] = { "node",	 "ring",   "task",   "far",
						       "number", "real",   "small",  "name",
						       "slot",	 "percpu", "either", "deep" };
	uint32_t u64, node, ring, task, other, real, small, text, of[CI_V_COUNT], vars[CI_V_COUNT],
		allocator;

	memset(b, 0, sizeof(*b));
	u64 = bm_int(b, "u64", 8, 0);
	node = bm_record(b, BTF_STRUCT, "node", 24, 3);
	bm_member(b, "value", u64, 0);
	bm_member(b, "next", node + 1, 8);
	bm_member(b, "task", u64, 16);
	ring = bm_ptr(b, node);
	task = bm_ptr(b, bm_of(b, BTF_TYPE_TAG, "kptr", bm_of(b, BTF_FWD, "task_struct", 0)));
	other = bm_ptr(b, bm_of(b, BTF_FWD, "elsewhere", 0));
	real = bm_of(b, BTF_FLOAT, "double", 8);
	small = bm_of(b, BTF_FLOAT, "float", 4);
	text = bm_ptr(b, bm_int(b, "char", 1, BM_SIGNED));
	of[CI_V_NODE] = of[CI_V_RING] = ring;
	of[CI_V_TASK] = task;
	of[CI_V_FAR] = other;
	of[CI_V_NUMBER] = u64;
	of[CI_V_REAL] = real;
	of[CI_V_SMALL] = small;
	of[CI_V_NAME] = text;
	of[CI_V_SLOT] = ci_make_slot(b, u64);
	of[CI_V_PERCPU] = bm_ptr(b, bm_of(b, BTF_TYPE_TAG, "percpu_kptr", node));
	of[CI_V_EITHER] = bm_record(b, BTF_UNION, "either", 8, 2);
	bm_member(b, "one", u64, 0);
	bm_member(b, "other", u64, 0);
	of[CI_V_DEEP] = ci_make_deep(b);
	allocator = bm_var(b, "allocator", ci_make_allocator(b, u64));
	for (int i = 0; i < CI_V_COUNT; i++)
		vars[i] = bm_var(b, names[i], of[i]);
	bm_section(b, ".bss", CI_ALLOCATOR + CI_ALLOCATOR_BYTES, CI_V_COUNT + 1);
	for (uint32_t i = 0; i < CI_V_COUNT; i++)
		bm_in_section(b, vars[i], 8 * i, i == CI_V_SMALL ? 4 : 8);
	bm_in_section(b, allocator, CI_ALLOCATOR, CI_ALLOCATOR_BYTES);
}

/* struct task_struct { s32 prio; s32 pid; char comm[16]; struct task_struct *parent; u64 secret; } */
static inline size_t ci_make_kernel_types(struct btf_maker *b)
{
	uint32_t s32, u64, comm, task;

	memset(b, 0, sizeof(*b));
	s32 = bm_int(b, "int", 4, BM_SIGNED);
	u64 = bm_int(b, "u64", 8, 0);
	comm = bm_array(b, bm_int(b, "char", 1, BM_SIGNED), s32, 16);
	task = bm_record(b, BTF_STRUCT, "task_struct", 40, 5);
	bm_member(b, "prio", s32, 0);
	bm_member(b, "pid", s32, 4);
	bm_member(b, "comm", comm, 8);
	bm_member(b, "parent", task + 1, 24);
	bm_member(b, "secret", u64, 32);
	bm_ptr(b, task);
	return bm_end(b);
}

static inline void ci_put_types(struct image *m, struct btf_maker *types)
{
	size_t len = bm_end(types);

	memcpy(m->data + MI_BTF_DATA, types->blob, len);
	image_put(m, MI_BTF + 8, len, 4);
	mi_put_map(m, MI_SECTION, "own.bss", 2, CI_ALLOCATOR + CI_ALLOCATOR_BYTES, 1, types->count);
	image_put(m, mi_map(MI_SECTION) + MI_KEY_TYPE, 0, 4);
	memset(m->data + mi_map(MI_SECTION) + MI_ARRAY_VALUE, 0, CI_ALLOCATOR + CI_ALLOCATOR_BYTES);
	image_put(m, MI_IDR + 8, MI_NODE(MI_LEAF), 8);
	memset(m->data + MI_LEAF, 0, 40 + 64 * 8);
	image_put(m, MI_LEAF + 40, MI_VIRTUAL(mi_map(MI_SECTION)), 8);
	image_put(m, MI_LEAF + 48, MI_VIRTUAL(mi_map(MI_RING)), 8);
}

/* Page tables of four levels for the arena's pages, of which the last one has none. */
static inline void ci_put_pages(struct image *m)
{
	uint64_t from = CI_BASE + 0x8000;

	image_set(m, IMAGE_TABLE + 8 * (from >> 39 & 511), CI_TABLES | 1, 8);
	image_put(m, CI_TABLES + 8 * (from >> 30 & 511), (CI_TABLES + 0x1000) | 1, 8);
	image_put(m, CI_TABLES + 0x1000 + 8 * (from >> 21 & 511), (CI_TABLES + 0x2000) | 1, 8);
	for (uint64_t i = 0; i + 1 < CI_PAGES; i++)
		image_put(m, CI_TABLES + 0x2000 + 8 * ((from >> 12 & 511) + i),
			  (CI_AT + 4096 * i) | 1, 8);
}

/* The arena is a map without types, which the program of the section uses. */
static inline void ci_put_arena(struct image *m)
{
	uint64_t map = mi_map(MI_RING), aux = mi_program(0) + MI_AUX;
	uint32_t *offsets = m->layout.members;

	offsets[M_ARENA_USER] = MI_ARRAY_VALUE;
	offsets[M_ARENA_AREA] = MI_ARRAY_VALUE + 8;
	offsets[M_AREA_ADDRESS] = 0;
	offsets[M_AUX_BTF] = 0x20;
	offsets[M_AUX_MAPS] = 0x28;
	offsets[M_AUX_MAP_COUNT] = 0x30;
	m->layout.bytes[M_AUX_MAP_COUNT] = 4;
	mi_put_map(m, MI_RING, "arena", 33, 0, CI_PAGES, 0);
	image_put(m, map + MI_ARRAY_VALUE, CI_USER, 8);
	image_put(m, map + MI_ARRAY_VALUE + 8, MI_VIRTUAL(map + 0x200), 8);
	image_put(m, map + 0x200, CI_BASE, 8);
	image_put(m, aux + 0x20, MI_VIRTUAL(MI_BTF), 8);
	image_put(m, aux + 0x28, MI_VIRTUAL(map + 0x300), 8);
	image_put(m, aux + 0x30, 1, 4);
	image_put(m, map + 0x300, MI_VIRTUAL(map), 8);
	ci_put_pages(m);
}

static inline void ci_put_node(struct image *m, uint64_t inside, uint64_t value, uint64_t next,
			       uint64_t task)
{
	image_put(m, CI_AT + inside, value, 8);
	image_put(m, CI_AT + inside + 8, next, 8);
	image_put(m, CI_AT + inside + 16, task, 8);
}

static inline void ci_put_task(struct image *m, uint64_t at, uint32_t pid)
{
	image_put(m, at + 4, pid, 4);
	memcpy(m->data + at + 8, "worker", 7);
	image_put(m, at + 24, MI_VIRTUAL(at), 8);
	image_put(m, at + 32, 0x5ec7e7, 8);
}

/* A tree of three levels with the slot of this number in it, and its payload. */
static inline void ci_put_slot(struct image *m, uint64_t number, uint64_t mark)
{
	uint64_t allocator = mi_map(MI_SECTION) + MI_ARRAY_VALUE + CI_ALLOCATOR;
	uint64_t slot = CI_SLOTS + CI_SLOT * number;

	image_put(m, allocator + 8, CI_SLOT, 8);
	image_put(m, allocator + 32, CI_POINTER(CI_TREE), 8);
	for (uint64_t i = 0; i < 3; i++) {
		uint64_t desc = CI_TREE + 0x2000 * i, chunk = desc + 0x1000, next = desc + 0x2000;

		image_put(m, CI_AT + desc + 72, CI_POINTER(chunk), 8);
		if (i < 2)
			image_put(m, CI_AT + chunk, CI_POINTER(next), 8);
		else
			image_put(m, CI_AT + chunk + 8 * number, CI_POINTER(slot), 8);
	}
	image_put(m, CI_AT + slot, number, 8);
	image_put(m, CI_AT + slot + CI_HEADER, mark, 8);
}

/* With maps_image_fill() before it. */
static inline void chase_image_fill(struct image *m, struct btf_maker *types)
{
	ci_make_types(types);
	ci_put_types(m, types);
	ci_put_arena(m);
	ci_put_task(m, CI_TASK, 77);
}

#endif

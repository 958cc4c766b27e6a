/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slots of the allocator that many schedulers keep in their arena: variables of the type struct
 * scx_allocator, which lead to a tree of structs sdt_desc and sdt_chunk, whose leaves are slots. A
 * slot begins with a struct sdt_data; the payload behind it has the type of the scheduler.
 */
#ifndef KTSTR_WATCH_SLOTS_H
#define KTSTR_WATCH_SLOTS_H

#include "base/base.h"
#include "base/btf.h"

struct slot {
	uint64_t types;	       /* of the program */
	uint64_t start;	       /* in the kernel's addresses */
	uint32_t size, header; /* bytes; the header's are a part of the size */
	uint32_t payload;      /* a number in the program's types; 0 = not known */
};

struct slots {
	VEC(struct slot) items; /* sorted by start */
};

struct chase;

/* Fills c->slots from the maps of c; arenas are known. -ENOMEM only. */
int slots_read(struct chase *c);

/* The slot in which this address is; NULL = none. */
const struct slot *slots_find(const struct slots *s, uint64_t types, uint64_t address);

#endif

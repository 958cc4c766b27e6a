/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers that are pointers: what the code of a scheduler tells about its fields of 64 bits. The
 * table comes from cast_analysis.h; who shows values asks it by names, as the types in the guest
 * are another copy.
 */
#ifndef KTSTR_WATCH_CASTS_H
#define KTSTR_WATCH_CASTS_H

#include "base/base.h"
#include "base/btf.h"

/* What a field belongs to: the innermost struct that has a name, a variable, or a map's value. */
enum cast_owner { CAST_STRUCT, CAST_VARIABLE, CAST_MAP };

/* Where its target lies; ANY = evidence of the type alone. */
enum cast_space { CAST_ANY, CAST_ARENA, CAST_KERNEL };

struct cast {
	enum cast_owner kind;
	char *owner;
	uint32_t offset; /* of the field in its owner, in bytes */
	char *target;	 /* the name of a struct */
	enum cast_space space;
};

struct casts {
	VEC(struct cast) items; /* sorted by owner and offset */
	size_t candidates;	/* fields of 64 bits that the code has touched */
	/* Types of all objects, for structs that a program only declares. */
	VEC(struct btf) types;
};

/* NULL = nothing is known. */
const struct cast *casts_find(const struct casts *c, enum cast_owner kind, const char *owner,
			      uint32_t offset);

/* Sorts the table; to be called once, before anybody asks. */
void casts_sort(struct casts *c);
void casts_finish(struct casts *c);

#define _casts_ _cleanup_(casts_finish)

#endif

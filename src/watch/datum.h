/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes of a BPF program's variables by their types. */
#ifndef KTSTR_WATCH_DATUM_H
#define KTSTR_WATCH_DATUM_H

#include "base/base.h"
#include "base/btf.h"

struct datum {
	const struct btf *types; /* NULL = not known */
	uint32_t type;
	const char *data;
	size_t len;
};

/*
 * Types and bytes are the guest's word: parts may overlap and repeat, so that what a value costs
 * is not known before. Each node and byte is paid out of a budget that all values share.
 */
struct datum_budget {
	size_t left;
};

static inline bool datum_pay(struct datum_budget *b, size_t cost)
{
	bool can_pay = b->left >= cost;

	b->left = can_pay ? b->left - cost : 0;
	return can_pay;
}

struct chase;

/*
 * A node with its kind: {"kind":"uint","bits":32,"value":7}; structs have members, arrays
 * elements, pointers what they lead to, see chase.h. What is too deep, too long or has no known type
 * says so in a node of its own. map: whose value it is; chase: NULL = pointers are not followed.
 */
void datum_to_json(const struct datum *v, const char *map, struct json *j,
		   struct datum_budget *budget, struct chase *chase);

/* The type without typedefs and qualifiers; .types NULL when there is none. */
struct datum datum_resolved(const struct datum *v);

/* A part of a value that has parts: a member, a variable of a section, an element. */
struct datum_part {
	const char *name; /* of a member or variable, may be ""; NULL for an element */
	struct datum value;
	uint32_t bit_offset, bit_count; /* of a bit field; else bit_count is 0 */
};

/* False = there is no such part; v has been resolved. */
bool datum_part(const struct datum *v, size_t i, struct datum_part *part);

#endif

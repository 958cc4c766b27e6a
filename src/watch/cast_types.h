/* SPDX-License-Identifier: GPL-2.0-only */
/* What lies at an offset of a struct, a variable or a map's value. */
#ifndef KTSTR_WATCH_CAST_TYPES_H
#define KTSTR_WATCH_CAST_TYPES_H

#include "watch/bpf_object.h"
#include "watch/casts.h"

/* A value without parts, and what it belongs to: see enum cast_owner. */
struct cast_leaf {
	uint32_t type;		/* without qualifiers */
	uint32_t owner, offset; /* a struct, or a VAR; the offset is in it */
	bool is_shared;		/* in a union */
};

/* False = nothing of just this size begins there. type: a struct, union or VAR. */
bool cast_leaf_at(const struct bpf_object *o, uint32_t type, uint64_t offset, uint64_t size,
		  struct cast_leaf *out);

/* The type of a map's values; 0 = not known. var: the map's. */
uint32_t cast_map_value(const struct bpf_object *o, uint32_t var);

/* What a pointer leads to: a struct, union or declaration; 0 = something else. */
uint32_t cast_pointee(const struct btf *types, uint32_t type);

/* An unsigned number of 64 bits. */
bool cast_is_u64(const struct btf *types, uint32_t type);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the code of one object tells about its fields of 64 bits. Whatever does not go together drops
 * a field for good: a pointer that is missed costs a look at the dump, one that is none misleads.
 */
#ifndef KTSTR_WATCH_CAST_EVIDENCE_H
#define KTSTR_WATCH_CAST_EVIDENCE_H

#include "watch/cast_types.h"

#define CAST_MAX_ACCESSES 64

struct cast_access {
	int32_t offset;
	uint32_t size;
};

struct cast_field {
	uint32_t owner, offset; /* see struct cast_leaf */
	bool is_dropped;
	uint32_t type; /* of a typed pointer; 0 = none was seen */
	enum cast_space space;
	struct cast_access accesses[CAST_MAX_ACCESSES]; /* through the number, in an arena */
	size_t access_count;
	uint32_t target; /* what it is a pointer to, after evidence_judge(); 0 = not known */
};

struct evidence {
	const struct bpf_object *object;
	const struct btf *kernel; /* or NULL */
	VEC(struct cast_field) fields;
	VEC(uint32_t)
	table; /* of fields by owner and offset, open addressing; UINT32_MAX = empty */
	uint8_t *is_candidate; /* by type: structs that may lie in an arena */
	int rc;
};

int evidence_open(struct evidence *e, const struct bpf_object *object, const struct btf *kernel);
void evidence_close(struct evidence *e);

#define _evidence_ _cleanup_(evidence_close)

/* The field was seen; NULL = there is no room for it. */
struct cast_field *evidence_field(struct evidence *e, uint32_t owner, uint32_t offset);

/* A pointer of this type was stored there. */
void evidence_stored(struct evidence *e, uint32_t owner, uint32_t offset, uint32_t type,
		     enum cast_space space);
/* What was loaded from there is one. */
void evidence_typed(struct evidence *e, uint32_t owner, uint32_t offset, uint32_t type,
		    enum cast_space space);
/* It is used as no pointer is. */
void evidence_number(struct evidence *e, uint32_t owner, uint32_t offset);
/* What was loaded from there is an address in an arena, so many bytes from which something is read. */
void evidence_access(struct evidence *e, uint32_t owner, uint32_t offset, int64_t at,
		     uint32_t size);

/* Decides about all fields. Returns how many have a target that had none. */
size_t evidence_judge(struct evidence *e);

/* Adds what is known to a table; what contradicts the table is known no longer. */
int evidence_add(const struct evidence *e, struct casts *out);

#endif

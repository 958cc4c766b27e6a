/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The type section of BTF (Documentation/bpf/btf.rst); bounds are checked once, when it is opened.
 */
#ifndef KTSTR_BASE_BTF_H
#define KTSTR_BASE_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define BTF_OF_KERNEL "/sys/kernel/btf/vmlinux" /* of the running kernel */

enum btf_kind {
	BTF_INT = 1,
	BTF_PTR = 2,
	BTF_ARRAY = 3,
	BTF_STRUCT = 4,
	BTF_UNION = 5,
	BTF_ENUM = 6,
	BTF_FWD = 7,
	BTF_TYPEDEF = 8,
	BTF_VOLATILE = 9,
	BTF_CONST = 10,
	BTF_RESTRICT = 11,
	BTF_FUNC = 12,
	BTF_FUNC_PROTO = 13,
	BTF_VAR = 14,
	BTF_DATASEC = 15,
	BTF_FLOAT = 16,
	BTF_DECL_TAG = 17,
	BTF_TYPE_TAG = 18,
	BTF_ENUM64 = 19,
	BTF_KIND_COUNT = 20,
};

struct btf_type {
	uint32_t name, info, size_or_type;
};

struct btf_member {
	uint32_t name, type, offset;
};

/* Points into the caller's data, which must stay valid. */
struct btf {
	const uint8_t *types;
	size_t types_len;
	const char *names;
	size_t names_len;
	VEC(uint32_t) offsets; /* of type ID i + 1 */
};

/* -EINVAL with a message if the data is not BTF. */
int btf_open(struct btf *b, const void *data, size_t len);
/* Length in bytes of the BTF that starts here; 0 = no valid header. */
size_t btf_length(const void *data, size_t len);
void btf_close(struct btf *b);

#define _btf_ _cleanup_(btf_close)

/* Invalid IDs give a type without a kind. */
struct btf_type btf_type_at(const struct btf *b, uint32_t number);
const char *btf_name_at(const struct btf *b, uint32_t offset);

static inline uint32_t btf_kind_of(const struct btf_type *t)
{
	return t->info >> 24 & 31;
}

static inline size_t btf_count_of(const struct btf_type *t)
{
	return t->info & 0xffff;
}

/* The i-th member of a struct or union; i must be below its count. */
struct btf_member btf_member_at(const struct btf *b, uint32_t number, size_t i);

/* The i-th 32-bit word after a type; kind and count determine how many there are. */
uint32_t btf_word_at(const struct btf *b, uint32_t number, size_t i);

/* Strips typedefs and qualifiers; 0 = they do not end. */
uint32_t btf_skip_modifiers(const struct btf *b, uint32_t number);

/* Size of a value in bytes, also of arrays; 0 = the type has no size. */
uint64_t btf_size_of(const struct btf *b, uint32_t number);

/* Name of the last parameter of a FUNC; "" = none. */
const char *btf_last_parameter(const struct btf *b, const struct btf_type *function);

/* The i-th parameter of a FUNC, from 0; false = it has fewer, or it is not a FUNC. */
struct btf_parameter {
	const char *name; /* "" = unnamed */
	uint32_t type;
};
bool btf_parameter_at(const struct btf *b, uint32_t function, size_t i, struct btf_parameter *out);

/* Return type of a FUNC; 0 = void, or it is not a FUNC. */
uint32_t btf_result_of(const struct btf *b, uint32_t function);

/* Returns whether it is a pointer to the struct of this name. */
bool btf_points_to(const struct btf *b, uint32_t number, const char *name);
/* Number of the parameter that points to the struct of this name, from 1; 0 = none. */
size_t btf_find_parameter(const struct btf *b, const char *function, const char *type);

/* ID of the type of this kind and name (not just a forward declaration); 0 = none. */
uint32_t btf_find(const struct btf *b, enum btf_kind kind, const char *name, size_t len);

/* The next struct after this ID (0 = the first) whose name starts with prefix; 0 = none. */
uint32_t btf_next_struct(const struct btf *b, uint32_t after, const char *prefix);

/* Name of a value of an enum; "" = none. */
const char *btf_enumerator_name(const struct btf *b, uint32_t type, uint64_t value);

/* Returns whether an enum has this enumerator: "cgroup_subsys_id.cpu_cgrp_id". */
bool btf_has_enumerator(const struct btf *b, const char *path);

/*
 * Offset in bytes of "rq.scx.local_dsq.nr": a struct and a path of members, through unnamed members
 * and nested structs. -ENOENT without a message if there is none, also for bit fields.
 */
int btf_offset(const struct btf *b, const char *path, uint64_t *offset);

struct btf_place {
	uint64_t offset;
	uint32_t size; /* in bytes; 0 for arrays and others without a simple size */
};

/* The same for "scx.local_dsq.nr" in the struct with this ID, and the size of the member. */
int btf_member_in(const struct btf *b, uint32_t type, const char *path, struct btf_place *out);

#endif

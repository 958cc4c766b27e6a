/* SPDX-License-Identifier: GPL-2.0-only */
/* The type section of BTF (Documentation/bpf/btf.rst), bounds checked once and then walked. */
#ifndef KTSTR_BASE_BTF_H
#define KTSTR_BASE_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define BTF_OF_KERNEL "/sys/kernel/btf/vmlinux" /* of the running one */

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

/* Looks into the caller's bytes, which must stay. */
struct btf {
	const uint8_t *types;
	size_t types_len;
	const char *names;
	size_t names_len;
	VEC(uint32_t) offsets; /* of type number i + 1 */
};

/* -EINVAL with a message when the bytes are no BTF. */
int btf_open(struct btf *b, const void *data, size_t len);
/* How many bytes the BTF that begins here has; 0 = its head is none. */
size_t btf_length(const void *data, size_t len);
void btf_close(struct btf *b);

#define _btf_ _cleanup_(btf_close)

/* Numbers that no type has give a type without a kind. */
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

/* The i-th member of a struct or union; i is below its count. */
struct btf_member btf_member_at(const struct btf *b, uint32_t number, size_t i);

/* The i-th word behind a type, of which its kind and count tell how many there are. */
uint32_t btf_word_at(const struct btf *b, uint32_t number, size_t i);

/* What a typedef or qualifier stands for; 0 = they do not end. */
uint32_t btf_skip_modifiers(const struct btf *b, uint32_t number);

/* Of a value in bytes, also of arrays; 0 = the type has no size. */
uint64_t btf_size_of(const struct btf *b, uint32_t number);

/* The name of the last parameter of a FUNC; "" = none. */
const char *btf_last_parameter(const struct btf *b, const struct btf_type *function);

/* The i-th parameter of a FUNC, from 0; false = it has fewer, or the number is not one of a FUNC. */
struct btf_parameter {
	const char *name; /* "" = it has none */
	uint32_t type;
};
bool btf_parameter_at(const struct btf *b, uint32_t function, size_t i, struct btf_parameter *out);

/* The type of what a FUNC returns; 0 = nothing, or the number is not one of a FUNC. */
uint32_t btf_result_of(const struct btf *b, uint32_t function);

/* Whether it is a pointer to the struct of this name. */
bool btf_points_to(const struct btf *b, uint32_t number, const char *name);
/* Which parameter of a function points to the struct of this name, from 1; 0 = none. */
size_t btf_find_parameter(const struct btf *b, const char *function, const char *type);

/* The number of the type of this kind and name (not of a declaration only); 0 = there is none. */
uint32_t btf_find(const struct btf *b, enum btf_kind kind, const char *name, size_t len);

/* The next struct behind this number (0 = the first) whose name begins like this; 0 = none. */
uint32_t btf_next_struct(const struct btf *b, uint32_t after, const char *prefix);

/* The name of a value of an enum; "" = it has none. */
const char *btf_enumerator_name(const struct btf *b, uint32_t type, uint64_t value);

/* Whether an enum has this enumerator: "cgroup_subsys_id.cpu_cgrp_id". */
bool btf_has_enumerator(const struct btf *b, const char *path);

/*
 * The offset in bytes of "rq.scx.local_dsq.nr": a struct and a path of members,
 * through members without a name and through structs inside of structs. -ENOENT
 * without a message when there is none, also for bit fields.
 */
int btf_offset(const struct btf *b, const char *path, uint64_t *offset);

struct btf_place {
	uint64_t offset;
	uint32_t size; /* in bytes; 0 for arrays and others of no simple size */
};

/* The same for "scx.local_dsq.nr" in the struct of this number, and how large the member is. */
int btf_member_in(const struct btf *b, uint32_t type, const char *path, struct btf_place *out);

#endif

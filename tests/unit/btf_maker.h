/* SPDX-License-Identifier: GPL-2.0-only */
/* BTF by hand: types are added one by one, and have numbers from 1 on. */
#ifndef KTSTR_BTF_MAKER_H
#define KTSTR_BTF_MAKER_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/btf.h"

struct btf_maker {
	uint32_t words[2048];
	size_t word_count;
	char names[4096];
	size_t names_len;
	uint32_t count;
	uint8_t blob[16384];
};

static inline uint32_t bm_name(struct btf_maker *b, const char *name)
{
	size_t at = b->names_len ? b->names_len : 1;

	if (!name || !*name)
		return 0;
	assert(at + strlen(name) + 1 <= sizeof(b->names));
	memcpy(b->names + at, name, strlen(name) + 1);
	b->names_len = at + strlen(name) + 1;
	return (uint32_t)at;
}

static inline void bm_word(struct btf_maker *b, uint32_t word)
{
	assert(b->word_count < sizeof(b->words) / sizeof(b->words[0]));
	b->words[b->word_count++] = word;
}

static inline uint32_t bm_type(struct btf_maker *b, const char *name, uint32_t info, uint32_t size)
{
	bm_word(b, bm_name(b, name));
	bm_word(b, info);
	bm_word(b, size);
	return ++b->count;
}

#define BM_SIGNED (1U << 24)

static inline uint32_t bm_int(struct btf_maker *b, const char *name, uint32_t size, uint32_t flags)
{
	uint32_t number = bm_type(b, name, BTF_INT << 24, size);

	bm_word(b, flags | size * 8);
	return number;
}

static inline uint32_t bm_of(struct btf_maker *b, enum btf_kind kind, const char *name,
			     uint32_t type)
{
	return bm_type(b, name, (uint32_t)kind << 24, type);
}

static inline uint32_t bm_ptr(struct btf_maker *b, uint32_t type)
{
	return bm_of(b, BTF_PTR, NULL, type);
}

static inline uint32_t bm_array(struct btf_maker *b, uint32_t type, uint32_t index, uint32_t count)
{
	uint32_t number = bm_type(b, NULL, BTF_ARRAY << 24, 0);

	bm_word(b, type);
	bm_word(b, index);
	bm_word(b, count);
	return number;
}

/* Followed by so many bm_member(). */
static inline uint32_t bm_record(struct btf_maker *b, enum btf_kind kind, const char *name,
				 uint32_t size, uint32_t members)
{
	return bm_type(b, name, (uint32_t)kind << 24 | members, size);
}

static inline void bm_member(struct btf_maker *b, const char *name, uint32_t type, uint32_t offset)
{
	bm_word(b, bm_name(b, name));
	bm_word(b, type);
	bm_word(b, offset * 8);
}

static inline uint32_t bm_var(struct btf_maker *b, const char *name, uint32_t type)
{
	uint32_t number = bm_type(b, name, BTF_VAR << 24, type);

	bm_word(b, 1);
	return number;
}

/* Followed by so many bm_in_section(). */
static inline uint32_t bm_section(struct btf_maker *b, const char *name, uint32_t size,
				  uint32_t variables)
{
	return bm_type(b, name, BTF_DATASEC << 24 | variables, size);
}

static inline void bm_in_section(struct btf_maker *b, uint32_t var, uint32_t offset, uint32_t size)
{
	bm_word(b, var);
	bm_word(b, offset);
	bm_word(b, size);
}

/* Followed by so many bm_parameter(). */
static inline uint32_t bm_proto(struct btf_maker *b, uint32_t result, uint32_t parameters)
{
	return bm_type(b, NULL, BTF_FUNC_PROTO << 24 | parameters, result);
}

static inline void bm_parameter(struct btf_maker *b, const char *name, uint32_t type)
{
	bm_word(b, bm_name(b, name));
	bm_word(b, type);
}

/* The bytes, in b->blob. */
static inline size_t bm_end(struct btf_maker *b)
{
	uint32_t len = (uint32_t)(b->word_count * sizeof(b->words[0]));
	uint32_t names = (uint32_t)(b->names_len ? b->names_len : 1);
	const uint32_t head[] = { 0x1eb9f, 24, 0, len, len, names };

	assert(sizeof(head) + len + names <= sizeof(b->blob));
	memcpy(b->blob, head, sizeof(head));
	memcpy(b->blob + sizeof(head), b->words, len);
	memcpy(b->blob + sizeof(head) + len, b->names, names);
	return sizeof(head) + len + names;
}

#endif

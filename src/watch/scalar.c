// SPDX-License-Identifier: GPL-2.0-only
/* Decodes numbers, enums, floats and pointers. */
#include "watch/parts.h"

#define INT_SIGNED 1U
#define INT_BOOL 4U
#define MAX_VARIANTS 1024UL

static uint64_t extend(uint64_t number, unsigned int bits, bool is_signed)
{
	if (bits >= 64)
		return number;
	number &= (1ULL << bits) - 1;
	return is_signed && number >> (bits - 1) & 1 ? number | ~0ULL << bits : number;
}

static void name_variant(struct scalar *s, const struct datum *v, const struct btf_type *t)
{
	bool is_long = btf_kind_of(t) == BTF_ENUM64;
	size_t words = is_long ? 3 : 2;

	for (size_t i = 0; i < MIN(btf_count_of(t), MAX_VARIANTS) && !s->variant; i++) {
		uint64_t number = btf_word_at(v->types, v->type, i * words + 1);

		if (is_long)
			number |= (uint64_t)btf_word_at(v->types, v->type, i * words + 2) << 32;
		if (extend(number, s->bits, s->is_signed) == s->number)
			s->variant =
				btf_name_at(v->types, btf_word_at(v->types, v->type, i * words));
	}
}

/* Only the kind; SCALAR_NONE if it is not a number of up to eight bytes. */
static struct scalar kind_of(const struct datum *v, const struct btf_type *t)
{
	struct scalar s = { .bits = t->size_or_type * 8U };
	uint32_t encoding;

	switch (btf_kind_of(t)) {
	case BTF_PTR:
		return (struct scalar){ .kind = SCALAR_PTR, .bits = 64 };
	case BTF_ENUM:
	case BTF_ENUM64:
		s.kind = SCALAR_ENUM;
		s.is_signed = t->info >> 31;
		break;
	case BTF_FLOAT:
		if (s.bits == 32 || s.bits == 64)
			s.kind = SCALAR_FLOAT;
		break;
	case BTF_INT:
		encoding = btf_word_at(v->types, v->type, 0) >> 24 & 15;
		s.is_signed = encoding & INT_SIGNED;
		s.kind = encoding & INT_BOOL ? SCALAR_BOOL : s.is_signed ? SCALAR_INT : SCALAR_UINT;
		break;
	default:
		break;
	}
	if (!t->size_or_type || t->size_or_type > sizeof(uint64_t))
		s.kind = SCALAR_NONE;
	return s;
}

static double real_of(uint64_t number, unsigned int bits)
{
	double real;
	float small;

	memcpy(&real, &number, sizeof(real));
	memcpy(&small, &number, sizeof(small));
	return bits == 32 ? (double)small : real;
}

static struct scalar read_at(const struct datum *v, unsigned int bit_offset, unsigned int bit_count)
{
	struct btf_type t = v->types ? btf_type_at(v->types, v->type) : (struct btf_type){};
	struct scalar s = kind_of(v, &t);
	size_t bytes;

	if (s.kind == SCALAR_NONE)
		return s;
	if (bit_count)
		s.bits = MIN(bit_count, 64U);
	bytes = (bit_offset + s.bits + 7) / 8;
	if (v->len < MIN(bytes, sizeof(s.number))) {
		s.kind = SCALAR_TRUNCATED;
		return s;
	}
	memcpy(&s.number, v->data, MIN(bytes, sizeof(s.number)));
	s.number = extend(s.number >> bit_offset, s.bits, s.is_signed);
	if (s.kind == SCALAR_ENUM)
		name_variant(&s, v, &t);
	if (s.kind == SCALAR_FLOAT)
		s.real = real_of(s.number, s.bits);
	return s;
}

struct scalar scalar_read(const struct datum *v)
{
	return read_at(v, 0, 0);
}

struct scalar scalar_read_bits(const struct datum_part *part)
{
	struct datum v = datum_resolved(&part->value);

	return read_at(&v, part->bit_offset, part->bit_count);
}

bool datum_is_bytes(const struct datum *v, bool *is_text)
{
	struct btf_type t = v->types ? btf_type_at(v->types, v->type) : (struct btf_type){};
	uint32_t type;
	size_t len;

	*is_text = false;
	if (btf_kind_of(&t) != BTF_ARRAY)
		return false;
	type = btf_skip_modifiers(v->types, btf_word_at(v->types, v->type, 0));
	t = btf_type_at(v->types, type);
	if (btf_kind_of(&t) != BTF_INT || t.size_or_type != 1 ||
	    btf_word_at(v->types, type, 0) >> 24 & INT_BOOL)
		return false;
	len = strnlen(v->data, v->len);
	*is_text = str_eq(btf_name_at(v->types, t.name), "char") && len;
	for (size_t i = 0; i < v->len && *is_text; i++)
		*is_text = i < len ? v->data[i] >= ' ' && v->data[i] <= '~' : !v->data[i];
	return true;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Components of values; each is limited to the available data. */
#include "watch/parts.h"

#define BIT_OFFSET 0xffffffU

struct datum datum_resolved(const struct datum *v)
{
	struct datum r = *v;
	struct btf_type t;

	if (!r.types)
		return r;
	r.type = btf_skip_modifiers(r.types, r.type);
	t = btf_type_at(r.types, r.type);
	if (btf_kind_of(&t) == BTF_VAR) {
		r.type = btf_skip_modifiers(r.types, t.size_or_type);
		t = btf_type_at(r.types, r.type);
	}
	if (!btf_kind_of(&t))
		r.types = NULL;
	return r;
}

static struct datum inside(const struct datum *v, uint32_t type, uint64_t offset, uint64_t len)
{
	uint64_t begin = MIN(offset, (uint64_t)v->len);

	return (struct datum){ .types = v->types,
			       .type = type,
			       .data = v->data + begin,
			       .len = MIN(len, v->len - begin) };
}

static void member_at(const struct datum *v, const struct btf_type *t, size_t i,
		      struct datum_part *part)
{
	struct btf_member m = btf_member_at(v->types, v->type, i);
	bool has_bit_fields = t->info >> 31;
	uint32_t bits = has_bit_fields ? m.offset & BIT_OFFSET : m.offset;

	*part = (struct datum_part){ .name = btf_name_at(v->types, m.name),
				     .bit_count = has_bit_fields ? m.offset >> 24 : 0 };
	/* A bit field is read from the eight bytes that start at its first byte. */
	part->bit_offset = part->bit_count ? bits % 8 : 0;
	part->value = inside(v, m.type, bits / 8,
			     part->bit_count ? sizeof(uint64_t) : btf_size_of(v->types, m.type));
}

static void variable_at(const struct datum *v, size_t i, struct datum_part *part)
{
	uint32_t number = btf_word_at(v->types, v->type, 3 * i);
	struct btf_type t = btf_type_at(v->types, number);

	*part = (struct datum_part){ .name = btf_name_at(v->types, t.name) };
	part->value = inside(v, number, btf_word_at(v->types, v->type, 3 * i + 1),
			     btf_word_at(v->types, v->type, 3 * i + 2));
}

static void element_at(const struct datum *v, size_t i, struct datum_part *part)
{
	uint32_t type = btf_word_at(v->types, v->type, 0);
	uint64_t size = btf_size_of(v->types, type);

	*part = (struct datum_part){};
	part->value = inside(v, type, size && i > UINT64_MAX / size ? UINT64_MAX : i * size, size);
}

bool datum_part(const struct datum *v, size_t i, struct datum_part *part)
{
	struct btf_type t;

	if (!v->types)
		return false;
	t = btf_type_at(v->types, v->type);
	switch (btf_kind_of(&t)) {
	case BTF_STRUCT:
	case BTF_UNION:
		if (i >= btf_count_of(&t))
			return false;
		member_at(v, &t, i, part);
		return true;
	case BTF_DATASEC:
		if (i >= btf_count_of(&t))
			return false;
		variable_at(v, i, part);
		return true;
	case BTF_ARRAY:
		if (i >= btf_word_at(v->types, v->type, 2))
			return false;
		element_at(v, i, part);
		return part->value.len != 0;
	default:
		return false;
	}
}

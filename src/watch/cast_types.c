// SPDX-License-Identifier: GPL-2.0-only
/* Finds the innermost member at an offset. */
#include "watch/cast.h"

#define MAX_NESTING 16
#define MAX_STEPS 20000
#define NOT_UNSIGNED 5U /* bits of an int's encoding: signed or bool */

static bool is_map(const struct bpf_object *o, uint32_t var)
{
	vec_each(const struct bpf_variable, v, &o->variables)
		if (v->type == var)
			return v->is_map;
	return false;
}

/* A map is declared as a struct whose member "value" is a pointer to the type of its values. */
uint32_t cast_map_value(const struct bpf_object *o, uint32_t var)
{
	const struct btf *b = &o->types;
	uint32_t type = btf_skip_modifiers(b, btf_type_at(b, var).size_or_type);
	struct btf_type t = btf_type_at(b, type), member;

	for (size_t i = 0; btf_kind_of(&t) == BTF_STRUCT && i < btf_count_of(&t); i++) {
		struct btf_member m = btf_member_at(b, type, i);

		if (!str_eq(btf_name_at(b, m.name), "value"))
			continue;
		member = btf_type_at(b, btf_skip_modifiers(b, m.type));
		return btf_kind_of(&member) == BTF_PTR ?
			       btf_skip_modifiers(b, member.size_or_type) :
			       0;
	}
	return 0;
}

uint32_t cast_pointee(const struct btf *types, uint32_t type)
{
	struct btf_type t = btf_type_at(types, btf_skip_modifiers(types, type));

	if (btf_kind_of(&t) != BTF_PTR)
		return 0;
	type = btf_skip_modifiers(types, t.size_or_type);
	t = btf_type_at(types, type);
	return btf_kind_of(&t) == BTF_STRUCT || btf_kind_of(&t) == BTF_UNION ||
			       btf_kind_of(&t) == BTF_FWD ?
		       type :
		       0;
}

bool cast_is_u64(const struct btf *types, uint32_t type)
{
	struct btf_type t = btf_type_at(types, type);

	return btf_kind_of(&t) == BTF_INT && t.size_or_type == sizeof(uint64_t) &&
	       !(btf_word_at(types, type, 0) >> 24 & NOT_UNSIGNED);
}

/* Types may be malformed: the number of steps of a lookup is limited. */
struct search {
	const struct btf *types;
	uint64_t size;
	int steps;
};

static bool find_leaf(struct search *s, uint32_t type, uint64_t offset, struct cast_leaf *out,
		      int depth);

/* Enters the member that contains the offset; in a union the first that matches. */
static bool enter_record(struct search *s, const struct btf_type *t, uint32_t type, uint64_t offset,
			 struct cast_leaf *out, int depth)
{
	struct cast_leaf here = *out;

	if (*btf_name_at(s->types, t->name)) {
		here.owner = type;
		here.offset = 0;
	}
	here.is_shared |= btf_kind_of(t) == BTF_UNION;
	for (size_t i = 0; i < btf_count_of(t) && s->steps; i++, s->steps--) {
		struct btf_member m = btf_member_at(s->types, type, i);
		uint64_t bits = t->info >> 31 ? m.offset & 0xffffff : m.offset;

		if ((t->info >> 31 && m.offset >> 24) || bits % 8 || offset < bits / 8 ||
		    offset - bits / 8 >= btf_size_of(s->types, m.type))
			continue;
		*out = here;
		out->offset += (uint32_t)(bits / 8);
		if (find_leaf(s, m.type, offset - bits / 8, out, depth + 1))
			return true;
	}
	return false;
}

static bool find_leaf(struct search *s, uint32_t type, uint64_t offset, struct cast_leaf *out,
		      int depth)
{
	const struct btf *b = s->types;
	struct btf_type t;
	uint64_t each;

	type = btf_skip_modifiers(b, type);
	t = btf_type_at(b, type);
	if (depth > MAX_NESTING)
		return false;
	switch (btf_kind_of(&t)) {
	case BTF_STRUCT:
	case BTF_UNION:
		return enter_record(s, &t, type, offset, out, depth);
	case BTF_ARRAY:
		each = btf_size_of(b, btf_word_at(b, type, 0));
		if (!each || offset / each >= btf_word_at(b, type, 2))
			return false;
		out->offset += (uint32_t)(offset / each * each);
		return find_leaf(s, btf_word_at(b, type, 0), offset % each, out, depth + 1);
	case BTF_INT:
	case BTF_PTR:
	case BTF_ENUM:
	case BTF_ENUM64:
	case BTF_FLOAT:
		out->type = type;
		return !offset && btf_size_of(b, type) == s->size;
	default:
		return false;
	}
}

bool cast_leaf_at(const struct bpf_object *o, uint32_t type, uint64_t offset, uint64_t size,
		  struct cast_leaf *out)
{
	struct btf_type t = btf_type_at(&o->types, type);
	struct search s = { &o->types, size, MAX_STEPS };

	*out = (struct cast_leaf){};
	if (offset > UINT32_MAX)
		return false;
	if (btf_kind_of(&t) == BTF_VAR) {
		out->owner = type;
		type = is_map(o, type) ? cast_map_value(o, type) : t.size_or_type;
	}
	return find_leaf(&s, type, offset, out, 0) && out->owner;
}

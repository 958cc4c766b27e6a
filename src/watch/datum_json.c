// SPDX-License-Identifier: GPL-2.0-only
/* Values as JSON nodes. */
#include "watch/parts.h"

#define MAX_DEPTH 16	   /* nesting within a value */
#define MAX_TOTAL_DEPTH 34 /* including pointers: each costs up to three levels of JSON */
#define MAX_HEX 4096	   /* bytes */
#define NODE_COST 64

struct render {
	struct json *j;
	struct datum_budget *budget;
	struct chase *chase;
};

/* Position within a value: the owner of a field, for looking up evidence, and the depth. */
struct place {
	enum cast_owner kind;
	const char *owner; /* NULL = unnamed */
	uint64_t offset;
	bool is_shared;	  /* in a union: the bytes may belong to another member */
	bool is_kernel;	  /* in a struct of the kernel */
	bool is_followed; /* in it: a pointer to be followed */
	int depth, total;
};

static void render_value(struct render *r, const struct datum *value, const struct place *at);

static struct place inside_of(const struct place *at, uint64_t offset)
{
	struct place p = *at;

	p.offset += offset;
	p.depth++;
	p.total++;
	return p;
}

static void put_reason(struct render *r, const char *reason)
{
	json_object(r->j);
	json_put_string(r->j, "kind", "unsupported");
	json_put_string(r->j, "reason", reason);
	json_object_end(r->j);
}

static void put_bytes(struct render *r, const struct datum *v, bool is_text)
{
	_str_ struct str hex = {};

	datum_pay(r->budget, v->len);
	for (size_t i = 0; i < MIN(v->len, MAX_HEX); i++)
		str_addf(&hex, "%02x", (unsigned char)v->data[i]);
	json_object(r->j);
	json_put_string(r->j, "kind", "bytes");
	json_put_string(r->j, "hex", str_get(&hex));
	if (v->len > MAX_HEX)
		json_put_u64(r->j, "len", v->len);
	if (is_text) {
		_str_ struct str text = {};

		str_addn(&text, v->data, v->len);
		json_put_string(r->j, "text", str_get(&text));
	}
	json_object_end(r->j);
}

/* Writes the target of a pointer as a value. */
static void put_target(struct render *r, struct chase_target *t, const struct place *at)
{
	struct place p = { .is_kernel = t->is_kernel, .total = at->total + 1 };
	struct btf_type type = {};

	if (t->value.types)
		type = btf_type_at(t->value.types, t->value.type);
	json_key(r->j, "deref");
	if (!t->value.types || (btf_kind_of(&type) == BTF_INT && type.size_or_type == 1))
		put_bytes(r, &t->value, t->value.types != NULL);
	else
		render_value(r, &t->value, &p);
	chase_leave(r->chase, t);
}

static void put_pointer(struct render *r, const struct chase_from *from, const struct place *at)
{
	struct chase_target t = { .problem = from->value ? "pointers are not followed" : "null" };

	if (at->is_kernel && !at->is_followed && from->value)
		t.problem = "pointers of the kernel's structs are not followed";
	else if (r->chase)
		chase_follow(r->chase, from, &t);
	json_put_string(r->j, "kind", "ptr");
	json_put_u64(r->j, "value", from->value);
	if (t.problem)
		json_put_null(r->j, "deref");
	else
		put_target(r, &t, at);
	json_put_string(r->j, "deref_skipped_reason", t.problem);
	json_put_string(r->j, "cast_annotation", t.annotation);
}

static void put_number(struct render *r, const struct scalar *s)
{
	json_put_u64(r->j, "bits", s->bits);
	if (s->kind == SCALAR_FLOAT)
		json_put_double(r->j, "value", s->real);
	else if (s->is_signed)
		json_put_i64(r->j, "value", (int64_t)s->number);
	else
		json_put_u64(r->j, "value", s->number);
	if (s->kind == SCALAR_ENUM)
		json_put_string(r->j, "variant", s->variant);
}

/* Evidence that the code uses this integer as a pointer, if its value can be an address. */
static const struct cast *cast_of(const struct render *r, const struct scalar *s,
				  const struct place *at)
{
	const struct cast *cast;

	if (!r->chase || s->kind != SCALAR_UINT || s->bits != 64 || !at->owner || at->is_shared ||
	    at->is_kernel)
		return NULL;
	cast = chase_cast(r->chase, at->kind, at->owner, at->offset);
	return cast && chase_is_address(r->chase, s->number, cast->space) ? cast : NULL;
}

static void put_scalar(struct render *r, const struct scalar *s, const struct datum *v,
		       const struct place *at)
{
	static const char *const names[] = {
		[SCALAR_UINT] = "uint", [SCALAR_INT] = "int",	  [SCALAR_BOOL] = "bool",
		[SCALAR_ENUM] = "enum", [SCALAR_FLOAT] = "float", [SCALAR_TRUNCATED] = "truncated",
	};
	struct chase_from from = { .value = s->number, .cast = cast_of(r, s, at) };

	json_object(r->j);
	if (s->kind == SCALAR_PTR) {
		from.types = v->types;
		from.pointee = btf_type_at(v->types, v->type).size_or_type;
	}
	if (s->kind == SCALAR_PTR || from.cast) {
		put_pointer(r, &from, at);
		json_object_end(r->j);
		return;
	}
	json_put_string(r->j, "kind", names[s->kind]);
	if (s->kind == SCALAR_TRUNCATED) {
		json_put_u64(r->j, "needed", (s->bits + 7) / 8);
		json_put_u64(r->j, "had", v->len);
	} else if (s->kind == SCALAR_BOOL) {
		json_put_bool(r->j, "value", s->number != 0);
	} else {
		put_number(r, s);
	}
	json_object_end(r->j);
}

static void put_part(struct render *r, const struct datum_part *part, const struct place *at)
{
	struct place nameless = *at;
	struct scalar s;

	if (!part->bit_count) {
		render_value(r, &part->value, at);
		return;
	}
	nameless.owner = NULL;
	s = scalar_read_bits(part);
	if (s.kind == SCALAR_NONE)
		put_reason(r, "a bit field of no known type");
	else
		put_scalar(r, &s, &part->value, &nameless);
}

/* Returns whether to show a member; sets its position. */
static bool enter_member(const struct datum *v, const struct btf_type *t,
			 const struct datum_part *part, struct place *p)
{
	const char *name = btf_name_at(v->types, t->name);
	enum kernel_view view;

	if (btf_kind_of(t) == BTF_DATASEC) {
		p->kind = CAST_VARIABLE;
		p->owner = part->name;
		p->offset = 0;
	}
	if (!p->is_kernel || !*name)
		return true;
	view = kernel_view_of(v->types, name, part->name, part->value.type);
	p->is_followed = view == VIEW_FOLLOWED;
	return view != VIEW_NOT;
}

static void put_members(struct render *r, const struct datum *v, const struct btf_type *t,
			const struct place *at)
{
	const char *name = btf_name_at(v->types, t->name);
	struct place here = *at;
	struct datum_part part;
	size_t left_out = 0;

	if (*name && btf_kind_of(t) != BTF_DATASEC) {
		here.kind = CAST_STRUCT;
		here.owner = name;
		here.offset = 0;
	}
	here.is_shared |= btf_kind_of(t) == BTF_UNION;
	json_object(r->j);
	json_put_string(r->j, "kind", "struct");
	json_put_string(r->j, "type_name", name);
	json_put_array(r->j, "members");
	for (size_t i = 0; r->budget->left && datum_part(v, i, &part); i++) {
		struct place p = inside_of(&here, (uint64_t)(part.value.data - v->data));

		if (!enter_member(v, t, &part, &p)) {
			left_out++;
			continue;
		}
		json_object(r->j);
		json_put_string(r->j, "name", part.name);
		json_key(r->j, "value");
		put_part(r, &part, &p);
		json_object_end(r->j);
	}
	json_array_end(r->j);
	if (left_out)
		json_put_u64(r->j, "members_left_out", left_out);
	json_object_end(r->j);
}

static void put_elements(struct render *r, const struct datum *v, const struct place *at)
{
	struct datum_part part;

	json_object(r->j);
	json_put_string(r->j, "kind", "array");
	json_put_u64(r->j, "len", btf_word_at(v->types, v->type, 2));
	json_put_array(r->j, "elements");
	for (size_t i = 0; r->budget->left && datum_part(v, i, &part); i++) {
		struct place p = inside_of(at, (uint64_t)(part.value.data - v->data));

		put_part(r, &part, &p);
	}
	json_array_end(r->j);
	json_object_end(r->j);
}

static void put_parts(struct render *r, const struct datum *v, const struct place *at)
{
	struct btf_type t = btf_type_at(v->types, v->type);

	switch (btf_kind_of(&t)) {
	case BTF_STRUCT:
	case BTF_UNION:
	case BTF_DATASEC:
		put_members(r, v, &t, at);
		break;
	case BTF_ARRAY:
		put_elements(r, v, at);
		break;
	default:
		put_bytes(r, v, false);
	}
}

static void render_value(struct render *r, const struct datum *value, const struct place *at)
{
	struct datum v = datum_resolved(value);
	struct scalar s = scalar_read(&v);
	bool is_deep = at->depth > MAX_DEPTH || at->total > MAX_TOTAL_DEPTH, is_text;

	if (is_deep || !datum_pay(r->budget, NODE_COST)) {
		put_reason(r, is_deep ? "too deep" : "too many values");
		return;
	}
	if (s.kind != SCALAR_NONE)
		put_scalar(r, &s, &v, at);
	else if (!v.types || datum_is_bytes(&v, &is_text))
		put_bytes(r, &v, v.types && is_text);
	else
		put_parts(r, &v, at);
}

void datum_to_json(const struct datum *v, const char *map, struct json *j,
		   struct datum_budget *budget, struct chase *chase)
{
	struct render r = { .j = j, .budget = budget, .chase = chase };
	const struct place top = { .kind = CAST_MAP, .owner = map };

	render_value(&r, v, &top);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Values as nodes. */
#include "watch/scalar.h"

#define MAX_DEPTH 16
#define MAX_HEX 4096 /* bytes */
#define NODE_COST 64

struct render {
	struct json *j;
	struct datum_budget *budget;
};

static void render_value(struct render *r, const struct datum *value, int depth);

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

static void put_pointer(struct render *r, const struct scalar *s)
{
	json_put_u64(r->j, "value", s->number);
	json_put_null(r->j, "deref");
	json_put_string(r->j, "deref_skipped_reason",
			s->number ? "pointers are not followed" : "null");
	json_put_null(r->j, "cast_annotation");
}

static void put_number(struct render *r, const struct scalar *s)
{
	json_put_u64(r->j, "bits", s->bits);
	if (s->is_signed)
		json_put_i64(r->j, "value", (int64_t)s->number);
	else
		json_put_u64(r->j, "value", s->number);
	if (s->kind == SCALAR_ENUM)
		json_put_string(r->j, "variant", s->variant);
}

static void put_scalar(struct render *r, const struct scalar *s, size_t had)
{
	static const char *const names[] = {
		[SCALAR_UINT] = "uint", [SCALAR_INT] = "int", [SCALAR_BOOL] = "bool",
		[SCALAR_ENUM] = "enum", [SCALAR_PTR] = "ptr", [SCALAR_TRUNCATED] = "truncated",
	};

	json_object(r->j);
	json_put_string(r->j, "kind", names[s->kind]);
	if (s->kind == SCALAR_TRUNCATED) {
		json_put_u64(r->j, "needed", (s->bits + 7) / 8);
		json_put_u64(r->j, "had", had);
	} else if (s->kind == SCALAR_BOOL) {
		json_put_bool(r->j, "value", s->number != 0);
	} else if (s->kind == SCALAR_PTR) {
		put_pointer(r, s);
	} else {
		put_number(r, s);
	}
	json_object_end(r->j);
}

static void put_part(struct render *r, const struct datum_part *part, int depth)
{
	struct scalar s;

	if (!part->bit_count) {
		render_value(r, &part->value, depth);
		return;
	}
	s = scalar_read_bits(part);
	if (s.kind == SCALAR_NONE)
		put_reason(r, "a bit field of no known type");
	else
		put_scalar(r, &s, part->value.len);
}

static void put_members(struct render *r, const struct datum *v, const struct btf_type *t,
			int depth)
{
	struct datum_part part;

	json_object(r->j);
	json_put_string(r->j, "kind", "struct");
	json_put_string(r->j, "type_name", btf_name_at(v->types, t->name));
	json_put_array(r->j, "members");
	for (size_t i = 0; r->budget->left && datum_part(v, i, &part); i++) {
		json_object(r->j);
		json_put_string(r->j, "name", part.name);
		json_key(r->j, "value");
		put_part(r, &part, depth + 1);
		json_object_end(r->j);
	}
	json_array_end(r->j);
	json_object_end(r->j);
}

static void put_elements(struct render *r, const struct datum *v, int depth)
{
	struct datum_part part;

	json_object(r->j);
	json_put_string(r->j, "kind", "array");
	json_put_u64(r->j, "len", btf_word_at(v->types, v->type, 2));
	json_put_array(r->j, "elements");
	for (size_t i = 0; r->budget->left && datum_part(v, i, &part); i++)
		put_part(r, &part, depth + 1);
	json_array_end(r->j);
	json_object_end(r->j);
}

static void put_parts(struct render *r, const struct datum *v, int depth)
{
	struct btf_type t = btf_type_at(v->types, v->type);

	switch (btf_kind_of(&t)) {
	case BTF_STRUCT:
	case BTF_UNION:
	case BTF_DATASEC:
		put_members(r, v, &t, depth);
		break;
	case BTF_ARRAY:
		put_elements(r, v, depth);
		break;
	default:
		put_bytes(r, v, false);
	}
}

static void render_value(struct render *r, const struct datum *value, int depth)
{
	struct datum v = datum_resolved(value);
	struct scalar s = scalar_read(&v);
	bool is_text;

	if (depth > MAX_DEPTH || !datum_pay(r->budget, NODE_COST)) {
		put_reason(r, depth > MAX_DEPTH ? "too deep" : "too many values");
		return;
	}
	if (s.kind != SCALAR_NONE)
		put_scalar(r, &s, v.len);
	else if (!v.types || datum_is_bytes(&v, &is_text))
		put_bytes(r, &v, v.types && is_text);
	else
		put_parts(r, &v, depth);
}

void datum_to_json(const struct datum *v, struct json *j, struct datum_budget *budget)
{
	struct render r = { .j = j, .budget = budget };

	render_value(&r, v, 0);
}

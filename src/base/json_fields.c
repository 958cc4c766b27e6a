// SPDX-License-Identifier: GPL-2.0-only
/* Converts structs to JSON and back, by their tables. */
#include "base/json_fields.h"

#include "base/base.h"

/* Sizes of elements that are not structs. */
static const size_t sizes[] = {
	[FIELD_TEXT] = sizeof(char *),	[FIELD_BOOL] = sizeof(bool),
	[FIELD_U16] = sizeof(uint16_t), [FIELD_U32] = sizeof(uint32_t),
	[FIELD_U64] = sizeof(uint64_t), [FIELD_INT] = sizeof(int),
	[FIELD_I64] = sizeof(int64_t),	[FIELD_DOUBLE] = sizeof(double),
	[FIELD_WORD] = sizeof(int),
};

/* Common start of all lists, and the end of VEC(). */
struct grown {
	void *items;
	size_t count, cap;
};

static void *member_of(const void *base, size_t offset)
{
	return (char *)(uintptr_t)base + offset;
}

const struct json_field *json_field_find(const struct json_field *fields, const char *name)
{
	for (; fields->name; fields++)
		if (str_eq(fields->name, name))
			return fields;
	return NULL;
}

/* Elements without fields are numbers and strings. */
static enum json_field_kind plain_kind(const struct json_field *f)
{
	return MIN(f->element, FIELD_DOUBLE);
}

/* Makes a field that describes an element of a list. */
static struct json_field element_of(const struct json_field *f)
{
	if (f->kind == FIELD_MAP && f->fields)
		return f->fields[0];
	return (struct json_field){
		.name = f->name,
		.kind = f->fields ? FIELD_OBJECT : plain_kind(f),
		.fields = f->fields,
	};
}

static size_t element_size(const struct json_field *f)
{
	return f->fields ? f->size : sizes[plain_kind(f)];
}

static double number_of(const struct json_field *f, const void *member)
{
	switch (f->kind) {
	case FIELD_BOOL:
		return *(const bool *)member;
	case FIELD_U16:
		return *(const uint16_t *)member;
	case FIELD_U32:
	case FIELD_WORD:
		return *(const uint32_t *)member;
	case FIELD_U64:
		return (double)*(const uint64_t *)member;
	case FIELD_INT:
		return *(const int *)member;
	case FIELD_I64:
		return (double)*(const int64_t *)member;
	default:
		return *(const double *)member;
	}
}

bool json_field_has(const struct json_field *f, const void *base)
{
	const void *member = member_of(base, f->offset);

	if (f->has && !*(const bool *)member_of(base, f->has - 1))
		return false;
	if (f->kind == FIELD_TEXT)
		return *(const char *const *)member;
	if (f->kind == FIELD_WORD)
		return f->words[*(const unsigned int *)member];
	if (f->kind == FIELD_OWN)
		return !f->own->has || f->own->has(member);
	return f->has || f->kind < FIELD_U32 || f->kind > FIELD_U64 ||
	       !(f->flags & FIELD_LEFT_OUT) || number_of(f, member) != 0;
}

/* ---- writing ---- */

static void put_value(struct json *j, const struct json_field *f, const void *base);

static void put_list(struct json *j, const struct json_field *f, const struct json_list *list)
{
	const struct json_field element = element_of(f);

	for (size_t i = 0; i < list->count; i++) {
		const void *at = member_of(list->items, i * element_size(f));

		if (f->kind == FIELD_MAP)
			json_key(j, *(const char *const *)at);
		put_value(j, &element, at);
	}
}

static void put_value(struct json *j, const struct json_field *f, const void *base)
{
	const void *member = member_of(base, f->offset);

	switch (f->kind) {
	case FIELD_TEXT:
		json_string(j, *(const char *const *)member);
		break;
	case FIELD_BOOL:
		json_bool(j, *(const bool *)member);
		break;
	case FIELD_U16:
		json_u64(j, *(const uint16_t *)member);
		break;
	case FIELD_U32:
		json_u64(j, *(const uint32_t *)member);
		break;
	case FIELD_U64:
		json_u64(j, *(const uint64_t *)member);
		break;
	case FIELD_INT:
		json_i64(j, *(const int *)member);
		break;
	case FIELD_I64:
		json_i64(j, *(const int64_t *)member);
		break;
	case FIELD_DOUBLE:
		json_double(j, *(const double *)member);
		break;
	case FIELD_WORD:
		json_string(j, f->words[*(const unsigned int *)member]);
		break;
	case FIELD_OBJECT:
		json_put_struct(j, f->fields, member);
		break;
	case FIELD_LIST:
		json_array(j);
		put_list(j, f, member);
		json_array_end(j);
		break;
	case FIELD_MAP:
		json_object(j);
		put_list(j, f, member);
		json_object_end(j);
		break;
	case FIELD_OWN:
		f->own->put(j, member);
		break;
	case FIELD_SCHEMA:
		json_u64(j, f->size);
		break;
	}
}

void json_put_field(struct json *j, const struct json_field *f, const void *from)
{
	bool has_value = json_field_has(f, from);

	if (f->flags & FIELD_OLD || (!has_value && f->flags & FIELD_LEFT_OUT))
		return;
	json_key(j, f->name);
	if (has_value)
		put_value(j, f, from);
	else
		json_null(j);
}

void json_put_fields(struct json *j, const struct json_field *fields, const void *from)
{
	for (; fields->name; fields++)
		json_put_field(j, fields, from);
}

void json_put_struct(struct json *j, const struct json_field *fields, const void *from)
{
	json_object(j);
	json_put_fields(j, fields, from);
	json_object_end(j);
}

/* ---- reading ---- */

void json_load_no_memory(struct json_load *l)
{
	l->is_out_of_memory = true;
	json_read_fail(l->r, "out of memory");
}

static char *json_load_copy(struct json_load *l, const struct json_value *v)
{
	char *copy = l->arena ? arena_copy(l->arena, v->s, v->len) : strndup(v->s, v->len);

	if (!copy)
		json_load_no_memory(l);
	return copy;
}

void json_load_keep(struct json_load *l, void *items, size_t count, size_t size,
		    struct json_list *to)
{
	if (!l->arena) {
		*(struct grown *)to = (struct grown){ items, count, count };
		return;
	}
	to->items = count ? arena_alloc(l->arena, count * size) : NULL;
	to->count = to->items ? count : 0;
	if (to->items)
		memcpy(to->items, items, count * size);
	else if (count)
		json_load_no_memory(l);
	free(items);
}

static bool load_field(struct json_load *l, const struct json_field *f, void *into);

static void load_list(struct json_load *l, const struct json_field *f, struct json_list *to)
{
	const struct json_field element = element_of(f);
	bool is_map = f->kind == FIELD_MAP;
	size_t size = element_size(f);
	struct json_value key;
	struct grown all = {};

	while (is_map ? json_read_key(l->r, &key) : json_read_item(l->r)) {
		char *at;

		if (vec_grow(&all.items, &all.cap, all.count + 1, size) < 0) {
			json_load_no_memory(l);
			break;
		}
		at = (char *)all.items + all.count * size;
		memset(at, 0, size);
		if (f->init)
			f->init(at);
		/* A partly loaded element is kept, so that it gets freed. */
		if (load_field(l, &element, at) || l->r->problem) {
			if (is_map)
				*(char **)at = json_load_copy(l, &key);
			all.count++;
		}
	}
	if (l->wrong == &element)
		l->wrong = f;
	json_load_keep(l, all.items, all.count, size, to);
}

static bool load_text(struct json_load *l, const struct json_value *v, char **to)
{
	if (v->kind == JSON_STRING)
		*to = json_load_copy(l, v);
	return v->kind == JSON_STRING;
}

static bool load_bool(const struct json_value *v, bool *to)
{
	if (v->kind != JSON_TRUE && v->kind != JSON_FALSE)
		return false;
	*to = v->kind == JSON_TRUE;
	return true;
}

static bool load_unsigned(const struct json_value *v, enum json_field_kind kind, void *to)
{
	if (v->kind != JSON_UNSIGNED)
		return false;
	if (kind == FIELD_U64)
		*(uint64_t *)to = v->u;
	else if (kind == FIELD_U32 && v->u <= UINT32_MAX)
		*(uint32_t *)to = (uint32_t)v->u;
	else if (kind == FIELD_U16 && v->u <= UINT16_MAX)
		*(uint16_t *)to = (uint16_t)v->u;
	else
		return false;
	return true;
}

static bool load_i64(const struct json_value *v, int64_t *to)
{
	if (v->kind != JSON_NEGATIVE && (v->kind != JSON_UNSIGNED || v->u > INT64_MAX))
		return false;
	*to = v->i;
	return true;
}

static bool load_int(const struct json_value *v, int *to)
{
	int64_t value;

	if (!load_i64(v, &value) || value < INT_MIN || value > INT_MAX)
		return false;
	*to = (int)value;
	return true;
}

static bool load_word(const struct json_value *v, const char *const *words, unsigned int *to)
{
	for (unsigned int i = !words[0]; v->kind == JSON_STRING && words[i]; i++) {
		if (!str_eq(words[i], v->s))
			continue;
		*to = i;
		return true;
	}
	return false;
}

static bool load_own(struct json_load *l, const struct json_field *f, const struct json_value *v,
		     void *member)
{
	if (f->own->load)
		return f->own->load(l, v, member);
	if (v->kind == JSON_ARRAY || v->kind == JSON_OBJECT)
		json_read_leave(l->r);
	return true;
}

static bool load_schema(struct json_load *l, const struct json_value *v, uint64_t known)
{
	if (v->kind != JSON_UNSIGNED || v->u == known)
		return v->kind == JSON_UNSIGNED;
	l->is_other_schema = true;
	l->other_schema = v->u;
	json_read_fail(l->r, "another schema");
	return true;
}

/* False if the value does not fit this field. */
static bool load_value(struct json_load *l, const struct json_field *f, const struct json_value *v,
		       void *member)
{
	switch (f->kind) {
	case FIELD_TEXT:
		return load_text(l, v, member);
	case FIELD_BOOL:
		return load_bool(v, member);
	case FIELD_U16:
	case FIELD_U32:
	case FIELD_U64:
		return load_unsigned(v, f->kind, member);
	case FIELD_INT:
		return load_int(v, member);
	case FIELD_I64:
		return load_i64(v, member);
	case FIELD_DOUBLE:
		return json_number(v, member);
	case FIELD_WORD:
		return load_word(v, f->words, member);
	case FIELD_OBJECT:
		if (v->kind == JSON_OBJECT)
			json_load_fields(l, f->fields, member);
		return v->kind == JSON_OBJECT;
	case FIELD_LIST:
	case FIELD_MAP:
		if (v->kind != (f->kind == FIELD_LIST ? JSON_ARRAY : JSON_OBJECT))
			return false;
		load_list(l, f, member);
		return true;
	case FIELD_OWN:
		return load_own(l, f, v, member);
	case FIELD_SCHEMA:
		return load_schema(l, v, f->size);
	}
	return false;
}

static bool may_be_null(const struct json_load *l, const struct json_field *f)
{
	return l->nulls_are_absent || f->has || f->kind == FIELD_TEXT || f->kind >= FIELD_OBJECT;
}

static bool is_number(enum json_field_kind kind)
{
	return kind >= FIELD_U16 && kind <= FIELD_DOUBLE;
}

/* Returns whether the field got a value: null is none. */
static bool load_field(struct json_load *l, const struct json_field *f, void *into)
{
	struct json_value v = {};

	if (json_read_value(l->r, &v) == JSON_BROKEN || (v.kind == JSON_NULL && may_be_null(l, f)))
		return false;
	if (load_value(l, f, &v, member_of(into, f->offset))) {
		if (f->has)
			*(bool *)member_of(into, f->has - 1) = !(f->flags & FIELD_WHOLE) ||
							       l->is_whole;
		return true;
	}
	if (l->unfit && is_number(f->kind) && v.kind >= JSON_UNSIGNED && v.kind <= JSON_UNFIT) {
		++*l->unfit;
		return false;
	}
	if (!(f->flags & FIELD_OPEN) && !l->wrong) {
		l->wrong = f;
		l->expected = f->kind;
		l->found = v.kind;
	}
	if (!l->is_lenient && !(f->flags & FIELD_OPEN))
		json_read_fail(l->r, "a value of another kind was expected");
	else if (v.kind == JSON_ARRAY || v.kind == JSON_OBJECT)
		json_read_leave(l->r);
	return false;
}

static void check_required(struct json_load *l, const struct json_field *fields, uint64_t seen)
{
	l->is_whole = true;
	for (size_t i = 0; fields[i].name && !l->r->problem; i++) {
		l->is_whole &= seen >> i & 1;
		if (!(fields[i].flags & (FIELD_REQUIRED | FIELD_PRESENT)) || seen >> i & 1)
			continue;
		l->missing = l->missing ? l->missing : fields[i].name;
		if (!l->is_lenient)
			json_read_fail(l->r, "a field is missing");
	}
}

void json_load_fields(struct json_load *l, const struct json_field *fields, void *into)
{
	const struct json_field *next = fields;
	struct json_value key;
	uint64_t seen = 0;

	while (json_read_key(l->r, &key)) {
		/* Usually the next one: our own files are in the order of the table. */
		const struct json_field *f = next->name && str_eq(next->name, key.s) ?
						     next :
						     json_field_find(fields, key.s);
		uint64_t bit = f ? UINT64_C(1) << (f - fields) : 0;

		if (!f) {
			json_read_skip(l->r);
			continue;
		}
		if (seen & bit) {
			json_read_fail(l->r, "a field given twice");
			return;
		}
		if (load_field(l, f, into) || f->flags & FIELD_PRESENT)
			seen |= bit;
		next = f + 1;
	}
	check_required(l, fields, seen);
}

bool json_load_text(struct json_load *l, const struct json_field *fields, void *into)
{
	struct json_value v;

	if (json_read_value(l->r, &v) == JSON_OBJECT)
		json_load_fields(l, fields, into);
	else
		json_read_fail(l->r, "expected an object");
	return json_read_end(l->r) && !l->is_out_of_memory;
}

bool json_load_whole(struct json_load *l, const struct json_field *f, void *into)
{
	if (!load_field(l, f, into))
		json_read_fail(l->r, "a value of another kind was expected");
	return json_read_end(l->r) && !l->is_out_of_memory;
}

/* ---- freeing ---- */

static void free_list(const struct json_field *f, struct json_list *list)
{
	const struct json_field element[] = { element_of(f), {} };

	for (size_t i = 0; i < list->count; i++) {
		void *at = member_of(list->items, i * element_size(f));

		if (f->kind == FIELD_MAP)
			free(*(char **)at);
		json_free_fields(element, at);
	}
	free(list->items);
}

void json_free_fields(const struct json_field *fields, void *from)
{
	for (; fields->name; fields++) {
		void *member = member_of(from, fields->offset);

		if (fields->kind == FIELD_TEXT)
			free(*(char **)member);
		else if (fields->kind == FIELD_OBJECT)
			json_free_fields(fields->fields, member);
		else if (fields->kind == FIELD_LIST || fields->kind == FIELD_MAP)
			free_list(fields, member);
	}
}

/* ---- copying ---- */

static bool copy_text(struct arena *a, char **to, const struct json_field *f, const void *from)
{
	const char *text = f->kind == FIELD_WORD ? f->words[*(const unsigned int *)from] :
						   *(const char *const *)from;

	*to = arena_copy(a, text, strlen(text));
	return *to;
}

static bool copy_list(struct arena *a, const struct json_field *t, struct json_list *to,
		      const struct json_field *f, const struct json_list *from)
{
	*to = (struct json_list){};
	if (!from->count)
		return true;
	to->items = arena_alloc(a, from->count * t->size);
	if (!to->items)
		return false;
	for (size_t i = 0; i < from->count; i++)
		if (!json_copy_fields(a, t->fields, member_of(to->items, i * t->size), f->fields,
				      member_of(from->items, i * f->size)))
			return false;
	to->count = from->count;
	return true;
}

static bool copy_value(struct arena *a, const struct json_field *t, void *to,
		       const struct json_field *f, const void *from)
{
	if (t->kind == FIELD_TEXT)
		return copy_text(a, to, f, from);
	if (t->kind == FIELD_OBJECT)
		return json_copy_fields(a, t->fields, to, f->fields, from);
	if (t->kind == FIELD_LIST)
		return copy_list(a, t, to, f, from);
	if (t->kind == FIELD_OWN && f->own == t->own)
		memcpy(to, from, t->size);
	else if (t->kind == FIELD_OWN && t->own->copy)
		return t->own->copy(a, to, from);
	else if (t->kind == f->kind && t->kind < ARRAY_SIZE(sizes))
		memcpy(to, from, sizes[t->kind]);
	else if (t->kind == FIELD_DOUBLE)
		*(double *)to = number_of(f, from);
	return true;
}

bool json_copy_fields(struct arena *a, const struct json_field *to_fields, void *to,
		      const struct json_field *from_fields, const void *from)
{
	for (const struct json_field *t = to_fields; t->name; t++) {
		const struct json_field *f =
			json_field_find(from_fields, t->from ? t->from : t->name);

		if (!f || !json_field_has(f, from))
			continue;
		if (t->has)
			*(bool *)member_of(to, t->has - 1) = true;
		if (!copy_value(a, t, member_of(to, t->offset), f, member_of(from, f->offset)))
			return false;
	}
	return true;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Values of every kind, read into where a table says. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/util.h"
#include "ctprof/snapshot_load.h"

void load_stop(struct loader *l, int rc)
{
	if (!l->rc)
		l->rc = rc;
	json_read_fail(&l->r, "stopped");
}

void load_wrong_type(struct loader *l, enum json_kind kind, const char *expected)
{
	_str_ struct str pointer = {};

	if (kind == JSON_BROKEN) /* tells its own story */
		return;
	json_read_pointer(&l->r, &pointer);
	load_stop(l, err_set(EINVAL, "%s is %s, expected %s",
			     pointer.len ? str_get(&pointer) : "the document", json_kind_name(kind),
			     expected));
}

static uint32_t hash_text(const char *s, size_t len)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)s[i]) * 16777619u;
	return hash ^ hash >> 15;
}

static bool pool_grow(struct pool *p)
{
	size_t count = p->slot_count ? p->slot_count * 2 : 256;
	struct pool_entry *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < p->slot_count; i++) {
		size_t at = p->slots[i].hash & (count - 1);

		if (!p->slots[i].s)
			continue;
		while (slots[at].s)
			at = (at + 1) & (count - 1);
		slots[at] = p->slots[i];
	}
	free(p->slots);
	p->slots = slots;
	p->slot_count = count;
	return true;
}

static struct pool_entry *pool_find(const struct pool *p, const char *s, size_t len, uint32_t hash)
{
	size_t at = hash & (p->slot_count - 1);

	while (p->slots[at].s) {
		const struct pool_entry *e = &p->slots[at];

		if (e->hash == hash && e->len == len && memcmp(e->s, s, len) == 0)
			break;
		at = (at + 1) & (p->slot_count - 1);
	}
	return &p->slots[at];
}

const char *load_text(struct loader *l, const char *s, size_t len)
{
	uint32_t hash = hash_text(s, len);
	struct pool_entry *e;

	if (l->pool.count * 2 >= l->pool.slot_count && !pool_grow(&l->pool)) {
		load_stop(l, err_set(ENOMEM, "out of memory"));
		return NULL;
	}
	e = pool_find(&l->pool, s, len, hash);
	if (e->s)
		return e->s;
	e->s = arena_copy(&l->s->arena, s, len);
	if (!e->s) {
		load_stop(l, err_set(ENOMEM, "out of memory"));
		return NULL;
	}
	e->len = (uint32_t)len;
	e->hash = hash;
	l->pool.count++;
	return e->s;
}

bool load_unsigned(struct loader *l, uint64_t max, uint64_t *value)
{
	struct json_value v;

	switch (json_read_value(&l->r, &v)) {
	case JSON_UNSIGNED:
		if (v.u <= max) {
			*value = v.u;
			return true;
		}
		l->s->out_of_range++;
		return false;
	case JSON_NEGATIVE:
	case JSON_UNFIT:
		l->s->out_of_range++;
		return false;
	case JSON_NULL:
		return false;
	default:
		load_wrong_type(l, v.kind, "a number");
		return false;
	}
}

/* A name of a list: mostly the one that stood there in the list before. */
static const char *list_name(struct loader *l, const struct json_value *key)
{
	size_t i = l->list.count;

	if (i < l->last_list.count && str_eq(l->last_list.items[i].name, key->s))
		return l->last_list.items[i].name;
	return load_text(l, key->s, key->len);
}

static void add_to_list(struct loader *l, const struct json_value *key)
{
	struct named_u64 item = { .name = list_name(l, key) };

	if (!item.name || !load_unsigned(l, UINT64_MAX, &item.value))
		return;
	if (vec_push(&l->list, item) < 0)
		load_stop(l, -ENOMEM);
}

/* Whether the next value is an object, which is then entered; null is none. */
bool load_enter(struct loader *l)
{
	struct json_value v;
	enum json_kind kind = json_read_value(&l->r, &v);

	if (kind != JSON_OBJECT && kind != JSON_NULL)
		load_wrong_type(l, kind, "an object");
	return kind == JSON_OBJECT;
}

bool load_enter_array(struct loader *l)
{
	struct json_value v;
	enum json_kind kind = json_read_value(&l->r, &v);

	if (kind != JSON_ARRAY && kind != JSON_NULL)
		load_wrong_type(l, kind, "an array");
	return kind == JSON_ARRAY;
}

struct named_list load_list(struct loader *l)
{
	struct named_list list = {};
	struct json_value key;

	if (!load_enter(l))
		return list;
	l->list.count = 0;
	while (json_read_key(&l->r, &key))
		add_to_list(l, &key);
	if (l->list.count == 0)
		return list;
	list.items = arena_alloc(&l->s->arena, l->list.count * sizeof(*list.items));
	if (!list.items) {
		load_stop(l, err_set(ENOMEM, "out of memory"));
		return list;
	}
	memcpy(list.items, l->list.items, l->list.count * sizeof(*list.items));
	list.count = l->list.count;
	l->last_list = list;
	return list;
}

static const struct load_field *find_field(const struct load_field *fields, const char *key)
{
	for (; fields->key; fields++)
		if (str_eq(fields->key, key))
			return fields;
	return NULL;
}

/* The members of an entered object; those that are in no table are passed over. */
void load_members(struct loader *l, const struct load_field *fields, void *base)
{
	struct json_value key;

	while (json_read_key(&l->r, &key)) {
		const struct load_field *f = find_field(fields, key.s);

		if (f)
			f->read(l, f, base);
		else
			json_read_skip(&l->r);
	}
}

void load_object(struct loader *l, const struct load_field *f, void *base)
{
	if (load_enter(l))
		load_members(l, f->fields, load_field_at(f, base));
}

/* The same where the structure starts with a bool is_known. */
void load_known_object(struct loader *l, const struct load_field *f, void *base)
{
	bool *is_known = load_field_at(f, base);

	if (!load_enter(l))
		return;
	*is_known = true;
	load_members(l, f->fields, load_field_at(f, base));
}

void load_u64(struct loader *l, const struct load_field *f, void *base)
{
	load_unsigned(l, UINT64_MAX, load_field_at(f, base));
}

void load_opt(struct loader *l, const struct load_field *f, void *base)
{
	struct opt_u64 *opt = load_field_at(f, base);

	opt->is_known = load_unsigned(l, UINT64_MAX, &opt->value);
}

void load_bool(struct loader *l, const struct load_field *f, void *base)
{
	struct json_value v;
	enum json_kind kind = json_read_value(&l->r, &v);

	if (kind == JSON_TRUE || kind == JSON_FALSE)
		*(bool *)load_field_at(f, base) = kind == JSON_TRUE;
	else if (kind != JSON_NULL)
		load_wrong_type(l, kind, "a boolean");
}

/* The next value as a string; false when it is null. */
bool load_string(struct loader *l, struct json_value *v)
{
	enum json_kind kind = json_read_value(&l->r, v);

	if (kind != JSON_STRING && kind != JSON_NULL)
		load_wrong_type(l, kind, "a string");
	return kind == JSON_STRING;
}

void load_pooled(struct loader *l, const struct load_field *f, void *base)
{
	struct json_value v;

	if (load_string(l, &v))
		*(const char **)load_field_at(f, base) = load_text(l, v.s, v.len);
}

void load_named(struct loader *l, const struct load_field *f, void *base)
{
	*(struct named_list *)load_field_at(f, base) = load_list(l);
}

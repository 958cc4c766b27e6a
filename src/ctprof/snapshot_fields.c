// SPDX-License-Identifier: GPL-2.0-only
/* Values of every kind, read into and written from where a table says. */
#include "ctprof/snapshot_fields.h"

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

const char *load_text(struct loader *l, const char *s)
{
	uint32_t id;
	int rc = intern_add_copy(&l->texts, s, &id);

	if (rc == 0)
		return l->texts.texts.items[id];
	load_stop(l, rc);
	return NULL;
}

/* A number that is none of 64 bits, or not one of the wanted kind. */
static bool misfits(struct loader *l, enum json_kind kind)
{
	if (kind == JSON_UNSIGNED || kind == JSON_NEGATIVE || kind == JSON_UNFIT)
		l->s->out_of_range++;
	else if (kind != JSON_NULL)
		load_wrong_type(l, kind, "a number");
	return false;
}

bool load_unsigned(struct loader *l, uint64_t max, uint64_t *value)
{
	struct json_value v;
	enum json_kind kind = json_read_value(&l->r, &v);

	if (kind != JSON_UNSIGNED || v.u > max)
		return misfits(l, kind);
	*value = v.u;
	return true;
}

bool load_signed(struct loader *l, int64_t *value)
{
	struct json_value v;
	enum json_kind kind = json_read_value(&l->r, &v);

	if (kind != JSON_NEGATIVE && (kind != JSON_UNSIGNED || v.u > INT64_MAX))
		return misfits(l, kind);
	*value = v.i;
	return true;
}

bool load_bool(struct loader *l, bool *value)
{
	struct json_value v;
	enum json_kind kind = json_read_value(&l->r, &v);
	bool is_bool = kind == JSON_TRUE || kind == JSON_FALSE;

	if (is_bool)
		*value = kind == JSON_TRUE;
	else if (kind != JSON_NULL)
		load_wrong_type(l, kind, "a boolean");
	return is_bool;
}

static bool load_kind(struct loader *l, enum json_kind wanted, const char *name,
		      struct json_value *v)
{
	enum json_kind kind = json_read_value(&l->r, v);

	if (kind != wanted && kind != JSON_NULL)
		load_wrong_type(l, kind, name);
	return kind == wanted;
}

bool load_string(struct loader *l, struct json_value *v)
{
	return load_kind(l, JSON_STRING, "a string", v);
}

bool load_enter(struct loader *l)
{
	struct json_value v;

	return load_kind(l, JSON_OBJECT, "an object", &v);
}

bool load_enter_array(struct loader *l)
{
	struct json_value v;

	return load_kind(l, JSON_ARRAY, "an array", &v);
}

uint64_t load_members(struct loader *l, const struct snap_field *fields, void *base)
{
	struct json_value key;
	uint64_t seen = 0;

	while (json_read_key(&l->r, &key)) {
		const struct snap_field *f = fields;

		while (f->key && !str_eq(f->key, key.s))
			f++;
		if (!f->key)
			json_read_skip(&l->r);
		else if (f->kind->read(l, f, base))
			seen |= 1ULL << (f - fields);
	}
	return seen;
}

void save_members(struct saver *w, const struct snap_field *fields, const void *base)
{
	for (const struct snap_field *f = fields; f->key; f++)
		if (f->kind->write)
			f->kind->write(w, f, base);
}

/* A name of a list: mostly the one that stood there in the list before. */
static const char *list_name(struct loader *l, const char *key)
{
	size_t i = l->list.count;

	if (i < l->last_list.count && str_eq(l->last_list.items[i].name, key))
		return l->last_list.items[i].name;
	return load_text(l, key);
}

static void add_to_list(struct loader *l, const char *key)
{
	struct named_u64 item = { .name = list_name(l, key) };

	if (!item.name || !load_unsigned(l, UINT64_MAX, &item.value))
		return;
	if (vec_push(&l->list, item) < 0)
		load_stop(l, -ENOMEM);
}

/* Address of the field; writers do not modify it. */
static void *at(const struct snap_field *f, const void *base)
{
	return (char *)base + f->offset;
}

static bool *has(const struct snap_field *f, const void *base)
{
	return (bool *)((char *)base + f->has);
}

static bool snap_read_list(struct loader *l, const struct snap_field *f, void *base)
{
	struct named_list *list = at(f, base);
	struct json_value key;

	*list = (struct named_list){};
	if (!load_enter(l))
		return false;
	l->list.count = 0;
	while (json_read_key(&l->r, &key))
		add_to_list(l, key.s);
	if (l->list.count == 0)
		return true;
	list->items = arena_alloc(&l->s->arena, l->list.count * sizeof(*list->items));
	if (!list->items) {
		load_stop(l, err_no_memory());
		return false;
	}
	memcpy(list->items, l->list.items, l->list.count * sizeof(*list->items));
	list->count = l->list.count;
	l->last_list = *list;
	return true;
}

static void write_list(struct saver *w, const struct snap_field *f, const void *base)
{
	const struct named_list *list = at(f, base);

	json_put_object(&w->j, f->key);
	for (size_t i = 0; i < list->count; i++)
		json_put_u64(&w->j, list->items[i].name, list->items[i].value);
	json_object_end(&w->j);
}

static void write_opt_list(struct saver *w, const struct snap_field *f, const void *base)
{
	const struct named_list *list = at(f, base);

	if (list->count)
		write_list(w, f, base);
	else
		json_put_null(&w->j, f->key);
}

const struct snap_kind snap_list = { snap_read_list, write_list };
const struct snap_kind snap_opt_list = { snap_read_list, write_opt_list };

static bool read_object(struct loader *l, const struct snap_field *f, void *base)
{
	if (!load_enter(l))
		return false;
	if (f->has)
		*has(f, base) = true;
	load_members(l, f->fields, at(f, base));
	return true;
}

static bool read_whole(struct loader *l, const struct snap_field *f, void *base)
{
	size_t count = 0;

	if (!load_enter(l))
		return false;
	while (f->fields[count].key)
		count++;
	*has(f, base) = load_members(l, f->fields, at(f, base)) == (1ULL << count) - 1;
	return true;
}

static void put_object(struct saver *w, const struct snap_field *f, const void *base, bool is_there)
{
	if (!is_there) {
		json_put_null(&w->j, f->key);
		return;
	}
	json_put_object(&w->j, f->key);
	save_members(w, f->fields, at(f, base));
	json_object_end(&w->j);
}

static void write_object(struct saver *w, const struct snap_field *f, const void *base)
{
	put_object(w, f, base, !f->has || *has(f, base));
}

static void write_whole(struct saver *w, const struct snap_field *f, const void *base)
{
	put_object(w, f, base, *has(f, base));
}

const struct snap_kind snap_object = { read_object, write_object };
const struct snap_kind snap_whole = { read_whole, write_whole };

static bool read_u64(struct loader *l, const struct snap_field *f, void *base)
{
	return load_unsigned(l, UINT64_MAX, at(f, base));
}

static void write_u64(struct saver *w, const struct snap_field *f, const void *base)
{
	json_put_u64(&w->j, f->key, *(const uint64_t *)at(f, base));
}

const struct snap_kind snap_u64 = { read_u64, write_u64 };

static bool read_u32(struct loader *l, const struct snap_field *f, void *base)
{
	uint64_t value;

	if (!load_unsigned(l, UINT32_MAX, &value))
		return false;
	*(uint32_t *)at(f, base) = (uint32_t)value;
	return true;
}

static void write_u32(struct saver *w, const struct snap_field *f, const void *base)
{
	json_put_u64(&w->j, f->key, *(const uint32_t *)at(f, base));
}

const struct snap_kind snap_u32 = { read_u32, write_u32 };

static bool read_i64(struct loader *l, const struct snap_field *f, void *base)
{
	return *has(f, base) = load_signed(l, at(f, base));
}

static void write_i64(struct saver *w, const struct snap_field *f, const void *base)
{
	if (*has(f, base))
		json_put_i64(&w->j, f->key, *(const int64_t *)at(f, base));
	else
		json_put_null(&w->j, f->key);
}

const struct snap_kind snap_i64 = { read_i64, write_i64 };

bool snap_read_opt(struct loader *l, const struct snap_field *f, void *base)
{
	struct opt_u64 *opt = at(f, base);

	return opt->is_known = load_unsigned(l, UINT64_MAX, &opt->value);
}

void snap_write_opt(struct saver *w, const struct snap_field *f, const void *base)
{
	const struct opt_u64 *opt = at(f, base);

	json_put_known_u64(&w->j, f->key, opt->is_known, opt->value);
}

/* Limits are never filled: null means none. */
static void write_counter(struct saver *w, const struct snap_field *f, const void *base)
{
	const struct opt_u64 *opt = at(f, base);

	json_put_known_u64(&w->j, f->key, opt->is_known || w->zero_fill,
			   opt->is_known ? opt->value : 0);
}

const struct snap_kind snap_opt = { snap_read_opt, snap_write_opt };
const struct snap_kind snap_counter = { snap_read_opt, write_counter };

bool snap_read_bool(struct loader *l, const struct snap_field *f, void *base)
{
	return load_bool(l, at(f, base));
}

static void write_bool(struct saver *w, const struct snap_field *f, const void *base)
{
	json_put_bool(&w->j, f->key, *(const bool *)at(f, base));
}

const struct snap_kind snap_bool = { snap_read_bool, write_bool };

static bool read_text(struct loader *l, const struct snap_field *f, void *base)
{
	struct json_value v;

	if (!load_string(l, &v))
		return false;
	*(const char **)at(f, base) = load_text(l, v.s);
	return true;
}

static void write_text(struct saver *w, const struct snap_field *f, const void *base)
{
	json_put_string(&w->j, f->key, *(const char *const *)at(f, base));
}

const struct snap_kind snap_text = { read_text, write_text };

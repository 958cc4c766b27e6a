// SPDX-License-Identifier: GPL-2.0-only
/* Reads values of all kinds, and lists. */
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

	if (kind == JSON_BROKEN) /* the reader has a message */
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

/* Handles a value that is not a number of the wanted kind, or does not fit; returns false. */
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

/* Name of a list item: usually the same as at this index of the previous list. */
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

void load_list(struct loader *l, struct named_list *list)
{
	struct json_value key;

	*list = (struct named_list){};
	l->list.count = 0;
	while (json_read_key(&l->r, &key))
		add_to_list(l, key.s);
	if (l->list.count == 0)
		return;
	list->items = arena_alloc(&l->s->arena, l->list.count * sizeof(*list->items));
	if (!list->items) {
		load_stop(l, err_no_memory());
		return;
	}
	memcpy(list->items, l->list.items, l->list.count * sizeof(*list->items));
	list->count = l->list.count;
	l->last_list = *list;
}

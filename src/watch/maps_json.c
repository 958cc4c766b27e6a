// SPDX-License-Identifier: GPL-2.0-only
/* Maps with their contents as JSON. */
#include "watch/parts.h"

#define JSON_BUDGET (32UL << 20)

static struct datum value_at(const struct maps *all, const struct map_view *m, uint32_t type,
			     size_t place, size_t len)
{
	return (struct datum){ .types = m->types < all->types.count ?
						&all->types.items[m->types].btf :
						NULL,
			       .type = type,
			       .data = all->bytes.s + place,
			       .len = len };
}

/* Keys of arrays and of task storage are plain numbers without a BTF type. */
static bool has_number_key(const struct map_view *m)
{
	return m->key_size == sizeof(uint32_t) && !m->key_type;
}

static uint32_t number_at(const struct maps *all, size_t place)
{
	uint32_t number;

	memcpy(&number, all->bytes.s + place, sizeof(number));
	return number;
}

/* Destination of values, and the budget. */
struct output {
	struct json *j;
	struct datum_budget budget;
	struct chase *chase; /* NULL = do not follow pointers */
};

static void put_key(const struct maps *all, const struct map_view *m, const struct map_value *v,
		    struct output *out)
{
	struct json *j = out->j;
	struct datum key = value_at(all, m, m->key_type, v->key, m->key_size);

	json_key(j, "key");
	if (!has_number_key(m)) {
		datum_to_json(&key, NULL, j, &out->budget, NULL);
		return;
	}
	json_object(j);
	json_put_string(j, "kind", "uint");
	json_put_u64(j, "bits", 32);
	json_put_u64(j, "value", number_at(all, v->key));
	json_object_end(j);
}

static void put_value(const struct maps *all, const struct map_view *m, const struct map_value *v,
		      struct output *out)
{
	struct json *j = out->j;
	struct datum value = value_at(all, m, m->value_type, v->value, m->value_len);

	if (v->is_readable) {
		if (out->chase)
			chase_begin(out->chase, m);
		datum_to_json(&value, m->name, j, &out->budget, out->chase);
		return;
	}
	json_object(j);
	json_put_string(j, "kind", "unsupported");
	json_put_string(j, "reason", "unreadable");
	json_object_end(j);
}

/* Writes an entry for all its CPUs; returns the index of the next one. */
static size_t put_entry(const struct maps *all, const struct map_view *m, size_t i,
			struct output *out)
{
	struct json *j = out->j;
	const struct map_value *first = &all->values.items[i];
	size_t end = m->first + m->count;

	json_object(j);
	put_key(all, m, first, out);
	if (!first->has_cpu) {
		json_key(j, "value");
		put_value(all, m, first, out);
		json_object_end(j);
		return i + 1;
	}
	json_put_array(j, "percpu");
	for (; i < end && all->values.items[i].key == first->key; i++) {
		json_object(j);
		json_put_u64(j, "cpu", all->values.items[i].cpu);
		json_key(j, "value");
		put_value(all, m, &all->values.items[i], out);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
	return i;
}

static void put_map(const struct maps *all, const struct map_view *m, bool is_observer,
		    struct output *out)
{
	struct json *j = out->j;

	json_object(j);
	json_put_string(j, "name", m->name);
	json_put_u64(j, "id", m->id);
	json_put_string(j, "type", map_type_name(m->type));
	json_put_u64(j, "map_type", m->type);
	json_put_u64(j, "flags", m->flags);
	json_put_u64(j, "key_size", m->key_size);
	json_put_u64(j, "value_size", m->value_size);
	json_put_u64(j, "max_entries", m->max_entries);
	json_put_bool(j, "observer", is_observer);
	json_put_bool(j, "live", m->is_live);
	if (m->user_start)
		json_put_u64(j, "user_start", m->user_start);
	if (m->has_contents) {
		json_put_array(j, "entries");
		for (size_t i = m->first; i < m->first + m->count;)
			i = put_entry(all, m, i, out);
		json_array_end(j);
		json_put_u64(j, "zero_entries", m->zero_count);
		json_put_bool(j, "truncated", m->is_cut);
	} else {
		json_put_string(j, "entries_unavailable", "maps of this type are not read");
	}
	json_object_end(j);
}

/* BTF of the observer, ktstr's own program for checks; SIZE_MAX = not loaded. */
static size_t observer_types(const struct maps *m)
{
	for (size_t i = 0; i < m->maps.count; i++)
		if (strncmp(m->maps.items[i].name, MAPS_OBSERVER, sizeof(MAPS_OBSERVER) - 1) == 0)
			return m->maps.items[i].types;
	return SIZE_MAX;
}

void maps_put_json(const struct maps *m, struct json *j, struct chase *chase)
{
	struct output out = { j, { JSON_BUDGET }, chase };
	size_t own = observer_types(m);

	json_put_array(j, "maps");
	for (size_t i = 0; i < m->maps.count; i++)
		put_map(m, &m->maps.items[i], own != SIZE_MAX && m->maps.items[i].types == own,
			&out);
	json_array_end(j);
	json_put_bool(j, "maps_truncated", m->is_cut);
}

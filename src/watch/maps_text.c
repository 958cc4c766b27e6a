// SPDX-License-Identifier: GPL-2.0-only
/* Maps in words and figures. */
#include <inttypes.h>
#include <string.h>

#include "base/util.h"
#include "watch/map_contents.h"
#include "watch/datum.h"

#define OBSERVER "ktstr_ob." /* what its sections begin with */
#define SHOWN_VALUES 8
#define SHOWN_VARIABLES 64
#define JSON_BUDGET (32UL << 20)
#define TEXT_BUDGET (8UL << 20)

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

/* Keys of arrays and of tasks are numbers that no program has typed. */
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

static void put_key(const struct maps *all, const struct map_view *m, const struct map_value *v,
		    struct json *j, struct datum_budget *budget)
{
	struct datum key = value_at(all, m, m->key_type, v->key, m->key_size);

	json_key(j, "key");
	if (!has_number_key(m)) {
		datum_to_json(&key, j, budget);
		return;
	}
	json_object(j);
	json_put_string(j, "kind", "uint");
	json_put_u64(j, "bits", 32);
	json_put_u64(j, "value", number_at(all, v->key));
	json_object_end(j);
}

static void put_value(const struct maps *all, const struct map_view *m, const struct map_value *v,
		      struct json *j, struct datum_budget *budget)
{
	struct datum value = value_at(all, m, m->value_type, v->value, m->value_size);

	if (v->is_readable) {
		datum_to_json(&value, j, budget);
		return;
	}
	json_object(j);
	json_put_string(j, "kind", "unsupported");
	json_put_string(j, "reason", "unreadable");
	json_object_end(j);
}

/* One entry with all its CPUs; returns where the next one begins. */
static size_t put_entry(const struct maps *all, const struct map_view *m, size_t i, struct json *j,
			struct datum_budget *budget)
{
	const struct map_value *first = &all->values.items[i];
	size_t end = m->first + m->count;

	json_object(j);
	put_key(all, m, first, j, budget);
	if (!first->has_cpu) {
		json_key(j, "value");
		put_value(all, m, first, j, budget);
		json_object_end(j);
		return i + 1;
	}
	json_put_array(j, "percpu");
	for (; i < end && all->values.items[i].key == first->key; i++) {
		json_object(j);
		json_put_u64(j, "cpu", all->values.items[i].cpu);
		json_key(j, "value");
		put_value(all, m, &all->values.items[i], j, budget);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
	return i;
}

static void put_map(const struct maps *all, const struct map_view *m, struct json *j,
		    struct datum_budget *budget)
{
	json_object(j);
	json_put_string(j, "name", m->name);
	json_put_u64(j, "id", m->id);
	json_put_string(j, "type", map_type_name(m->type));
	json_put_u64(j, "map_type", m->type);
	json_put_u64(j, "flags", m->flags);
	json_put_u64(j, "key_size", m->key_size);
	json_put_u64(j, "value_size", m->value_size);
	json_put_u64(j, "max_entries", m->max_entries);
	if (m->has_contents) {
		json_put_array(j, "entries");
		for (size_t i = m->first; i < m->first + m->count;)
			i = put_entry(all, m, i, j, budget);
		json_array_end(j);
		json_put_u64(j, "zero_entries", m->zero_count);
		json_put_bool(j, "truncated", m->is_cut);
	} else {
		json_put_string(j, "entries_unavailable", "maps of this type are not read");
	}
	json_object_end(j);
}

void maps_put_json(const struct maps *m, struct json *j)
{
	struct datum_budget budget = { JSON_BUDGET };

	json_put_array(j, "maps");
	for (size_t i = 0; i < m->maps.count; i++)
		put_map(m, &m->maps.items[i], j, &budget);
	json_array_end(j);
	json_put_bool(j, "maps_truncated", m->is_cut);
}

static void add_key(const struct maps *all, const struct map_view *m, const struct map_value *v,
		    struct str *out, struct datum_budget *budget)
{
	struct datum key = value_at(all, m, m->key_type, v->key, m->key_size);

	if (has_number_key(m))
		str_addf(out, "%" PRIu32, number_at(all, v->key));
	else
		datum_add_text(&key, out, budget);
}

static void add_entry(const struct maps *all, const struct map_view *m, const struct map_value *v,
		      struct str *out, struct datum_budget *budget)
{
	struct datum value = value_at(all, m, m->value_type, v->value, m->value_size);

	str_add(out, "  [");
	add_key(all, m, v, out, budget);
	str_add(out, "]");
	if (v->has_cpu)
		str_addf(out, " cpu%u", v->cpu);
	str_add(out, " = ");
	if (v->is_readable)
		datum_add_text(&value, out, budget);
	else
		str_add(out, "unreadable");
	str_addc(out, '\n');
}

static bool is_section(const struct datum *v)
{
	struct btf_type t = v->types ? btf_type_at(v->types, v->type) : (struct btf_type){};

	return btf_kind_of(&t) == BTF_DATASEC;
}

/* A section of a program: its variables by name. */
static bool add_variables(const struct maps *all, const struct map_view *m, struct str *out,
			  struct datum_budget *budget)
{
	const struct map_value *v = &all->values.items[m->first];
	struct datum section = value_at(all, m, m->value_type, v->value, m->value_size);
	struct datum_part part;
	size_t shown = 0;

	if (m->count != 1 || !v->is_readable || !is_section(&section))
		return false;
	for (size_t i = 0; shown < SHOWN_VARIABLES && datum_part(&section, i, &part); i++) {
		if (!datum_pay(budget, part.value.len + 1) || datum_is_zero(&part.value))
			continue;
		str_addf(out, "  %s = ", part.name);
		datum_add_text(&part.value, out, budget);
		str_addc(out, '\n');
		shown++;
	}
	return true;
}

static void add_map(const struct maps *all, const struct map_view *m, struct str *out,
		    struct datum_budget *budget)
{
	const char *type = map_type_name(m->type);
	size_t shown = MIN(m->count, (size_t)SHOWN_VALUES);

	str_addf(out, "map %s (%s, %" PRIu32 " entr%s)%s\n", m->name, type ? type : "unknown type",
		 m->max_entries, m->max_entries == 1 ? "y" : "ies",
		 m->is_cut ? ", partly unreadable or too long" : "");
	if (!m->count || add_variables(all, m, out, budget))
		return;
	for (size_t i = 0; i < shown; i++)
		add_entry(all, m, &all->values.items[m->first + i], out, budget);
	if (m->count > shown)
		str_addf(out, "  and %zu more\n", m->count - shown);
}

/* The types of the observer, which watches for ktstr's own checks; SIZE_MAX = it is not there. */
static size_t observer_types(const struct maps *m)
{
	for (size_t i = 0; i < m->maps.count; i++)
		if (strncmp(m->maps.items[i].name, OBSERVER, sizeof(OBSERVER) - 1) == 0)
			return m->maps.items[i].types;
	return SIZE_MAX;
}

void maps_add_text(const struct maps *m, struct str *out)
{
	struct datum_budget budget = { TEXT_BUDGET };
	size_t own = observer_types(m);

	for (size_t i = 0; i < m->maps.count; i++)
		if (own == SIZE_MAX || m->maps.items[i].types != own)
			add_map(m, &m->maps.items[i], out, &budget);
	if (m->is_cut)
		str_add(out, "there are more maps, or some of them cannot be read\n");
}

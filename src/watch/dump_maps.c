// SPDX-License-Identifier: GPL-2.0-only
/* One line per variable or entry. */
#include "watch/parts.h"

const struct json_node *dump_next_holder(const struct json_node *dump,
					 const struct json_node *holder)
{
	return holder == dump ? json_get_first(dump, "snapshots") : holder->next;
}

static void add_value(const struct json_node *entry, const struct json_node *value,
		      const struct dump_limits *limits, struct str *out)
{
	const struct json_node *key = json_get(entry, "key");
	uint64_t cpu;

	str_add(out, "  [");
	dump_add_value(key, limits->columns, out);
	str_addc(out, ']');
	if (json_get_u64(value, "cpu", &cpu))
		str_addf(out, " cpu%" PRIu64, cpu);
	str_add(out, " = ");
	dump_add_value(json_get(value, "value"), limits->columns, out);
	str_addc(out, '\n');
}

/* Appends an entry for all its CPUs; returns the number of CPUs. */
static size_t add_entry(const struct json_node *entry, const struct dump_limits *limits,
			size_t before, struct str *out)
{
	const struct json_node *cpus = json_get(entry, "percpu");
	size_t count = 0;

	if (!cpus && before < limits->values)
		add_value(entry, entry, limits, out);
	if (!cpus)
		return 1;
	for (const struct json_node *v = cpus->first; v; v = v->next)
		if (before + count++ < limits->values)
			add_value(entry, v, limits, out);
	return count;
}

/* A section of a program, such as ".bss", with its variables; no type has such a name. */
static const struct json_node *section_of(const struct json_node *map)
{
	const struct json_node *first = json_get_first(map, "entries");
	const struct json_node *value = json_get(first, "value");
	const char *type = json_get_text(value, "type_name");

	return first && !first->next && type && *type == '.' ? value : NULL;
}

static void add_variables(const struct json_node *section, const struct dump_limits *limits,
			  struct str *out)
{
	size_t count = 0;

	for (const struct json_node *v = json_get_first(section, "members"); v; v = v->next) {
		const struct json_node *value = json_get(v, "value");

		if (dump_is_zero(value) || count++ >= limits->variables)
			continue;
		str_add(out, "  ");
		dump_add_string(out, json_get_text(v, "name"));
		str_add(out, " = ");
		dump_add_value(value, limits->columns, out);
		str_addc(out, '\n');
	}
	if (count > limits->variables)
		str_addf(out, "  and %zu more\n", count - limits->variables);
}

static void add_title(const struct json_node *map, struct str *out)
{
	const char *type = json_get_text(map, "type");
	uint64_t entries;

	json_get_u64(map, "max_entries", &entries);
	str_add(out, "map ");
	dump_add_string(out, json_get_text(map, "name"));
	str_add(out, " (");
	dump_add_string(out, type ? type : "unknown type");
	str_addf(out, ", %" PRIu64 " entr%s)%s\n", entries, entries == 1 ? "y" : "ies",
		 json_get_true(map, "truncated") ? ", partly unreadable or too long" : "");
}

static void add_map(const struct json_node *map, const struct dump_limits *limits, struct str *out)
{
	const char *why = json_get_text(map, "entries_unavailable");
	const struct json_node *section = section_of(map);
	size_t count = 0;

	add_title(map, out);
	if (section) {
		add_variables(section, limits, out);
		return;
	}
	if (why) {
		str_add(out, "  ");
		dump_add_string(out, why);
		str_addc(out, '\n');
	}
	for (const struct json_node *e = json_get_first(map, "entries"); e; e = e->next)
		count += add_entry(e, limits, count, out);
	if (count > limits->values)
		str_addf(out, "  and %zu more\n", count - limits->values);
}

void dump_add_maps(const struct json_node *dump, const struct dump_limits *limits, struct str *out)
{
	size_t begin = out->len;

	for (const struct json_node *h = dump; h; h = dump_next_holder(dump, h)) {
		for (const struct json_node *m = json_get_first(h, "maps"); m; m = m->next)
			if (!json_get_true(m, "observer") && out->len - begin < limits->bytes)
				add_map(m, limits, out);
		if (json_get_true(h, "maps_truncated"))
			str_add(out, "there are more maps, or some of them cannot be read\n");
	}
	if (out->len - begin >= limits->bytes)
		str_add(out, "and more\n");
}

int dump_add_map(const struct json_node *dump, const char *name, struct str *out)
{
	_str_ struct str names = {};
	bool is_found = false;

	for (const struct json_node *h = dump; h; h = dump_next_holder(dump, h))
		for (const struct json_node *m = json_get_first(h, "maps"); m; m = m->next) {
			const char *found = json_get_text(m, "name");

			str_add(&names, names.len ? ", " : "");
			dump_add_string(&names, found);
			if (!found || !str_ends(found, name))
				continue;
			is_found = true;
			add_map(m, &dump_whole, out);
		}
	if (is_found)
		return 0;
	return err_set(ENOENT, "the dump has no map '%s' (captured maps: [%s])", name,
		       str_get(&names));
}

static void add_entries_of(const struct json_node *map, uint64_t pid, struct str *out)
{
	const char *type = json_get_text(map, "type");
	uint64_t key;

	if (!type || !str_eq(type, "task_storage"))
		return;
	for (const struct json_node *e = json_get_first(map, "entries"); e; e = e->next) {
		if (!json_get_u64(json_get(e, "key"), "value", &key) || key != pid)
			continue;
		add_title(map, out);
		add_entry(e, &dump_whole, 0, out);
	}
}

void dump_add_entries_of(const struct json_node *dump, uint64_t pid, struct str *out)
{
	for (const struct json_node *h = dump; h; h = dump_next_holder(dump, h))
		for (const struct json_node *m = json_get_first(h, "maps"); m; m = m->next)
			add_entries_of(m, pid, out);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Entries of maps, parts of values, and their C values. */
#include "snapshot/parts.h"

const struct json_node value_zero = { .key = "value", .value.kind = JSON_OBJECT };

static const char *kind_of(const struct json_node *value)
{
	const char *kind = json_get_text(value, "kind");

	if (value == &value_zero)
		return "an element that is all 0";
	return kind ? kind : "nothing that is known";
}

static bool is_kind(const struct json_node *value, const char *kind)
{
	const char *own = json_get_text(value, "kind");

	return own && str_eq(own, kind);
}

/* If a part of a pointer is requested, uses its target. */
static const struct json_node *behind(const struct json_node *value)
{
	const struct json_node *target = is_kind(value, "ptr") ? json_get(value, "deref") : NULL;

	return json_get(target, "kind") ? target : value;
}

const struct json_node *value_member(const struct json_node *value, const char *name, size_t len)
{
	for (const struct json_node *m = json_get_first(value, "members"); m; m = m->next) {
		const char *own = json_get_text(m, "name");
		const struct json_node *v = json_get(m, "value"), *inner;

		if (own && strlen(own) == len && memcmp(own, name, len) == 0)
			return v;
		/* Members of an anonymous struct count as those of its owner. */
		inner = own && !*own ? value_member(v, name, len) : NULL;
		if (inner)
			return inner;
	}
	return NULL;
}

void name_list_add_members(struct name_list *l, const struct json_node *value)
{
	for (const struct json_node *m = json_get_first(value, "members"); m; m = m->next) {
		const char *own = json_get_text(m, "name");

		if (own && *own)
			name_list_add(l, own);
		else
			name_list_add_members(l, json_get(m, "value"));
	}
}

/* ---- entries ---- */

size_t ktstr_map_count(const struct ktstr_map *map)
{
	size_t count = 0;

	for (const struct json_node *e = json_get_first(node_of(map), "entries"); e; e = e->next)
		count++;
	return count;
}

static const char *name_of(const struct ktstr_map *map)
{
	const char *name = json_get_text(node_of(map), "name");

	return name ? name : "?";
}

/* Maps of other types are not read. */
static bool is_unread(const struct ktstr_map *map)
{
	const char *why = json_get_text(node_of(map), "entries_unavailable");

	if (why)
		err_set(ENOTSUP, "map '%s': %s", name_of(map), why);
	return why;
}

const struct ktstr_value *ktstr_map_at(const struct ktstr_map *map, size_t index)
{
	const struct json_node *e = json_get_first(node_of(map), "entries");

	if (!map || is_unread(map))
		return NULL;
	for (size_t i = 0; e && i < index; i++)
		e = e->next;
	if (!e)
		err_set(ENOENT, "map '%s' has no entry %zu: it has %zu", name_of(map), index,
			ktstr_map_count(map));
	return (const void *)e;
}

static void add_key(struct name_list *out, const struct json_node *entry)
{
	const struct json_node *value = json_get(json_get(entry, "key"), "value");
	_str_ struct str text = {};

	if (value && value->value.kind == JSON_UNSIGNED)
		str_addf(&text, "%llu", ULL(value->value.u));
	else if (value && value->value.kind == JSON_NEGATIVE)
		str_addf(&text, "%lld", (long long)value->value.i);
	else
		str_add(&text, kind_of(json_get(entry, "key")));
	name_list_add(out, str_get(&text));
}

static void add_keys(struct name_list *out, const struct ktstr_map *map)
{
	for (const struct json_node *e = json_get_first(node_of(map), "entries"); e; e = e->next)
		add_key(out, e);
}

/* The file only has those elements of an array that are not all 0. */
static bool is_zero_element(const struct ktstr_map *map, uint64_t key)
{
	const char *type = json_get_text(node_of(map), "type");
	uint64_t max_entries;

	return type && (str_eq(type, "array") || str_eq(type, "percpu_array")) &&
	       json_get_u64(node_of(map), "max_entries", &max_entries) && key < max_entries &&
	       !json_get_true(node_of(map), "truncated");
}

const struct ktstr_value *ktstr_map_key(const struct ktstr_map *map, uint64_t key)
{
	_cleanup_(name_list_finish) struct name_list keys = {};
	uint64_t own;

	if (!map || is_unread(map))
		return NULL;
	for (const struct json_node *e = json_get_first(node_of(map), "entries"); e; e = e->next)
		if (json_get_u64(json_get(e, "key"), "value", &own) && own == key)
			return (const void *)e;
	if (is_zero_element(map, key))
		return (const void *)&value_zero;
	add_keys(&keys, map);
	err_set(ENOENT, "map '%s' has no key %llu (keys: [%s])", name_of(map), ULL(key),
		name_list_end(&keys));
	return NULL;
}

const struct ktstr_value *ktstr_map_find(const struct ktstr_map *map,
					 bool (*is_it)(const struct ktstr_value *entry, void *ctx),
					 void *ctx)
{
	_cleanup_(name_list_finish) struct name_list keys = {};

	if (!map || is_unread(map))
		return NULL;
	for (const struct json_node *e = json_get_first(node_of(map), "entries"); e; e = e->next)
		if (is_it((const void *)e, ctx))
			return (const void *)e;
	add_keys(&keys, map);
	err_set(ENOENT, "map '%s': no entry is the one that was looked for (keys: [%s])",
		name_of(map), name_list_end(&keys));
	return NULL;
}

size_t ktstr_map_filter(const struct ktstr_map *map,
			bool (*is_it)(const struct ktstr_value *entry, void *ctx), void *ctx,
			const struct ktstr_value **out, size_t max)
{
	size_t count = 0;

	if (!map || is_unread(map))
		return 0;
	for (const struct json_node *e = json_get_first(node_of(map), "entries"); e; e = e->next) {
		if (!is_it((const void *)e, ctx))
			continue;
		if (count < max)
			out[count] = (const void *)e;
		count++;
	}
	return count;
}

const struct ktstr_value *ktstr_map_max_by(const struct ktstr_map *map, const char *path)
{
	const struct ktstr_value *best = NULL;
	double most = 0, value;

	if (!map || is_unread(map))
		return NULL;
	for (const struct json_node *e = json_get_first(node_of(map), "entries"); e; e = e->next) {
		if (ktstr_value_f64((const void *)e, path, &value) < 0)
			return NULL;
		if (!best || value > most) {
			best = (const void *)e;
			most = value;
		}
	}
	if (!best)
		err_set(ENOENT, "map '%s' has no entries", name_of(map));
	return best;
}

/* ---- values ---- */

const struct ktstr_value *ktstr_value_key(const struct ktstr_value *entry)
{
	const struct json_node *key = json_get(node_of(entry), "key");

	if (entry && !key)
		err_set(EINVAL, "only an entry of a map has a key");
	return (const void *)key;
}

static const char *list_cpus(const struct json_node *entry, struct name_list *out)
{
	for (const struct json_node *p = json_get_first(entry, "percpu"); p; p = p->next) {
		char text[24];
		uint64_t cpu;

		json_get_u64(p, "cpu", &cpu);
		snprintf(text, sizeof(text), "%llu", ULL(cpu));
		name_list_add(out, text);
	}
	return name_list_end(out);
}

const struct ktstr_value *ktstr_value_cpu(const struct ktstr_value *entry, unsigned int cpu)
{
	_cleanup_(name_list_finish) struct name_list cpus = {};
	const struct json_node *node = node_of(entry);
	uint64_t own;

	if (!node || node == &value_zero)
		return entry;
	for (const struct json_node *p = json_get_first(node, "percpu"); p; p = p->next)
		if (json_get_u64(p, "cpu", &own) && own == cpu)
			return (const void *)json_get(p, "value");
	if (json_get(node, "percpu"))
		err_set(ENOENT, "the entry has no value of CPU %u (CPUs: [%s])", cpu,
			list_cpus(node, &cpus));
	else
		err_set(EINVAL, "this is not an entry of a map with a value per CPU");
	return NULL;
}

/* The value of an entry; NULL with a message if it has one per CPU. */
static const struct json_node *value_itself(const struct json_node *node)
{
	_cleanup_(name_list_finish) struct name_list cpus = {};

	if (!node || node == &value_zero || json_get(node, "kind"))
		return node;
	if (json_get(node, "percpu")) {
		err_set(EINVAL,
			"the entry has a value per CPU (CPUs: [%s]): choose one with "
			"ktstr_value_cpu()",
			list_cpus(node, &cpus));
		return NULL;
	}
	return json_get(node, "value");
}

/* A path that is being walked. */
struct walk {
	const char *path, *at; /* all of it, and what is left */
};

static void no_component(const struct walk *w, const char *component, size_t len,
			 const char *alternatives)
{
	size_t done = (size_t)(component - w->path);

	/* Without the dot or bracket in front of the component. */
	done -= done && (component[-1] == '.' || component[-1] == '[');
	err_set(ENOENT, "path '%s': component '%.*s' (after walking '%.*s') not found (%s)",
		w->path, (int)len, component, (int)done, w->path, alternatives);
}

static const struct json_node *walk_element(struct walk *w, const struct json_node *v)
{
	const char *digits = w->at + 1, *end = digits;
	const struct json_node *e = json_get_first(v, "elements");
	_str_ struct str there = {};
	uint64_t index, len;

	if (parse_digits(&end, &index) < 0 || *end != ']') {
		err_set(EINVAL, "path '%s': '[' needs a number and ']'", w->path);
		return NULL;
	}
	w->at = end + 1;
	if (v == &value_zero)
		return v;
	for (uint64_t i = 0; e && i < index; i++)
		e = e->next;
	if (is_kind(v, "array") && json_get_u64(v, "len", &len))
		str_addf(&there, "elements at this depth: %llu", ULL(len));
	else
		str_addf(&there, "this is not an array but %s", kind_of(v));
	if (!e)
		no_component(w, digits, (size_t)(end - digits), str_get(&there));
	return e;
}

static const struct json_node *walk_member(struct walk *w, const struct json_node *v)
{
	_cleanup_(name_list_finish) struct name_list members = {};
	_str_ struct str there = {};
	const char *component = w->at;
	size_t len = strcspn(component, ".[");
	const char *why = json_get_text(v, "deref_skipped_reason");
	const struct json_node *m = value_member(v, component, len);

	w->at += len;
	if (!len) {
		err_set(EINVAL, "path '%s': a component is empty", w->path);
		return NULL;
	}
	if (v == &value_zero || m)
		return m ? m : v;
	name_list_add_members(&members, v);
	if (is_kind(v, "struct"))
		str_addf(&there, "members at this depth: [%s]", name_list_end(&members));
	else if (why)
		str_addf(&there, "this is a pointer that was not followed: %s", why);
	else
		str_addf(&there, "this is not a struct but %s", kind_of(v));
	no_component(w, component, len, str_get(&there));
	return NULL;
}

const struct ktstr_value *ktstr_value_get(const struct ktstr_value *v, const char *path)
{
	struct walk w = { .path = path ? path : "", .at = path ? path : "" };
	const struct json_node *node = value_itself(node_of(v));

	while (node && *w.at) {
		node = behind(node);
		if (*w.at == '[') {
			node = walk_element(&w, node);
			continue;
		}
		w.at += *w.at == '.' && w.at > w.path;
		node = walk_member(&w, node);
	}
	return (const void *)node;
}

/* ---- C values ---- */

static int wrong_kind(const char *path, const char *type, const struct json_node *value)
{
	return err_set(EINVAL, "path '%s': cannot read as %s: actual rendered variant is %s",
		       path ? path : "", type, kind_of(value));
}

/* The number of a scalar; NULL = it has none. */
static const struct json_value *number_of(const struct json_node *value)
{
	const struct json_node *number = json_get(value, "value");
	double any;

	return number && json_number(&number->value, &any) ? &number->value : NULL;
}

static const struct json_value zero = { .kind = JSON_UNSIGNED };
static const struct json_value one = { .kind = JSON_UNSIGNED, .u = 1 };

/* Reads a number, or a boolean as one. -ENOENT: there is no such value, which was reported. */
static int read_number(const struct ktstr_value *v, const char *path, const char *type,
		       const struct json_value **out)
{
	const struct json_node *value = node_of(ktstr_value_get(v, path));
	const struct json_node *truth = json_get(value, "value");

	if (!value)
		return -ENOENT;
	if (value == &value_zero)
		*out = &zero;
	else if (truth && (truth->value.kind == JSON_TRUE || truth->value.kind == JSON_FALSE))
		*out = truth->value.kind == JSON_TRUE ? &one : &zero;
	else
		*out = number_of(value);
	return *out ? 0 : wrong_kind(path, type, value);
}

static int wrong_number(const char *path, const char *type, const struct json_value *number)
{
	return err_set(EINVAL, "path '%s': cannot read as %s: it is %.*s", path ? path : "", type,
		       (int)number->len, number->s);
}

int ktstr_value_u64(const struct ktstr_value *v, const char *path, uint64_t *out)
{
	const struct json_value *number = NULL;
	int rc = read_number(v, path, "u64", &number);

	if (rc < 0)
		return rc;
	if (number->kind == JSON_UNFIT)
		return wrong_number(path, "u64", number);
	if (number->kind == JSON_NEGATIVE)
		return err_set(ERANGE, "path '%s': cannot read as u64: it is %lld",
			       path ? path : "", (long long)number->i);
	*out = number->u;
	return 0;
}

int ktstr_value_i64(const struct ktstr_value *v, const char *path, int64_t *out)
{
	const struct json_value *number = NULL;
	int rc = read_number(v, path, "i64", &number);

	if (rc < 0)
		return rc;
	if (number->kind == JSON_UNFIT)
		return wrong_number(path, "i64", number);
	if (number->kind == JSON_UNSIGNED && number->u > INT64_MAX)
		return err_set(ERANGE, "path '%s': cannot read as i64: it is %llu",
			       path ? path : "", ULL(number->u));
	*out = number->kind == JSON_NEGATIVE ? number->i : (int64_t)number->u;
	return 0;
}

int ktstr_value_f64(const struct ktstr_value *v, const char *path, double *out)
{
	const struct json_value *number = NULL;
	int rc = read_number(v, path, "f64", &number);

	if (rc < 0)
		return rc;
	(void)json_number(number, out);
	return 0;
}

int ktstr_value_bool(const struct ktstr_value *v, const char *path, bool *out)
{
	const struct json_value *number = NULL;
	int rc = read_number(v, path, "bool", &number);

	if (rc == 0)
		*out = number->kind != JSON_UNSIGNED || number->u != 0;
	return rc;
}

int ktstr_value_str(const struct ktstr_value *v, const char *path, const char **out)
{
	const struct json_node *value = behind(node_of(ktstr_value_get(v, path)));
	const char *text = json_get_text(value, is_kind(value, "enum") ? "variant" : "text");

	if (!value)
		return -ENOENT;
	if (value == &value_zero)
		text = "";
	*out = text;
	return text ? 0 : wrong_kind(path, "str", value);
}

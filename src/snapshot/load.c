// SPDX-License-Identifier: GPL-2.0-only
/* From a file of snapshots to one of them, a map or a variable in it. */
#include "check/result.h"
#include "snapshot/parts.h"

#define MAX_LISTED 32

void name_list_add(struct name_list *l, const char *name)
{
	if (l->count++ >= MAX_LISTED)
		return;
	str_add(&l->text, l->text.len ? ", " : "");
	text_add_printable(&l->text, name ? name : "?");
}

const char *name_list_end(struct name_list *l)
{
	if (l->count > MAX_LISTED)
		str_addf(&l->text, ", and %zu more", l->count - MAX_LISTED);
	return str_get(&l->text);
}

void name_list_finish(struct name_list *l)
{
	str_finish(&l->text);
}

int snapshots_parse(struct ktstr_snapshots *all, const char *text, size_t len)
{
	const struct json_node *root;
	int rc = 0;

	*all = (struct ktstr_snapshots){};
	str_addn(&all->text, text, len);
	if (str_check(&all->text) < 0)
		return -ENOMEM;
	root = len ? json_tree_read(&all->arena, all->text.s, all->text.len) : NULL;
	if (!root || !json_get(root, "snapshots"))
		return err_set(EINVAL, "this is not a file of snapshots%s%s",
			       len && !root ? ": " : "", len && !root ? err_text(-EINVAL) : "");
	all->problem = json_get_text(root, "snapshots_unavailable");
	for (const struct json_node *s = json_get_first(root, "snapshots"); s && rc == 0;
	     s = s->next)
		rc = vec_push(&all->items, s);
	return rc;
}

int snapshots_load(struct ktstr_snapshots *all, const char *path)
{
	_str_ struct str text = {};
	int rc = file_read_at(AT_FDCWD, path, &text);

	*all = (struct ktstr_snapshots){};
	if (rc < 0)
		return err_sys(-rc, "read %s", path);
	return err_wrap(snapshots_parse(all, str_get(&text), text.len), "%s", path);
}

void snapshots_finish(struct ktstr_snapshots *all)
{
	free(all->items.items);
	arena_finish(&all->arena);
	str_finish(&all->text);
	*all = (struct ktstr_snapshots){};
}

size_t ktstr_snapshot_count(const struct ktstr_snapshots *all)
{
	return all->items.count;
}

const struct ktstr_snapshot *ktstr_snapshot_at(const struct ktstr_snapshots *all, size_t index)
{
	if (index < all->items.count)
		return (const void *)all->items.items[index];
	err_set(ENOENT, "there is no snapshot %zu: %zu were taken", index, all->items.count);
	return NULL;
}

const char *ktstr_snapshot_name(const struct ktstr_snapshot *s)
{
	const char *name = json_get_text(node_of(s), "name");

	return name ? name : "";
}

uint64_t ktstr_snapshot_time_ns(const struct ktstr_snapshot *s)
{
	uint64_t time_ns;

	return json_get_u64(node_of(s), "time_ns", &time_ns) ? time_ns : 0;
}

const struct ktstr_snapshot *ktstr_snapshot_named(const struct ktstr_snapshots *all,
						  const char *name)
{
	_cleanup_(name_list_finish) struct name_list taken = {};

	for (size_t i = all->items.count; i-- > 0;) {
		const struct ktstr_snapshot *s = (const void *)all->items.items[i];

		if (str_eq(ktstr_snapshot_name(s), name))
			return s;
	}
	for (size_t i = 0; i < all->items.count; i++)
		name_list_add(&taken, ktstr_snapshot_name((const void *)all->items.items[i]));
	if (!all->items.count && all->problem)
		err_set(ENOENT, "there is no snapshot '%s': %s", name, all->problem);
	else
		err_set(ENOENT, "there is no snapshot '%s' (taken: [%s])", name,
			name_list_end(&taken));
	return NULL;
}

static bool is_request(const struct json_node *s)
{
	const char *trigger = json_get_text(s, "trigger");

	return trigger && str_eq(trigger, "request");
}

void snapshots_note_reuse(const struct ktstr_snapshots *all, struct ktstr_result *res)
{
	for (size_t i = 0; i < all->items.count; i++) {
		const struct ktstr_snapshot *s = (const void *)all->items.items[i];
		const char *name = ktstr_snapshot_name(s);

		if (is_request(all->items.items[i]) && ktstr_snapshot_named(all, name) != s)
			result_add(res, DETAIL_NOTE, KTSTR_SKIPPED,
				   "snapshot '%s' was taken more than once; its name stands for "
				   "the last one",
				   name);
	}
}

/* ---- maps ---- */

static const char *map_name(const struct json_node *map)
{
	const char *name = json_get_text(map, "name");

	return name ? name : "";
}

/* What ktstr itself has loaded is not the scheduler's. */
static const struct json_node *next_map(const struct json_node *map)
{
	while (map && json_get_true(map, "observer"))
		map = map->next;
	return map;
}

static const struct json_node *first_map(const struct json_node *snapshot)
{
	return next_map(json_get_first(snapshot, "maps"));
}

const struct ktstr_map *ktstr_snapshot_map(const struct ktstr_snapshot *s, const char *name)
{
	_cleanup_(name_list_finish) struct name_list maps = {};
	const struct json_node *map;

	if (!s)
		return NULL;
	for (map = first_map(node_of(s)); map; map = next_map(map->next))
		if (str_eq(map_name(map), name))
			return (const void *)map;
	for (map = first_map(node_of(s)); map; map = next_map(map->next)) {
		if (*name && str_ends(map_name(map), name))
			return (const void *)map;
		name_list_add(&maps, map_name(map));
	}
	err_set(ENOENT, "snapshot has no map '%s' (captured maps: [%s])", name,
		name_list_end(&maps));
	return NULL;
}

/* ---- variables ---- */

static bool is_section(const char *name)
{
	return strstr(name, ".bss") || strstr(name, ".data") || strstr(name, ".rodata");
}

/* What a section holds; NULL for other maps. */
static const struct json_node *section_of(const struct json_node *map)
{
	return is_section(map_name(map)) ? json_get(json_get_first(map, "entries"), "value") : NULL;
}

static void add_globals(const struct json_node *snapshot, struct name_list *out)
{
	for (const struct json_node *m = first_map(snapshot); m; m = next_map(m->next))
		name_list_add_members(out, section_of(m));
}

const struct ktstr_value *ktstr_snapshot_var(const struct ktstr_snapshot *s, const char *name)
{
	_cleanup_(name_list_finish) struct name_list names = {}, owners = {};
	const struct json_node *found = NULL;

	if (!s)
		return NULL;
	for (const struct json_node *m = first_map(node_of(s)); m; m = next_map(m->next)) {
		const struct json_node *v = value_member(section_of(m), name, strlen(name));

		if (!v)
			continue;
		found = v;
		name_list_add(&owners, map_name(m));
	}
	if (owners.count == 1)
		return (const void *)found;
	if (owners.count) {
		err_set(EINVAL,
			"global variable '%s' is in several maps (maps: [%s]): take one of them "
			"with ktstr_snapshot_map()",
			name, name_list_end(&owners));
		return NULL;
	}
	add_globals(node_of(s), &names);
	err_set(ENOENT,
		"snapshot has no global variable '%s' in any *.bss/*.data/*.rodata map (available "
		"globals: [%s])",
		name, name_list_end(&names));
	return NULL;
}

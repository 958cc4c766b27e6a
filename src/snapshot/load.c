// SPDX-License-Identifier: GPL-2.0-only
/* Reads a file of snapshots, and finds a snapshot, a map or a variable in it. */
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
	vec_each_ptr(const struct json_node, s, &all->items)
		name_list_add(&taken, ktstr_snapshot_name((const void *)s));
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
	vec_each_ptr(const struct json_node, s, &all->items) {
		const char *name = ktstr_snapshot_name((const void *)s);

		if (is_request(s) && node_of(ktstr_snapshot_named(all, name)) != s)
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

/* Skips maps that ktstr itself has loaded. */
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

/* The contents of a section; NULL for other maps. */
static const struct json_node *section_of(const struct json_node *map)
{
	return is_section(map_name(map)) ? json_get(json_get_first(map, "entries"), "value") : NULL;
}

/* The result of a search for a variable: the maps that have it, and other names. */
struct search {
	const struct json_node *found; /* the last one */
	struct name_list owners, others;
};

static void search_finish(struct search *s)
{
	name_list_finish(&s->owners);
	name_list_finish(&s->others);
}

/* Searches all maps, or those of the attached scheduler. Returns in how many it was found. */
static size_t search_maps(struct search *s, const struct json_node *snapshot, const char *name,
			  bool is_live)
{
	*s = (struct search){};
	for (const struct json_node *m = first_map(snapshot); m; m = next_map(m->next)) {
		const struct json_node *section = section_of(m);
		const struct json_node *v = value_member(section, name, strlen(name));

		if (is_live && !json_get_true(m, "live"))
			continue;
		name_list_add_members(&s->others, section);
		if (!v)
			continue;
		s->found = v;
		name_list_add(&s->owners, map_name(m));
	}
	return s->owners.count;
}

static const struct json_node *refuse_several(struct search *s, const char *name, const char *hint)
{
	err_set(EINVAL,
		"global variable '%s' is in several maps (maps: [%s]): take one of them with "
		"ktstr_snapshot_map()%s",
		name, name_list_end(&s->owners), hint);
	return NULL;
}

/* If several schedulers have it, takes that of the attached one. */
static const struct json_node *choose_live(const struct json_node *snapshot, const char *name)
{
	_cleanup_(search_finish) struct search s;

	return search_maps(&s, snapshot, name, true) == 1 ? s.found : NULL;
}

const struct ktstr_value *ktstr_snapshot_var(const struct ktstr_snapshot *s, const char *name)
{
	_cleanup_(search_finish) struct search all = {};
	const struct json_node *live;
	size_t count;

	if (!s)
		return NULL;
	count = search_maps(&all, node_of(s), name, false);
	if (count == 1)
		return (const void *)all.found;
	if (count) {
		live = choose_live(node_of(s), name);
		return (const void *)(live ? live : refuse_several(&all, name, ""));
	}
	err_set(ENOENT,
		"snapshot has no global variable '%s' in any *.bss/*.data/*.rodata map (available "
		"globals: [%s])",
		name, name_list_end(&all.others));
	return NULL;
}

static bool has_live_maps(const struct json_node *snapshot)
{
	for (const struct json_node *m = first_map(snapshot); m; m = next_map(m->next))
		if (json_get_true(m, "live"))
			return true;
	return false;
}

/* Reports which of three reasons applies. */
static void refuse_live(const struct ktstr_snapshot *s, struct search *live, const char *name)
{
	_cleanup_(search_finish) struct search all;

	search_maps(&all, node_of(s), name, false);
	if (!json_get_true(node_of(s), "has_scheduler"))
		err_set(ENOENT,
			"no scheduler is attached in snapshot '%s', so no global variable "
			"'%s' is live (available globals: [%s])",
			ktstr_snapshot_name(s), name, name_list_end(&all.others));
	else if (!has_live_maps(node_of(s)))
		err_set(ENODATA,
			"snapshot '%s' does not list the maps of the attached scheduler: "
			"take '%s' with ktstr_snapshot_var() or ktstr_snapshot_map() (available "
			"globals: [%s])",
			ktstr_snapshot_name(s), name, name_list_end(&all.others));
	else
		err_set(ENOENT,
			"the attached scheduler has no global variable '%s' in any "
			"*.bss/*.data/*.rodata map (its globals: [%s]; maps of others that have it: "
			"[%s])",
			name, name_list_end(&live->others), name_list_end(&all.owners));
}

const struct ktstr_value *ktstr_snapshot_live_var(const struct ktstr_snapshot *s, const char *name)
{
	_cleanup_(search_finish) struct search live = {};
	size_t count;

	if (!s)
		return NULL;
	count = search_maps(&live, node_of(s), name, true);
	if (count == 1)
		return (const void *)live.found;
	if (count)
		refuse_several(&live, name, ", all of the attached scheduler");
	else
		refuse_live(s, &live, name);
	return NULL;
}

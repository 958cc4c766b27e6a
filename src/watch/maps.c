// SPDX-License-Identifier: GPL-2.0-only
/* Finds the maps, and the BTF of the programs that created them. */
#include "watch/parts.h"

#define MAX_STEPS 100000
#define MAX_TYPES_BYTES (8UL << 20)
#define MAX_USED_MAPS 64UL /* per program: the kernel's own limit */
#define MAX_FUNCTIONS 1024 /* bytes of function pointers */
/* Value of bpf_map.map_type. */
#define TYPE_STRUCT_OPS 26
#define TYPE_ARENA 33

static bool read_number(struct map_walk *w, uint64_t at, enum watch_member m, uint32_t *out)
{
	uint64_t value;
	bool is_read = space_read_member(w->space, at, m, &value);

	*out = (uint32_t)value;
	return is_read;
}

/* All maps of a program share its BTF; unreadable BTF is cached, too. */
static size_t find_types(struct map_walk *w, uint64_t address)
{
	struct guest_types t;

	for (size_t i = 0; i < w->out->types.count; i++)
		if (w->out->types.items[i].address == address)
			return w->out->types.items[i].data ? i : SIZE_MAX;
	w->rc = guest_types_read(&t, w->space, address, &w->types);
	if (w->rc == 0)
		w->rc = vec_push(&w->out->types, t);
	if (w->rc < 0) {
		guest_types_finish(&t);
		return SIZE_MAX;
	}
	return t.data ? w->out->types.count - 1 : SIZE_MAX;
}

static void read_types(struct map_walk *w, struct map_view *m)
{
	m->types = SIZE_MAX;
	if (!space_read_member(w->space, m->address, M_MAP_BTF, &m->btf))
		m->btf = 0;
	if (m->btf && read_number(w, m->address, M_MAP_KEY_TYPE, &m->key_type) &&
	    read_number(w, m->address, M_MAP_VALUE_TYPE, &m->value_type) && m->value_type)
		m->types = find_types(w, m->btf);
}

static bool read_head(struct map_walk *w, struct map_view *m)
{
	return read_number(w, m->address, M_MAP_TYPE, &m->type) &&
	       read_number(w, m->address, M_MAP_KEY_SIZE, &m->key_size) &&
	       read_number(w, m->address, M_MAP_VALUE_SIZE, &m->value_size) &&
	       read_number(w, m->address, M_MAP_MAX_ENTRIES, &m->max_entries) &&
	       read_number(w, m->address, M_MAP_FLAGS, &m->flags) &&
	       read_number(w, m->address, M_MAP_ID, &m->id) && layout_has(w->layout, M_MAP_NAME) &&
	       space_read(w->space, m->address + w->layout->members[M_MAP_NAME], m->name,
			  MAPS_NAME);
}

static void read_map(struct map_walk *w, uint64_t address)
{
	struct map_view m = { .address = address };

	if (!read_head(w, &m)) {
		w->out->is_cut = true;
		return;
	}
	read_types(w, &m);
	if (m.type != TYPE_ARENA)
		map_contents_read(w, &m);
	if (w->rc == 0)
		w->rc = vec_push(&w->out->maps, m);
}

/* Arenas come last: they may have so many pages that nothing would be left for other maps. */
static void read_arenas(struct map_walk *w)
{
	vec_each_while(struct map_view, m, &w->out->maps, w->rc == 0)
		if (m->type == TYPE_ARENA)
			map_contents_read(w, m);
}

/*
 * Reads the function pointers of a scheduler's operations; returns their size in bytes, 0 =
 * unknown.
 */
static size_t read_functions(struct space *space, uint64_t ops, char out[MAX_FUNCTIONS])
{
	const struct watch_layout *l = space->layout;
	uint32_t from = l->members[M_OPS_FUNCTIONS], to = l->members[M_OPS_FUNCTIONS_END];

	if (to == LAYOUT_ABSENT || to <= from || to - from > MAX_FUNCTIONS ||
	    !space_read(space, ops + from, out, to - from))
		return 0;
	return to - from;
}

/*
 * BTF address of the attached scheduler, which all its maps share; 0 = no scheduler, or its map is
 * not found. sched_ext keeps a copy of the scheduler's operations. Its functions are in memory of
 * the struct_ops map that they came from, so no two maps have the same.
 */
static uint64_t find_live_types(struct space *space, const struct maps *m)
{
	const struct watch_layout *l = space->layout;
	char attached[MAX_FUNCTIONS], own[MAX_FUNCTIONS];
	uint64_t instance = scx_instance(space), ops = instance ? scx_ops(space, instance) : 0;
	size_t len = 0;

	if (ops && layout_has(l, M_STRUCT_OPS_DATA))
		len = read_functions(space, ops, attached);
	vec_each(const struct map_view, map, &m->maps)
		if (len && map->type == TYPE_STRUCT_OPS &&
		    read_functions(space, map->address + l->members[M_STRUCT_OPS_DATA], own) &&
		    memcmp(attached, own, len) == 0)
			return map->btf;
	return 0;
}

/*
 * Maps without BTF, such as arenas, belong to a scheduler if one of its programs uses them. No
 * program has two arenas.
 */
static void mark_used(struct space *space, uint64_t program, uint64_t live, struct maps *m,
		      size_t *steps)
{
	uint64_t aux, btf, table, count, map;

	if (!space_read_member(space, program, M_PROG_AUX, &aux) ||
	    !space_read_member(space, aux, M_AUX_BTF, &btf) || !btf ||
	    !space_read_member(space, aux, M_AUX_MAPS, &table) ||
	    !space_read_member(space, aux, M_AUX_MAP_COUNT, &count))
		return;
	for (uint64_t i = 0; i < MIN(count, MAX_USED_MAPS) && *steps; i++, --*steps) {
		if (!space_read_u64(space, table + i * sizeof(map), &map))
			return;
		vec_each(struct map_view, view, &m->maps) {
			if (view->address != map)
				continue;
			view->is_live |= btf == live;
			if (view->type == TYPE_ARENA)
				view->arena_types = btf;
		}
	}
}

static void mark_live(struct space *space, struct maps *m)
{
	_idr_objects_ struct idr_objects programs = {};
	uint64_t live = find_live_types(space, m);
	bool has_arenas = false;
	size_t steps = MAX_STEPS;

	vec_each(struct map_view, map, &m->maps) {
		map->is_live = live && map->btf == live;
		has_arenas |= map->type == TYPE_ARENA;
	}
	if (!live && !has_arenas)
		return;
	if (idr_read(&programs, space, SYM_PROG_IDR) < 0)
		err_clear();
	for (size_t i = 0; i < programs.items.count; i++)
		mark_used(space, programs.items.items[i], live, m, &steps);
}

int maps_read(struct maps *m, struct space *space, unsigned int cpu_count)
{
	struct map_walk w = { .out = m,
			      .space = space,
			      .layout = space->layout,
			      .cpu_count = cpu_count,
			      .steps = MAX_STEPS,
			      .types = MAX_TYPES_BYTES };
	_idr_objects_ struct idr_objects objects = {};

	*m = (struct maps){};
	w.rc = idr_read(&objects, space, SYM_MAP_IDR);
	m->is_cut = objects.is_cut;
	for (size_t i = 0; i < objects.items.count && w.rc == 0; i++)
		read_map(&w, objects.items.items[i]);
	read_arenas(&w);
	if (w.rc == 0)
		w.rc = str_check(&m->bytes);
	if (w.rc < 0)
		maps_finish(m);
	else
		mark_live(space, m);
	return w.rc;
}

void maps_finish(struct maps *m)
{
	for (size_t i = 0; i < m->types.count; i++)
		guest_types_finish(&m->types.items[i]);
	free(m->maps.items);
	free(m->values.items);
	free(m->types.items);
	str_finish(&m->bytes);
	*m = (struct maps){};
}

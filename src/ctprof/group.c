// SPDX-License-Identifier: GPL-2.0-only
/* Grouping by hashing the ids of normalised names. */
#include "ctprof/group.h"

#include <math.h>

struct key {
	uint32_t cgroup, pcomm, comm; /* key ids, NO_ID where unused */
};

struct builder {
	struct grouping *grouping;
	struct naming *naming;
	const struct selection *selection;
	const struct report_options *options;
	const struct window *window;
	struct key *keys[SIDES]; /* by member */
	struct id_map pairs, groups;
	VEC(struct key) group_keys;
	uint32_t *group_of[SIDES];	/* by member */
	struct metric_set *seen[SIDES]; /* by group: metrics that a thread of the side measured */
};

static void builder_finish(struct builder *b)
{
	for (enum side side = BASELINE; side < SIDES; side++) {
		free(b->keys[side]);
		free(b->group_of[side]);
		free(b->seen[side]);
	}
	id_map_finish(&b->pairs);
	id_map_finish(&b->groups);
	free(b->group_keys.items);
}

static int thread_name(struct builder *b, const char *name, uint32_t *key)
{
	if (b->options->is_thread_literal)
		return naming_literal(b->naming, name, key);
	return naming_skeleton(b->naming, name, key);
}

static int key_all(struct builder *b, const struct thread_record *t, struct key *key)
{
	int rc = naming_cgroup(b->naming, t->cgroup, &key->cgroup);

	rc = rc ?: thread_name(b, t->pcomm, &key->pcomm);
	return rc ?: thread_name(b, t->comm, &key->comm);
}

static int make_key(struct builder *b, const struct thread_record *t, struct key *key)
{
	int rc;

	*key = (struct key){ NO_ID, NO_ID, NO_ID };
	switch (b->options->axis) {
	case AXIS_ALL:
		return key_all(b, t, key);
	case AXIS_NAMES:
		rc = naming_literal(b->naming, t->pcomm, &key->pcomm);
		return rc ?: naming_literal(b->naming, t->comm, &key->comm);
	case AXIS_PCOMM:
		return thread_name(b, t->pcomm, &key->pcomm);
	case AXIS_COMM:
		return thread_name(b, t->comm, &key->comm);
	case AXIS_COMM_EXACT:
		return naming_literal(b->naming, t->comm, &key->comm);
	case AXIS_CGROUP:
		return naming_cgroup(b->naming, t->cgroup, &key->cgroup);
	case AXIS_COUNT:
		break;
	}
	return -EINVAL;
}

static int make_keys(struct builder *b)
{
	for (enum side side = BASELINE; side < SIDES; side++) {
		size_t count = b->selection->sides[side].count;

		b->keys[side] = calloc(count + 1, sizeof(*b->keys[side]));
		b->group_of[side] = calloc(count + 1, sizeof(*b->group_of[side]));
		if (!b->keys[side] || !b->group_of[side])
			return err_no_memory();
		for (size_t i = 0; i < count; i++) {
			int rc = make_key(b, b->selection->sides[side].items[i].named_by,
					  &b->keys[side][i]);

			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

/* The part of a key that can be reverted to the literal name. */
static uint32_t *revertible(enum axis axis, struct key *key)
{
	return axis == AXIS_PCOMM ? &key->pcomm : &key->comm;
}

/* Restores the literal name where a skeleton matches a single thread only. */
static int revert_singletons(struct builder *b)
{
	enum axis axis = b->options->axis;
	_free_ uint32_t *members = NULL;

	if (b->options->is_thread_literal || (axis != AXIS_PCOMM && axis != AXIS_COMM))
		return 0;
	members = calloc(b->naming->keys.texts.count + 1, sizeof(*members));
	if (!members)
		return err_no_memory();
	for (enum side side = BASELINE; side < SIDES; side++)
		for (size_t i = 0; i < b->selection->sides[side].count; i++)
			members[*revertible(axis, &b->keys[side][i])]++;
	for (enum side side = BASELINE; side < SIDES; side++)
		for (size_t i = 0; i < b->selection->sides[side].count; i++) {
			const struct thread_record *t = b->selection->sides[side].items[i].named_by;
			uint32_t *part = revertible(axis, &b->keys[side][i]);
			int rc = 0;

			if (members[*part] < 2)
				rc = naming_literal(b->naming,
						    axis == AXIS_PCOMM ? t->pcomm : t->comm, part);
			if (rc < 0)
				return rc;
		}
	return 0;
}

#define MIXED (NO_ID - 1)

/* Notes the literal name by key; MIXED = the threads of the skeleton have different names. */
static int note_name(struct builder *b, uint32_t key, const char *name, uint32_t *names)
{
	uint32_t literal;
	int rc;

	if (key == NO_ID || !strstr(naming_text(b->naming, key), "{H}"))
		return 0;
	rc = naming_literal(b->naming, name, &literal);
	if (rc == 0)
		names[key] = names[key] == NO_ID || names[key] == literal ? literal : MIXED;
	return rc;
}

static void take_name(uint32_t *key, size_t count, const uint32_t *names)
{
	if (*key < count && names[*key] < MIXED)
		*key = names[*key];
}

/*
 * A word that looks like a hexadecimal number, such as cc1, is a name if no other thread differs in
 * it.
 */
static int revert_words(struct builder *b)
{
	size_t count = b->naming->keys.texts.count;
	_free_ uint32_t *names = malloc((count + 1) * sizeof(*names));
	int rc = 0;

	if (!names)
		return err_no_memory();
	if (b->options->is_thread_literal)
		return 0;
	memset(names, 0xff, (count + 1) * sizeof(*names));
	for (enum side side = BASELINE; side < SIDES; side++)
		for (size_t i = 0; i < b->selection->sides[side].count && rc == 0; i++) {
			const struct thread_record *t = b->selection->sides[side].items[i].named_by;

			rc = note_name(b, b->keys[side][i].pcomm, t->pcomm, names);
			rc = rc ?: note_name(b, b->keys[side][i].comm, t->comm, names);
		}
	for (enum side side = BASELINE; side < SIDES && rc == 0; side++)
		for (size_t i = 0; i < b->selection->sides[side].count; i++) {
			take_name(&b->keys[side][i].pcomm, count, names);
			take_name(&b->keys[side][i].comm, count, names);
		}
	return rc;
}

static int number_groups(struct builder *b)
{
	for (enum side side = BASELINE; side < SIDES; side++)
		for (size_t i = 0; i < b->selection->sides[side].count; i++) {
			const struct key *key = &b->keys[side][i];
			uint32_t pair = NO_ID, group = NO_ID;
			int rc = id_map_add(&b->pairs, id_pair(key->cgroup, key->pcomm), &pair);

			rc = rc ?: id_map_add(&b->groups, id_pair(pair, key->comm), &group);
			if (rc == 0 && group == b->group_keys.count)
				rc = vec_push(&b->group_keys, *key);
			if (rc < 0)
				return rc;
			b->group_of[side][i] = group;
		}
	return 0;
}

static int show_cgroup(struct builder *b, struct group *g)
{
	_str_ struct str text = {};

	naming_add_cgroup_display(b->naming, g->cgroup_key, &text);
	g->cgroup_shown = arena_copy(&b->grouping->arena, str_get(&text), text.len);
	return g->cgroup_shown && !text.failed ? 0 : err_no_memory();
}

static const char *key_text(const struct builder *b, uint32_t id)
{
	return id == NO_ID ? NULL : naming_text(b->naming, id);
}

static int make_groups(struct builder *b)
{
	struct grouping *grouping = b->grouping;

	grouping->count = b->group_keys.count;
	grouping->groups = calloc(grouping->count + 1, sizeof(*grouping->groups));
	if (!grouping->groups)
		return err_no_memory();
	for (size_t i = 0; i < grouping->count; i++) {
		const struct key *key = &b->group_keys.items[i];
		struct group *g = &grouping->groups[i];
		int rc;

		*g = (struct group){ .cgroup = key_text(b, key->cgroup),
				     .pcomm = key_text(b, key->pcomm),
				     .comm = key_text(b, key->comm),
				     .cgroup_key = key->cgroup,
				     .pcomm_key = key->pcomm,
				     .comm_key = key->comm,
				     .fudge_pair = NOT_FUDGED };
		rc = g->cgroup ? show_cgroup(b, g) : 0;
		if (rc < 0)
			return rc;
	}
	return 0;
}

static void add_start(struct aggregate *a, const struct thread_record *t, const struct window *w)
{
	if (!t->start_ticks.is_known)
		return;
	a->known_starts++;
	a->start_sum += (double)t->start_ticks.value;
	a->newest_start = fmax(a->newest_start, (double)t->start_ticks.value);
	a->alive_sum += window_alive(w, t->start_ticks.value);
}

static int find_seen(struct builder *b)
{
	for (enum side side = BASELINE; side < SIDES; side++) {
		b->seen[side] = calloc(b->grouping->count + 1, sizeof(*b->seen[side]));
		if (!b->seen[side])
			return err_no_memory();
		for (size_t i = 0; i < b->selection->sides[side].count; i++) {
			struct metric_set own =
				thread_metrics(b->selection->sides[side].items[i].thread);
			struct metric_set *all = &b->seen[side][b->group_of[side][i]];

			for (size_t word = 0; word < MEASURED_WORDS; word++)
				all->bits[word] |= own.bits[word];
		}
	}
	return 0;
}

/*
 * For paired threads, a metric counts only if it was measured on both sides: otherwise a missing
 * reading would look like a change. Exception: if no thread of the group has it on the other side,
 * the reading is kept, since there is no difference to show.
 */
static struct metric_set usable_metrics(const struct builder *b, enum side side, size_t i)
{
	struct metric_set own = thread_metrics(b->selection->sides[side].items[i].thread);
	struct metric_set twin, *other;

	if (!b->selection->is_paired)
		return own;
	twin = thread_metrics(b->selection->sides[side].items[i].twin);
	other = &b->seen[!side][b->group_of[side][i]];
	for (size_t word = 0; word < MEASURED_WORDS; word++)
		own.bits[word] &= twin.bits[word] | ~other->bits[word];
	return own;
}

static int merge_members(struct builder *b, enum side side)
{
	for (size_t i = 0; i < b->selection->sides[side].count; i++) {
		const struct thread_record *t = b->selection->sides[side].items[i].thread;
		struct group *g = &b->grouping->groups[b->group_of[side][i]];
		struct aggregate **a = &g->sides[side];
		struct metric_set usable = usable_metrics(b, side, i);
		int rc;

		if (!*a)
			*a = arena_alloc(&b->grouping->arena, sizeof(**a));
		if (!*a)
			return err_no_memory();
		rc = aggregate_add_thread(*a, t, &usable, &b->grouping->arena);
		if (rc < 0)
			return rc;
		add_start(*a, t, b->window);
	}
	return 0;
}

static int add_fate(struct builder *b, struct group *g, enum fate fate,
		    const struct thread_record *now, const struct thread_record *before)
{
	struct aggregate **a = &g->fates[fate];

	if (!*a)
		*a = arena_alloc(&b->grouping->arena, sizeof(**a));
	if (!*a)
		return err_no_memory();
	aggregate_add_counted(*a, now, before, b->window);
	return 0;
}

static int add_member_fate(struct builder *b, enum side side, size_t i)
{
	const struct member *m = &b->selection->sides[side].items[i];
	struct group *g = &b->grouping->groups[b->group_of[side][i]];

	g->is_joined = true;
	if (side == BASELINE)
		return m->twin ? 0 : add_fate(b, g, FATE_DIED, m->thread, NULL);
	if (m->twin)
		return add_fate(b, g, FATE_SURVIVED, m->thread, m->twin);
	if (window_has_start(b->window, m->thread))
		return add_fate(b, g, FATE_BORN, m->thread, NULL);
	g->unplaced++;
	return 0;
}

static int find_fates(struct builder *b)
{
	int rc = 0;

	for (enum side side = BASELINE; side < SIDES; side++)
		for (size_t i = 0; rc == 0 && i < b->selection->sides[side].count; i++)
			rc = add_member_fate(b, side, i);
	return rc;
}

struct residence {
	uint32_t group;
	const char *path;
};

static int compare_residences(const void *a, const void *b)
{
	const struct residence *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* Finds the literal cgroup path with most threads of the group, in the latest snapshot. */
static int find_most_frequent_cgroups(struct builder *b)
{
	enum side side = b->selection->sides[CANDIDATE].count ? CANDIDATE : BASELINE;
	size_t count = b->selection->sides[side].count;
	_free_ struct residence *list = calloc(count + 1, sizeof(*list));
	_free_ size_t *best = calloc(b->grouping->count + 1, sizeof(*best));

	if (!list || !best)
		return err_no_memory();
	for (size_t i = 0; i < count; i++) {
		const char *path = b->selection->sides[side].items[i].named_by->cgroup;

		list[i] = (struct residence){ b->group_of[side][i], path ? path : "?" };
	}
	qsort(list, count, sizeof(*list), compare_residences);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && compare_residences(&list[i], &list[end]) == 0;)
			end++;
		if (end - i > best[list[i].group]) {
			best[list[i].group] = end - i;
			b->grouping->groups[list[i].group].cgroups_most = list[i].path;
		}
	}
	return 0;
}

static int compare_part(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : 0;
}

static int group_compare(const struct group *a, const struct group *b)
{
	int order = compare_part(a->cgroup, b->cgroup);

	if (!order)
		order = compare_part(a->pcomm, b->pcomm);
	return order ? order : compare_part(a->comm, b->comm);
}

static int compare_groups(const void *a, const void *b)
{
	return group_compare(a, b);
}

struct value group_window_value(const struct group *g, unsigned int measure)
{
	return aggregate_value_of_both(g->fates[FATE_SURVIVED], g->fates[FATE_BORN], measure);
}

const char *group_leaf(const struct group *g)
{
	if (g->comm)
		return g->comm;
	return g->pcomm ? g->pcomm : g->cgroup_shown;
}

static bool wants_cgroup_column(const struct report_options *o)
{
	for (size_t i = 0; i < o->column_count; i++)
		if (o->columns[i] == COLUMN_CGROUP)
			return true;
	return o->format == FORMAT_JSON;
}

int group_members(struct grouping *g, struct naming *n, const struct selection *s,
		  const struct report_options *o, const struct window *w)
{
	_cleanup_(builder_finish) struct builder b = {
		.grouping = g, .naming = n, .selection = s, .options = o, .window = w
	};
	int rc = make_keys(&b)		       ?:
			 revert_words(&b)      ?:
			 revert_singletons(&b) ?:
			 number_groups(&b)     ?:
						 make_groups(&b);

	if (rc == 0 && s->is_paired)
		rc = find_seen(&b);
	rc = rc ?: merge_members(&b, BASELINE);
	rc = rc ?: merge_members(&b, CANDIDATE);
	if (rc == 0 && s->is_joined)
		rc = find_fates(&b);
	if (rc == 0 && wants_cgroup_column(o))
		rc = find_most_frequent_cgroups(&b);
	if (rc == 0)
		qsort(g->groups, g->count, sizeof(*g->groups), compare_groups);
	return rc;
}

void grouping_finish(struct grouping *g)
{
	free(g->groups);
	arena_finish(&g->arena);
	*g = (struct grouping){};
}

// SPDX-License-Identifier: GPL-2.0-only
/* Merge rules of cgroup files. */
#include "ctprof/report.h"

static const char *const gauges[] = {
	"anon",
	"file",
	"kernel",
	"kernel_stack",
	"pagetables",
	"sec_pagetables",
	"percpu",
	"sock",
	"vmalloc",
	"shmem",
	"zswap",
	"zswapped",
	"file_mapped",
	"file_dirty",
	"file_writeback",
	"swapcached",
	"anon_thp",
	"file_thp",
	"shmem_thp",
	"inactive_anon",
	"active_anon",
	"inactive_file",
	"active_file",
	"unevictable",
	"slab_reclaimable",
	"slab_unreclaimable",
	"slab",
	"hugetlb",
};

bool memory_stat_is_gauge(const char *key)
{
	return str_index(gauges, ARRAY_SIZE(gauges), key) >= 0;
}

enum merge_rule { ADD, LARGER, SMALLER };

#define AT(member) offsetof(struct cgroup_record, member)

/* Peaks of several cgroups may be of different times, so they are not added. */
static const struct {
	size_t offset;
	enum merge_rule rule;
} numbers[] = {
	{ AT(usage_usec), ADD },	{ AT(nr_throttled), ADD },
	{ AT(throttled_usec), ADD },	{ AT(pids_current), ADD },
	{ AT(memory_current), LARGER }, { AT(memory_swap_current), LARGER },
	{ AT(memory_peak), LARGER },	{ AT(pids_peak), LARGER },
	{ AT(cpu_period_us), LARGER },	{ AT(cpu_quota_us), LARGER },
	{ AT(cpu_weight), LARGER },	{ AT(memory_max), LARGER },
	{ AT(memory_high), LARGER },	{ AT(pids_max), LARGER },
	{ AT(memory_low), SMALLER },	{ AT(memory_min), SMALLER },
};

/*
 * The result is unknown if a value is: a sum without it would be too small, an unknown size may be
 * the largest, and an unknown limit means that there is no limit.
 */
static void merge_number(struct opt_u64 *into, const struct opt_u64 *from, enum merge_rule rule)
{
	if (!into->is_known || !from->is_known)
		*into = (struct opt_u64){};
	else if (rule == ADD)
		into->value = add_saturating(into->value, from->value);
	else
		into->value = (from->value > into->value) == (rule == LARGER) ? from->value :
										into->value;
}

static void merge_psi_line(struct psi_line *into, const struct psi_line *from)
{
	if (!into->is_known || !from->is_known) {
		*into = (struct psi_line){};
		return;
	}
	into->avg10 = MAX(into->avg10, from->avg10);
	into->avg60 = MAX(into->avg60, from->avg60);
	into->avg300 = MAX(into->avg300, from->avg300);
	into->total_usec = add_saturating(into->total_usec, from->total_usec);
}

/* An empty list was not read. */
static int merge_list(struct named_list *into, const struct named_list *from,
		      bool (*takes_larger)(const char *name), struct arena *arena)
{
	if (into->count && from->count)
		return named_list_merge(into, from, takes_larger, arena);
	*into = (struct named_list){};
	return 0;
}

/*
 * Counters are added; of gauges, peaks and averages the larger value is used; of limits the larger
 * one unless one is unlimited; of floors the smaller one unless one is unset. A value that is
 * missing in one record is unknown.
 */
static int merge_record(struct cgroup_record *into, const struct cgroup_record *from,
			struct arena *arena)
{
	int rc = merge_list(&into->memory_stat, &from->memory_stat, memory_stat_is_gauge, arena);

	rc = rc ?: merge_list(&into->memory_events, &from->memory_events, NULL, arena);
	rc = rc ?: merge_list(&into->io_stat, &from->io_stat, NULL, arena);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		merge_number((struct opt_u64 *)((char *)into + numbers[i].offset),
			     (const struct opt_u64 *)((const char *)from + numbers[i].offset),
			     numbers[i].rule);
	for (int i = 0; i < PSI_RESOURCES; i++) {
		merge_psi_line(&into->psi.resources[i].some, &from->psi.resources[i].some);
		merge_psi_line(&into->psi.resources[i].full, &from->psi.resources[i].full);
	}
	return rc;
}

/* Collects the cgroups of selected threads, for filters on threads. */
static int collect_homes(struct intern *homes, const struct selection *kept)
{
	for (enum side side = BASELINE; side < SIDES; side++)
		for (size_t i = 0; i < kept->sides[side].count; i++) {
			const char *path = kept->sides[side].items[i].thread->cgroup;
			uint32_t id;
			int rc = path ? intern_add(homes, path, &id) : 0;

			if (rc < 0)
				return rc;
		}
	return 0;
}

struct joiner {
	struct cgroup_table *table;
	struct naming *naming;
	const struct thread_filter *filter;
	struct intern homes;
	struct id_map pairs; /* key id → index of the pair */
};

static void joiner_finish(struct joiner *j)
{
	intern_finish(&j->homes);
	id_map_finish(&j->pairs);
}

static bool is_wanted(const struct joiner *j, const char *path)
{
	bool filters_threads = j->filter->pids.count || j->filter->comms.count;

	return filter_passes_cgroup(j->filter, path) &&
	       (!filters_threads || intern_find(&j->homes, path) != NO_ID);
}

/* A copied record shares its lists with the snapshot: copies them, because merging changes them. */
static int own_lists(struct cgroup_record *copy, struct arena *arena)
{
	struct named_list *lists[] = { &copy->memory_stat, &copy->memory_events, &copy->io_stat };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(lists); i++) {
		struct named_list theirs = *lists[i];

		*lists[i] = (struct named_list){};
		rc = named_list_merge(lists[i], &theirs, NULL, arena);
	}
	return rc;
}

static int add_record(struct joiner *j, enum side side, const struct cgroup_record *r)
{
	struct cgroup_table *t = j->table;
	struct cgroup_record **own;
	uint32_t key = NO_ID, index = NO_ID;
	int rc = naming_cgroup(j->naming, r->path, &key) ?: id_map_add(&j->pairs, key, &index);

	if (rc == 0 && index == t->count)
		rc = vec_grow((void **)&t->pairs, &t->cap, t->count + 1, sizeof(*t->pairs));
	if (rc < 0)
		return rc;
	if (index == t->count)
		t->pairs[t->count++] =
			(struct cgroup_pair){ .key_id = key, .key = naming_text(j->naming, key) };
	own = &t->pairs[index].sides[side];
	if (*own)
		return merge_record(*own, r, &t->arena);
	*own = arena_alloc(&t->arena, sizeof(**own));
	if (!*own)
		return err_no_memory();
	**own = *r;
	return own_lists(*own, &t->arena);
}

static int show_names(struct joiner *j)
{
	for (size_t i = 0; i < j->table->count; i++) {
		_str_ struct str text = {};

		naming_add_cgroup_display(j->naming, j->table->pairs[i].key_id, &text);
		j->table->pairs[i].shown = arena_copy(&j->table->arena, str_get(&text), text.len);
		if (!j->table->pairs[i].shown || text.failed)
			return err_no_memory();
	}
	return 0;
}

static int compare_pairs(const void *a, const void *b)
{
	return strcmp(((const struct cgroup_pair *)a)->key, ((const struct cgroup_pair *)b)->key);
}

int cgroups_join(struct cgroup_table *t, struct naming *n, const struct snapshot_pair *pair,
		 const struct selection *kept, const struct thread_filter *filter)
{
	_cleanup_(joiner_finish) struct joiner j = { .table = t, .naming = n, .filter = filter };
	int rc = collect_homes(&j.homes, kept);

	for (enum side side = BASELINE; rc == 0 && side < SIDES; side++) {
		const struct snapshot *s = pair->sides[side];

		for (size_t i = 0; rc == 0 && s && i < s->cgroup_count; i++)
			if (is_wanted(&j, s->cgroups[i].path))
				rc = add_record(&j, side, &s->cgroups[i]);
	}
	rc = rc ?: show_names(&j);
	if (rc == 0 && t->count)
		qsort(t->pairs, t->count, sizeof(*t->pairs), compare_pairs);
	return rc;
}

void cgroup_table_finish(struct cgroup_table *t)
{
	free(t->pairs);
	arena_finish(&t->arena);
	*t = (struct cgroup_table){};
}

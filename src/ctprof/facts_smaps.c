// SPDX-License-Identifier: GPL-2.0-only
/* smaps_rollup of processes, summed by name. */
#include "ctprof/report.h"

static const struct fact_layout layout = { SECTION_SMAPS_ROLLUP,
					   { LEAD_SUBJECT, LEAD_METRIC },
					   { "process", "key", "value" } };

struct process {
	const char *name;
	struct named_list sides[SIDES];		 /* KiB */
	unsigned int read[SIDES], unread[SIDES]; /* number of processes */
};

struct processes {
	struct process *items;
	size_t count, cap;
};

/* Without normalisation each process has its own key. */
static int process_key(const struct fact_sources *from, const struct thread_record *t,
		       uint32_t *key)
{
	_free_ char *name = NULL;

	if (!from->options->is_thread_literal)
		return naming_skeleton(from->naming, t->pcomm, key);
	name = str_fmt("%s[%u]", t->pcomm ? t->pcomm : "?", t->tgid);
	return name ? intern_add_copy(&from->naming->keys, name, key) : err_no_memory();
}

static int add_process(struct fact_tables *all, const struct fact_sources *from,
		       struct processes *list, struct id_map *index, enum side side,
		       const struct thread_record *t)
{
	uint32_t key = NO_ID, at = NO_ID;
	int rc = process_key(from, t, &key) ?: id_map_add(index, key, &at);

	if (rc == 0 && at == list->count)
		rc = vec_push(list, (struct process){ .name = naming_text(from->naming, key) });
	if (rc < 0 || at >= list->count)
		return rc;
	if (!t->smaps_kib.count) {
		list->items[at].unread[side]++;
		return 0;
	}
	list->items[at].read[side]++;
	return named_list_merge(&list->items[at].sides[side], &t->smaps_kib, NULL, &all->arena);
}

/* Kernel threads have no memory of their own, other threads that of their leader. */
static bool has_memory(const struct thread_record *t)
{
	return t->smaps_kib.count || (t->tid == t->tgid && !t->is_kernel_thread);
}

static int add_processes(struct fact_tables *all, const struct fact_sources *from,
			 struct processes *list)
{
	_cleanup_(id_map_finish) struct id_map index = {};

	for (enum side side = BASELINE; side < SIDES; side++)
		for (size_t i = 0; i < from->kept->sides[side].count; i++) {
			const struct thread_record *t = from->kept->sides[side].items[i].thread;
			int rc = has_memory(t) ? add_process(all, from, list, &index, side, t) : 0;

			if (rc < 0)
				return rc;
		}
	return 0;
}

static uint64_t kib_of(const struct process *p, enum side side, const char *name)
{
	const struct named_u64 *found = named_list_find(&p->sides[side], name, 0);

	return found ? found->value : 0;
}

static int compare_sizes(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static uint64_t rss_change(const struct process *p)
{
	uint64_t a = kib_of(p, BASELINE, "Rss"), b = kib_of(p, CANDIDATE, "Rss");

	return a > b ? a - b : b - a;
}

static int compare_by_change(const void *a, const void *b)
{
	const struct process *x = a, *y = b;
	int order = compare_sizes(rss_change(x), rss_change(y));

	if (!order)
		order = compare_sizes(MAX(kib_of(x, BASELINE, "Rss"), kib_of(x, CANDIDATE, "Rss")),
				      MAX(kib_of(y, BASELINE, "Rss"), kib_of(y, CANDIDATE, "Rss")));
	return order ? order : strcmp(x->name, y->name);
}

static int compare_by_size(const void *a, const void *b)
{
	const struct process *x = a, *y = b;
	int order = compare_sizes(kib_of(x, CANDIDATE, "Rss"), kib_of(y, CANDIDATE, "Rss"));

	if (!order)
		order = compare_sizes(kib_of(x, CANDIDATE, "Pss"), kib_of(y, CANDIDATE, "Pss"));
	return order ? order : strcmp(x->name, y->name);
}

static struct value bytes(const struct process *p, enum side side, const char *name, size_t hint)
{
	const struct named_u64 *found = named_list_find(&p->sides[side], name, hint);

	if (!found)
		return (struct value){};
	return value_unsigned(found->value > UINT64_MAX / 1024 ? UINT64_MAX : found->value * 1024);
}

static bool is_seen(const struct process *p, enum side side)
{
	return p->read[side] || p->unread[side];
}

static void add_keys(struct fact_tables *all, const struct process *p, enum side side, bool is_show)
{
	const struct named_list *names = &p->sides[side];

	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->items[i].name;
		struct fact f = { .subject = p->name, .metric = name, .ladder = LADDER_BYTES };

		if (side == CANDIDATE && named_list_find(&p->sides[BASELINE], name, i))
			continue;
		for (enum side of = BASELINE; of < SIDES; of++) {
			f.cell.sides[of] = bytes(p, of, name, i);
			f.cell.is_partial[of] = p->read[of] && p->unread[of];
		}
		if (is_show || fact_is_changed(&f))
			fact_add(all, &f);
	}
}

void facts_collect_smaps(struct fact_tables *all, const struct fact_sources *from)
{
	_vec_ struct processes list = {};
	bool is_show = from->options->is_show;

	if (!fact_table_start(all, from, &layout, NULL))
		return;
	all->failed |= add_processes(all, from, &list) < 0;
	if (list.count)
		qsort(list.items, list.count, sizeof(*list.items),
		      is_show ? compare_by_size : compare_by_change);
	vec_each(const struct process, p, &list) {
		/* A process of one side only did not change: there is nothing to compare. */
		if (!is_show && !(is_seen(p, BASELINE) && is_seen(p, CANDIDATE)))
			continue;
		add_keys(all, p, BASELINE, is_show);
		add_keys(all, p, CANDIDATE, is_show);
	}
}

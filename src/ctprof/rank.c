// SPDX-License-Identifier: GPL-2.0-only
/* Which rows a table has and in what order. */
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/util.h"
#include "base/vec.h"
#include "ctprof/compare.h"

struct ranker {
	struct ranking *ranking;
	const struct grouping *grouping;
	const struct report_options *options;
	const struct window *window;
	size_t *group_rank;	     /* by group; NULL without --sort-by */
	double *sort_values;	     /* group by group, one per sort key */
	bool is_seen[MEASURE_COUNT]; /* some group has a value; set if sections are named */
};

/* Negative when a comes first. Nothing is equal: a row is one measure of one group. */
static int order_rows(const struct row *a, const struct row *b)
{
	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->measure < b->measure ? -1 : a->measure > b->measure;
}

static int compare_rows(const void *a, const void *b)
{
	return order_rows(a, b);
}

/* The rows kept so far are a heap with the last one of the table on top. */
static void sift_down(struct ranking *r, size_t at)
{
	for (;;) {
		size_t last = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < r->count; child++)
			if (order_rows(&r->rows[child], &r->rows[last]) > 0)
				last = child;
		if (last == at)
			return;
		struct row row = r->rows[at];

		r->rows[at] = r->rows[last];
		r->rows[last] = row;
		at = last;
	}
}

static void make_heap(struct ranking *r)
{
	for (size_t i = r->count / 2; i-- > 0;)
		sift_down(r, i);
}

static int append_row(struct ranking *r, struct row row)
{
	int rc = vec_grow((void **)&r->rows, &r->cap, r->count + 1, sizeof(*r->rows));

	if (rc == 0)
		r->rows[r->count++] = row;
	return rc;
}

static int keep_best(struct ranking *r, struct row row, uint64_t limit)
{
	if (!limit || r->count < limit) {
		int rc = append_row(r, row);

		if (rc == 0 && r->count == limit)
			make_heap(r);
		return rc;
	}
	r->cut++;
	if (order_rows(&row, &r->rows[0]) < 0) {
		r->rows[0] = row;
		sift_down(r, 0);
	}
	return 0;
}

/* |delta / baseline|; growth from nothing counts most, what is no number least. */
static double default_key(const struct cell *c)
{
	double from = value_number(&c->sides[BASELINE]);

	if (c->delta.kind != DELTA_NUMBER)
		return -1;
	if (!(fabs(from) > 0))
		return fabs(c->delta.number) * 1e9;
	return fabs(c->delta.number / from);
}

static bool is_measured(const struct cell *c)
{
	return c->sides[BASELINE].kind != VALUE_ABSENT || c->sides[CANDIDATE].kind != VALUE_ABSENT;
}

/*
 * Rows of dashes are for those who asked: for the metric, which is then shown
 * for all groups of both sides, or for its section, as long as some group has a
 * value.
 */
static bool is_absence_shown(const struct ranker *k, const struct group *g, unsigned int measure)
{
	if (!group_is_matched(g))
		return false;
	if (k->options->are_metrics_named)
		return true;
	return k->options->are_sections_named && k->is_seen[measure];
}

static int add_row(struct ranker *k, size_t group, unsigned int measure, struct ranking *exempt)
{
	const struct group *g = &k->grouping->groups[group];
	const struct report_options *o = k->options;
	struct row row = { .group = (uint32_t)group, .measure = measure };

	if (!o->is_show) {
		struct cell c = compare_cell(g, measure, o, k->window);

		if (!options_pass_change(o, &c.sides[BASELINE], &c.delta) ||
		    (!is_measured(&c) && !is_absence_shown(k, g, measure)))
			return 0;
		row.key = default_key(&c);
	}
	if (k->group_rank)
		row.key = -(double)k->group_rank[group];
	if (g->fudge_pair != NOT_FUDGED)
		return append_row(exempt, row);
	return keep_best(k->ranking, row, o->limit);
}

static bool is_in_table(unsigned int measure, const struct report_options *o)
{
	return o->measures[measure] && options_want(o, measure_section(measure));
}

static void find_seen(struct ranker *k)
{
	if (k->options->is_show || !k->options->are_sections_named)
		return;
	for (size_t i = 0; i < k->grouping->count; i++)
		for (unsigned int m = 0; m < MEASURE_COUNT; m++) {
			struct cell c;

			if (k->is_seen[m] || !is_in_table(m, k->options))
				continue;
			c = compare_cell(&k->grouping->groups[i], m, k->options, k->window);
			k->is_seen[m] = is_measured(&c);
		}
}

static int add_rows(struct ranker *k, bool is_derived, struct ranking *exempt)
{
	unsigned int first = is_derived ? METRIC_COUNT : 0;
	unsigned int end = is_derived ? MEASURE_COUNT : METRIC_COUNT;

	for (size_t i = 0; i < k->grouping->count; i++) {
		for (unsigned int m = first; m < end; m++) {
			int rc = is_in_table(m, k->options) ? add_row(k, i, m, exempt) : 0;

			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

/* Missing values are last in either direction. */
static int order_values(double a, double b, bool is_ascending)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	if (a == b)
		return 0;
	return (a < b) == is_ascending ? -1 : 1;
}

static int compare_groups(const void *a, const void *b, void *context)
{
	const struct ranker *k = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	size_t keys = k->options->sort.count;

	for (size_t i = 0; i < keys; i++) {
		int order = order_values(k->sort_values[x * keys + i], k->sort_values[y * keys + i],
					 k->options->sort.items[i].is_ascending);

		if (order)
			return order;
	}
	return x < y ? -1 : x > y;
}

static double sort_value(const struct ranker *k, const struct group *g, unsigned int measure)
{
	struct cell c = compare_cell(g, measure, k->options, k->window);

	if (k->options->is_show)
		return value_number(&c.sides[CANDIDATE]);
	return c.delta.kind == DELTA_NUMBER ? c.delta.number : NAN;
}

static int rank_groups(struct ranker *k)
{
	size_t keys = k->options->sort.count, count = k->grouping->count;
	_free_ size_t *order = NULL;

	if (!keys)
		return 0;
	order = calloc(count + 1, sizeof(*order));
	k->group_rank = calloc(count + 1, sizeof(*k->group_rank));
	k->sort_values = calloc(count * keys + 1, sizeof(*k->sort_values));
	if (!order || !k->group_rank || !k->sort_values)
		return err_no_memory();
	for (size_t i = 0; i < count; i++) {
		order[i] = i;
		for (size_t key = 0; key < keys; key++)
			k->sort_values[i * keys + key] = sort_value(
				k, &k->grouping->groups[i], k->options->sort.items[key].measure);
	}
	qsort_r(order, count, sizeof(*order), compare_groups, k);
	for (size_t i = 0; i < count; i++)
		k->group_rank[order[i]] = i;
	return 0;
}

static void ranker_finish(struct ranker *k)
{
	free(k->group_rank);
	free(k->sort_values);
}

int rank_rows(struct ranking *r, const struct grouping *g, bool is_derived,
	      const struct report_options *o, const struct window *w)
{
	_cleanup_(ranker_finish) struct ranker k = {
		.ranking = r, .grouping = g, .options = o, .window = w
	};
	_cleanup_(ranking_finish) struct ranking exempt = {};
	int rc = rank_groups(&k);

	find_seen(&k);
	if (rc == 0)
		rc = add_rows(&k, is_derived, &exempt);
	for (size_t i = 0; rc == 0 && i < exempt.count; i++)
		rc = append_row(r, exempt.rows[i]);
	if (rc == 0 && r->count)
		qsort(r->rows, r->count, sizeof(*r->rows), compare_rows);
	return rc;
}

int rank_population(struct ranking *r, const struct grouping *g, enum side side,
		    const struct report_options *o)
{
	for (size_t i = 0; i < g->count; i++)
		for (unsigned int m = 0; m < METRIC_COUNT; m++) {
			struct value v = aggregate_value(g->groups[i].sides[side], m);
			struct row row = { .key = g->groups[i].sides[side]->threads,
					   .group = (uint32_t)i,
					   .measure = m };
			int rc = 0;

			if (measure_is_counter(m) && is_in_table(m, o) && value_number(&v) > 0)
				rc = keep_best(r, row, o->limit);
			if (rc < 0)
				return rc;
		}
	if (r->count)
		qsort(r->rows, r->count, sizeof(*r->rows), compare_rows);
	return 0;
}

void ranking_finish(struct ranking *r)
{
	free(r->rows);
	*r = (struct ranking){};
}

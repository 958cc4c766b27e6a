// SPDX-License-Identifier: GPL-2.0-only
/* Selects and sorts the rows of a table. */
#include <math.h>

#include "ctprof/report.h"

struct ranker {
	struct ranking *ranking;
	const struct grouping *grouping;
	const struct report_options *options;
	const struct window *window;
	size_t *group_rank;	     /* by group: rank by the sort keys, or by time */
	double *noticed;	     /* by group: time in ns */
	bool *is_little;	     /* by group: the time is negligible */
	double *sort_values;	     /* group by group, one per sort key */
	bool is_seen[MEASURE_COUNT]; /* some group has a value; set if sections are named */
};

static bool is_in_table(unsigned int measure, const struct report_options *o)
{
	return o->measures[measure] && options_want(o, measure_section(measure));
}

/* Negative if a comes first. Rows are never equal: each is one measure of one group. */
static int order_rows(const struct row *a, const struct row *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
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

static int append_row(struct ranking *r, struct row row)
{
	int rc = vec_grow((void **)&r->rows, &r->cap, r->count + 1, sizeof(*r->rows));

	if (rc == 0)
		r->rows[r->count++] = row;
	return rc;
}

/* Sorts the rows and keeps the first limit ones; 0 = all. */
static void sort_rows(struct ranking *r, uint64_t limit)
{
	if (r->count)
		qsort(r->rows, r->count, sizeof(*r->rows), compare_rows);
	if (!limit || r->count <= limit)
		return;
	r->cut += r->count - limit;
	r->count = limit;
}

/* There may be millions of rows: drops the last ones when there are twice as many as shown. */
static int keep_best(struct ranking *r, struct row row, uint64_t limit)
{
	int rc = append_row(r, row);

	if (limit && r->count / 2 >= limit)
		sort_rows(r, limit);
	return rc;
}

/* Below these a change is not noticeable: 1 % of the group's time, a few events or bytes. */
#define NOTICED_SHARE 0.01
#define NOTICED_NS 1e6
#define NOTICED_EVENTS 10
#define NOTICED_BYTES 65536

static bool is_time(unsigned int measure)
{
	return measure_is_sum(measure) &&
	       (measure_ladder(measure) == LADDER_NS || measure_ladder(measure) == LADDER_TICKS);
}

/* Difference in ns, for a time. */
static double time_ns(const struct ranker *k, const struct cell *c, unsigned int measure)
{
	double number = fabs(c->delta.number);

	if (measure_ladder(measure) == LADDER_NS)
		return number;
	return k->window->user_hz ? number * (double)NSEC_PER_SEC / k->window->user_hz : 0;
}

static bool is_noticed(const struct ranker *k, const struct row *row, const struct cell *c)
{
	double least = measure_ladder(row->measure) == LADDER_BYTES ? NOTICED_BYTES :
								      NOTICED_EVENTS;
	double ns = time_ns(k, c, row->measure);

	/* A difference of a few ticks is noise, whatever its percentage. */
	if (measure_ladder(row->measure) == LADDER_TICKS && fabs(c->delta.number) < NOTICED_EVENTS)
		return false;
	if (is_time(row->measure))
		return ns >= NOTICED_NS && ns >= k->noticed[row->group] * NOTICED_SHARE;
	if (!(fabs(value_number(&c->sides[BASELINE])) > 0))
		return false;
	return measure_is_ratio(row->measure) ||
	       (measure_is_sum(row->measure) && fabs(c->delta.number) >= least);
}

/*
 * Ranks a row by |delta / baseline|. Time that grew from 0 comes before all percentages, the
 * longest first.
 */
static void rank_row(const struct ranker *k, struct row *row, const struct cell *c)
{
	double from = value_number(&c->sides[BASELINE]);

	row->class = ROW_UNCHANGED;
	if (c->delta.kind != DELTA_NUMBER || c->delta.number == 0) {
		row->key = c->delta.kind == DELTA_NUMBER ? 0 : -1;
		return;
	}
	/* A decrease due to exited threads is not activity in the window. */
	row->class = is_noticed(k, row, c) && !c->has_fallen ? ROW_NOTICED : ROW_CHANGED;
	if (measure_is_sum(row->measure) && measure_ladder(row->measure) == LADDER_BYTES)
		row->bytes = fabs(c->delta.number);
	row->key = fabs(from) > 0 ? fabs(c->delta.number / from) : fabs(c->delta.number);
	if (is_time(row->measure))
		row->time_ns = time_ns(k, c, row->measure);
	if (!(fabs(from) > 0) && row->time_ns > 0)
		row->key = 1e9 + row->time_ns;
}

static bool is_measured(const struct cell *c)
{
	return c->sides[BASELINE].kind != VALUE_ABSENT || c->sides[CANDIDATE].kind != VALUE_ABSENT;
}

/*
 * Rows without values are shown only on request: for a named metric, for all groups of both sides;
 * for a named section, if some group has a value.
 */
static bool is_absence_shown(const struct ranker *k, const struct group *g, unsigned int measure)
{
	if (!group_is_matched(g))
		return false;
	if (k->options->are_metrics_named)
		return true;
	return k->options->are_sections_named && k->is_seen[measure];
}

/* Omitted: momentary values, and the number of threads, which each row shows. */
static bool is_no_news(unsigned int measure)
{
	return measure == M_processor || measure == M_state || measure == M_thread_count;
}

/* Unless requested, an unchanged row is shown only if one side lacks the value. */
static bool is_worth_a_line(const struct group *g, unsigned int measure, const struct cell *c)
{
	double number = value_number(&c->sides[g->sides[CANDIDATE] ? CANDIDATE : BASELINE]);

	if (is_no_news(measure))
		return false;
	if (c->delta.kind == DELTA_NUMBER)
		return c->delta.number != 0;
	if (measure_is_ratio(measure))
		return c->sides[CANDIDATE].kind != VALUE_ABSENT;
	if (!group_is_matched(g))
		return measure_is_sum(measure) && number > 0;
	return c->delta.kind != DELTA_SAME;
}

/* Values that the kernel accounts twice: for schedstat and for taskstats. */
static const struct {
	unsigned int measure, told_by;
} accounts[] = {
	{ M_cpu_delay_total_ns, M_wait_time_ns },
	{ M_cpu_delay_count, M_timeslices },
};

static bool is_told_by(const struct ranker *k, const struct group *g, unsigned int measure,
		       const struct cell *c)
{
	struct cell other = compare_cell(g, measure, k->options, k->window);

	return c->delta.kind == DELTA_NUMBER && other.delta.kind == DELTA_NUMBER &&
	       fabs(c->delta.number - other.delta.number) <=
		       NOTICED_SHARE * fabs(other.delta.number);
}

static bool is_told_already(const struct ranker *k, const struct group *g, unsigned int measure,
			    const struct cell *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(accounts); i++)
		if (accounts[i].measure == measure && is_in_table(accounts[i].told_by, k->options))
			return is_told_by(k, g, accounts[i].told_by, c);
	return false;
}

/* A value of a one-sided group counts as a change, even without a difference. */
static bool is_changed(const struct group *g, const struct cell *c)
{
	if (c->delta.kind == DELTA_NUMBER)
		return c->delta.number != 0;
	return c->delta.kind == DELTA_DIFFERS ||
	       (!group_is_matched(g) && value_number(&c->sides[CANDIDATE]) > 0);
}

/* False if the row is not shown. */
static bool make_row(const struct ranker *k, struct row *row)
{
	const struct group *g = &k->grouping->groups[row->group];
	const struct report_options *o = k->options;

	row->rank = (uint32_t)k->group_rank[row->group];
	if (!o->is_show) {
		struct cell c = compare_cell(g, row->measure, o, k->window);

		if ((o->is_changed_only && !is_changed(g, &c)) ||
		    !options_pass_change(o, &c.sides[BASELINE], &c.delta) ||
		    (!is_measured(&c) && !is_absence_shown(k, g, row->measure)) ||
		    (o->is_brief && (!is_worth_a_line(g, row->measure, &c) ||
				     is_told_already(k, g, row->measure, &c))))
			return false;
		rank_row(k, row, &c);
	}
	return true;
}

/* Longest times first, whatever the percentages: rows with times are cut last. */
static int compare_weights(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns > y->time_ns ? -1 : 1;
	return order_rows(x, y);
}

/* Keeps as many rows of a group as a brief table shows, and counts the others. */
static size_t cut_group(struct ranker *k, struct row *rows, size_t count)
{
	if (k->options->is_brief && count > ROWS_PER_GROUP) {
		qsort(rows, count, sizeof(*rows), compare_weights);
		k->ranking->held_back += count - ROWS_PER_GROUP;
		count = ROWS_PER_GROUP;
	}
	/* Under --sort-by the rows of a group are in the order of the registry. */
	for (size_t i = 0; k->options->sort.count && i < count; i++) {
		rows[i].class = ROW_NOTICED;
		rows[i].key = 0;
	}
	return count;
}

/* Omits a group with little time, unless a sort key was given. */
static bool is_left_out(const struct ranker *k, size_t group, const struct row *rows, size_t count)
{
	if (!k->options->is_brief || k->options->sort.count || !k->is_little[group])
		return false;
	for (size_t i = 0; i < count; i++)
		if (rows[i].bytes >= NOTICED_BYTES)
			return false;
	return true;
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

static int add_group(struct ranker *k, size_t group, bool is_derived, struct ranking *exempt)
{
	unsigned int end = is_derived ? MEASURE_COUNT : METRIC_COUNT;
	struct row rows[MEASURE_COUNT];
	size_t count = 0;
	int rc = 0;

	for (unsigned int m = is_derived ? METRIC_COUNT : 0; m < end; m++) {
		rows[count] = (struct row){ .group = (uint32_t)group, .measure = m };
		count += is_in_table(m, k->options) && make_row(k, &rows[count]);
	}
	if (count && is_left_out(k, group, rows, count)) {
		k->ranking->little_groups++;
		return 0;
	}
	count = cut_group(k, rows, count);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = k->grouping->groups[group].fudge_pair != NOT_FUDGED ?
			     append_row(exempt, rows[i]) :
			     keep_best(k->ranking, rows[i], k->options->limit);
	return rc;
}

static int add_rows(struct ranker *k, bool is_derived, struct ranking *exempt)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < k->grouping->count; i++)
		rc = add_group(k, i, is_derived, exempt);
	return rc;
}

/* Missing values come last in both directions. */
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
	if (!keys && k->noticed[x] != k->noticed[y])
		return k->noticed[x] > k->noticed[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

static double sort_value(const struct ranker *k, const struct group *g, unsigned int measure)
{
	struct cell c = compare_cell(g, measure, k->options, k->window);

	if (k->options->is_show)
		return value_number(&c.sides[CANDIDATE]);
	return c.delta.kind == DELTA_NUMBER ? c.delta.number : NAN;
}

static void find_little(struct ranker *k)
{
	double most = 0;

	for (size_t i = 0; i < k->grouping->count; i++)
		most = MAX(most, k->noticed[i]);
	for (size_t i = 0; i < k->grouping->count; i++) {
		struct noticed_times n = group_notice(&k->grouping->groups[i], k->window);

		k->is_little[i] = !isnan(n.cpu_ns) && k->noticed[i] < most * LITTLE_SHARE &&
				  k->noticed[i] < LITTLE_MS * (double)NSEC_PER_MSEC;
	}
}

static int rank_groups(struct ranker *k)
{
	size_t keys = k->options->sort.count, count = k->grouping->count;
	_free_ size_t *order = NULL;

	order = calloc(count + 1, sizeof(*order));
	k->group_rank = calloc(count + 1, sizeof(*k->group_rank));
	k->noticed = calloc(count + 1, sizeof(*k->noticed));
	k->is_little = calloc(count + 1, sizeof(*k->is_little));
	k->sort_values = calloc(count * keys + 1, sizeof(*k->sort_values));
	if (!order || !k->group_rank || !k->noticed || !k->is_little || !k->sort_values)
		return err_no_memory();
	for (size_t i = 0; i < count; i++) {
		struct noticed_times n = group_notice(&k->grouping->groups[i], k->window);

		order[i] = i;
		k->noticed[i] = k->options->is_show ? 0 : notice_total(&n);
		for (size_t key = 0; key < keys; key++)
			k->sort_values[i * keys + key] = sort_value(
				k, &k->grouping->groups[i], k->options->sort.items[key].measure);
	}
	find_little(k);
	qsort_r(order, count, sizeof(*order), compare_groups, k);
	for (size_t i = 0; i < count; i++)
		k->group_rank[order[i]] = i;
	return 0;
}

static void ranker_finish(struct ranker *k)
{
	free(k->group_rank);
	free(k->noticed);
	free(k->is_little);
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

	if (rc == 0)
		find_seen(&k);
	rc = rc ?: add_rows(&k, is_derived, &exempt);
	sort_rows(r, o->limit);
	for (size_t i = 0; rc == 0 && i < exempt.count; i++)
		rc = append_row(r, exempt.rows[i]);
	sort_rows(r, 0);
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
	sort_rows(r, o->limit);
	return 0;
}

void ranking_finish(struct ranking *r)
{
	free(r->rows);
	*r = (struct ranking){};
}

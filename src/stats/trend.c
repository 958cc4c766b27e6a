// SPDX-License-Identifier: GPL-2.0-only
/* Converts records to series. */
#include "stats/stats.h"

#include "stats/parts.h"

/* Dimensions that must agree for records of one history; the kernel is compared by version text. */
static const enum dimension same[] = { DIMENSION_PROGRAM, DIMENSION_TOPOLOGY, DIMENSION_SCHEDULER,
				       DIMENSION_FLAG,	  DIMENSION_KERNEL,   DIMENSION_ACCEL };

struct entry {
	const char *key;
	const struct run *run;
	const struct sidecar *s;
	const char *path;
};

typedef VEC(struct entry) entries;

static const char *key_of(const struct sidecar *s, struct arena *arena)
{
	_str_ struct str key = {};

	str_add(&key, s->test_name);
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		_str_ struct str value = {};

		if (dimension_value(s, same[i], &value) && value.len)
			str_addf(&key, " %s", value.s);
	}
	return key.failed ? NULL : arena_copy(arena, key.s, key.len);
}

static const char *time_of(const struct sidecar *s)
{
	return s->timestamp ? s->timestamp : "";
}

/* By test, then by time; records of one run stay together. */
static int by_key_and_time(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	if (!order && x->run != y->run)
		order = strcmp(time_of(x->run->sidecars.items[0]),
			       time_of(y->run->sidecars.items[0]));
	if (!order && x->run != y->run)
		order = strcmp(x->run->path, y->run->path);
	return order ? order : strcmp(x->path, y->path);
}

static int collect(const struct runs *runs, const struct trend_request *r, struct arena *arena,
		   entries *to)
{
	vec_each(const struct run, run, &runs->items) {
		for (size_t k = 0; k < run->sidecars.count; k++) {
			struct entry e = { .run = run,
					   .s = run->sidecars.items[k],
					   .path = run->paths.items[k] };

			if (e.s->outcome != KTSTR_PASSED)
				continue;
			e.key = key_of(e.s, arena);
			if (!e.key)
				return err_no_memory();
			if ((!r->test || strstr(e.key, r->test)) && vec_push(to, e) < 0)
				return err_no_memory();
		}
	}
	vec_sort(to, by_key_and_time);
	return 0;
}

static bool read_metric(const struct trend_metric *m, const struct sidecar *s,
			struct metric_reading *to)
{
	const struct named_metric *own;

	if (m->registered)
		return registry_reading(m->registered, s, to);
	own = own_metric_find(s, m->own);
	*to = (struct metric_reading){ own ? own->value : 0, 1 };
	return own;
}

/*
 * Folds the records of one run to one point; sums are divided by the number of records, so that the
 * number of seeds does not matter.
 */
static bool fold_point(const struct trend_metric *m, const struct entry *e, size_t count,
		       struct metric_reading *readings, struct trend_point *to)
{
	/* Metrics of payloads and tests are folded to their mean. */
	enum reading_kind kind = m->registered ? m->registered->kind : METRIC_DISTRIBUTION;
	struct metric_reading folded;
	size_t there = 0;

	for (size_t i = 0; i < count; i++)
		there += read_metric(m, e[i].s, &readings[there]);
	if (!there || !metric_fold_runs(kind, readings, there, &folded))
		return false;
	*to = (struct trend_point){ .run = e->run, .s = e->s, .path = e->path };
	to->value = reading_value(kind, &folded) / (metric_is_summed(kind) ? (double)there : 1);
	return true;
}

static int find_changes(struct trend_series *s)
{
	_free_ double *values = calloc(s->count, sizeof(*values));

	s->changes = calloc(s->count, sizeof(*s->changes));
	if (!values || !s->changes)
		return err_no_memory();
	for (size_t i = 0; i < s->count; i++)
		values[i] = s->points[i].value;
	return change_points_find(values, s->count, s->changes, &s->change_count);
}

static bool is_nothing(const struct trend_series *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->points[i].value != 0)
			return false;
	return true;
}

static int add_series(struct trend *t, const struct trend_metric *m, const struct entry *e,
		      size_t count)
{
	_free_ struct metric_reading *readings = calloc(count, sizeof(*readings));
	struct trend_series s = { .test = e->key,
				  .metric = *m,
				  .points = calloc(count, sizeof(*s.points)) };
	int rc = readings && s.points ? 0 : err_no_memory();

	for (size_t from = 0, end; from < count && rc == 0; from = end) {
		for (end = from; end < count && e[end].run == e[from].run;)
			end++;
		s.count += fold_point(m, &e[from], end - from, readings, &s.points[s.count]);
	}
	if (rc == 0 && s.count && !is_nothing(&s)) {
		rc = find_changes(&s) ?: vec_push(&t->series, s);
		if (rc == 0)
			return 0;
	}
	free(s.points);
	free(s.changes);
	return rc;
}

static int add_registered(struct trend *t, const struct trend_request *r, const struct entry *e,
			  size_t count)
{
	int rc = 0;

	array_each_while(const struct registry_metric, m, registry_metrics, registry_count,
			 rc == 0) {
		const struct trend_metric metric = {
			.name = m->name,
			.unit = m->unit,
			.better = registry_polarity(m),
			.registered = m,
		};

		if (!r->metric || str_eq(r->metric, m->name))
			rc = add_series(t, &metric, e, count);
	}
	return rc;
}

/*
 * A program may report thousands of metrics: uses those that define what is better, and the
 * requested one.
 */
static bool wants_own(const struct trend_request *r, const struct named_metric *m)
{
	if (r->metric && !str_eq(r->metric, m->name))
		return false;
	return (r->metric || m->polarity != KTSTR_POLARITY_UNKNOWN) && !registry_find(m->name);
}

static bool has_own(const struct entry *e, size_t count, const struct named_metric *m)
{
	for (size_t i = 0; i < count; i++)
		if (own_metric_find(e[i].s, m))
			return true;
	return false;
}

/* The metric of a payload's second run is a different one. */
static const char *own_name(const struct named_metric *m, struct arena *arena)
{
	_str_ struct str name = {};

	if (!m->run_index)
		return m->name;
	str_addf(&name, "%s #%llu", m->name, ULL(m->run_index + 1));
	return name.failed ? NULL : arena_copy(arena, name.s, name.len);
}

static int add_own(struct trend *t, const struct trend_request *r, const struct entry *e,
		   size_t count)
{
	static const char *const betters[] = {
		[KTSTR_POLARITY_UNKNOWN] = "unknown",
		[KTSTR_LOWER_BETTER] = "lower",
		[KTSTR_HIGHER_BETTER] = "higher",
		[KTSTR_TARGET] = "target",
	};
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		array_each_while(const struct named_metric, m, e[i].s->metrics,
				 e[i].s->metric_count, rc == 0) {
			struct trend_metric metric = { .unit = m->unit ? m->unit : "",
						       .better = betters[m->polarity],
						       .own = m };

			if (!wants_own(r, m) || has_own(e, i, m))
				continue;
			metric.name = own_name(m, &t->arena);
			rc = metric.name ? add_series(t, &metric, e, count) : err_no_memory();
		}
	return rc;
}

int trend_make(struct trend *t, const struct runs *runs, const struct trend_request *r)
{
	_vec_ entries all = {};
	int rc;

	*t = (struct trend){};
	rc = collect(runs, r, &t->arena, &all);
	for (size_t from = 0, end; from < all.count && rc == 0; from = end) {
		for (end = from;
		     end < all.count && str_eq(all.items[end].key, all.items[from].key);)
			end++;
		rc = add_registered(t, r, &all.items[from], end - from) ?:
			     add_own(t, r, &all.items[from], end - from);
	}
	if (rc < 0)
		trend_finish(t);
	return rc;
}

void trend_finish(struct trend *t)
{
	vec_release(&t->series, each, free(each->points), free(each->changes));
	arena_finish(&t->arena);
	*t = (struct trend){};
}

double trend_level(const struct trend_series *s, long i)
{
	size_t from = i < 0 ? 0 : s->changes[i];
	size_t to = (size_t)(i + 1) < s->change_count ? s->changes[i + 1] : s->count;
	double sum = 0;

	for (size_t k = from; k < to; k++)
		sum += s->points[k].value;
	return sum / (double)(to - from);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Histories as a table and as JSON. */
#include <math.h>

#include "stats/stats.h"

static double percent(double from, double to)
{
	return from != 0 ? 100 * (to - from) / fabs(from) : to == from ? 0 : copysign(INFINITY, to);
}

static const char *commit_of(const struct trend_point *p)
{
	return p->s->project_commit ? p->s->project_commit : p->run->name;
}

/* "1a2b3c4 +12.0%, 5d6e7f8 -3.1%". */
static void add_changes(const struct trend_series *s, struct str *out)
{
	for (size_t i = 0; i < s->change_count; i++)
		str_addf(out, "%s%s %+.1f%%", i ? ", " : "", commit_of(&s->points[s->changes[i]]),
			 percent(trend_level(s, (long)i - 1), trend_level(s, (long)i)));
	if (!s->change_count)
		str_addc(out, '-');
}

int trend_text(const struct trend *t, struct str *out)
{
	_table_ struct table table = {};
	size_t changed = 0;
	int rc;

	table_titles(&table, "TEST", "METRIC", "RUNS", "FIRST", "LAST", "CHANGE",
		     "LEVEL CHANGED AT");
	vec_each(const struct trend_series, s, &t->series) {
		double first = s->points[0].value, last = s->points[s->count - 1].value;
		_str_ struct str changes = {};

		changed += s->change_count > 0;
		add_changes(s, &changes);
		table_texts(&table, s->test, s->metric.name);
		table_cellf(&table, 2, "%zu", s->count);
		table_cellf(&table, 3, "%.2f%s", first, s->metric.unit);
		table_cellf(&table, 4, "%.2f%s", last, s->metric.unit);
		table_cellf(&table, 5, "%+.1f%%", percent(first, last));
		table_cell(&table, 6, str_get(&changes));
	}
	rc = table_add(&table, out);
	str_addf(out, "\n%zu of %zu histories changed their level\n", changed, t->series.count);
	return rc ?: str_check(out);
}

static void put_point(struct json *j, const struct trend_point *p)
{
	json_object(j);
	json_put_string(j, "run", p->run->name);
	json_put_string(j, "commit", p->s->project_commit);
	json_put_string(j, "timestamp", p->s->timestamp);
	json_put_string(j, "record", p->path);
	json_put_double(j, "value", p->value);
	json_object_end(j);
}

static void put_series(struct json *j, const struct trend_series *s)
{
	json_object(j);
	json_put_string(j, "test", s->test);
	json_put_string(j, "metric", s->metric.name);
	json_put_string(j, "unit", s->metric.unit);
	json_put_string(j, "better", s->metric.better);
	json_put_array(j, "points");
	for (size_t i = 0; i < s->count; i++)
		put_point(j, &s->points[i]);
	json_array_end(j);
	json_put_array(j, "changes");
	for (size_t i = 0; i < s->change_count; i++) {
		json_object(j);
		json_put_u64(j, "at", s->changes[i]);
		json_put_string(j, "commit", commit_of(&s->points[s->changes[i]]));
		json_put_double(j, "from", trend_level(s, (long)i - 1));
		json_put_double(j, "to", trend_level(s, (long)i));
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

void trend_json(const struct trend *t, struct json *j)
{
	json_object(j);
	json_put_u64(j, "schema_version", 1);
	json_put_array(j, "series");
	for (size_t i = 0; i < t->series.count; i++)
		put_series(j, &t->series.items[i]);
	json_array_end(j);
	json_object_end(j);
}

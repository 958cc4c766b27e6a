// SPDX-License-Identifier: GPL-2.0-only
/*
 * A report as comma-separated values (RFC 4180): one line per value of one
 * subject, all sections in one table. Numbers are raw and in base units; an
 * empty field was not measured or does not apply.
 */
#include <math.h>

#include "ctprof/report.h"

#define LINE_END "\r\n"

static void add_text(struct str *out, const char *text)
{
	_str_ struct str printable = {};
	const char *p;

	text_add_printable(&printable, text ? text : "");
	out->failed |= printable.failed;
	p = str_get(&printable);
	if (!strpbrk(p, ",\"")) {
		str_add(out, p);
		return;
	}
	str_addc(out, '"');
	for (; *p; p++) {
		if (*p == '"')
			str_addc(out, '"');
		str_addc(out, *p);
	}
	str_addc(out, '"');
}

static void add_number(struct str *out, double number)
{
	if (!isnan(number))
		str_addf(out, "%.15g", number);
}

static void add_value(struct str *out, const struct value *v)
{
	_str_ struct str text = {};

	switch (v->kind) {
	case VALUE_ABSENT:
		break;
	case VALUE_UNSIGNED:
		str_addf(&text, "%llu", ULL(v->u));
		break;
	case VALUE_REAL:
	case VALUE_HUNDREDTHS:
		str_addf(&text, "%.15g", value_number(v));
		break;
	case VALUE_MODE:
		str_add(&text, v->mode.word);
		break;
	case VALUE_RANGE:
	case VALUE_AFFINITY:
	case VALUE_TEXT:
		value_add_text(&text, v, LADDER_NONE);
		break;
	}
	add_text(out, str_get(&text));
}

static void add_delta(struct str *out, const struct cell *c)
{
	int64_t exact;

	if (c->delta.kind == DELTA_SAME || c->delta.kind == DELTA_DIFFERS)
		str_add(out, c->delta.kind == DELTA_SAME ? "same" : "differs");
	else if (value_exact_delta(c->sides, &c->delta, &exact))
		str_addf(out, "%lld", (long long)exact);
	else
		add_number(out, c->delta.number);
}

/* A line is about a measure of a group or about a fact; the other one is NULL. */
struct line {
	const struct report *report;
	const char *section;
	const struct group *group;
	unsigned int measure;
	const struct fact *fact;
	const char *resource;
	const struct cell *cell;
};

static void add_threads(struct str *out, const struct line *l, enum side side)
{
	if (l->group && l->group->sides[side])
		str_addf(out, "%u", l->group->sides[side]->threads);
}

static void add_bool(struct str *out, bool is_true)
{
	str_add(out, is_true ? "true" : "false");
}

static void add_captured_at(struct str *out, const struct line *l)
{
	const struct opt_u64 *at = &l->report->pair.sides[CANDIDATE]->captured_at_unix_ns;
	char time[CLOCK_TEXT_SIZE];

	if (!at->is_known)
		return;
	clock_format_utc(at->value, 3, time);
	str_add(out, time);
}

#define FIELD(name, ...)                                        \
	static void name(struct str *out, const struct line *l) \
	{                                                       \
		__VA_ARGS__;                                    \
	}

FIELD(field_section, add_text(out, l->section))
FIELD(field_cgroup, add_text(out, l->group ? l->group->cgroup_shown : NULL))
FIELD(field_pcomm, add_text(out, l->group ? l->group->pcomm : NULL))
FIELD(field_comm, add_text(out, l->group ? l->group->comm : NULL))
FIELD(field_subject, add_text(out, l->fact ? l->fact->subject : NULL))
FIELD(field_threads_baseline, add_threads(out, l, BASELINE))
FIELD(field_threads_candidate, add_threads(out, l, CANDIDATE))
FIELD(field_uptime, add_number(out, l->group ? report_uptime(l->report, l->group) : NAN))
FIELD(field_metric, add_text(out, l->fact ? l->fact->metric : measure_name(l->measure)))
FIELD(field_unit,
      add_text(out, l->fact ? fact_unit(l->fact) : ladder_unit(measure_ladder(l->measure))))
FIELD(field_baseline, add_value(out, &l->cell->sides[BASELINE]))
FIELD(field_candidate, add_value(out, &l->cell->sides[CANDIDATE]))
FIELD(field_delta, add_delta(out, l->cell))
FIELD(field_percent, add_number(out, l->cell->delta.percent))
FIELD(field_per_second, add_number(out, l->cell->per_second))
FIELD(field_fudged_from,
      add_text(out, l->group && l->group->fudge_pair != NOT_FUDGED ? l->group->fudged_from : NULL))
FIELD(field_has_lost_threads, add_bool(out, l->cell->has_fallen))
FIELD(field_is_partial, add_bool(out, cell_is_partial(l->cell)))
FIELD(field_lifetime, add_value(out, &l->cell->lifetime))
FIELD(field_survived, add_value(out, &l->cell->fates[FATE_SURVIVED]))
FIELD(field_born, add_value(out, &l->cell->fates[FATE_BORN]))
FIELD(field_died, add_value(out, &l->cell->fates[FATE_DIED]))
FIELD(field_captured_at, add_captured_at(out, l))
FIELD(field_cgroups_most, add_text(out, l->group ? l->group->cgroups_most : NULL))

static void field_row(struct str *out, const struct line *l)
{
	add_text(out, l->resource);
	if (l->fact && l->fact->row)
		str_addf(out, "/%s", l->fact->row);
}

static void field_tags(struct str *out, const struct line *l)
{
	_str_ struct str tags = {};

	if (!l->fact)
		measure_add_tags(l->measure, &tags);
	add_text(out, str_get(&tags));
}

/* Fields belong to a column of the table; those of none are always there. */
enum { IN_COMPARE = 1, IN_SHOW = 2, ON_DEMAND = 4 };

static const struct field {
	const char *name;
	enum column column; /* COLUMN_COUNT = none */
	int where;
	void (*add)(struct str *out, const struct line *l);
} fields[] = {
	{ "section", COLUMN_COUNT, IN_COMPARE | IN_SHOW, field_section },
	{ "cgroup", COLUMN_GROUP, IN_COMPARE | IN_SHOW, field_cgroup },
	{ "pcomm", COLUMN_GROUP, IN_COMPARE | IN_SHOW, field_pcomm },
	{ "comm", COLUMN_GROUP, IN_COMPARE | IN_SHOW, field_comm },
	{ "subject", COLUMN_GROUP, IN_COMPARE | IN_SHOW, field_subject },
	{ "row", COLUMN_GROUP, IN_COMPARE | IN_SHOW, field_row },
	{ "threads", COLUMN_THREADS, IN_SHOW, field_threads_candidate },
	{ "threads_baseline", COLUMN_THREADS, IN_COMPARE, field_threads_baseline },
	{ "threads_candidate", COLUMN_THREADS, IN_COMPARE, field_threads_candidate },
	{ "uptime_pct", COLUMN_UPTIME, IN_COMPARE, field_uptime },
	{ "uptime_pct", COLUMN_UPTIME, IN_SHOW | ON_DEMAND, field_uptime },
	{ "metric", COLUMN_METRIC, IN_COMPARE | IN_SHOW, field_metric },
	{ "unit", COLUMN_METRIC, IN_COMPARE | IN_SHOW, field_unit },
	{ "tags", COLUMN_TAGS, IN_COMPARE | IN_SHOW | ON_DEMAND, field_tags },
	{ "most_frequent_cgroup", COLUMN_CGROUP, IN_COMPARE | IN_SHOW | ON_DEMAND,
	  field_cgroups_most },
	{ "value", COLUMN_VALUE, IN_SHOW, field_candidate },
	{ "baseline", COLUMN_BASELINE, IN_COMPARE, field_baseline },
	{ "candidate", COLUMN_CANDIDATE, IN_COMPARE, field_candidate },
	{ "delta", COLUMN_DELTA, IN_COMPARE, field_delta },
	{ "pct", COLUMN_PERCENT, IN_COMPARE, field_percent },
	{ "delta_per_second", COLUMN_DELTA, IN_COMPARE, field_per_second },
	{ "fudged_from", COLUMN_GROUP, IN_COMPARE, field_fudged_from },
	{ "has_lost_threads", COLUMN_DELTA, IN_COMPARE, field_has_lost_threads },
	{ "is_partial", COLUMN_COUNT, IN_COMPARE | IN_SHOW, field_is_partial },
	{ "survived", COLUMN_SURVIVED, IN_COMPARE, field_survived },
	{ "born", COLUMN_BORN, IN_COMPARE, field_born },
	{ "died", COLUMN_DIED, IN_COMPARE, field_died },
	{ "lifetime", COLUMN_LIFETIME, IN_COMPARE, field_lifetime },
	{ "captured_at", COLUMN_COUNT, IN_COMPARE, field_captured_at },
};

/* The fields of a report. */
struct layout {
	const struct field *fields[ARRAY_SIZE(fields)];
	size_t count;
};

/* "arrow" is both sides. */
static bool is_named(const struct report_options *o, enum column column)
{
	for (size_t i = 0; i < o->column_count; i++)
		if (o->columns[i] == column ||
		    (o->columns[i] == COLUMN_ARROW &&
		     (column == COLUMN_BASELINE || column == COLUMN_CANDIDATE)))
			return true;
	return false;
}

static bool is_chosen(const struct report_options *o, const struct field *f)
{
	if (!(f->where & (o->is_show ? IN_SHOW : IN_COMPARE)))
		return false;
	if (o->are_columns_named)
		return f->column == COLUMN_COUNT || is_named(o, f->column);
	return !(f->where & ON_DEMAND);
}

/* Always in the order of the table above: readers use names or positions. */
static struct layout make_layout(const struct report_options *o)
{
	struct layout layout = {};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (is_chosen(o, &fields[i]))
			layout.fields[layout.count++] = &fields[i];
	return layout;
}

static void add_line(struct str *out, const struct layout *layout, const struct line *l)
{
	for (size_t i = 0; i < layout->count; i++) {
		str_add(out, i ? "," : "");
		layout->fields[i]->add(out, l);
	}
	str_add(out, LINE_END);
}

static void add_rows(struct str *out, const struct layout *layout, const struct report *r,
		     const struct grouping *groups, const struct ranking *rows, const char *section)
{
	for (size_t i = 0; i < rows->count; i++) {
		unsigned int measure = rows->rows[i].measure;
		const struct group *g = &groups->groups[rows->rows[i].group];
		struct cell c = compare_cell(g, measure, r->options, &r->window);
		struct line l = { .report = r,
				  .section = section ? section :
						       sections[measure_section(measure)].name,
				  .group = g,
				  .measure = measure,
				  .cell = &c };

		add_line(out, layout, &l);
	}
}

static void add_facts(struct str *out, const struct layout *layout, const struct report *r,
		      const struct fact_table *t)
{
	size_t shown = fact_table_shown(t, r->options);

	array_each(const struct fact, f, t->facts, shown) {
		struct line l = { .report = r,
				  .section = sections[t->layout->section].name,
				  .fact = f,
				  .resource = t->resource,
				  .cell = &f->cell };

		add_line(out, layout, &l);
	}
}

static void add_header(struct str *out, const struct layout *layout)
{
	for (size_t i = 0; i < layout->count; i++)
		str_addf(out, "%s%s", i ? "," : "", layout->fields[i]->name);
	str_add(out, LINE_END);
}

int render_csv(const struct report *r, struct str *out)
{
	struct layout layout = make_layout(r->options);

	if (!r->options->is_continued)
		add_header(out, &layout);
	add_rows(out, &layout, r, &r->groups, &r->primary, NULL);
	add_rows(out, &layout, r, &r->groups, &r->derived, NULL);
	add_rows(out, &layout, r, &r->born, &r->born_rows, "born");
	add_rows(out, &layout, r, &r->died, &r->died_rows, "died");
	for (size_t i = 0; i < r->facts.count; i++)
		add_facts(out, &layout, r, &r->facts.items[i]);
	return str_check(out);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A report as comma-separated values (RFC 4180): one line per value of one
 * subject, all sections in one table. Numbers are raw and in base units; an
 * empty field was not measured or does not apply.
 */
#include <math.h>

#include "base/sheet.h"
#include "ctprof/report.h"

/* A line is about a measure of a group or about a fact; the other one is NULL. */
struct line {
	const struct report *report;
	const char *section;
	const struct group *group;
	unsigned int measure;
	const struct fact *fact;
	const char *resource;
	const struct cell *cell;
	struct str text; /* of the field */
};

/* Texts that a cell does not find ready-made are built in l->text. */
static struct sheet_cell value_cell(struct line *l, const struct value *v)
{
	switch (v->kind) {
	case VALUE_ABSENT:
		break;
	case VALUE_UNSIGNED:
		return SHEET_U64(v->u);
	case VALUE_REAL:
	case VALUE_HUNDREDTHS:
		return SHEET_REAL(value_number(v));
	case VALUE_MODE:
		return SHEET_TEXT(v->mode.word);
	case VALUE_RANGE:
	case VALUE_AFFINITY:
	case VALUE_TEXT:
		value_add_text(&l->text, v, LADDER_NONE);
		return SHEET_TEXT(str_get(&l->text));
	}
	return SHEET_NOTHING;
}

static struct sheet_cell delta_cell(const struct cell *c)
{
	int64_t exact;

	if (c->delta.kind == DELTA_SAME || c->delta.kind == DELTA_DIFFERS)
		return SHEET_TEXT(c->delta.kind == DELTA_SAME ? "same" : "differs");
	if (value_exact_delta(c->sides, &c->delta, &exact))
		return SHEET_I64(exact);
	return SHEET_REAL(c->delta.number);
}

static struct sheet_cell threads_cell(const struct line *l, enum side side)
{
	bool is_known = l->group && l->group->sides[side];

	return SHEET_U64_IF(is_known, is_known ? l->group->sides[side]->threads : 0);
}

static struct sheet_cell captured_at_cell(struct line *l)
{
	const struct opt_u64 *at = &l->report->pair.sides[CANDIDATE]->captured_at_unix_ns;
	char time[CLOCK_TEXT_SIZE];

	if (!at->is_known)
		return SHEET_NOTHING;
	clock_format_utc(at->value, 3, time);
	str_add(&l->text, time);
	return SHEET_TEXT(str_get(&l->text));
}

static struct sheet_cell row_cell(struct line *l)
{
	str_add(&l->text, l->resource ? l->resource : "");
	if (l->fact && l->fact->row)
		str_addf(&l->text, "/%s", l->fact->row);
	return SHEET_TEXT(str_get(&l->text));
}

static struct sheet_cell tags_cell(struct line *l)
{
	if (!l->fact)
		measure_add_tags(l->measure, &l->text);
	return SHEET_TEXT(str_get(&l->text));
}

#define FIELD(name, ...)                                      \
	static struct sheet_cell field_##name(struct line *l) \
	{                                                     \
		return __VA_ARGS__;                           \
	}

FIELD(section, SHEET_TEXT(l->section))
FIELD(cgroup, SHEET_TEXT(l->group ? l->group->cgroup_shown : NULL))
FIELD(pcomm, SHEET_TEXT(l->group ? l->group->pcomm : NULL))
FIELD(comm, SHEET_TEXT(l->group ? l->group->comm : NULL))
FIELD(subject, SHEET_TEXT(l->fact ? l->fact->subject : NULL))
FIELD(row, row_cell(l))
FIELD(threads_baseline, threads_cell(l, BASELINE))
FIELD(threads_candidate, threads_cell(l, CANDIDATE))
FIELD(uptime, SHEET_REAL(l->group ? report_uptime(l->report, l->group) : NAN))
FIELD(metric, SHEET_TEXT(l->fact ? l->fact->metric : measure_name(l->measure)))
FIELD(unit, SHEET_TEXT(l->fact ? fact_unit(l->fact) : ladder_unit(measure_ladder(l->measure))))
FIELD(tags, tags_cell(l))
FIELD(cgroups_most, SHEET_TEXT(l->group ? l->group->cgroups_most : NULL))
FIELD(baseline, value_cell(l, &l->cell->sides[BASELINE]))
FIELD(candidate, value_cell(l, &l->cell->sides[CANDIDATE]))
FIELD(delta, delta_cell(l->cell))
FIELD(percent, SHEET_REAL(l->cell->delta.percent))
FIELD(per_second, SHEET_REAL(l->cell->per_second))
FIELD(fudged_from,
      SHEET_TEXT(l->group && l->group->fudge_pair != NOT_FUDGED ? l->group->fudged_from : NULL))
FIELD(has_lost_threads, SHEET_BOOL(l->cell->has_fallen))
FIELD(is_partial, SHEET_BOOL(cell_is_partial(l->cell)))
FIELD(survived, value_cell(l, &l->cell->fates[FATE_SURVIVED]))
FIELD(born, value_cell(l, &l->cell->fates[FATE_BORN]))
FIELD(died, value_cell(l, &l->cell->fates[FATE_DIED]))
FIELD(lifetime, value_cell(l, &l->cell->lifetime))
FIELD(captured_at, captured_at_cell(l))

/* Fields belong to a column of the table; those of none are always there. */
enum { IN_COMPARE = 1, IN_SHOW = 2, ON_DEMAND = 4 };

static const struct field {
	const char *name;
	enum column column; /* COLUMN_COUNT = none */
	int where;
	struct sheet_cell (*cell)(struct line *l);
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
	struct sheet_column columns[ARRAY_SIZE(fields)];
	struct sheet sheet;
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
static void begin(struct layout *layout, const struct report_options *o)
{
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (is_chosen(o, &fields[i])) {
			layout->columns[count].key = fields[i].name;
			layout->fields[count++] = &fields[i];
		}
	layout->sheet.has_no_header = o->is_continued;
	sheet_begin_with(&layout->sheet, NULL, layout->columns, count);
}

static void add_line(struct layout *layout, struct line *l)
{
	for (size_t i = 0; i < layout->sheet.count; i++) {
		struct sheet_cell cell;

		str_reset(&l->text);
		cell = layout->fields[i]->cell(l);
		sheet_put(&layout->sheet, &cell);
		layout->sheet.out->failed |= l->text.failed;
	}
}

static void add_rows(struct layout *layout, const struct report *r, const struct grouping *groups,
		     const struct ranking *rows, const char *section)
{
	struct line l = { .report = r };

	for (size_t i = 0; i < rows->count; i++) {
		unsigned int measure = rows->rows[i].measure;
		const struct group *g = &groups->groups[rows->rows[i].group];
		struct cell c = compare_cell(g, measure, r->options, &r->window);

		l.section = section ? section : sections[measure_section(measure)].name;
		l.group = g;
		l.measure = measure;
		l.cell = &c;
		add_line(layout, &l);
	}
	str_finish(&l.text);
}

static void add_facts(struct layout *layout, const struct report *r, const struct fact_table *t)
{
	size_t shown = fact_table_shown(t, r->options);
	struct line l = { .report = r,
			  .section = sections[t->layout->section].name,
			  .resource = t->resource };

	array_each(const struct fact, f, t->facts, shown) {
		l.fact = f;
		l.cell = &f->cell;
		add_line(layout, &l);
	}
	str_finish(&l.text);
}

int render_csv(const struct report *r, struct str *out)
{
	struct layout layout = { .sheet = { .format = SHEET_AS_CSV, .out = out } };

	begin(&layout, r->options);
	add_rows(&layout, r, &r->groups, &r->primary, NULL);
	add_rows(&layout, r, &r->groups, &r->derived, NULL);
	add_rows(&layout, r, &r->born, &r->born_rows, "born");
	add_rows(&layout, r, &r->died, &r->died_rows, "died");
	for (size_t i = 0; i < r->facts.count; i++)
		add_facts(&layout, r, &r->facts.items[i]);
	return sheet_end(&layout.sheet);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of a report for programs. CSV (RFC 4180) has one line per value of a subject, with all
 * sections in one table. An empty field was not measured, or does not apply. Numbers are raw and in
 * base units.
 */
#include "ctprof/render_parts.h"

#include <math.h>

/* A line is a measure of a group, or a fact; the other one is NULL. */
struct line {
	const struct report *report;
	const char *section;
	const struct group *group;
	unsigned int measure;
	const struct fact *fact;
	const char *resource;
	const struct cell *cell;
	enum side side;	 /* of a row with one */
	unsigned int of; /* kinds of the row in JSON */
	struct str text; /* of the field */
};

static void put_value(struct json *j, const void *of)
{
	value_to_json(j, of);
}

/* Texts that have to be built are stored in l->text. */
static struct sheet_cell value_cell(struct line *l, const struct value *v)
{
	if (l->of)
		return SHEET_OWN(put_value, v);
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

static void put_sides(struct json *j, uint32_t baseline, uint32_t candidate)
{
	json_object(j);
	json_put_u64(j, "baseline", baseline);
	json_put_u64(j, "candidate", candidate);
	json_object_end(j);
}

void group_put_threads(struct json *j, const void *group)
{
	const struct group *g = group;

	put_sides(j, g->sides[BASELINE] ? g->sides[BASELINE]->threads : 0,
		  g->sides[CANDIDATE] ? g->sides[CANDIDATE]->threads : 0);
}

static void put_measured(struct json *j, const void *cell)
{
	const struct cell *c = cell;

	put_sides(j, c->measured[BASELINE], c->measured[CANDIDATE]);
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
FIELD(resource, SHEET_TEXT(l->resource))
FIELD(fact_row, SHEET_TEXT(l->fact->row))
FIELD(threads, SHEET_OWN(group_put_threads, l->group))
FIELD(threads_of_side, threads_cell(l, l->side))
FIELD(measured, SHEET_OWN(put_measured, l->cell))
FIELD(measured_of_side, SHEET_U64(l->cell->measured[l->side]))
FIELD(value, value_cell(l, &l->cell->sides[l->side]))
FIELD(is_beyond_window, SHEET_BOOL(l->cell->is_beyond_window))

/*
 * A field of CSV belongs to a column of the table; fields without a column are always present. A
 * field of JSON belongs to kinds of rows.
 */
struct field {
	const char *name;
	unsigned int where;
	struct sheet_cell (*cell)(struct line *l);
	enum column column; /* COLUMN_COUNT = none */
};

enum { IN_COMPARE = 1, IN_SHOW = 2, ON_DEMAND = 4, IN_BOTH = IN_COMPARE | IN_SHOW };

static const struct field csv_fields[] = {
	{ "section", IN_BOTH, field_section, COLUMN_COUNT },
	{ "cgroup", IN_BOTH, field_cgroup, COLUMN_GROUP },
	{ "pcomm", IN_BOTH, field_pcomm, COLUMN_GROUP },
	{ "comm", IN_BOTH, field_comm, COLUMN_GROUP },
	{ "subject", IN_BOTH, field_subject, COLUMN_GROUP },
	{ "row", IN_BOTH, field_row, COLUMN_GROUP },
	{ "threads", IN_SHOW, field_threads_candidate, COLUMN_THREADS },
	{ "threads_baseline", IN_COMPARE, field_threads_baseline, COLUMN_THREADS },
	{ "threads_candidate", IN_COMPARE, field_threads_candidate, COLUMN_THREADS },
	{ "uptime_pct", IN_COMPARE, field_uptime, COLUMN_UPTIME },
	{ "uptime_pct", IN_SHOW | ON_DEMAND, field_uptime, COLUMN_UPTIME },
	{ "metric", IN_BOTH, field_metric, COLUMN_METRIC },
	{ "unit", IN_BOTH, field_unit, COLUMN_METRIC },
	{ "tags", IN_BOTH | ON_DEMAND, field_tags, COLUMN_TAGS },
	{ "most_frequent_cgroup", IN_BOTH | ON_DEMAND, field_cgroups_most, COLUMN_CGROUP },
	{ "value", IN_SHOW, field_candidate, COLUMN_VALUE },
	{ "baseline", IN_COMPARE, field_baseline, COLUMN_BASELINE },
	{ "candidate", IN_COMPARE, field_candidate, COLUMN_CANDIDATE },
	{ "delta", IN_COMPARE, field_delta, COLUMN_DELTA },
	{ "pct", IN_COMPARE, field_percent, COLUMN_PERCENT },
	{ "delta_per_second", IN_COMPARE, field_per_second, COLUMN_DELTA },
	{ "fudged_from", IN_COMPARE, field_fudged_from, COLUMN_GROUP },
	{ "has_lost_threads", IN_COMPARE, field_has_lost_threads, COLUMN_DELTA },
	{ "is_partial", IN_BOTH, field_is_partial, COLUMN_COUNT },
	{ "survived", IN_COMPARE, field_survived, COLUMN_SURVIVED },
	{ "born", IN_COMPARE, field_born, COLUMN_BORN },
	{ "died", IN_COMPARE, field_died, COLUMN_DIED },
	{ "lifetime", IN_COMPARE, field_lifetime, COLUMN_LIFETIME },
	{ "captured_at", IN_COMPARE, field_captured_at, COLUMN_COUNT },
};

enum {
	COMPARED = 1,
	ONE_SIDED = 2,
	BORN = 4, /* one-sided, too */
	FACT = 8,
	SHOWN_FACT = 16,
	RATIO = 32, /* additional properties of a row */
	SUM = 64,
	RATE = 128,
	GROUPS = COMPARED | ONE_SIDED,
	FACTS = FACT | SHOWN_FACT,
	CHANGES = COMPARED | FACT,
};

static const struct field json_fields[] = {
	{ "section", GROUPS | FACTS, field_section },
	{ "cgroup", GROUPS, field_cgroup },
	{ "pcomm", GROUPS, field_pcomm },
	{ "comm", GROUPS, field_comm },
	{ "resource", FACTS, field_resource },
	{ "subject", FACTS, field_subject },
	{ "row", FACTS, field_fact_row },
	{ "fudged_from", COMPARED, field_fudged_from },
	{ "most_frequent_cgroup", GROUPS, field_cgroups_most },
	{ "threads", COMPARED, field_threads },
	{ "threads", ONE_SIDED, field_threads_of_side },
	{ "measured_threads", COMPARED, field_measured },
	{ "measured_threads", ONE_SIDED, field_measured_of_side },
	{ "uptime_pct", COMPARED | BORN, field_uptime },
	{ "metric", GROUPS | FACTS, field_metric },
	{ "unit", GROUPS | FACTS, field_unit },
	{ "is_partial", FACTS, field_is_partial },
	{ "value", ONE_SIDED | SHOWN_FACT, field_value },
	{ "baseline", CHANGES, field_baseline },
	{ "candidate", CHANGES, field_candidate },
	{ "lifetime", RATIO, field_lifetime },
	{ "survived", SUM, field_survived },
	{ "born", SUM, field_born },
	{ "died", SUM, field_died },
	{ "delta", CHANGES, field_delta },
	{ "pct", CHANGES, field_percent },
	{ "delta_per_second", RATE, field_per_second },
	{ "has_lost_threads", COMPARED, field_has_lost_threads },
	{ "is_beyond_window", COMPARED, field_is_beyond_window },
};

/* The fields of a sheet. */
struct layout {
	const struct field *fields[ARRAY_SIZE(json_fields)];
	struct sheet_column columns[ARRAY_SIZE(json_fields)];
	size_t count;
	struct sheet sheet;
};

_Static_assert(ARRAY_SIZE(csv_fields) <= ARRAY_SIZE(json_fields), "CSV has more fields");

static void add_field(struct layout *layout, const struct field *f)
{
	layout->columns[layout->count].key = f->name;
	layout->fields[layout->count++] = f;
}

static void add_line(struct layout *layout, struct line *l)
{
	for (size_t i = 0; i < layout->count; i++) {
		struct sheet_cell cell = SHEET_NOTHING;

		str_reset(&l->text);
		if (!l->of || l->of & layout->fields[i]->where)
			cell = layout->fields[i]->cell(l);
		sheet_put(&layout->sheet, &cell);
		layout->sheet.out->failed |= l->text.failed;
	}
}

static void add_rows(struct layout *layout, const struct grouping *groups,
		     const struct ranking *rows, struct line l)
{
	const struct report_options *o = l.report->options;
	const char *section = l.section;

	array_each(const struct row, row, rows->rows, rows->count) {
		const struct group *g = &groups->groups[row->group];
		struct cell c = compare_cell(g, row->measure, o, &l.report->window);

		l.section = section ? section : sections[measure_section(row->measure)].name;
		l.group = g;
		l.measure = row->measure;
		l.cell = &c;
		if (l.of & COMPARED)
			l.of = COMPARED | (measure_is_ratio(row->measure) ? RATIO : 0) |
			       (measure_is_sum(row->measure) ? SUM : 0) |
			       (o->is_per_second ? RATE : 0);
		add_line(layout, &l);
	}
	str_finish(&l.text);
}

static void add_facts(struct layout *layout, const struct report *r, unsigned int of)
{
	struct line l = { .report = r, .side = CANDIDATE, .of = of };

	vec_each(const struct fact_table, t, &r->facts) {
		l.section = sections[t->layout->section].name;
		l.resource = t->resource;
		array_each(const struct fact, f, t->facts, fact_table_shown(t, r->options)) {
			l.fact = f;
			l.cell = &f->cell;
			add_line(layout, &l);
		}
	}
	str_finish(&l.text);
}

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

/* Always in the order of the table above: readers may use names or positions. */
int render_csv(const struct report *r, struct str *out)
{
	struct layout layout = { .sheet = { .format = SHEET_AS_CSV,
					    .out = out,
					    .has_no_header = r->options->is_continued } };
	struct line line = { .report = r };

	array_each(const struct field, f, csv_fields, ARRAY_SIZE(csv_fields))
		if (is_chosen(r->options, f))
			add_field(&layout, f);
	sheet_begin_with(&layout.sheet, NULL, layout.columns, layout.count);
	add_rows(&layout, &r->groups, &r->primary, line);
	add_rows(&layout, &r->groups, &r->derived, line);
	line.section = "born";
	add_rows(&layout, &r->born, &r->born_rows, line);
	line.section = "died";
	add_rows(&layout, &r->died, &r->died_rows, line);
	add_facts(&layout, r, 0);
	return sheet_end(&layout.sheet);
}

void report_put_rows(struct json *j, const struct report *r)
{
	struct layout layout = { .sheet = { .format = SHEET_AS_JSON, .out = j->out, .json = j } };
	bool is_show = r->options->is_show;
	struct line line = { .report = r, .side = CANDIDATE, .of = is_show ? ONE_SIDED : COMPARED };

	array_each(const struct field, f, json_fields, ARRAY_SIZE(json_fields))
		add_field(&layout, f);
	sheet_begin(&layout.sheet, "rows", layout.columns);
	add_rows(&layout, &r->groups, &r->primary, line);
	add_rows(&layout, &r->groups, &r->derived, line);
	sheet_end(&layout.sheet);
	sheet_begin(&layout.sheet, "facts", layout.columns);
	add_facts(&layout, r, is_show ? SHOWN_FACT : FACT | (r->options->is_per_second ? RATE : 0));
	sheet_end(&layout.sheet);
	if (is_show || !r->options->is_matched_by_tid)
		return;
	line.of = ONE_SIDED | BORN;
	sheet_begin(&layout.sheet, "born", layout.columns);
	add_rows(&layout, &r->born, &r->born_rows, line);
	sheet_end(&layout.sheet);
	line.of = ONE_SIDED;
	line.side = BASELINE;
	sheet_begin(&layout.sheet, "died", layout.columns);
	add_rows(&layout, &r->died, &r->died_rows, line);
	sheet_end(&layout.sheet);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Text of single cells. */
#include "ctprof/render_parts.h"

#include <math.h>

static const char *group_title(enum axis axis)
{
	switch (axis) {
	case AXIS_COMM:
		return "comm-pattern";
	case AXIS_PCOMM:
		return "pcomm";
	case AXIS_CGROUP:
		return "cgroup";
	default:
		return "comm";
	}
}

const char *column_title(const struct report *r, enum column column)
{
	switch (column) {
	case COLUMN_GROUP:
		return group_title(r->options->axis);
	case COLUMN_ARROW:
		return "value";
	case COLUMN_UPTIME:
		return report_uptime_title(r);
	case COLUMN_TIME:
		return "ran + waited";
	default:
		return column_name(column);
	}
}

struct row_view row_view(const struct report *r, const struct grouping *g, const struct row *row)
{
	struct row_view v = { .report = r,
			      .group = &g->groups[row->group],
			      .measure = row->measure,
			      .ladder = measure_ladder(row->measure),
			      .is_one_sided = r->options->is_show || g != &r->groups };

	v.cell = compare_cell(v.group, v.measure, r->options, &r->window);
	return v;
}

struct row_view fact_view(const struct report *r, const struct fact *f)
{
	return (struct row_view){ .report = r, .fact = f, .ladder = f->ladder, .cell = f->cell };
}

void group_add_threads(struct str *out, const struct group *g, bool is_one_sided)
{
	const struct aggregate *a = g->sides[BASELINE], *b = g->sides[CANDIDATE];
	uint32_t from = a ? a->threads : 0, to = b ? b->threads : 0;

	if (!is_one_sided && from != to)
		str_addf(out, "%u→%u", from, to);
	else
		str_addf(out, "%u", MAX(from, to));
}

void group_add_leaf(struct str *out, const struct group *g)
{
	if (g->fudge_pair != NOT_FUDGED) {
		str_add(out, "[fudged: ");
		text_add_printable(out, g->fudged_from);
		str_add(out, "] ");
	}
	name_add_printable(out, group_leaf(g));
}

/* An incomplete sum and its difference get the same mark. */
static void add_mark(struct str *out, bool is_partial)
{
	if (is_partial)
		str_addc(out, '~');
}

void cell_add_side(struct str *out, const struct cell *c, enum side side, enum metric_ladder ladder)
{
	value_add_text(out, &c->sides[side], ladder);
	add_mark(out, c->is_partial[side]);
}

static void add_arrow(struct str *out, const struct row_view *v)
{
	const struct value *sides = v->cell.sides;

	cell_add_side(out, &v->cell, BASELINE, v->ladder);
	if (sides[BASELINE].kind == VALUE_ABSENT && sides[CANDIDATE].kind == VALUE_ABSENT)
		return;
	str_add(out, " → ");
	cell_add_side(out, &v->cell, CANDIDATE, v->ladder);
}

void cell_add_delta(struct str *out, const struct cell *c, enum metric_ladder ladder)
{
	if (isnan(c->per_second)) {
		value_add_delta(out, &c->sides[BASELINE], &c->sides[CANDIDATE], &c->delta, ladder);
	} else {
		number_add_real_delta(out, ladder, c->per_second);
		str_add(out, "/s");
	}
	add_mark(out, c->delta.kind == DELTA_NUMBER && cell_is_partial(c));
}

static void add_uptime(struct str *out, const struct row_view *v)
{
	double percent = report_uptime(v->report, v->group);

	if (isnan(percent) || measure_is_derived(v->measure))
		str_addc(out, '-');
	else
		str_addf(out, "%.0f%%", percent);
}

static void add_tags(struct str *out, const struct row_view *v)
{
	size_t before = out->len;

	measure_add_tags(v->measure, out);
	if (out->len == before)
		str_addc(out, '-');
}

double row_time(const struct row_view *v)
{
	struct noticed_times n = group_notice(v->group, &v->report->window);

	return notice_total(&n);
}

static enum fate column_fate(enum column column)
{
	return (enum fate)(FATE_SURVIVED + (column - COLUMN_SURVIVED));
}

static void add_subject(struct str *out, const struct row_view *v)
{
	if (v->group)
		group_add_leaf(out, v->group);
	else
		text_add_printable(out, v->fact->subject ? v->fact->subject : "host");
}

static void add_metric(struct str *out, const struct row_view *v)
{
	if (v->group)
		str_add(out, measure_name(v->measure));
	else if (v->fact->row)
		str_addf(out, "%s ", v->fact->row);
	if (v->fact)
		text_add_printable(out, v->fact->metric);
}

/* Columns that facts do not have. */
static void add_group_column(struct str *out, const struct row_view *v, enum column column)
{
	if (!v->group)
		str_addc(out, '-');
	else if (column == COLUMN_THREADS)
		group_add_threads(out, v->group, v->is_one_sided);
	else if (column == COLUMN_TAGS)
		add_tags(out, v);
	else if (column == COLUMN_UPTIME)
		add_uptime(out, v);
	else if (column == COLUMN_CGROUP)
		text_add_printable(out, v->group->cgroups_most ? v->group->cgroups_most : "-");
	else
		number_add_real(out, LADDER_NS, row_time(v));
}

void row_add_column(struct str *out, const struct row_view *v, enum column column)
{
	switch (column) {
	case COLUMN_GROUP:
		add_subject(out, v);
		break;
	case COLUMN_METRIC:
		add_metric(out, v);
		break;
	case COLUMN_VALUE:
	case COLUMN_CANDIDATE:
		cell_add_side(out, &v->cell, CANDIDATE, v->ladder);
		break;
	case COLUMN_BASELINE:
		cell_add_side(out, &v->cell, BASELINE, v->ladder);
		break;
	case COLUMN_DELTA:
		cell_add_delta(out, &v->cell, v->ladder);
		break;
	case COLUMN_PERCENT:
		number_add_percent(out, v->cell.delta.percent);
		break;
	case COLUMN_ARROW:
		add_arrow(out, v);
		break;
	case COLUMN_SURVIVED:
	case COLUMN_BORN:
	case COLUMN_DIED:
		value_add_text(out, &v->cell.fates[column_fate(column)], v->ladder);
		break;
	case COLUMN_LIFETIME:
		value_add_text(out, &v->cell.lifetime, v->ladder);
		break;
	case COLUMN_THREADS:
	case COLUMN_TAGS:
	case COLUMN_UPTIME:
	case COLUMN_CGROUP:
	case COLUMN_TIME:
		add_group_column(out, v, column);
		break;
	case COLUMN_COUNT:
		break;
	}
}

double row_sort_number(const struct row_view *v)
{
	const struct report_options *o = v->report->options;
	struct cell c = compare_cell(v->group, o->sort.items[0].measure, o, &v->report->window);

	if (o->is_show)
		return value_number(&c.sides[CANDIDATE]);
	return c.delta.kind == DELTA_NUMBER ? c.delta.number : NAN;
}

void row_add_sort_value(struct str *out, const struct row_view *v)
{
	const struct report_options *o = v->report->options;
	unsigned int measure = o->sort.items[0].measure;
	enum metric_ladder ladder = measure_ladder(measure);
	struct cell c = compare_cell(v->group, measure, o, &v->report->window);

	if (!o->is_show && (c.sides[BASELINE].kind || c.sides[CANDIDATE].kind)) {
		cell_add_side(out, &c, BASELINE, ladder);
		str_add(out, "→");
	}
	cell_add_side(out, &c, CANDIDATE, ladder);
	if (isnan(c.delta.percent))
		return;
	str_add(out, " (");
	number_add_percent(out, c.delta.percent);
	str_addc(out, ')');
}

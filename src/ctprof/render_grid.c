// SPDX-License-Identifier: GPL-2.0-only
/* Rows of groups and facts with the columns of a report, as a table or as HTML. */
#include "ctprof/render_parts.h"

#include <math.h>

#include "base/html.h"

/* The bar next to a percentage. */
#define COLUMN_BAR COLUMN_COUNT
/* The value of --sort-by. */
#define COLUMN_SORT (COLUMN_COUNT + 1)

/* Scale of the bar. */
#define BAR_SCALE "<span class=\"scale\"><i>−10⁴&nbsp;%</i><i>0</i><i>+10⁴&nbsp;%</i></span>"

static const char *direction(const struct delta *d)
{
	if (d->kind != DELTA_NUMBER || d->number == 0)
		return NULL;
	return d->number > 0 ? "up" : "down";
}

/* Filled part of the bar, negative for a decrease; growth from 0 fills it. */
static double bar_share(const struct cell *c)
{
	double from = value_number(&c->sides[BASELINE]), number = c->delta.number, share;

	if (c->delta.kind != DELTA_NUMBER)
		return NAN;
	share = number == 0 ?
			0 :
		from == 0 ?
			1 :
			fmin(log10(1 + fabs(number / from) * 100) / log10(1 + FULL_BAR_PERCENT), 1);
	return number < 0 ? -share : share;
}

static void add_bar(struct str *out, const struct cell *c)
{
	double share = fabs(bar_share(c));

	str_add(out, "<span class=\"track\">");
	if (share > 0)
		str_addf(out, "<i class=\"%s\" style=\"--w:%.0f%%\"></i>", direction(&c->delta),
			 fmax(share * 100, 1));
	str_add(out, "</span>");
}

void group_add_home(struct str *out, const struct group *g)
{
	if (!g->comm || !g->pcomm)
		return;
	html_add_in(out, "<small>", *g->pcomm ? g->pcomm : "\"\"", "");
	if (g->cgroup_shown)
		html_add_in(out, " · ", g->cgroup_shown, "");
	str_add(out, "</small>");
}

/* Sort value of a column; false for columns sorted by text. NaN comes last. */
static bool column_order(const struct row_view *v, int column, double *order)
{
	const struct cell *c = &v->cell;
	const struct value *shown = &c->sides[column == COLUMN_BASELINE ? BASELINE : CANDIDATE];

	switch (column) {
	case COLUMN_VALUE:
	case COLUMN_BASELINE:
	case COLUMN_CANDIDATE:
		*order = value_number(shown);
		return shown->kind != VALUE_MODE && shown->kind != VALUE_TEXT;
	case COLUMN_ARROW:
		*order = value_number(shown);
		return true;
	case COLUMN_DELTA:
		*order = isnan(c->per_second) ? c->delta.number : c->per_second;
		return true;
	case COLUMN_PERCENT:
		*order = c->delta.percent;
		return true;
	case COLUMN_BAR:
		*order = bar_share(c);
		return true;
	case COLUMN_TIME:
		*order = row_time(v);
		return true;
	case COLUMN_UPTIME:
		*order = report_uptime(v->report, v->group);
		return true;
	case COLUMN_SORT:
		*order = row_sort_number(v);
		return true;
	case COLUMN_THREADS:
		*order =
			v->group->sides[v->group->sides[CANDIDATE] ? CANDIDATE : BASELINE]->threads;
		return true;
	default:
		return false;
	}
}

static void put_cell(struct grid *g, const struct row_view *v, int column, size_t indent)
{
	bool is_change = column == COLUMN_DELTA || column == COLUMN_PERCENT;
	bool is_html = g->sheet.format == SHEET_AS_HTML;
	_str_ struct str text = {}, html = {};
	struct sheet_cell cell = SHEET_TEXT("");
	double order;

	if (is_html && column_order(v, column, &order))
		cell = SHEET_REAL(order);
	if (column == COLUMN_GROUP)
		str_repeat(&text, ' ', indent);
	if (column == COLUMN_BAR)
		add_bar(&html, &v->cell);
	else if (column == COLUMN_SORT)
		row_add_sort_value(&text, v);
	else
		row_add_column(&text, v, (enum column)column);
	if (is_html && column == COLUMN_GROUP && v->group)
		group_add_home(&html, v->group);
	if (is_html)
		cell.style = is_change ? direction(&v->cell.delta) : NULL;
	else if (g->report->options->has_colour && column != COLUMN_SORT)
		cell.style = style_cell(v, (enum column)column);
	cell.shown = str_get(&text);
	cell.html = str_get(&html);
	g->sheet.out->failed |= text.failed || html.failed;
	sheet_put(&g->sheet, &cell);
}

void grid_add(struct grid *g, const struct row_view *v, size_t indent)
{
	for (size_t k = 0; k < g->count; k++)
		put_cell(g, v,
			 g->kinds[k] == COLUMN_VALUE && g->side == BASELINE ? COLUMN_BASELINE :
									      g->kinds[k],
			 indent);
}

static const char *column_class(enum column column)
{
	switch (column) {
	case COLUMN_GROUP:
		return "name";
	case COLUMN_METRIC:
		return "metric";
	case COLUMN_TAGS:
	case COLUMN_CGROUP:
		return "wide";
	default:
		return "num";
	}
}

static void add_column(struct grid *g, int kind, const char *key, const char *title,
		       const char *class)
{
	g->columns[g->count] = (struct sheet_column){
		.key = key,
		.title = title,
		.class = class,
		.legend = kind == COLUMN_BAR ? BAR_SCALE : NULL,
	};
	g->kinds[g->count++] = kind;
}

void grid_use(struct grid *g, const enum column *list, size_t count, const char *subject)
{
	g->count = 0;
	g->has_no_names = true;
	for (size_t i = 0; i < count; i++) {
		bool is_percent = list[i] == COLUMN_PERCENT, is_group = list[i] == COLUMN_GROUP;

		add_column(g, (int)list[i], is_percent ? "percent" : column_name(list[i]),
			   column_title(g->report, list[i]), column_class(list[i]));
		if (is_group && subject)
			g->columns[g->count - 1].key = g->columns[g->count - 1].title = subject;
		if (is_group)
			g->has_no_names = false;
		if (is_percent && g->sheet.format == SHEET_AS_HTML)
			add_column(g, COLUMN_BAR, "change", "change", "bar");
	}
}

void grid_add_sort_column(struct grid *g)
{
	const struct report_options *o = g->report->options;

	if (o->sort.count)
		add_column(g, COLUMN_SORT, "sort", measure_name(o->sort.items[0].measure), "num");
}

void grid_begin(struct grid *g)
{
	sheet_begin_with(&g->sheet, NULL, g->columns, g->count);
	if (g->sheet.format == SHEET_AS_TABLE)
		table_dress(&g->sheet.table, g->report);
}

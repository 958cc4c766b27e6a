// SPDX-License-Identifier: GPL-2.0-only
/*
 * A report as one HTML page without anything from outside: tables that sort by
 * a click on a heading, a search box, a bar per row for the relative change.
 */
#include <math.h>

#include "base/embed.h"
#include "base/html.h"
#include "ctprof/render_parts.h"

/* The fixed parts of the page: nothing is loaded from elsewhere. */
EMBED(ctprof_page_style, "src/ctprof/page/style.css");
EMBED(ctprof_page_script, "src/ctprof/page/script.js");

/* Changes of this many percent and more fill the bar; its scale is logarithmic. */
#define FULL_BAR_PERCENT 10000.0

/* The bar that stands beside a percentage. */
#define COLUMN_BAR COLUMN_COUNT
/* The value of --sort-by. */
#define COLUMN_SORT (COLUMN_COUNT + 1)
#define MAX_HTML_COLUMNS (COLUMN_COUNT + 2)

/* Scale of the bar. */
#define BAR_SCALE "<span class=\"scale\"><i>−10⁴&nbsp;%</i><i>0</i><i>+10⁴&nbsp;%</i></span>"

/* A table of the page. */
struct part {
	struct sheet sheet;
	struct sheet_column columns[MAX_HTML_COLUMNS];
	int kinds[MAX_HTML_COLUMNS]; /* enum column, or one of the above */
	size_t count;
};

static void open_table(struct str *out, const char *id, const char *title)
{
	str_addf(out, "<section><h2>%s</h2>\n<div class=\"scroll\"><table id=\"%s\">", title, id);
}

static void close_table(struct str *out, size_t cut)
{
	str_add(out, "</table></div>\n");
	if (cut)
		str_addf(
			out,
			"<p class=\"cut\">%zu more rows were left out; use --limit 0 for all</p>\n",
			cut);
	str_add(out, "</section>\n");
}

static const char *direction(const struct delta *d)
{
	if (d->kind != DELTA_NUMBER || d->number == 0)
		return NULL;
	return d->number > 0 ? "up" : "down";
}

/* The share of the bar that a change fills, below 0 for a fall; growth from nothing fills it. */
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

static void put_cell(struct sheet *s, const struct row_view *v, int column)
{
	bool is_change = column == COLUMN_DELTA || column == COLUMN_PERCENT;
	_str_ struct str text = {}, html = {};
	struct sheet_cell cell = SHEET_TEXT("");
	double order;

	if (column_order(v, column, &order))
		cell = SHEET_REAL(order);
	if (column == COLUMN_BAR)
		add_bar(&html, &v->cell);
	else if (column == COLUMN_SORT)
		row_add_sort_value(&text, v);
	else
		row_add_column(&text, v, (enum column)column);
	if (column == COLUMN_GROUP && v->group)
		group_add_home(&html, v->group);
	cell.style = is_change ? direction(&v->cell.delta) : NULL;
	cell.shown = str_get(&text);
	cell.html = str_get(&html);
	s->out->failed |= text.failed || html.failed;
	sheet_put(s, &cell);
}

static void put_row(struct part *p, const struct row_view *v, enum side side)
{
	for (size_t k = 0; k < p->count; k++)
		put_cell(&p->sheet, v,
			 p->kinds[k] == COLUMN_VALUE && side == BASELINE ? COLUMN_BASELINE :
									   p->kinds[k]);
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

static void add_column(struct part *p, int kind, const char *key, const char *title,
		       const char *class)
{
	p->columns[p->count] = (struct sheet_column){
		.key = key,
		.title = title,
		.class = class,
		.legend = kind == COLUMN_BAR ? BAR_SCALE : NULL,
	};
	p->kinds[p->count++] = kind;
}

static struct part make_part(const struct report *r, struct str *out, const enum column *list,
			     size_t count)
{
	struct part p = { .sheet = { .format = SHEET_AS_HTML, .out = out } };

	for (size_t i = 0; i < count; i++) {
		bool is_percent = list[i] == COLUMN_PERCENT;

		add_column(&p, (int)list[i], is_percent ? "percent" : column_name(list[i]),
			   column_title(r, list[i]), column_class(list[i]));
		if (is_percent)
			add_column(&p, COLUMN_BAR, "change", "change", "bar");
	}
	return p;
}

static void add_rows(struct part *p, const struct report *r, const struct grouping *groups,
		     const struct ranking *rows, enum side side, const char *id, const char *title)
{
	struct str *out = p->sheet.out;

	if (!rows->count)
		return;
	open_table(out, id, title);
	sheet_begin_with(&p->sheet, NULL, p->columns, p->count);
	for (size_t i = 0; i < rows->count; i++) {
		struct row_view v = row_view(r, groups, &rows->rows[i]);

		put_row(p, &v, side);
	}
	sheet_end(&p->sheet);
	close_table(out, rows->cut);
	if (rows->held_back)
		str_addf(out,
			 "<p class=\"cut\">%zu more rows of groups that have over %d; use "
			 "--all-rows</p>\n",
			 rows->held_back, ROWS_PER_GROUP);
	if (rows->little_groups)
		str_addf(
			out,
			"<p class=\"cut\">%zu more group%s that ran and waited for less than %d ms; "
			"use --all-rows</p>\n",
			rows->little_groups, rows->little_groups == 1 ? "" : "s", LITTLE_MS);
}

/* Wider than the text table: a page has room for both sides and the bar. */
static const enum column compared_columns[] = {
	COLUMN_GROUP, COLUMN_THREADS, COLUMN_METRIC, COLUMN_BASELINE, COLUMN_CANDIDATE,
	COLUMN_DELTA, COLUMN_PERCENT, COLUMN_UPTIME, COLUMN_TIME,
};
static const enum column one_sided_columns[] = { COLUMN_GROUP, COLUMN_THREADS, COLUMN_METRIC,
						 COLUMN_VALUE };

static void add_groups(struct str *out, const struct report *r)
{
	const struct report_options *o = r->options;
	bool is_own = o->are_columns_named || o->is_show;
	struct part p = make_part(r, out, is_own ? o->columns : compared_columns,
				  is_own ? o->column_count : ARRAY_SIZE(compared_columns));

	if (o->sort.count)
		add_column(&p, COLUMN_SORT, "sort", measure_name(o->sort.items[0].measure), "num");
	add_rows(&p, r, &r->groups, &r->primary, CANDIDATE, "primary", "Primary metrics");
	add_rows(&p, r, &r->groups, &r->derived, CANDIDATE, "derived", "Derived metrics");
	p = make_part(r, out, one_sided_columns, ARRAY_SIZE(one_sided_columns));
	add_rows(&p, r, &r->born, &r->born_rows, CANDIDATE, "born", "Born threads");
	add_rows(&p, r, &r->died, &r->died_rows, BASELINE, "died", "Died threads");
}

static void add_facts(struct str *out, const struct report *r, const struct fact_table *t)
{
	static const enum column compared[] = { COLUMN_GROUP,	  COLUMN_METRIC, COLUMN_BASELINE,
						COLUMN_CANDIDATE, COLUMN_DELTA,	 COLUMN_PERCENT };
	static const enum column shown[] = { COLUMN_GROUP, COLUMN_METRIC, COLUMN_VALUE };
	bool is_show = r->options->is_show;
	struct part p = make_part(r, out, is_show ? shown : compared,
				  is_show ? ARRAY_SIZE(shown) : ARRAY_SIZE(compared));
	size_t rows = fact_table_shown(t, r->options);
	_str_ struct str id = {};

	p.columns[0].key = p.columns[0].title = "subject";
	str_addf(&id, "%s%s%s", sections[t->layout->section].name, t->resource ? "-" : "",
		 t->resource ? t->resource : "");
	open_table(out, str_get(&id), t->heading + strlen("## "));
	sheet_begin_with(&p.sheet, NULL, p.columns, p.count);
	for (size_t i = 0; i < rows; i++) {
		struct row_view v = fact_view(r, &t->facts[i]);

		put_row(&p, &v, CANDIDATE);
	}
	sheet_end(&p.sheet);
	close_table(out, t->count - rows);
}

static void add_side(struct str *out, const struct report *r, enum side side, const char *label)
{
	const struct snapshot *s = r->pair.sides[side];
	char time[CLOCK_TEXT_SIZE];

	str_addf(out, "<dt>%s</dt><dd>", label);
	html_add_text(out, r->paths[side]);
	str_addf(out, " — %zu threads", r->kept.sides[side].count);
	if (s->captured_at_unix_ns.is_known) {
		clock_format_utc(s->captured_at_unix_ns.value, 0, time);
		str_addf(out, ", %s", time);
	}
	if (s->has_host && s->host.kernel_release)
		html_add_in(out, ", kernel ", s->host.kernel_release, "");
	str_add(out, "</dd>");
}

static int add_summary(struct str *out, const struct report *r)
{
	_summary_ struct summary summary = {};
	int rc = summary_collect(&summary, r);

	if (!summary.count)
		return rc;
	str_add(out, "<ul class=\"summary\">");
	for (size_t i = 0; i < summary.count; i++)
		html_add_in(out, "<li>", str_get(&summary.items[i]), "</li>");
	str_add(out, "</ul>\n");
	return rc;
}

static void add_times(struct str *out, const struct report *r, const struct time_table *t)
{
	if (!t->count)
		return;
	open_table(out, "times", "Where the time went");
	times_add(&(struct sheet){ .format = SHEET_AS_HTML, .out = out }, r, t);
	close_table(out, 0);
}

static bool has_warning(const struct notes *notes)
{
	for (size_t i = 0; i < notes->count; i++)
		if (notes->items[i].level == NOTE_WARNING)
			return true;
	return false;
}

static int add_notes(struct str *out, const struct report *r)
{
	_notes_ struct notes notes = {};
	int rc = notes_collect(&notes, r);

	if (!notes.count)
		return rc;
	str_addf(out, "<details%s><summary>%zu notes on what these figures are made of</summary>",
		 has_warning(&notes) ? " open" : "", notes.count);
	str_add(out, "<ul class=\"notes\">");
	for (size_t i = 0; i < notes.count; i++)
		html_add_in(out, "<li>", notes.items[i].text, "</li>");
	str_add(out, "</ul></details>\n");
	return rc;
}

static int add_head(struct str *out, const struct report *r)
{
	bool is_show = r->options->is_show;
	int rc;

	str_add(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		     "<title>ctprof: ");
	if (!is_show) {
		html_add_text(out, r->paths[BASELINE]);
		str_add(out, " → ");
	}
	html_add_text(out, r->paths[CANDIDATE]);
	str_add(out, "</title>\n<style>");
	str_addn(out, ctprof_page_style_start, EMBEDDED_SIZE(ctprof_page_style));
	str_addf(out, "</style></head>\n<body><header><h1>ctprof %s</h1>\n",
		 is_show ? "show" : "compare");
	str_add(out, "<dl class=\"sides\">");
	if (!is_show)
		add_side(out, r, BASELINE, "baseline");
	add_side(out, r, CANDIDATE, is_show ? "snapshot" : "candidate");
	if (r->window.seconds > 0)
		str_addf(out, "<dt>window</dt><dd>%.1f s</dd>", r->window.seconds);
	str_addf(out, "<dt>grouped by</dt><dd>%s</dd></dl>\n", axis_names[r->options->axis]);
	rc = add_summary(out, r) ?: add_notes(out, r);
	str_add(out, "</header>\n<main><div class=\"tools\"><input id=\"q\" type=\"search\" "
		     "placeholder=\"Filter by name or metric\" aria-label=\"Filter rows\">"
		     "<span id=\"hits\"></span><nav></nav></div>\n");
	return rc;
}

static void add_unmatched(struct str *out, const struct report *r, enum side side)
{
	size_t count = 0;

	array_each(const struct group, g, r->groups.groups, r->groups.count) {
		_str_ struct str name = {};

		if (!group_is_only_in(g, side))
			continue;
		if (!count++)
			str_addf(out, "<section><h2>Only in %s</h2><ul class=\"list\">",
				 side == BASELINE ? "baseline" : "candidate");
		group_add_name(&name, g);
		out->failed |= name.failed;
		html_add_in(out, "<li>", str_get(&name), "</li>\n");
	}
	if (count)
		str_add(out, "</ul></section>\n");
}

static void add_fudged(struct str *out, const struct fudge *f)
{
	if (!f->count)
		return;
	str_add(out, "<section><h2>Fudged cgroup matches</h2><ul class=\"list\">");
	for (size_t i = 0; i < f->count; i++) {
		html_add_in(out, "<li>", f->pairs[i].cgroups[BASELINE], " → ");
		html_add_text(out, f->pairs[i].cgroups[CANDIDATE]);
		str_addf(out, ": %u thread types in common, %.1f%%, %u joined below</li>\n",
			 f->pairs[i].overlap, 100.0 * f->pairs[i].overlap / f->pairs[i].in_all,
			 f->pairs[i].cascaded);
	}
	str_add(out, "</ul></section>\n");
}

int render_html(const struct report *r, struct str *out)
{
	struct time_table times = find_times(r);
	int rc = add_head(out, r);

	add_times(out, r, &times);
	add_groups(out, r);
	for (size_t i = 0; i < r->facts.count; i++)
		add_facts(out, r, &r->facts.items[i]);
	if (!r->options->is_show) {
		add_fudged(out, &r->fudge);
		add_unmatched(out, r, BASELINE);
		add_unmatched(out, r, CANDIDATE);
	}
	str_addf(out,
		 "</main><footer>A dash was not measured, ~ leaves out threads "
		 "that were not. Bars are on a logarithmic scale, full at "
		 "%.0f %%. Made by ktstr.</footer>\n<script>",
		 FULL_BAR_PERCENT);
	str_addn(out, ctprof_page_script_start, EMBEDDED_SIZE(ctprof_page_script));
	str_add(out, "</script></body></html>\n");
	return rc ?: str_check(out);
}

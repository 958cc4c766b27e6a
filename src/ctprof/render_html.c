// SPDX-License-Identifier: GPL-2.0-only
/*
 * A report as one HTML page without anything from outside: tables that sort by
 * a click on a heading, a search box, a bar per row for the relative change.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/embed.h"
#include "base/html.h"
#include "base/util.h"
#include "ctprof/notes.h"
#include "ctprof/number.h"
#include "ctprof/render.h"
#include "ctprof/render_cell.h"
#include "ctprof/summary.h"

/* The fixed parts of the page: nothing is loaded from elsewhere. */
EMBED(ctprof_page_style, "src/ctprof/page/style.css");
EMBED(ctprof_page_script, "src/ctprof/page/script.js");

/* Changes of this many percent and more fill the bar; its scale is logarithmic. */
#define FULL_BAR_PERCENT 10000.0

struct html_column {
	const char *key; /* in the address: #sort=primary:delta:desc */
	const char *title;
	const char *class;
	enum column column; /* of groups */
};

/* The bar that stands beside a percentage. */
#define COLUMN_BAR COLUMN_COUNT
/* What --sort-by goes by. */
#define COLUMN_SORT (COLUMN_COUNT + 1)
#define MAX_HTML_COLUMNS (COLUMN_COUNT + 2)

/* What lengths of the bar stand for. */
#define BAR_SCALE "<span class=\"scale\"><i>−10⁴&nbsp;%</i><i>0</i><i>+10⁴&nbsp;%</i></span>"

static void open_table(struct str *out, const char *id, const char *title,
		       const struct html_column *columns, size_t count)
{
	str_addf(out, "<section><h2>%s</h2>\n<div class=\"scroll\"><table id=\"%s\"><thead><tr>",
		 title, id);
	for (size_t i = 0; i < count; i++)
		str_addf(out,
			 "<th scope=\"col\" class=\"%s\" data-c=\"%s\"><button>%s</button>%s</th>",
			 columns[i].class, columns[i].key, columns[i].title,
			 str_eq(columns[i].class, "bar") ? BAR_SCALE : "");
	str_add(out, "</tr></thead><tbody>\n");
}

static void close_table(struct str *out, size_t cut)
{
	str_add(out, "</tbody></table></div>\n");
	if (cut)
		str_addf(
			out,
			"<p class=\"cut\">%zu more rows were left out; use --limit 0 for all</p>\n",
			cut);
	str_add(out, "</section>\n");
}

/* A cell whose text is already markup; NaN has no place in the order and goes last. */
static void add_number_cell(struct str *out, const struct html_column *c, double order,
			    const char *text, const char *class)
{
	str_addf(out, "<td class=\"%s%s%s\" data-l=\"%s\" data-v=\"", c->class, *class ? " " : "",
		 class, c->title);
	if (!isnan(order))
		str_addf(out, "%.15g", order);
	str_addf(out, "\">%s</td>", text);
}

static void add_text_cell(struct str *out, const struct html_column *c, const char *text)
{
	str_addf(out, "<td class=\"%s\" data-l=\"%s\">", c->class, c->title);
	html_add_text(out, text);
	str_add(out, "</td>");
}

static void add_value_cell(struct str *out, const struct html_column *c, const struct value *v,
			   enum metric_ladder ladder, bool is_partial)
{
	_str_ struct str text = {}, markup = {};

	value_add_text(&text, v, ladder);
	str_add(&text, is_partial ? "~" : "");
	html_add_text(&markup, str_get(&text));
	out->failed |= text.failed || markup.failed;
	if (v->kind == VALUE_MODE || v->kind == VALUE_TEXT)
		add_text_cell(out, c, str_get(&text));
	else
		add_number_cell(out, c, value_number(v), str_get(&markup), "");
}

static const char *direction(const struct delta *d)
{
	if (d->kind != DELTA_NUMBER || d->number == 0)
		return "";
	return d->number > 0 ? "up" : "down";
}

/* The share of the bar that a change fills; growth from nothing fills it. */
static double bar_share(const struct value *baseline, const struct delta *d)
{
	double from = value_number(baseline);

	if (d->kind != DELTA_NUMBER || d->number == 0)
		return 0;
	if (from == 0)
		return 1;
	return fmin(log10(1 + fabs(d->number / from) * 100) / log10(1 + FULL_BAR_PERCENT), 1);
}

static void add_bar_cell(struct str *out, const struct html_column *c, const struct value *baseline,
			 const struct delta *d)
{
	double share = bar_share(baseline, d);
	_str_ struct str bar = {};

	str_add(&bar, "<span class=\"track\">");
	if (share > 0)
		str_addf(&bar, "<i class=\"%s\" style=\"--w:%.0f%%\"></i>", direction(d),
			 fmax(share * 100, 1));
	str_add(&bar, "</span>");
	add_number_cell(out, c, d->kind == DELTA_NUMBER ? (d->number < 0 ? -share : share) : NAN,
			str_get(&bar), "");
}

static void add_change_cells(struct str *out, const struct html_column *delta_column,
			     const struct value sides[SIDES], const struct delta *d,
			     const char *delta_text, double delta_order)
{
	_str_ struct str percent = {};

	number_add_percent(&percent, d->percent);
	add_number_cell(out, &delta_column[0], delta_order, delta_text, direction(d));
	add_number_cell(out, &delta_column[1], d->percent, str_get(&percent), direction(d));
	add_bar_cell(out, &delta_column[2], &sides[BASELINE], d);
}

static void add_group_cell(struct str *out, const struct html_column *c, const struct group *g)
{
	_str_ struct str leaf = {};

	group_add_leaf(&leaf, g);
	out->failed |= leaf.failed;
	str_addf(out, "<td class=\"%s\" data-l=\"%s\">", c->class, c->title);
	html_add_text(out, str_get(&leaf));
	if (g->comm && g->pcomm) {
		str_add(out, "<small>");
		html_add_text(out, *g->pcomm ? g->pcomm : "\"\"");
		if (g->cgroup_shown) {
			str_add(out, " · ");
			html_add_text(out, g->cgroup_shown);
		}
		str_add(out, "</small>");
	}
	str_add(out, "</td>");
}

static void add_threads_cell(struct str *out, const struct html_column *c, const struct row_view *v)
{
	const struct group *g = v->group;
	const struct aggregate *latest = g->sides[CANDIDATE] ? g->sides[CANDIDATE] :
							       g->sides[BASELINE];
	_str_ struct str text = {};

	group_add_threads(&text, g, v->is_one_sided);
	add_number_cell(out, c, latest->threads, str_get(&text), "");
}

/* A column of the text table in a cell, ordered by number or, without one, by text. */
static void add_column_cell(struct str *out, const struct html_column *c, const struct row_view *v,
			    double order, const char *class)
{
	_str_ struct str text = {}, markup = {};

	row_add_column(&text, v, c->column);
	html_add_text(&markup, str_get(&text));
	out->failed |= text.failed || markup.failed;
	add_number_cell(out, c, order, str_get(&markup), class);
}

static void add_sort_cell(struct str *out, const struct html_column *c, const struct row_view *v)
{
	_str_ struct str text = {}, markup = {};

	row_add_sort_value(&text, v);
	html_add_text(&markup, str_get(&text));
	out->failed |= text.failed || markup.failed;
	add_number_cell(out, c, row_sort_number(v), str_get(&markup), "");
}

static void add_cell(struct str *out, const struct html_column *c, const struct row_view *v,
		     enum side side)
{
	const struct cell *cell = &v->cell;
	enum side shown = c->column == COLUMN_BASELINE	? BASELINE :
			  c->column == COLUMN_CANDIDATE ? CANDIDATE :
							  side;
	_str_ struct str text = {};

	if (c->column == COLUMN_SORT) {
		add_sort_cell(out, c, v);
		return;
	}
	switch (c->column) {
	case COLUMN_GROUP:
		add_group_cell(out, c, v->group);
		break;
	case COLUMN_THREADS:
		add_threads_cell(out, c, v);
		break;
	case COLUMN_VALUE:
	case COLUMN_BASELINE:
	case COLUMN_CANDIDATE:
		add_value_cell(out, c, &cell->sides[shown], measure_ladder(v->measure),
			       cell->is_partial[shown]);
		break;
	case COLUMN_ARROW:
		add_column_cell(out, c, v, value_number(&cell->sides[CANDIDATE]), "");
		break;
	case COLUMN_DELTA:
		add_column_cell(out, c, v,
				isnan(cell->per_second) ? cell->delta.number : cell->per_second,
				direction(&cell->delta));
		break;
	case COLUMN_PERCENT:
		add_column_cell(out, c, v, cell->delta.percent, direction(&cell->delta));
		break;
	case COLUMN_BAR:
		add_bar_cell(out, c, &cell->sides[BASELINE], &cell->delta);
		break;
	case COLUMN_TIME:
		add_column_cell(out, c, v, row_time(v), "");
		break;
	case COLUMN_UPTIME:
		add_column_cell(out, c, v, report_uptime(v->report, v->group), "");
		break;
	default:
		row_add_column(&text, v, c->column);
		out->failed |= text.failed;
		add_text_cell(out, c, str_get(&text));
	}
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

static size_t make_columns(const struct report *r, const enum column *list, size_t count,
			   struct html_column out[static MAX_HTML_COLUMNS])
{
	size_t made = 0;

	for (size_t i = 0; i < count; i++) {
		bool is_percent = list[i] == COLUMN_PERCENT;

		out[made++] = (struct html_column){ is_percent ? "percent" : column_name(list[i]),
						    column_title(r, list[i]), column_class(list[i]),
						    list[i] };
		if (is_percent)
			out[made++] = (struct html_column){ "change", "change", "bar", COLUMN_BAR };
	}
	return made;
}

static void add_rows(struct str *out, const struct report *r, const struct grouping *groups,
		     const struct ranking *rows, enum side side, const struct html_column *columns,
		     size_t count, const char *id, const char *title)
{
	if (!rows->count)
		return;
	open_table(out, id, title, columns, count);
	for (size_t i = 0; i < rows->count; i++) {
		struct row_view v = row_view(r, groups, &rows->rows[i]);

		str_add(out, "<tr>");
		for (size_t k = 0; k < count; k++)
			add_cell(out, &columns[k], &v, side);
		str_add(out, "</tr>\n");
	}
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
	struct html_column columns[MAX_HTML_COLUMNS];
	size_t count;

	if (o->are_columns_named || o->is_show)
		count = make_columns(r, o->columns, o->column_count, columns);
	else
		count = make_columns(r, compared_columns, ARRAY_SIZE(compared_columns), columns);
	if (o->sort.count)
		columns[count++] = (struct html_column){ "sort",
							 measure_name(o->sort.items[0].measure),
							 "num", COLUMN_SORT };
	add_rows(out, r, &r->groups, &r->primary, CANDIDATE, columns, count, "primary",
		 "Primary metrics");
	add_rows(out, r, &r->groups, &r->derived, CANDIDATE, columns, count, "derived",
		 "Derived metrics");
	count = make_columns(r, one_sided_columns, ARRAY_SIZE(one_sided_columns), columns);
	add_rows(out, r, &r->born, &r->born_rows, CANDIDATE, columns, count, "born",
		 "Born threads");
	add_rows(out, r, &r->died, &r->died_rows, BASELINE, columns, count, "died", "Died threads");
}

static void add_fact_row(struct str *out, const struct html_column *c, const struct fact *f,
			 bool is_show)
{
	struct delta d = fact_delta(f);
	_str_ struct str text = {}, metric = {};

	str_addf(&metric, "%s%s%s", f->row ? f->row : "", f->row ? " " : "", f->metric);
	fact_add_delta(&text, f);
	out->failed |= text.failed || metric.failed;
	str_add(out, "<tr>");
	add_text_cell(out, &c[0], f->subject ? f->subject : "host");
	add_text_cell(out, &c[1], str_get(&metric));
	if (is_show) {
		add_value_cell(out, &c[2], &f->sides[CANDIDATE], f->ladder,
			       f->is_partial[CANDIDATE]);
	} else {
		add_value_cell(out, &c[2], &f->sides[BASELINE], f->ladder, f->is_partial[BASELINE]);
		add_value_cell(out, &c[3], &f->sides[CANDIDATE], f->ladder,
			       f->is_partial[CANDIDATE]);
		add_change_cells(out, &c[4], f->sides, &d, str_get(&text),
				 isnan(f->per_second) ? d.number : f->per_second);
	}
	str_add(out, "</tr>\n");
}

static void add_facts(struct str *out, const struct report *r, const struct fact_table *t)
{
	static const struct html_column compare_columns[] = {
		{ "subject", "subject", "name", COLUMN_COUNT },
		{ "metric", "metric", "metric", COLUMN_COUNT },
		{ "baseline", "baseline", "num", COLUMN_COUNT },
		{ "candidate", "candidate", "num", COLUMN_COUNT },
		{ "delta", "delta", "num", COLUMN_COUNT },
		{ "percent", "%", "num", COLUMN_COUNT },
		{ "change", "change", "bar", COLUMN_COUNT },
	};
	static const struct html_column show_columns[] = {
		{ "subject", "subject", "name", COLUMN_COUNT },
		{ "metric", "metric", "metric", COLUMN_COUNT },
		{ "value", "value", "num", COLUMN_COUNT },
	};
	bool is_show = r->options->is_show;
	const struct html_column *columns = is_show ? show_columns : compare_columns;
	size_t shown = fact_table_shown(t, r->options);
	_str_ struct str id = {};

	str_addf(&id, "%s%s%s", sections[t->layout->section].name, t->resource ? "-" : "",
		 t->resource ? t->resource : "");
	open_table(out, str_get(&id), t->heading + strlen("## "), columns,
		   is_show ? ARRAY_SIZE(show_columns) : ARRAY_SIZE(compare_columns));
	for (size_t i = 0; i < shown; i++)
		add_fact_row(out, columns, &t->facts[i], is_show);
	close_table(out, t->count - shown);
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
	if (s->has_host && s->host.kernel_release) {
		str_add(out, ", kernel ");
		html_add_text(out, s->host.kernel_release);
	}
	str_add(out, "</dd>");
}

static int add_summary(struct str *out, const struct report *r)
{
	_summary_ struct summary summary = {};
	int rc = summary_collect(&summary, r);

	if (!summary.count)
		return rc;
	str_add(out, "<ul class=\"summary\">");
	for (size_t i = 0; i < summary.count; i++) {
		str_add(out, "<li>");
		html_add_text(out, str_get(&summary.items[i]));
		str_add(out, "</li>");
	}
	str_add(out, "</ul>\n");
	return rc;
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
	for (size_t i = 0; i < notes.count; i++) {
		str_add(out, "<li>");
		html_add_text(out, notes.items[i].text);
		str_add(out, "</li>");
	}
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
	rc = add_summary(out, r);
	if (rc == 0)
		rc = add_notes(out, r);
	str_add(out, "</header>\n<main><div class=\"tools\"><input id=\"q\" type=\"search\" "
		     "placeholder=\"Filter by name or metric\" aria-label=\"Filter rows\">"
		     "<span id=\"hits\"></span><nav></nav></div>\n");
	return rc;
}

static void add_unmatched(struct str *out, const struct report *r, enum side side)
{
	size_t count = 0;

	for (size_t i = 0; i < r->groups.count; i++) {
		const struct group *g = &r->groups.groups[i];
		_str_ struct str name = {};

		if (!g->sides[side] || g->sides[!side])
			continue;
		if (!count++)
			str_addf(out, "<section><h2>Only in %s</h2><ul class=\"list\">",
				 side == BASELINE ? "baseline" : "candidate");
		group_add_name(&name, g);
		out->failed |= name.failed;
		str_add(out, "<li>");
		html_add_text(out, str_get(&name));
		str_add(out, "</li>\n");
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
		str_add(out, "<li>");
		html_add_text(out, f->pairs[i].cgroups[BASELINE]);
		str_add(out, " → ");
		html_add_text(out, f->pairs[i].cgroups[CANDIDATE]);
		str_addf(out, ": %u thread types in common, %.1f%%, %u joined below</li>\n",
			 f->pairs[i].overlap, 100.0 * f->pairs[i].overlap / f->pairs[i].in_all,
			 f->pairs[i].cascaded);
	}
	str_add(out, "</ul></section>\n");
}

int render_html(const struct report *r, struct str *out)
{
	int rc = add_head(out, r);

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
	return rc < 0 ? rc : str_check(out);
}

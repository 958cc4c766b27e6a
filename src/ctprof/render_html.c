// SPDX-License-Identifier: GPL-2.0-only
/*
 * A report as one HTML page without anything from outside: tables that sort by
 * a click on a heading, a search box, a bar per row for the relative change.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/util.h"
#include "ctprof/html_page.h"
#include "ctprof/notes.h"
#include "ctprof/number.h"
#include "ctprof/render.h"
#include "ctprof/render_cell.h"

/* Changes of this many percent and more fill the bar; its scale is logarithmic. */
#define FULL_BAR_PERCENT 10000.0

static void add_escaped(struct str *out, const char *text)
{
	_str_ struct str printable = {};

	text_add_printable(&printable, text);
	out->failed |= printable.failed;
	for (const char *p = str_get(&printable); *p; p++)
		switch (*p) {
		case '&':
			str_add(out, "&amp;");
			break;
		case '<':
			str_add(out, "&lt;");
			break;
		case '>':
			str_add(out, "&gt;");
			break;
		case '"':
			str_add(out, "&quot;");
			break;
		case '\'':
			str_add(out, "&#39;");
			break;
		default:
			str_addc(out, *p);
		}
}

struct html_column {
	const char *key; /* in the address: #sort=primary:delta:desc */
	const char *title;
	const char *class;
};

static void open_table(struct str *out, const char *id, const char *title,
		       const struct html_column *columns, size_t count)
{
	str_addf(out, "<section><h2>%s</h2>\n<div class=\"scroll\"><table id=\"%s\"><thead><tr>",
		 title, id);
	for (size_t i = 0; i < count; i++)
		str_addf(out,
			 "<th scope=\"col\" class=\"%s\" data-c=\"%s\"><button>%s</button></th>",
			 columns[i].class, columns[i].key, columns[i].title);
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
	add_escaped(out, text);
	str_add(out, "</td>");
}

static void add_value_cell(struct str *out, const struct html_column *c, const struct value *v,
			   enum metric_ladder ladder, bool is_partial)
{
	_str_ struct str text = {}, markup = {};

	value_add_text(&text, v, ladder);
	str_add(&text, is_partial ? "~" : "");
	add_escaped(&markup, str_get(&text));
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
	add_escaped(out, str_get(&leaf));
	if (g->comm && g->pcomm) {
		str_add(out, "<small>");
		add_escaped(out, g->pcomm);
		if (g->cgroup_shown) {
			str_add(out, " · ");
			add_escaped(out, g->cgroup_shown);
		}
		str_add(out, "</small>");
	}
	str_add(out, "</td>");
}

static void add_threads_cell(struct str *out, const struct html_column *c, const struct group *g)
{
	const struct aggregate *latest = g->sides[CANDIDATE] ? g->sides[CANDIDATE] :
							       g->sides[BASELINE];
	_str_ struct str text = {};

	group_add_threads(&text, g);
	add_number_cell(out, c, latest->threads, str_get(&text), "");
}

static void add_compare_row(struct str *out, const struct html_column *c, const struct row_view *v)
{
	enum metric_ladder ladder = measure_ladder(v->measure);
	double uptime = report_uptime(v->report, v->group);
	_str_ struct str delta = {}, alive = {};
	bool is_rate = !isnan(v->cell.per_second);

	row_add_column(&delta, v, COLUMN_DELTA);
	row_add_column(&alive, v, COLUMN_UPTIME);
	out->failed |= delta.failed || alive.failed;
	str_add(out, "<tr>");
	add_group_cell(out, &c[0], v->group);
	add_threads_cell(out, &c[1], v->group);
	add_text_cell(out, &c[2], measure_name(v->measure));
	add_value_cell(out, &c[3], &v->cell.sides[BASELINE], ladder, v->cell.is_partial[BASELINE]);
	add_value_cell(out, &c[4], &v->cell.sides[CANDIDATE], ladder,
		       v->cell.is_partial[CANDIDATE]);
	add_change_cells(out, &c[5], v->cell.sides, &v->cell.delta, str_get(&delta),
			 is_rate ? v->cell.per_second : v->cell.delta.number);
	add_number_cell(out, &c[8], uptime, str_get(&alive), "");
	str_add(out, "</tr>\n");
}

static void add_compare_rows(struct str *out, const struct report *r, const struct ranking *rows,
			     const char *id, const char *title)
{
	const struct html_column columns[] = {
		{ "group", column_title(r, COLUMN_GROUP), "name" },
		{ "threads", "threads", "num" },
		{ "metric", "metric", "metric" },
		{ "baseline", "baseline", "num" },
		{ "candidate", "candidate", "num" },
		{ "delta", column_title(r, COLUMN_DELTA), "num" },
		{ "percent", "%", "num" },
		{ "change", "change", "bar" },
		{ "uptime", column_title(r, COLUMN_UPTIME), "num" },
	};

	if (!rows->count)
		return;
	open_table(out, id, title, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < rows->count; i++) {
		struct row_view v = row_view(r, &r->groups, &rows->rows[i]);

		add_compare_row(out, columns, &v);
	}
	close_table(out, rows->cut);
}

/* Rows of one side: show, and threads that were born or died. */
static void add_one_sided_rows(struct str *out, const struct report *r,
			       const struct grouping *groups, const struct ranking *rows,
			       enum side side, const char *id, const char *title)
{
	const struct html_column columns[] = {
		{ "group", column_title(r, COLUMN_GROUP), "name" },
		{ "threads", "threads", "num" },
		{ "metric", "metric", "metric" },
		{ "value", "value", "num" },
	};

	if (!rows->count)
		return;
	open_table(out, id, title, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < rows->count; i++) {
		struct row_view v = row_view(r, groups, &rows->rows[i]);

		str_add(out, "<tr>");
		add_group_cell(out, &columns[0], v.group);
		add_threads_cell(out, &columns[1], v.group);
		add_text_cell(out, &columns[2], measure_name(v.measure));
		add_value_cell(out, &columns[3], &v.cell.sides[side], measure_ladder(v.measure),
			       v.cell.is_partial[side]);
		str_add(out, "</tr>\n");
	}
	close_table(out, rows->cut);
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
		{ "subject", "subject", "name" },  { "metric", "metric", "metric" },
		{ "baseline", "baseline", "num" }, { "candidate", "candidate", "num" },
		{ "delta", "delta", "num" },	   { "percent", "%", "num" },
		{ "change", "change", "bar" },
	};
	static const struct html_column show_columns[] = {
		{ "subject", "subject", "name" },
		{ "metric", "metric", "metric" },
		{ "value", "value", "num" },
	};
	bool is_show = r->options->is_show;
	const struct html_column *columns = is_show ? show_columns : compare_columns;
	size_t limit = r->options->limit, shown = limit && limit < t->count ? limit : t->count;
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
	add_escaped(out, r->paths[side]);
	str_addf(out, " — %zu threads", r->kept.sides[side].count);
	if (s->captured_at_unix_ns.is_known) {
		clock_format_utc(s->captured_at_unix_ns.value, 0, time);
		str_addf(out, ", %s", time);
	}
	if (s->has_host && s->host.kernel_release) {
		str_add(out, ", kernel ");
		add_escaped(out, s->host.kernel_release);
	}
	str_add(out, "</dd>");
}

static int add_notes(struct str *out, const struct report *r)
{
	_notes_ struct notes notes = {};
	int rc = notes_collect(&notes, r);

	if (!notes.count)
		return rc;
	str_add(out, "<ul class=\"notes\">");
	for (size_t i = 0; i < notes.count; i++) {
		str_add(out, "<li>");
		add_escaped(out, notes.items[i].text);
		str_add(out, "</li>");
	}
	str_add(out, "</ul>\n");
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
		add_escaped(out, r->paths[BASELINE]);
		str_add(out, " → ");
	}
	add_escaped(out, r->paths[CANDIDATE]);
	str_addf(out, "</title>\n<style>%s</style></head>\n<body><header><h1>ctprof %s</h1>\n",
		 html_style, is_show ? "show" : "compare");
	str_add(out, "<dl class=\"sides\">");
	if (!is_show)
		add_side(out, r, BASELINE, "baseline");
	add_side(out, r, CANDIDATE, is_show ? "snapshot" : "candidate");
	if (r->window.seconds > 0)
		str_addf(out, "<dt>window</dt><dd>%.1f s</dd>", r->window.seconds);
	str_addf(out, "<dt>grouped by</dt><dd>%s</dd></dl>\n", axis_names[r->options->axis]);
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
		add_escaped(out, str_get(&name));
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
		add_escaped(out, f->pairs[i].cgroups[BASELINE]);
		str_add(out, " → ");
		add_escaped(out, f->pairs[i].cgroups[CANDIDATE]);
		str_addf(out, ": %u thread types in common, %.1f%%, %u joined below</li>\n",
			 f->pairs[i].overlap, 100.0 * f->pairs[i].overlap / f->pairs[i].in_all,
			 f->pairs[i].cascaded);
	}
	str_add(out, "</ul></section>\n");
}

int render_html(const struct report *r, struct str *out)
{
	int rc = add_head(out, r);

	if (r->options->is_show) {
		add_one_sided_rows(out, r, &r->groups, &r->primary, CANDIDATE, "primary",
				   "Primary metrics");
		add_one_sided_rows(out, r, &r->groups, &r->derived, CANDIDATE, "derived",
				   "Derived metrics");
	} else {
		add_compare_rows(out, r, &r->primary, "primary", "Primary metrics");
		add_compare_rows(out, r, &r->derived, "derived", "Derived metrics");
	}
	add_one_sided_rows(out, r, &r->born, &r->born_rows, CANDIDATE, "born", "Born threads");
	add_one_sided_rows(out, r, &r->died, &r->died_rows, BASELINE, "died", "Died threads");
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
		 "%.0f %%. Made by ktstr.</footer>\n<script>%s</script></body></html>\n",
		 FULL_BAR_PERCENT, html_script);
	return rc < 0 ? rc : str_check(out);
}

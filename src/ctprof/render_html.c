// SPDX-License-Identifier: GPL-2.0-only
/*
 * A report as a self-contained HTML page: tables that are sorted by a click on a heading, a search
 * box, and a bar per row for the relative change.
 */

#include "base/embed.h"
#include "base/html.h"
#include "ctprof/render_parts.h"

/* The fixed parts of the page: nothing is loaded from elsewhere. */
EMBED(ctprof_page_style, "src/ctprof/page/style.css");
EMBED(ctprof_page_script, "src/ctprof/page/script.js");

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

static void add_rows(struct grid *g, const struct ranking *rows, const char *id, const char *title)
{
	struct str *out = g->sheet.out;

	if (!rows->count)
		return;
	open_table(out, id, title);
	grid_begin(g);
	for (size_t i = 0; i < rows->count; i++) {
		struct row_view v = row_view(g->report, g->groups, &rows->rows[i]);

		grid_add(g, &v, 0);
	}
	sheet_end(&g->sheet);
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

/* More columns than the text table: both sides, and the bar. */
static const enum column compared_columns[] = {
	COLUMN_GROUP, COLUMN_THREADS, COLUMN_METRIC, COLUMN_BASELINE, COLUMN_CANDIDATE,
	COLUMN_DELTA, COLUMN_PERCENT, COLUMN_UPTIME, COLUMN_TIME,
};
static const enum column one_sided_columns[] = { COLUMN_GROUP, COLUMN_THREADS, COLUMN_METRIC,
						 COLUMN_VALUE };

static void add_groups(struct grid *g)
{
	const struct report *r = g->report;
	const struct report_options *o = r->options;

	if (o->are_columns_named || o->is_show)
		grid_use(g, o->columns, o->column_count, NULL);
	else
		grid_use(g, compared_columns, ARRAY_SIZE(compared_columns), NULL);
	grid_add_sort_column(g);
	add_rows(g, &r->primary, "primary", "Primary metrics");
	add_rows(g, &r->derived, "derived", "Derived metrics");
	grid_use(g, one_sided_columns, ARRAY_SIZE(one_sided_columns), NULL);
	g->groups = &r->born;
	add_rows(g, &r->born_rows, "born", "Born threads");
	g->groups = &r->died;
	g->side = BASELINE;
	add_rows(g, &r->died_rows, "died", "Died threads");
	g->side = CANDIDATE;
}

static void add_facts(struct grid *g, const struct fact_table *t)
{
	static const enum column compared[] = { COLUMN_GROUP,	  COLUMN_METRIC, COLUMN_BASELINE,
						COLUMN_CANDIDATE, COLUMN_DELTA,	 COLUMN_PERCENT };
	static const enum column shown[] = { COLUMN_GROUP, COLUMN_METRIC, COLUMN_VALUE };
	bool is_show = g->report->options->is_show;
	size_t rows = fact_table_shown(t, g->report->options);
	_str_ struct str id = {};

	grid_use(g, is_show ? shown : compared, is_show ? ARRAY_SIZE(shown) : ARRAY_SIZE(compared),
		 "subject");
	str_addf(&id, "%s%s%s", sections[t->layout->section].name, t->resource ? "-" : "",
		 t->resource ? t->resource : "");
	open_table(g->sheet.out, str_get(&id), t->heading + strlen("## "));
	grid_begin(g);
	for (size_t i = 0; i < rows; i++) {
		struct row_view v = fact_view(g->report, &t->facts[i]);

		grid_add(g, &v, 0);
	}
	sheet_end(&g->sheet);
	close_table(g->sheet.out, t->count - rows);
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
	struct grid g = { .report = r,
			  .groups = &r->groups,
			  .side = CANDIDATE,
			  .sheet = { .format = SHEET_AS_HTML, .out = out } };
	struct time_table times = find_times(r);
	int rc = add_head(out, r);

	add_times(out, r, &times);
	add_groups(&g);
	for (size_t i = 0; i < r->facts.count; i++)
		add_facts(&g, &r->facts.items[i]);
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

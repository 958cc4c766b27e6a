// SPDX-License-Identifier: GPL-2.0-only
/* The report as an HTML page: every row, changed ones first. */
#include "base/html.h"
#include "delta/delta.h"
#include "stats/stats.h"

/* The style sheet's classes for verdicts of tests. */
static const char *const classes[] = {
	[DELTA_SAME] = "s",   [DELTA_WORSE] = "f", [DELTA_BETTER] = "p",
	[DELTA_UNSURE] = "i", [DELTA_NOISY] = "i", [DELTA_NEUTRAL] = "s",
};

static void add_cell(struct str *out, const char *text)
{
	html_add_in(out, "<td>", text, "");
}

static void add_row(struct str *out, const struct delta_row *row)
{
	_str_ struct str change = {}, interval = {}, runs = {};

	delta_add_change(row, &change);
	delta_add_interval(row, &interval);
	delta_add_runs(row, &runs);
	str_addf(out, "<tr><td><span class=\"v %s\">%s</span>", classes[row->f.verdict],
		 delta_verdict_words(row));
	add_cell(out, row->test);
	add_cell(out, row->phase ? row->phase : "");
	add_cell(out, row->metric);
	str_addf(out, "<td>%.2f%s<td>%.2f%s", row->f.sides[0].mean, row->unit, row->f.sides[1].mean,
		 row->unit);
	add_cell(out, str_get(&change));
	add_cell(out, str_get(&interval));
	add_cell(out, str_get(&runs));
	str_add(out, "\n");
	out->failed |= change.failed || interval.failed || runs.failed;
}

static void add_table(struct str *out, const struct delta_report *r, bool is_shown,
		      const char *title)
{
	str_addf(out,
		 "<section><h2>%s</h2><div class=sc><table><thead><tr><th>Verdict<th>Test<th>Phase"
		 "<th>Metric<th>",
		 title);
	html_add_text(out, r->labels[0]);
	html_add_in(out, "<th>", r->labels[1], "<th>Change<th>Interval<th>Runs</thead><tbody>\n");
	for (size_t i = 0; i < r->rows.count; i++)
		if (delta_is_shown(&r->rows.items[i]) == is_shown)
			add_row(out, &r->rows.items[i]);
	str_add(out, "</tbody></table></div></section>\n");
}

int delta_html(const struct delta_report *r, struct str *out)
{
	_str_ struct str title = {}, notes = {};

	str_addf(&title, "%s → %s", r->labels[0], r->labels[1]);
	delta_add_sentence(r, &notes);
	html_page_begin(out, str_get(&title));
	html_add_in(out, "<header><h1>", str_get(&title), "</h1><p>");
	html_add_text(out, str_get(&notes));
	str_add(out, "</p></header>\n<main>\n");
	add_table(out, r, true, "Changes");
	add_table(out, r, false, "The same");
	str_reset(&notes);
	delta_add_notes(r, &notes);
	str_add(out, "<section><h2>Notes</h2><pre tabindex=0>");
	html_add_lines(out, str_get(&notes));
	str_add(out, "</pre></section>\n");
	html_end(out, NULL);
	out->failed |= title.failed || notes.failed;
	return str_check(out);
}

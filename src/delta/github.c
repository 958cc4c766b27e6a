// SPDX-License-Identifier: GPL-2.0-only
/* The summary page that GitHub shows for a job. */
#include "delta/delta.h"
#include "run/report.h"

static void add_row(struct str *out, const struct delta_row *row)
{
	_str_ struct str change = {}, interval = {};

	delta_add_change(row, &change);
	delta_add_interval(row, &interval);
	str_add(out, "| ");
	github_add_cell(out, delta_verdict_words(row));
	str_add(out, " | ");
	github_add_cell(out, row->test);
	str_add(out, " | ");
	github_add_cell(out, row->metric);
	str_addf(out, " | %.2f%s | %.2f%s | %s | %s |\n", row->f.sides[0].mean, row->unit,
		 row->f.sides[1].mean, row->unit, str_get(&change), str_get(&interval));
}

void delta_github(const struct delta_report *r, struct str *out)
{
	_str_ struct str notes = {}, rows = {};

	for (size_t i = 0; i < r->rows.count; i++)
		if (!r->rows.items[i].phase && delta_is_shown(&r->rows.items[i]))
			add_row(&rows, &r->rows.items[i]);
	str_add(out, "### ktstr perf-delta: ");
	delta_add_sentence(r, &notes);
	github_add_cell(out, str_get(&notes));
	str_add(out, "\n\n");
	if (rows.len) {
		str_add(out, "| verdict | test | metric | ");
		github_add_cell(out, r->labels[0]);
		str_add(out, " | ");
		github_add_cell(out, r->labels[1]);
		str_addf(
			out,
			" | change | interval |\n| --- | --- | --- | --- | --- | --- | --- |\n%s\n",
			rows.s);
	}
	out->failed |= notes.failed || rows.failed;
}

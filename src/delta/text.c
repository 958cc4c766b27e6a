// SPDX-License-Identifier: GPL-2.0-only
/* The report as text: a table with arrows and intervals, and sentences around it. */

#include "delta/delta.h"

#define RED "\033[31m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"

static const char *const colours[] = {
	[DELTA_WORSE] = RED,	[DELTA_BETTER] = GREEN, [DELTA_UNSURE] = YELLOW,
	[DELTA_NOISY] = YELLOW, [DELTA_NEUTRAL] = NULL,
};

static void fill_row(struct table *t, const struct delta_row *row, bool has_colour)
{
	const struct delta_figures *f = &row->f;
	_str_ struct str delta = {}, interval = {}, runs = {};
	size_t at = 0;

	delta_add_change(row, &delta);
	delta_add_interval(row, &interval);
	delta_add_runs(row, &runs);
	table_cell(t, at++, row->test);
	if (row->phase)
		table_cell(t, at++, row->phase);
	table_cell(t, at++, row->metric);
	table_cellf(t, at++, "%.2f%s", f->sides[0].mean, row->unit);
	table_cellf(t, at++, "%.2f%s", f->sides[1].mean, row->unit);
	table_cell(t, at++, str_get(&delta));
	table_cell(t, at++, str_get(&interval));
	table_cell(t, at++, str_get(&runs));
	table_cellf(t, at, "%s%s", delta_verdict_words(row),
		    row->is_asserted  ? " (asserted)" :
		    row->is_must_fail ? " (--must-fail)" :
					"");
	if (has_colour)
		table_cell_colour(t, at, colours[f->verdict]);
	t->failed |= delta.failed || interval.failed || runs.failed;
}

static int add_table(const struct delta_report *r, bool is_of_phases, bool has_colour,
		     struct str *out)
{
	const char *const titles[] = { "TEST",	"PHASE",    "METRIC", r->labels[0], r->labels[1],
				       "DELTA", "INTERVAL", "N",      "VERDICT" };
	const char *const plain[] = { "TEST",  "METRIC",   r->labels[0], r->labels[1],
				      "DELTA", "INTERVAL", "N",		 "VERDICT" };
	_table_ struct table t = {};
	size_t shown = 0, asserted = 0;

	if (is_of_phases)
		table_init(&t, titles, ARRAY_SIZE(titles));
	else
		table_init(&t, plain, ARRAY_SIZE(plain));
	vec_each(const struct delta_row, row, &r->rows) {
		if ((row->phase != NULL) != is_of_phases || !delta_is_shown(row))
			continue;
		table_row(&t);
		fill_row(&t, row, has_colour);
		shown++;
		asserted += row->is_asserted;
	}
	if (!shown)
		return 0;
	if (is_of_phases)
		str_addf(out,
			 "\nby phase, not gated%s:", asserted ? " unless a test asserts it" : "");
	str_addc(out, '\n');
	return table_add(&t, out);
}

static void add_head(const struct delta_report *r, struct str *out)
{
	_str_ struct str a = {}, b = {};

	text_add_printable(&a, r->labels[0]);
	text_add_printable(&b, r->labels[1]);
	str_addf(out, "A: %s, B: %s; %zu test%s, ", str_get(&a), str_get(&b), r->tests,
		 r->tests == 1 ? "" : "s");
	if (r->fewest == r->most)
		str_addf(out, "%zu run%s a side", r->most, r->most == 1 ? "" : "s");
	else
		str_addf(out, "%zu to %zu runs a side", r->fewest, r->most);
	str_addf(out, "%s, %.4g %% confidence\n", r->is_paired ? " with the same seeds" : "",
		 100 * (1 - r->alpha));
}

int delta_text(const struct delta_report *r, bool has_colour, struct str *out)
{
	int rc;

	add_head(r, out);
	rc = add_table(r, false, has_colour, out) ?: add_table(r, true, has_colour, out);
	if (rc < 0)
		return rc;
	str_addc(out, '\n');
	delta_add_notes(r, out);
	return str_check(out);
}

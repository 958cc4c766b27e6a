// SPDX-License-Identifier: GPL-2.0-only
/* Facts as tables. */
#include "ctprof/render_parts.h"

static const char *lead_text(const struct fact *f, enum lead lead)
{
	switch (lead) {
	case LEAD_SUBJECT:
		return f->subject;
	case LEAD_ROW:
		return f->row;
	case LEAD_METRIC:
		return f->metric;
	case LEAD_NONE:
		break;
	}
	return "";
}

static bool is_absent(const struct cell *c)
{
	return c->sides[BASELINE].kind == VALUE_ABSENT && c->sides[CANDIDATE].kind == VALUE_ABSENT;
}

/* "a → b (+d)", one side only in show. */
static void add_fact(struct str *out, const struct fact *f, bool is_equal_once, bool is_show)
{
	const struct cell *c = &f->cell;

	if (is_show || is_absent(c) || (is_equal_once && !fact_is_changed(f))) {
		cell_add_side(out, c, CANDIDATE, f->ladder);
		return;
	}
	cell_add_side(out, c, BASELINE, f->ladder);
	str_add(out, " → ");
	cell_add_side(out, c, CANDIDATE, f->ladder);
	if (c->delta.kind != DELTA_NUMBER)
		return;
	str_add(out, " (");
	cell_add_delta(out, c, f->ladder);
	str_addc(out, ')');
}

static void add_line(struct table *t, const struct fact_table *facts, const struct fact *line,
		     bool is_show)
{
	const struct fact_layout *layout = facts->layout;

	table_row(t);
	for (size_t i = 0; i < fact_leads(layout); i++)
		table_cell(t, i, lead_text(line, layout->leads[i]));
	for (size_t i = 0; i < facts_per_line(layout); i++) {
		_str_ struct str text = {};

		add_fact(&text, &line[i], layout->is_equal_once, is_show);
		t->failed |= text.failed;
		table_cell(t, fact_leads(layout) + i, str_get(&text));
	}
}

static size_t shown_lines(const struct report *r, size_t lines)
{
	return r->options->limit && r->options->limit < lines ? r->options->limit : lines;
}

static int render_lines(const struct report *r, const struct fact_table *facts, struct str *out)
{
	const struct fact_layout *layout = facts->layout;
	size_t lines = facts->count / facts_per_line(layout), shown = shown_lines(r, lines);
	_table_ struct table t = {};
	int rc = table_start(&t, r, layout->columns, fact_leads(layout) + facts_per_line(layout));

	for (size_t i = 0; i < shown; i++)
		add_line(&t, facts, &facts->facts[i * facts_per_line(layout)], r->options->is_show);
	rc = rc ?: table_add(&t, out);
	render_cut(out, lines - shown);
	return rc;
}

/* Memory maps of processes have the columns of the metrics' tables. */
static int render_main_lines(const struct report *r, const struct fact_table *facts,
			     struct str *out)
{
	size_t shown = shown_lines(r, facts->count);
	struct grid s = { .report = r, .side = CANDIDATE, .sheet.out = out };
	int rc;

	grid_use(&s, r->options->columns, r->options->column_count, "process");
	grid_begin(&s);
	for (size_t i = 0; i < shown; i++) {
		struct row_view v = fact_view(r, &facts->facts[i]);

		grid_add(&s, &v, 0);
	}
	rc = sheet_end(&s.sheet);
	render_cut(out, facts->count - shown);
	return rc;
}

int render_facts(const struct report *r, enum section_id section, struct str *out)
{
	int rc = 0;

	vec_each_while(const struct fact_table, facts, &r->facts, rc == 0) {
		if (facts->layout->section != section)
			continue;
		render_heading(r, out, facts->heading, STYLE_HEADER);
		if (section == SECTION_SMAPS_ROLLUP && !r->options->is_show)
			rc = render_main_lines(r, facts, out);
		else
			rc = render_lines(r, facts, out);
	}
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Facts as tables. */
#include <math.h>

#include "base/err.h"
#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "ctprof/number.h"
#include "ctprof/render_section.h"
#include "ctprof/render_style.h"

#define _table_ _cleanup_(table_finish)

static int start_table(struct table *t, const struct report *r, const char *const *titles,
		       size_t count)
{
	int rc = table_init(t, titles, count);

	if (rc == 0 && r->options->wrap_width)
		table_set_wrap(t, r->options->wrap_width);
	if (rc == 0 && r->options->has_colour)
		table_set_header_colour(t, STYLE_HEADER);
	return rc;
}

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

static void add_name(struct table *t, size_t column, const char *name)
{
	_str_ struct str text = {};

	text_add_printable(&text, name);
	t->failed |= text.failed;
	table_cell(t, column, str_get(&text));
}

static int add_line(struct table *t, const struct fact_table *facts, const struct fact *line,
		    bool is_show)
{
	const struct fact_layout *layout = facts->layout;
	int rc = table_row(t);

	for (size_t i = 0; rc == 0 && i < layout->lead_count; i++)
		add_name(t, i, lead_text(line, layout->leads[i]));
	for (size_t i = 0; rc == 0 && i < layout->facts_per_line; i++) {
		_str_ struct str text = {};

		fact_add_text(&text, &line[i], layout, is_show);
		t->failed |= text.failed;
		table_cell(t, layout->lead_count + i, str_get(&text));
	}
	return rc;
}

static size_t shown_lines(const struct report *r, size_t lines)
{
	return r->options->limit && r->options->limit < lines ? r->options->limit : lines;
}

static int render_lines(const struct report *r, const struct fact_table *facts, struct str *out)
{
	const struct fact_layout *layout = facts->layout;
	size_t lines = facts->count / layout->facts_per_line, shown = shown_lines(r, lines);
	_table_ struct table t = {};
	int rc = start_table(&t, r, layout->columns, layout->lead_count + layout->facts_per_line);

	for (size_t i = 0; rc == 0 && i < shown; i++)
		rc = add_line(&t, facts, &facts->facts[i * layout->facts_per_line],
			      r->options->is_show);
	if (rc == 0)
		rc = table_add(&t, out);
	render_cut(out, lines - shown);
	return rc;
}

/* Columns that make no sense for a process are dashes. */
static void add_main_column(struct str *out, const struct fact *f, enum column column)
{
	struct delta d = fact_delta(f);

	switch (column) {
	case COLUMN_GROUP:
		text_add_printable(out, f->subject);
		break;
	case COLUMN_METRIC:
		text_add_printable(out, f->metric);
		break;
	case COLUMN_BASELINE:
	case COLUMN_CANDIDATE:
		fact_add_side(out, f, column == COLUMN_CANDIDATE ? CANDIDATE : BASELINE);
		break;
	case COLUMN_ARROW:
		fact_add_side(out, f, BASELINE);
		str_add(out, " → ");
		fact_add_side(out, f, CANDIDATE);
		break;
	case COLUMN_DELTA:
		fact_add_delta(out, f);
		break;
	case COLUMN_PERCENT:
		number_add_percent(out, d.percent);
		break;
	default:
		str_addc(out, '-');
	}
}

static int add_main_line(struct table *t, const struct report *r, const struct fact *f)
{
	const struct report_options *o = r->options;
	struct delta d = fact_delta(f);
	int rc = table_row(t);

	for (size_t i = 0; rc == 0 && i < o->column_count; i++) {
		bool is_percent = o->columns[i] == COLUMN_PERCENT;
		_str_ struct str text = {};

		add_main_column(&text, f, o->columns[i]);
		t->failed |= text.failed;
		table_cell(t, i, str_get(&text));
		if (o->has_colour && (is_percent || o->columns[i] == COLUMN_DELTA))
			table_cell_colour(t, i, style_change(&d, is_percent));
	}
	return rc;
}

/* Memory maps of processes have the columns of the metrics' tables. */
static int render_main_lines(const struct report *r, const struct fact_table *facts,
			     struct str *out)
{
	const struct report_options *o = r->options;
	size_t shown = shown_lines(r, facts->count);
	const char *titles[COLUMN_COUNT];
	_table_ struct table t = {};
	int rc;

	for (size_t i = 0; i < o->column_count; i++)
		titles[i] = o->columns[i] == COLUMN_GROUP ? "process" :
							    column_title(r, o->columns[i]);
	rc = start_table(&t, r, titles, o->column_count);
	for (size_t i = 0; rc == 0 && i < shown; i++)
		rc = add_main_line(&t, r, &facts->facts[i]);
	if (rc == 0)
		rc = table_add(&t, out);
	render_cut(out, facts->count - shown);
	return rc;
}

int render_facts(const struct report *r, enum section_id section, struct str *out)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->facts.count; i++) {
		const struct fact_table *facts = &r->facts.items[i];

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

// SPDX-License-Identifier: GPL-2.0-only
/* Where the time went, as the first table of a comparison. */
#include <math.h>

#include "ctprof/render_parts.h"

void time_add(struct str *out, const struct time_row *row, enum time_kind kind)
{
	if (!(row->ns[kind] >= 0)) {
		str_addc(out, '-');
		return;
	}
	number_add(out, LADDER_NS, (uint64_t)row->ns[kind]);
	if (row->is_partial[kind])
		str_addc(out, '~');
}

/* Rare, and then worth a column: so much, and so much of what the group ran and waited. */
#define OTHER_MS 10
#define OTHER_SHARE 0.05

static bool has_other_wait(const struct time_row *row)
{
	double other = row->ns[TIME_OTHER], all = 0;

	for (enum time_kind kind = 0; kind < TIME_ASLEEP; kind++)
		all += isnan(row->ns[kind]) ? 0 : row->ns[kind];
	return other >= OTHER_MS * (double)NSEC_PER_MSEC && other >= all * OTHER_SHARE;
}

static size_t choose_columns(const struct time_table *t, enum time_kind kinds[static TIME_KINDS])
{
	bool has_other = false;
	size_t count = 0;

	for (size_t i = 0; i < t->count; i++)
		has_other |= has_other_wait(&t->rows[i]);
	for (enum time_kind kind = 0; kind < TIME_KINDS; kind++)
		if (kind != TIME_OTHER || has_other)
			kinds[count++] = kind;
	return count;
}

static void add_line(struct table *t, const struct time_row *row, const enum time_kind *kinds,
		     size_t count)
{
	_str_ struct str name = {}, threads = {};

	group_add_in_words(&name, row->group);
	group_add_threads(&threads, row->group, false);
	t->failed |= name.failed || threads.failed;
	table_row(t);
	table_cell(t, 0, str_get(&name));
	table_cell(t, 1, str_get(&threads));
	for (size_t i = 0; i < count; i++) {
		_str_ struct str text = {};

		time_add(&text, row, kinds[i]);
		t->failed |= text.failed;
		table_cell(t, 2 + i, str_get(&text));
	}
}

int render_times(const struct report *r, struct str *out)
{
	const char *titles[2 + TIME_KINDS] = { column_title(r, COLUMN_GROUP), "threads" };
	struct time_table times = find_times(r);
	enum time_kind kinds[TIME_KINDS];
	size_t count = choose_columns(&times, kinds);
	_table_ struct table t = {};
	int rc;

	if (!times.count)
		return 0;
	for (size_t i = 0; i < count; i++)
		titles[2 + i] = time_columns[kinds[i]].title;
	rc = table_start(&t, r, titles, 2 + count);
	if (rc == 0 && r->options->line_width)
		table_set_wrap(&t, r->options->line_width);
	for (size_t i = 0; rc == 0 && i < times.count; i++)
		add_line(&t, &times.rows[i], kinds, count);
	render_heading(r, out, "## Where the time went", STYLE_HEADER);
	return rc ?: table_add(&t, out);
}

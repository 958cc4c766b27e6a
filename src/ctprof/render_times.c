// SPDX-License-Identifier: GPL-2.0-only
/* Where the time went, as the first table of a comparison. */
#include "ctprof/render_parts.h"

void time_add(struct str *out, double ns)
{
	if (ns >= 0)
		number_add(out, LADDER_NS, (uint64_t)ns);
	else
		str_addc(out, '-');
}

static void add_line(struct table *t, const struct time_row *row)
{
	_str_ struct str name = {}, threads = {};

	group_add_in_words(&name, row->group);
	group_add_threads(&threads, row->group, false);
	t->failed |= name.failed || threads.failed;
	table_row(t);
	table_cell(t, 0, str_get(&name));
	table_cell(t, 1, str_get(&threads));
	for (enum time_kind kind = 0; kind < TIME_KINDS; kind++) {
		_str_ struct str text = {};

		time_add(&text, row->ns[kind]);
		t->failed |= text.failed;
		table_cell(t, 2 + kind, str_get(&text));
	}
}

int render_times(const struct report *r, struct str *out)
{
	const char *titles[2 + TIME_KINDS] = { column_title(r, COLUMN_GROUP), "threads" };
	struct time_table times = find_times(r);
	_table_ struct table t = {};
	int rc;

	if (!times.count)
		return 0;
	for (enum time_kind kind = 0; kind < TIME_KINDS; kind++)
		titles[2 + kind] = time_columns[kind].title;
	rc = table_start(&t, r, titles, ARRAY_SIZE(titles));
	for (size_t i = 0; rc == 0 && i < times.count; i++)
		add_line(&t, &times.rows[i]);
	render_heading(r, out, "## Where the time went", STYLE_HEADER);
	return rc ?: table_add(&t, out);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The table of times, the first one of a comparison. */
#include <math.h>

#include "ctprof/render_parts.h"

static void add_time(struct str *out, const struct time_row *row, enum time_kind kind)
{
	if (!(row->ns[kind] >= 0)) {
		str_addc(out, '-');
		return;
	}
	number_add(out, LADDER_NS, (uint64_t)row->ns[kind]);
	if (row->is_partial[kind])
		str_addc(out, '~');
}

/* Minimum time, and part of the time of a group, for which other waits get a column. */
#define OTHER_MS 10
#define OTHER_SHARE 0.05

static bool has_other_wait(const struct time_row *row)
{
	double other = row->ns[TIME_OTHER], all = 0;

	for (enum time_kind kind = 0; kind < TIME_ASLEEP; kind++)
		all += isnan(row->ns[kind]) ? 0 : row->ns[kind];
	return other >= OTHER_MS * (double)NSEC_PER_MSEC && other >= all * OTHER_SHARE;
}

static bool has_other_waits(const struct time_table *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (has_other_wait(&t->rows[i]))
			return true;
	return false;
}

/* Adds the parts of the name for programs, and the whole name for people. */
static void put_group(struct sheet *s, const struct group *g)
{
	_str_ struct str name = {}, home = {}, threads = {};
	struct sheet_cell cells[] = {
		SHEET_TEXT(g->cgroup_shown),
		SHEET_TEXT(g->pcomm),
		SHEET_TEXT(g->comm),
		SHEET_NOTHING,
		SHEET_U64(g->sides[CANDIDATE]->threads),
	};

	group_add_threads(&threads, g, false);
	cells[4].shown = str_get(&threads);
	if (s->format == SHEET_AS_JSON) {
		cells[4] = SHEET_OWN(group_put_threads, g);
	} else if (s->format == SHEET_AS_HTML) {
		str_add(&name, *group_leaf(g) ? group_leaf(g) : "\"\"");
		group_add_home(&home, g);
	} else {
		group_add_in_words(&name, g);
	}
	if (s->format != SHEET_AS_JSON)
		cells[3] = SHEET_TEXT(str_get(&name));
	cells[3].html = str_get(&home);
	s->out->failed |= name.failed || home.failed || threads.failed;
	for (size_t i = 0; i < ARRAY_SIZE(cells); i++)
		sheet_put(s, &cells[i]);
}

int times_add(struct sheet *s, const struct report *r, const struct time_table *t)
{
	struct sheet_column columns[5 + TIME_KINDS] = {
		{ "cgroup" },
		{ "pcomm" },
		{ "comm" },
		{ "group", column_title(r, COLUMN_GROUP), .class = "name" },
		{ "threads", "threads", .class = "num" },
	};
	bool is_short = s->format == SHEET_AS_TABLE && !has_other_waits(t);

	for (enum time_kind kind = 0; kind < TIME_KINDS; kind++)
		columns[5 + kind] = (struct sheet_column){ time_columns[kind].key,
							   is_short && kind == TIME_OTHER ?
								   NULL :
								   time_columns[kind].title,
							   .class = "num" };
	sheet_begin(s, "times", columns);
	if (s->format == SHEET_AS_TABLE)
		table_dress(&s->table, r);
	if (s->format == SHEET_AS_TABLE && r->options->line_width)
		table_set_wrap(&s->table, r->options->line_width);
	array_each(const struct time_row, row, t->rows, t->count) {
		put_group(s, row->group);
		for (enum time_kind kind = 0; kind < TIME_KINDS; kind++) {
			struct sheet_cell cell = SHEET_REAL(row->ns[kind]);
			_str_ struct str text = {};

			add_time(&text, row, kind);
			cell.shown = str_get(&text);
			s->out->failed |= text.failed;
			sheet_put(s, &cell);
		}
	}
	return sheet_end(s);
}

int render_times(const struct report *r, struct str *out)
{
	struct time_table times = find_times(r);

	if (!times.count)
		return 0;
	render_heading(r, out, "## Where the time went", STYLE_HEADER);
	return times_add(&(struct sheet){ .out = out }, r, &times);
}

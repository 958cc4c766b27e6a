/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a text report besides the tables of metrics. */
#ifndef KTSTR_CTPROF_RENDER_SECTION_H
#define KTSTR_CTPROF_RENDER_SECTION_H

#include "base/table.h"
#include "ctprof/render_cell.h"

/* A table of rows being filled. */
struct sheet {
	const struct report *report;
	const struct grouping *groups;
	const char *subject; /* title of the group column, or NULL for that of the axis */
	struct table table;
	enum column columns[COLUMN_COUNT];
	size_t column_count;
	bool has_sort_column;
	bool has_no_names; /* no group column: in a tree the names become headings */
};

/* With width and colours as the user asked for; a table fails with -ENOMEM and a message. */
int table_start(struct table *t, const struct report *r, const char *const *titles, size_t count);
int sheet_init(struct sheet *s);
int sheet_add(struct sheet *s, const struct row_view *v, size_t indent);

/* An empty line in front unless it is the first, then the heading. */
void render_heading(const struct report *r, struct str *out, const char *heading,
		    const char *colour);

/* The line that tells how much was cut, if anything was. */
void render_cut(struct str *out, size_t lines);

/* All tables of the section's facts. -ENOMEM with a message, as below. */
int render_facts(const struct report *r, enum section_id section, struct str *out);

/* Cgroups that were joined though their names differ. */
int render_fudge(const struct report *r, struct str *out);

/* Groups that only one of the snapshots has. */
int render_unmatched(const struct report *r, struct str *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the renderers; internal. */
#ifndef KTSTR_CTPROF_RENDER_PARTS_H
#define KTSTR_CTPROF_RENDER_PARTS_H

#include "base/sheet.h"
#include "ctprof/report.h"

/* The cells of a row as text, for tables and for HTML. */

const char *column_title(const struct report *r, enum column column);

/* A row of a group or a fact, and what is needed to print any of its columns. */
struct row_view {
	const struct report *report;
	const struct group *group; /* NULL for a fact */
	unsigned int measure;	   /* of a group */
	const struct fact *fact;   /* NULL for a group */
	enum metric_ladder ladder;
	bool is_one_sided; /* there is no other side to compare with */
	struct cell cell;
};

struct row_view row_view(const struct report *r, const struct grouping *g, const struct row *row);
struct row_view fact_view(const struct report *r, const struct fact *f);

/* Columns that do not apply to facts get a dash. */
void row_add_column(struct str *out, const struct row_view *v, enum column column);

/* Appends one side's value or the difference, with a mark if it omits threads. */
void cell_add_side(struct str *out, const struct cell *c, enum side side,
		   enum metric_ladder ladder);
void cell_add_delta(struct str *out, const struct cell *c, enum metric_ladder ladder);

/* Appends "11→37", or "11" when both are the same or there is only one side. */
void group_add_threads(struct str *out, const struct group *g, bool is_one_sided);

/* Key of the default order: time in ns that the row's group ran and waited. */
double row_time(const struct row_view *v);

/* Value of the first key of --sort-by; NaN = none, which comes last. */
double row_sort_number(const struct row_view *v);

/* The extra column of --sort-by: "a→b (+p%)" of its first key. */
void row_add_sort_value(struct str *out, const struct row_view *v);

/* JSON: the lists of rows and facts, and threads of a group by side. */
void report_put_rows(struct json *j, const struct report *r);
void group_put_threads(struct json *j, const void *group);

/* HTML below a thread's name: its process and cgroup. */
void group_add_home(struct str *out, const struct group *g);

/* Appends the name, escaped, after the mark of a renamed cgroup. */
void group_add_leaf(struct str *out, const struct group *g);

/* Colours of tables on a terminal. They show direction and size, not whether it is better. */

#define STYLE_RESET "\033[0m"
#define STYLE_HEADER "\033[36m"
#define STYLE_FUDGED "\033[1;33m"

/* Escape sequence of a heading in the tree: bold green, cyan, grey by depth; processes bold. */
const char *style_heading(size_t depth, bool is_cgroup);

/* Escape sequence of a cell, or NULL. */
const char *style_cell(const struct row_view *v, enum column column);

/* The parts of a text report besides the tables of metrics. */

/* The bar of a page, which is logarithmic, is full at this percentage. */
#define FULL_BAR_PERCENT 10000.0

/* A table under construction, as text or HTML. The caller sets the members before columns. */
struct grid {
	const struct report *report;
	const struct grouping *groups;
	enum side side; /* of rows with one */
	struct sheet sheet;
	struct sheet_column columns[COLUMN_COUNT + 2];
	int kinds[COLUMN_COUNT + 2]; /* enum column, or the bar, or the value of --sort-by */
	size_t count;
	bool has_no_names; /* no group column: in a tree the names become headings */
};

/* Sets the columns; subject is the title of the group column, or NULL for that of the axis. */
void grid_use(struct grid *g, const enum column *list, size_t count, const char *subject);
void grid_add_sort_column(struct grid *g);
/* sheet_end() ends what this begins. */
void grid_begin(struct grid *g);
void grid_add(struct grid *g, const struct row_view *v, size_t indent);

/* Sets the requested width and colours. */
void table_dress(struct table *t, const struct report *r);
/* Starts a table with these settings; -ENOMEM with a message. */
int table_start(struct table *t, const struct report *r, const char *const *titles, size_t count);

/* Appends an empty line, unless it is the first heading, and the heading. */
void render_heading(const struct report *r, struct str *out, const char *heading,
		    const char *colour);

/* Appends a line about omitted lines, if there are any. */
void render_cut(struct str *out, size_t lines);

/* All tables of the section's facts. -ENOMEM with a message, as below. */
int render_facts(const struct report *r, enum section_id section, struct str *out);

/* The table of times by group, in all formats except CSV. */
int times_add(struct sheet *s, const struct report *r, const struct time_table *t);
int render_times(const struct report *r, struct str *out);

/* Cgroups that were joined though their names differ. */
int render_fudge(const struct report *r, struct str *out);

/* Groups that only one of the snapshots has. */
int render_unmatched(const struct report *r, struct str *out);

/* Groups as a tree of cgroups and processes, with a heading at the start of each branch. */

/* A leaf: its group, and a number of the caller. */
struct leaf {
	const struct group *group;
	size_t index;
	uint32_t cgroup_order, pcomm_order;
};

/*
 * Groups leaves, which are sorted by rank, by cgroup and process; branches are ordered by their
 * best leaf. -ENOMEM with a message.
 */
int tree_order(struct leaf *leaves, size_t count);

/* Depth of a group: the number of its cgroup's segments. */
size_t tree_depth(const struct group *g);

/* Calls add() for each heading needed between the previous leaf (or NULL) and this one. */
typedef int (*tree_heading_fn)(void *context, const char *text, size_t len, size_t depth,
			       bool is_cgroup);
int tree_headings(const struct group *previous, const struct group *g, tree_heading_fn add,
		  void *context);

#endif

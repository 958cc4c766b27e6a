/* SPDX-License-Identifier: GPL-2.0-only */
/* The cells of a row as text, for tables and for HTML. */
#ifndef KTSTR_CTPROF_RENDER_CELL_H
#define KTSTR_CTPROF_RENDER_CELL_H

#include "base/str.h"
#include "ctprof/report.h"

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

/* What makes no sense for a fact is a dash. */
void row_add_column(struct str *out, const struct row_view *v, enum column column);

/* Appends one side's value or the difference, with the mark of those that leave out threads. */
void cell_add_side(struct str *out, const struct cell *c, enum side side,
		   enum metric_ladder ladder);
void cell_add_delta(struct str *out, const struct cell *c, enum metric_ladder ladder);

/* Appends "11→37", or "11" when both are the same or there is only one side. */
void group_add_threads(struct str *out, const struct group *g, bool is_one_sided);

/* What the default order goes by: ns that the row's group ran and waited. */
double row_time(const struct row_view *v);

/* The value that --sort-by goes by first; NaN has no place in the order. */
double row_sort_number(const struct row_view *v);

/* The extra column of --sort-by: "a→b (+p%)" of its first key. */
void row_add_sort_value(struct str *out, const struct row_view *v);

/* Names may hold any bytes: escaped, with the mark of a renamed cgroup in front. */
void group_add_leaf(struct str *out, const struct group *g);

#endif

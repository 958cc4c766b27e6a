/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups to cells and ranked rows. */
#ifndef KTSTR_CTPROF_COMPARE_H
#define KTSTR_CTPROF_COMPARE_H

#include "ctprof/group.h"

/*
 * Everything about one measure of one group. A ratio or average of the candidate
 * is that of the time between the snapshots, wherever threads can be told apart;
 * the baseline's is of the time before.
 */
struct cell {
	struct value sides[SIDES];
	struct delta delta;
	uint32_t measured[SIDES]; /* threads that the side is made of */
	bool is_partial[SIDES];	  /* and these are not all of the group's */
	double per_second;	  /* the delta as a rate; NaN unless asked for */
	/* Of sums: what survivors and born counted in between, and the dead before. */
	struct value fates[FATES];
	struct value lifetime; /* of a ratio of the candidate, since its threads started */
	/* A counter that fell: the delta is not activity, whatever the reason. */
	bool is_starred;
	/* A time that the threads did not have between the snapshots: there is no delta. */
	bool is_beyond_window;
};

static inline bool cell_is_partial(const struct cell *c)
{
	return c->is_partial[BASELINE] || c->is_partial[CANDIDATE];
}

struct cell compare_cell(const struct group *g, unsigned int measure,
			 const struct report_options *o, const struct window *w);

/*
 * A difference of times that the group's threads did not have between the
 * snapshots: a wait that began before, or a thread that the baseline did not
 * see, can bring more along.
 */
bool is_beyond_window(const struct group *g, unsigned int measure, const struct delta *d,
		      const struct window *w);

/* Integer percent of the window that the group's candidate threads lived; NaN when unknown. */
double group_uptime(const struct group *g, const struct window *w);

/* Where the interval is unknown: the group's age among all matched ones. */
struct ages {
	double newest_start, oldest; /* ticks; oldest is the largest age */
};
struct ages group_ages(const struct grouping *g);
double group_relative_age(const struct group *g, const struct ages *ages);

/* What a person would notice comes first in a group. */
enum row_class { ROW_NOTICED, ROW_CHANGED, ROW_UNCHANGED };

struct row {
	double key;
	uint32_t rank; /* of the group */
	uint32_t group;
	uint32_t measure;
	uint32_t class;
	double time_ns; /* the difference, of a time */
	double bytes;	/* the difference, of bytes that add up */
};

/* Rows of one group in a brief table. */
#define ROWS_PER_GROUP 10

/* What a brief table leaves out: so little time, and so little of what the first group took. */
#define LITTLE_MS 1
#define LITTLE_SHARE 0.01

/* Rows in the order of the table; those past the limit are only counted. */
struct ranking {
	struct row *rows;
	size_t count, cap;
	size_t cut;
	size_t held_back;     /* rows of groups that have more than a brief table shows */
	size_t little_groups; /* left out of a brief table */
};

/* Rows of the primary metrics, or of the derived ones. -ENOMEM with a message. */
int rank_rows(struct ranking *r, const struct grouping *g, bool is_derived,
	      const struct report_options *o, const struct window *w);

/* What the threads of one side counted, non-zero counters only, largest groups first. */
int rank_population(struct ranking *r, const struct grouping *g, enum side side,
		    const struct report_options *o);
void ranking_finish(struct ranking *r);

#endif

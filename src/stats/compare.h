/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two sets of runs against each other. What the filters of the sides differ in is what
 * is compared (slicing); runs that agree in everything else are pairs. Two runs that are
 * named are the sides themselves: what each of them has one value of, and another one
 * than the other, is compared as well.
 */
#ifndef KTSTR_STATS_COMPARE_H
#define KTSTR_STATS_COMPARE_H

#include "check/change.h"
#include "stats/side_filter.h"
#include "stats/policy.h"

struct compare_options {
	const struct run *sides[2];    /* loaded; NULL = all runs, by the filters */
	struct side_filter filters[2]; /* effective ones, A and B */
	const char *expression;	       /* substring over the names; or NULL */
	bool no_average;
	bool gates_single; /* one run a side is enough for a verdict */
	struct policy policy;
};

struct compare_row {
	const char *test; /* scenario and what else tells the pair from others */
	const char *metric, *unit;
	double a, b;
	enum change change;
	bool is_gated; /* false: one of the sides is a single run */
};

/* One side of a pair. */
struct compare_cell {
	size_t passes, total;
	enum ktstr_verdict worst;
};

struct compare_pair {
	const char *test;
	bool is_there[2];
	struct compare_cell cells[2];
};

/* A program that was the scheduler of some runs; version may be NULL. */
struct compare_program {
	const char *scheduler, *version, *hash;
};

struct comparison {
	struct arena arena;
	enum dimension slicing[DIMENSION_COUNT], pairing[DIMENSION_COUNT];
	size_t slicing_count, pairing_count;
	const char *labels[2];
	size_t contributors[2]; /* records that were averaged */
	size_t passes[2], totals[2];
	VEC(struct compare_row) rows;	  /* significant ones, in the order of their tests */
	VEC(struct compare_pair) skipped; /* a side failed or was skipped */
	size_t regressions, improvements, unchanged, ungated, added, removed;
	bool is_averaged, is_by_run, gates_single;
	bool has_sim; /* one of the records is of it */
	const struct host_context *hosts[2];
	VEC(struct compare_program) programs[2]; /* each once */
};

/* -EINVAL with a message when the sides are the same, or one is empty. Named runs need no others. */
int compare_runs(const struct runs *runs, struct compare_options *options, struct comparison *to);
void comparison_finish(struct comparison *c);

#define _comparison_ _cleanup_(comparison_finish)

int comparison_text(const struct comparison *c, bool has_colour, struct str *out);
void comparison_json(const struct comparison *c, struct json *j);

void compare_programs_text(const struct comparison *c, struct str *out);
void compare_programs_json(const struct comparison *c, int side, struct json *j);

void host_delta_text(const struct host_context *a, const struct host_context *b,
		     const char *const labels[2], struct str *out);

#endif

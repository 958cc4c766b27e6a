/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that make a report. */
#ifndef KTSTR_DELTA_PARTS_H
#define KTSTR_DELTA_PARTS_H

#include "delta/fresh.h"
#include "stats/registry.h"

/* The runs of one test that passed, on both sides; pairs of one seed stand at the same place. */
struct delta_test {
	const char *name;
	delta_side passed[2];
	size_t totals[2];
	const struct sidecar *failed; /* the first that did not pass; or NULL */
	bool is_paired, is_sim;
};

typedef VEC(struct delta_test) delta_tests;

/* Records to tests, in the order of their names. Texts are the arena's. */
int delta_tests_make(const delta_side sides[static 2], const struct delta_options *o,
		     struct arena *arena, delta_tests *to);
void delta_tests_finish(delta_tests *tests);

/* What is measured: a metric of the registry, or one of the test itself; of a phase or a run. */
struct delta_metric {
	const char *name, *unit;
	double abs, rel;
	bool is_higher_better;
	const struct registry_metric *registered; /* or NULL */
	const struct sidecar_metric *own;	  /* or NULL */
	const char *phase;			  /* or NULL */
	const struct ktstr_perf_delta *asserted;  /* what the test says of it; or NULL */
};

/*
 * How often chance may pass for a change in one row, so that it fails a comparison of code that is
 * the same no more often than the options say: K of m rows at K / m of it each (Lehmann and Romano
 * 2005), metrics of --must-fail at their part of it. Phases fail nothing.
 */
struct delta_alphas {
	double row, must_fail, phase;
};

/* The rows of one test. */
int delta_rows_add(struct delta_report *r, const struct delta_test *t,
		   const struct delta_options *o, const struct delta_alphas *alphas);

/* Counts and the outcome, once all rows are there. */
int delta_outcome_set(struct delta_report *r);

/* Running one side. */

/*
 * The tests with these seeds, each seed by a process of its own in the tree (NULL = here), with
 * its records in a directory of its own below records. A run that fails tests is a run; one that
 * could not run them is an error with what it said.
 */
int fresh_run_batch(const struct fresh_request *r, int side, const char *tree, const char *records,
		    uint64_t first_seed, size_t count);

#endif

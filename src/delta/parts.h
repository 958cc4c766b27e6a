/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files that make a report. */
#ifndef KTSTR_DELTA_PARTS_H
#define KTSTR_DELTA_PARTS_H

#include "delta/fresh.h"
#include "stats/registry.h"

/* The passed runs of one test on both sides; pairs of the same seed have the same index. */
struct delta_test {
	const char *name;
	delta_side passed[2];
	size_t totals[2];
	const struct sidecar *failed; /* the first run that did not pass; or NULL */
	bool is_paired, is_sim;
};

typedef VEC(struct delta_test) delta_tests;

/* Groups records into tests, sorted by name. Texts are in the arena. */
int delta_tests_make(const delta_side sides[static 2], const struct delta_options *o,
		     struct arena *arena, delta_tests *to);
void delta_tests_finish(delta_tests *tests);

/* What is measured: a metric of the registry, or of the test itself; of a phase or a run. */
struct delta_metric {
	const char *name, *unit;
	double abs, rel;
	bool is_higher_better, is_neutral;
	const struct registry_metric *registered; /* or NULL */
	const struct named_metric *own;		  /* or NULL */
	const char *phase;			  /* or NULL */
	const struct ktstr_perf_delta *asserted;  /* assertion of the test about it; or NULL */
};

/*
 * Error probabilities per row, such that a comparison of identical code fails no more often
 * than the options allow: K of m rows at K / m of it each (Lehmann and Romano 2005),
 * metrics of --must-fail at their part of it. Phases never fail a comparison.
 */
struct delta_alphas {
	double row, must_fail, phase;
};

/* Adds the rows of one test. */
int delta_rows_add(struct delta_report *r, const struct delta_test *t,
		   const struct delta_options *o, const struct delta_alphas *alphas);

/* Sets counts and outcome, once all rows exist. */
int delta_outcome_set(struct delta_report *r);

/* Running one side. */

/*
 * Runs the tests with these seeds, each seed in a process of its own in the tree (NULL =
 * the current directory), with its records in a directory of its own below records. A run
 * with failed tests is fine; one that could not run them is an error with its output.
 */
int fresh_run_batch(const struct fresh_request *r, int side, const char *tree, const char *records,
		    uint64_t first_seed, size_t count);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two sides of runs against each other: the records of each become samples, by test and metric, and
 * each pair of samples a row with its verdict. From records to a report; nothing is run here.
 */
#ifndef KTSTR_DELTA_DELTA_H
#define KTSTR_DELTA_DELTA_H

#include "check/sidecar.h"
#include "stats/compare.h"
#include "stats/sample.h"

/* One metric of one test on two sides: worse, better, the same, or not to be told. Pure. */

enum delta_verdict {
	DELTA_SAME,   /* a change as large as the gate is ruled out */
	DELTA_WORSE,  /* separated, and past both gates */
	DELTA_BETTER, /* the same in the other direction */
	DELTA_UNSURE, /* more runs would tell */
	DELTA_NOISY,  /* its runs are too far apart to be gated */
};

struct delta_gate {
	double abs, rel; /* a change below either is noise */
	bool is_higher_better;
	double alpha;	    /* how often chance may pass for a change */
	double noise_limit; /* relative spread of a side above which it is noisy; 0 = none */
};

struct delta_values {
	const double *values[2];
	size_t counts[2];
	bool is_paired;	      /* values at the same place belong together */
	const double *pooled; /* of rates: the two means over all runs; or NULL */
};

struct delta_figures {
	struct sample sides[2];
	struct separation separation; /* of B - A */
	bool is_paired;
	enum delta_verdict verdict;
	double gate;	    /* the change that counts */
	double variance;    /* of what one run of each side differs by */
	double detectable;  /* the change that would have been seen */
	size_t runs_needed; /* where unsure: runs a side in all; 0 = more than anybody makes */
};

void delta_judge(const struct delta_values *v, const struct delta_gate *gate,
		 struct delta_figures *to);

typedef VEC(const struct sidecar *) delta_side;

enum delta_phases { DELTA_PHASES_ALSO, DELTA_PHASES_NONE, DELTA_PHASES_ONLY };

struct delta_options {
	struct policy policy;
	double alpha, noise_limit;
	const char *const *must_fail; /* metrics of which one regression is enough */
	size_t must_fail_count;
	size_t fail_threshold; /* so many regressions fail */
	size_t looks;	       /* at the same runs and more, which share alpha; 0 = 1 */
	enum delta_phases phases;
	bool is_steps_only; /* phases but the baseline */
	const char *phase;  /* only this one; or NULL */
	bool has_phase_threshold;
	double phase_threshold; /* relative gate of phases, as a share */
	bool is_by_scheduler;	/* the sides may differ in it */
	const char *labels[2];
};

struct delta_row {
	const char *test, *metric, *unit;
	const char *phase; /* NULL = the whole run */
	bool is_higher_better;
	bool is_must_fail; /* by --must-fail, or by the test */
	bool is_asserted;  /* by the test */
	struct delta_figures f;
};

/* What a test says of a metric that its runs do not have. */
struct delta_unmeasured {
	const char *test, *metric, *phase;
};

/* A test of which a side has no run that passed. */
struct delta_gap {
	const char *test;
	size_t passes[2], totals[2];
	const char *why; /* what the first that did not pass says; or NULL */
};

enum delta_outcome {
	DELTA_PASSED,	   /* exit 0 */
	DELTA_FAILED,	   /* exit 1 */
	DELTA_CANNOT_TELL, /* exit 3 */
	DELTA_NO_DATA,	   /* exit 0, with a notice */
};

struct delta_report {
	struct arena arena;
	const char *labels[2];
	VEC(struct delta_row) rows; /* those of whole runs first */
	VEC(struct delta_gap) gaps;
	size_t tests;	     /* that were compared */
	size_t records[2];   /* that counted */
	size_t fewest, most; /* runs a side and test */
	bool is_paired;	     /* all of them, by seed */
	bool is_sim;
	size_t pairs, identical; /* pairs of seeds, and those whose runs are bit for bit the same */
	VEC(const char *) left_out; /* metrics that sim cannot judge */
	VEC(struct delta_unmeasured) unmeasured;
	size_t worse, better, same, unsure, noisy; /* of whole runs */
	size_t must_fail_worse, must_fail_unsure;
	size_t fail_threshold;
	size_t runs_needed;	 /* where the outcome cannot be told; 0 = nobody makes so many */
	double alpha, row_alpha; /* of the comparison, and of one of its rows */
	/* Relative changes that would have been told from chance; or NAN. */
	double seen_by_half, seen_by_most;
	enum delta_outcome outcome;
};

/* Records that are no part of it: of tests that are not measured for their performance. */
bool delta_wants(const struct sidecar *s);

/* Whether a gated metric that cannot be told would be with this many runs a side. */
bool delta_may_decide(const struct delta_report *r, size_t runs);

int delta_compare(const delta_side sides[static 2], const struct delta_options *o,
		  struct delta_report *to);
void delta_report_finish(struct delta_report *r);

/* A sentence for people: what came of it. */
void delta_add_sentence(const struct delta_report *r, struct str *out);
int delta_text(const struct delta_report *r, bool has_colour, struct str *out);
void delta_json(const struct delta_report *r, struct json *j);
/* A case for each metric of each test: worse is failed, not to be told is skipped. */
int delta_junit(const struct delta_report *r, struct str *out);
/* Markdown for GitHub's page of a job. */
void delta_github(const struct delta_report *r, struct str *out);
/* A page that needs nothing but itself. */
int delta_html(const struct delta_report *r, struct str *out);

/* Parts of it: what a row is in words, and whether people are shown it. */
bool delta_is_shown(const struct delta_row *row);
void delta_add_change(const struct delta_row *row, struct str *out);
void delta_add_interval(const struct delta_row *row, struct str *out);
void delta_add_runs(const struct delta_row *row, struct str *out);
const char *delta_verdict_words(const struct delta_row *row);
/* The lines below the table. */
void delta_add_notes(const struct delta_report *r, struct str *out);

/* Relative difference in percent; infinite where A is 0. */
double delta_percent(const struct delta_row *row, double difference);
const char *delta_verdict_name(enum delta_verdict verdict);

#endif

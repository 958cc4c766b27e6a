/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares two sides of runs: the records of each become samples, by test and metric, and
 * each pair of samples a row with its verdict. From records to a report; nothing is run
 * here.
 */
#ifndef KTSTR_DELTA_DELTA_H
#define KTSTR_DELTA_DELTA_H

#include "record/sidecar.h"
#include "stats/compare.h"
#include "stats/sample.h"

/* One metric of one test on two sides: worse, better, the same, or undecided. Pure functions. */

enum delta_verdict {
	DELTA_SAME,    /* a change as large as the gate is ruled out */
	DELTA_WORSE,   /* separated, and past both gates */
	DELTA_BETTER,  /* the same in the other direction */
	DELTA_UNSURE,  /* more runs would decide */
	DELTA_NOISY,   /* the spread of its runs is too large to be judged */
	DELTA_NEUTRAL, /* neither direction is better: not judged */
};

struct delta_gate {
	double abs, rel; /* a change below either is noise */
	bool is_higher_better;
	bool is_neutral;    /* neither direction is better */
	double alpha;	    /* probability of taking chance for a change */
	double noise_limit; /* relative spread above which a side is noisy; 0 = none */
};

struct delta_values {
	const double *values[2];
	size_t counts[2];
	bool is_paired;	      /* values at the same index belong together */
	const double *pooled; /* for rates: the two means over all runs; or NULL */
};

struct delta_figures {
	struct sample sides[2];
	struct separation separation; /* of B - A */
	bool is_paired;
	enum delta_verdict verdict;
	double gate;	    /* the smallest change that counts */
	double variance;    /* of the difference between one run of each side */
	double detectable;  /* the change that would have been detected */
	size_t runs_needed; /* if unsure: runs per side in all; 0 = too many */
};

void delta_judge(const struct delta_values *v, const struct delta_gate *gate,
		 struct delta_figures *to);

typedef VEC(const struct sidecar *) delta_side;

enum delta_phases { DELTA_PHASES_ALSO, DELTA_PHASES_NONE, DELTA_PHASES_ONLY };

struct delta_options {
	struct policy policy;
	double alpha, noise_limit;
	const char *const *must_fail; /* metrics of which a single regression fails */
	size_t must_fail_count;
	size_t fail_threshold; /* number of regressions that fail */
	size_t looks;	       /* how many looks at growing sets of runs share alpha; 0 = 1 */
	enum delta_phases phases;
	bool is_steps_only; /* all phases except the baseline */
	const char *phase;  /* only this one; or NULL */
	bool has_phase_threshold;
	double phase_threshold; /* relative gate of phases, as a fraction */
	bool is_by_scheduler;	/* the sides may differ in the scheduler */
	const char *labels[2];
};

struct delta_row {
	const char *test, *metric, *unit;
	const char *phase; /* NULL = the whole run */
	bool is_higher_better;
	bool is_neutral;   /* neither is better */
	bool is_must_fail; /* by --must-fail, or by the test */
	bool is_asserted;  /* by the test */
	struct delta_figures f;
};

/* An assertion of a test about a metric that its runs do not have. */
struct delta_unmeasured {
	const char *test, *metric, *phase;
};

/* A test without a passed run on one side. */
struct delta_gap {
	const char *test;
	size_t passes[2], totals[2];
	const char *why; /* reason of the first run that did not pass; or NULL */
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
	size_t tests;	     /* number of compared tests */
	size_t records[2];   /* number of records used */
	size_t fewest, most; /* runs per side and test */
	bool is_paired;	     /* all are paired, by seed */
	bool is_sim;
	size_t pairs, identical;    /* pairs of seeds, and those with identical runs */
	VEC(const char *) left_out; /* metrics that the simulator cannot judge */
	VEC(struct delta_unmeasured) unmeasured;
	size_t worse, better, same, unsure, noisy, neutral; /* of whole runs */
	size_t must_fail_worse, must_fail_unsure;
	size_t fail_threshold;
	size_t runs_needed;	 /* if undecided; 0 = too many */
	double alpha, row_alpha; /* of the comparison, and of one of its rows */
	/* Relative changes that would have been detected; or NAN. */
	double seen_by_half, seen_by_most;
	enum delta_outcome outcome;
};

/* False for records of tests that are not run for performance. */
bool delta_wants(const struct sidecar *s);

/* True if this many runs per side would decide an undecided gated metric. */
bool delta_may_decide(const struct delta_report *r, size_t runs);

int delta_compare(const delta_side sides[static 2], const struct delta_options *o,
		  struct delta_report *to);
void delta_report_finish(struct delta_report *r);

/* Adds the outcome as a sentence. */
void delta_add_sentence(const struct delta_report *r, struct str *out);
int delta_text(const struct delta_report *r, bool has_colour, struct str *out);
void delta_json(const struct delta_report *r, struct json *j);
/* One case per metric and test: worse = failed, undecided = skipped. */
int delta_junit(const struct delta_report *r, struct str *out);
/* Markdown for GitHub's summary page of a job. */
void delta_github(const struct delta_report *r, struct str *out);
/* A self-contained HTML page. */
int delta_html(const struct delta_report *r, struct str *out);

/* Parts of the output: a row in words, and whether it is shown. */
bool delta_is_shown(const struct delta_row *row);
void delta_add_change(const struct delta_row *row, struct str *out);
void delta_add_interval(const struct delta_row *row, struct str *out);
void delta_add_runs(const struct delta_row *row, struct str *out);
const char *delta_verdict_words(const struct delta_row *row);
/* Adds the lines below the table. */
void delta_add_notes(const struct delta_report *r, struct str *out);

/* Relative difference in percent; infinite if A is 0. */
double delta_percent(const struct delta_row *row, double difference);
const char *delta_verdict_name(enum delta_verdict verdict);

#endif

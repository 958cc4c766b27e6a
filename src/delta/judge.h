/* SPDX-License-Identifier: GPL-2.0-only */
/* One metric of one test on two sides: worse, better, the same, or not to be told. Pure. */
#ifndef KTSTR_DELTA_JUDGE_H
#define KTSTR_DELTA_JUDGE_H

#include "stats/sample.h"

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

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What several runs had of one metric, and whether two such samples differ. Pure statistics. */
#ifndef KTSTR_STATS_SAMPLE_H
#define KTSTR_STATS_SAMPLE_H

#include "base/base.h"

struct sample {
	size_t count;
	double mean, min, max, variance; /* of the sample: over count - 1 */
	size_t at_min, at_max;		 /* values that are equal to these */
};

struct sample sample_of(const double *values, size_t count);

/* (max - min) over the mean; infinite where the mean is near 0 and the values are not. */
double sample_relative_spread(const struct sample *s);

/* How far apart two sides are. */
struct separation {
	double difference; /* of the means, B - A */
	double low, high;  /* its interval at the wanted confidence */
	double p;	   /* the chance of such a difference where there is none */
	bool is_separated;
};

/*
 * Unpaired runs: Welch's t-test, or bands [min, max] that do not touch, where that happens by
 * chance less often than alpha (4 runs a side at 5 %). Where all values of both sides are one of two,
 * such as two buckets, p is that of Fisher's exact test: the t-test alarms too often there.
 * Less than two runs on a side are never separated, and their interval is infinite.
 */
struct separation sample_welch(const struct sample *a, const struct sample *b, double alpha);

/*
 * Pairs, such as runs of the same seed: the differences B - A. Separated where the bootstrap
 * interval of their mean leaves out 0 and the sign test or the t-test of the differences agrees;
 * p is twice the smaller of theirs.
 * Differences that are all 0 are no difference, exactly.
 */
struct separation sample_paired(const double *differences, size_t count, double alpha);

/* The two-sided exact sign test; zeros do not count. 1 where nothing is left. */
double sample_sign_test(const double *differences, size_t count);

/* The smallest difference that would have been seen four times in five. */
double sample_detectable_welch(const struct sample *a, const struct sample *b, double alpha);
double sample_detectable_paired(const double *differences, size_t count, double alpha);

/*
 * How many runs a side (or pairs) it takes to see a difference of that size four times in five;
 * variance is that of one run's difference. 0 = more than SAMPLE_MAX_RUNS.
 */
#define SAMPLE_MAX_RUNS 1000
size_t sample_runs_needed(double variance, bool is_paired, double difference, double alpha);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of a metric from several runs, and tests whether two samples differ. Pure statistics. */
#ifndef KTSTR_STATS_SAMPLE_H
#define KTSTR_STATS_SAMPLE_H

#include "base/base.h"

struct sample {
	size_t count;
	double mean, min, max, variance; /* variance of the sample: divided by count - 1 */
	size_t at_min, at_max;		 /* number of values equal to these */
};

struct sample sample_of(const double *values, size_t count);

/* (max - min) / mean; infinite if the mean is near 0 and the values are not. */
double sample_relative_spread(const struct sample *s);

/* Difference between two sides. */
struct separation {
	double difference; /* of the means, B - A */
	double low, high;  /* confidence interval */
	double p;	   /* probability of such a difference by chance */
	bool is_separated;
};

/*
 * Unpaired runs: separated by Welch's t-test, or if the ranges [min, max] do not touch and that
 * happens by chance less often than alpha (4 runs per side at 5 %). If all values of both sides are
 * one of two values, such as two buckets, p is that of Fisher's exact test: the t-test gives too
 * many false alarms there. With fewer than two runs on a side they are never separated, and the
 * interval is infinite.
 */
struct separation sample_welch(const struct sample *a, const struct sample *b, double alpha);

/*
 * Paired runs, such as those of the same seed: differences B - A. Separated if the bootstrap
 * interval of their mean excludes 0 and the sign test or the t-test of the differences agrees; p is
 * twice the smaller of theirs. If all differences are 0 there is exactly no difference.
 */
struct separation sample_paired(const double *differences, size_t count, double alpha);

/* Two-sided exact sign test; zeros are ignored. 1 if nothing is left. */
double sample_sign_test(const double *differences, size_t count);

/* The smallest difference that would be detected with a power of 80 %. */
double sample_detectable_welch(const struct sample *a, const struct sample *b, double alpha);
double sample_detectable_paired(const double *differences, size_t count, double alpha);

/*
 * Number of runs per side (or pairs) needed to detect a difference of that size with a power of 80
 * %; variance is that of one run's difference. 0 = more than SAMPLE_MAX_RUNS.
 */
#define SAMPLE_MAX_RUNS 1000
size_t sample_runs_needed(double variance, bool is_paired, double difference, double alpha);

#endif

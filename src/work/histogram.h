/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Latencies as a log-linear histogram: values below 64 ns exactly, above that 32
 * buckets per power of two, so a value is known within about 3 %. Adding is a few
 * instructions, two histograms merge by addition, and percentiles are nearest
 * rank, never interpolated. The largest value, the sum and the sum of squares are
 * kept exactly beside the buckets. Zeroed memory is an empty histogram.
 */
#ifndef KTSTR_WORK_HISTOGRAM_H
#define KTSTR_WORK_HISTOGRAM_H

#include "base/base.h"

#define HISTOGRAM_SUB_BITS 5
#define HISTOGRAM_BUCKETS ((64 - HISTOGRAM_SUB_BITS) << HISTOGRAM_SUB_BITS)

struct histogram {
	uint64_t count;
	uint64_t min, max; /* of nothing: 0 */
	double sum, sum_of_squares;
	uint32_t buckets[HISTOGRAM_BUCKETS];
};

void histogram_init(struct histogram *h);
void histogram_add(struct histogram *h, uint64_t value);
/* The same value several times. */
void histogram_add_many(struct histogram *h, uint64_t value, uint32_t times);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* The smallest value such that at least this share (0..1] is not above it; 0 of nothing. */
uint64_t histogram_percentile(const struct histogram *h, double share);
double histogram_mean(const struct histogram *h);
/* Population standard deviation over mean; 0 when there are fewer than two values. */
double histogram_cv(const struct histogram *h);

/* The lower bound of a bucket, for those who draw them. */
uint64_t histogram_bucket_floor(unsigned int bucket);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/* Log-linear histograms. */
#include "work/report.h"

#include <math.h>

#define SUB_BUCKETS (1U << HISTOGRAM_SUB_BITS)

static unsigned int bucket_of(uint64_t value)
{
	unsigned int power, shift, bucket;

	if (value < SUB_BUCKETS)
		return (unsigned int)value;
	power = 63 - (unsigned int)__builtin_clzll(value);
	shift = power - HISTOGRAM_SUB_BITS;
	bucket = ((shift + 1) << HISTOGRAM_SUB_BITS) + ((value >> shift) & (SUB_BUCKETS - 1));
	return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

uint64_t histogram_bucket_floor(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < SUB_BUCKETS)
		return bucket;
	shift = (bucket >> HISTOGRAM_SUB_BITS) - 1;
	return ((uint64_t)SUB_BUCKETS + (bucket & (SUB_BUCKETS - 1))) << shift;
}

/* The largest value of the bucket. */
static uint64_t bucket_ceiling(unsigned int bucket)
{
	if (bucket + 1 >= HISTOGRAM_BUCKETS)
		return UINT64_MAX;
	return histogram_bucket_floor(bucket + 1) - 1;
}

void histogram_init(struct histogram *h)
{
	memset(h, 0, sizeof(*h));
}

void histogram_add(struct histogram *h, uint64_t value)
{
	histogram_add_many(h, value, 1);
}

void histogram_add_many(struct histogram *h, uint64_t value, uint32_t times)
{
	uint32_t *bucket = &h->buckets[bucket_of(value)];

	if (times == 0)
		return;
	if (h->count == 0 || value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->count += times;
	h->sum += (double)value * times;
	h->sum_of_squares += (double)value * (double)value * times;
	if (__builtin_add_overflow(*bucket, times, bucket))
		*bucket = UINT32_MAX;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	uint64_t sum;

	if (from->count == 0)
		return;
	if (into->count == 0 || from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	into->sum += from->sum;
	into->sum_of_squares += from->sum_of_squares;
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		sum = (uint64_t)into->buckets[i] + from->buckets[i];
		into->buckets[i] = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
	}
}

uint64_t histogram_percentile(const struct histogram *h, double share)
{
	/* 0.07 * 100 is slightly more than 7 in floating point, and must not be rounded up to 8. */
	double exact = ceil(share * (double)h->count - 1e-9);
	uint64_t rank = exact < 1 ? 1 : (uint64_t)exact;
	uint64_t seen = 0, value;

	if (h->count == 0)
		return 0;
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->buckets[i];
		if (seen < rank)
			continue;
		value = bucket_ceiling(i);
		return value < h->max ? value : h->max;
	}
	return h->max;
}

double histogram_mean(const struct histogram *h)
{
	return h->count ? h->sum / (double)h->count : 0;
}

double histogram_cv(const struct histogram *h)
{
	double mean = histogram_mean(h), variance;

	if (h->count < 2 || mean <= 0)
		return 0;
	variance = h->sum_of_squares / (double)h->count - mean * mean;
	return variance > 0 ? sqrt(variance) / mean : 0;
}

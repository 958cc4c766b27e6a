// SPDX-License-Identifier: GPL-2.0-only
/* Differences of pairs: sign test, bootstrap interval, t-test. */
#include <math.h>

#include "stats/sample.h"
#include "stats/parts.h"

#define RESAMPLES 2000

double sample_sign_test(const double *differences, size_t count)
{
	size_t above = 0, below = 0, fewer, all;
	double p = 0, log_ways = 0; /* as logarithm: the number overflows from 1030 pairs on */

	for (size_t i = 0; i < count; i++) {
		above += differences[i] > 0;
		below += differences[i] < 0;
	}
	all = above + below;
	fewer = above < below ? above : below;
	/* Fraction of all outcomes that are at least as uneven, on either side. */
	for (size_t k = 0; k <= fewer; k++) {
		p += exp(log_ways - (double)all * log(2.0));
		log_ways += log((double)(all - k) / (double)(k + 1));
	}
	return fmin(2 * p, 1);
}

/* Deterministic random numbers: xorshift64*. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

/* Percentiles of the means of resamples. */
static void bootstrap(const double *values, size_t count, double alpha, struct separation *to)
{
	_free_ double *means = malloc(RESAMPLES * sizeof(*means));
	uint64_t state = 0x9e3779b97f4a7c15ULL;
	size_t cut = (size_t)(alpha / 2 * RESAMPLES);

	if (!means)
		return; /* the interval stays infinite */
	for (size_t r = 0; r < RESAMPLES; r++) {
		double sum = 0;

		for (size_t i = 0; i < count; i++)
			sum += values[(next_random(&state) >> 32) % count];
		means[r] = sum / (double)count;
	}
	qsort(means, RESAMPLES, sizeof(*means), order_doubles);
	to->low = means[cut];
	to->high = means[RESAMPLES - 1 - cut];
}

struct separation sample_paired(const double *differences, size_t count, double alpha)
{
	struct sample d = sample_of(differences, count);
	struct separation s = { .difference = d.mean, .low = -INFINITY, .high = INFINITY, .p = 1 };
	double t_test;

	if (count < 2)
		return s;
	if (d.variance > 0)
		t_test = student_two_sided(d.mean / sqrt(d.variance / (double)count),
					   (double)count - 1);
	else
		t_test = d.mean != 0 ? 0 : 1;
	/* Bonferroni: two tests were made. */
	s.p = fmin(1, 2 * fmin(t_test, sample_sign_test(differences, count)));
	bootstrap(differences, count, alpha, &s);
	s.is_separated = s.p < alpha && (s.low > 0 || s.high < 0);
	return s;
}

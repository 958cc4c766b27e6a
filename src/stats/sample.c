// SPDX-License-Identifier: GPL-2.0-only
/* Samples and their differences: Welch's t-test, and Fisher's exact test for two values. */
#include "stats/sample.h"

#include <math.h>

#include "stats/parts.h"

#define NEAR_ZERO 1e-12
#define POWER 0.8

struct sample sample_of(const double *values, size_t count)
{
	struct sample s = { .count = count };
	double squares = 0;

	if (!count)
		return s;
	s.min = s.max = values[0];
	for (size_t i = 0; i < count; i++) {
		s.mean += values[i] / (double)count;
		s.min = fmin(s.min, values[i]);
		s.max = fmax(s.max, values[i]);
	}
	for (size_t i = 0; i < count; i++) {
		squares += (values[i] - s.mean) * (values[i] - s.mean);
		s.at_min += values[i] == s.min;
		s.at_max += values[i] == s.max;
	}
	/* Equal values may leave a rounding error. */
	if (count > 1 && s.max > s.min)
		s.variance = squares / (double)(count - 1);
	return s;
}

double sample_relative_spread(const struct sample *s)
{
	if (s->max == s->min)
		return 0;
	return fabs(s->mean) < NEAR_ZERO ? INFINITY : (s->max - s->min) / fabs(s->mean);
}

/* Standard error of the difference of the means, and Satterthwaite's degrees of freedom. */
static double standard_error(const struct sample *a, const struct sample *b, double *degrees)
{
	double va = a->variance / (double)a->count, vb = b->variance / (double)b->count;
	double below = va * va / (double)(a->count - 1) + vb * vb / (double)(b->count - 1);

	*degrees = below > 0 ? (va + vb) * (va + vb) / below : (double)(a->count + b->count - 2);
	return sqrt(va + vb);
}

/* Probability that of two equal sides all values of one are above or below those of the other. */
static double chance_of_bands(size_t a, size_t b)
{
	double ways = 1;

	for (size_t i = 1; i <= a; i++)
		ways *= (double)(b + i) / (double)i;
	return 2 / ways;
}

static bool are_bands_apart(const struct sample *a, const struct sample *b)
{
	return a->max < b->min || b->max < a->min;
}

static bool has_two_values(const struct sample *s, double low, double high)
{
	bool is_either = (s->min == low || s->min == high) && (s->max == low || s->max == high);

	return is_either && (s->min == s->max || s->at_min + s->at_max == s->count);
}

/* Number of values equal to the higher one. */
static size_t count_high(const struct sample *s, double high)
{
	return s->max == high ? s->at_max : 0;
}

static double log_choose(size_t n, size_t k)
{
	return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

#define ROUNDING 1e-9

/* Fisher's exact test: sums tables with the same margins that are at most as likely as this one. */
static double fisher_two_sided(size_t a_high, size_t a, size_t b_high, size_t b)
{
	size_t high = a_high + b_high;
	double all = log_choose(a + b, high), p = 0;
	double seen = log_choose(a, a_high) + log_choose(b, b_high) - all;

	for (size_t k = high > b ? high - b : 0; k <= MIN(a, high); k++) {
		double chance = log_choose(a, k) + log_choose(b, high - k) - all;

		if (chance <= seen + ROUNDING)
			p += exp(chance);
	}
	return fmin(p, 1);
}

/* Probability of such a difference by chance. */
static double chance_of(const struct sample *a, const struct sample *b, double error,
			double degrees)
{
	double low = fmin(a->min, b->min), high = fmax(a->max, b->max);

	if (low == high)
		return 1;
	if (has_two_values(a, low, high) && has_two_values(b, low, high))
		return fisher_two_sided(count_high(a, high), a->count, count_high(b, high),
					b->count);
	return student_two_sided((b->mean - a->mean) / error, degrees);
}

struct separation sample_welch(const struct sample *a, const struct sample *b, double alpha)
{
	struct separation s = {
		.difference = b->mean - a->mean, .low = -INFINITY, .high = INFINITY, .p = 1
	};
	double error, degrees, reach;

	if (a->count < 2 || b->count < 2)
		return s;
	error = standard_error(a, b, &degrees);
	reach = error > 0 ? error * student_quantile(1 - alpha / 2, degrees) : 0;
	s.low = s.difference - reach;
	s.high = s.difference + reach;
	s.p = chance_of(a, b, error, degrees);
	s.is_separated = s.p < alpha ||
			 (are_bands_apart(a, b) && chance_of_bands(a->count, b->count) < alpha);
	return s;
}

static double sum_of_quantiles(double alpha, double degrees)
{
	return student_quantile(1 - alpha / 2, degrees) + student_quantile(POWER, degrees);
}

double sample_detectable_welch(const struct sample *a, const struct sample *b, double alpha)
{
	double error, degrees;

	if (a->count < 2 || b->count < 2)
		return INFINITY;
	error = standard_error(a, b, &degrees);
	return error > 0 ? error * sum_of_quantiles(alpha, degrees) : 0;
}

double sample_detectable_paired(const double *differences, size_t count, double alpha)
{
	struct sample s = sample_of(differences, count);

	if (count < 2)
		return INFINITY;
	return s.variance > 0 ? sqrt(s.variance / (double)count) *
					sum_of_quantiles(alpha, (double)count - 1) :
				0;
}

size_t sample_runs_needed(double variance, bool is_paired, double difference, double alpha)
{
	for (size_t n = 2; n <= SAMPLE_MAX_RUNS && difference > 0; n++) {
		double degrees = (double)(is_paired ? n - 1 : 2 * n - 2);

		/* Without variance the ranges decide. */
		if (variance == 0 && !is_paired && chance_of_bands(n, n) >= alpha)
			continue;
		if (sqrt(variance / (double)n) * sum_of_quantiles(alpha, degrees) <= difference)
			return n;
	}
	return 0;
}

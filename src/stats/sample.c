// SPDX-License-Identifier: GPL-2.0-only
/* Samples, and Welch's t-test of two of them. */
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
	for (size_t i = 0; i < count; i++)
		squares += (values[i] - s.mean) * (values[i] - s.mean);
	/* Equal values may leave a rest of rounding. */
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

/* Of the difference of the means: its standard error, and Satterthwaite's degrees of freedom. */
static double standard_error(const struct sample *a, const struct sample *b, double *degrees)
{
	double va = a->variance / (double)a->count, vb = b->variance / (double)b->count;
	double below = va * va / (double)(a->count - 1) + vb * vb / (double)(b->count - 1);

	*degrees = below > 0 ? (va + vb) * (va + vb) / below : (double)(a->count + b->count - 2);
	return sqrt(va + vb);
}

/* The chance that a side of two alike has all its values above or below those of the other. */
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
	/* Figures in steps, such as buckets, are often equal on a side: no deviation is no proof. */
	if (error > 0)
		s.p = student_two_sided(s.difference / error, degrees);
	else
		s.p = s.difference != 0 ? chance_of_bands(a->count, b->count) : 1;
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

		/* Without a deviation, bands are what separates. */
		if (variance == 0 && !is_paired && chance_of_bands(n, n) >= alpha)
			continue;
		if (sqrt(variance / (double)n) * sum_of_quantiles(alpha, degrees) <= difference)
			return n;
	}
	return 0;
}

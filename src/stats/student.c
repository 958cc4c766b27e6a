// SPDX-License-Identifier: GPL-2.0-only
/* By the incomplete beta function, as a continued fraction (Lentz's method). */
#include "stats/parts.h"

#include <math.h>

#define MAX_TERMS 300
#define PRECISION 1e-15
#define TINY 1e-300

static double lift(double value)
{
	return fabs(value) < TINY ? TINY : value;
}

static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / lift(1 - (a + b) * x / (a + 1)), h = d;

	for (int m = 1; m <= MAX_TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / lift(1 + even * d);
		c = lift(1 + even / c);
		h *= c * d;
		d = 1 / lift(1 + odd * d);
		c = lift(1 + odd / c);
		step = c * d;
		h *= step;
		if (fabs(step - 1) < PRECISION)
			break;
	}
	return h;
}

/* Regularised incomplete beta function; lgamma_r() is thread-safe, unlike lgamma(). */
static double beta_share(double a, double b, double x)
{
	double front;
	int sign;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) + a * log(x) +
		    b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_two_sided(double t, double degrees)
{
	if (!(degrees > 0) || isnan(t))
		return 1;
	if (isinf(t))
		return 0;
	return beta_share(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double student_quantile(double share, double degrees)
{
	double wanted = 2 * (1 - share), low = 0, high = 1;

	if (!(degrees > 0) || share >= 1)
		return INFINITY;
	while (student_two_sided(high, degrees) > wanted && high < 1e12)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
		double middle = (low + high) / 2;

		if (student_two_sided(middle, degrees) > wanted)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

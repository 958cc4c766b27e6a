// SPDX-License-Identifier: GPL-2.0-only
#include "stats/parts.h"

#include <math.h>

#include "stats/sample.h"

#define ALPHA 0.01
#define PENALTY 3

/* Variance of the noise: differences of neighbours hardly depend on levels. */
static int noise_of(const double *v, size_t count, double *variance)
{
	_free_ double *steps = calloc(count + 1, sizeof(*steps));
	double deviation, scale = 0;

	if (!steps)
		return err_no_memory();
	for (size_t i = 1; i < count; i++) {
		steps[i - 1] = fabs(v[i] - v[i - 1]);
		scale = fmax(scale, fabs(v[i]));
	}
	qsort(steps, count - 1, sizeof(*steps), order_doubles);
	/*
	 * The median absolute difference is 0.6745 of its deviation, which is sqrt(2) times that of
	 * the noise.
	 */
	deviation = steps[(count - 1) / 2] / (0.6745 * M_SQRT2);
	deviation = fmax(deviation, 1e-9 * fmax(scale, 1e-9));
	*variance = deviation * deviation;
	return 0;
}

struct search {
	double *sums, *squares; /* of the values before each index */
	double *costs;		/* minimum cost of the values before each index */
	size_t *last;		/* start of its last level */
};

static void search_finish(struct search *s)
{
	free(s->sums);
	free(s->squares);
	free(s->costs);
	free(s->last);
}

static int search_make(struct search *s, const double *v, size_t count)
{
	s->sums = calloc(count + 1, sizeof(double));
	s->squares = calloc(count + 1, sizeof(double));
	s->costs = calloc(count + 1, sizeof(double));
	s->last = calloc(count + 1, sizeof(size_t));
	if (!s->sums || !s->squares || !s->costs || !s->last)
		return err_no_memory();
	/* Relative to the first value: large values with small changes keep their precision. */
	for (size_t i = 0; i < count; i++) {
		s->sums[i + 1] = s->sums[i] + (v[i] - v[0]);
		s->squares[i + 1] = s->squares[i] + (v[i] - v[0]) * (v[i] - v[0]);
	}
	return 0;
}

/* Sum of squared deviations of [from, to) from its mean, in units of the noise. */
static double cost_of(const struct search *s, size_t from, size_t to, double variance)
{
	double sum = s->sums[to] - s->sums[from], squares = s->squares[to] - s->squares[from];

	return fmax(squares - sum * sum / (double)(to - from), 0) / variance;
}

static void find_levels(struct search *s, size_t count, double variance)
{
	double penalty = PENALTY * log((double)count);

	for (size_t end = CHANGE_POINTS_MIN; end <= count; end++) {
		/*
		 * Either one level up to here, or the best partition before the start of the last
		 * level.
		 */
		s->costs[end] = cost_of(s, 0, end, variance);
		for (size_t from = CHANGE_POINTS_MIN; from + CHANGE_POINTS_MIN <= end; from++) {
			double cost = s->costs[from] + cost_of(s, from, end, variance) + penalty;

			if (cost >= s->costs[end])
				continue;
			s->costs[end] = cost;
			s->last[end] = from;
		}
	}
}

/* Collects from the end to the start, then reverses. */
static size_t read_back(const struct search *s, size_t count, size_t *at)
{
	size_t found = 0;

	for (size_t end = count; s->last[end] > 0; end = s->last[end])
		at[found++] = s->last[end];
	for (size_t i = 0; i < found / 2; i++) {
		size_t other = at[i];

		at[i] = at[found - 1 - i];
		at[found - 1 - i] = other;
	}
	return found;
}

static double chance_of(const double *v, size_t count, const size_t *at, size_t found, size_t i)
{
	size_t from = i ? at[i - 1] : 0, to = i + 1 < found ? at[i + 1] : count;
	struct sample before = sample_of(v + from, at[i] - from);
	struct sample after = sample_of(v + at[i], to - at[i]);

	/* A history without noise, such as of sim, shows each step. */
	if (before.variance == 0 && after.variance == 0 && before.mean != after.mean)
		return 0;
	return sample_welch(&before, &after, ALPHA).p;
}

/* The best position of a change between two neighbouring changes. */
static size_t best_place(const struct search *s, size_t from, size_t to)
{
	size_t best = from + CHANGE_POINTS_MIN;
	double least = INFINITY;

	for (size_t k = best; k + CHANGE_POINTS_MIN <= to; k++) {
		double cost = cost_of(s, from, k, 1) + cost_of(s, k, to, 1);

		if (cost >= least)
			continue;
		least = cost;
		best = k;
	}
	return best;
}

/*
 * Drops the least significant change first: its neighbours may be significant without it, and at
 * another position, since the values in between belong to one of them.
 */
static size_t drop_unsure(const struct search *s, const double *v, size_t count, size_t *at,
			  size_t found)
{
	while (found > 0) {
		size_t worst = 0;
		double most = -1;

		for (size_t i = 0; i < found; i++) {
			double chance = chance_of(v, count, at, found, i);

			if (chance > most) {
				most = chance;
				worst = i;
			}
		}
		if (most < ALPHA)
			break;
		found--;
		memmove(at + worst, at + worst + 1, (found - worst) * sizeof(*at));
		for (size_t i = worst ? worst - 1 : 0; i <= worst && i < found; i++)
			at[i] = best_place(s, i ? at[i - 1] : 0, i + 1 < found ? at[i + 1] : count);
	}
	return found;
}

int change_points_find(const double *values, size_t count, size_t *at, size_t *found)
{
	_cleanup_(search_finish) struct search s = {};
	double variance;
	int rc;

	*found = 0;
	if (count < (size_t)2 * CHANGE_POINTS_MIN)
		return 0;
	rc = noise_of(values, count, &variance) ?: search_make(&s, values, count);
	if (rc != 0)
		return rc;
	find_levels(&s, count, variance);
	*found = drop_unsure(&s, values, count, at, read_back(&s, count, at));
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Assertions on a series. Comparisons are written so that NaN never satisfies them. */
#include <math.h>

#include "check/result.h"
#include "snapshot/parts.h"

#define CONVERGED 3 /* in a row */

/* A series while it is judged: without its gaps, which have been reported. */
struct judged {
	const struct ktstr_series *series;
	struct ktstr_result *res;
	const char *claim;
	VEC(struct series_point) points;
	bool is_broken;
};

static void judged_finish(struct judged *j)
{
	free(j->points.items);
}

static void broken(struct judged *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Reports only the first violation: the others often follow from it. */
static void broken(struct judged *j, const char *fmt, ...)
{
	_str_ struct str text = {};
	va_list ap;

	if (j->is_broken)
		return;
	j->is_broken = true;
	va_start(ap, fmt);
	str_addv(&text, fmt, ap);
	va_end(ap);
	result_add(j->res, DETAIL_TEMPORAL, KTSTR_FAILED, "%s is not %s: %s", j->series->what,
		   j->claim, str_get(&text));
}

static bool inconclusive(struct judged *j, const char *why)
{
	result_add(j->res, DETAIL_TEMPORAL, KTSTR_INCONCLUSIVE,
		   "%s could not be judged to be %s: %s", j->series->what, j->claim, why);
	return false;
}

static bool holds(struct judged *j)
{
	if (!j->is_broken)
		result_pass(j->res);
	return !j->is_broken;
}

/* Returns false if there is nothing to judge. That is reported, and so are gaps. */
static bool begin(struct judged *j, size_t least, bool gaps_break)
{
	_str_ struct str why = {};

	if (!j->series) {
		result_add(j->res, DETAIL_TEMPORAL, KTSTR_FAILED, "there is no series to judge: %s",
			   err_text(-ENOENT));
		return false;
	}
	vec_each(const struct series_point, p, &j->series->points) {
		if (p->is_known && vec_push(&j->points, *p) < 0)
			return inconclusive(j, "out of memory");
		if (p->is_known)
			continue;
		if (gaps_break)
			broken(j, "it is not in %s", p->name);
		else
			result_add(j->res, DETAIL_NOTE, KTSTR_SKIPPED,
				   "%s is not in %s, which is left out", j->series->what, p->name);
	}
	if (j->points.count >= least)
		return true;
	str_addf(&why, "it has %zu of the %zu values that are needed", j->points.count, least);
	return inconclusive(j, str_get(&why));
}

#define JUDGED(name, claim_, series_, res_) \
	_cleanup_(judged_finish) struct judged name = { (series_), (res_), (claim_), {}, false }

static double seconds_between(const struct series_point *a, const struct series_point *b)
{
	return ((double)b->time_ns - (double)a->time_ns) / (double)NSEC_PER_SEC;
}

static double ms_between(const struct series_point *a, const struct series_point *b)
{
	return seconds_between(a, b) * 1e3;
}

static bool rises(const struct ktstr_series *s, bool is_strict, struct ktstr_result *res)
{
	JUDGED(j, is_strict ? "strictly increasing" : "nondecreasing", s, res);

	if (!begin(&j, 2, false))
		return false;
	for (size_t i = 1; i < j.points.count; i++) {
		const struct series_point *a = &j.points.items[i - 1], *b = a + 1;

		if (!(is_strict ? b->value > a->value : b->value >= a->value))
			broken(&j, "%s has %g after %g in %s", b->name, b->value, a->value,
			       a->name);
	}
	return holds(&j);
}

bool ktstr_series_nondecreasing(const struct ktstr_series *s, struct ktstr_result *res)
{
	return rises(s, false, res);
}

bool ktstr_series_strictly_increasing(const struct ktstr_series *s, struct ktstr_result *res)
{
	return rises(s, true, res);
}

static bool is_within(double value, double low, double high)
{
	return value >= low && value <= high;
}

bool ktstr_series_rate_within(const struct ktstr_series *s, double low, double high,
			      struct ktstr_result *res)
{
	JUDGED(j, "within its rate", s, res);

	if (!begin(&j, 2, false))
		return false;
	for (size_t i = 1; i < j.points.count; i++) {
		const struct series_point *a = &j.points.items[i - 1], *b = a + 1;
		double rate = (b->value - a->value) / seconds_between(a, b);

		if (!is_within(rate, low, high))
			broken(&j, "%g per second from %s to %s; %g to %g are allowed", rate,
			       a->name, b->name, low, high);
	}
	return holds(&j);
}

/* Removes the points before the end of the warm-up. */
static void drop_warmup(struct judged *j, uint64_t warmup_ms)
{
	const struct series_point first = j->points.items[0];
	size_t kept = 0;

	vec_each(const struct series_point, p, &j->points)
		if (ms_between(&first, p) >= (double)warmup_ms)
			j->points.items[kept++] = *p;
	j->points.count = kept;
}

static double mean_of(const struct judged *j)
{
	double sum = 0;

	vec_each(const struct series_point, p, &j->points)
		sum += p->value;
	return sum / (double)j->points.count;
}

bool ktstr_series_steady_within(const struct ktstr_series *s, uint64_t warmup_ms, double tolerance,
				struct ktstr_result *res)
{
	JUDGED(j, "steady", s, res);
	double mean;

	if (!begin(&j, 2, false))
		return false;
	drop_warmup(&j, warmup_ms);
	if (j.points.count < 2)
		return inconclusive(&j, "fewer than 2 snapshots are left after the warm-up");
	mean = mean_of(&j);
	vec_each(const struct series_point, p, &j.points) {
		if (!(fabs(p->value - mean) <= fabs(mean) * tolerance))
			broken(&j, "%s has %g, the mean is %g and the tolerance %g %%", p->name,
			       p->value, mean, tolerance * 100);
	}
	return holds(&j);
}

bool ktstr_series_converges_to(const struct ktstr_series *s, double target, double tolerance,
			       uint64_t deadline_ms, struct ktstr_result *res)
{
	JUDGED(j, "convergent", s, res);
	const struct series_point *last = NULL;
	size_t in_a_row = 0, best = 0, seen = 0;

	if (!begin(&j, CONVERGED, false))
		return false;
	vec_each(const struct series_point, p, &j.points) {
		if (ms_between(&j.points.items[0], p) > (double)deadline_ms)
			break;
		last = p;
		seen++;
		in_a_row = fabs(p->value - target) <= tolerance ? in_a_row + 1 : 0;
		best = MAX(best, in_a_row);
	}
	if (seen < CONVERGED)
		return inconclusive(&j, "fewer than 3 snapshots were taken before the deadline");
	if (best < CONVERGED)
		broken(&j,
		       "%d in a row within %g of %g by %llu ms are wanted, %zu are there; %s has "
		       "%g",
		       CONVERGED, tolerance, target, ULL(deadline_ms), best, last->name,
		       last->value);
	return holds(&j);
}

static bool each(const struct ktstr_series *s, const char *claim, double low, double high,
		 struct ktstr_result *res)
{
	JUDGED(j, claim, s, res);

	if (!begin(&j, 1, true))
		return false;
	vec_each(const struct series_point, p, &j.points) {
		if (!is_within(p->value, low, high))
			broken(&j, "%s has %g; %g to %g are allowed", p->name, p->value, low, high);
	}
	return holds(&j);
}

bool ktstr_series_each_at_least(const struct ktstr_series *s, double low, struct ktstr_result *res)
{
	return each(s, "large enough everywhere", low, INFINITY, res);
}

bool ktstr_series_each_at_most(const struct ktstr_series *s, double high, struct ktstr_result *res)
{
	return each(s, "small enough everywhere", -INFINITY, high, res);
}

bool ktstr_series_each_between(const struct ktstr_series *s, double low, double high,
			       struct ktstr_result *res)
{
	return each(s, "within its bounds everywhere", low, high, res);
}

bool ktstr_series_always_true(const struct ktstr_series *s, struct ktstr_result *res)
{
	JUDGED(j, "always true", s, res);

	if (!begin(&j, 1, true))
		return false;
	vec_each(const struct series_point, p, &j.points)
		if (isnan(p->value) || p->value == 0)
			broken(&j, "%s has %g", p->name, p->value);
	return holds(&j);
}

/* Finds the point of the same snapshot: names may repeat, times do not. */
static const struct series_point *find_point(const struct ktstr_series *s,
					     const struct series_point *wanted)
{
	vec_each(const struct series_point, p, &s->points)
		if (p->is_known && p->time_ns == wanted->time_ns && str_eq(p->name, wanted->name))
			return p;
	return NULL;
}

bool ktstr_series_ratio_within(const struct ktstr_series *s, const struct ktstr_series *other,
			       double low, double high, struct ktstr_result *res)
{
	JUDGED(j, "within its ratio", s, res);
	bool has_both = false;

	j.series = other ? s : NULL;
	if (!begin(&j, 1, false))
		return false;
	vec_each(const struct series_point, a, &j.points) {
		const struct series_point *b = find_point(other, a);

		if (!b)
			continue;
		has_both = true;
		if (b->value == 0 || !is_within(a->value / b->value, low, high))
			broken(&j, "%s has %g by %g of %s; %g to %g are allowed", a->name, a->value,
			       b->value, other->what, low, high);
	}
	return has_both ? holds(&j) : inconclusive(&j, "no snapshot has both");
}

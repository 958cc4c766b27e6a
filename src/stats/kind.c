// SPDX-License-Identifier: GPL-2.0-only
/* Kinds of metrics, and how they are folded. */
#include "stats/registry.h"

#include <math.h>

typedef bool fold_fn(const struct metric_reading *r, size_t count, struct metric_reading *to);

static bool is_finite(const struct metric_reading *r)
{
	return isfinite(r->value) && isfinite(r->weight);
}

static bool fold_difference(const struct metric_reading *r, size_t count, struct metric_reading *to)
{
	double first = 0;
	size_t used = 0;

	*to = (struct metric_reading){ .weight = 1 };
	for (size_t i = 0; i < count; i++) {
		if (!is_finite(&r[i]))
			continue;
		if (used++ == 0)
			first = r[i].value;
		to->value = fmax(r[i].value - first, 0);
	}
	return used > 1;
}

/* Sums weights, too: for a rate both are sums. */
static bool fold_sum(const struct metric_reading *r, size_t count, struct metric_reading *to)
{
	size_t used = 0;

	*to = (struct metric_reading){};
	for (size_t i = 0; i < count; i++) {
		if (!is_finite(&r[i]))
			continue;
		to->value += r[i].value;
		to->weight += r[i].weight;
		used++;
	}
	return used > 0;
}

static bool fold_rate(const struct metric_reading *r, size_t count, struct metric_reading *to)
{
	return fold_sum(r, count, to) && to->weight > 0;
}

static bool fold_weighted(const struct metric_reading *r, size_t count, struct metric_reading *to)
{
	double sum = 0, weight = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_finite(&r[i]))
			continue;
		sum += r[i].value * r[i].weight;
		weight += r[i].weight;
	}
	*to = (struct metric_reading){ weight > 0 ? sum / weight : 0, weight };
	return weight > 0;
}

static bool fold_mean(const struct metric_reading *r, size_t count, struct metric_reading *to)
{
	double sum = 0;
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_finite(&r[i]))
			continue;
		sum += r[i].value;
		used++;
	}
	*to = (struct metric_reading){ used ? sum / (double)used : 0, 1 };
	return used > 0;
}

static bool fold_last(const struct metric_reading *r, size_t count, struct metric_reading *to)
{
	while (count > 0) {
		count--;
		if (!is_finite(&r[count]))
			continue;
		*to = r[count];
		return true;
	}
	return false;
}

static bool fold_extreme(const struct metric_reading *r, size_t count, double sign,
			 struct metric_reading *to)
{
	bool is_there = false;

	for (size_t i = 0; i < count; i++) {
		if (!is_finite(&r[i]) || (is_there && sign * r[i].value <= sign * to->value))
			continue;
		*to = r[i];
		is_there = true;
	}
	return is_there;
}

static bool fold_max(const struct metric_reading *r, size_t count, struct metric_reading *to)
{
	return fold_extreme(r, count, 1, to);
}

static bool fold_min(const struct metric_reading *r, size_t count, struct metric_reading *to)
{
	return fold_extreme(r, count, -1, to);
}

static bool fold_none(const struct metric_reading *r _unused_, size_t count _unused_,
		      struct metric_reading *to _unused_)
{
	return false;
}

static const struct {
	const char *name;
	fold_fn *phase, *runs;
} kinds[METRIC_KIND_COUNT] = {
	[METRIC_COUNTER] = { "counter", fold_difference, fold_sum },
	[METRIC_DELTA_SUM] = { "delta_sum", fold_sum, fold_sum },
	[METRIC_GAUGE_AVG] = { "gauge_avg", fold_weighted, fold_weighted },
	[METRIC_GAUGE_LAST] = { "gauge_last", fold_last, fold_last },
	[METRIC_GAUGE_MAX] = { "gauge_max", fold_max, fold_max },
	[METRIC_PEAK] = { "peak", fold_max, fold_max },
	[METRIC_TIMESTAMP] = { "timestamp", fold_last, fold_last },
	[METRIC_RATE] = { "rate", fold_rate, fold_rate },
	[METRIC_DISTRIBUTION] = { "distribution", fold_max, fold_mean },
	[METRIC_DISTRIBUTION_WORST] = { "distribution_worst", fold_max, fold_max },
	[METRIC_WORST_LOWEST] = { "worst_lowest", fold_min, fold_mean },
	[METRIC_PER_PHASE] = { "per_phase", fold_last, fold_none },
};

const char *metric_kind_name(enum reading_kind kind)
{
	return kinds[kind].name;
}

bool metric_fold_phase(enum reading_kind kind, const struct metric_reading *readings, size_t count,
		       struct metric_reading *to)
{
	return kinds[kind].phase(readings, count, to);
}

bool metric_fold_runs(enum reading_kind kind, const struct metric_reading *readings, size_t count,
		      struct metric_reading *to)
{
	return kinds[kind].runs(readings, count, to);
}

double reading_value(enum reading_kind kind, const struct metric_reading *r)
{
	return kind == METRIC_RATE ? r->value / r->weight : r->value;
}

bool metric_is_summed(enum reading_kind kind)
{
	return kinds[kind].runs == fold_sum;
}

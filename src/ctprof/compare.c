// SPDX-License-Identifier: GPL-2.0-only
/* Computes cells, and lifetimes of groups. */
#include "ctprof/report.h"

#include <math.h>

static struct value side_value(const struct group *g, enum side side, unsigned int measure,
			       const struct report_options *o)
{
	struct value v = aggregate_value(g->sides[side], measure);

	if (o->is_per_thread && measure_is_sum(measure) && v.kind != VALUE_ABSENT)
		return value_real(value_number(&v) / aggregate_measured(g->sides[side], measure));
	return v;
}

/* A mean over the lifetime hides recent changes: 25 slow reads after 4,000 fast ones. */
static void use_window(struct cell *c, const struct group *g, unsigned int measure)
{
	c->lifetime = c->sides[CANDIDATE];
	if (g->is_joined)
		c->sides[CANDIDATE] = group_window_value(g, measure);
}

/* A group that did not exist had counted 0, unless its threads were only not seen. */
static bool has_grown_from_nothing(const struct group *g, unsigned int measure,
				   const struct report_options *o)
{
	return !o->is_show && !g->sides[BASELINE] && !g->unplaced &&
	       (measure_is_sum(measure) || measure == M_thread_count);
}

static struct delta find_delta(const struct cell *c, const struct group *g, unsigned int measure,
			       const struct report_options *o)
{
	struct value nothing = value_unsigned(0);

	return value_delta(has_grown_from_nothing(g, measure, o) ? &nothing : &c->sides[BASELINE],
			   &c->sides[CANDIDATE]);
}

/* Units per second if the measure is a time, else 0. */
static double units_per_second(unsigned int measure, const struct window *w)
{
	if (!measure_is_sum(measure))
		return 0;
	if (measure_ladder(measure) == LADDER_TICKS)
		return w->user_hz;
	if (!measure_is_derived(measure) && !metric_is_elapsed((enum metric_id)measure))
		return 0;
	return measure_ladder(measure) == LADDER_NS ? (double)NSEC_PER_SEC : 0;
}

/* Returns whether this is more time than so many threads can have spent between the snapshots. */
static bool exceeds_window(double number, uint32_t threads, unsigned int measure,
			   const struct window *w)
{
	double unit = units_per_second(measure, w);

	return unit > 0 && number > threads * window_longest_seconds(w) * unit;
}

/* Threads that have exited counted before the baseline, so the window does not limit their time. */
static void tell_fates_apart(struct cell *c, const struct group *g, unsigned int measure,
			     const struct window *w)
{
	for (enum fate fate = 0; g->is_joined && fate < FATES; fate++) {
		struct value v = aggregate_value(g->fates[fate], measure);

		if (fate == FATE_DIED || v.kind == VALUE_ABSENT ||
		    !exceeds_window(value_number(&v), g->fates[fate]->threads, measure, w))
			c->fates[fate] = v;
	}
}

/* Waiting for I/O excludes running and waiting for a CPU: see longest_of() in impossible.c. */
static double spent_otherwise(const struct group *g, unsigned int measure)
{
	static const unsigned int others[] = { M_run_time_ns, M_wait_time_ns };
	double ns = 0;

	for (size_t i = 0; measure == M_blkio_delay_total_ns && i < ARRAY_SIZE(others); i++) {
		struct value v = group_window_value(g, others[i]);

		ns += v.kind == VALUE_ABSENT ? 0 : value_number(&v);
	}
	return ns;
}

bool is_beyond_window(const struct group *g, unsigned int measure, const struct delta *d,
		      const struct window *w)
{
	const struct aggregate *a = g->sides[CANDIDATE];
	uint32_t measured;

	if (!a || d->kind != DELTA_NUMBER)
		return false;
	measured = measure_is_derived(measure) ? a->threads : aggregate_measured(a, measure);
	return exceeds_window(d->number, measured, measure, w) ||
	       exceeds_window(d->number + spent_otherwise(g, measure), a->threads, measure, w);
}

/* An impossible wait of one thread does not show in the sum over many. */
static bool has_part_beyond(const struct group *g, unsigned int measure)
{
	const struct aggregate *survived = g->fates[FATE_SURVIVED];
	enum metric_id inputs[DERIVED_MAX_INPUTS];
	size_t count = 0;

	if (!survived || !survived->without_time_for_io)
		return false;
	if (measure_is_derived(measure) && measure_is_sum(measure))
		count = derived_inputs(&derived_metrics[measure - METRIC_COUNT], inputs);
	for (size_t i = 0; i < count; i++)
		if (inputs[i] == M_blkio_delay_total_ns)
			return true;
	return measure == M_blkio_delay_total_ns;
}

static bool is_no_fact(const struct group *g, unsigned int measure, const struct delta *d,
		       const struct report_options *o, const struct window *w)
{
	if (o->is_show)
		return false;
	if (has_part_beyond(g, measure))
		return d->kind == DELTA_NUMBER;
	if (o->is_per_thread)
		return d->kind == DELTA_NUMBER && exceeds_window(d->number, 1, measure, w);
	return is_beyond_window(g, measure, d, w);
}

static bool is_less(const struct group *g, unsigned int measure)
{
	struct value from = aggregate_value(g->sides[BASELINE], measure);
	struct value to = aggregate_value(g->sides[CANDIDATE], measure);

	return from.kind == VALUE_UNSIGNED && to.kind == VALUE_UNSIGNED && to.u < from.u;
}

/* False if one side lacks a part of a derived sum: then the sums are not comparable. */
static bool has_same_parts(const struct group *g, unsigned int measure)
{
	enum metric_id inputs[DERIVED_MAX_INPUTS];
	size_t count = 0;

	if (measure_is_derived(measure) && group_is_matched(g))
		count = derived_inputs(&derived_metrics[measure - METRIC_COUNT], inputs);
	for (size_t i = 0; i < count; i++)
		if (!aggregate_measured(g->sides[BASELINE], inputs[i]) !=
		    !aggregate_measured(g->sides[CANDIDATE], inputs[i]))
			return false;
	return true;
}

static bool can_subtract(const struct group *g, unsigned int measure, const struct window *w)
{
	if (w->has_other_ticks && measure_ladder(measure) == LADDER_TICKS)
		return false;
	return has_same_parts(g, measure);
}

struct cell compare_cell(const struct group *g, unsigned int measure,
			 const struct report_options *o, const struct window *w)
{
	struct cell c = { .per_second = NAN };

	for (enum side side = BASELINE; side < SIDES; side++) {
		c.sides[side] = side_value(g, side, measure, o);
		c.measured[side] = aggregate_measured(g->sides[side], measure);
		c.is_partial[side] = aggregate_is_partial(g->sides[side], measure);
	}
	if (!o->is_show && measure_is_ratio(measure))
		use_window(&c, g, measure);
	if (measure_is_sum(measure))
		tell_fates_apart(&c, g, measure, w);
	c.delta = can_subtract(g, measure, w) ? find_delta(&c, g, measure, o) : value_no_delta();
	c.is_beyond_window = is_no_fact(g, measure, &c.delta, o, w);
	if (c.is_beyond_window)
		c.delta = value_no_delta();
	c.has_fallen = c.delta.kind == DELTA_NUMBER &&
		       (measure_is_counter(measure) || measure_is_peak(measure)) &&
		       !w->is_other_boot && !o->is_matched_by_tid && is_less(g, measure);
	/* The difference of two ratios already is in points. */
	if (measure_ladder(measure) == LADDER_RATIO)
		c.delta.percent = NAN;
	if (o->is_per_second && measure_is_sum(measure))
		c.per_second = c.delta.number / w->seconds;
	return c;
}

double group_uptime(const struct group *g, const struct window *w)
{
	const struct aggregate *a = g->sides[CANDIDATE];

	if (!a || !a->known_starts || w->interval_ticks <= 0)
		return NAN;
	return round(a->alive_sum / a->known_starts * 100);
}

static double mean_start(const struct group *g)
{
	const struct aggregate *a = g->sides[CANDIDATE];

	return a && a->known_starts ? a->start_sum / a->known_starts : NAN;
}

struct ages group_ages(const struct grouping *g)
{
	struct ages ages = { .newest_start = NAN, .oldest = NAN };

	for (size_t i = 0; i < g->count; i++)
		if (group_is_matched(&g->groups[i]))
			ages.newest_start = fmax(ages.newest_start,
						 g->groups[i].sides[CANDIDATE]->newest_start);
	for (size_t i = 0; i < g->count; i++)
		if (group_is_matched(&g->groups[i]))
			ages.oldest =
				fmax(ages.oldest, ages.newest_start - mean_start(&g->groups[i]));
	return ages;
}

double group_relative_age(const struct group *g, const struct ages *ages)
{
	double age = ages->newest_start - mean_start(g);

	if (isnan(age) || !(ages->oldest > 0))
		return NAN;
	return round(age / ages->oldest * 100);
}

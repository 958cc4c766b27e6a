// SPDX-License-Identifier: GPL-2.0-only
#include "delta/delta.h"

#include <math.h>

#include "check/change.h"

/* Without a deviation, the number of runs cannot be estimated; this is the least that has one. */
#define FEWEST_RUNS 2

static void separate_pairs(const struct delta_values *v, double alpha, struct delta_figures *to)
{
	size_t count = MIN(v->counts[0], v->counts[1]);
	_free_ double *differences = calloc(count + 1, sizeof(*differences));

	to->separation = (struct separation){ .low = -INFINITY, .high = INFINITY, .p = 1 };
	to->detectable = INFINITY;
	if (!differences)
		return; /* nothing is claimed */
	for (size_t i = 0; i < count; i++)
		differences[i] = v->values[1][i] - v->values[0][i];
	to->separation = sample_paired(differences, count, alpha);
	to->detectable = sample_detectable_paired(differences, count, alpha);
	to->variance = sample_of(differences, count).variance;
}

static void separate(const struct delta_values *v, double alpha, struct delta_figures *to)
{
	for (int side = 0; side < 2; side++) {
		to->sides[side] = sample_of(v->values[side], v->counts[side]);
		if (v->pooled)
			to->sides[side].mean = v->pooled[side];
	}
	if (v->is_paired) {
		separate_pairs(v, alpha, to);
		return;
	}
	to->separation = sample_welch(&to->sides[0], &to->sides[1], alpha);
	to->detectable = sample_detectable_welch(&to->sides[0], &to->sides[1], alpha);
	to->variance = to->sides[0].variance + to->sides[1].variance;
}

static bool is_noisy(const struct delta_figures *f, double limit)
{
	return limit > 0 && (sample_relative_spread(&f->sides[0]) > limit ||
			     sample_relative_spread(&f->sides[1]) > limit);
}

/*
 * Number of runs with which the observed change is either significant, or shown to be below
 * the gate.
 */
static size_t runs_needed(const struct delta_figures *f, double worse, double alpha)
{
	double gap = fabs(worse) >= f->gate ? fabs(worse) : f->gate - worse;

	if (f->sides[0].count < FEWEST_RUNS || f->sides[1].count < FEWEST_RUNS)
		return FEWEST_RUNS;
	return sample_runs_needed(f->variance, f->is_paired, gap, alpha);
}

void delta_judge(const struct delta_values *v, const struct delta_gate *gate,
		 struct delta_figures *to)
{
	double sign = gate->is_higher_better ? -1 : 1, bound;
	enum change change;

	*to = (struct delta_figures){ .is_paired = v->is_paired };
	separate(v, gate->alpha, to);
	change = change_of(to->sides[0].mean, to->sides[1].mean, gate->abs, gate->rel,
			   gate->is_higher_better);
	to->gate = fmax(gate->abs, gate->rel * fabs(to->sides[0].mean));
	bound = sign > 0 ? to->separation.high : -to->separation.low;
	if (gate->is_neutral)
		to->verdict = DELTA_NEUTRAL;
	else if (is_noisy(to, gate->noise_limit))
		to->verdict = DELTA_NOISY;
	else if (to->separation.is_separated && change != CHANGE_NONE)
		to->verdict = change == CHANGE_REGRESSION ? DELTA_WORSE : DELTA_BETTER;
	else if (bound < to->gate)
		to->verdict = DELTA_SAME;
	else
		to->verdict = DELTA_UNSURE;
	if (to->verdict == DELTA_UNSURE)
		to->runs_needed = runs_needed(to, sign * to->separation.difference, gate->alpha);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A scheduler against the kernel's own: phases come in pairs, "NAME: phase" and
 * "eevdf: phase", and every pair is a few lines of one table.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/util.h"
#include "check/latency.h"
#include "check/result.h"

#define BASELINE "eevdf: "

enum { COLUMN_PHASE, COLUMN_METRIC, COLUMN_SCHED, COLUMN_EEVDF, COLUMN_DELTA, COLUMN_PCT, COLUMNS };

/* Numbers that a phase comes to; NAN = no reading. */
/* clang-format off */
#define FIGURES(X) \
	X(ITERATION_RATE, "iterations/s") X(SPREAD, "spread %") X(GAP, "worst gap ms") \
	X(MIGRATIONS, "migrations") X(RUN_DELAY, "mean run delay us") \
	X(WAKE_P50, "wake p50 us") X(WAKE_P99, "wake p99 us") X(WAKE_MAX, "wake max us") \
	X(TIMER_P99, "timer p99 us")
/* clang-format on */

enum figure {
#define X(id, text) FIGURE_##id,
	FIGURES(X)
#undef X
		FIGURE_COUNT,
};

static const char *const figure_names[] = {
#define X(id, text) text,
	FIGURES(X)
#undef X
};

static void latency_figures(double *out, enum figure p99, const struct latency *l)
{
	if (l->count)
		out[p99] = (double)l->p99_ns / 1e3;
}

static bool figures_of(const struct phase_stats *phase, double out[FIGURE_COUNT])
{
	_free_ struct cgroup_stats *t = malloc(sizeof(*t));
	struct ktstr_result view = {};
	struct latency wakes, timers;
	double seconds = (double)(phase->end_ms - phase->start_ms) / 1e3;

	if (!t)
		return false;
	view.cgroups.items = phase->cgroups.items;
	view.cgroups.count = phase->cgroups.count;
	result_totals(&view, t);
	latency_worst(&view, &wakes, &timers);
	for (int i = 0; i < FIGURE_COUNT; i++)
		out[i] = NAN;
	if (!t->workers)
		return true;
	if (seconds > 0)
		out[FIGURE_ITERATION_RATE] = (double)t->iterations / seconds;
	if (t->has_off_cpu)
		out[FIGURE_SPREAD] = t->spread_pct;
	if (t->gap_cpu >= 0)
		out[FIGURE_GAP] = (double)t->gap_ms;
	out[FIGURE_MIGRATIONS] = (double)t->migrations;
	if (t->has_run_delay)
		out[FIGURE_RUN_DELAY] = t->mean_run_delay_us;
	latency_figures(out, FIGURE_WAKE_P99, &wakes);
	latency_figures(out, FIGURE_TIMER_P99, &timers);
	if (wakes.count) {
		out[FIGURE_WAKE_P50] = (double)wakes.p50_ns / 1e3;
		out[FIGURE_WAKE_MAX] = (double)wakes.max_ns / 1e3;
	}
	return true;
}

/* Three digits are enough to compare by. */
static void number_cell(struct table *t, size_t column, double value)
{
	if (isnan(value))
		table_cell(t, column, "-");
	else if (fabs(value) >= 100)
		table_cellf(t, column, column == COLUMN_DELTA ? "%+.0f" : "%.0f", value);
	else
		table_cellf(t, column, column == COLUMN_DELTA ? "%+.3g" : "%.3g", value);
}

static void add_row(struct table *t, const char *phase, enum figure figure, double sched,
		    double eevdf)
{
	if (isnan(sched) && isnan(eevdf))
		return;
	table_row(t);
	table_cell(t, COLUMN_PHASE, phase);
	table_cell(t, COLUMN_METRIC, figure_names[figure]);
	number_cell(t, COLUMN_SCHED, sched);
	number_cell(t, COLUMN_EEVDF, eevdf);
	number_cell(t, COLUMN_DELTA, sched - eevdf);
	if (isnan(sched - eevdf) || eevdf == 0)
		table_cell(t, COLUMN_PCT, "-");
	else
		table_cellf(t, COLUMN_PCT, "%+.1f%%", (sched - eevdf) / eevdf * 100);
}

static bool add_pair(struct table *t, const char *phase, const struct phase_stats *sched,
		     const struct phase_stats *eevdf)
{
	double ours[FIGURE_COUNT], theirs[FIGURE_COUNT];

	if (!figures_of(sched, ours) || !figures_of(eevdf, theirs))
		return false;
	for (int i = 0; i < FIGURE_COUNT; i++)
		add_row(t, phase, (enum figure)i, ours[i], theirs[i]);
	return true;
}

/* The name of the phase without the scheduler's, or NULL. */
static const char *phase_part(const char *name)
{
	const char *colon = strstr(name, ": ");

	return colon ? colon + 2 : NULL;
}

static const struct phase_stats *find_baseline(const struct ktstr_result *r, const char *part)
{
	for (size_t i = 0; i < r->phases.count; i++) {
		const struct phase_stats *phase = &r->phases.items[i];

		if (str_starts(phase->name, BASELINE) &&
		    str_eq(phase->name + strlen(BASELINE), part))
			return phase;
	}
	return NULL;
}

static bool add_pairs(const struct ktstr_result *r, struct table *t)
{
	for (size_t i = 0; i < r->phases.count; i++) {
		const struct phase_stats *phase = &r->phases.items[i], *baseline;
		const char *part = phase_part(phase->name);

		if (!part || str_starts(phase->name, BASELINE))
			continue;
		baseline = find_baseline(r, part);
		if (baseline && !add_pair(t, part, phase, baseline))
			return false;
	}
	return true;
}

/* The scheduler's name, out of the first phase that was not the baseline's. */
static char *scheduler_of(const struct ktstr_result *r)
{
	for (size_t i = 0; i < r->phases.count; i++) {
		const char *name = r->phases.items[i].name, *part = phase_part(name);

		if (part && !str_starts(name, BASELINE) && find_baseline(r, part))
			return strndup(name, (size_t)(part - 2 - name));
	}
	return NULL;
}

void result_add_versus_text(const struct ktstr_result *r, struct str *out)
{
	_free_ char *scheduler = scheduler_of(r);
	const char *const columns[COLUMNS] = {
		[COLUMN_PHASE] = "PHASE", [COLUMN_METRIC] = "METRIC", [COLUMN_SCHED] = scheduler,
		[COLUMN_EEVDF] = "EEVDF", [COLUMN_DELTA] = "DELTA",   [COLUMN_PCT] = "%",
	};
	_cleanup_(table_finish) struct table t = {};

	if (!scheduler)
		return;
	str_add(out, "--- versus eevdf ---\n");
	if (table_init(&t, columns, COLUMNS) < 0 || !add_pairs(r, &t) || table_add(&t, out) < 0)
		out->failed = true;
}

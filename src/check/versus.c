// SPDX-License-Identifier: GPL-2.0-only
/*
 * A scheduler against the kernel's own: phases come in pairs, "NAME: phase" and
 * "eevdf: phase", and every pair is a few lines of one table.
 */
#include "check/versus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/table.h"
#include "base/util.h"
#include "check/events.h"
#include "check/latency.h"

#define BASELINE "eevdf: "

enum { COLUMN_PHASE, COLUMN_METRIC, COLUMN_SCHED, COLUMN_EEVDF, COLUMN_DELTA, COLUMN_PCT, COLUMNS };

/* Numbers that a phase comes to; NAN = no reading. */
/* clang-format off */
#define FIGURES(X) \
	X(ITERATION_RATE, "iterations/s") X(SPREAD, "spread %") X(GAP, "worst gap ms") \
	X(MIGRATIONS, "migrations") X(RUN_DELAY, "mean run delay us") \
	X(WAKE_P50, "wake p50 us") X(WAKE_P99, "wake p99 us") X(WAKE_MAX, "wake max us") \
	X(TIMER_P99, "timer p99 us") X(CPU_TIME, "CPU time ms") \
	X(IDLE_WAIT, "idle while waiting %") X(WORST_WAIT, "worst wait us") \
	X(WAIT_P99, "wait p99 us")
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

/* By scheduling events: nothing where they were not recorded. */
static void event_figures(const struct phase_stats *phase, const struct ktstr_result *view,
			  const struct cgroup_stats *t, double *out)
{
	struct latency waits, wakeup_waits;
	struct events_worst w = {};

	events_worst_add(&w, phase);
	if (w.idle_cpu)
		out[FIGURE_IDLE_WAIT] = w.idle_wait_pct;
	if (!t->has_events)
		return;
	out[FIGURE_WORST_WAIT] = t->worst_wait_us;
	latency_worst_waits(view, &waits, &wakeup_waits);
	latency_figures(out, FIGURE_WAIT_P99, &waits);
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
	out[FIGURE_CPU_TIME] = (double)t->cpu_time_ns / 1e6;
	event_figures(phase, &view, t, out);
	if (wakes.count) {
		out[FIGURE_WAKE_P50] = (double)wakes.p50_ns / 1e3;
		out[FIGURE_WAKE_MAX] = (double)wakes.max_ns / 1e3;
	}
	return true;
}

static int add_pair(struct versus *v, const char *phase, const struct phase_stats *ours,
		    const struct phase_stats *eevdf)
{
	double a[FIGURE_COUNT], b[FIGURE_COUNT];
	int rc = 0;

	if (!figures_of(ours, a) || !figures_of(eevdf, b))
		return err_no_memory();
	for (int i = 0; i < FIGURE_COUNT && rc == 0; i++)
		if (!isnan(a[i]) || !isnan(b[i]))
			rc = vec_push(&v->rows,
				      (struct versus_row){ phase, figure_names[i], a[i], b[i] });
	return rc;
}

/* The name of the phase without the scheduler's, or NULL. */
static const char *phase_part(const char *name)
{
	const char *colon = name ? strstr(name, ": ") : NULL;

	return colon ? colon + 2 : NULL;
}

static const struct phase_stats *find_baseline(const struct ktstr_result *r, const char *part)
{
	for (size_t i = 0; i < r->phases.count; i++) {
		const struct phase_stats *phase = &r->phases.items[i];

		if (phase->name && str_starts(phase->name, BASELINE) &&
		    str_eq(phase->name + strlen(BASELINE), part))
			return phase;
	}
	return NULL;
}

int versus_collect(const struct ktstr_result *r, struct versus *out)
{
	int rc = 0;

	*out = (struct versus){};
	for (size_t i = 0; i < r->phases.count && rc == 0; i++) {
		const struct phase_stats *phase = &r->phases.items[i], *baseline;
		const char *part = phase_part(phase->name);

		baseline = part ? find_baseline(r, part) : NULL;
		if (!baseline || str_starts(phase->name, BASELINE))
			continue;
		if (!out->scheduler)
			out->scheduler = strndup(phase->name, (size_t)(part - 2 - phase->name));
		rc = out->scheduler ? add_pair(out, part, phase, baseline) : err_no_memory();
	}
	return rc;
}

void versus_finish(struct versus *v)
{
	free(v->scheduler);
	free(v->rows.items);
	*v = (struct versus){};
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

/* NAN where there is nothing to be a part of. */
static double percent(const struct versus_row *row)
{
	return row->eevdf == 0 ? NAN : (row->ours - row->eevdf) / row->eevdf * 100;
}

static int add_row(struct table *t, const struct versus_row *row)
{
	double delta = row->ours - row->eevdf;
	int rc = table_row(t);

	if (rc < 0)
		return rc;
	table_cell(t, COLUMN_PHASE, row->phase);
	table_cell(t, COLUMN_METRIC, row->metric);
	number_cell(t, COLUMN_SCHED, row->ours);
	number_cell(t, COLUMN_EEVDF, row->eevdf);
	number_cell(t, COLUMN_DELTA, delta);
	if (isnan(percent(row)))
		table_cell(t, COLUMN_PCT, "-");
	else
		table_cellf(t, COLUMN_PCT, "%+.1f%%", percent(row));
	return 0;
}

int versus_add_table(const struct versus *v, struct str *out)
{
	const char *const columns[COLUMNS] = {
		[COLUMN_PHASE] = "PHASE", [COLUMN_METRIC] = "METRIC", [COLUMN_SCHED] = v->scheduler,
		[COLUMN_EEVDF] = "EEVDF", [COLUMN_DELTA] = "DELTA",   [COLUMN_PCT] = "%",
	};
	_cleanup_(table_finish) struct table t = {};
	int rc;

	if (v->rows.count == 0)
		return 0;
	str_add(out, "--- versus eevdf ---\n");
	rc = table_init(&t, columns, COLUMNS);
	for (size_t i = 0; i < v->rows.count && rc == 0; i++)
		rc = add_row(&t, &v->rows.items[i]);
	return rc == 0 ? table_add(&t, out) : rc;
}

static void put_number(struct json *j, const char *key, double value)
{
	if (isnan(value))
		json_put_null(j, key);
	else
		json_put_double(j, key, value);
}

void versus_put_json(const struct versus *v, struct json *j)
{
	if (!v || v->rows.count == 0) {
		json_put_null(j, "versus_eevdf");
		return;
	}
	json_put_array(j, "versus_eevdf");
	for (size_t i = 0; i < v->rows.count; i++) {
		const struct versus_row *row = &v->rows.items[i];

		json_object(j);
		json_put_string(j, "phase", row->phase);
		json_put_string(j, "metric", row->metric);
		put_number(j, "scheduler", row->ours);
		put_number(j, "eevdf", row->eevdf);
		put_number(j, "delta", row->ours - row->eevdf);
		put_number(j, "percent", percent(row));
		json_object_end(j);
	}
	json_array_end(j);
}

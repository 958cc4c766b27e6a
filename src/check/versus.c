// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares a scheduler with the kernel's own (EEVDF): phases come in pairs, "NAME: phase"
 * and "eevdf: phase", and each pair is a few lines of one table.
 */
#include "check/versus.h"

#include <math.h>

#include "check/change.h"
#include "check/events.h"
#include "check/parts.h"

#define BASELINE "eevdf: "

enum {
	COLUMN_PHASE,
	COLUMN_METRIC,
	COLUMN_SCHED,
	COLUMN_EEVDF,
	COLUMN_DELTA,
	COLUMN_PCT,
	COLUMN_MARK,
	COLUMNS
};

/* Figures of a phase; NAN = no measurement. */
enum figure {
	FIGURE_ITERATION_RATE,
	FIGURE_SPREAD,
	FIGURE_GAP,
	FIGURE_MIGRATIONS,
	FIGURE_RUN_DELAY,
	FIGURE_WAKE_P50,
	FIGURE_WAKE_P99,
	FIGURE_WAKE_MAX,
	FIGURE_TIMER_P99,
	FIGURE_CPU_TIME,
	FIGURE_IDLE_WAIT,
	FIGURE_WORST_WAIT,
	FIGURE_WAIT_P99,
	FIGURE_WAKEUP_WAIT_P99,
	FIGURE_BUSY,
	FIGURE_UNPICKED,
	FIGURE_COUNT,
};

enum figure_kind { LOWER_IS_BETTER, HIGHER_IS_BETTER, NEITHER };

struct figure_type {
	const char *name;
	double gate_abs, gate_rel;
	enum figure_kind kind;
};

static const struct figure_type figures[FIGURE_COUNT] = {
	[FIGURE_ITERATION_RATE] = { "iterations/s", GATES_ITERATIONS, HIGHER_IS_BETTER },
	[FIGURE_SPREAD] = { "spread %", GATES_SPREAD_PCT },
	[FIGURE_GAP] = { "worst gap ms", GATES_GAP_MS },
	[FIGURE_MIGRATIONS] = { "migrations", GATES_MIGRATIONS },
	[FIGURE_RUN_DELAY] = { "mean run delay us", GATES_MEAN_RUN_DELAY_US },
	[FIGURE_WAKE_P50] = { "wake p50 us", GATES_MEDIAN_WAKE_US },
	[FIGURE_WAKE_P99] = { "wake p99 us", GATES_P99_WAKE_US },
	[FIGURE_WAKE_MAX] = { "wake max us", GATES_WORST_DELAY_US },
	[FIGURE_TIMER_P99] = { "timer p99 us", GATES_P99_WAKE_US },
	[FIGURE_CPU_TIME] = { "CPU time ms", GATES_CPU_TIME_MS, HIGHER_IS_BETTER },
	[FIGURE_IDLE_WAIT] = { "idle while waiting %", GATES_IDLE_WAIT_PCT },
	[FIGURE_WORST_WAIT] = { "worst wait us", GATES_WORST_WAIT_US },
	[FIGURE_WAIT_P99] = { "wait p99 us", GATES_P99_WAIT_US },
	[FIGURE_WAKEUP_WAIT_P99] = { "wakeup wait p99 us", GATES_P99_WAIT_US },
	/* Busy with its own work, or with more of it than needed: only the test knows. */
	[FIGURE_BUSY] = { "CPUs busy %", GATES_BUSY_PCT, NEITHER },
	[FIGURE_UNPICKED] = { "longest unpicked ms", GATES_UNPICKED_MS, NEITHER },
};

/* A share is neither better nor worse: only the test knows what is due. */
static const struct figure_type share = { "share %", GATES_SHARE_PCT, NEITHER };

static double percent_of(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all * 100 : NAN;
}

static void latency_figures(double *out, enum figure p99, const struct latency *l)
{
	if (l->count)
		out[p99] = (double)l->p99_ns / 1e3;
}

/* Of all CPUs together; the longest time without a pick only of those that were always online. */
static void cpu_figures(const struct phase_events *e, double *out)
{
	uint64_t busy_ns = 0, all_ns = 0, unpicked_ns = 0;
	bool is_steady = false;

	vec_each(const struct cpu_events, c, &e->cpus) {
		busy_ns += c->busy_ns;
		all_ns += c->busy_ns + c->idle_ns;
		is_steady |= c->has_idle_wait;
		unpicked_ns = MAX(unpicked_ns, c->longest_unpicked_ns);
	}
	out[FIGURE_BUSY] = percent_of(busy_ns, all_ns);
	if (is_steady)
		out[FIGURE_UNPICKED] = (double)unpicked_ns / 1e6;
}

/* Figures from scheduling events; unchanged if none were recorded. */
static void event_figures(const struct phase_stats *phase, const struct cgroup_stats *t,
			  const struct worst_latencies *worst, double *out)
{
	struct events_worst w = {};

	events_worst_add(&w, phase);
	if (w.idle_cpu)
		out[FIGURE_IDLE_WAIT] = w.idle_wait_pct;
	cpu_figures(&phase->events, out);
	if (!t->has_events)
		return;
	out[FIGURE_WORST_WAIT] = t->worst_wait_us;
	latency_figures(out, FIGURE_WAIT_P99, &worst->waits);
	latency_figures(out, FIGURE_WAKEUP_WAIT_P99, &worst->wakeup_waits);
}

static bool figures_of(const struct phase_stats *phase, double out[FIGURE_COUNT])
{
	_free_ struct cgroup_stats *t = malloc(sizeof(*t));
	struct ktstr_result view = {};
	struct worst_latencies worst;
	double seconds = (double)(phase->end_ms - phase->start_ms) / 1e3;

	if (!t)
		return false;
	view.cgroups.items = phase->cgroups.items;
	view.cgroups.count = phase->cgroups.count;
	result_totals(&view, t);
	worst = latency_worst(&view);
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
	latency_figures(out, FIGURE_WAKE_P99, &worst.wakes);
	latency_figures(out, FIGURE_TIMER_P99, &worst.timers);
	out[FIGURE_CPU_TIME] = (double)t->cpu_time_ns / 1e6;
	event_figures(phase, t, &worst, out);
	if (worst.wakes.count) {
		out[FIGURE_WAKE_P50] = (double)worst.wakes.p50_ns / 1e3;
		out[FIGURE_WAKE_MAX] = (double)worst.wakes.max_ns / 1e3;
	}
	return true;
}

static enum versus_mark mark_of(const struct figure_type *f, double ours, double eevdf)
{
	enum change change;

	if (isnan(ours) || isnan(eevdf))
		return VERSUS_ALIKE;
	change = change_of(eevdf, ours, f->gate_abs, f->gate_rel, f->kind == HIGHER_IS_BETTER);
	if (change == CHANGE_NONE)
		return VERSUS_ALIKE;
	if (f->kind == NEITHER)
		return VERSUS_OTHER;
	return change == CHANGE_REGRESSION ? VERSUS_WORSE : VERSUS_BETTER;
}

static int add_figure(struct versus *v, const char *phase, const struct figure_type *f,
		      const char *name, double ours, double eevdf)
{
	if (isnan(ours) && isnan(eevdf))
		return 0;
	return vec_push(&v->rows,
			(struct versus_row){ phase, name, ours, eevdf, mark_of(f, ours, eevdf) });
}

/* ---- shares of CPU time ---- */

static uint64_t cpu_time_of(const struct phase_stats *phase)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < phase->cgroups.count; i++)
		sum += phase->cgroups.items[i].cpu_time_ns;
	return sum;
}

static double cgroup_share(const struct phase_stats *phase, const char *name)
{
	for (size_t i = 0; i < phase->cgroups.count; i++)
		if (str_eq(phase->cgroups.items[i].name, name))
			return percent_of(phase->cgroups.items[i].cpu_time_ns, cpu_time_of(phase));
	return NAN;
}

static uint64_t nice_time_of(const struct phase_stats *phase, int index)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < phase->cgroups.count; i++)
		sum += phase->cgroups.items[i].nice_cpu_time_ns[index];
	return sum;
}

static int add_share(struct versus *v, const char *phase, double ours, double eevdf,
		     const char *fmt, ...)
{
	_str_ struct str text = {};
	const char *name;

	str_addf(&text, "%s of ", share.name);
	str_add_rest(&text, fmt);
	name = str_check(&text) == 0 ? arena_copy(&v->arena, text.s, text.len) : NULL;
	return name ? add_figure(v, phase, &share, name, ours, eevdf) : err_no_memory();
}

/* A single cgroup has no shares to compare, nor has a single nice value. */
static int add_shares(struct versus *v, const char *name, const struct phase_stats *ours,
		      const struct phase_stats *eevdf)
{
	unsigned int nice_values = 0;
	int rc = 0;

	for (size_t i = 0; i < ours->cgroups.count && ours->cgroups.count > 1 && rc == 0; i++) {
		const char *cgroup = ours->cgroups.items[i].name;

		rc = add_share(v, name, cgroup_share(ours, cgroup), cgroup_share(eevdf, cgroup),
			       "%s", cgroup);
	}
	for (int i = 0; i < WORKER_NICE_COUNT; i++)
		nice_values += nice_time_of(ours, i) || nice_time_of(eevdf, i);
	for (int i = 0; i < WORKER_NICE_COUNT && nice_values > 1 && rc == 0; i++)
		if (nice_time_of(ours, i) || nice_time_of(eevdf, i))
			rc = add_share(v, name,
				       percent_of(nice_time_of(ours, i), cpu_time_of(ours)),
				       percent_of(nice_time_of(eevdf, i), cpu_time_of(eevdf)),
				       "nice %d", i + WORKER_MIN_NICE);
	return rc;
}

static int add_pair(struct versus *v, const char *phase, const struct phase_stats *ours,
		    const struct phase_stats *eevdf)
{
	double a[FIGURE_COUNT], b[FIGURE_COUNT];
	int rc = 0;

	if (!figures_of(ours, a) || !figures_of(eevdf, b))
		return err_no_memory();
	for (int i = 0; i < FIGURE_COUNT && rc == 0; i++)
		rc = add_figure(v, phase, &figures[i], figures[i].name, a[i], b[i]);
	return rc ?: add_shares(v, phase, ours, eevdf);
}

/* The phase's name without the scheduler's, or NULL. */
static const char *phase_part(const char *name)
{
	const char *colon = name ? strstr(name, ": ") : NULL;

	return colon ? colon + 2 : NULL;
}

static const struct phase_stats *find_baseline(const struct ktstr_result *r, const char *part)
{
	vec_each(const struct phase_stats, phase, &r->phases) {
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
	arena_finish(&v->arena);
	free(v->rows.items);
	*v = (struct versus){};
}

/* Three digits are enough for a comparison. */
static void number_cell(struct table *t, size_t column, double value)
{
	if (isnan(value))
		table_cell(t, column, "-");
	else if (fabs(value) >= 100)
		table_cellf(t, column, column == COLUMN_DELTA ? "%+.0f" : "%.0f", value);
	else
		table_cellf(t, column, column == COLUMN_DELTA ? "%+.3g" : "%.3g", value);
}

/* NAN if the baseline is 0. */
static double percent(const struct versus_row *row)
{
	return row->eevdf == 0 ? NAN : (row->ours - row->eevdf) / row->eevdf * 100;
}

static const char *const marks[] = {
	[VERSUS_ALIKE] = "",
	[VERSUS_WORSE] = "worse",
	[VERSUS_BETTER] = "better",
	[VERSUS_OTHER] = "other",
};

static void add_row(struct table *t, const struct versus_row *row)
{
	table_row(t);
	table_cell(t, COLUMN_PHASE, row->phase);
	table_cell(t, COLUMN_METRIC, row->metric);
	number_cell(t, COLUMN_SCHED, row->ours);
	number_cell(t, COLUMN_EEVDF, row->eevdf);
	number_cell(t, COLUMN_DELTA, row->ours - row->eevdf);
	if (isnan(percent(row)))
		table_cell(t, COLUMN_PCT, "-");
	else
		table_cellf(t, COLUMN_PCT, "%+.1f%%", percent(row));
	table_cell(t, COLUMN_MARK, marks[row->mark]);
}

int versus_add_table(const struct versus *v, struct str *out)
{
	const char *const columns[COLUMNS] = {
		[COLUMN_PHASE] = "PHASE", [COLUMN_METRIC] = "METRIC", [COLUMN_SCHED] = v->scheduler,
		[COLUMN_EEVDF] = "EEVDF", [COLUMN_DELTA] = "DELTA",   [COLUMN_PCT] = "%",
		[COLUMN_MARK] = "CHANGE",
	};
	_table_ struct table t = {};

	if (v->rows.count == 0)
		return 0;
	str_add(out, "--- versus eevdf ---\n");
	table_init(&t, columns, COLUMNS);
	for (size_t i = 0; i < v->rows.count; i++)
		add_row(&t, &v->rows.items[i]);
	return table_add(&t, out);
}

void versus_put_json(const struct versus *v, struct json *j)
{
	if (!v || v->rows.count == 0) {
		json_put_null(j, "versus_eevdf");
		return;
	}
	json_put_array(j, "versus_eevdf");
	vec_each(const struct versus_row, row, &v->rows) {
		json_object(j);
		json_put_string(j, "phase", row->phase);
		json_put_string(j, "metric", row->metric);
		json_put_double(j, "scheduler", row->ours);
		json_put_double(j, "eevdf", row->eevdf);
		json_put_double(j, "delta", row->ours - row->eevdf);
		json_put_double(j, "percent", percent(row));
		json_put_string(j, "change", *marks[row->mark] ? marks[row->mark] : NULL);
		json_object_end(j);
	}
	json_array_end(j);
}

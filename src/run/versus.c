// SPDX-License-Identifier: GPL-2.0-only
/* The same steps under two schedulers, side by side. */
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/table.h"
#include "base/util.h"
#include "check/latency.h"
#include "run/judge.h"

#define BASELINE "eevdf: "

/* Of all cgroups of a phase. */
struct phase_figures {
	double iterations_per_s, migrations, worst_gap_ms, worst_p99_us, run_delay_us;
	bool has_p99, has_run_delay;
};

static void read_figures(const struct phase_stats *p, struct phase_figures *f)
{
	double seconds = p->end_ms > p->start_ms ? (double)(p->end_ms - p->start_ms) / 1000 : 0;

	*f = (struct phase_figures){};
	for (size_t i = 0; i < p->cgroups.count; i++) {
		const struct cgroup_stats *c = &p->cgroups.items[i];
		struct latency l;

		latency_of(&c->wakes, &l);
		f->iterations_per_s += seconds > 0 ? (double)c->iterations / seconds : 0;
		f->migrations += (double)c->migrations;
		f->worst_gap_ms = MAX(f->worst_gap_ms, (double)c->gap_ms);
		if (c->has_run_delay) {
			f->has_run_delay = true;
			f->run_delay_us = MAX(f->run_delay_us, c->mean_run_delay_us);
		}
		if (l.count) {
			f->has_p99 = true;
			f->worst_p99_us = MAX(f->worst_p99_us, (double)l.p99_ns / 1000);
		}
	}
}

static int add_row(struct table *t, const char *phase, const char *metric, double ours,
		   double eevdf)
{
	int rc = table_row(t);

	if (rc < 0)
		return rc;
	table_cell(t, 0, phase);
	table_cell(t, 1, metric);
	table_cellf(t, 2, "%.1f", ours);
	table_cellf(t, 3, "%.1f", eevdf);
	table_cellf(t, 4, "%+.1f", ours - eevdf);
	if (eevdf != 0)
		table_cellf(t, 5, "%+.1f%%", (ours - eevdf) / eevdf * 100);
	else
		table_cell(t, 5, "-");
	return 0;
}

static int add_phase(struct table *t, const char *name, const struct phase_stats *ours,
		     const struct phase_stats *eevdf)
{
	struct phase_figures a, b;
	int rc;

	read_figures(ours, &a);
	read_figures(eevdf, &b);
	rc = add_row(t, name, "iterations/s", a.iterations_per_s, b.iterations_per_s);
	if (rc == 0)
		rc = add_row(t, name, "migrations", a.migrations, b.migrations);
	if (rc == 0)
		rc = add_row(t, name, "worst gap ms", a.worst_gap_ms, b.worst_gap_ms);
	if (rc == 0 && a.has_run_delay && b.has_run_delay)
		rc = add_row(t, name, "run delay us", a.run_delay_us, b.run_delay_us);
	if (rc == 0 && a.has_p99 && b.has_p99)
		rc = add_row(t, name, "p99 wake us", a.worst_p99_us, b.worst_p99_us);
	return rc;
}

/* "my_sched: step 1" → "step 1"; NULL for a phase without a scheduler's name. */
static const char *plain_name(const struct phase_stats *p)
{
	const char *colon = p->name ? strstr(p->name, ": ") : NULL;

	return colon ? colon + 2 : NULL;
}

static const struct phase_stats *find_baseline(const struct ktstr_result *r, const char *name)
{
	for (size_t i = 0; i < r->phases.count; i++) {
		const struct phase_stats *p = &r->phases.items[i];

		if (p->name && str_starts(p->name, BASELINE) &&
		    str_eq(p->name + strlen(BASELINE), name))
			return p;
	}
	return NULL;
}

int versus_add_table(const struct ktstr_result *r, struct str *out)
{
	static const char *const columns[] = {
		"phase", "metric", "scheduler", "EEVDF", "delta", "%"
	};
	_cleanup_(table_finish) struct table t = {};
	bool has_rows = false;
	int rc = table_init(&t, columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < r->phases.count && rc == 0; i++) {
		const struct phase_stats *p = &r->phases.items[i];
		const char *name = plain_name(p);
		const struct phase_stats *baseline = name ? find_baseline(r, name) : NULL;

		if (!baseline || baseline == p)
			continue;
		has_rows = true;
		rc = add_phase(&t, name, p, baseline);
	}
	return rc == 0 && has_rows ? table_add(&t, out) : rc;
}

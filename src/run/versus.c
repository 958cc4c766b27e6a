// SPDX-License-Identifier: GPL-2.0-only
/* The same steps under two schedulers, side by side. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/table.h"
#include "base/util.h"
#include "check/latency.h"
#include "run/versus.h"

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

static int add_phase(struct versus_rows *rows, const char *phase, const struct phase_stats *ours,
		     const struct phase_stats *eevdf)
{
	struct phase_figures a, b;
	int rc = 0;

	read_figures(ours, &a);
	read_figures(eevdf, &b);
	const struct {
		const char *metric;
		double ours, eevdf;
		bool is_known;
	} figures[] = {
		{ "iterations/s", a.iterations_per_s, b.iterations_per_s, true },
		{ "migrations", a.migrations, b.migrations, true },
		{ "worst gap ms", a.worst_gap_ms, b.worst_gap_ms, true },
		{ "run delay us", a.run_delay_us, b.run_delay_us,
		  a.has_run_delay && b.has_run_delay },
		{ "p99 wake us", a.worst_p99_us, b.worst_p99_us, a.has_p99 && b.has_p99 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(figures) && rc == 0; i++)
		if (figures[i].is_known)
			rc = vec_push(&rows->items,
				      (struct versus_row){ phase, figures[i].metric,
							   figures[i].ours, figures[i].eevdf });
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

int versus_collect(const struct ktstr_result *r, struct versus_rows *out)
{
	int rc = 0;

	for (size_t i = 0; i < r->phases.count && rc == 0; i++) {
		const struct phase_stats *p = &r->phases.items[i];
		const char *name = plain_name(p);
		const struct phase_stats *baseline = name ? find_baseline(r, name) : NULL;

		if (baseline && baseline != p)
			rc = add_phase(out, name, p, baseline);
	}
	return rc;
}

void versus_rows_finish(struct versus_rows *rows)
{
	free(rows->items.items);
	*rows = (struct versus_rows){};
}

int versus_add_table(const struct versus_rows *rows, struct str *out)
{
	static const char *const columns[] = {
		"phase", "metric", "scheduler", "EEVDF", "delta", "%"
	};
	_cleanup_(table_finish) struct table t = {};
	int rc = table_init(&t, columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < rows->items.count && rc == 0; i++) {
		const struct versus_row *row = &rows->items.items[i];
		double delta = row->ours - row->eevdf;

		rc = table_row(&t);
		if (rc < 0)
			return rc;
		table_cell(&t, 0, row->phase);
		table_cell(&t, 1, row->metric);
		table_cellf(&t, 2, "%.1f", row->ours);
		table_cellf(&t, 3, "%.1f", row->eevdf);
		table_cellf(&t, 4, "%+.1f", delta);
		if (row->eevdf != 0)
			table_cellf(&t, 5, "%+.1f%%", delta / row->eevdf * 100);
		else
			table_cell(&t, 5, "-");
	}
	return rc == 0 && rows->items.count ? table_add(&t, out) : rc;
}

void versus_put_json(const struct versus_rows *rows, struct json *j)
{
	if (!rows || rows->items.count == 0) {
		json_put_null(j, "versus_eevdf");
		return;
	}
	json_put_array(j, "versus_eevdf");
	for (size_t i = 0; i < rows->items.count; i++) {
		const struct versus_row *row = &rows->items.items[i];

		json_object(j);
		json_put_string(j, "phase", row->phase);
		json_put_string(j, "metric", row->metric);
		json_put_double(j, "scheduler", row->ours);
		json_put_double(j, "eevdf", row->eevdf);
		json_put_double(j, "delta", row->ours - row->eevdf);
		json_object_end(j);
	}
	json_array_end(j);
}

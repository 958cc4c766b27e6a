// SPDX-License-Identifier: GPL-2.0-only
/* Copies the result of a run into its sidecar, and sums it up. */
#include "check/events.h"
#include "record/parts.h"
#include "work/types.h"

/* With fewer iterations, tail percentiles say more about luck than about the scheduler. */
#define TAIL_MIN_ITERATIONS 100

static struct sidecar_number known(double value)
{
	return (struct sidecar_number){ true, value };
}

static struct sidecar_number known_if(bool is_known, double value)
{
	return (struct sidecar_number){ is_known, is_known ? value : 0 };
}

/* A gap or wait without a CPU did not happen. */
static void forget_missing(const struct sidecar_cgroup *cgroups, size_t count)
{
	array_each(const struct sidecar_cgroup, each, cgroups, count) {
		struct sidecar_cgroup *c = (struct sidecar_cgroup *)each;

		if (c->gap_cpu.value < 0)
			c->gap_ms = c->gap_cpu = (struct sidecar_number){};
		if (c->worst_wait_cpu.value < 0)
			c->worst_wait_at_ms = c->worst_wait_cpu = c->worst_wait_tid =
				(struct sidecar_number){};
	}
}

static void finish_phase(struct sidecar_phase *to, const struct phase_stats *from)
{
	struct events_worst w = {};

	forget_missing(to->cgroups, to->cgroup_count);
	if (!from->events.is_known)
		return;
	events_worst_add(&w, from);
	to->events.idle_wait_pct = known_if(w.idle_cpu, w.idle_wait_pct);
	to->events.system_wait_us = known(w.system ? (double)w.system->worst_wait_ns / 1e3 : 0);
}

/* Of all cgroups: is_any = there are some. For rates and shares, 0 is a cgroup that did nothing. */
static void set_totals(struct sidecar_stats *t, const struct cgroup_stats *c, bool is_any)
{
	t->total_workers = known_if(is_any, c->workers);
	t->total_cpus = known_if(is_any, c->cpus);
	t->total_migrations = known_if(is_any, (double)c->migrations);
	t->total_iterations = known_if(is_any, (double)c->iterations);
	t->worst_spread = known_if(c->has_off_cpu, c->spread_pct);
	t->worst_gap_ms = known_if(c->gap_cpu >= 0, (double)c->gap_ms);
	t->worst_gap_cpu = known_if(c->gap_cpu >= 0, c->gap_cpu);
	t->worst_migration_ratio = known_if(is_any, c->migration_ratio);
	t->worst_mean_run_delay_us = known_if(c->has_run_delay, c->mean_run_delay_us);
	t->worst_run_delay_us = known_if(c->has_run_delay, c->worst_run_delay_us);
	t->worst_iterations_per_worker =
		known_if(c->iterations_per_worker > 0, c->iterations_per_worker);
	t->worst_page_locality = known_if(c->page_locality > 0, c->page_locality);
	t->worst_cross_node_migration_ratio =
		known_if(c->has_page_locality, c->cross_node_migration_ratio);
	t->worst_wait_us = known_if(c->has_events, c->worst_wait_us);
	t->worst_wait_cpu = known_if(c->worst_wait_cpu >= 0, c->worst_wait_cpu);
}

static void set_latencies(struct sidecar_stats *t, const struct worst_latencies *worst,
			  uint64_t iterations)
{
	const struct latency *l = &worst->wakes;

	t->worst_p99_wake_latency_us = known_if(l->count, (double)l->p99_ns / 1e3);
	t->worst_median_wake_latency_us = known_if(l->count, (double)l->p50_ns / 1e3);
	t->worst_wake_latency_cv = known_if(l->count, l->cv);
	t->worst_wake_latency_tail_ratio =
		known_if(l->tail_ratio > 0 && iterations >= TAIL_MIN_ITERATIONS, l->tail_ratio);
	l = &worst->waits;
	t->worst_p99_wait_us = known_if(l->count, (double)l->p99_ns / 1e3);
	l = &worst->wakeup_waits;
	t->worst_p99_wakeup_wait_us = known_if(l->count, (double)l->p99_ns / 1e3);
}

static double wait_ms(const struct ktstr_result *r)
{
	double sum = 0;

	vec_each(const struct cgroup_stats, c, &r->cgroups)
		sum += (double)c->wait_ns / 1e6;
	return sum;
}

static void set_worst_events(struct sidecar_stats *t, const struct ktstr_result *r)
{
	const struct events_worst w = events_worst_of(r);

	t->worst_idle_wait_pct = known_if(w.idle_cpu, w.idle_wait_pct);
	t->worst_system_wait_us =
		known_if(w.is_known, w.system ? (double)w.system->worst_wait_ns / 1e3 : 0);
	t->worst_migrations_per_s = known_if(w.is_known, w.migrations_per_s);
	t->worst_share_error_pct = known_if(w.has_shares, w.share_error_pct);
	t->worst_single_share_error_pct = known_if(w.has_shares, w.single_share_error_pct);
}

static int set_stats(struct sidecar *s, const struct ktstr_result *r)
{
	const struct worst_latencies worst = latency_worst(r);
	_free_ struct cgroup_stats *totals = malloc(sizeof(*totals));
	struct sidecar_stats *t = &s->stats;

	if (!totals)
		return err_no_memory();
	if (!json_copy_fields(&s->arena, sidecar_stats_fields, t, result_fields, r))
		return err_no_memory();
	forget_missing(t->cgroups, t->cgroup_count);
	result_totals(r, totals);
	set_totals(t, totals, t->cgroup_count > 0);
	set_latencies(t, &worst, totals->iterations);
	t->total_wait_ms = known_if(totals->has_events, wait_ms(r));
	set_worst_events(t, r);
	return 0;
}

/*
 * Sets the work types that ran, joined by '+' in the order of their table; unchanged if
 * none ran.
 */
static int set_work_type(struct sidecar *s, const struct ktstr_result *r)
{
	_str_ struct str names = {};
	uint64_t kinds = 0;

	for (size_t i = 0; i < r->cgroups.count; i++)
		kinds |= r->cgroups.items[i].work_kinds;
	if (!kinds)
		return 0;
	for (int kind = 0; kind < KTSTR_WORK_COUNT; kind++)
		if (kinds >> kind & 1)
			str_addf(&names, "%s%s", names.len ? "+" : "",
				 work_type_row((enum ktstr_work_kind)kind)->info.name);
	s->work_type = str_check(&names) == 0 ? sidecar_copy(s, names.s) : NULL;
	return s->work_type ? 0 : err_no_memory();
}

int sidecar_set_result(struct sidecar *s, const struct ktstr_result *result)
{
	if (!json_copy_fields(&s->arena, sidecar_fields, s, result_fields, result))
		return err_no_memory();
	for (size_t i = 0; i < s->phase_count; i++)
		finish_phase((struct sidecar_phase *)&s->phases[i], &result->phases.items[i]);
	return set_stats(s, result) ?: set_work_type(s, result);
}

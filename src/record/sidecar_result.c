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

static void add_to(struct sidecar_number *sum, struct sidecar_number n)
{
	if (n.is_known)
		*sum = known(sum->value + n.value);
}

static void raise_to(struct sidecar_number *worst, struct sidecar_number n)
{
	if (n.is_known && (!worst->is_known || n.value > worst->value))
		*worst = n;
}

/* For figures where more is better, keeps the lowest above 0: 0 is a cgroup that did nothing. */
static void lower_to(struct sidecar_number *worst, struct sidecar_number n)
{
	if (n.is_known && n.value > 0 && (!worst->is_known || n.value < worst->value))
		*worst = n;
}

static void fold_latency(struct sidecar_stats *t, const struct latency *l)
{
	if (!l->count)
		return;
	raise_to(&t->worst_p99_wake_latency_us, known((double)l->p99_ns / 1e3));
	raise_to(&t->worst_median_wake_latency_us, known((double)l->p50_ns / 1e3));
	raise_to(&t->worst_wake_latency_cv, known(l->cv));
	if (l->p50_ns)
		raise_to(&t->worst_wake_latency_tail_ratio, known(l->tail_ratio));
}

static void fold_waits(struct sidecar_stats *t, const struct sidecar_cgroup *c)
{
	if (!c->wait_ns.is_known)
		return;
	add_to(&t->total_wait_ms, known(c->wait_ns.value / 1e6));
	if (!t->worst_wait_us.is_known || c->worst_wait_us.value > t->worst_wait_us.value) {
		t->worst_wait_us = c->worst_wait_us;
		t->worst_wait_cpu = c->worst_wait_cpu;
	}
	if (c->waits.count)
		raise_to(&t->worst_p99_wait_us, known((double)c->waits.p99_ns / 1e3));
	if (c->wakeup_waits.count)
		raise_to(&t->worst_p99_wakeup_wait_us, known((double)c->wakeup_waits.p99_ns / 1e3));
}

static void fold_cgroup(struct sidecar_stats *t, const struct sidecar_cgroup *c)
{
	add_to(&t->total_workers, c->workers);
	add_to(&t->total_migrations, c->migrations);
	add_to(&t->total_iterations, c->iterations);
	raise_to(&t->worst_spread, c->spread);
	if (c->gap_ms.is_known &&
	    (!t->worst_gap_ms.is_known || c->gap_ms.value > t->worst_gap_ms.value)) {
		t->worst_gap_ms = c->gap_ms;
		t->worst_gap_cpu = c->gap_cpu;
	}
	raise_to(&t->worst_migration_ratio, c->migration_ratio);
	raise_to(&t->worst_mean_run_delay_us, c->mean_run_delay_us);
	raise_to(&t->worst_run_delay_us, c->worst_run_delay_us);
	raise_to(&t->worst_cross_node_migration_ratio, c->cross_node_migration_ratio);
	lower_to(&t->worst_iterations_per_worker, c->iterations_per_worker);
	lower_to(&t->worst_page_locality, c->page_locality);
	fold_latency(t, &c->wakes);
	fold_waits(t, c);
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
	_free_ struct cgroup_stats *totals = malloc(sizeof(*totals));
	struct sidecar_stats *t = &s->stats;

	if (!totals)
		return err_no_memory();
	*t = (struct sidecar_stats){};
	if (!json_copy_fields(&s->arena, sidecar_stats_fields, t, result_fields, r))
		return err_no_memory();
	forget_missing(t->cgroups, t->cgroup_count);
	for (size_t i = 0; i < t->cgroup_count; i++)
		fold_cgroup(t, &t->cgroups[i]);
	result_totals(r, totals);
	t->total_cpus = known_if(t->cgroup_count > 0, totals->cpus);
	if (t->total_iterations.value < TAIL_MIN_ITERATIONS)
		t->worst_wake_latency_tail_ratio = (struct sidecar_number){};
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

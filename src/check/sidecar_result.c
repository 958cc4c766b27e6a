// SPDX-License-Identifier: GPL-2.0-only
/* The result of a run into its sidecar: summaries and histograms without their empty buckets. */
#include <stdlib.h>

#include "base/err.h"
#include "base/util.h"
#include "check/events.h"
#include "check/latency.h"
#include "check/result.h"
#include "check/sidecar.h"
#include "check/sidecar_fields.h"
#include "work/types.h"

/* Below this, percentiles of a tail say more about luck than about the scheduler. */
#define TAIL_MIN_ITERATIONS 100

/* An array of the sidecar's own; a NULL of more than nothing is out of memory. */
static void *new_array(struct sidecar *s, size_t count, size_t size)
{
	return count ? arena_alloc(&s->arena, count * size) : NULL;
}

static int set_latency(struct sidecar *s, struct sidecar_latency *to, const struct histogram *h)
{
	struct sidecar_bucket *buckets;
	struct latency l;
	size_t used = 0;

	*to = (struct sidecar_latency){};
	if (!h->count)
		return 0;
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		used += h->buckets[i] != 0;
	buckets = new_array(s, used, sizeof(*buckets));
	if (used && !buckets)
		return err_no_memory();
	latency_of(h, &l);
	*to = (struct sidecar_latency){
		.count = h->count,
		.min_ns = h->min,
		.max_ns = h->max,
		.p50_ns = l.p50_ns,
		.p90_ns = l.p90_ns,
		.p99_ns = l.p99_ns,
		.p999_ns = l.p999_ns,
		.mean_ns = l.mean_ns,
		.cv = l.cv,
		.buckets = buckets,
		.bucket_count = used,
	};
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (h->buckets[i])
			*buckets++ = (struct sidecar_bucket){ i, h->buckets[i] };
	return 0;
}

static int set_cgroup(struct sidecar *s, struct sidecar_cgroup *to, const struct cgroup_stats *c)
{
	bool has_wait = c->has_events && c->worst_wait_cpu >= 0;
	int rc;

	*to = (struct sidecar_cgroup){
		.name = sidecar_copy(s, c->name),
		.workers = known(c->workers),
		.cpus = known(c->cpus),
		.min_off_cpu_pct = known_if(c->has_off_cpu, c->min_off_cpu_pct),
		.max_off_cpu_pct = known_if(c->has_off_cpu, c->max_off_cpu_pct),
		.mean_off_cpu_pct = known_if(c->has_off_cpu, c->mean_off_cpu_pct),
		.spread = known_if(c->has_off_cpu, c->spread_pct),
		.gap_ms = known_if(c->gap_cpu >= 0, (double)c->gap_ms),
		.gap_cpu = known_if(c->gap_cpu >= 0, c->gap_cpu),
		.migrations = known((double)c->migrations),
		.migration_ratio = known(c->migration_ratio),
		.iterations = known((double)c->iterations),
		.work_units = known((double)c->work_units),
		.iterations_per_worker = known(c->iterations_per_worker),
		.mean_run_delay_us = known_if(c->has_run_delay, c->mean_run_delay_us),
		.worst_run_delay_us = known_if(c->has_run_delay, c->worst_run_delay_us),
		.run_delay_spread = known_if(c->has_run_delay, c->run_delay_spread_pct),
		.page_locality = known_if(c->has_page_locality, c->page_locality),
		.cross_node_migration_ratio =
			known_if(c->has_page_locality, c->cross_node_migration_ratio),
		.cpu_time_ns = known((double)c->cpu_time_ns),
		.wall_time_ns = known((double)c->wall_time_ns),
		.wait_ns = known_if(c->has_events, (double)c->wait_ns),
		.worst_wait_us = known_if(c->has_events, c->worst_wait_us),
		.worst_wait_at_ms = known_if(has_wait, (double)c->worst_wait_at_ms),
		.worst_wait_cpu = known_if(has_wait, c->worst_wait_cpu),
		.worst_wait_tid = known_if(has_wait, c->worst_wait_tid),
	};
	if (c->name && !to->name)
		return err_no_memory();
	rc = set_latency(s, &to->wakes, &c->wakes);
	if (rc == 0)
		rc = set_latency(s, &to->timers, &c->timers);
	if (rc == 0)
		rc = set_latency(s, &to->waits, &c->waits);
	return rc < 0 ? rc : set_latency(s, &to->wakeup_waits, &c->wakeup_waits);
}

static int set_cgroups(struct sidecar *s, const struct cgroup_stats *from, size_t count,
		       const struct sidecar_cgroup **to)
{
	struct sidecar_cgroup *items = new_array(s, count, sizeof(*items));
	int rc = 0;

	if (count && !items)
		return err_no_memory();
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = set_cgroup(s, &items[i], &from[i]);
	*to = items;
	return rc;
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

/* Of figures where more is better the lowest that is not 0: 0 is a cgroup that did nothing. */
static void lower_to(struct sidecar_number *worst, struct sidecar_number n)
{
	if (n.is_known && n.value > 0 && (!worst->is_known || n.value < worst->value))
		*worst = n;
}

static void fold_latency(struct sidecar_stats *t, const struct sidecar_latency *l)
{
	if (!l->count)
		return;
	raise_to(&t->worst_p99_wake_latency_us, known((double)l->p99_ns / 1e3));
	raise_to(&t->worst_median_wake_latency_us, known((double)l->p50_ns / 1e3));
	raise_to(&t->worst_wake_latency_cv, known(l->cv));
	if (l->p50_ns)
		raise_to(&t->worst_wake_latency_tail_ratio,
			 known((double)l->p99_ns / (double)l->p50_ns));
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
	int rc;

	if (!totals)
		return err_no_memory();
	*t = (struct sidecar_stats){ .cgroup_count = r->cgroups.count };
	rc = set_cgroups(s, r->cgroups.items, r->cgroups.count, &t->cgroups);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < t->cgroup_count; i++)
		fold_cgroup(t, &t->cgroups[i]);
	result_totals(r, totals);
	t->total_cpus = known_if(t->cgroup_count > 0, totals->cpus);
	if (t->total_iterations.value < TAIL_MIN_ITERATIONS)
		t->worst_wake_latency_tail_ratio = (struct sidecar_number){};
	set_worst_events(t, r);
	return 0;
}

static int set_phases(struct sidecar *s, const struct ktstr_result *r)
{
	struct sidecar_phase *items = new_array(s, r->phases.count, sizeof(*items));
	int rc = r->phases.count && !items ? err_no_memory() : 0;

	s->phases = items;
	s->phase_count = rc < 0 ? 0 : r->phases.count;
	for (size_t i = 0; i < s->phase_count && rc == 0; i++) {
		const struct phase_stats *p = &r->phases.items[i];

		items[i] = (struct sidecar_phase){
			.name = sidecar_copy(s, p->name),
			.start_ms = p->start_ms,
			.end_ms = p->end_ms,
			.cgroup_count = p->cgroups.count,
		};
		rc = set_cgroups(s, p->cgroups.items, p->cgroups.count, &items[i].cgroups);
		if (rc == 0)
			rc = sidecar_set_events(s, p, &items[i].events);
	}
	return rc;
}

static int set_details(struct sidecar *s, const struct ktstr_result *r)
{
	struct sidecar_detail *items = new_array(s, r->details.count, sizeof(*items));

	if (r->details.count && !items)
		return err_no_memory();
	for (size_t i = 0; i < r->details.count; i++) {
		const struct detail *d = &r->details.items[i];

		items[i] = (struct sidecar_detail){
			.kind = detail_kind_name(d->kind),
			.verdict = d->verdict,
			.message = sidecar_copy(s, d->message ? d->message : ""),
		};
		if (!items[i].message)
			return err_no_memory();
	}
	s->details = items;
	s->detail_count = r->details.count;
	return 0;
}

static int set_metrics(struct sidecar *s, const struct ktstr_result *r)
{
	struct sidecar_metric *items = new_array(s, r->metrics.count, sizeof(*items));

	if (r->metrics.count && !items)
		return err_no_memory();
	for (size_t i = 0; i < r->metrics.count; i++) {
		const struct named_metric *m = &r->metrics.items[i];

		items[i] = (struct sidecar_metric){
			.name = sidecar_copy(s, m->name),
			.unit = sidecar_copy(s, m->unit),
			.value = m->value,
			.target = m->target,
			.polarity = m->polarity,
			.source = sidecar_copy(s, m->source),
			.stream = sidecar_copy(s, m->stream),
			.payload = sidecar_copy(s, m->payload),
			.run_index = m->run_index,
		};
		if (!items[i].name)
			return err_no_memory();
	}
	s->metrics = items;
	s->metric_count = r->metrics.count;
	return 0;
}

static int set_stimuli(struct sidecar *s, const struct ktstr_result *r)
{
	struct sidecar_stimulus *items = new_array(s, r->stimuli.count, sizeof(*items));

	if (r->stimuli.count && !items)
		return err_no_memory();
	for (size_t i = 0; i < r->stimuli.count; i++) {
		const struct stimulus *e = &r->stimuli.items[i];

		items[i] = (struct sidecar_stimulus){
			.elapsed_ms = e->elapsed_ms,
			.step = e->step,
			.op_count = e->op_count,
			.op_kinds = e->op_kinds,
			.cgroup_count = e->cgroup_count,
			.worker_count = e->worker_count,
			.total_iterations = e->total_iterations,
		};
	}
	s->stimuli = items;
	s->stimulus_count = r->stimuli.count;
	return 0;
}

/* What ran, joined by '+' in the order of the table of work types; as it was where nothing did. */
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
	static int (*const steps[])(struct sidecar *, const struct ktstr_result *) = {
		set_details, set_stats, set_phases, set_metrics, set_stimuli, set_work_type,
	};
	int rc = 0;

	s->outcome = result->verdict;
	for (size_t i = 0; i < ARRAY_SIZE(steps) && rc == 0; i++)
		rc = steps[i](s, result);
	return rc;
}

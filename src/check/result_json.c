// SPDX-License-Identifier: GPL-2.0-only
/* Results as JSON: what leaves the guest, and what run records keep. */
#include <stdlib.h>

#include "base/cpulist.h"
#include "check/latency.h"
#include "check/result.h"
#include "check/result_fields.h"
#include "work/types.h"

/* clang-format off */
#define FIELD(s, n, k) { #n, k, offsetof(struct s, n), RESULT_ALWAYS }
#define FIELD_IF(s, n, k, h) { #n, k, offsetof(struct s, n), offsetof(struct s, h) }

const struct result_field result_stats_fields[] = {
	FIELD(cgroup_stats, name, RESULT_TEXT),
	FIELD(cgroup_stats, workers, RESULT_U32),
	FIELD(cgroup_stats, cpus, RESULT_U32),
	FIELD(cgroup_stats, cpu_list, RESULT_CPUS),
	FIELD_IF(cgroup_stats, min_off_cpu_pct, RESULT_DOUBLE, has_off_cpu),
	FIELD_IF(cgroup_stats, max_off_cpu_pct, RESULT_DOUBLE, has_off_cpu),
	FIELD_IF(cgroup_stats, mean_off_cpu_pct, RESULT_DOUBLE, has_off_cpu),
	FIELD_IF(cgroup_stats, spread_pct, RESULT_DOUBLE, has_off_cpu),
	FIELD(cgroup_stats, gap_ms, RESULT_U64),
	FIELD(cgroup_stats, gap_cpu, RESULT_INT),
	FIELD(cgroup_stats, gap_tid, RESULT_INT),
	FIELD(cgroup_stats, migrations, RESULT_U64),
	FIELD(cgroup_stats, iterations, RESULT_U64),
	FIELD(cgroup_stats, work_units, RESULT_U64),
	FIELD(cgroup_stats, migration_ratio, RESULT_DOUBLE),
	FIELD_IF(cgroup_stats, mean_run_delay_us, RESULT_DOUBLE, has_run_delay),
	FIELD_IF(cgroup_stats, worst_run_delay_us, RESULT_DOUBLE, has_run_delay),
	FIELD_IF(cgroup_stats, run_delay_spread_pct, RESULT_DOUBLE, has_run_delay),
	FIELD(cgroup_stats, iterations_per_worker, RESULT_DOUBLE),
	FIELD_IF(cgroup_stats, page_locality, RESULT_DOUBLE, has_page_locality),
	FIELD_IF(cgroup_stats, cross_node_migration_ratio, RESULT_DOUBLE, has_page_locality),
	FIELD(cgroup_stats, cpu_time_ns, RESULT_U64),
	FIELD(cgroup_stats, wall_time_ns, RESULT_U64),
	FIELD_IF(cgroup_stats, wait_ns, RESULT_U64, has_events),
	FIELD_IF(cgroup_stats, worst_wait_us, RESULT_DOUBLE, has_events),
	FIELD_IF(cgroup_stats, worst_wait_at_ms, RESULT_U64, has_events),
	FIELD_IF(cgroup_stats, worst_wait_cpu, RESULT_INT, has_events),
	FIELD_IF(cgroup_stats, worst_wait_tid, RESULT_INT, has_events),
	{}
};

const struct result_field result_events_fields[] = {
	FIELD(phase_events, observed_ns, RESULT_U64),
	FIELD(phase_events, lost_events, RESULT_U64),
	FIELD(phase_events, migrations_per_s, RESULT_DOUBLE),
	FIELD_IF(phase_events, share_error_pct, RESULT_DOUBLE, has_shares),
	FIELD_IF(phase_events, single_share_error_pct, RESULT_DOUBLE, has_shares),
	{}
};

const struct result_field result_cpu_fields[] = {
	FIELD(cpu_events, cpu, RESULT_U32),
	FIELD(cpu_events, busy_ns, RESULT_U64),
	FIELD(cpu_events, idle_ns, RESULT_U64),
	FIELD_IF(cpu_events, idle_wait_ns, RESULT_U64, has_idle_wait),
	FIELD_IF(cpu_events, longest_idle_wait_ns, RESULT_U64, has_idle_wait),
	FIELD(cpu_events, picks, RESULT_U64),
	{}
};

const struct result_field result_task_fields[] = {
	FIELD(task_events, name, RESULT_TEXT),
	FIELD(task_events, tid, RESULT_INT),
	FIELD(task_events, is_worker, RESULT_BOOL),
	FIELD(task_events, is_kernel, RESULT_BOOL),
	FIELD_IF(task_events, run_ns, RESULT_U64, has_counts),
	FIELD_IF(task_events, wait_ns, RESULT_U64, has_counts),
	FIELD_IF(task_events, runs, RESULT_U64, has_counts),
	FIELD_IF(task_events, wakeups, RESULT_U64, has_counts),
	FIELD_IF(task_events, migrations, RESULT_U64, has_counts),
	FIELD_IF(task_events, worst_wait_ns, RESULT_U64, has_wait),
	FIELD_IF(task_events, worst_wait_at_ms, RESULT_U64, has_wait),
	FIELD_IF(task_events, worst_wait_cpu, RESULT_INT, has_wait),
	FIELD_IF(task_events, worst_wait_by, RESULT_TEXT, has_wait_by),
	FIELD_IF(task_events, worst_wait_by_tid, RESULT_INT, has_wait_by),
	{}
};

const struct result_field result_stimulus_fields[] = {
	FIELD(stimulus, elapsed_ms, RESULT_U32),
	FIELD(stimulus, step, RESULT_U16),
	FIELD(stimulus, op_count, RESULT_U16),
	FIELD(stimulus, op_kinds, RESULT_U32),
	FIELD(stimulus, cgroup_count, RESULT_U16),
	FIELD(stimulus, worker_count, RESULT_U16),
	FIELD(stimulus, total_iterations, RESULT_U64),
	{}
};

const struct result_field result_metric_fields[] = {
	FIELD(named_metric, name, RESULT_TEXT),
	FIELD(named_metric, value, RESULT_DOUBLE),
	FIELD(named_metric, unit, RESULT_TEXT),
	FIELD(named_metric, polarity, RESULT_POLARITY),
	FIELD(named_metric, target, RESULT_DOUBLE),
	FIELD(named_metric, source, RESULT_TEXT),
	FIELD(named_metric, stream, RESULT_TEXT),
	FIELD(named_metric, payload, RESULT_TEXT),
	FIELD(named_metric, run_index, RESULT_U32),
	{}
};
/* clang-format on */

const char *const result_polarities[4] = {
	[KTSTR_POLARITY_UNKNOWN] = "unknown",
	[KTSTR_HIGHER_BETTER] = "higher",
	[KTSTR_LOWER_BETTER] = "lower",
	[KTSTR_TARGET] = "target",
};

static void put_cpus(struct json *j, const struct worker_cpus *set)
{
	_str_ struct str text = {};
	unsigned int cpus[WORKER_MAX_CPUS];
	size_t count = 0;

	for (unsigned int cpu = 0; cpu < WORKER_MAX_CPUS; cpu++)
		if (worker_cpus_have(set, cpu))
			cpus[count++] = cpu;
	cpulist_format(cpus, count, &text);
	j->out->failed |= text.failed;
	json_string(j, str_get(&text));
}

static void put_field(struct json *j, const struct result_field *f, const char *from)
{
	const void *at = from + f->offset;

	if (f->has != RESULT_ALWAYS && !*(const bool *)(from + f->has)) {
		json_null(j);
		return;
	}
	switch (f->kind) {
	case RESULT_TEXT:
		json_string(j, *(char *const *)at);
		break;
	case RESULT_U16:
		json_u64(j, *(const uint16_t *)at);
		break;
	case RESULT_U32:
		json_u64(j, *(const uint32_t *)at);
		break;
	case RESULT_INT:
		json_i64(j, *(const int *)at);
		break;
	case RESULT_BOOL:
		json_bool(j, *(const bool *)at);
		break;
	case RESULT_U64:
		json_u64(j, *(const uint64_t *)at);
		break;
	case RESULT_DOUBLE:
		json_double(j, *(const double *)at);
		break;
	case RESULT_POLARITY:
		json_string(j, result_polarities[*(const enum ktstr_polarity *)at]);
		break;
	case RESULT_CPUS:
		put_cpus(j, at);
		break;
	}
}

static void put_fields(struct json *j, const struct result_field *f, const void *from)
{
	for (; f->name; f++) {
		json_key(j, f->name);
		put_field(j, f, from);
	}
}

static void put_object(struct json *j, const struct result_field *f, const void *from)
{
	json_object(j);
	put_fields(j, f, from);
	json_object_end(j);
}

static void put_percentiles(struct json *j, const struct latency *l)
{
	bool has = l->count > 0;

	json_put_u64(j, "count", l->count);
	json_put_known_u64(j, "p50_ns", has, l->p50_ns);
	json_put_known_u64(j, "p90_ns", has, l->p90_ns);
	json_put_known_u64(j, "p99_ns", has, l->p99_ns);
	json_put_known_u64(j, "p999_ns", has, l->p999_ns);
	json_put_known_u64(j, "max_ns", has, l->max_ns);
	json_key(j, "cv");
	if (l->count >= 2)
		json_double(j, l->cv);
	else
		json_null(j);
	json_key(j, "tail_ratio");
	if (l->tail_ratio > 0)
		json_double(j, l->tail_ratio);
	else
		json_null(j);
}

/* Percentiles for those who read it, buckets for those who draw it or add it up. */
static void put_histogram(struct json *j, const struct histogram *h)
{
	struct latency l;

	latency_of(h, &l);
	json_object(j);
	put_percentiles(j, &l);
	json_put_known_u64(j, "min_ns", h->count > 0, h->min);
	json_put_double(j, "sum_ns", h->sum);
	json_put_double(j, "sum_of_squares", h->sum_of_squares);
	json_put_array(j, "buckets");
	for (unsigned int i = 0; h->count && i < HISTOGRAM_BUCKETS; i++) {
		if (!h->buckets[i])
			continue;
		json_array(j);
		json_u64(j, histogram_bucket_floor(i));
		json_u64(j, h->buckets[i]);
		json_array_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

static void put_waits(struct json *j, const char *key, const struct cgroup_stats *s,
		      const struct histogram *h)
{
	json_key(j, key);
	if (s->has_events)
		put_histogram(j, h);
	else
		json_null(j);
}

/* Pairs of nice value and CPU time, of those that used any. */
static void put_nice(struct json *j, const struct cgroup_stats *s)
{
	json_put_array(j, "nice_cpu_time_ns");
	for (int i = 0; i < WORKER_NICE_COUNT; i++) {
		if (!s->nice_cpu_time_ns[i])
			continue;
		json_array(j);
		json_i64(j, i + WORKER_MIN_NICE);
		json_u64(j, s->nice_cpu_time_ns[i]);
		json_array_end(j);
	}
	json_array_end(j);
}

static void put_work(struct json *j, const struct cgroup_stats *s)
{
	json_put_array(j, "work_types");
	for (int kind = 0; kind < KTSTR_WORK_COUNT; kind++)
		if (s->work_kinds >> kind & 1)
			json_string(j, work_type_row((enum ktstr_work_kind)kind)->info.name);
	json_array_end(j);
}

static void put_stats(struct json *j, const struct cgroup_stats *s)
{
	json_object(j);
	put_fields(j, result_stats_fields, s);
	put_nice(j, s);
	put_work(j, s);
	json_key(j, "wakes");
	put_histogram(j, &s->wakes);
	json_key(j, "timers");
	put_histogram(j, &s->timers);
	put_waits(j, "waits", s, &s->waits);
	put_waits(j, "wakeup_waits", s, &s->wakeup_waits);
	json_object_end(j);
}

static void put_worst_waits(struct json *j, const char *key, const struct cgroup_stats *totals,
			    const struct latency *l)
{
	if (!totals->has_events) {
		json_put_null(j, key);
		return;
	}
	json_put_object(j, key);
	put_percentiles(j, l);
	json_object_end(j);
}

static void put_totals(struct json *j, const struct ktstr_result *r)
{
	_free_ struct cgroup_stats *totals = malloc(sizeof(*totals));
	struct latency wakes, timers, waits, wakeup_waits;

	if (!totals) {
		j->out->failed = true;
		return;
	}
	result_totals(r, totals);
	latency_worst(r, &wakes, &timers);
	latency_worst_waits(r, &waits, &wakeup_waits);
	json_put_object(j, "totals");
	put_fields(j, result_stats_fields + 1, totals);
	json_put_object(j, "wakes");
	put_percentiles(j, &wakes);
	json_object_end(j);
	json_put_object(j, "timers");
	put_percentiles(j, &timers);
	json_object_end(j);
	put_worst_waits(j, "waits", totals, &waits);
	put_worst_waits(j, "wakeup_waits", totals, &wakeup_waits);
	json_object_end(j);
}

static void put_details(struct json *j, const struct ktstr_result *r)
{
	json_put_array(j, "details");
	for (size_t i = 0; i < r->details.count; i++) {
		const struct detail *d = &r->details.items[i];

		json_object(j);
		json_put_string(j, "kind", detail_kind_name(d->kind));
		json_put_string(j, "verdict", verdict_name(d->verdict));
		json_put_string(j, "message", d->message);
		if (d->time_ns)
			json_put_u64(j, "time_ns", d->time_ns);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_events(struct json *j, const struct phase_events *e)
{
	if (!e->is_known) {
		json_put_null(j, "events");
		return;
	}
	json_put_object(j, "events");
	put_fields(j, result_events_fields, e);
	json_put_array(j, "cpus");
	for (size_t i = 0; i < e->cpus.count; i++)
		put_object(j, result_cpu_fields, &e->cpus.items[i]);
	json_array_end(j);
	json_put_array(j, "tasks");
	for (size_t i = 0; i < e->tasks.count; i++)
		put_object(j, result_task_fields, &e->tasks.items[i]);
	json_array_end(j);
	json_object_end(j);
}

static void put_phases(struct json *j, const struct ktstr_result *r)
{
	json_put_array(j, "phases");
	for (size_t i = 0; i < r->phases.count; i++) {
		const struct phase_stats *phase = &r->phases.items[i];

		json_object(j);
		json_put_string(j, "name", phase->name);
		json_put_u64(j, "start_ms", phase->start_ms);
		json_put_u64(j, "end_ms", phase->end_ms);
		json_put_array(j, "cgroups");
		for (size_t k = 0; k < phase->cgroups.count; k++)
			put_stats(j, &phase->cgroups.items[k]);
		json_array_end(j);
		put_events(j, &phase->events);
		json_object_end(j);
	}
	json_array_end(j);
}

void result_put_stats(const struct ktstr_result *r, struct json *j)
{
	put_totals(j, r);
	json_put_array(j, "cgroups");
	for (size_t i = 0; i < r->cgroups.count; i++)
		put_stats(j, &r->cgroups.items[i]);
	json_array_end(j);
	put_phases(j, r);
	json_put_array(j, "stimuli");
	for (size_t i = 0; i < r->stimuli.count; i++)
		put_object(j, result_stimulus_fields, &r->stimuli.items[i]);
	json_array_end(j);
	json_put_array(j, "metrics");
	for (size_t i = 0; i < r->metrics.count; i++)
		put_object(j, result_metric_fields, &r->metrics.items[i]);
	json_array_end(j);
}

void result_to_json(const struct ktstr_result *r, struct json *j)
{
	json_object(j);
	json_put_u64(j, "schema_version", RESULT_SCHEMA);
	json_put_string(j, "verdict", verdict_name(r->verdict));
	put_details(j, r);
	result_put_stats(r, j);
	json_put_array(j, "extractions");
	for (size_t i = 0; i < r->extractions.count; i++)
		json_string(j, r->extractions.items[i]);
	json_array_end(j);
	json_object_end(j);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The schema of sidecars: adding a field is adding a row. */
#include "record/parts.h"

#include "work/report.h"

/* Alternating index and count: a third of the size of an array of objects. */
static void put_buckets(struct json *j, const void *member)
{
	const struct json_list *list = member;
	const struct latency_bucket *buckets = list->items;

	json_array(j);
	for (size_t i = 0; i < list->count; i++) {
		json_u64(j, buckets[i].index);
		json_u64(j, buckets[i].count);
	}
	json_array_end(j);
}

static bool load_bucket_part(struct json_load *l, uint64_t limit, uint32_t *part)
{
	struct json_value v;

	if (json_read_value(l->r, &v) != JSON_UNSIGNED || v.u > limit) {
		json_read_fail(l->r, "expected a bucket's index or count");
		return false;
	}
	*part = (uint32_t)v.u;
	return true;
}

/* Reads the next bucket of the array, whose index must be above that of the last one. */
static bool load_bucket(struct json_load *l, const struct latency_bucket *last,
			struct latency_bucket *b)
{
	if (!json_read_item(l->r) || !load_bucket_part(l, HISTOGRAM_BUCKETS - 1, &b->index))
		return false;
	if (!json_read_item(l->r))
		json_read_fail(l->r, "a bucket without its count");
	else if (load_bucket_part(l, UINT32_MAX, &b->count) && last && last->index >= b->index)
		json_read_fail(l->r, "buckets out of order");
	return !l->r->problem;
}

static bool load_buckets(struct json_load *l, const struct json_value *v, void *member)
{
	VEC(struct latency_bucket) buckets = {};
	struct json_list *list = member;
	struct latency_bucket b = {};

	if (v->kind != JSON_ARRAY)
		return false;
	while (load_bucket(l, buckets.count ? &buckets.items[buckets.count - 1] : NULL, &b))
		if (vec_push(&buckets, b) < 0)
			json_load_no_memory(l);
	json_load_keep(l, buckets.items, buckets.count, sizeof(b), list);
	return true;
}

static const struct json_own buckets_own = { put_buckets, load_buckets };

/* clang-format off */
#define LATENCY(member, k) JSON_FIELD(latency, member, k, .flags = FIELD_REQUIRED)
static const struct json_field latency_fields[] = {
	LATENCY(count, U64), LATENCY(min_ns, U64), LATENCY(p50_ns, U64), LATENCY(p90_ns, U64),
	LATENCY(p99_ns, U64), LATENCY(p999_ns, U64), LATENCY(max_ns, U64), LATENCY(mean_ns, DOUBLE),
	LATENCY(cv, DOUBLE), JSON_OWN("buckets", latency, buckets, buckets_own),
	{}
};
/* clang-format on */
_Static_assert(offsetof(struct latency, bucket_count) ==
		       offsetof(struct latency, buckets) + sizeof(void *),
	       "a struct json_list");

static bool latency_has(const void *member)
{
	return ((const struct latency *)member)->count;
}

static void put_latency(struct json *j, const void *member)
{
	json_put_struct(j, latency_fields, member);
}

static bool load_latency(struct json_load *l, const struct json_value *v, void *member)
{
	struct latency *to = member;

	if (v->kind != JSON_OBJECT)
		return false;
	json_load_fields(l, latency_fields, to);
	to->tail_ratio = latency_tail_ratio(to);
	return true;
}

static bool copy_histogram(struct arena *a, void *member, const void *histogram)
{
	const struct histogram *h = histogram;
	struct latency_bucket *buckets;
	struct latency *to = member;

	latency_of(h, to);
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		to->bucket_count += h->buckets[i] != 0;
	if (!to->count)
		return true;
	to->buckets = buckets = arena_alloc(a, to->bucket_count * sizeof(*buckets));
	for (unsigned int i = 0; buckets && i < HISTOGRAM_BUCKETS; i++)
		if (h->buckets[i])
			*buckets++ = (struct latency_bucket){ i, h->buckets[i] };
	return to->buckets;
}

static const struct json_own latency_own = { put_latency, load_latency, latency_has,
					     copy_histogram };

/* A skip counts as a pass but must not be counted as passed. Both follow from the verdict. */
static void put_is_pass(struct json *j, const void *member)
{
	json_bool(j, *(const enum ktstr_verdict *)member >= KTSTR_PASSED);
}

static void put_is_skip(struct json *j, const void *member)
{
	json_bool(j, *(const enum ktstr_verdict *)member == KTSTR_SKIPPED);
}

static const struct json_own is_pass_own = { put_is_pass, NULL };
static const struct json_own is_skip_own = { put_is_skip, NULL };

static void put_host(struct json *j, const void *sidecar)
{
	host_context_to_json(((const struct sidecar *)sidecar)->host, j);
}

static bool has_host(const void *sidecar)
{
	return ((const struct sidecar *)sidecar)->host;
}

static bool load_host(struct json_load *l, const struct json_value *v, void *sidecar)
{
	struct sidecar *s = sidecar;

	if (v->kind != JSON_OBJECT)
		return false;
	if (host_context_load(&s->read_host, l->r) < 0)
		json_load_no_memory(l);
	s->host = &s->read_host;
	return true;
}

static const struct json_own host_own = { put_host, load_host, has_host };

/* clang-format off */
#define CGROUP_NUMBER(member, ...) JSON_NUMBER(sidecar_cgroup, member, DOUBLE),
#define CGROUP_NUMBER_AS(name, member, ...) \
	JSON_NUMBER(sidecar_cgroup, name, DOUBLE, .from = #member),
#define CGROUP_LATENCY(member, ...) JSON_OWN(#member, sidecar_cgroup, member, latency_own),
static const struct json_field cgroup_fields[] = {
	JSON_FIELD(sidecar_cgroup, name, TEXT),
	CGROUP_FIGURES(CGROUP_NUMBER, CGROUP_NUMBER, CGROUP_NUMBER_AS)
	CGROUP_LATENCIES(CGROUP_LATENCY, CGROUP_LATENCY)
	{}
};

#define TOTAL_NUMBER(member) JSON_NUMBER(sidecar_stats, member, DOUBLE),
const struct json_field sidecar_stats_fields[] = {
	SIDECAR_TOTAL_NUMBERS(TOTAL_NUMBER)
	JSON_ARRAY_OF("cgroups", sidecar_stats, cgroups, cgroup_count, cgroup_fields),
	{}
};

#define CPU_NUMBER(member, ...) JSON_NUMBER(sidecar_cpu, member, DOUBLE),
static const struct json_field cpu_fields[] = { CPU_FIGURES(CPU_NUMBER, CPU_NUMBER) {} };

#define TASK_NUMBER(member, ...) JSON_NUMBER(sidecar_task, member, DOUBLE),
#define TASK_HISTOGRAM(member) JSON_OWN(#member, sidecar_task, member, wait_buckets_own),
static const struct json_field task_fields[] = {
	JSON_FIELD(sidecar_task, name, TEXT, .flags = FIELD_REQUIRED),
	JSON_FIELD(sidecar_task, is_worker, BOOL),
	JSON_FIELD(sidecar_task, is_kernel, BOOL),
	TASK_FIGURES(TASK_NUMBER, TASK_NUMBER)
	TASK_HISTOGRAMS(TASK_HISTOGRAM)
	JSON_FIELD(sidecar_task, worst_wait_by, TEXT),
	{}
};

#define EVENTS_NUMBER(member, ...) JSON_NUMBER(sidecar_events, member, DOUBLE),
static const struct json_field events_fields[] = {
	EVENTS_FIGURES(EVENTS_NUMBER, EVENTS_NUMBER)
	EVENTS_NUMBER(idle_wait_pct)
	EVENTS_NUMBER(system_wait_us)
	JSON_ARRAY_OF("cpus", sidecar_events, cpus, cpu_count, cpu_fields),
	JSON_ARRAY_OF("tasks", sidecar_events, tasks, task_count, task_fields),
	{}
};

static const struct json_field phase_fields[] = {
	JSON_FIELD(sidecar_phase, name, TEXT),
	JSON_FIELD(sidecar_phase, start_ms, U64),
	JSON_FIELD(sidecar_phase, end_ms, U64),
	JSON_ARRAY_OF("cgroups", sidecar_phase, cgroups, cgroup_count, cgroup_fields),
	JSON_STRUCT(sidecar_phase, events, events_fields, JSON_HAS(sidecar_phase, events.is_known)),
	{}
};

#define DETAIL(member) JSON_FIELD(sidecar_detail, member, TEXT, .flags = FIELD_REQUIRED)
static const struct json_field detail_fields[] = {
	DETAIL(kind),
	JSON_OWN("verdict", sidecar_detail, verdict, verdict_own, .flags = FIELD_REQUIRED),
	DETAIL(message),
	{}
};

static const struct json_field stimulus_fields[] = { STIMULUS_FIELDS("step_index"), {} };

static const struct json_field program_fields[] = {
	JSON_FIELD(sidecar_program, name, TEXT, .flags = FIELD_REQUIRED),
	JSON_FIELD(sidecar_program, verified_insns, U64, .flags = FIELD_REQUIRED),
	{}
};

#define EXIT(member) JSON_FIELD(sidecar_exit, member, TEXT)
static const struct json_field exit_fields[] = {
	EXIT(end),
	JSON_NUMBER(sidecar_exit, kind, DOUBLE),
	EXIT(reason),
	EXIT(message),
	{}
};

static const struct json_field callback_fields[] = {
	JSON_FIELD(sidecar_callback, name, TEXT, .flags = FIELD_REQUIRED),
	JSON_FIELD(sidecar_callback, cnt, U64, .flags = FIELD_REQUIRED),
	JSON_FIELD(sidecar_callback, nsecs, U64, .flags = FIELD_REQUIRED),
	{}
};

static const struct json_field plot_fields[] = {
	JSON_FIELD(sidecar_plot, name, TEXT, .flags = FIELD_REQUIRED),
	JSON_FIELD(sidecar_plot, from_ms, DOUBLE, .flags = FIELD_REQUIRED),
	JSON_FIELD(sidecar_plot, to_ms, DOUBLE, .flags = FIELD_REQUIRED),
	JSON_LIST(sidecar_plot, points, DOUBLE),
	{}
};

static const struct json_field pair_fields[] = { JSON_FIELD(sidecar_pair, value, DOUBLE), {} };
#define PAIRS(type, member) \
	JSON_NAMED(#member, type, member.items, MAP, JSON_HAS(type, member.is_known), \
		   .fields = pair_fields, .size = sizeof(struct sidecar_pair))
static const struct json_field monitor_fields[] = {
	JSON_FIELD(sidecar_monitor, summary, TEXT),
	PAIRS(sidecar_monitor, numbers),
	JSON_ARRAY_OF("programs", sidecar_monitor, callbacks, callback_count, callback_fields),
	JSON_ARRAY_OF("plots", sidecar_monitor, plots, plot_count, plot_fields),
	{}
};

#define NEEDED(member) JSON_FIELD(sidecar, member, TEXT, .flags = FIELD_REQUIRED)
#define TEXT(member) JSON_FIELD(sidecar, member, TEXT)
#define TEXTS(member) JSON_LIST(sidecar, member, TEXT)
#define NUMBER(member) JSON_NUMBER(sidecar, member, DOUBLE)
const struct json_field sidecar_fields[] = {
	{ "schema_version", FIELD_SCHEMA, .size = SIDECAR_SCHEMA, .flags = FIELD_REQUIRED },
	NEEDED(test_name),
	NEEDED(topology),
	NEEDED(scheduler),
	TEXT(scheduler_commit),
	TEXT(project_commit),
	TEXT(payload),
	JSON_ARRAY_OF("metrics", sidecar, metrics, metric_count, result_metric_fields),
	JSON_OWN("passed", sidecar, outcome, is_pass_own),
	JSON_OWN("skipped", sidecar, outcome, is_skip_own),
	JSON_OWN("outcome", sidecar, outcome, verdict_own, .flags = FIELD_REQUIRED, .from = "verdict"),
	JSON_ARRAY_OF("details", sidecar, details, detail_count, detail_fields),
	JSON_STRUCT(sidecar, scheduler_exit, exit_fields),
	TEXT(failure),
	JSON_STRUCT(sidecar, stats, sidecar_stats_fields),
	JSON_ARRAY_OF("phases", sidecar, phases, phase_count, phase_fields),
	JSON_STRUCT(sidecar, monitor, monitor_fields, JSON_HAS(sidecar, monitor.is_known)),
	JSON_ARRAY_OF("stimulus_events", sidecar, stimuli, stimulus_count, stimulus_fields,
		      .from = "stimuli"),
	NEEDED(work_type),
	TEXTS(active_flags),
	JSON_ARRAY_OF("verifier_stats", sidecar, programs, program_count, program_fields),
	PAIRS(sidecar, kvm_stats),
	PAIRS(sidecar, host_time),
	TEXTS(sysctls),
	TEXTS(kargs),
	TEXT(kernel_version),
	TEXT(kernel_commit),
	TEXT(timestamp),
	TEXT(run_id),
	{ "host", FIELD_OWN, .own = &host_own },
	NUMBER(cleanup_duration_ms),
	TEXT(run_source),
	TEXT(name),
	TEXT(binary),
	TEXT(declared_at),
	TEXT(preset),
	TEXT(resolve_source),
	TEXT(scheduler_path),
	TEXT(scheduler_hash),
	TEXT(scheduler_version),
	NUMBER(cpu_budget),
	JSON_FIELD(sidecar, performance_mode, BOOL),
	JSON_ARRAY_OF("perf_delta_assertions", sidecar, perf_deltas, perf_delta_count,
		      perf_delta_fields),
	NUMBER(attempts),
	NUMBER(duration_ms),
	NUMBER(boot_ms),
	NUMBER(guest_ms),
	TEXT(accel),
	JSON_FIELD_IF(sidecar, seed, U64, has_seed),
	TEXT(digest),
	TEXT(kernel_key),
	TEXT(kernel_hash),
	TEXT(initramfs_hash),
	TEXT(qemu_version),
	TEXTS(qemu_options),
	NUMBER(icount_shift),
	NUMBER(slice_ns),
	JSON_FIELD(sidecar, sim_jitter, BOOL),
	TEXTS(run_options),
	TEXT(host_cpu_model),
	{}
};
/* clang-format on */

/* The limit is that of json_fields.h. */
_Static_assert(ARRAY_SIZE(sidecar_fields) <= 65, "too many fields for the reader");

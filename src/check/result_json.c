// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results as JSON, as sent by the guest and kept in run records. The text comes from a
 * guest, so nothing in it is trusted.
 */
#include "check/parts.h"

#define RESULT_SCHEMA 1

const char *const detail_kind_words[] = {
#define X(id, text) [DETAIL_##id] = text,
	DETAIL_KINDS(X)
#undef X
		NULL,
};

/* clang-format off */
#define CGROUP_ROW(...) JSON_FIELD(cgroup_stats, __VA_ARGS__),
#define CGROUP_ROW_IF(...) JSON_FIELD_IF(cgroup_stats, __VA_ARGS__),
#define CGROUP_ROW_AS(name, ...) JSON_FIELD_IF(cgroup_stats, __VA_ARGS__),
#define CGROUP_HISTOGRAM(member) JSON_OWN(#member, cgroup_stats, member, histogram_own),
#define CGROUP_HISTOGRAM_IF(member, flag) \
	JSON_OWN(#member, cgroup_stats, member, histogram_own, JSON_HAS(cgroup_stats, flag)),
#define CPU_ROW(...) JSON_FIELD(cpu_events, __VA_ARGS__),
#define CPU_ROW_IF(...) JSON_FIELD_IF(cpu_events, __VA_ARGS__),
#define TASK_ROW(...) JSON_FIELD(task_events, __VA_ARGS__),
#define TASK_ROW_IF(...) JSON_FIELD_IF(task_events, __VA_ARGS__),
#define TASK_HISTOGRAM(member) JSON_OWN(#member, task_events, member, wait_buckets_own),
#define EVENTS_ROW(...) JSON_FIELD(phase_events, __VA_ARGS__),
#define EVENTS_ROW_IF(...) JSON_FIELD_IF(phase_events, __VA_ARGS__),

/* Fields of a cgroup, also used for the totals. */
#define STATS_ROWS \
	CGROUP_FIGURES(CGROUP_ROW, CGROUP_ROW_IF, CGROUP_ROW_AS) \
	JSON_OWN("cpu_list", cgroup_stats, cpu_list, cpus_own), \
	JSON_FIELD(cgroup_stats, gap_tid, INT),

static const struct json_field totals_fields[] = { STATS_ROWS {} };

static const struct json_field cgroup_fields[] = {
	JSON_FIELD(cgroup_stats, name, TEXT, .flags = FIELD_REQUIRED),
	STATS_ROWS
	JSON_OWN("nice_cpu_time_ns", cgroup_stats, nice_cpu_time_ns, nice_own),
	JSON_OWN("work_types", cgroup_stats, work_kinds, work_own),
	CGROUP_LATENCIES(CGROUP_HISTOGRAM, CGROUP_HISTOGRAM_IF)
	{}
};

static const struct json_field cpu_fields[] = { CPU_FIGURES(CPU_ROW, CPU_ROW_IF) {} };

static const struct json_field task_fields[] = {
	JSON_FIELD(task_events, name, TEXT, .flags = FIELD_REQUIRED),
	JSON_FIELD(task_events, is_worker, BOOL),
	JSON_FIELD(task_events, is_kernel, BOOL),
	TASK_FIGURES(TASK_ROW, TASK_ROW_IF)
	TASK_HISTOGRAMS(TASK_HISTOGRAM)
	JSON_FIELD_IF(task_events, worst_wait_by, TEXT, has_wait_by),
	{}
};

static const struct json_field events_fields[] = {
	EVENTS_FIGURES(EVENTS_ROW, EVENTS_ROW_IF)
	JSON_LIST_OF("cpus", phase_events, cpus, cpu_fields),
	JSON_LIST_OF("tasks", phase_events, tasks, task_fields),
	{}
};

static void init_cgroup(void *element)
{
	cgroup_stats_init(element);
}

const struct json_field result_phase_fields[] = {
	JSON_FIELD(phase_stats, name, TEXT, .flags = FIELD_REQUIRED),
	JSON_FIELD(phase_stats, start_ms, U64),
	JSON_FIELD(phase_stats, end_ms, U64),
	JSON_LIST_OF("cgroups", phase_stats, cgroups, cgroup_fields, .init = init_cgroup),
	JSON_STRUCT(phase_stats, events, events_fields, JSON_HAS(phase_stats, events.is_known)),
	{}
};

/* A newer guest may send kinds that this program does not know. */
static const struct json_field detail_fields[] = {
	JSON_FIELD(detail, kind, WORD, .words = detail_kind_words, .flags = FIELD_OPEN),
	JSON_OWN("verdict", detail, verdict, verdict_own, .flags = FIELD_REQUIRED),
	JSON_FIELD(detail, message, TEXT, .flags = FIELD_REQUIRED),
	JSON_FIELD(detail, time_ns, U64, .flags = FIELD_LEFT_OUT),
	{}
};

static void init_detail(void *element)
{
	((struct detail *)element)->kind = DETAIL_OTHER;
}

static const struct json_field stimulus_fields[] = { STIMULUS_FIELDS("step"), {} };

const struct json_field result_metric_fields[] = {
	JSON_FIELD(named_metric, name, TEXT, .flags = FIELD_REQUIRED),
	JSON_FIELD(named_metric, value, DOUBLE, .flags = FIELD_REQUIRED),
	JSON_FIELD(named_metric, polarity, WORD, .words = polarity_words),
	JSON_FIELD(named_metric, target, DOUBLE),
	JSON_FIELD(named_metric, unit, TEXT),
	JSON_FIELD(named_metric, source, TEXT),
	JSON_FIELD(named_metric, stream, TEXT),
	JSON_FIELD(named_metric, payload, TEXT),
	JSON_FIELD(named_metric, run_index, U32),
	{}
};

static void put_totals(struct json *j, const void *result);
static const struct json_own totals_own = { put_totals, NULL };

/* The first and the last row of statistics in result_fields. */
#define FIRST_STAT 3
#define LAST_STAT 7
const struct json_field result_fields[] = {
	{ "schema_version", FIELD_SCHEMA, .size = RESULT_SCHEMA, .flags = FIELD_REQUIRED },
	JSON_OWN("verdict", ktstr_result, verdict, verdict_own,
		 .flags = FIELD_REQUIRED | FIELD_OPEN),
	JSON_LIST_OF("details", ktstr_result, details, detail_fields, .init = init_detail),
	{ "totals", FIELD_OWN, .own = &totals_own },
	JSON_LIST_OF("cgroups", ktstr_result, cgroups, cgroup_fields, .init = init_cgroup),
	JSON_LIST_OF("phases", ktstr_result, phases, result_phase_fields),
	JSON_LIST_OF("stimuli", ktstr_result, stimuli, stimulus_fields),
	JSON_LIST_OF("metrics", ktstr_result, metrics, result_metric_fields),
	JSON_LIST(ktstr_result, extractions, TEXT),
	{}
};
/* clang-format on */

static void put_worst(struct json *j, const char *key, bool has, const struct latency *l)
{
	if (!has) {
		json_put_null(j, key);
		return;
	}
	json_put_object(j, key);
	result_put_percentiles(j, l);
	json_object_end(j);
}

static void put_totals(struct json *j, const void *result)
{
	_free_ struct cgroup_stats *totals = malloc(sizeof(*totals));
	const struct worst_latencies worst = latency_worst(result);

	if (!totals) {
		j->out->failed = true;
		json_null(j);
		return;
	}
	result_totals(result, totals);
	json_object(j);
	json_put_fields(j, totals_fields, totals);
	put_worst(j, "wakes", true, &worst.wakes);
	put_worst(j, "timers", true, &worst.timers);
	put_worst(j, "waits", totals->has_events, &worst.waits);
	put_worst(j, "wakeup_waits", totals->has_events, &worst.wakeup_waits);
	json_object_end(j);
}

void result_put_stats(const struct ktstr_result *r, struct json *j)
{
	for (size_t i = FIRST_STAT; i <= LAST_STAT; i++)
		json_put_field(j, &result_fields[i], r);
}

void result_to_json(const struct ktstr_result *r, struct json *j)
{
	json_put_struct(j, result_fields, r);
}

static int read_problem(const struct json_load *l)
{
	if (l->is_out_of_memory)
		return err_no_memory();
	if (l->is_other_schema)
		return err_set(EINVAL, "result: schema version %llu, this ktstr knows version %d",
			       ULL(l->other_schema), RESULT_SCHEMA);
	if (l->missing)
		return err_set(EINVAL, "result: there is no %s at byte %zu", l->missing,
			       l->r->problem_at);
	return err_set(EINVAL, "result: %s at byte %zu", l->r->problem, l->r->problem_at);
}

int result_from_json(struct ktstr_result *r, char *text, size_t len)
{
	struct json_reader reader;
	struct json_load l = { .r = &reader };

	result_init(r);
	json_read_init(&reader, text, len);
	if (json_load_text(&l, result_fields, r))
		return 0;
	result_finish(r);
	return read_problem(&l);
}

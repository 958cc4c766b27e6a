// SPDX-License-Identifier: GPL-2.0-only
/* The document around the threads. */
#include "ctprof/snapshot_json.h"

#include "base/json.h"
#include "base/util.h"

static void put_opt(struct json *j, const char *key, const struct opt_u64 *v)
{
	json_put_known_u64(j, key, v->is_known, v->value);
}

/* A counter: 0 instead of null under --zero-fill. Limits are never filled, null means none. */
static void put_counter(struct json *j, const char *key, const struct opt_u64 *v, bool zero_fill)
{
	struct opt_u64 zero = { .is_known = true };

	put_opt(j, key, !v->is_known && zero_fill ? &zero : v);
}

static void put_list(struct json *j, const char *key, const struct named_list *list)
{
	json_put_object(j, key);
	for (size_t i = 0; i < list->count; i++)
		json_put_u64(j, list->items[i].name, list->items[i].value);
	json_object_end(j);
}

/* A list that is never empty where it was read. */
static void put_opt_list(struct json *j, const char *key, const struct named_list *list)
{
	if (list->count)
		put_list(j, key, list);
	else
		json_put_null(j, key);
}

static void put_psi_line(struct json *j, const char *key, const struct psi_line *line)
{
	if (!line->is_known) {
		json_put_null(j, key);
		return;
	}
	json_put_object(j, key);
	json_put_u64(j, "avg10", line->avg10);
	json_put_u64(j, "avg60", line->avg60);
	json_put_u64(j, "avg300", line->avg300);
	json_put_u64(j, "total_usec", line->total_usec);
	json_object_end(j);
}

static void put_psi(struct json *j, const struct psi *psi)
{
	json_put_object(j, "psi");
	for (size_t i = 0; i < PSI_RESOURCES; i++) {
		json_put_object(j, psi_resource_names[i]);
		put_psi_line(j, "some", &psi->resources[i].some);
		put_psi_line(j, "full", &psi->resources[i].full);
		json_object_end(j);
	}
	json_object_end(j);
}

static void put_cgroup_cpu(struct json *j, const struct cgroup_record *c, bool zero_fill)
{
	json_put_object(j, "cpu");
	put_counter(j, "usage_usec", &c->usage_usec, zero_fill);
	put_counter(j, "nr_throttled", &c->nr_throttled, zero_fill);
	put_counter(j, "throttled_usec", &c->throttled_usec, zero_fill);
	put_opt(j, "max_quota_us", &c->cpu_quota_us);
	put_opt(j, "max_period_us", &c->cpu_period_us);
	put_opt(j, "weight", &c->cpu_weight);
	json_key(j, "weight_nice");
	if (c->has_weight_nice)
		json_i64(j, c->cpu_weight_nice);
	else
		json_null(j);
	json_object_end(j);
}

static void put_cgroup_memory(struct json *j, const struct cgroup_record *c, bool zero_fill)
{
	json_put_object(j, "memory");
	put_counter(j, "current", &c->memory_current, zero_fill);
	put_opt(j, "max", &c->memory_max);
	put_opt(j, "high", &c->memory_high);
	put_opt(j, "low", &c->memory_low);
	put_opt(j, "min", &c->memory_min);
	put_opt(j, "peak", &c->memory_peak);
	put_opt(j, "swap_current", &c->memory_swap_current);
	put_list(j, "stat", &c->memory_stat);
	put_list(j, "events", &c->memory_events);
	json_object_end(j);
}

/* Counters that are 0 here only because they are absent. */
static void put_zero_filled(struct json *j, const struct cgroup_record *c)
{
	const struct {
		const char *name;
		const struct opt_u64 *value;
	} counters[] = {
		{ "usage_usec", &c->usage_usec },
		{ "nr_throttled", &c->nr_throttled },
		{ "throttled_usec", &c->throttled_usec },
		{ "memory_current", &c->memory_current },
	};

	json_put_array(j, "zero_filled");
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (!counters[i].value->is_known)
			json_string(j, counters[i].name);
	json_array_end(j);
}

static void put_cgroups(struct json *j, const struct snapshot *s, bool zero_fill)
{
	json_put_object(j, "cgroup_stats");
	for (size_t i = 0; i < s->cgroup_count; i++) {
		const struct cgroup_record *c = &s->cgroups[i];

		json_put_object(j, c->path);
		put_cgroup_cpu(j, c, zero_fill);
		put_cgroup_memory(j, c, zero_fill);
		json_put_object(j, "pids");
		put_opt(j, "current", &c->pids_current);
		put_opt(j, "max", &c->pids_max);
		put_opt(j, "peak", &c->pids_peak);
		json_object_end(j);
		json_put_object(j, "io");
		put_opt_list(j, "stat", &c->io_stat);
		json_object_end(j);
		put_psi(j, &c->psi);
		if (zero_fill)
			put_zero_filled(j, c);
		json_object_end(j);
	}
	json_object_end(j);
}

static void put_probe_summary(struct json *j, const struct probe_summary *p)
{
	if (!p->is_known) {
		json_put_null(j, "probe_summary");
		return;
	}
	json_put_object(j, "probe_summary");
	json_put_u64(j, "tgids_walked", p->tgids_walked);
	json_put_u64(j, "jemalloc_detected", p->jemalloc_detected);
	json_put_u64(j, "probed_ok", p->probed_ok);
	json_put_u64(j, "failed", p->failed);
	json_put_u64(j, "not_inspected", p->not_inspected);
	json_put_string(j, "dominant_failure", p->dominant);
	json_put_bool(j, "privilege_dominant", p->privilege_dominant);
	put_opt(j, "stopped_ns", &p->stopped_ns);
	put_opt(j, "longest_stop_ns", &p->longest_stop_ns);
	json_object_end(j);
}

static void put_parse_summary(struct json *j, const struct parse_summary *p)
{
	if (!p->is_known) {
		json_put_null(j, "parse_summary");
		return;
	}
	json_put_object(j, "parse_summary");
	json_put_u64(j, "tids_walked", p->tids_walked);
	json_put_u64(j, "read_failures", p->read_failures);
	json_put_object(j, "read_failures_by_file");
	for (size_t i = 0; i < SNAPSHOT_FILES; i++)
		json_put_u64(j, snapshot_file_names[i], p->by_file[i]);
	json_object_end(j);
	json_put_string(j, "dominant_read_failure", p->dominant);
	json_put_bool(j, "kernel_config_dominant", p->kernel_config_dominant);
	json_put_u64(j, "negative_dotted_values", p->negative_dotted_values);
	json_put_u64(j, "impossible_values", p->impossible_values);
	json_put_u64(j, "vanished_threads", p->vanished_threads);
	json_put_bool(j, "hides_processes", p->is_hiding);
	json_put_bool(j, "has_foreign_pids", p->has_foreign_pids);
	json_object_end(j);
}

static void put_taskstats_summary(struct json *j, const struct taskstats_summary *t)
{
	if (!t->is_known) {
		json_put_null(j, "taskstats_summary");
		return;
	}
	json_put_object(j, "taskstats_summary");
	json_put_u64(j, "ok_count", t->ok);
	json_put_u64(j, "eperm_count", t->eperm);
	json_put_u64(j, "esrch_count", t->esrch);
	json_put_u64(j, "other_err_count", t->other);
	put_opt(j, "struct_version", &t->struct_version);
	put_opt(j, "task_delayacct", &t->delayacct);
	json_object_end(j);
}

static void put_sched_ext(struct json *j, const struct snapshot *s)
{
	const struct sched_ext_record *x = &s->sched_ext;

	if (!s->has_sched_ext) {
		json_put_null(j, "sched_ext");
		return;
	}
	json_put_object(j, "sched_ext");
	json_put_string(j, "state", x->state);
	json_put_string(j, "ops", x->ops);
	put_opt(j, "switch_all", &x->switch_all);
	put_opt(j, "nr_rejected", &x->nr_rejected);
	put_opt(j, "hotplug_seq", &x->hotplug_seq);
	put_opt(j, "enable_seq", &x->enable_seq);
	json_object_end(j);
}

static void put_unread(struct json *j, const struct snapshot *s)
{
	json_put_object(j, "unread");
	for (int id = 0; id < METRIC_COUNT; id++) {
		if (!s->unread[id].threads)
			continue;
		json_put_object(j, metrics[id].name);
		json_put_u64(j, "threads", s->unread[id].threads);
		json_put_string(j, "reason", s->unread[id].reason);
		json_object_end(j);
	}
	json_object_end(j);
}

void snapshot_json_head(const struct snapshot *s, struct str *out)
{
	struct json j;

	json_init(&j, out, false);
	json_object(&j);
	put_opt(&j, "schema_version", &s->schema_version);
	json_put_string(&j, "tool", s->tool);
	json_put_string(&j, "boot_id", s->boot_id);
	put_opt(&j, "uptime_clock_ticks", &s->uptime_clock_ticks);
	put_opt(&j, "user_hz", &s->user_hz);
	put_opt(&j, "cpu_busy_clock_ticks", &s->cpu_busy_ticks);
	put_opt(&j, "capture_ms", &s->capture_ms);
	put_opt(&j, "captured_at_unix_ns", &s->captured_at_unix_ns);
	json_key(&j, "host");
	if (s->has_host)
		host_context_to_json(&s->host, &j);
	else
		json_null(&j);
	json_put_array(&j, "threads");
}

/* The nesting that the head left open: an array in an object with items. */
void snapshot_json_tail(const struct snapshot *s, bool zero_fill, struct str *out)
{
	struct json j;

	json_init(&j, out, false);
	j.depth = 2;
	j.has_items[0] = true;
	json_array_end(&j);
	put_cgroups(&j, s, zero_fill);
	put_probe_summary(&j, &s->probe);
	put_parse_summary(&j, &s->parse);
	put_taskstats_summary(&j, &s->taskstats);
	if (s->has_psi)
		put_psi(&j, &s->psi);
	else
		json_put_null(&j, "psi");
	put_sched_ext(&j, s);
	put_unread(&j, s);
	if (zero_fill)
		json_put_bool(&j, "zero_filled", true);
	json_object_end(&j);
}

int snapshot_to_json(const struct snapshot *s, bool zero_fill, struct str *out)
{
	snapshot_json_head(s, out);
	snapshot_json_threads(s, 0, s->thread_count, zero_fill, out);
	snapshot_json_tail(s, zero_fill, out);
	return str_check(out);
}

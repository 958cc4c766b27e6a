// SPDX-License-Identifier: GPL-2.0-only
/* The document around the threads, as tables of fields. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/util.h"
#include "ctprof/impossible.h"
#include "ctprof/snapshot_load.h"

/* A line counts when all of its figures are there. */
static void read_psi_line(struct loader *l, const struct load_field *f, void *base)
{
	struct figures {
		struct opt_u64 avg10, avg60, avg300, total_usec;
	} figures = {};
	static const struct load_field fields[] = {
		{ "avg10", load_opt, offsetof(struct figures, avg10), NULL },
		{ "avg60", load_opt, offsetof(struct figures, avg60), NULL },
		{ "avg300", load_opt, offsetof(struct figures, avg300), NULL },
		{ "total_usec", load_opt, offsetof(struct figures, total_usec), NULL },
		{},
	};
	struct psi_line *line = load_field_at(f, base);

	if (!load_enter(l))
		return;
	load_members(l, fields, &figures);
	*line = (struct psi_line){
		.is_known = figures.avg10.is_known && figures.avg60.is_known &&
			    figures.avg300.is_known && figures.total_usec.is_known,
		.avg10 = (uint32_t)MIN(figures.avg10.value, UINT32_MAX),
		.avg60 = (uint32_t)MIN(figures.avg60.value, UINT32_MAX),
		.avg300 = (uint32_t)MIN(figures.avg300.value, UINT32_MAX),
		.total_usec = figures.total_usec.value,
	};
}

#define PSI_LINES(resource)                                                                      \
	static const struct load_field resource##_lines[] = {                                    \
		{ "some", read_psi_line, offsetof(struct psi, resources[resource].some), NULL }, \
		{ "full", read_psi_line, offsetof(struct psi, resources[resource].full), NULL }, \
		{},                                                                              \
	}

PSI_LINES(PSI_CPU);
PSI_LINES(PSI_MEMORY);
PSI_LINES(PSI_IO);
PSI_LINES(PSI_IRQ);

static const struct load_field psi_fields[] = {
	{ "cpu", load_object, 0, PSI_CPU_lines },
	{ "memory", load_object, 0, PSI_MEMORY_lines },
	{ "io", load_object, 0, PSI_IO_lines },
	{ "irq", load_object, 0, PSI_IRQ_lines },
	{},
};

#define CGROUP(member) offsetof(struct cgroup_record, member)

static void read_weight_nice(struct loader *l, const struct load_field *f, void *base)
{
	struct cgroup_record *c = base;
	struct json_value v;
	enum json_kind kind = json_read_value(&l->r, &v);

	(void)f;
	if (kind == JSON_NEGATIVE || (kind == JSON_UNSIGNED && v.u <= INT64_MAX)) {
		c->has_weight_nice = true;
		c->cpu_weight_nice = v.i;
	} else if (kind == JSON_UNSIGNED || kind == JSON_UNFIT) {
		l->s->out_of_range++;
	} else if (kind != JSON_NULL) {
		load_wrong_type(l, kind, "a number");
	}
}

static const struct load_field cgroup_cpu_fields[] = {
	{ "usage_usec", load_opt, CGROUP(usage_usec), NULL },
	{ "nr_throttled", load_opt, CGROUP(nr_throttled), NULL },
	{ "throttled_usec", load_opt, CGROUP(throttled_usec), NULL },
	{ "max_quota_us", load_opt, CGROUP(cpu_quota_us), NULL },
	{ "max_period_us", load_opt, CGROUP(cpu_period_us), NULL },
	{ "weight", load_opt, CGROUP(cpu_weight), NULL },
	{ "weight_nice", read_weight_nice, 0, NULL },
	{},
};

static const struct load_field cgroup_memory_fields[] = {
	{ "current", load_opt, CGROUP(memory_current), NULL },
	{ "max", load_opt, CGROUP(memory_max), NULL },
	{ "high", load_opt, CGROUP(memory_high), NULL },
	{ "low", load_opt, CGROUP(memory_low), NULL },
	{ "min", load_opt, CGROUP(memory_min), NULL },
	{ "peak", load_opt, CGROUP(memory_peak), NULL },
	{ "swap_current", load_opt, CGROUP(memory_swap_current), NULL },
	{ "stat", load_named, CGROUP(memory_stat), NULL },
	{ "events", load_named, CGROUP(memory_events), NULL },
	{},
};

static const struct load_field cgroup_pids_fields[] = {
	{ "current", load_opt, CGROUP(pids_current), NULL },
	{ "max", load_opt, CGROUP(pids_max), NULL },
	{ "peak", load_opt, CGROUP(pids_peak), NULL },
	{},
};

static const struct load_field cgroup_io_fields[] = {
	{ "stat", load_named, CGROUP(io_stat), NULL },
	{},
};

/* Counters that stand for nothing; they are named after the counters themselves. */
static void read_zero_filled(struct loader *l, const struct load_field *f, void *base)
{
	struct cgroup_record *c = base;
	const struct {
		const char *name;
		struct opt_u64 *value;
	} counters[] = {
		{ "usage_usec", &c->usage_usec },
		{ "nr_throttled", &c->nr_throttled },
		{ "throttled_usec", &c->throttled_usec },
		{ "memory_current", &c->memory_current },
	};
	struct json_value name;

	(void)f;
	if (!load_enter_array(l))
		return;
	while (json_read_item(&l->r)) {
		if (!load_string(l, &name))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
			if (str_eq(name.s, counters[i].name))
				*counters[i].value = (struct opt_u64){};
	}
}

static const struct load_field cgroup_fields[] = {
	{ "cpu", load_object, 0, cgroup_cpu_fields },
	{ "memory", load_object, 0, cgroup_memory_fields },
	{ "pids", load_object, 0, cgroup_pids_fields },
	{ "io", load_object, 0, cgroup_io_fields },
	{ "psi", load_object, CGROUP(psi), psi_fields },
	{ "zero_filled", read_zero_filled, 0, NULL },
	/* Flat, as host-state files have them. */
	{ "cpu_usage_usec", load_opt, CGROUP(usage_usec), NULL },
	{ "nr_throttled", load_opt, CGROUP(nr_throttled), NULL },
	{ "throttled_usec", load_opt, CGROUP(throttled_usec), NULL },
	{ "memory_current", load_opt, CGROUP(memory_current), NULL },
	{},
};

static void read_cgroups(struct loader *l, const struct load_field *f, void *base)
{
	struct json_value key;

	(void)f;
	(void)base;
	if (!load_enter(l))
		return;
	l->cgroups.count = 0;
	while (json_read_key(&l->r, &key)) {
		struct cgroup_record c = { .path = load_text(l, key.s, key.len) };

		if (!load_enter(l))
			continue;
		load_members(l, cgroup_fields, &c);
		if (vec_push(&l->cgroups, c) < 0)
			load_stop(l, -ENOMEM);
	}
}

/* The host context owns its strings. */
static void read_host_text(struct loader *l, const struct load_field *f, void *base)
{
	char **text = load_field_at(f, base);
	struct json_value v;

	if (!load_string(l, &v))
		return;
	free(*text);
	*text = strdup(v.s);
	if (!*text)
		load_stop(l, err_set(ENOMEM, "out of memory"));
}

static void read_host_number(struct loader *l, const struct load_field *f, void *base)
{
	struct host_number *n = load_field_at(f, base);

	n->is_known = load_unsigned(l, UINT64_MAX, &n->value);
}

static void read_host_pairs(struct loader *l, const struct load_field *f, void *base)
{
	struct host_pairs *pairs = load_field_at(f, base);
	struct json_value key, v;

	if (!load_enter(l))
		return;
	pairs->is_known = true;
	while (json_read_key(&l->r, &key)) {
		struct host_pair pair = {};

		if (!load_string(l, &v))
			continue;
		if (vec_push(pairs, pair) < 0) {
			load_stop(l, -ENOMEM);
			return;
		}
		pairs->items[pairs->count - 1].key = strdup(key.s);
		pairs->items[pairs->count - 1].value = strdup(v.s);
		if (!pairs->items[pairs->count - 1].key || !pairs->items[pairs->count - 1].value)
			load_stop(l, err_set(ENOMEM, "out of memory"));
	}
}

#define HOST(member) offsetof(struct host_context, member)

static const struct load_field host_fields[] = {
	{ "kernel_name", read_host_text, HOST(kernel_name), NULL },
	{ "kernel_release", read_host_text, HOST(kernel_release), NULL },
	{ "arch", read_host_text, HOST(arch), NULL },
	{ "cpu_model", read_host_text, HOST(cpu_model), NULL },
	{ "cpu_vendor", read_host_text, HOST(cpu_vendor), NULL },
	{ "total_memory_kb", read_host_number, HOST(total_memory_kb), NULL },
	{ "hugepages_total", read_host_number, HOST(hugepages_total), NULL },
	{ "hugepages_free", read_host_number, HOST(hugepages_free), NULL },
	{ "hugepages_size_kb", read_host_number, HOST(hugepages_size_kb), NULL },
	{ "online_cpus", read_host_number, HOST(online_cpus), NULL },
	{ "numa_nodes", read_host_number, HOST(numa_nodes), NULL },
	{ "numa_layout", read_host_pairs, HOST(numa_layout), NULL },
	{ "thp_enabled", read_host_text, HOST(thp_enabled), NULL },
	{ "thp_defrag", read_host_text, HOST(thp_defrag), NULL },
	{ "kernel_cmdline", read_host_text, HOST(kernel_cmdline), NULL },
	{ "cpufreq_governor", read_host_pairs, HOST(cpufreq_governor), NULL },
	{ "sched_tunables", read_host_pairs, HOST(sched_tunables), NULL },
	{ "heap_state", read_host_text, HOST(heap_state), NULL },
	{},
};

#define SNAPSHOT(member) offsetof(struct snapshot, member)
#define PARSE(member) offsetof(struct parse_summary, member)
#define TASKSTATS(member) offsetof(struct taskstats_summary, member)
#define PROBE(member) offsetof(struct probe_summary, member)
#define SCHED_EXT(member) offsetof(struct sched_ext_record, member)

static const struct load_field by_file_fields[] = {
	{ "cgroup", load_u64, PARSE(by_file[FILE_CGROUP]), NULL },
	{ "io", load_u64, PARSE(by_file[FILE_IO]), NULL },
	{ "sched", load_u64, PARSE(by_file[FILE_SCHED]), NULL },
	{ "schedstat", load_u64, PARSE(by_file[FILE_SCHEDSTAT]), NULL },
	{ "smaps_rollup", load_u64, PARSE(by_file[FILE_SMAPS_ROLLUP]), NULL },
	{ "stat", load_u64, PARSE(by_file[FILE_STAT]), NULL },
	{ "status", load_u64, PARSE(by_file[FILE_STATUS]), NULL },
	{},
};

static const struct load_field parse_fields[] = {
	{ "tids_walked", load_u64, PARSE(tids_walked), NULL },
	{ "read_failures", load_u64, PARSE(read_failures), NULL },
	{ "read_failures_by_file", load_object, 0, by_file_fields },
	{ "dominant_read_failure", load_pooled, PARSE(dominant), NULL },
	{ "kernel_config_dominant", load_bool, PARSE(kernel_config_dominant), NULL },
	{ "negative_dotted_values", load_u64, PARSE(negative_dotted_values), NULL },
	{ "impossible_values", load_u64, PARSE(impossible_values), NULL },
	{ "vanished_threads", load_u64, PARSE(vanished_threads), NULL },
	{ "hides_processes", load_bool, PARSE(is_hiding), NULL },
	{ "has_foreign_pids", load_bool, PARSE(has_foreign_pids), NULL },
	{},
};

static const struct load_field taskstats_fields[] = {
	{ "ok_count", load_u64, TASKSTATS(ok), NULL },
	{ "eperm_count", load_u64, TASKSTATS(eperm), NULL },
	{ "esrch_count", load_u64, TASKSTATS(esrch), NULL },
	{ "other_err_count", load_u64, TASKSTATS(other), NULL },
	{ "struct_version", load_opt, TASKSTATS(struct_version), NULL },
	{ "task_delayacct", load_opt, TASKSTATS(delayacct), NULL },
	{},
};

static const struct load_field probe_fields[] = {
	{ "tgids_walked", load_u64, PROBE(tgids_walked), NULL },
	{ "jemalloc_detected", load_u64, PROBE(jemalloc_detected), NULL },
	{ "probed_ok", load_u64, PROBE(probed_ok), NULL },
	{ "failed", load_u64, PROBE(failed), NULL },
	{ "not_inspected", load_u64, PROBE(not_inspected), NULL },
	{ "dominant_failure", load_pooled, PROBE(dominant), NULL },
	{ "privilege_dominant", load_bool, PROBE(privilege_dominant), NULL },
	{ "stopped_ns", load_opt, PROBE(stopped_ns), NULL },
	{ "longest_stop_ns", load_opt, PROBE(longest_stop_ns), NULL },
	{},
};

static const struct load_field sched_ext_fields[] = {
	{ "state", load_pooled, SCHED_EXT(state), NULL },
	{ "ops", load_pooled, SCHED_EXT(ops), NULL },
	{ "switch_all", load_opt, SCHED_EXT(switch_all), NULL },
	{ "nr_rejected", load_opt, SCHED_EXT(nr_rejected), NULL },
	{ "hotplug_seq", load_opt, SCHED_EXT(hotplug_seq), NULL },
	{ "enable_seq", load_opt, SCHED_EXT(enable_seq), NULL },
	{},
};

static void read_host(struct loader *l, const struct load_field *f, void *base)
{
	struct snapshot *s = base;

	if (!load_enter(l))
		return;
	if (s->has_host)
		host_context_finish(&s->host);
	s->has_host = true;
	load_members(l, f->fields, &s->host);
}

static void read_psi(struct loader *l, const struct load_field *f, void *base)
{
	struct snapshot *s = base;

	if (!load_enter(l))
		return;
	s->has_psi = true;
	load_members(l, f->fields, &s->psi);
}

static void read_sched_ext(struct loader *l, const struct load_field *f, void *base)
{
	struct snapshot *s = base;

	if (!load_enter(l))
		return;
	s->has_sched_ext = true;
	load_members(l, f->fields, &s->sched_ext);
}

/* Why metrics are missing, by metric; names that this registry lacks are passed over. */
static void read_unread(struct loader *l, const struct load_field *f, void *base)
{
	static const struct load_field fields[] = {
		{ "threads", load_u64, offsetof(struct metric_unread, threads), NULL },
		{ "reason", load_pooled, offsetof(struct metric_unread, reason), NULL },
		{},
	};
	struct snapshot *s = base;
	struct json_value key;

	(void)f;
	if (!load_enter(l))
		return;
	while (json_read_key(&l->r, &key)) {
		int metric = metric_find(key.s);

		if (metric < 0)
			json_read_skip(&l->r);
		else if (load_enter(l))
			load_members(l, fields, &s->unread[metric]);
	}
}

static void read_schema(struct loader *l, const struct load_field *f, void *base)
{
	struct snapshot *s = base;

	load_opt(l, f, base);
	if (s->schema_version.is_known && s->schema_version.value > SNAPSHOT_SCHEMA_VERSION)
		load_stop(l, err_set(EINVAL,
				     "snapshot schema %llu is newer than this ktstr "
				     "(supports %d); use the ktstr that wrote it, or a newer one",
				     (unsigned long long)s->schema_version.value,
				     SNAPSHOT_SCHEMA_VERSION));
}

static const struct load_field snapshot_fields[] = {
	{ "schema_version", read_schema, SNAPSHOT(schema_version), NULL },
	{ "tool", load_pooled, SNAPSHOT(tool), NULL },
	{ "boot_id", load_pooled, SNAPSHOT(boot_id), NULL },
	{ "captured_at_unix_ns", load_opt, SNAPSHOT(captured_at_unix_ns), NULL },
	{ "uptime_clock_ticks", load_opt, SNAPSHOT(uptime_clock_ticks), NULL },
	{ "user_hz", load_opt, SNAPSHOT(user_hz), NULL },
	{ "cpu_busy_clock_ticks", load_opt, SNAPSHOT(cpu_busy_ticks), NULL },
	{ "capture_ms", load_opt, SNAPSHOT(capture_ms), NULL },
	{ "host", read_host, 0, host_fields },
	{ "threads", load_threads, 0, NULL },
	{ "cgroup_stats", read_cgroups, 0, NULL },
	{ "probe_summary", load_known_object, SNAPSHOT(probe), probe_fields },
	{ "parse_summary", load_known_object, SNAPSHOT(parse), parse_fields },
	{ "taskstats_summary", load_known_object, SNAPSHOT(taskstats), taskstats_fields },
	{ "psi", read_psi, 0, psi_fields },
	{ "sched_ext", read_sched_ext, 0, sched_ext_fields },
	{ "unread", read_unread, 0, NULL },
	{ "zero_filled", load_bool, SNAPSHOT(is_zero_filled), NULL },
	{},
};

static int compare_paths(const void *a, const void *b)
{
	const struct cgroup_record *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static int read_document(struct loader *l)
{
	struct json_value v;
	enum json_kind kind = json_read_value(&l->r, &v);

	if (kind == JSON_OBJECT)
		load_members(l, snapshot_fields, l->s);
	else if (kind != JSON_BROKEN)
		json_read_fail(&l->r, "the document is no object");
	if (json_read_end(&l->r))
		return 0;
	if (l->rc)
		return l->rc;
	return err_set(EINVAL, "bad JSON at byte %zu: %s; did the capture format change?",
		       l->r.problem_at, l->r.problem);
}

int snapshot_parse(struct snapshot *s, char *json, size_t len)
{
	struct loader l = { .s = s };
	int rc;

	*s = (struct snapshot){};
	json_read_init(&l.r, json, len);
	rc = read_document(&l);
	s->threads = l.threads.items;
	s->thread_count = l.threads.count;
	s->cgroups = l.cgroups.items;
	s->cgroup_count = l.cgroups.count;
	if (s->cgroup_count)
		qsort(s->cgroups, s->cgroup_count, sizeof(*s->cgroups), compare_paths);
	free(l.pool.slots);
	free(l.list.items);
	free(l.thread);
	if (rc < 0)
		snapshot_finish(s);
	else
		impossible_forget(s);
	return rc;
}

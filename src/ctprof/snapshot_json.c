// SPDX-License-Identifier: GPL-2.0-only
/* The document around the threads, as tables of fields. */
#include "ctprof/capture_parts.h"
#include "ctprof/snapshot_fields.h"

/* A line counts when all of its figures are there. */
static const struct snap_field psi_line_fields[] = {
	SNAP(psi_line, "avg10", u32, avg10),
	SNAP(psi_line, "avg60", u32, avg60),
	SNAP(psi_line, "avg300", u32, avg300),
	SNAP(psi_line, "total_usec", u64, total_usec),
	{},
};

#define PSI_LINE(key, resource, line)                   \
	SNAP(psi, key, whole, resources[resource].line, \
	     offsetof(struct psi, resources[resource].line.is_known), psi_line_fields)
#define PSI_LINES(resource)                                                         \
	(const struct snap_field[])                                                 \
	{                                                                           \
		PSI_LINE("some", resource, some), PSI_LINE("full", resource, full), \
		{                                                                   \
		}                                                                   \
	}

static const struct snap_field psi_fields[] = {
	{ "cpu", &snap_object, 0, 0, PSI_LINES(PSI_CPU) },
	{ "memory", &snap_object, 0, 0, PSI_LINES(PSI_MEMORY) },
	{ "io", &snap_object, 0, 0, PSI_LINES(PSI_IO) },
	{ "irq", &snap_object, 0, 0, PSI_LINES(PSI_IRQ) },
	{},
};

#define CGROUP(key, kind, member, ...) SNAP(cgroup_record, key, kind, member, ##__VA_ARGS__)

static const struct snap_field cgroup_cpu_fields[] = {
	CGROUP("usage_usec", counter, usage_usec),
	CGROUP("nr_throttled", counter, nr_throttled),
	CGROUP("throttled_usec", counter, throttled_usec),
	CGROUP("max_quota_us", opt, cpu_quota_us),
	CGROUP("max_period_us", opt, cpu_period_us),
	CGROUP("weight", opt, cpu_weight),
	CGROUP("weight_nice", i64, cpu_weight_nice,
	       offsetof(struct cgroup_record, has_weight_nice)),
	{},
};

static const struct snap_field cgroup_memory_fields[] = {
	CGROUP("current", counter, memory_current),
	CGROUP("max", opt, memory_max),
	CGROUP("high", opt, memory_high),
	CGROUP("low", opt, memory_low),
	CGROUP("min", opt, memory_min),
	CGROUP("peak", opt, memory_peak),
	CGROUP("swap_current", opt, memory_swap_current),
	CGROUP("stat", list, memory_stat),
	CGROUP("events", list, memory_events),
	{},
};

static const struct snap_field cgroup_pids_fields[] = {
	CGROUP("current", opt, pids_current),
	CGROUP("max", opt, pids_max),
	CGROUP("peak", opt, pids_peak),
	{},
};

static const struct snap_field cgroup_io_fields[] = {
	CGROUP("stat", opt_list, io_stat),
	{},
};

/* Counters that --zero-fill fills; they are named after the counters themselves. */
static const struct snap_field filled_counters[] = {
	CGROUP("usage_usec", counter, usage_usec),
	CGROUP("nr_throttled", counter, nr_throttled),
	CGROUP("throttled_usec", counter, throttled_usec),
	CGROUP("memory_current", counter, memory_current),
	{},
};

static bool read_zero_filled(struct loader *l, const struct snap_field *f, void *base)
{
	struct json_value name;

	if (!load_enter_array(l))
		return false;
	while (json_read_item(&l->r)) {
		if (!load_string(l, &name))
			continue;
		for (const struct snap_field *c = f->fields; c->key; c++)
			if (str_eq(name.s, c->key))
				*(struct opt_u64 *)((char *)base + c->offset) = (struct opt_u64){};
	}
	return true;
}

/* Those that are 0 here only because they are absent. */
static void write_zero_filled(struct saver *w, const struct snap_field *f, const void *base)
{
	if (!w->zero_fill)
		return;
	json_put_array(&w->j, f->key);
	for (const struct snap_field *c = f->fields; c->key; c++)
		if (!((const struct opt_u64 *)((const char *)base + c->offset))->is_known)
			json_string(&w->j, c->key);
	json_array_end(&w->j);
}

static const struct snap_kind snap_zero_filled = { read_zero_filled, write_zero_filled };

/* Flat, as host-state files have them: only read. */
static const struct snap_kind snap_flat = { snap_read_opt, NULL };

static const struct snap_field cgroup_fields[] = {
	{ "cpu", &snap_object, 0, 0, cgroup_cpu_fields },
	{ "memory", &snap_object, 0, 0, cgroup_memory_fields },
	{ "pids", &snap_object, 0, 0, cgroup_pids_fields },
	{ "io", &snap_object, 0, 0, cgroup_io_fields },
	CGROUP("psi", object, psi, 0, psi_fields),
	{ "zero_filled", &snap_zero_filled, 0, 0, filled_counters },
	CGROUP("cpu_usage_usec", flat, usage_usec),
	CGROUP("nr_throttled", flat, nr_throttled),
	CGROUP("throttled_usec", flat, throttled_usec),
	CGROUP("memory_current", flat, memory_current),
	{},
};

static bool read_cgroups(struct loader *l, const struct snap_field *f, void *base _unused_)
{
	struct json_value key;

	if (!load_enter(l))
		return false;
	l->cgroups.count = 0;
	while (json_read_key(&l->r, &key)) {
		struct cgroup_record c = { .path = load_text(l, key.s) };

		if (!load_enter(l))
			continue;
		load_members(l, f->fields, &c);
		if (vec_push(&l->cgroups, c) < 0)
			load_stop(l, -ENOMEM);
	}
	return true;
}

static void write_cgroups(struct saver *w, const struct snap_field *f, const void *base)
{
	const struct snapshot *s = base;

	json_put_object(&w->j, f->key);
	for (size_t i = 0; i < s->cgroup_count; i++) {
		json_put_object(&w->j, s->cgroups[i].path);
		save_members(w, f->fields, &s->cgroups[i]);
		json_object_end(&w->j);
	}
	json_object_end(&w->j);
}

static const struct snap_kind snap_cgroups = { read_cgroups, write_cgroups };

/* The host context owns its strings. */
static void read_host_text(struct loader *l, char **text)
{
	struct json_value v;

	if (!load_string(l, &v))
		return;
	free(*text);
	*text = strdup(v.s);
	if (!*text)
		load_stop(l, err_no_memory());
}

static void read_host_pairs(struct loader *l, struct host_pairs *pairs)
{
	struct json_value key;

	if (!load_enter(l))
		return;
	pairs->is_known = true;
	while (json_read_key(&l->r, &key)) {
		struct host_pair pair = {};

		read_host_text(l, &pair.value);
		if (!pair.value)
			continue;
		pair.key = strdup(key.s);
		if (!pair.key || vec_push(pairs, pair) < 0) {
			free(pair.key);
			free(pair.value);
			load_stop(l, err_no_memory());
		}
	}
}

static void read_host_member(struct loader *l, const struct json_field *f, char *host)
{
	void *member = host + f->offset;

	if (f->kind == FIELD_TEXT)
		read_host_text(l, member);
	else if (f->kind == FIELD_MAP)
		read_host_pairs(l, member);
	else
		*(bool *)(host + f->has - 1) = load_unsigned(l, UINT64_MAX, member);
}

static bool read_host(struct loader *l, const struct snap_field *f _unused_, void *base)
{
	struct snapshot *s = base;
	struct json_value key;

	if (!load_enter(l))
		return false;
	if (s->has_host)
		host_context_finish(&s->host);
	s->has_host = true;
	while (json_read_key(&l->r, &key)) {
		const struct json_field *member = json_field_find(host_context_fields, key.s);

		if (member)
			read_host_member(l, member, (char *)&s->host);
		else
			json_read_skip(&l->r);
	}
	return true;
}

static void write_host(struct saver *w, const struct snap_field *f, const void *base)
{
	const struct snapshot *s = base;

	json_key(&w->j, f->key);
	if (s->has_host)
		host_context_to_json(&s->host, &w->j);
	else
		json_null(&w->j);
}

static const struct snap_kind snap_host = { read_host, write_host };

#define FAILURES(name, file) SNAP(parse_summary, name, u64, by_file[file])

static const struct snap_field by_file_fields[] = {
	FAILURES("cgroup", FILE_CGROUP),
	FAILURES("io", FILE_IO),
	FAILURES("sched", FILE_SCHED),
	FAILURES("schedstat", FILE_SCHEDSTAT),
	FAILURES("smaps_rollup", FILE_SMAPS_ROLLUP),
	FAILURES("stat", FILE_STAT),
	FAILURES("status", FILE_STATUS),
	{},
};

static const struct snap_field parse_fields[] = {
	SNAP(parse_summary, "tids_walked", u64, tids_walked),
	SNAP(parse_summary, "read_failures", u64, read_failures),
	{ "read_failures_by_file", &snap_object, 0, 0, by_file_fields },
	SNAP(parse_summary, "dominant_read_failure", text, dominant),
	SNAP(parse_summary, "kernel_config_dominant", bool, kernel_config_dominant),
	SNAP(parse_summary, "negative_dotted_values", u64, negative_dotted_values),
	SNAP(parse_summary, "impossible_values", u64, impossible_values),
	SNAP(parse_summary, "vanished_threads", u64, vanished_threads),
	SNAP(parse_summary, "hides_processes", bool, is_hiding),
	SNAP(parse_summary, "has_foreign_pids", bool, has_foreign_pids),
	{},
};

static const struct snap_field taskstats_fields[] = {
	SNAP(taskstats_summary, "ok_count", u64, ok),
	SNAP(taskstats_summary, "eperm_count", u64, eperm),
	SNAP(taskstats_summary, "esrch_count", u64, esrch),
	SNAP(taskstats_summary, "other_err_count", u64, other),
	SNAP(taskstats_summary, "struct_version", opt, struct_version),
	SNAP(taskstats_summary, "task_delayacct", opt, delayacct),
	{},
};

static const struct snap_field probe_fields[] = {
	SNAP(probe_summary, "tgids_walked", u64, tgids_walked),
	SNAP(probe_summary, "jemalloc_detected", u64, jemalloc_detected),
	SNAP(probe_summary, "probed_ok", u64, probed_ok),
	SNAP(probe_summary, "failed", u64, failed),
	SNAP(probe_summary, "not_inspected", u64, not_inspected),
	SNAP(probe_summary, "dominant_failure", text, dominant),
	SNAP(probe_summary, "privilege_dominant", bool, privilege_dominant),
	SNAP(probe_summary, "has_cap_sys_ptrace", bool, has_ptrace),
	SNAP(probe_summary, "stopped_ns", opt, stopped_ns),
	SNAP(probe_summary, "longest_stop_ns", opt, longest_stop_ns),
	{},
};

static const struct snap_field sched_ext_fields[] = {
	SNAP(sched_ext_record, "state", text, state),
	SNAP(sched_ext_record, "ops", text, ops),
	SNAP(sched_ext_record, "switch_all", opt, switch_all),
	SNAP(sched_ext_record, "nr_rejected", opt, nr_rejected),
	SNAP(sched_ext_record, "hotplug_seq", opt, hotplug_seq),
	SNAP(sched_ext_record, "enable_seq", opt, enable_seq),
	{},
};

static const struct snap_field unread_fields[] = {
	SNAP(metric_unread, "threads", u64, threads),
	SNAP(metric_unread, "reason", text, reason),
	{},
};

/* Why metrics are missing, by metric; names that this registry lacks are passed over. */
static bool read_unread(struct loader *l, const struct snap_field *f, void *base)
{
	struct snapshot *s = base;
	struct json_value key;

	if (!load_enter(l))
		return false;
	while (json_read_key(&l->r, &key)) {
		int metric = metric_find(key.s);

		if (metric < 0)
			json_read_skip(&l->r);
		else if (load_enter(l))
			load_members(l, f->fields, &s->unread[metric]);
	}
	return true;
}

static void write_unread(struct saver *w, const struct snap_field *f, const void *base)
{
	const struct snapshot *s = base;

	json_put_object(&w->j, f->key);
	for (int id = 0; id < METRIC_COUNT; id++) {
		if (!s->unread[id].threads)
			continue;
		json_put_object(&w->j, metrics[id].name);
		save_members(w, f->fields, &s->unread[id]);
		json_object_end(&w->j);
	}
	json_object_end(&w->j);
}

static const struct snap_kind snap_unread = { read_unread, write_unread };

static bool read_schema(struct loader *l, const struct snap_field *f, void *base)
{
	struct snapshot *s = base;
	bool is_read = snap_read_opt(l, f, base);

	if (s->schema_version.is_known && s->schema_version.value > SNAPSHOT_SCHEMA_VERSION)
		load_stop(l, err_set(EINVAL,
				     "snapshot schema %llu is newer than this ktstr "
				     "(supports %d); use the ktstr that wrote it, or a newer one",
				     ULL(s->schema_version.value), SNAPSHOT_SCHEMA_VERSION));
	return is_read;
}

static const struct snap_kind snap_schema = { read_schema, snap_write_opt };

static void write_filled(struct saver *w, const struct snap_field *f, const void *base _unused_)
{
	if (w->zero_fill)
		json_put_bool(&w->j, f->key, true);
}

static const struct snap_kind snap_filled = { snap_read_bool, write_filled };

#define DOCUMENT(key, kind, member, ...) SNAP(snapshot, key, kind, member, ##__VA_ARGS__)
#define HAS(member) offsetof(struct snapshot, member)

static const struct snap_field document_fields[] = {
	DOCUMENT("schema_version", schema, schema_version),
	DOCUMENT("tool", text, tool),
	DOCUMENT("boot_id", text, boot_id),
	DOCUMENT("uptime_clock_ticks", opt, uptime_clock_ticks),
	DOCUMENT("user_hz", opt, user_hz),
	DOCUMENT("cpu_busy_clock_ticks", opt, cpu_busy_ticks),
	DOCUMENT("capture_ms", opt, capture_ms),
	DOCUMENT("captured_at_unix_ns", opt, captured_at_unix_ns),
	{ "host", &snap_host },
	{ "threads", &snap_threads },
	{ "cgroup_stats", &snap_cgroups, 0, 0, cgroup_fields },
	DOCUMENT("probe_summary", object, probe, HAS(probe.is_known), probe_fields),
	DOCUMENT("parse_summary", object, parse, HAS(parse.is_known), parse_fields),
	DOCUMENT("taskstats_summary", object, taskstats, HAS(taskstats.is_known), taskstats_fields),
	DOCUMENT("psi", object, psi, HAS(has_psi), psi_fields),
	DOCUMENT("sched_ext", object, sched_ext, HAS(has_sched_ext), sched_ext_fields),
	{ "unread", &snap_unread, 0, 0, unread_fields },
	DOCUMENT("zero_filled", filled, is_zero_filled),
	{},
};

void snapshot_json_head(const struct snapshot *s, struct str *out)
{
	struct saver w = {};

	json_init(&w.j, out, false);
	json_object(&w.j);
	for (const struct snap_field *f = document_fields; f->kind != &snap_threads; f++)
		f->kind->write(&w, f, s);
	json_put_array(&w.j, "threads");
}

/* The nesting that the head left open: an array in an object with items. */
void snapshot_json_tail(const struct snapshot *s, bool zero_fill, struct str *out)
{
	const struct snap_field *f = document_fields;
	struct saver w = { .zero_fill = zero_fill };

	json_init(&w.j, out, false);
	w.j.depth = 2;
	w.j.has_items[0] = true;
	json_array_end(&w.j);
	while (f->kind != &snap_threads)
		f++;
	save_members(&w, f + 1, s);
	json_object_end(&w.j);
}

static int read_document(struct loader *l)
{
	struct json_value v;
	enum json_kind kind = json_read_value(&l->r, &v);

	if (kind == JSON_OBJECT)
		load_members(l, document_fields, l->s);
	else if (kind != JSON_BROKEN)
		json_read_fail(&l->r, "the document is not an object");
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
		qsort(s->cgroups, s->cgroup_count, sizeof(*s->cgroups), order_texts);
	arena_adopt(&s->arena, &l.texts.arena);
	intern_finish(&l.texts);
	free(l.list.items);
	free(l.thread);
	if (rc < 0)
		snapshot_finish(s);
	else
		impossible_forget(s);
	return rc;
}

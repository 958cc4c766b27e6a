// SPDX-License-Identifier: GPL-2.0-only
/* Tables of fields for the document, except threads. */
#include "ctprof/capture_parts.h"
#include "ctprof/snapshot_fields.h"

/* clang-format off */
#define OPT(type, key, member, ...) \
	JSON_NAMED(key, type, member.value, U64, JSON_HAS(type, member.is_known), ##__VA_ARGS__)
/* A nested object whose members are stored in the struct itself. */
#define PART(key, table) { .name = (key), .kind = FIELD_OBJECT, .fields = (table) }
/* clang-format on */

static struct loader *loader_of(struct json_load *load)
{
	return (struct loader *)load;
}

/* A line is known if all of its figures are present. */
static const struct json_field psi_line_fields[] = {
	JSON_FIELD(psi_line, avg10, U32),
	JSON_FIELD(psi_line, avg60, U32),
	JSON_FIELD(psi_line, avg300, U32),
	JSON_FIELD(psi_line, total_usec, U64),
	{},
};

/* clang-format off */
#define PSI_LINE(key, resource, line) \
	JSON_NAMED(key, psi, resources[resource].line, OBJECT, .flags = FIELD_WHOLE, \
		   JSON_HAS(psi, resources[resource].line.is_known), .fields = psi_line_fields)
#define PSI(key, resource) \
	PART(key, ((const struct json_field[]){ PSI_LINE("some", resource, some), \
						PSI_LINE("full", resource, full), {} }))
/* clang-format on */

static const struct json_field psi_fields[] = {
	PSI("cpu", PSI_CPU), PSI("memory", PSI_MEMORY), PSI("io", PSI_IO), PSI("irq", PSI_IRQ), {},
};

static void put_list(struct json *j, const void *member)
{
	const struct named_list *list = member;

	json_object(j);
	for (size_t i = 0; i < list->count; i++)
		json_put_u64(j, list->items[i].name, list->items[i].value);
	json_object_end(j);
}

static bool read_list(struct json_load *load, const struct json_value *v, void *member)
{
	if (v->kind == JSON_OBJECT)
		load_list(loader_of(load), member);
	return v->kind == JSON_OBJECT;
}

static bool has_items(const void *member)
{
	return ((const struct named_list *)member)->count;
}

static const struct json_own list_own = { put_list, read_list };
static const struct json_own opt_list_own = { put_list, read_list, has_items };

#define CGROUP(key, member, ...) OPT(cgroup_record, key, member, ##__VA_ARGS__)

static const struct json_field cgroup_cpu_fields[] = {
	CGROUP("usage_usec", usage_usec),
	CGROUP("nr_throttled", nr_throttled),
	CGROUP("throttled_usec", throttled_usec),
	CGROUP("max_quota_us", cpu_quota_us),
	CGROUP("max_period_us", cpu_period_us),
	CGROUP("weight", cpu_weight),
	JSON_NAMED("weight_nice", cgroup_record, cpu_weight_nice, I64,
		   JSON_HAS(cgroup_record, has_weight_nice)),
	{},
};

static const struct json_field cgroup_memory_fields[] = {
	CGROUP("current", memory_current),
	CGROUP("max", memory_max),
	CGROUP("high", memory_high),
	CGROUP("low", memory_low),
	CGROUP("min", memory_min),
	CGROUP("peak", memory_peak),
	CGROUP("swap_current", memory_swap_current),
	JSON_OWN("stat", cgroup_record, memory_stat, list_own),
	JSON_OWN("events", cgroup_record, memory_events, list_own),
	{},
};

static const struct json_field cgroup_pids_fields[] = {
	CGROUP("current", pids_current),
	CGROUP("max", pids_max),
	CGROUP("peak", pids_peak),
	{},
};

static const struct json_field cgroup_io_fields[] = {
	JSON_OWN("stat", cgroup_record, io_stat, opt_list_own),
	{},
};

/* Counters for --zero-fill. Limits are never filled with 0: null means no limit. */
static const struct {
	const char *name;
	size_t offset;
} filled_counters[] = {
	{ "usage_usec", offsetof(struct cgroup_record, usage_usec) },
	{ "nr_throttled", offsetof(struct cgroup_record, nr_throttled) },
	{ "throttled_usec", offsetof(struct cgroup_record, throttled_usec) },
	{ "memory_current", offsetof(struct cgroup_record, memory_current) },
};

static struct opt_u64 *filled_counter(struct cgroup_record *c, size_t i)
{
	return (struct opt_u64 *)((char *)c + filled_counters[i].offset);
}

static bool read_zero_filled(struct json_load *load, const struct json_value *v, void *member)
{
	struct loader *l = loader_of(load);
	struct json_value name;

	if (v->kind != JSON_ARRAY)
		load_wrong_type(l, v->kind, "an array");
	while (v->kind == JSON_ARRAY && json_read_item(&l->r)) {
		if (!load_string(l, &name))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(filled_counters); i++)
			if (str_eq(name.s, filled_counters[i].name))
				*filled_counter(member, i) = (struct opt_u64){};
	}
	return true;
}

/* Lists the counters that are written as 0 because they are absent. */
static void put_zero_filled(struct json *j, struct cgroup_record c)
{
	json_put_array(j, "zero_filled");
	for (size_t i = 0; i < ARRAY_SIZE(filled_counters); i++)
		if (!filled_counter(&c, i)->is_known)
			json_string(j, filled_counters[i].name);
	json_array_end(j);
}

static const struct json_own zero_filled_own = { .load = read_zero_filled };

static const struct json_field cgroup_fields[] = {
	PART("cpu", cgroup_cpu_fields),
	PART("memory", cgroup_memory_fields),
	PART("pids", cgroup_pids_fields),
	PART("io", cgroup_io_fields),
	JSON_STRUCT(cgroup_record, psi, psi_fields),
	{ .name = "zero_filled", .kind = FIELD_OWN, .own = &zero_filled_own, .flags = FIELD_OLD },
	/* Flat members, as in host-state files. */
	CGROUP("cpu_usage_usec", usage_usec, .flags = FIELD_OLD),
	CGROUP("nr_throttled", nr_throttled, .flags = FIELD_OLD),
	CGROUP("throttled_usec", throttled_usec, .flags = FIELD_OLD),
	CGROUP("memory_current", memory_current, .flags = FIELD_OLD),
	{},
};

static bool read_cgroups(struct json_load *load, const struct json_value *v, void *member _unused_)
{
	struct loader *l = loader_of(load);
	struct json_value key;

	while (v->kind == JSON_OBJECT && json_read_key(&l->r, &key)) {
		struct cgroup_record c = { .path = load_text(l, key.s) };

		if (!load_enter(l))
			continue;
		json_load_fields(load, cgroup_fields, &c);
		if (vec_push(&l->cgroups, c) < 0)
			load_stop(l, -ENOMEM);
	}
	return v->kind == JSON_OBJECT;
}

static void put_cgroups(struct json *j, const struct snapshot *s, bool zero_fill)
{
	json_put_object(j, "cgroup_stats");
	array_each(const struct cgroup_record, cgroup, s->cgroups, s->cgroup_count) {
		struct cgroup_record c = *cgroup;

		for (size_t i = 0; zero_fill && i < ARRAY_SIZE(filled_counters); i++)
			filled_counter(&c, i)->is_known = true;
		json_put_object(j, c.path);
		json_put_fields(j, cgroup_fields, &c);
		if (zero_fill)
			put_zero_filled(j, *cgroup);
		json_object_end(j);
	}
	json_object_end(j);
}

static const struct json_own threads_own = { .load = load_threads };
static const struct json_own cgroups_own = { .load = read_cgroups };

static void put_host(struct json *j, const void *member)
{
	host_context_to_json(member, j);
}

/* The host context owns its strings. */
static bool read_host(struct json_load *load, const struct json_value *v, void *member)
{
	struct arena *arena = load->arena;

	load->arena = NULL;
	if (v->kind == JSON_OBJECT)
		json_load_fields(load, host_context_fields, member);
	load->arena = arena;
	return v->kind == JSON_OBJECT;
}

static const struct json_own host_own = { put_host, read_host };

/* clang-format off */
#define COUNT(type, key, member) JSON_NAMED(key, type, member, U64)
#define FAILURES(name, file) COUNT(parse_summary, name, by_file[file])
/* clang-format on */

static const struct json_field by_file_fields[] = {
	FAILURES("cgroup", FILE_CGROUP),
	FAILURES("io", FILE_IO),
	FAILURES("sched", FILE_SCHED),
	FAILURES("schedstat", FILE_SCHEDSTAT),
	FAILURES("smaps_rollup", FILE_SMAPS_ROLLUP),
	FAILURES("stat", FILE_STAT),
	FAILURES("status", FILE_STATUS),
	{},
};

static const struct json_field parse_fields[] = {
	COUNT(parse_summary, "tids_walked", tids_walked),
	COUNT(parse_summary, "read_failures", read_failures),
	PART("read_failures_by_file", by_file_fields),
	JSON_NAMED("dominant_read_failure", parse_summary, dominant, TEXT),
	JSON_NAMED("kernel_config_dominant", parse_summary, kernel_config_dominant, BOOL),
	COUNT(parse_summary, "negative_dotted_values", negative_dotted_values),
	COUNT(parse_summary, "impossible_values", impossible_values),
	COUNT(parse_summary, "vanished_threads", vanished_threads),
	JSON_NAMED("hides_processes", parse_summary, is_hiding, BOOL),
	JSON_NAMED("has_foreign_pids", parse_summary, has_foreign_pids, BOOL),
	{},
};

static const struct json_field taskstats_fields[] = {
	COUNT(taskstats_summary, "ok_count", ok),
	COUNT(taskstats_summary, "eperm_count", eperm),
	COUNT(taskstats_summary, "esrch_count", esrch),
	COUNT(taskstats_summary, "other_err_count", other),
	OPT(taskstats_summary, "struct_version", struct_version),
	OPT(taskstats_summary, "task_delayacct", delayacct),
	{},
};

static const struct json_field probe_fields[] = {
	COUNT(probe_summary, "tgids_walked", tgids_walked),
	COUNT(probe_summary, "jemalloc_detected", jemalloc_detected),
	COUNT(probe_summary, "probed_ok", probed_ok),
	COUNT(probe_summary, "failed", failed),
	COUNT(probe_summary, "not_inspected", not_inspected),
	JSON_NAMED("dominant_failure", probe_summary, dominant, TEXT),
	JSON_NAMED("privilege_dominant", probe_summary, privilege_dominant, BOOL),
	JSON_NAMED("has_cap_sys_ptrace", probe_summary, has_ptrace, BOOL),
	OPT(probe_summary, "stopped_ns", stopped_ns),
	OPT(probe_summary, "longest_stop_ns", longest_stop_ns),
	{},
};

static const struct json_field sched_ext_fields[] = {
	JSON_NAMED("state", sched_ext_record, state, TEXT),
	JSON_NAMED("ops", sched_ext_record, ops, TEXT),
	OPT(sched_ext_record, "switch_all", switch_all),
	OPT(sched_ext_record, "nr_rejected", nr_rejected),
	OPT(sched_ext_record, "hotplug_seq", hotplug_seq),
	OPT(sched_ext_record, "enable_seq", enable_seq),
	{},
};

static const struct json_field unread_fields[] = {
	COUNT(metric_unread, "threads", threads),
	JSON_NAMED("reason", metric_unread, reason, TEXT),
	{},
};

/* Reads why metrics are missing; skips unknown metrics. */
static bool read_unread(struct json_load *load, const struct json_value *v, void *member)
{
	struct loader *l = loader_of(load);
	struct metric_unread *unread = member;
	struct json_value key;

	while (v->kind == JSON_OBJECT && json_read_key(&l->r, &key)) {
		int metric = metric_find(key.s);

		if (metric < 0)
			json_read_skip(&l->r);
		else if (load_enter(l))
			json_load_fields(load, unread_fields, &unread[metric]);
	}
	return v->kind == JSON_OBJECT;
}

static void put_unread(struct json *j, const void *member)
{
	const struct metric_unread *unread = member;

	json_object(j);
	for (int id = 0; id < METRIC_COUNT; id++) {
		if (!unread[id].threads)
			continue;
		json_key(j, metrics[id].name);
		json_put_struct(j, unread_fields, &unread[id]);
	}
	json_object_end(j);
}

static const struct json_own unread_own = { put_unread, read_unread };

static void put_schema(struct json *j, const void *member)
{
	json_u64(j, ((const struct opt_u64 *)member)->value);
}

static bool read_schema(struct json_load *load, const struct json_value *v, void *member)
{
	struct opt_u64 *schema = member;

	if (v->kind == JSON_UNSIGNED)
		*schema = (struct opt_u64){ true, v->u };
	else if (v->kind < JSON_UNSIGNED || v->kind > JSON_UNFIT)
		load_wrong_type(loader_of(load), v->kind, "a number");
	else
		++*load->unfit;
	if (schema->is_known && schema->value > SNAPSHOT_SCHEMA_VERSION)
		load_stop(loader_of(load),
			  err_set(EINVAL,
				  "snapshot schema %llu is newer than this ktstr "
				  "(supports %d); use the ktstr that wrote it, or a newer one",
				  ULL(schema->value), SNAPSHOT_SCHEMA_VERSION));
	return true;
}

static bool has_schema(const void *member)
{
	return ((const struct opt_u64 *)member)->is_known;
}

static const struct json_own schema_own = { put_schema, read_schema, has_schema };

#define SUMMARY(key, member, flag, table) \
	JSON_NAMED(key, snapshot, member, OBJECT, JSON_HAS(snapshot, flag), .fields = (table))

static const struct json_field document_fields[] = {
	JSON_OWN("schema_version", snapshot, schema_version, schema_own),
	JSON_FIELD(snapshot, tool, TEXT),
	JSON_FIELD(snapshot, boot_id, TEXT),
	OPT(snapshot, "uptime_clock_ticks", uptime_clock_ticks),
	OPT(snapshot, "user_hz", user_hz),
	OPT(snapshot, "cpu_busy_clock_ticks", cpu_busy_ticks),
	OPT(snapshot, "capture_ms", capture_ms),
	OPT(snapshot, "captured_at_unix_ns", captured_at_unix_ns),
	JSON_OWN("host", snapshot, host, host_own, JSON_HAS(snapshot, has_host)),
	{ .name = "threads", .kind = FIELD_OWN, .own = &threads_own, .flags = FIELD_OLD },
	{ .name = "cgroup_stats", .kind = FIELD_OWN, .own = &cgroups_own, .flags = FIELD_OLD },
	SUMMARY("probe_summary", probe, probe.is_known, probe_fields),
	SUMMARY("parse_summary", parse, parse.is_known, parse_fields),
	SUMMARY("taskstats_summary", taskstats, taskstats.is_known, taskstats_fields),
	SUMMARY("psi", psi, has_psi, psi_fields),
	SUMMARY("sched_ext", sched_ext, has_sched_ext, sched_ext_fields),
	JSON_OWN("unread", snapshot, unread, unread_own),
	JSON_NAMED("zero_filled", snapshot, is_zero_filled, BOOL, .flags = FIELD_OLD),
	{},
};

void snapshot_json_head(const struct snapshot *s, struct str *out)
{
	struct json j;

	json_init(&j, out, false);
	json_object(&j);
	for (const struct json_field *f = document_fields; f->own != &threads_own; f++)
		json_put_field(&j, f, s);
	json_put_array(&j, "threads");
}

/* Restores the nesting that the head left open: an array in an object with items. */
void snapshot_json_tail(const struct snapshot *s, bool zero_fill, struct str *out)
{
	const struct json_field *threads = json_field_find(document_fields, "threads");
	struct json j;

	json_init(&j, out, false);
	j.depth = 2;
	j.has_items[0] = true;
	json_array_end(&j);
	put_cgroups(&j, s, zero_fill);
	json_put_fields(&j, threads, s);
	if (zero_fill)
		json_put_bool(&j, "zero_filled", true);
	json_object_end(&j);
}

static const char *expected_name(enum json_field_kind kind)
{
	return kind == FIELD_TEXT ? "a string" :
	       kind == FIELD_BOOL ? "a boolean" :
	       kind < FIELD_WORD  ? "a number" :
				    "an object";
}

static int read_document(struct loader *l)
{
	struct json_value v;
	enum json_kind kind = json_read_value(&l->r, &v);

	if (kind == JSON_OBJECT)
		json_load_fields(&l->load, document_fields, l->s);
	else if (kind != JSON_BROKEN)
		json_read_fail(&l->r, "the document is not an object");
	if (json_read_end(&l->r))
		return 0;
	if (l->load.wrong)
		load_wrong_type(l, l->load.found, expected_name(l->load.expected));
	if (l->load.is_out_of_memory)
		return err_no_memory();
	if (l->rc)
		return l->rc;
	return err_set(EINVAL, "bad JSON at byte %zu: %s; did the capture format change?",
		       l->r.problem_at, l->r.problem);
}

int snapshot_parse(struct snapshot *s, char *json, size_t len)
{
	struct loader l = {
		.s = s,
		.load = { .arena = &s->arena, .nulls_are_absent = true, .unfit = &s->out_of_range }
	};
	int rc;

	*s = (struct snapshot){};
	l.load.r = &l.r;
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

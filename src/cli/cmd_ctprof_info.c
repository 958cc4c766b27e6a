// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr ctprof info`. */
#include "cli/table.h"
#include "ctprof/family.h"

#define LABEL_WIDTH 12
#define FAMILY_WIDTH 18

struct info_view {
	const char *path;
	struct snapshot snapshot;
	struct snapshot_info info;
};

/* "  label       text", wrapped below itself. */
static void add_item(struct str *out, const char *label, const char *text)
{
	str_addf(out, "  %-*s", LABEL_WIDTH, label);
	text_wrap(out, text, 2 + LABEL_WIDTH, output_width());
	str_addc(out, '\n');
}

static void add_itemf(struct str *out, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void add_itemf(struct str *out, const char *label, const char *fmt, ...)
{
	_str_ struct str raw = {}, text = {};

	str_add_rest(&raw, fmt);
	text_add_printable(&text, str_get(&raw));
	add_item(out, label, str_get(&text));
}

static void add_captured(struct str *out, const struct snapshot *s)
{
	char when[CLOCK_TEXT_SIZE] = "at an unknown time";
	_str_ struct str text = {};

	if (s->captured_at_unix_ns.is_known)
		clock_format_utc(s->captured_at_unix_ns.value, 3, when);
	str_addf(&text, "%s", when);
	if (s->tool)
		str_addf(&text, " by %s", s->tool);
	if (s->capture_ms.is_known)
		str_addf(&text, " in %llu ms", ULL(s->capture_ms.value));
	add_itemf(out, "captured", "%s", str_get(&text));
	if (s->schema_version.is_known)
		add_itemf(out, "schema", "%llu", ULL(s->schema_version.value));
	else
		add_item(out, "schema", "none: written by an older tool, whose zeros may be gaps");
}

/* Text for a missing value: an older format lacks it, or it was not available. */
static const char *absent(const struct snapshot *s, const char *otherwise)
{
	const char *unrecorded = snapshot_unrecorded(s);

	return unrecorded ? unrecorded : otherwise;
}

static void add_host(struct str *out, const struct snapshot *s)
{
	const struct host_context *h = &s->host;
	_str_ struct str text = {};

	if (!s->has_host) {
		add_item(out, "host", absent(s, "not recorded"));
		return;
	}
	str_addf(&text, "%s %s %s", h->kernel_name ? h->kernel_name : "unknown kernel",
		 h->kernel_release ? h->kernel_release : "", h->arch ? h->arch : "");
	if (h->online_cpus.is_known)
		str_addf(&text, ", %llu CPUs", ULL(h->online_cpus.value));
	if (h->numa_nodes.is_known)
		str_addf(&text, ", %llu NUMA node%s", ULL(h->numa_nodes.value),
			 h->numa_nodes.value == 1 ? "" : "s");
	add_itemf(out, "host", "%s", str_get(&text));
	if (h->cpu_model)
		add_itemf(out, "cpu", "%s", h->cpu_model);
	if (h->total_memory_kb.is_known)
		add_itemf(out, "memory", "%llu MiB", ULL(h->total_memory_kb.value / 1024));
}

/* Appends the two largest units: "2 d 7 h", "33 min 20 s". */
static void add_duration(struct str *out, uint64_t seconds)
{
	static const struct {
		uint64_t seconds;
		const char *unit;
	} units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } };
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && seconds < units[i].seconds)
		i++;
	str_addf(out, "%llu %s", ULL(seconds / units[i].seconds), units[i].unit);
	seconds %= units[i].seconds;
	if (i + 1 < ARRAY_SIZE(units))
		str_addf(out, " %llu %s", ULL(seconds / units[i + 1].seconds), units[i + 1].unit);
}

static void add_boot(struct str *out, const struct snapshot *s)
{
	_str_ struct str text = {};

	str_add(&text, s->boot_id ? s->boot_id : absent(s, "of unknown id"));
	if (s->uptime_clock_ticks.is_known && s->user_hz.is_known && s->user_hz.value) {
		str_add(&text, ", up ");
		add_duration(&text, s->uptime_clock_ticks.value / s->user_hz.value);
	}
	add_itemf(out, "boot", "%s", str_get(&text));
}

static void add_scheduler(struct str *out, const struct snapshot *s)
{
	const struct sched_ext_record *x = &s->sched_ext;

	if (!s->has_sched_ext)
		add_item(out, "sched_ext", absent(s, "not in this kernel"));
	else
		add_itemf(out, "sched_ext", "%s%s%s", x->state ? x->state : "unknown state",
			  x->ops ? ", scheduler " : "", x->ops ? x->ops : "");
}

static void add_thread_count(struct str *out, const struct info_view *v)
{
	const struct snapshot *s = &v->snapshot;
	_str_ struct str text = {};

	str_addf(&text, "%zu, in %llu process%s and %zu cgroup%s", s->thread_count,
		 ULL(v->info.processes), v->info.processes == 1 ? "" : "es", s->cgroup_count,
		 s->cgroup_count == 1 ? "" : "s");
	/* Older files do not distinguish kernel threads. */
	if (v->info.kernel_threads || !snapshot_unrecorded(s))
		str_addf(&text, "; %llu of the kernel", ULL(v->info.kernel_threads));
	add_itemf(out, "threads", "%s", str_get(&text));
}

static void add_counts(struct str *out, const struct info_view *v)
{
	const struct snapshot *s = &v->snapshot;

	if (s->thread_count == 0)
		add_itemf(out, "threads", "no threads in %s", v->path);
	else
		add_thread_count(out, v);
	if (s->is_zero_filled)
		add_item(out, "zero-filled",
			 "what could not be read is 0 in this file; here it counts as not "
			 "measured");
	if (s->out_of_range)
		add_itemf(out, "misfits",
			  "numbers that do not fit their field: %llu; they count as not measured",
			  ULL(s->out_of_range));
}

static void add_coverage(struct str *out, const struct snapshot_info *info)
{
	str_add(out, "  coverage\n");
	for (size_t i = 0; i < FAMILIES; i++) {
		const struct info_family *f = &info->families[i];

		if (!f->is_expected)
			continue;
		str_addf(out, "    %-*s%zu/%zu %s", FAMILY_WIDTH, families[i].name,
			 f->coverage.measured, f->coverage.total, families[i].counted);
		if (f->reason.len) {
			str_add(out, ": ");
			text_add_printable(out, str_get(&f->reason));
		}
		str_addc(out, '\n');
	}
}

static void add_diagnosis(struct str *out, const struct snapshot *s,
			  void (*diagnose)(const struct snapshot *, struct str *))
{
	_str_ struct str text = {};

	diagnose(s, &text);
	if (text.len)
		add_item(out, "", str_get(&text));
}

static void add_parse(struct str *out, const struct snapshot *s)
{
	const struct parse_summary *p = &s->parse;
	_str_ struct str text = {};
	const char *gap = " (";

	if (!p->is_known) {
		add_item(out, "parse", absent(s, "no tally"));
		return;
	}
	str_addf(&text, "%llu tid%s walked, %llu read failure%s", ULL(p->tids_walked),
		 p->tids_walked == 1 ? "" : "s", ULL(p->read_failures),
		 p->read_failures == 1 ? "" : "s");
	for (size_t i = 0; i < SNAPSHOT_FILES; i++)
		if (p->by_file[i]) {
			str_addf(&text, "%s%s %llu", gap, snapshot_file_names[i],
				 ULL(p->by_file[i]));
			gap = ", ";
		}
	if (*gap == ',')
		str_addc(&text, ')');
	if (p->vanished_threads)
		str_addf(&text, "; %llu thread%s exited before %s could be read",
			 ULL(p->vanished_threads), p->vanished_threads == 1 ? "" : "s",
			 p->vanished_threads == 1 ? "it" : "they");
	add_item(out, "parse", str_get(&text));
	add_diagnosis(out, s, snapshot_diagnose_parse);
}

static void add_taskstats(struct str *out, const struct snapshot *s)
{
	const struct taskstats_summary *t = &s->taskstats;
	_str_ struct str text = {};

	if (!t->is_known)
		str_add(&text, absent(s, "no tally"));
	else
		str_addf(&text, "%llu ok, %llu EPERM, %llu ESRCH, %llu other errors", ULL(t->ok),
			 ULL(t->eperm), ULL(t->esrch), ULL(t->other));
	if (t->struct_version.is_known)
		str_addf(&text, "; struct version %llu", ULL(t->struct_version.value));
	add_item(out, "taskstats", str_get(&text));
	add_diagnosis(out, s, snapshot_diagnose_taskstats);
}

static void add_probe(struct str *out, const struct snapshot *s)
{
	const struct probe_summary *p = &s->probe;

	if (!p->is_known)
		add_item(out, "jemalloc", absent(s, "no tally"));
	else
		add_itemf(out, "jemalloc",
			  "%llu process%s walked, %llu not inspected, %llu with jemalloc, %llu "
			  "read, %llu failed%s%s",
			  ULL(p->tgids_walked), p->tgids_walked == 1 ? "" : "es",
			  ULL(p->not_inspected), ULL(p->jemalloc_detected), ULL(p->probed_ok),
			  ULL(p->failed), p->dominant ? ", mostly " : "",
			  p->dominant ? p->dominant : "");
	if (p->longest_stop_ns.is_known && p->stopped_ns.is_known)
		add_itemf(out, "", "targets were stopped for %llu µs in all, %llu µs at most",
			  ULL(p->stopped_ns.value / 1000), ULL(p->longest_stop_ns.value / 1000));
	add_diagnosis(out, s, snapshot_diagnose_probe);
}

static void add_text(struct str *out, const struct info_view *v)
{
	const struct snapshot *s = &v->snapshot;

	text_add_printable(out, v->path);
	str_addc(out, '\n');
	add_captured(out, s);
	add_host(out, s);
	add_boot(out, s);
	add_scheduler(out, s);
	add_counts(out, v);
	add_coverage(out, &v->info);
	add_parse(out, s);
	add_taskstats(out, s);
	add_probe(out, s);
}

static void put_opt(struct json *j, const char *key, const struct opt_u64 *v)
{
	json_put_known_u64(j, key, v->is_known, v->value);
}

/* Writes null if there is nothing to report. */
static void put_diagnosis(struct json *j, const struct snapshot *s,
			  void (*diagnose)(const struct snapshot *, struct str *))
{
	_str_ struct str text = {};

	diagnose(s, &text);
	json_put_string(j, "diagnosis", text.len ? text.s : NULL);
}

static void put_parse(struct json *j, const struct snapshot *s)
{
	json_put_object(j, "parse");
	json_put_bool(j, "is_known", s->parse.is_known);
	if (s->parse.is_known) {
		json_put_u64(j, "tids_walked", s->parse.tids_walked);
		json_put_u64(j, "read_failures", s->parse.read_failures);
		json_put_object(j, "read_failures_by_file");
		for (size_t i = 0; i < SNAPSHOT_FILES; i++)
			json_put_u64(j, snapshot_file_names[i], s->parse.by_file[i]);
		json_object_end(j);
		json_put_u64(j, "negative_dotted_values", s->parse.negative_dotted_values);
		json_put_u64(j, "impossible_values", s->parse.impossible_values);
		json_put_u64(j, "vanished_threads", s->parse.vanished_threads);
		json_put_bool(j, "hides_processes", s->parse.is_hiding);
		json_put_bool(j, "has_foreign_pids", s->parse.has_foreign_pids);
	}
	put_diagnosis(j, s, snapshot_diagnose_parse);
	json_object_end(j);
}

static void put_taskstats(struct json *j, const struct snapshot *s)
{
	json_put_object(j, "taskstats");
	json_put_bool(j, "is_known", s->taskstats.is_known);
	if (s->taskstats.is_known) {
		json_put_u64(j, "ok_count", s->taskstats.ok);
		json_put_u64(j, "eperm_count", s->taskstats.eperm);
		json_put_u64(j, "esrch_count", s->taskstats.esrch);
		json_put_u64(j, "other_err_count", s->taskstats.other);
		put_opt(j, "struct_version", &s->taskstats.struct_version);
	}
	put_diagnosis(j, s, snapshot_diagnose_taskstats);
	json_object_end(j);
}

static void put_probe(struct json *j, const struct snapshot *s)
{
	json_put_object(j, "probe");
	json_put_bool(j, "is_known", s->probe.is_known);
	if (s->probe.is_known) {
		json_put_u64(j, "tgids_walked", s->probe.tgids_walked);
		json_put_u64(j, "jemalloc_detected", s->probe.jemalloc_detected);
		json_put_u64(j, "probed_ok", s->probe.probed_ok);
		json_put_u64(j, "failed", s->probe.failed);
		json_put_u64(j, "not_inspected", s->probe.not_inspected);
		json_put_string(j, "dominant_failure", s->probe.dominant);
		put_opt(j, "stopped_ns", &s->probe.stopped_ns);
		put_opt(j, "longest_stop_ns", &s->probe.longest_stop_ns);
	}
	put_diagnosis(j, s, snapshot_diagnose_probe);
	json_object_end(j);
}

static void put_coverage(struct json *j, const struct snapshot_info *info)
{
	json_put_array(j, "coverage");
	for (size_t i = 0; i < FAMILIES; i++) {
		const struct info_family *f = &info->families[i];

		if (!f->is_expected)
			continue;
		json_object(j);
		json_put_string(j, "family", families[i].name);
		json_put_u64(j, "measured", f->coverage.measured);
		json_put_u64(j, "total", f->coverage.total);
		json_put_string(j, "reason", f->reason.len ? f->reason.s : NULL);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_view(struct json *j, const struct info_view *v)
{
	const struct snapshot *s = &v->snapshot;

	json_object(j);
	json_put_string(j, "path", v->path);
	put_opt(j, "schema_version", &s->schema_version);
	json_put_string(j, "tool", s->tool);
	put_opt(j, "captured_at_unix_ns", &s->captured_at_unix_ns);
	put_opt(j, "capture_ms", &s->capture_ms);
	json_put_string(j, "boot_id", s->boot_id);
	put_opt(j, "uptime_clock_ticks", &s->uptime_clock_ticks);
	put_opt(j, "user_hz", &s->user_hz);
	json_key(j, "host");
	if (s->has_host)
		host_context_to_json(&s->host, j);
	else
		json_null(j);
	json_put_string(j, "sched_ext_state", s->sched_ext.state);
	json_put_string(j, "sched_ext_ops", s->sched_ext.ops);
	json_put_u64(j, "threads", s->thread_count);
	json_put_u64(j, "processes", v->info.processes);
	json_put_u64(j, "kernel_threads", v->info.kernel_threads);
	json_put_u64(j, "cgroups", s->cgroup_count);
	json_put_bool(j, "zero_filled", s->is_zero_filled);
	json_put_u64(j, "out_of_range", s->out_of_range);
	put_coverage(j, &v->info);
	put_parse(j, s);
	put_taskstats(j, s);
	put_probe(j, s);
	json_object_end(j);
}

static int load_view(struct info_view *v, const char *path)
{
	int rc;

	*v = (struct info_view){ .path = path };
	rc = snapshot_load(&v->snapshot, path);
	if (rc < 0)
		return err_wrap(rc, "load %s", path);
	rc = snapshot_info_read(&v->info, &v->snapshot);
	if (rc < 0)
		snapshot_finish(&v->snapshot);
	return rc;
}

static void view_finish(struct info_view *v)
{
	snapshot_info_finish(&v->info);
	snapshot_finish(&v->snapshot);
}

/* One file at a time: valid ones are printed before an invalid one ends the command. */
static int print_text(const struct cli_call *call)
{
	for (size_t i = 0; i < cli_count(call, "snapshot"); i++) {
		_str_ struct str out = {};
		struct info_view v;
		int rc = load_view(&v, cli_nth(call, "snapshot", i));

		if (rc < 0)
			return rc;
		if (i)
			str_addc(&out, '\n');
		add_text(&out, &v);
		view_finish(&v);
		rc = output_text(&out);
		if (rc < 0)
			return rc;
	}
	return EXIT_OK;
}

static int print_json(const struct cli_call *call)
{
	_str_ struct str out = {};
	struct json j;

	json_document(&j, &out);
	json_put_array(&j, "snapshots");
	for (size_t i = 0; i < cli_count(call, "snapshot"); i++) {
		struct info_view v;
		int rc = load_view(&v, cli_nth(call, "snapshot", i));

		if (rc < 0)
			return rc;
		put_view(&j, &v);
		view_finish(&v);
	}
	json_array_end(&j);
	json_object_end(&j);
	return output_json(&out);
}

static int cmd_ctprof_info_run(const struct cli_call *call)
{
	return cli_flag(call, "json") ? print_json(call) : print_text(call);
}

/* clang-format off */
const struct cli_cmd cmd_ctprof_info = {
	.name = "info", .summary = "show where a snapshot comes from and what it lacks",
	.params = CLI_PARAMS(
		{ .name = "snapshot", .is_arg = true, .is_required = true, .is_repeatable = true,
		  .kind = CLI_FILE, .value = "FILE", .help = "snapshot to describe" },
		CLI_JSON),
	.run = cmd_ctprof_info_run,
};
/* clang-format on */

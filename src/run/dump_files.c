// SPDX-License-Identifier: GPL-2.0-only
/* Files with snapshots; the data needed to repeat the run precedes the snapshots. */
#include "run/parts.h"

static const char record_suffix[] = ".ktstr.json";
static const char dump_suffix[] = ".failure-dump.json";
static const char core_suffix[] = ".core";
static const char trace_suffix[] = ".trace.html";
static const char snapshots_suffix[] = ".snapshots.json";
static const char repro_suffix[] = ".auto-repro.json";

bool dump_files_is_one(const char *name)
{
	static const char *const suffixes[] = { dump_suffix, core_suffix, trace_suffix,
						snapshots_suffix, repro_suffix };

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (str_ends(name, suffixes[i]))
			return true;
	return false;
}

/* Replaces the suffix of the record. NULL = not the name of a record, or out of memory. */
static char *path_of(const char *record, const char *suffix)
{
	size_t len = strlen(record), end = sizeof(record_suffix) - 1;

	if (len <= end || !str_eq(record + len - end, record_suffix))
		return NULL;
	return str_fmt("%.*s%s", (int)(len - end), record, suffix);
}

/* Writes the name of the core file without directory, so that the files can be moved together. */
static void put_core(struct json *j, const struct outcome *o, const char *record)
{
	_free_ char *path = path_of(record, core_suffix);
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (o->core.len)
		json_put_string(j, "core", slash ? slash + 1 : path);
	if (!o->core_problem.len)
		return;
	json_put_null(j, "core");
	json_put_string(j, "core_unavailable", o->core_problem.s);
}

/* Writes the data needed to repeat the run, and how it ended. */
static void put_head(struct json *j, const struct sidecar *s, const struct outcome *o, bool is_dual)
{
	const struct sidecar_exit *e = &s->scheduler_exit;

	json_put_string(j, "schema", is_dual ? "dual" : "single");
	json_put_string(j, "test", s->test_name);
	json_put_string(j, "topology", s->topology);
	json_put_string(j, "scheduler", s->scheduler);
	json_put_string(j, "kernel_version", s->kernel_version);
	json_put_string(j, "accel", s->accel);
	json_put_known_u64(j, "seed", s->has_seed, s->seed);
	json_put_string(j, "digest", s->digest);
	json_put_array(j, "qemu_options");
	for (size_t i = 0; i < s->qemu_options.count; i++)
		json_string(j, s->qemu_options.items[i]);
	json_array_end(j);
	json_put_string(j, "qemu_command", o->qemu_command.len ? o->qemu_command.s : NULL);
	json_put_object(j, "scheduler_exit");
	json_put_string(j, "end", e->end);
	json_put_known_u64(j, "kind", e->kind.is_known, (uint64_t)e->kind.value);
	json_put_string(j, "reason", e->reason);
	json_put_string(j, "message", e->message);
	json_object_end(j);
	if (s->outcome != KTSTR_FAILED)
		return;
	json_put_string(j, "sched_ext_dump", str_get(&o->sched_dump));
	json_put_string(j, "console", str_get(&o->console));
}

/* For a guest that failed before its scheduler started: says why there is no snapshot. */
static void put_placeholder(struct json *j, const struct outcome *o)
{
	static const char *const parts[] = { "maps", "programs", "vcpus", "snapshots" };

	json_put_null(j, "icount");
	json_put_string(j, "icount_unavailable", outcome_stage(o));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		_str_ struct str key = {};

		str_addf(&key, "%s_unavailable", parts[i]);
		json_put_array(j, parts[i]);
		json_array_end(j);
		json_put_string(j, str_get(&key), outcome_stage(o));
	}
}

/*
 * members: JSON object whose members are added to those of the head; NULL = none. early: JSON
 * object that becomes the member of that name; NULL = none.
 */
static int write_file(const char *record, const char *path, const struct sidecar *s,
		      const struct outcome *o, const char *members, const char *early)
{
	_str_ struct str text = {};
	struct json j;

	json_init(&j, &text, false);
	json_object(&j);
	put_head(&j, s, o, members && early);
	if (s->outcome == KTSTR_FAILED)
		put_core(&j, o, record);
	json_put_bool(&j, "is_placeholder", !members);
	if (!members)
		put_placeholder(&j, o);
	json_object_end(&j);
	if (members && text.len) {
		text.s[text.len - 1] = ',';
		str_addf(&text, "\n%s", members + 1);
	}
	if (members && early && text.len) {
		text.s[text.len - 1] = ',';
		str_addf(&text, "\n\"early\":%s}", early);
	}
	str_addc(&text, '\n');
	return str_check(&text) < 0 ? -ENOMEM : file_replace(path, text.s, text.len, 0644);
}

char *dump_files_path(const char *record)
{
	return path_of(record, dump_suffix);
}

char *dump_files_trace_path(const char *record)
{
	return path_of(record, trace_suffix);
}

/* Renames the core file: it was written next to the records under a temporary name. */
static int keep_core(const char *record, const struct outcome *o, bool has_failed)
{
	_free_ char *path = path_of(record, core_suffix);

	if (!path)
		return err_set(EINVAL, "%s is not the name of a record", record);
	unlink(path);
	if (has_failed && o->core.len && rename(o->core.s, path) < 0)
		return err_sys(errno, "rename %s to %s", o->core.s, path);
	return 0;
}

int dump_files_write(const char *record, const struct sidecar *s, const struct outcome *o)
{
	bool has_failed = s->outcome == KTSTR_FAILED;
	const struct {
		const char *suffix, *members;
		bool is_wanted;
		const char *early;
	} files[] = {
		{ dump_suffix, o->dump.len ? o->dump.s : NULL,
		  has_failed && (o->dump.len || (s->scheduler && o->facts.is_guest &&
						 !o->facts.has_payload_started)),
		  o->early.len ? o->early.s : NULL },
		{ snapshots_suffix, str_get(&o->snapshots), o->snapshots.len != 0, NULL },
		{ repro_suffix, str_get(&o->repro), o->repro.len, NULL },
		{ ".repro.failure-dump.json", str_get(&o->repro_dump),
		  has_failed && o->repro_dump.len, NULL },
		{ .suffix = trace_suffix },
	};
	int rc = keep_core(record, o, has_failed);

	for (size_t i = 0; i < ARRAY_SIZE(files) && rc == 0; i++) {
		_free_ char *path = path_of(record, files[i].suffix);

		if (!path)
			return err_set(EINVAL, "%s is not the name of a record", record);
		if (files[i].is_wanted)
			rc = write_file(record, path, s, o, files[i].members, files[i].early);
		else
			unlink(path);
	}
	return rc;
}

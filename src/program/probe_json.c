// SPDX-License-Identifier: GPL-2.0-only
/* The probe document: tables to write it and to read it back. */
#include "check/check.h"
#include "check/result_fields.h"
#include "program/probe.h"
#include "program/protocol.h"

/*
 * null = not checked, false = switched off, true or a number = checked. An invalid
 * threshold is one of the problems, and null here.
 */
static void put_assert(struct json *j, const void *member)
{
	const struct ktstr_assert *a = member;

	json_object(j);
	array_each(const struct assert_field, f, assert_fields, ASSERT_FIELDS) {
		double raw = assert_raw(a, f), limit = 0;

		json_key(j, f->name);
		if (raw != 0 && !limit_of(raw, &limit))
			json_bool(j, false);
		else if (raw != 0 && f->kind == ASSERT_SWITCH)
			json_bool(j, true);
		else if (raw == 0 || limit < 0)
			json_null(j);
		else
			json_double(j, limit);
	}
	json_object_end(j);
}

/* True if the value is a threshold; stores it as in the struct. */
static bool threshold_of(const struct json_value *v, double *value)
{
	if (v->kind == JSON_FALSE)
		*value = KTSTR_OFF;
	else if (v->kind == JSON_TRUE)
		*value = KTSTR_ON;
	else if (!json_number(v, value) || !(*value >= 0 && *value <= 1e18))
		return false;
	else if (*value == 0)
		*value = (double)KTSTR_ZERO;
	return true;
}

static void set_assert(struct json_load *l, struct ktstr_assert *a, const struct assert_field *f,
		       const struct json_value *v)
{
	void *at = (char *)a + f->offset;
	double value = 0;

	if (v->kind == JSON_NULL)
		return;
	if (!threshold_of(v, &value))
		json_read_fail(l->r, "expected a threshold");
	else if (f->kind == ASSERT_SWITCH)
		*(int *)at = value == KTSTR_ON ? KTSTR_ON : KTSTR_OFF;
	else if (f->kind == ASSERT_INTEGER)
		*(int64_t *)at = (int64_t)value;
	else
		*(double *)at = value;
}

static bool read_assert(struct json_load *l, const struct json_value *entered, void *member)
{
	struct json_value key, v;

	if (entered->kind != JSON_OBJECT)
		return false;

	while (json_read_key(l->r, &key)) {
		const struct assert_field *found = NULL;

		for (size_t i = 0; i < ASSERT_FIELDS; i++)
			if (str_eq(assert_fields[i].name, key.s))
				found = &assert_fields[i];
		if (!found) {
			json_read_skip(l->r);
			continue;
		}
		json_read_value(l->r, &v);
		set_assert(l, member, found, &v);
	}
	return true;
}

static const struct json_own assert_own = { put_assert, read_assert };

/* clang-format off */
#define TEXT(s, n) JSON_FIELD(s, n, TEXT)
#define NUMBER(s, n) JSON_FIELD(s, n, U64)
#define SMALL(s, n) JSON_FIELD(s, n, U32)
#define BOOL(s, n) JSON_FIELD(s, n, BOOL)
#define TEXTS(s, n) JSON_LIST(s, n, TEXT)
#define OBJECTS(s, n, t) JSON_LIST_OF(#n, s, n, t)

static const struct json_field flag_fields[] = {
	JSON_FIELD(probe_flag, name, TEXT, .flags = FIELD_REQUIRED), TEXTS(probe_flag, args),
	JSON_NAMED("requires", probe_flag, requires_flags, LIST, .element = FIELD_TEXT),
	{}
};

static const struct json_field sysctl_fields[] = {
	TEXT(ktstr_sysctl, key), TEXT(ktstr_sysctl, value), {}
};

static const struct json_field constraint_fields[] = {
	SMALL(ktstr_constraints, min_numa_nodes), SMALL(ktstr_constraints, max_numa_nodes),
	SMALL(ktstr_constraints, min_llcs), SMALL(ktstr_constraints, max_llcs),
	SMALL(ktstr_constraints, min_cpus), SMALL(ktstr_constraints, max_cpus),
	BOOL(ktstr_constraints, requires_smt), BOOL(ktstr_constraints, requires_even_cpus),
	{}
};

static const struct json_field cache_fields[] = {
	SMALL(ktstr_mem_side_cache, size_kib), SMALL(ktstr_mem_side_cache, associativity),
	SMALL(ktstr_mem_side_cache, write_policy), SMALL(ktstr_mem_side_cache, line_size),
	{}
};

static const struct json_field node_fields[] = {
	SMALL(ktstr_node, llcs), SMALL(ktstr_node, memory_mib), SMALL(ktstr_node, latency_ns),
	SMALL(ktstr_node, bandwidth_mbs), JSON_STRUCT(ktstr_node, mem_side_cache, cache_fields),
	{}
};

static const struct json_field sched_fields[] = {
	TEXT(probe_sched, name), TEXT(probe_sched, binary), TEXT(probe_sched, binary_path),
	TEXT(probe_sched, kernel_builtin_enable), TEXT(probe_sched, kernel_builtin_disable),
	TEXT(probe_sched, topology), OBJECTS(probe_sched, nodes, node_fields),
	TEXTS(probe_sched, args), OBJECTS(probe_sched, flags, flag_fields),
	OBJECTS(probe_sched, sysctls, sysctl_fields), TEXTS(probe_sched, kargs), TEXTS(probe_sched, invariants),
	TEXT(probe_sched, cgroup_parent), TEXT(probe_sched, config_file),
	TEXTS(probe_sched, config_file_def), TEXTS(probe_sched, kernels),
	JSON_STRUCT(probe_sched, constraints, constraint_fields),
	{}
};

static const struct json_field payload_fields[] = {
	TEXT(probe_payload, name), TEXT(probe_payload, binary), TEXT(probe_payload, output),
	TEXTS(probe_payload, include_files),
	{}
};

static const struct json_field topology_fields[] = {
	SMALL(ktstr_topology, numa_nodes), SMALL(ktstr_topology, llcs),
	SMALL(ktstr_topology, cores), SMALL(ktstr_topology, threads),
	{}
};

static const struct json_field test_fields[] = {
	TEXT(probe_test, name), TEXT(probe_test, file), NUMBER(probe_test, line),
	TEXT(probe_test, scheduler), JSON_STRUCT(probe_test, topology, topology_fields),
	OBJECTS(probe_test, nodes, node_fields), JSON_LIST(probe_test, distances, U32),
	NUMBER(probe_test, memory_mib), NUMBER(probe_test, duration_ms),
	NUMBER(probe_test, watchdog_timeout_s), NUMBER(probe_test, attach_timeout_s),
	NUMBER(probe_test, return_timeout_s),
	NUMBER(probe_test, workers_per_cgroup),
	OBJECTS(probe_test, payloads, payload_fields),
	TEXTS(probe_test, extra_sched_args), TEXTS(probe_test, include_files),
	JSON_OWN("assert", probe_test, assert, assert_own),
	JSON_STRUCT(probe_test, constraints, constraint_fields),
	TEXTS(probe_test, required_flags), TEXTS(probe_test, excluded_flags),
	BOOL(probe_test, auto_repro), BOOL(probe_test, performance_mode),
	BOOL(probe_test, no_perf_mode), NUMBER(probe_test, cpu_budget),
	BOOL(probe_test, expect_err), TEXT(probe_test, expect_scx_bpf_error_contains),
	TEXT(probe_test, expect_scx_bpf_error_matches), BOOL(probe_test, host_only),
	BOOL(probe_test, ignore), BOOL(probe_test, allow_inconclusive),
	NUMBER(probe_test, cleanup_budget_ms),
	NUMBER(probe_test, num_snapshots), TEXTS(probe_test, watch_snapshots), TEXTS(probe_test, bpf_map_write), BOOL(probe_test, has_post_vm),
	BOOL(probe_test, has_post_vm_unconditional),
	OBJECTS(probe_test, perf_delta_assertions, perf_delta_fields), TEXT(probe_test, versus),
	TEXT(probe_test, offline_cpus), TEXT(probe_test, accel), NUMBER(probe_test, seed), TEXT(probe_test, strategy),
	BOOL(probe_test, observe), BOOL(probe_test, is_release),
	{}
};

static const struct json_field probe_fields[] = {
	NUMBER(probe, schema_version), TEXT(probe, ktstr), TEXTS(probe, problems),
	OBJECTS(probe, schedulers, sched_fields),
	OBJECTS(probe, tests, test_fields),
	{}
};
/* clang-format on */

void probe_to_json(const struct probe *p, struct json *j)
{
	json_put_struct(j, probe_fields, p);
}

static int check_names(const struct probe *p)
{
	for (size_t i = 0; i < p->tests.count; i++)
		if (!p->tests.items[i].name)
			return err_set(EINVAL, "test %zu has no name", i);
	for (size_t i = 0; i < p->schedulers.count; i++)
		if (!p->schedulers.items[i].name)
			return err_set(EINVAL, "scheduler %zu has no name", i);
	return 0;
}

int probe_from_json(struct probe *p, char *text, size_t len)
{
	struct json_reader r;
	struct json_load l = { .r = &r, .arena = &p->arena };

	json_read_init(&r, text, len);
	if (!json_load_text(&l, probe_fields, p)) {
		if (l.is_out_of_memory)
			return err_no_memory();
		return err_set(EINVAL, "%s at byte %zu", r.problem, r.problem_at);
	}
	if (p->schema_version != PROGRAM_PROBE_SCHEMA)
		return err_set(EINVAL, "schema version %llu, this ktstr knows version %d",
			       ULL(p->schema_version), PROGRAM_PROBE_SCHEMA);
	return check_names(p);
}

int probe_flags_from_json(struct probe_sched *s, struct arena *arena, char *text, size_t len)
{
	static const struct json_field list = OBJECTS(probe_sched, flags, flag_fields);
	struct json_reader r;
	struct json_load l = { .r = &r, .arena = arena };

	json_read_init(&r, text, len);
	if (json_load_whole(&l, &list, s))
		return 0;
	return l.is_out_of_memory ? err_no_memory() :
				    err_set(EINVAL, "%s at byte %zu", r.problem, r.problem_at);
}

void probe_finish(struct probe *p)
{
	arena_finish(&p->arena);
	*p = (struct probe){};
}

const struct probe_test *probe_find_test(const struct probe *p, const char *name)
{
	return vec_find(&p->tests, name, name);
}

const struct probe_sched *probe_find_sched(const struct probe *p, const char *name)
{
	return vec_find(&p->schedulers, name, name);
}

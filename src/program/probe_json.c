// SPDX-License-Identifier: GPL-2.0-only
/* The probe document: tables that write it and read it back. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json_read.h"
#include "base/util.h"
#include "base/vec.h"
#include "check/assert.h"
#include "program/probe.h"
#include "program/protocol.h"

enum field_kind {
	FIELD_TEXT,    /* const char *, or null */
	FIELD_NUMBER,  /* uint64_t */
	FIELD_BOOL,    /* bool */
	FIELD_TEXTS,   /* struct probe_texts */
	FIELD_NUMBERS, /* struct probe_numbers */
	FIELD_OBJECT,  /* a struct in place, described by sub */
	FIELD_OBJECTS, /* { items, count } of structs described by sub */
	FIELD_ASSERT,  /* struct ktstr_assert */
};

/* Lists end with a NULL name. */
struct field {
	const char *name;
	enum field_kind kind;
	size_t offset;
	const struct field *sub;
	size_t size; /* of one element of FIELD_OBJECTS */
};

/* What all the { items, count } have in common. */
struct any_list {
	void *items;
	size_t count;
};

/* clang-format off */
#define TEXT(s, n) { #n, FIELD_TEXT, offsetof(struct s, n), NULL, 0 }
#define NUMBER(s, n) { #n, FIELD_NUMBER, offsetof(struct s, n), NULL, 0 }
#define BOOL(s, n) { #n, FIELD_BOOL, offsetof(struct s, n), NULL, 0 }
#define TEXTS(s, n) { #n, FIELD_TEXTS, offsetof(struct s, n), NULL, 0 }
#define NUMBERS(s, n) { #n, FIELD_NUMBERS, offsetof(struct s, n), NULL, 0 }
#define OBJECT(s, n, t) { #n, FIELD_OBJECT, offsetof(struct s, n), t, 0 }
#define OBJECTS(s, n, t, e) { #n, FIELD_OBJECTS, offsetof(struct s, n), t, sizeof(struct e) }

static const struct field flag_fields[] = {
	TEXT(probe_flag, name), TEXTS(probe_flag, args),
	{ "requires", FIELD_TEXTS, offsetof(struct probe_flag, requires_flags), NULL, 0 },
	{}
};

static const struct field sysctl_fields[] = {
	TEXT(probe_sysctl, key), TEXT(probe_sysctl, value), {}
};

static const struct field constraint_fields[] = {
	NUMBER(probe_constraints, min_numa_nodes), NUMBER(probe_constraints, max_numa_nodes),
	NUMBER(probe_constraints, min_llcs), NUMBER(probe_constraints, max_llcs),
	NUMBER(probe_constraints, min_cpus), NUMBER(probe_constraints, max_cpus),
	BOOL(probe_constraints, requires_smt), BOOL(probe_constraints, requires_even_cpus),
	{}
};

static const struct field cache_fields[] = {
	NUMBER(probe_cache, size_kib), NUMBER(probe_cache, associativity),
	NUMBER(probe_cache, write_policy), NUMBER(probe_cache, line_size),
	{}
};

static const struct field node_fields[] = {
	NUMBER(probe_node, llcs), NUMBER(probe_node, memory_mib), NUMBER(probe_node, latency_ns),
	NUMBER(probe_node, bandwidth_mbs), OBJECT(probe_node, mem_side_cache, cache_fields),
	{}
};

static const struct field sched_fields[] = {
	TEXT(probe_sched, name), TEXT(probe_sched, binary), TEXT(probe_sched, binary_path),
	TEXT(probe_sched, kernel_builtin_enable), TEXT(probe_sched, kernel_builtin_disable),
	TEXT(probe_sched, topology), OBJECTS(probe_sched, nodes, node_fields, probe_node),
	TEXTS(probe_sched, args), OBJECTS(probe_sched, flags, flag_fields, probe_flag),
	OBJECTS(probe_sched, sysctls, sysctl_fields, probe_sysctl), TEXTS(probe_sched, kargs),
	TEXT(probe_sched, cgroup_parent), TEXT(probe_sched, config_file),
	TEXTS(probe_sched, config_file_def), TEXTS(probe_sched, kernels),
	OBJECT(probe_sched, constraints, constraint_fields),
	{}
};

static const struct field payload_fields[] = {
	TEXT(probe_payload, name), TEXT(probe_payload, binary), TEXT(probe_payload, output),
	TEXTS(probe_payload, include_files),
	{}
};

static const struct field topology_fields[] = {
	NUMBER(probe_topology, numa_nodes), NUMBER(probe_topology, llcs),
	NUMBER(probe_topology, cores), NUMBER(probe_topology, threads),
	{}
};

static const struct field test_fields[] = {
	TEXT(probe_test, name), TEXT(probe_test, file), NUMBER(probe_test, line),
	TEXT(probe_test, scheduler), OBJECT(probe_test, topology, topology_fields),
	OBJECTS(probe_test, nodes, node_fields, probe_node), NUMBERS(probe_test, distances),
	NUMBER(probe_test, memory_mib), NUMBER(probe_test, duration_ms),
	NUMBER(probe_test, watchdog_timeout_s), NUMBER(probe_test, attach_timeout_s),
	NUMBER(probe_test, return_timeout_s),
	NUMBER(probe_test, workers_per_cgroup),
	OBJECTS(probe_test, payloads, payload_fields, probe_payload),
	TEXTS(probe_test, extra_sched_args), TEXTS(probe_test, include_files),
	{ "assert", FIELD_ASSERT, offsetof(struct probe_test, assert), NULL, 0 },
	OBJECT(probe_test, constraints, constraint_fields),
	TEXTS(probe_test, required_flags), TEXTS(probe_test, excluded_flags),
	BOOL(probe_test, auto_repro), BOOL(probe_test, performance_mode),
	BOOL(probe_test, no_perf_mode), NUMBER(probe_test, cpu_budget),
	BOOL(probe_test, expect_err), TEXT(probe_test, expect_scx_bpf_error_contains),
	TEXT(probe_test, expect_scx_bpf_error_matches), BOOL(probe_test, host_only),
	BOOL(probe_test, ignore), BOOL(probe_test, allow_inconclusive),
	NUMBER(probe_test, cleanup_budget_ms), TEXT(probe_test, versus),
	TEXT(probe_test, offline_cpus), TEXT(probe_test, accel), NUMBER(probe_test, seed),
	BOOL(probe_test, observe), BOOL(probe_test, is_release),
	{}
};

static const struct field probe_fields[] = {
	NUMBER(probe, schema_version), TEXT(probe, ktstr), TEXTS(probe, problems),
	OBJECTS(probe, schedulers, sched_fields, probe_sched),
	OBJECTS(probe, tests, test_fields, probe_test),
	{}
};
/* clang-format on */

/* ---- writing ---- */

static void put_texts(struct json *j, const struct probe_texts *list)
{
	json_array(j);
	for (size_t i = 0; i < list->count; i++)
		json_string(j, list->items[i]);
	json_array_end(j);
}

static void put_numbers(struct json *j, const struct probe_numbers *list)
{
	json_array(j);
	for (size_t i = 0; i < list->count; i++)
		json_u64(j, list->items[i]);
	json_array_end(j);
}

/*
 * null = not checked, false = switched off, true or a number = checked. What is no
 * threshold is among the problems, and null here.
 */
static void put_assert(struct json *j, const struct ktstr_assert *a)
{
	json_object(j);
	for (size_t i = 0; i < ASSERT_FIELDS; i++) {
		const struct assert_field *f = &assert_fields[i];
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

static void put_object(struct json *j, const struct field *fields, const void *from);

static void put_objects(struct json *j, const struct field *f, const struct any_list *list)
{
	json_array(j);
	for (size_t i = 0; i < list->count; i++)
		put_object(j, f->sub, (const char *)list->items + i * f->size);
	json_array_end(j);
}

static void put_field(struct json *j, const struct field *f, const void *at)
{
	switch (f->kind) {
	case FIELD_TEXT:
		json_string(j, *(const char *const *)at);
		break;
	case FIELD_NUMBER:
		json_u64(j, *(const uint64_t *)at);
		break;
	case FIELD_BOOL:
		json_bool(j, *(const bool *)at);
		break;
	case FIELD_TEXTS:
		put_texts(j, at);
		break;
	case FIELD_NUMBERS:
		put_numbers(j, at);
		break;
	case FIELD_OBJECT:
		put_object(j, f->sub, at);
		break;
	case FIELD_OBJECTS:
		put_objects(j, f, at);
		break;
	case FIELD_ASSERT:
		put_assert(j, at);
		break;
	}
}

static void put_object(struct json *j, const struct field *fields, const void *from)
{
	json_object(j);
	for (; fields->name; fields++) {
		json_key(j, fields->name);
		put_field(j, fields, (const char *)from + fields->offset);
	}
	json_object_end(j);
}

void probe_to_json(const struct probe *p, struct json *j)
{
	put_object(j, probe_fields, p);
}

/* ---- reading ---- */

struct reading {
	struct json_reader r;
	struct arena *arena;
	bool is_out_of_memory;
};

static void no_memory(struct reading *in)
{
	in->is_out_of_memory = true;
	json_read_fail(&in->r, "out of memory");
}

static bool expect(struct reading *in, enum json_kind is, enum json_kind wanted,
		   const char *problem)
{
	if (is == wanted)
		return true;
	json_read_fail(&in->r, problem);
	return false;
}

static const char *keep_text(struct reading *in, const struct json_value *v)
{
	const char *copy = arena_copy(in->arena, v->s, v->len);

	if (!copy)
		no_memory(in);
	return copy;
}

/* The elements of a list are collected in a vector first and then kept in one piece. */
static void *keep_list(struct reading *in, const void *items, size_t bytes)
{
	void *kept = arena_alloc(in->arena, bytes ? bytes : 1);

	if (!kept)
		no_memory(in);
	else if (bytes)
		memcpy(kept, items, bytes);
	return kept;
}

static void read_texts(struct reading *in, struct probe_texts *list)
{
	VEC(const char *) all = {};
	struct json_value v;

	while (json_read_item(&in->r)) {
		if (!expect(in, json_read_value(&in->r, &v), JSON_STRING, "expected a string"))
			break;
		if (vec_push(&all, keep_text(in, &v)) < 0)
			no_memory(in);
	}
	list->items = keep_list(in, all.items, all.count * sizeof(*all.items));
	list->count = list->items ? all.count : 0;
	free(all.items);
}

static void read_numbers(struct reading *in, struct probe_numbers *list)
{
	VEC(uint64_t) all = {};
	struct json_value v;

	while (json_read_item(&in->r)) {
		if (!expect(in, json_read_value(&in->r, &v), JSON_UNSIGNED, "expected a number"))
			break;
		if (vec_push(&all, v.u) < 0)
			no_memory(in);
	}
	list->items = keep_list(in, all.items, all.count * sizeof(*all.items));
	list->count = list->items ? all.count : 0;
	free(all.items);
}

static void set_assert(struct reading *in, struct ktstr_assert *a, const struct assert_field *f,
		       const struct json_value *v)
{
	void *at = (char *)a + f->offset;
	double value = 0;

	if (v->kind == JSON_NULL)
		return;
	if (v->kind == JSON_FALSE)
		value = KTSTR_OFF;
	else if (v->kind == JSON_TRUE)
		value = KTSTR_ON;
	else if (!json_number(v, &value) || value < 0 || value > 1e18)
		json_read_fail(&in->r, "expected a threshold");
	else if (value == 0)
		value = (double)KTSTR_ZERO;
	if (f->kind == ASSERT_SWITCH)
		*(int *)at = value == KTSTR_ON ? KTSTR_ON : KTSTR_OFF;
	else if (f->kind == ASSERT_INTEGER)
		*(int64_t *)at = (int64_t)value;
	else
		*(double *)at = value;
}

static void read_assert(struct reading *in, struct ktstr_assert *a)
{
	struct json_value key, v;

	while (json_read_key(&in->r, &key)) {
		const struct assert_field *found = NULL;

		for (size_t i = 0; i < ASSERT_FIELDS; i++)
			if (str_eq(assert_fields[i].name, key.s))
				found = &assert_fields[i];
		if (!found) {
			json_read_skip(&in->r);
			continue;
		}
		json_read_value(&in->r, &v);
		set_assert(in, a, found, &v);
	}
}

static void read_object(struct reading *in, const struct field *fields, void *into);

static void read_objects(struct reading *in, const struct field *f, struct any_list *list)
{
	_free_ void *all = NULL;
	size_t count = 0, cap = 0;
	struct json_value v;

	while (json_read_item(&in->r)) {
		if (!expect(in, json_read_value(&in->r, &v), JSON_OBJECT, "expected an object"))
			break;
		if (vec_grow(&all, &cap, count + 1, f->size) < 0) {
			no_memory(in);
			break;
		}
		memset((char *)all + count * f->size, 0, f->size);
		read_object(in, f->sub, (char *)all + count * f->size);
		count++;
	}
	list->items = keep_list(in, all, count * f->size);
	list->count = list->items ? count : 0;
}

/* What a kind of field looks like in JSON; texts and config_file_def may be null. */
static bool is_suitable(enum field_kind kind, enum json_kind is)
{
	switch (kind) {
	case FIELD_TEXT:
		return is == JSON_STRING || is == JSON_NULL;
	case FIELD_NUMBER:
		return is == JSON_UNSIGNED;
	case FIELD_BOOL:
		return is == JSON_TRUE || is == JSON_FALSE;
	case FIELD_TEXTS:
		return is == JSON_ARRAY || is == JSON_NULL;
	case FIELD_NUMBERS:
	case FIELD_OBJECTS:
		return is == JSON_ARRAY;
	default:
		return is == JSON_OBJECT;
	}
}

static void read_field(struct reading *in, const struct field *f, void *at)
{
	struct json_value v;

	if (!is_suitable(f->kind, json_read_value(&in->r, &v))) {
		json_read_fail(&in->r, "a value of another kind was expected");
		return;
	}
	if (f->kind == FIELD_TEXT)
		*(const char **)at = v.kind == JSON_NULL ? NULL : keep_text(in, &v);
	else if (f->kind == FIELD_NUMBER)
		*(uint64_t *)at = v.u;
	else if (f->kind == FIELD_BOOL)
		*(bool *)at = v.kind == JSON_TRUE;
	else if (f->kind == FIELD_TEXTS && v.kind == JSON_ARRAY)
		read_texts(in, at);
	else if (f->kind == FIELD_NUMBERS)
		read_numbers(in, at);
	else if (f->kind == FIELD_OBJECT)
		read_object(in, f->sub, at);
	else if (f->kind == FIELD_OBJECTS)
		read_objects(in, f, at);
	else if (f->kind == FIELD_ASSERT)
		read_assert(in, at);
}

static void read_object(struct reading *in, const struct field *fields, void *into)
{
	struct json_value key;

	while (json_read_key(&in->r, &key)) {
		const struct field *f = fields;

		while (f->name && !str_eq(f->name, key.s))
			f++;
		if (f->name)
			read_field(in, f, (char *)into + f->offset);
		else
			json_read_skip(&in->r);
	}
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
	struct reading in = { .arena = &p->arena };
	struct json_value v;

	json_read_init(&in.r, text, len);
	if (expect(&in, json_read_value(&in.r, &v), JSON_OBJECT, "expected an object"))
		read_object(&in, probe_fields, p);
	if (!json_read_end(&in.r)) {
		if (in.is_out_of_memory)
			return err_no_memory();
		return err_set(EINVAL, "%s at byte %zu", in.r.problem, in.r.problem_at);
	}
	if (p->schema_version != PROGRAM_PROBE_SCHEMA)
		return err_set(EINVAL, "schema version %llu, this ktstr knows version %d",
			       (unsigned long long)p->schema_version, PROGRAM_PROBE_SCHEMA);
	return check_names(p);
}

void probe_finish(struct probe *p)
{
	arena_finish(&p->arena);
	*p = (struct probe){};
}

const struct probe_test *probe_find_test(const struct probe *p, const char *name)
{
	for (size_t i = 0; i < p->tests.count; i++)
		if (str_eq(p->tests.items[i].name, name))
			return &p->tests.items[i];
	return NULL;
}

const struct probe_sched *probe_find_sched(const struct probe *p, const char *name)
{
	for (size_t i = 0; i < p->schedulers.count; i++)
		if (str_eq(p->schedulers.items[i].name, name))
			return &p->schedulers.items[i];
	return NULL;
}

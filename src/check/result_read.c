// SPDX-License-Identifier: GPL-2.0-only
/* Reading a result back. The text comes out of a guest: nothing in it is trusted. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/err.h"
#include "base/json_read.h"
#include "base/util.h"
#include "check/result.h"
#include "check/result_fields.h"
#include "work/types.h"

struct reading {
	struct json_reader r;
	struct ktstr_result *res;
	uint64_t schema;
};

static void fail(struct reading *in, const char *problem)
{
	json_read_fail(&in->r, problem);
}

static void no_memory(struct reading *in)
{
	in->res->failed_alloc = true;
	fail(in, "out of memory");
}

/* The next value has to be of this kind. */
static bool enter(struct reading *in, enum json_kind wanted, const char *problem)
{
	struct json_value v;

	if (json_read_value(&in->r, &v) == wanted)
		return true;
	fail(in, problem);
	return false;
}

static uint64_t read_whole(struct reading *in, uint64_t max)
{
	struct json_value v;

	if (json_read_value(&in->r, &v) == JSON_UNSIGNED && v.u <= max)
		return v.u;
	fail(in, "expected a whole number in its range");
	return 0;
}

static char *read_text(struct reading *in)
{
	struct json_value v;
	char *copy;

	if (json_read_value(&in->r, &v) != JSON_STRING) {
		fail(in, "expected a string");
		return NULL;
	}
	copy = strndup(v.s, v.len);
	if (!copy)
		no_memory(in);
	return copy;
}

/* ---- plain fields ---- */

static bool whole_fits(const struct json_value *v, uint64_t max)
{
	return v->kind == JSON_UNSIGNED && v->u <= max;
}

static bool set_text(struct reading *in, char **at, const struct json_value *v)
{
	if (v->kind != JSON_STRING)
		return false;
	free(*at); /* a name that is given twice */
	*at = strndup(v->s, v->len);
	if (!*at)
		no_memory(in);
	return true;
}

static bool set_int(int *at, const struct json_value *v)
{
	if (v->kind == JSON_NEGATIVE && v->i >= INT_MIN)
		*at = (int)v->i;
	else if (whole_fits(v, INT_MAX))
		*at = (int)v->u;
	else
		return false;
	return true;
}

static bool set_polarity(enum ktstr_polarity *at, const struct json_value *v)
{
	for (size_t i = 0; v->kind == JSON_STRING && i < ARRAY_SIZE(result_polarities); i++) {
		if (!str_eq(result_polarities[i], v->s))
			continue;
		*at = (enum ktstr_polarity)i;
		return true;
	}
	return false;
}

static bool set_cpus(struct worker_cpus *at, const struct json_value *v)
{
	_cleanup_(cpulist_finish) struct cpulist list = {};

	if (v->kind != JSON_STRING || cpulist_parse(v->s, &list) < 0)
		return false;
	*at = (struct worker_cpus){};
	for (size_t i = 0; i < list.count; i++)
		worker_cpus_add(at, list.cpus[i]);
	return true;
}

static bool set_value(struct reading *in, const struct result_field *f, void *at,
		      const struct json_value *v)
{
	switch (f->kind) {
	case RESULT_TEXT:
		return set_text(in, at, v);
	case RESULT_U16:
		*(uint16_t *)at = (uint16_t)v->u;
		return whole_fits(v, UINT16_MAX);
	case RESULT_U32:
		*(uint32_t *)at = (uint32_t)v->u;
		return whole_fits(v, UINT32_MAX);
	case RESULT_INT:
		return set_int(at, v);
	case RESULT_BOOL:
		*(bool *)at = v->kind == JSON_TRUE;
		return v->kind == JSON_TRUE || v->kind == JSON_FALSE;
	case RESULT_U64:
		*(uint64_t *)at = v->u;
		return v->kind == JSON_UNSIGNED;
	case RESULT_DOUBLE:
		return json_number(v, at);
	case RESULT_POLARITY:
		return set_polarity(at, v);
	case RESULT_CPUS:
		return set_cpus(at, v);
	}
	return false;
}

/* A null is only right where there may be no reading. */
static void read_field(struct reading *in, const struct result_field *f, char *into)
{
	struct json_value v = {};
	enum json_kind kind = json_read_value(&in->r, &v);

	if (kind == JSON_NULL && (f->has != RESULT_ALWAYS || f->kind == RESULT_TEXT))
		return;
	if (kind == JSON_ARRAY || kind == JSON_OBJECT || !set_value(in, f, into + f->offset, &v)) {
		fail(in, "a value of another kind was expected");
		return;
	}
	if (f->has != RESULT_ALWAYS)
		*(bool *)(into + f->has) = true;
}

/* True when the key is one of the fields: then its value was read. */
static bool read_if_field(struct reading *in, const struct result_field *f, void *into,
			  const char *key)
{
	while (f->name && !str_eq(f->name, key))
		f++;
	if (!f->name)
		return false;
	read_field(in, f, into);
	return true;
}

/* ---- histograms ---- */

/* Buckets come in ascending order, so each is looked for behind the last. */
static void read_bucket(struct reading *in, struct histogram *h, unsigned int *at)
{
	uint64_t floor, count;

	if (!enter(in, JSON_ARRAY, "expected a bucket"))
		return;
	floor = json_read_item(&in->r) ? read_whole(in, UINT64_MAX) : 0;
	count = json_read_item(&in->r) ? read_whole(in, UINT32_MAX) : 0;
	json_read_leave(&in->r);
	while (*at < HISTOGRAM_BUCKETS && histogram_bucket_floor(*at) < floor)
		++*at;
	if (*at == HISTOGRAM_BUCKETS || histogram_bucket_floor(*at) != floor) {
		fail(in, "no such bucket, or not in ascending order");
		return;
	}
	h->buckets[(*at)++] = (uint32_t)count;
}

static void read_buckets(struct reading *in, struct histogram *h)
{
	unsigned int at = 0;

	if (!enter(in, JSON_ARRAY, "expected an array of buckets"))
		return;
	while (json_read_item(&in->r))
		read_bucket(in, h, &at);
}

static void read_optional_u64(struct reading *in, uint64_t *value)
{
	struct json_value v;
	enum json_kind kind = json_read_value(&in->r, &v);

	if (kind == JSON_UNSIGNED)
		*value = v.u;
	else if (kind != JSON_NULL)
		fail(in, "expected a whole number or null");
}

static void read_double(struct reading *in, double *value)
{
	struct json_value v;

	json_read_value(&in->r, &v);
	if (!json_number(&v, value))
		fail(in, "expected a number");
}

/* Percentiles are not read: they follow from the buckets. */
static void read_histogram_field(struct reading *in, struct histogram *h, const char *key)
{
	if (str_eq(key, "count"))
		h->count = read_whole(in, UINT64_MAX);
	else if (str_eq(key, "min_ns"))
		read_optional_u64(in, &h->min);
	else if (str_eq(key, "max_ns"))
		read_optional_u64(in, &h->max);
	else if (str_eq(key, "sum_ns"))
		read_double(in, &h->sum);
	else if (str_eq(key, "sum_of_squares"))
		read_double(in, &h->sum_of_squares);
	else if (str_eq(key, "buckets"))
		read_buckets(in, h);
	else
		json_read_skip(&in->r);
}

/* Null = nothing was measured. */
static void read_histogram(struct reading *in, struct histogram *h)
{
	struct json_value key;
	enum json_kind kind = json_read_value(&in->r, &key);
	uint64_t sum = 0;

	histogram_init(h);
	if (kind != JSON_OBJECT) {
		if (kind != JSON_NULL)
			fail(in, "expected a histogram");
		return;
	}
	while (json_read_key(&in->r, &key))
		read_histogram_field(in, h, key.s);
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		sum += h->buckets[i];
	if (sum != h->count)
		fail(in, "the buckets of a histogram do not add up to its count");
}

/* ---- the parts ---- */

static struct histogram *histogram_of(struct cgroup_stats *s, const char *key)
{
	return str_eq(key, "wakes")	   ? &s->wakes :
	       str_eq(key, "timers")	   ? &s->timers :
	       str_eq(key, "waits")	   ? &s->waits :
	       str_eq(key, "wakeup_waits") ? &s->wakeup_waits :
					     NULL;
}

static void read_nice(struct reading *in, struct cgroup_stats *s)
{
	if (!enter(in, JSON_ARRAY, "expected an array of nice values"))
		return;
	while (json_read_item(&in->r)) {
		struct json_value v = {};
		int value = WORKER_NICE_COUNT;
		uint64_t ns;

		if (!enter(in, JSON_ARRAY, "expected a nice value and its CPU time"))
			return;
		if (json_read_item(&in->r))
			json_read_value(&in->r, &v);
		ns = json_read_item(&in->r) ? read_whole(in, UINT64_MAX) : 0;
		json_read_leave(&in->r);
		if (!set_int(&value, &v) || value < WORKER_MIN_NICE ||
		    value >= WORKER_MIN_NICE + WORKER_NICE_COUNT) {
			fail(in, "no such nice value");
			return;
		}
		s->nice_cpu_time_ns[value - WORKER_MIN_NICE] = ns;
	}
}

/* A newer guest may have kinds that we do not know. */
static void read_work(struct reading *in, struct cgroup_stats *s)
{
	if (!enter(in, JSON_ARRAY, "expected an array of work types"))
		return;
	while (json_read_item(&in->r)) {
		_free_ char *name = read_text(in);

		for (int kind = KTSTR_WORK_DEFAULT + 1; name && kind < KTSTR_WORK_COUNT; kind++)
			if (str_eq(work_type_row((enum ktstr_work_kind)kind)->info.name, name))
				s->work_kinds |= UINT64_C(1) << kind;
	}
}

static void read_stats(struct reading *in, struct cgroup_stats *s)
{
	struct json_value key;

	cgroup_stats_init(s);
	if (!enter(in, JSON_OBJECT, "expected statistics"))
		return;
	while (json_read_key(&in->r, &key)) {
		struct histogram *h = histogram_of(s, key.s);

		if (h)
			read_histogram(in, h);
		else if (str_eq(key.s, "nice_cpu_time_ns"))
			read_nice(in, s);
		else if (str_eq(key.s, "work_types"))
			read_work(in, s);
		else if (!read_if_field(in, result_stats_fields, s, key.s))
			json_read_skip(&in->r);
	}
	if (!s->name)
		fail(in, "a cgroup without a name");
}

static void read_detail(struct reading *in, struct detail *d)
{
	static const char *const kinds[] = {
#define X(id, text) text,
		DETAIL_KINDS(X)
#undef X
	};
	_free_ char *kind = NULL, *verdict = NULL;
	struct json_value key;

	d->kind = DETAIL_OTHER;
	if (!enter(in, JSON_OBJECT, "expected a detail"))
		return;
	while (json_read_key(&in->r, &key)) {
		char **to = str_eq(key.s, "kind")    ? &kind :
			    str_eq(key.s, "verdict") ? &verdict :
			    str_eq(key.s, "message") ? &d->message :
						       NULL;

		if (str_eq(key.s, "time_ns"))
			d->time_ns = read_whole(in, UINT64_MAX);
		else if (!to || *to)
			json_read_skip(&in->r);
		else
			*to = read_text(in);
	}
	/* A newer guest may have kinds that we do not know. */
	for (size_t i = 0; kind && i < ARRAY_SIZE(kinds); i++)
		if (str_eq(kinds[i], kind))
			d->kind = (enum detail_kind)i;
	if (verdict_from_name(verdict, &d->verdict) && d->message)
		return;
	fail(in, "a detail without message or verdict");
}

/* Reads the elements of an array into a vector; an element that fails is kept, to be freed. */
#define READ_ALL(in, vector, read)                                                              \
	do {                                                                                    \
		if (!enter((in), JSON_ARRAY, "expected an array"))                              \
			break;                                                                  \
		while (json_read_item(&(in)->r)) {                                              \
			if (vec_reserve((vector), (vector)->count + 1) < 0) {                   \
				no_memory(in);                                                  \
				break;                                                          \
			}                                                                       \
			memset(&(vector)->items[(vector)->count], 0, sizeof(*(vector)->items)); \
			read((in), &(vector)->items[(vector)->count++]);                        \
		}                                                                               \
	} while (0)

static void read_table(struct reading *in, const struct result_field *fields, void *into)
{
	struct json_value key;

	if (!enter(in, JSON_OBJECT, "expected an object"))
		return;
	while (json_read_key(&in->r, &key))
		if (!read_if_field(in, fields, into, key.s))
			json_read_skip(&in->r);
}

static void read_cpu(struct reading *in, struct cpu_events *c)
{
	read_table(in, result_cpu_fields, c);
}

static void read_task(struct reading *in, struct task_events *t)
{
	read_table(in, result_task_fields, t);
	if (!t->name)
		fail(in, "a task without a name");
}

/* Null = no events were recorded. */
/* NOLINTNEXTLINE(readability-function-size): of macros */
static void read_events(struct reading *in, struct phase_events *e)
{
	struct json_value key;
	enum json_kind kind = json_read_value(&in->r, &key);

	e->is_known |= kind == JSON_OBJECT;
	if (kind != JSON_OBJECT && kind != JSON_NULL)
		fail(in, "expected events");
	while (kind == JSON_OBJECT && json_read_key(&in->r, &key)) {
		if (str_eq(key.s, "cpus"))
			READ_ALL(in, &e->cpus, read_cpu);
		else if (str_eq(key.s, "tasks"))
			READ_ALL(in, &e->tasks, read_task);
		else if (!read_if_field(in, result_events_fields, e, key.s))
			json_read_skip(&in->r);
	}
}

/* NOLINTNEXTLINE(readability-function-size): of macros */
static void read_phase(struct reading *in, struct phase_stats *phase)
{
	struct json_value key;

	if (!enter(in, JSON_OBJECT, "expected a phase"))
		return;
	while (json_read_key(&in->r, &key)) {
		if (str_eq(key.s, "name") && !phase->name)
			phase->name = read_text(in);
		else if (str_eq(key.s, "start_ms"))
			phase->start_ms = read_whole(in, UINT64_MAX);
		else if (str_eq(key.s, "end_ms"))
			phase->end_ms = read_whole(in, UINT64_MAX);
		else if (str_eq(key.s, "cgroups"))
			READ_ALL(in, &phase->cgroups, read_stats);
		else if (str_eq(key.s, "events"))
			read_events(in, &phase->events);
		else
			json_read_skip(&in->r);
	}
	if (!phase->name)
		fail(in, "a phase without a name");
}

static void read_stimulus(struct reading *in, struct stimulus *s)
{
	read_table(in, result_stimulus_fields, s);
}

static void read_metric(struct reading *in, struct named_metric *m)
{
	read_table(in, result_metric_fields, m);
	if (!m->name)
		fail(in, "a metric without a name");
}

static void read_extraction(struct reading *in, char **request)
{
	*request = read_text(in);
}

static void read_verdict(struct reading *in, bool *has_verdict)
{
	_free_ char *text = read_text(in);

	if (verdict_from_name(text, &in->res->verdict))
		*has_verdict = true;
}

/* NOLINTNEXTLINE(readability-function-size): of macros */
static void read_result(struct reading *in, bool *has_verdict)
{
	struct ktstr_result *res = in->res;
	struct json_value key;

	if (!enter(in, JSON_OBJECT, "expected an object"))
		return;
	while (json_read_key(&in->r, &key)) {
		if (str_eq(key.s, "schema_version"))
			in->schema = read_whole(in, UINT64_MAX);
		else if (str_eq(key.s, "verdict"))
			read_verdict(in, has_verdict);
		else if (str_eq(key.s, "details"))
			READ_ALL(in, &res->details, read_detail);
		else if (str_eq(key.s, "cgroups"))
			READ_ALL(in, &res->cgroups, read_stats);
		else if (str_eq(key.s, "phases"))
			READ_ALL(in, &res->phases, read_phase);
		else if (str_eq(key.s, "stimuli"))
			READ_ALL(in, &res->stimuli, read_stimulus);
		else if (str_eq(key.s, "metrics"))
			READ_ALL(in, &res->metrics, read_metric);
		else if (str_eq(key.s, "extractions"))
			READ_ALL(in, &res->extractions, read_extraction);
		else
			json_read_skip(&in->r);
	}
}

static int read_problem(const struct reading *in, bool has_verdict)
{
	if (in->r.problem && in->res->failed_alloc)
		return err_no_memory();
	if (in->r.problem)
		return err_set(EINVAL, "result: %s at byte %zu", in->r.problem, in->r.problem_at);
	if (in->schema != RESULT_SCHEMA)
		return err_set(EINVAL, "result: schema version %llu, this ktstr knows version %d",
			       (unsigned long long)in->schema, RESULT_SCHEMA);
	return has_verdict ? 0 : err_set(EINVAL, "result: there is no verdict");
}

int result_from_json(struct ktstr_result *r, char *text, size_t len)
{
	struct reading in = { .res = r };
	bool has_verdict = false;
	int rc;

	result_init(r);
	json_read_init(&in.r, text, len);
	read_result(&in, &has_verdict);
	json_read_end(&in.r);
	rc = read_problem(&in, has_verdict);
	if (rc < 0)
		result_finish(r);
	return rc;
}

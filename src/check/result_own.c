// SPDX-License-Identifier: GPL-2.0-only
/*
 * Members of a result that need code of their own: verdicts, CPUs, histograms, nice values,
 * work.
 */
#include <math.h>

#include "check/parts.h"
#include "work/types.h"

const char *const polarity_words[] = {
	[KTSTR_POLARITY_UNKNOWN] = "unknown",
	[KTSTR_HIGHER_BETTER] = "higher",
	[KTSTR_LOWER_BETTER] = "lower",
	[KTSTR_TARGET] = "target",
	NULL,
};

static void put_verdict(struct json *j, const void *member)
{
	json_string(j, verdict_name(*(const enum ktstr_verdict *)member));
}

static bool load_verdict(struct json_load *l _unused_, const struct json_value *v, void *member)
{
	return v->kind == JSON_STRING && verdict_from_name(v->s, member);
}

const struct json_own verdict_own = { put_verdict, load_verdict };

static void put_cpus(struct json *j, const void *member)
{
	_str_ struct str text = {};
	unsigned int cpus[WORKER_MAX_CPUS];
	size_t count = 0;

	for (unsigned int cpu = 0; cpu < WORKER_MAX_CPUS; cpu++)
		if (worker_cpus_have(member, cpu))
			cpus[count++] = cpu;
	cpulist_format(cpus, count, &text);
	j->out->failed |= text.failed;
	json_string(j, str_get(&text));
}

static bool load_cpus(struct json_load *l _unused_, const struct json_value *v, void *member)
{
	_cleanup_(cpulist_finish) struct cpulist list = {};

	if (v->kind != JSON_STRING || cpulist_parse(v->s, &list) < 0)
		return false;
	*(struct worker_cpus *)member = (struct worker_cpus){};
	for (size_t i = 0; i < list.count; i++)
		worker_cpus_add(member, list.cpus[i]);
	return true;
}

const struct json_own cpus_own = { put_cpus, load_cpus };

/* ---- arrays of pairs of numbers ---- */

/* Reads the next pair of the array; a missing number is 0. */
static bool load_pair(struct json_load *l, struct json_value pair[2])
{
	memset(pair, 0, 2 * sizeof(*pair));
	if (!json_read_item(l->r))
		return false;
	if (json_read_value(l->r, &pair[0]) != JSON_ARRAY) {
		json_read_fail(l->r, "expected a pair of numbers");
		return false;
	}
	for (int i = 0; i < 2; i++) {
		pair[i] = (struct json_value){};
		if (json_read_item(l->r))
			json_read_value(l->r, &pair[i]);
		if (pair[i].kind == JSON_ARRAY || pair[i].kind == JSON_OBJECT)
			json_read_leave(l->r);
	}
	json_read_leave(l->r);
	return !l->r->problem;
}

static void put_buckets(struct json *j, const void *member)
{
	const struct histogram *h = member;

	json_array(j);
	for (unsigned int i = 0; h->count && i < HISTOGRAM_BUCKETS; i++) {
		if (!h->buckets[i])
			continue;
		json_array(j);
		json_u64(j, histogram_bucket_floor(i));
		json_u64(j, h->buckets[i]);
		json_array_end(j);
	}
	json_array_end(j);
}

/* Buckets are in ascending order, so each is searched for after the last. */
static bool load_buckets(struct json_load *l, const struct json_value *v, void *member)
{
	struct histogram *h = member;
	struct json_value pair[2];
	unsigned int at = 0;

	if (v->kind != JSON_ARRAY)
		return false;
	while (load_pair(l, pair)) {
		while (at < HISTOGRAM_BUCKETS && histogram_bucket_floor(at) < pair[0].u)
			at++;
		if (at == HISTOGRAM_BUCKETS || histogram_bucket_floor(at) != pair[0].u ||
		    pair[0].kind != JSON_UNSIGNED || pair[1].kind != JSON_UNSIGNED ||
		    pair[1].u > UINT32_MAX)
			json_read_fail(l->r, "no such bucket, or not in ascending order");
		else
			h->buckets[at++] = (uint32_t)pair[1].u;
	}
	return true;
}

static const struct json_own buckets_own = { put_buckets, load_buckets };

/* Percentiles are not read: they follow from the buckets. */
static const struct json_field histogram_fields[] = {
	JSON_FIELD(histogram, count, U64),
	JSON_NAMED("max_ns", histogram, max, U64, .flags = FIELD_OPEN),
	JSON_NAMED("min_ns", histogram, min, U64, .flags = FIELD_OPEN),
	JSON_NAMED("sum_ns", histogram, sum, DOUBLE),
	JSON_FIELD(histogram, sum_of_squares, DOUBLE),
	{ .name = "buckets", .kind = FIELD_OWN, .own = &buckets_own },
	{},
};

void result_put_percentiles(struct json *j, const struct latency *l)
{
	bool has = l->count > 0;

	json_put_u64(j, "count", l->count);
	json_put_known_u64(j, "p50_ns", has, l->p50_ns);
	json_put_known_u64(j, "p90_ns", has, l->p90_ns);
	json_put_known_u64(j, "p99_ns", has, l->p99_ns);
	json_put_known_u64(j, "p999_ns", has, l->p999_ns);
	json_put_known_u64(j, "max_ns", has, l->max_ns);
	/* NAN is written as null. */
	json_put_double(j, "cv", l->count >= 2 ? l->cv : NAN);
	json_put_double(j, "tail_ratio", l->tail_ratio > 0 ? l->tail_ratio : NAN);
}

/* Percentiles for readers, buckets for plots and sums. */
static void put_histogram(struct json *j, const void *member)
{
	const struct histogram *h = member;
	struct latency l;

	latency_of(h, &l);
	json_object(j);
	result_put_percentiles(j, &l);
	json_put_known_u64(j, "min_ns", h->count > 0, h->min);
	json_put_fields(j, histogram_fields + 3, h);
	json_object_end(j);
}

static bool load_histogram(struct json_load *l, const struct json_value *v, void *member)
{
	struct histogram *h = member;
	uint64_t sum = 0;

	if (v->kind != JSON_OBJECT)
		return false;
	json_load_fields(l, histogram_fields, h);
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		sum += h->buckets[i];
	if (sum != h->count)
		json_read_fail(l->r, "the buckets of a histogram do not add up to its count");
	return true;
}

const struct json_own histogram_own = { put_histogram, load_histogram };

/* Alternating bucket and count, for buckets that are not empty. */
static void put_wait_buckets(struct json *j, const void *member)
{
	const struct wait_buckets *b = member;

	json_array(j);
	for (unsigned int i = 0; i < OBSERVE_BUCKETS; i++) {
		if (!b->counts[i])
			continue;
		json_u64(j, i);
		json_u64(j, b->counts[i]);
	}
	json_array_end(j);
}

static bool load_wait_buckets(struct json_load *l, const struct json_value *v, void *member)
{
	struct wait_buckets *b = member;
	struct json_value bucket, count;

	if (v->kind != JSON_ARRAY)
		return false;
	b->is_known = true;
	while (json_read_item(l->r)) {
		bool is_bucket = json_read_value(l->r, &bucket) == JSON_UNSIGNED &&
				 bucket.u < OBSERVE_BUCKETS;

		if (is_bucket && json_read_item(l->r) &&
		    json_read_value(l->r, &count) == JSON_UNSIGNED && count.u <= UINT32_MAX)
			b->counts[bucket.u] = (uint32_t)count.u;
		else
			json_read_fail(l->r, "expected buckets of waits, each with its count");
	}
	return true;
}

static bool wait_buckets_has(const void *member)
{
	return ((const struct wait_buckets *)member)->is_known;
}

const struct json_own wait_buckets_own = { put_wait_buckets, load_wait_buckets, wait_buckets_has };

/* Pairs of nice value and CPU time, for nice values that used any. */
static void put_nice(struct json *j, const void *member)
{
	const uint64_t *ns = member;

	json_array(j);
	for (int i = 0; i < WORKER_NICE_COUNT; i++) {
		if (!ns[i])
			continue;
		json_array(j);
		json_i64(j, i + WORKER_MIN_NICE);
		json_u64(j, ns[i]);
		json_array_end(j);
	}
	json_array_end(j);
}

static bool load_nice(struct json_load *l, const struct json_value *v, void *member)
{
	struct json_value pair[2];

	if (v->kind != JSON_ARRAY)
		return false;
	while (load_pair(l, pair)) {
		int64_t value = pair[0].kind == JSON_NEGATIVE ? pair[0].i :
				pair[0].kind == JSON_UNSIGNED && pair[0].u <= INT32_MAX ?
								(int64_t)pair[0].u :
								WORKER_NICE_COUNT;

		if (value < WORKER_MIN_NICE || value >= WORKER_MIN_NICE + WORKER_NICE_COUNT ||
		    pair[1].kind != JSON_UNSIGNED)
			json_read_fail(l->r, "no such nice value");
		else
			((uint64_t *)member)[value - WORKER_MIN_NICE] = pair[1].u;
	}
	return true;
}

const struct json_own nice_own = { put_nice, load_nice };

static void put_work(struct json *j, const void *member)
{
	uint64_t kinds = *(const uint64_t *)member;

	json_array(j);
	for (int kind = 0; kind < KTSTR_WORK_COUNT; kind++)
		if (kinds >> kind & 1)
			json_string(j, work_type_row((enum ktstr_work_kind)kind)->info.name);
	json_array_end(j);
}

/* A newer guest may send kinds that this program does not know. */
static bool load_work(struct json_load *l, const struct json_value *v, void *member)
{
	struct json_value name;

	if (v->kind != JSON_ARRAY)
		return false;
	while (json_read_item(l->r)) {
		if (json_read_value(l->r, &name) != JSON_STRING) {
			json_read_fail(l->r, "expected a string");
			break;
		}
		for (int kind = KTSTR_WORK_DEFAULT + 1; kind < KTSTR_WORK_COUNT; kind++)
			if (str_eq(work_type_row((enum ktstr_work_kind)kind)->info.name, name.s))
				*(uint64_t *)member |= UINT64_C(1) << kind;
	}
	return true;
}

const struct json_own work_own = { put_work, load_work };

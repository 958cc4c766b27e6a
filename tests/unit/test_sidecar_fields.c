// SPDX-License-Identifier: GPL-2.0-only
/* Fields of records that are converted, their limits, and reading without enough memory. */
#include "unit.h"

#include <errno.h>

#include "base/err.h"
#include "record/sidecar.h"

int __wrap_vec_grow(void **items, size_t *cap, size_t need, size_t size);
int __real_vec_grow(void **items, size_t *cap, size_t need, size_t size);
int __wrap_host_context_load(struct host_context *h, struct json_reader *r);
int __real_host_context_load(struct host_context *h, struct json_reader *r);

static bool fail_buckets, fail_host;

int __wrap_vec_grow(void **items, size_t *cap, size_t need, size_t size)
{
	if (fail_buckets && size == sizeof(struct latency_bucket))
		return -ENOMEM;
	return __real_vec_grow(items, cap, need, size);
}

int __wrap_host_context_load(struct host_context *h, struct json_reader *r)
{
	return fail_host ? -ENOMEM : __real_host_context_load(h, r);
}

#define START "{\"schema_version\":1,\"test_name\":\"t\",\"topology\":\"1n1l1c1t\","
#define REST "\"scheduler\":\"eevdf\",\"work_type\":\"CpuSpin\",\"outcome\":\"pass\""
#define WAKES(median, buckets)                                                                 \
	",\"stats\":{\"cgroups\":[{\"wakes\":{\"count\":1,\"min_ns\":1,\"p50_ns\":" median "," \
	"\"p90_ns\":1,\"p99_ns\":30,\"p999_ns\":1,\"max_ns\":1,\"mean_ns\":1,\"cv\":0,"        \
	"\"buckets\":" buckets "}}]}}"

static int parse(struct sidecar *s, const char *text)
{
	_free_ char *copy = strdup(text);

	return sidecar_parse(s, copy, strlen(copy));
}

static void assert_refused(const char *text, const char *why)
{
	struct sidecar s;

	assert_int_equal(parse(&s, text), -EINVAL);
	if (!strstr(err_text(-EINVAL), why))
		fail_msg("expected '%s' in '%s' for %s", why, err_text(-EINVAL), text);
	assert_null(s.test_name);
}

/* 59 powers of two, with 32 buckets each. */
static void the_largest_index_and_count_of_a_bucket_are_read(void **state)
{
	const struct latency *l;
	struct sidecar s;

	(void)state;
	assert_int_equal(HISTOGRAM_BUCKETS, 1888);
	assert_int_equal(parse(&s, START REST WAKES("1", "[0,0,1887,4294967295]")), 0);
	l = &s.stats.cgroups[0].wakes;
	assert_int_equal(l->bucket_count, 2);
	assert_int_equal(l->buckets[1].index, 1887);
	assert_int_equal(l->buckets[1].count, UINT32_MAX);
	sidecar_finish(&s);
}

static void buckets_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	assert_refused(START REST WAKES("1", "[1888,1]"), "expected a bucket's index or count");
	assert_refused(START REST WAKES("1", "[1,4294967296]"),
		       "expected a bucket's index or count");
	assert_refused(START REST WAKES("1", "[\"1\",1]"), "expected a bucket's index or count");
	assert_refused(START REST WAKES("1", "[1,1.5]"), "expected a bucket's index or count");
	assert_refused(START REST WAKES("1", "[1]"), "a bucket without its count");
	assert_refused(START REST WAKES("1", "[1,1,1,1]"), "buckets out of order");
	assert_refused(START REST WAKES("1", "[1,1,0,1]"), "buckets out of order");
	assert_refused(START REST WAKES("1", "7"), "another kind");
	assert_refused(START REST WAKES("1", "{}"), "another kind");
}

static void latencies_and_the_host_are_objects(void **state)
{
	(void)state;
	assert_refused(START REST ",\"stats\":{\"cgroups\":[{\"wakes\":7}]}}", "another kind");
	assert_refused(START REST ",\"stats\":{\"cgroups\":[{\"wakes\":[]}]}}", "another kind");
	assert_refused(START REST ",\"host\":7}", "another kind");
	assert_refused(START REST ",\"host\":[]}", "another kind");
}

/* It is not written, because it follows from the others. */
static void the_ratio_of_a_tail_is_calculated(void **state)
{
	struct sidecar s;

	(void)state;
	assert_int_equal(parse(&s, START REST WAKES("10", "[]")), 0);
	assert_true(s.stats.cgroups[0].wakes.tail_ratio == 3);
	sidecar_finish(&s);
	assert_int_equal(parse(&s, START REST WAKES("0", "[]")), 0);
	assert_true(s.stats.cgroups[0].wakes.tail_ratio == 0);
	sidecar_finish(&s);
}

static void nulls_are_absent_where_a_plain_value_is_expected(void **state)
{
	static const char text[] = START REST ",\"sim_jitter\":null,\"details\":null,"
					      "\"seed\":null,\"phases\":[{\"name\":null,"
					      "\"start_ms\":null,\"end_ms\":5}]}";
	struct sidecar s;

	(void)state;
	assert_int_equal(parse(&s, text), 0);
	assert_int_equal(s.phases[0].start_ms, 0);
	assert_int_equal(s.phases[0].end_ms, 5);
	assert_null(s.phases[0].name);
	assert_false(s.sim_jitter || s.has_seed);
	sidecar_finish(&s);
}

static void flags_of_the_outcome_follow_from_the_verdict(void **state)
{
	static const struct {
		enum ktstr_verdict verdict;
		const char *text;
	} rows[] = {
		{ KTSTR_FAILED, "\"passed\":false,\"skipped\":false,\"outcome\":\"fail\"" },
		{ KTSTR_INCONCLUSIVE,
		  "\"passed\":false,\"skipped\":false,\"outcome\":\"inconclusive\"" },
		{ KTSTR_PASSED, "\"passed\":true,\"skipped\":false,\"outcome\":\"pass\"" },
		{ KTSTR_SKIPPED, "\"passed\":true,\"skipped\":true,\"outcome\":\"skip\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str text = {};
		struct sidecar s;

		sidecar_init(&s);
		assert_int_equal(s.outcome, KTSTR_SKIPPED);
		s.outcome = rows[i].verdict;
		sidecar_to_json(&s, &text);
		assert_non_null(strstr(str_get(&text), rows[i].text));
		/* One line, which is complete. */
		assert_ptr_equal(strchr(text.s, '\n'), text.s + text.len - 1);
	}
}

static void without_memory_nothing_is_read(void **state)
{
	struct sidecar s;

	(void)state;
	fail_buckets = true;
	assert_int_equal(parse(&s, START REST WAKES("1", "[1,1]")), -ENOMEM);
	assert_null(s.test_name);
	assert_int_equal(parse(&s, START REST WAKES("1", "[]")), 0);
	sidecar_finish(&s);
	fail_buckets = false;
	fail_host = true;
	assert_int_equal(parse(&s, START REST ",\"host\":{}}"), -ENOMEM);
	assert_null(s.test_name);
	fail_host = false;
	assert_int_equal(parse(&s, START REST ",\"host\":{}}"), 0);
	assert_ptr_equal(s.host, &s.read_host);
	sidecar_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_index_and_count_of_a_bucket_are_read),
		cmocka_unit_test(buckets_that_do_not_fit_are_refused),
		cmocka_unit_test(latencies_and_the_host_are_objects),
		cmocka_unit_test(the_ratio_of_a_tail_is_calculated),
		cmocka_unit_test(nulls_are_absent_where_a_plain_value_is_expected),
		cmocka_unit_test(flags_of_the_outcome_follow_from_the_verdict),
		cmocka_unit_test(without_memory_nothing_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Thread rows as JSON: extremes of every kind, absent values, names that need escapes. */
#include "unit.h"

#include <errno.h>

#include "base/err.h"
#include "base/str.h"
#include "ctprof/snapshot_fields.h"

static struct thread_record make_thread(void)
{
	return (struct thread_record){ .tid = 7, .tgid = 5, .pcomm = "p", .comm = "c" };
}

static void put_u64(struct thread_record *t, enum metric_id id, uint64_t value)
{
	t->values[id].u = value;
	thread_set_measured(t, id);
}

static char *to_json(struct thread_record *threads, size_t count, bool zero_fill)
{
	struct snapshot s = { .threads = threads, .thread_count = count };
	struct str out = {};

	snapshot_json_head(&s, &out);
	snapshot_json_threads(&s, 0, count, zero_fill, &out);
	snapshot_json_tail(&s, zero_fill, &out);
	assert_int_equal(str_check(&out), 0);
	return str_take(&out);
}

static void assert_has(struct thread_record *t, const char *expected)
{
	char *json = to_json(t, 1, false);

	if (!strstr(json, expected))
		fail_msg("expected %s in %s", expected, json);
	free(json);
}

static void every_metric_is_there_in_order_and_null(void **state)
{
	struct thread_record t = make_thread();
	char *json = to_json(&t, 1, false), *at = json;

	(void)state;
	for (int id = 0; id < METRIC_COUNT; id++) {
		char *expected = str_fmt(",\"%s\":null", metrics[id].name);

		if (id == M_thread_count) {
			assert_null(strstr(json, expected));
		} else {
			at = strstr(at, expected);
			assert_non_null(at);
		}
		free(expected);
	}
	assert_non_null(strstr(json, "\"start_time_clock_ticks\":null"));
	assert_non_null(strstr(json, "\"smaps_rollup_kib\":null}]"));
	free(json);
}

static void numbers_of_all_sizes(void **state)
{
	static const uint64_t values[] = { 0,	      9,    10,	   99,	       100,
					   999,	      1000, 12345, 4294967296, 9999999999999999999u,
					   UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct thread_record t = make_thread();
		char *expected = str_fmt(",\"minflt\":%llu,", (unsigned long long)values[i]);

		put_u64(&t, M_minflt, values[i]);
		assert_has(&t, expected);
		free(expected);
	}
}

static void kinds_other_than_numbers(void **state)
{
	struct thread_record t = make_thread();

	(void)state;
	t.values[M_nice].i = INT64_MIN;
	t.values[M_priority].i = -1;
	t.values[M_policy].s = "SCHED_UNKNOWN(18446744073709551615)";
	t.values[M_state].s = "R";
	t.values[M_cpu_affinity].s = "0-2,8191";
	thread_set_measured(&t, M_nice);
	thread_set_measured(&t, M_priority);
	thread_set_measured(&t, M_policy);
	thread_set_measured(&t, M_state);
	thread_set_measured(&t, M_cpu_affinity);
	put_u64(&t, M_ext_enabled, 1);
	assert_has(&t, ",\"nice\":-9223372036854775808,\"priority\":-1,");
	assert_has(&t, "\"policy\":\"SCHED_UNKNOWN(18446744073709551615)\",");
	assert_has(&t, ",\"cpu_affinity\":[0,1,2,8191],");
	assert_has(&t, ",\"state\":\"R\",\"ext_enabled\":true,");
}

static void a_thousand_cpus_fit(void **state)
{
	struct thread_record t = make_thread();

	(void)state;
	t.values[M_cpu_affinity].s = "0-8191";
	thread_set_measured(&t, M_cpu_affinity);
	assert_has(&t, "8190,8191],\"processor\":null");
}

static void names_keep_their_bytes(void **state)
{
	struct thread_record t = make_thread();

	(void)state;
	t.comm = "a\"b\\c\n\x01\xff\xc3\xa9";
	t.pcomm = "";
	t.cgroup = "/a b";
	assert_has(&t, "\"pcomm\":\"\",\"comm\":\"a\\\"b\\\\c\\n\\u0001\\uefff\xc3\xa9\","
		       "\"cgroup\":\"/a b\"");
	t.cgroup = NULL;
	assert_has(&t, "\"cgroup\":null");
}

static void reasons_are_per_source(void **state)
{
	struct thread_record t = make_thread();

	(void)state;
	t.unread[FILE_IO] = EACCES;
	t.unread_taskstats = EPERM;
	t.unread_jemalloc = "ptrace-seize";
	assert_has(&t, ",\"unread\":{\"io\":\"Permission denied\",\"taskstats\":"
		       "\"Operation not permitted\",\"jemalloc\":\"ptrace-seize\"}}]");
}

static void zero_fill_writes_each_kinds_nothing(void **state)
{
	struct thread_record t = make_thread();
	char *json = to_json(&t, 1, true);

	(void)state;
	assert_non_null(strstr(json, "\"start_time_clock_ticks\":0,\"policy\":\"\",\"nice\":0,"));
	assert_non_null(strstr(json, ",\"cpu_affinity\":[],\"processor\":0,\"state\":\"~\","
				     "\"ext_enabled\":false,\"nr_threads\":0,"));
	assert_non_null(strstr(json, ",\"taskstats_measured\":false,"));
	assert_null(strstr(json, ":null,\"hiwater"));
	free(json);
}

static void an_empty_snapshot_is_a_document(void **state)
{
	char *json = to_json(NULL, 0, false);

	(void)state;
	assert_non_null(strstr(json, "\"host\":null,\"threads\":[],\"cgroup_stats\":{},"
				     "\"probe_summary\":null,\"parse_summary\":null,"
				     "\"taskstats_summary\":null,\"psi\":null,\"sched_ext\":null,"
				     "\"unread\":{}}"));
	free(json);
}

/* ---- cgroups, and what is refused ---- */

static void add_cgroup(struct snapshot *s, bool zero_fill, struct str *out)
{
	snapshot_json_head(s, out);
	snapshot_json_tail(s, zero_fill, out);
}

static struct cgroup_record make_cgroup(void)
{
	return (struct cgroup_record){ .path = "/a",
				       .nr_throttled = { true, 3 },
				       .memory_current = { true, 0 } };
}

static void counters_of_cgroups_are_filled_and_named(void **state)
{
	struct cgroup_record c = make_cgroup();
	struct snapshot s = { .cgroups = &c, .cgroup_count = 1 };
	_snapshot_ struct snapshot again = {};
	_str_ struct str plain = {}, filled = {};
	const struct cgroup_record *back;

	(void)state;
	add_cgroup(&s, false, &plain);
	assert_non_null(strstr(str_get(&plain), "\"usage_usec\":null,\"nr_throttled\":3,"
						"\"throttled_usec\":null"));
	assert_null(strstr(str_get(&plain), "zero_filled"));
	add_cgroup(&s, true, &filled);
	assert_non_null(strstr(str_get(&filled), "\"usage_usec\":0,\"nr_throttled\":3,"
						 "\"throttled_usec\":0"));
	assert_non_null(
		strstr(str_get(&filled), "\"zero_filled\":[\"usage_usec\",\"throttled_usec\"]}"));
	assert_false(c.usage_usec.is_known);
	/* They are absent again when the file is read. */
	assert_int_equal(snapshot_parse(&again, filled.s, filled.len), 0);
	assert_int_equal(again.cgroup_count, 1);
	back = &again.cgroups[0];
	assert_string_equal(back->path, "/a");
	assert_false(back->usage_usec.is_known || back->throttled_usec.is_known);
	assert_true(back->nr_throttled.is_known && back->nr_throttled.value == 3);
	assert_true(back->memory_current.is_known && back->memory_current.value == 0);
	assert_false(back->memory_max.is_known);
}

static void expect_refused(const char *json, const char *part)
{
	_free_ char *text = strdup(json);
	_snapshot_ struct snapshot s = {};

	assert_int_equal(snapshot_parse(&s, text, strlen(text)), -EINVAL);
	if (!strstr(err_text(-EINVAL), part))
		fail_msg("no '%s' in: %s", part, err_text(-EINVAL));
}

static void values_of_another_kind_are_refused(void **state)
{
	(void)state;
	expect_refused("{\"cgroup_stats\":{\"/a\":{\"zero_filled\":1}}}", "an array");
	expect_refused("{\"cgroup_stats\":{\"/a\":{\"zero_filled\":[1]}}}", "a string");
	expect_refused("{\"cgroup_stats\":{\"/a\":1}}", "an object");
	expect_refused("{\"cgroup_stats\":[]}", "an object");
	expect_refused("{\"schema_version\":\"1\"}", "a number");
	expect_refused("{\"schema_version\":{}}", "a number");
	expect_refused("{\"schema_version\":1000000}",
		       "snapshot schema 1000000 is newer than this ktstr");
	expect_refused("{\"host\":1}", "an object");
	expect_refused("{\"tool\":1}", "a string");
}

/* A number that does not fit is none, and counted. */
static void schemas_that_are_no_number_of_ours_are_counted(void **state)
{
	static const struct {
		const char *json;
		bool is_known;
		uint64_t unfit;
	} rows[] = {
		{ "{\"schema_version\":1}", true, 0 },
		{ "{\"schema_version\":-1}", false, 1 },
		{ "{\"schema_version\":99999999999999999999}", false, 1 },
		{ "{}", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *text = strdup(rows[i].json);
		_snapshot_ struct snapshot s = {};

		assert_int_equal(snapshot_parse(&s, text, strlen(text)), 0);
		assert_int_equal(s.schema_version.is_known, rows[i].is_known);
		assert_int_equal(s.out_of_range, rows[i].unfit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_metric_is_there_in_order_and_null),
		cmocka_unit_test(numbers_of_all_sizes),
		cmocka_unit_test(kinds_other_than_numbers),
		cmocka_unit_test(a_thousand_cpus_fit),
		cmocka_unit_test(names_keep_their_bytes),
		cmocka_unit_test(reasons_are_per_source),
		cmocka_unit_test(zero_fill_writes_each_kinds_nothing),
		cmocka_unit_test(an_empty_snapshot_is_a_document),
		cmocka_unit_test(counters_of_cgroups_are_filled_and_named),
		cmocka_unit_test(values_of_another_kind_are_refused),
		cmocka_unit_test(schemas_that_are_no_number_of_ours_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Numbers, durations, sizes and CPU lists. */
#include "unit.h"

#include <errno.h>

#include "base/cpulist.h"
#include "base/parse.h"

static void whole_numbers(void **state)
{
	uint64_t v = 99;
	int64_t i;

	(void)state;
	assert_int_equal(parse_u64("0", &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(parse_u64("18446744073709551615", &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(parse_u64("18446744073709551616", &v), -ERANGE);
	assert_int_equal(parse_u64("", &v), -EINVAL);
	assert_int_equal(parse_u64("-1", &v), -EINVAL);
	assert_int_equal(parse_u64("+1", &v), -EINVAL);
	assert_int_equal(parse_u64(" 1", &v), -EINVAL);
	assert_int_equal(parse_u64("1 ", &v), -EINVAL);
	assert_int_equal(parse_u64("0x10", &v), -EINVAL);
	assert_int_equal(parse_i64("-9223372036854775808", &i), 0);
	assert_true(i == INT64_MIN);
	assert_int_equal(parse_i64("9223372036854775807", &i), 0);
	assert_true(i == INT64_MAX);
	assert_int_equal(parse_i64("9223372036854775808", &i), -ERANGE);
	assert_int_equal(parse_i64("--1", &i), -EINVAL);
}

static void a_failed_parse_leaves_the_value_alone(void **state)
{
	uint64_t v = 7;

	(void)state;
	assert_int_equal(parse_u64("12x", &v), -EINVAL);
	assert_int_equal(v, 7);
	assert_int_equal(parse_duration("5", &v), -EINVAL);
	assert_int_equal(v, 7);
}

static void durations(void **state)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t ns;
	} cases[] = {
		{ "100ms", 0, 100000000 },
		{ "30s", 0, 30000000000 },
		{ "5m", 0, 300000000000 },
		{ "1h", 0, 3600000000000 },
		{ "1m30s", 0, 90000000000 },
		{ "1m 30s", 0, 90000000000 },
		{ "1 h  30 min ", 0, 5400000000000 },
		{ "2 SEC", 0, 2000000000 },
		{ " 1s", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "2d", 0, 172800000000000 },
		{ "7us", 0, 7000 },
		{ "7ns", 0, 7 },
		{ "0s", 0, 0 },
		{ "5", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "s", -EINVAL, 0 },
		{ "-1s", -EINVAL, 0 },
		{ "1.5s", -EINVAL, 0 },
		{ "5x", -EINVAL, 0 },
		{ "1s2", -EINVAL, 0 },
		{ "600000000h", -ERANGE, 0 },
		{ "18446744073709551615ns1ns", -ERANGE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t ns = 0;

		print_message("# %s\n", cases[i].text);
		assert_int_equal(parse_duration(cases[i].text, &ns), cases[i].rc);
		if (cases[i].rc == 0)
			assert_int_equal(ns, cases[i].ns);
	}
}

static void sizes_are_iec_only(void **state)
{
	uint64_t bytes;

	(void)state;
	assert_int_equal(parse_size_iec("256mib", &bytes), 0);
	assert_int_equal(bytes, 256u << 20);
	assert_int_equal(parse_size_iec("1GiB", &bytes), 0);
	assert_int_equal(bytes, 1u << 30);
	assert_int_equal(parse_size_iec("4KIB", &bytes), 0);
	assert_int_equal(bytes, 4096);
	assert_int_equal(parse_size_iec("3tib", &bytes), 0);
	assert_true(bytes == 3ULL << 40);
	assert_int_equal(parse_size_iec("16777215tib", &bytes), 0);
	assert_int_equal(parse_size_iec("16777216tib", &bytes), -ERANGE);
	assert_int_equal(parse_size_iec("1gb", &bytes), -EINVAL);
	assert_int_equal(parse_size_iec("1048576", &bytes), -EINVAL);
	assert_int_equal(parse_size_iec("mib", &bytes), -EINVAL);
	assert_int_equal(parse_size_iec("1mib2", &bytes), -EINVAL);
	assert_int_equal(parse_size_iec("99999999tib", &bytes), -ERANGE);
}

static void check_list(const char *text, const char *expected)
{
	_cleanup_(cpulist_finish) struct cpulist list = {};
	_str_ struct str back = {};

	assert_int_equal(cpulist_parse(text, &list), 0);
	cpulist_format(list.cpus, list.count, &back);
	assert_string_equal(str_get(&back), expected);
}

static void cpu_lists_round_trip(void **state)
{
	(void)state;
	check_list("", "");
	check_list("\n", "");
	check_list("0", "0");
	check_list("0-3,5,7-9\n", "0-3,5,7-9");
	check_list("9,7-8,0,0-1", "0-1,7-9");
	check_list(" 1 , 3 ", "1,3");
	check_list("0-15:2/4", "0-1,4-5,8-9,12-13");
	check_list("3-10:1/4", "3,7"); /* counted from the first of the range */
	check_list("5-8:4/4\t,\n9", "5-9");
	check_list("8191", "8191");
}

static void bad_cpu_lists_are_refused(void **state)
{
	static const char *const bad[] = { "a",	     "1-",	"-1",	   "3-1",
					   "1,",     ",1",	"1,,2",	   "8192",
					   "1-9999", "0-7:0/4", "0-7:5/4", "0-7:1",
					   "0-7:1/", "0-7:/4",	"1 2",	   "0x1" };
	struct cpulist list;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		print_message("# %s\n", bad[i]);
		assert_int_equal(cpulist_parse(bad[i], &list), -EINVAL);
		assert_null(list.cpus);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(a_failed_parse_leaves_the_value_alone),
		cmocka_unit_test(durations),
		cmocka_unit_test(sizes_are_iec_only),
		cmocka_unit_test(cpu_lists_round_trip),
		cmocka_unit_test(bad_cpu_lists_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

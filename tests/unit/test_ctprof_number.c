// SPDX-License-Identifier: GPL-2.0-only
/* Numbers on their ladders, at every edge. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/util.h"
#include "ctprof/metric.h"

static void test_value(void **state)
{
	static const struct {
		enum metric_ladder ladder;
		uint64_t value;
		const char *text;
	} cases[] = {
		{ LADDER_NONE, 0, "0" },
		{ LADDER_NONE, 1234567, "1234567" },
		{ LADDER_COUNT, 0, "0" },
		{ LADDER_COUNT, 11, "11" },
		{ LADDER_COUNT, 999, "999" },
		{ LADDER_COUNT, 1000, "1.000K" },
		{ LADDER_COUNT, 8697, "8.697K" },
		{ LADDER_COUNT, 101154, "101.154K" },
		{ LADDER_COUNT, 999999, "999.999K" },
		{ LADDER_COUNT, 1000000, "1.000M" },
		{ LADDER_COUNT, 999999499, "999.999M" },
		{ LADDER_COUNT, 999999500, "1000.000M" },
		{ LADDER_COUNT, 999999999, "1000.000M" },
		{ LADDER_COUNT, 1000000000, "1.000G" },
		{ LADDER_COUNT, UINT64_MAX, "18446744073.710G" },
		{ LADDER_NS, 999, "999ns" },
		{ LADDER_NS, 1000, "1.000µs" },
		{ LADDER_NS, 1234500, "1.235ms" },
		{ LADDER_NS, 243378000, "243.378ms" },
		{ LADDER_NS, 999999999, "1000.000ms" },
		{ LADDER_NS, 1000000000, "1.000s" },
		{ LADDER_NS, 27653000000, "27.653s" },
		{ LADDER_NS, UINT64_MAX, "18446744073.710s" },
		{ LADDER_US, 999, "999µs" },
		{ LADDER_US, 1000, "1.000ms" },
		{ LADDER_US, 999999, "999.999ms" },
		{ LADDER_US, 1000000, "1.000s" },
		{ LADDER_TICKS, 22, "22ticks" },
		{ LADDER_TICKS, 999, "999ticks" },
		{ LADDER_TICKS, 1000, "1.000Kticks" },
		{ LADDER_TICKS, 1000000, "1.000Mticks" },
		{ LADDER_TICKS, 5000000000, "5000.000Mticks" },
		{ LADDER_BYTES, 1023, "1023B" },
		{ LADDER_BYTES, 1024, "1.000KiB" },
		{ LADDER_BYTES, (1ULL << 20) - 1, "1023.999KiB" },
		{ LADDER_BYTES, 1ULL << 20, "1.000MiB" },
		{ LADDER_BYTES, (1ULL << 30) - 1, "1024.000MiB" },
		{ LADDER_BYTES, 1ULL << 30, "1.000GiB" },
		{ LADDER_BYTES, 15ULL << 29, "7.500GiB" },
		{ LADDER_BYTES, 1ULL << 40, "1.000TiB" },
		{ LADDER_BYTES, UINT64_MAX, "16777216.000TiB" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_str_ struct str out = {};

		number_add(&out, cases[i].ladder, cases[i].value);
		assert_string_equal(str_get(&out), cases[i].text);
	}
}

static void test_signed_value(void **state)
{
	_str_ struct str out = {};

	(void)state;
	number_add_signed(&out, LADDER_NONE, -20);
	number_add_signed(&out, LADDER_COUNT, 7);
	number_add_signed(&out, LADDER_COUNT, -1500);
	number_add_signed(&out, LADDER_NONE, INT64_MIN);
	assert_string_equal(str_get(&out), "-207-1.500K-9223372036854775808");
}

static void test_delta(void **state)
{
	static const struct {
		enum metric_ladder ladder;
		uint64_t from, to;
		const char *text;
	} cases[] = {
		{ LADDER_COUNT, 8697, 101154, "+92.457K" },
		{ LADDER_COUNT, 37, 26, "-11" },
		{ LADDER_TICKS, 22, 217, "+195ticks" },
		{ LADDER_TICKS, 5, 5, "+0ticks" },
		{ LADDER_NS, 2684000000, 27653000000, "+24.969s" },
		{ LADDER_NS, 1000, 0, "-1.000µs" },
		{ LADDER_BYTES, 0, UINT64_MAX, "+16777216.000TiB" },
		{ LADDER_COUNT, UINT64_MAX, 0, "-18446744073.710G" },
		{ LADDER_COUNT, UINT64_MAX - 1, UINT64_MAX, "+1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_str_ struct str out = {};

		number_add_delta(&out, cases[i].ladder, cases[i].from, cases[i].to);
		assert_string_equal(str_get(&out), cases[i].text);
	}
}

static void test_real(void **state)
{
	static const struct {
		enum metric_ladder ladder;
		double value;
		const char *text, *delta;
	} cases[] = {
		{ LADDER_RATIO, 0.873, "0.873", "+0.873" },
		{ LADDER_RATIO, 0.1, "0.100", "+0.100" },
		{ LADDER_RATIO, -0.25, "-0.250", "-0.250" },
		{ LADDER_RATIO, 1234.5, "1234.500", "+1234.500" },
		{ LADDER_NS, 0, "0.00ns", "+0.00ns" },
		{ LADDER_NS, -0.0, "0.00ns", "+0.00ns" },
		{ LADDER_NS, 123.4, "123.40ns", "+123.40ns" },
		{ LADDER_NS, 999.999, "1000.00ns", "+1000.00ns" },
		{ LADDER_NS, 1000, "1.000µs", "+1.000µs" },
		{ LADDER_NS, -2.5e9, "-2.500s", "-2.500s" },
		{ LADDER_BYTES, -1572864, "-1.500MiB", "-1.500MiB" },
		{ LADDER_BYTES, 1e30, "909494701772928256.000TiB", "+909494701772928256.000TiB" },
		{ LADDER_COUNT, 2.5, "2.50", "+2.50" },
		{ LADDER_NONE, 3, "3", "+3" },
		{ LADDER_NONE, -2.5, "-2.5", "-2.5" },
		{ LADDER_NS, NAN, "-", "-" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_str_ struct str text = {}, delta = {};

		number_add_real(&text, cases[i].ladder, cases[i].value);
		number_add_real_delta(&delta, cases[i].ladder, cases[i].value);
		assert_string_equal(str_get(&text), cases[i].text);
		assert_string_equal(str_get(&delta), cases[i].delta);
	}
}

static void test_percent(void **state)
{
	_str_ struct str out = {};

	(void)state;
	number_add_percent(&out, 1063.09);
	number_add_percent(&out, -50);
	number_add_percent(&out, 0);
	number_add_percent(&out, NAN);
	number_add_psi(&out, 1859);
	number_add_psi(&out, 5);
	number_add_psi(&out, 10000);
	assert_string_equal(str_get(&out), "+1063.1%-50.0%+0.0%-18.59%0.05%100.00%");
}

/* The value of a derived measure, of inputs that are absent unless they are given. */
static double derive(const char *name, const enum metric_id *ids, const double *inputs,
		     size_t count)
{
	double values[METRIC_COUNT];

	for (size_t i = 0; i < METRIC_COUNT; i++)
		values[i] = NAN;
	for (size_t i = 0; i < count; i++)
		values[ids[i]] = inputs[i];
	for (size_t i = 0; i < DERIVED_COUNT; i++)
		if (strcmp(derived_metrics[i].name, name) == 0)
			return derived_compute(&derived_metrics[i], values);
	fail_msg("no measure %s", name);
	return NAN;
}

/* Each with two inputs; NaN where the result is absent. */
static void test_derived(void **state)
{
	static const struct {
		const char *name;
		enum metric_id a, b;
		double from_a, from_b, result;
	} rows[] = {
		{ "avg_wait_ns", M_wait_sum, M_wait_count, 12, 4, 3 },
		{ "avg_wait_ns", M_wait_sum, M_wait_count, 12, 0, NAN },
		{ "avg_wait_ns", M_wait_sum, M_wait_count, NAN, 4, NAN },
		{ "cpu_efficiency", M_run_time_ns, M_wait_time_ns, 3, 1, 0.75 },
		{ "cpu_efficiency", M_run_time_ns, M_wait_time_ns, 0, 0, NAN },
		{ "involuntary_csw_ratio", M_nonvoluntary_csw, M_voluntary_csw, 1, 3, 0.25 },
		{ "disk_io_fraction", M_read_bytes, M_rchar, 1, 4, 0.25 },
		{ "disk_io_fraction", M_read_bytes, M_rchar, 8, 4, 1 },
		{ "disk_io_fraction", M_read_bytes, M_rchar, 0, 0, NAN },
		{ "live_heap_estimate", M_allocated_bytes, M_deallocated_bytes, 3, 5, -2 },
		{ "total_offcpu_delay_ns", M_cpu_delay_total_ns, M_blkio_delay_total_ns, 3, 5, 8 },
		{ "total_offcpu_delay_ns", M_cpu_delay_total_ns, M_blkio_delay_total_ns, NAN, 5,
		  5 },
		{ "total_offcpu_delay_ns", M_cpu_delay_total_ns, M_blkio_delay_total_ns, NAN, NAN,
		  NAN },
		{ "total_offcpu_delay_ns", M_swapin_delay_total_ns, M_thrashing_delay_total_ns, 3,
		  5, 5 },
		{ "total_offcpu_delay_ns", M_swapin_delay_total_ns, M_thrashing_delay_total_ns, 3,
		  NAN, 3 },
		{ "total_offcpu_delay_ns", M_swapin_delay_total_ns, M_irq_delay_total_ns, 3, 5, 8 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const enum metric_id ids[] = { rows[i].a, rows[i].b };
		const double inputs[] = { rows[i].from_a, rows[i].from_b };
		double got = derive(rows[i].name, ids, inputs, 2);

		if (!(got == rows[i].result || (isnan(got) && isnan(rows[i].result))))
			fail_msg("row %zu: %f", i, got);
	}
}

static void test_names_of_measures(void **state)
{
	const char *const *names = metric_names();
	size_t count = 0;

	(void)state;
	while (names[count])
		count++;
	assert_int_equal(count, METRIC_COUNT + DERIVED_COUNT);
	assert_string_equal(names[0], metrics[0].name);
	assert_string_equal(names[METRIC_COUNT - 1], metrics[METRIC_COUNT - 1].name);
	assert_string_equal(names[METRIC_COUNT], derived_metrics[0].name);
	assert_string_equal(names[count - 1], derived_metrics[DERIVED_COUNT - 1].name);
}

static void test_inputs_of_measures(void **state)
{
	(void)state;
	for (size_t i = 0; i < DERIVED_COUNT; i++) {
		const struct derived *d = &derived_metrics[i];
		enum metric_id inputs[DERIVED_MAX_INPUTS] = {};
		size_t count = derived_inputs(d, inputs);

		if (strcmp(d->name, "total_offcpu_delay_ns") != 0) {
			assert_int_equal(count, 2);
			assert_true(inputs[0] == d->a && inputs[1] == d->b);
			continue;
		}
		assert_int_equal(count, 8);
		for (size_t k = 0; k < count; k++)
			assert_non_null(strstr(metrics[inputs[k]].name, "_delay_total_ns"));
		assert_int_equal(inputs[0], M_cpu_delay_total_ns);
		assert_int_equal(inputs[6], M_swapin_delay_total_ns);
		assert_int_equal(inputs[7], M_thrashing_delay_total_ns);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_value),
		cmocka_unit_test(test_signed_value),
		cmocka_unit_test(test_delta),
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_percent),
		cmocka_unit_test(test_derived),
		cmocka_unit_test(test_names_of_measures),
		cmocka_unit_test(test_inputs_of_measures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Assertions over a series: what holds, what breaks them, and what cannot be judged. */
#include "unit.h"

#include <math.h>

#include "base/err.h"
#include "check/result.h"
#include "snapshot/parts.h"

#define GAP (-1e9)

static struct ktstr_snapshots all;
static struct ktstr_result res;
static struct ktstr_series *series, *other;

static int tear_down(void **state)
{
	(void)state;
	ktstr_series_free(series);
	ktstr_series_free(other);
	series = other = NULL;
	snapshots_finish(&all);
	result_finish(&res);
	err_clear();
	return 0;
}

/* 100 ms apart, the first one at 5 s. */
static void take(size_t count)
{
	_str_ struct str text = {};

	str_add(&text, "{\"snapshots\":[");
	for (size_t i = 0; i < count; i++)
		str_addf(&text,
			 "%s{\"name\":\"periodic_%03zu\",\"time_ns\":%llu,\"maps\":[{\"name\":"
			 "\"m.bss\",\"entries\":[{\"value\":{\"kind\":\"struct\",\"members\":[{"
			 "\"name\":\"i\",\"value\":{\"kind\":\"uint\",\"value\":%zu}}]}}]}]}",
			 i ? "," : "", i, 5000000000ULL + i * 100000000ULL, i);
	str_add(&text, "]}");
	assert_int_equal(snapshots_parse(&all, text.s, text.len), 0);
	result_init(&res);
}

static int pick(const struct ktstr_snapshot *s, void *ctx, double *out)
{
	const double *values = ctx;
	uint64_t i = 0;
	int rc = ktstr_value_u64(ktstr_snapshot_var(s, "i"), NULL, &i);

	*out = values[i];
	return rc < 0 ? rc : values[i] == GAP ? err_set(ENOENT, "a gap") : 0;
}

/* series = these values; GAP = a snapshot without one. */
#define have(...)                                                                               \
	do {                                                                                    \
		static double values_[] = { __VA_ARGS__ };                                      \
		take(ARRAY_SIZE(values_));                                                      \
		assert_int_equal(                                                               \
			ktstr_series_by(&all, KTSTR_PERIODIC, "x", pick, values_, &series), 0); \
	} while (0)

#define again()                      \
	do {                         \
		result_finish(&res); \
		result_init(&res);   \
	} while (0)

static void breaks(bool verdict, const char *message)
{
	assert_false(verdict);
	assert_int_equal(res.verdict, KTSTR_FAILED);
	assert_int_equal(res.details.items[res.details.count - 1].kind, DETAIL_TEMPORAL);
	assert_string_equal(res.details.items[res.details.count - 1].message, message);
	again();
}

static void is_open(bool verdict, const char *message)
{
	assert_false(verdict);
	assert_int_equal(res.verdict, KTSTR_INCONCLUSIVE);
	assert_string_equal(res.details.items[res.details.count - 1].message, message);
	again();
}

static void is_held(bool verdict)
{
	assert_true(verdict);
	assert_int_equal(res.verdict, KTSTR_PASSED);
	again();
}

static void what_rises_is_nondecreasing(void **state)
{
	(void)state;
	have(1, 2, 2, 3);
	is_held(ktstr_series_nondecreasing(series, &res));
	breaks(ktstr_series_strictly_increasing(series, &res),
	       "x is not strictly increasing: periodic_002 has 2 after 2 in periodic_001");
}

static void what_falls_is_not(void **state)
{
	(void)state;
	have(1, 5, 4, 3);
	breaks(ktstr_series_nondecreasing(series, &res),
	       "x is not nondecreasing: periodic_002 has 4 after 5 in periodic_001");
}

static void what_grows_is_strictly_increasing(void **state)
{
	(void)state;
	have(1, 2, 4);
	is_held(ktstr_series_strictly_increasing(series, &res));
}

static void rates_are_per_second_of_the_guest(void **state)
{
	(void)state;
	have(0, 10, 25);
	is_held(ktstr_series_rate_within(series, 100, 150, &res));
	breaks(ktstr_series_rate_within(series, 100, 149, &res),
	       "x is not within its rate: 150 per second from periodic_001 to periodic_002; 100 to "
	       "149 are allowed");
	breaks(ktstr_series_rate_within(series, 101, 200, &res),
	       "x is not within its rate: 100 per second from periodic_000 to periodic_001; 101 to "
	       "200 are allowed");
}

static void what_is_steady_stays_near_its_mean(void **state)
{
	(void)state;
	have(50, 9, 10, 11);
	is_held(ktstr_series_steady_within(series, 100, 0.11, &res));
	breaks(ktstr_series_steady_within(series, 100, 0.05, &res),
	       "x is not steady: periodic_001 has 9, the mean is 10 and the tolerance 5 %");
	assert_false(ktstr_series_steady_within(series, 0, 0.11, &res));
	again();
	is_open(ktstr_series_steady_within(series, 300, 0.1, &res),
		"x could not be judged to be steady: fewer than 2 snapshots are left after the "
		"warm-up");
}

static void what_converges_stays_for_three(void **state)
{
	have(50, 11, 30, 10, 9, 10, 70);
	is_held(ktstr_series_converges_to(series, 10, 1, 500, &res));
	breaks(ktstr_series_converges_to(series, 10, 1, 400, &res),
	       "x is not convergent: 3 in a row within 1 of 10 by 400 ms are wanted, 2 are there; "
	       "periodic_004 has 9");
	/* The first one counts. */
	tear_down(state);
	have(10, 11, 9, 50, 70);
	is_held(ktstr_series_converges_to(series, 10, 1, 500, &res));
	is_open(ktstr_series_converges_to(series, 10, 1, 100, &res),
		"x could not be judged to be convergent: fewer than 3 snapshots were taken before "
		"the deadline");
}

static void truth_holds_everywhere(void **state)
{
	(void)state;
	have(1, 2, -1);
	is_held(ktstr_series_always_true(series, &res));
	is_held(ktstr_series_each_between(series, -1, 2, &res));
	is_held(ktstr_series_each_at_least(series, -1, &res));
	is_held(ktstr_series_each_at_most(series, 2, &res));
	breaks(ktstr_series_each_at_least(series, 0, &res),
	       "x is not large enough everywhere: periodic_002 has -1; 0 to inf are allowed");
	breaks(ktstr_series_each_at_most(series, 1.5, &res),
	       "x is not small enough everywhere: periodic_001 has 2; -inf to 1.5 are allowed");
	breaks(ktstr_series_each_between(series, 0, 5, &res),
	       "x is not within its bounds everywhere: periodic_002 has -1; 0 to 5 are allowed");
}

static void one_that_is_not_true_breaks_it(void **state)
{
	(void)state;
	have(1, 0, 1);
	breaks(ktstr_series_always_true(series, &res), "x is not always true: periodic_001 has 0");
}

static void gaps_are_notes_but_for_always(void **state)
{
	(void)state;
	have(1, GAP, 2);
	assert_true(ktstr_series_nondecreasing(series, &res));
	assert_int_equal(res.verdict, KTSTR_PASSED);
	assert_int_equal(res.details.items[0].kind, DETAIL_NOTE);
	assert_string_equal(res.details.items[0].message,
			    "x is not in periodic_001, which is left out");
	again();
	breaks(ktstr_series_always_true(series, &res),
	       "x is not always true: it is not in periodic_001");
	breaks(ktstr_series_each_at_least(series, 0, &res),
	       "x is not large enough everywhere: it is not in periodic_001");
}

static void nan_holds_nowhere(void **state)
{
	(void)state;
	have(1, NAN, 2, 2, 2);
	assert_false(ktstr_series_nondecreasing(series, &res));
	assert_false(ktstr_series_strictly_increasing(series, &res));
	assert_false(ktstr_series_rate_within(series, -INFINITY, INFINITY, &res));
	assert_false(ktstr_series_steady_within(series, 0, INFINITY, &res));
	assert_false(ktstr_series_always_true(series, &res));
	assert_false(ktstr_series_each_between(series, -INFINITY, INFINITY, &res));
	assert_false(ktstr_series_ratio_within(series, series, 0, 2, &res));
	assert_int_equal(res.details.count, 7);
}

static void ratios_are_of_the_same_snapshot(void **state)
{
	static double divisors[] = { 2, 4, GAP };

	(void)state;
	have(1, 2, 9);
	assert_int_equal(ktstr_series_by(&all, NULL, "y", pick, divisors, &other), 0);
	is_held(ktstr_series_ratio_within(series, other, 0.5, 0.5, &res));
	breaks(ktstr_series_ratio_within(series, other, 0.6, 1, &res),
	       "x is not within its ratio: periodic_000 has 1 by 2 of y; 0.6 to 1 are allowed");
	divisors[1] = 0;
	ktstr_series_free(other);
	assert_int_equal(ktstr_series_by(&all, NULL, "y", pick, divisors, &other), 0);
	breaks(ktstr_series_ratio_within(series, other, 0, INFINITY, &res),
	       "x is not within its ratio: periodic_001 has 2 by 0 of y; 0 to inf are allowed");
}

static void ratios_need_a_snapshot_with_both(void **state)
{
	static double divisors[] = { GAP, 4 };

	(void)state;
	have(1, GAP);
	assert_int_equal(ktstr_series_by(&all, NULL, "y", pick, divisors, &other), 0);
	is_open(ktstr_series_ratio_within(series, other, 0, 1, &res),
		"x could not be judged to be within its ratio: no snapshot has both");
}

static void short_series_are_not_judged(void **state)
{
	(void)state;
	have(1, GAP);
	is_open(ktstr_series_nondecreasing(series, &res),
		"x could not be judged to be nondecreasing: it has 1 of the 2 values that are needed");
	is_open(ktstr_series_converges_to(series, 1, 1, 1000, &res),
		"x could not be judged to be convergent: it has 1 of the 3 values that are needed");
}

static void a_series_that_is_not_there_fails(void **state)
{
	(void)state;
	take(2);
	assert_int_equal(ktstr_series_var(&all, "later_", "i", &series), -ENOENT);
	assert_null(series);
	breaks(ktstr_series_nondecreasing(series, &res),
	       "there is no series to judge: there is no snapshot 'later_' (taken: [periodic_000, "
	       "periodic_001])");
	assert_int_equal(ktstr_series_var(&all, KTSTR_PERIODIC, "j.k", &series), -ENOENT);
	assert_string_equal(err_text(-ENOENT),
			    "snapshot has no global variable 'j' in any *.bss/*.data/*.rodata map "
			    "(available globals: [i])");
	assert_int_equal(ktstr_series_var(&all, KTSTR_PERIODIC, "i", &series), 0);
	is_held(ktstr_series_strictly_increasing(series, &res));
	breaks(ktstr_series_ratio_within(series, NULL, 0, 1, &res),
	       "there is no series to judge: snapshot has no global variable 'j' in any "
	       "*.bss/*.data/*.rodata map (available globals: [i])");
}

static void rates_and_steadiness_need_two_values(void **state)
{
	(void)state;
	have(1, GAP, 3);
	is_held(ktstr_series_rate_within(series, 10, 10, &res));
	is_held(ktstr_series_steady_within(series, 0, 0.5, &res));
	tear_down(state);
	have(GAP, 2);
	is_open(ktstr_series_rate_within(series, 0, 1, &res),
		"x could not be judged to be within its rate: it has 1 of the 2 values that are "
		"needed");
	is_open(ktstr_series_steady_within(series, 0, 1, &res),
		"x could not be judged to be steady: it has 1 of the 2 values that are needed");
}

static void two_values_after_the_warmup_are_enough(void **state)
{
	(void)state;
	have(50, 9, 11);
	/* The tolerance belongs to what is allowed. */
	is_held(ktstr_series_steady_within(series, 100, 0.1, &res));
	is_held(ktstr_series_steady_within(series, 1, 0.1, &res));
	is_open(ktstr_series_steady_within(series, 101, 0.1, &res),
		"x could not be judged to be steady: fewer than 2 snapshots are left after the "
		"warm-up");
}

static void two_in_a_row_at_the_beginning_do_not_converge(void **state)
{
	(void)state;
	have(10, 10, 50);
	breaks(ktstr_series_converges_to(series, 10, 1, 200, &res),
	       "x is not convergent: 3 in a row within 1 of 10 by 200 ms are wanted, 2 are there; "
	       "periodic_002 has 50");
	breaks(ktstr_series_converges_to(series, 70, 1, 1000, &res),
	       "x is not convergent: 3 in a row within 1 of 70 by 1000 ms are wanted, 0 are there; "
	       "periodic_002 has 50");
}

static void a_series_of_gaps_is_not_judged(void **state)
{
	(void)state;
	have(1, 2);
	vec_each(struct series_point, p, &series->points)
		p->is_known = false;
	assert_false(ktstr_series_each_at_least(series, 0, &res));
	assert_int_equal(res.details.count, 2);
	assert_string_equal(res.details.items[1].message,
			    "x could not be judged to be large enough everywhere: it has 0 of the "
			    "1 values that are needed");
	again();
	assert_false(ktstr_series_always_true(series, &res));
	assert_int_equal(res.details.count, 2);
	assert_string_equal(res.details.items[1].message,
			    "x could not be judged to be always true: it has 0 of the 1 values "
			    "that are needed");
	again();
	is_open(ktstr_series_ratio_within(series, series, 0, 1, &res),
		"x could not be judged to be within its ratio: it has 0 of the 1 values that are "
		"needed");
}

static void snapshots_without_a_divisor_are_left_out(void **state)
{
	static double divisors[] = { GAP, 2, 4 };

	(void)state;
	have(1, 1, 1);
	assert_int_equal(ktstr_series_by(&all, NULL, "y", pick, divisors, &other), 0);
	breaks(ktstr_series_ratio_within(series, other, 0.5, 1, &res),
	       "x is not within its ratio: periodic_002 has 1 by 4 of y; 0.5 to 1 are allowed");
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_rises_is_nondecreasing),
		TEST(what_falls_is_not),
		TEST(what_grows_is_strictly_increasing),
		TEST(rates_are_per_second_of_the_guest),
		TEST(what_is_steady_stays_near_its_mean),
		TEST(what_converges_stays_for_three),
		TEST(truth_holds_everywhere),
		TEST(one_that_is_not_true_breaks_it),
		TEST(gaps_are_notes_but_for_always),
		TEST(nan_holds_nowhere),
		TEST(ratios_are_of_the_same_snapshot),
		TEST(ratios_need_a_snapshot_with_both),
		TEST(short_series_are_not_judged),
		TEST(a_series_that_is_not_there_fails),
		TEST(rates_and_steadiness_need_two_values),
		TEST(two_values_after_the_warmup_are_enough),
		TEST(two_in_a_row_at_the_beginning_do_not_converge),
		TEST(a_series_of_gaps_is_not_judged),
		TEST(snapshots_without_a_divisor_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether two samples differ. The expected numbers are of SciPy: ttest_ind(equal_var=False),
 * ttest_1samp, binomtest, t.ppf and t.sf, printed with all their digits.
 */
#include "unit.h"

#include <math.h>

#include "base/util.h"
#include "stats/sample.h"
#include "stats/parts.h"

static void expect_near(double got, double expected)
{
	if (fabs(got - expected) > 1e-9 * fmax(1, fabs(expected)))
		fail_msg("%.15g, not %.15g", got, expected);
}

static void student_agrees_with_scipy(void **state)
{
	static const struct {
		double t, degrees, p;
	} tails[] = {
		{ 2.0, 3, 0.13932596855884305 },
		{ 1.5, 10, 0.16450732644544014 },
		{ 10, 2.5, 0.0044414957673074235 },
		{ 0.1, 30, 0.9210096117902712 },
		{ -5, 100, 2.450173413503802e-06 },
		{ 0, 4, 1 },
		{ INFINITY, 4, 0 },
		{ 3, 0, 1 },
	};
	static const struct {
		double share, degrees, t;
	} quantiles[] = {
		{ 0.975, 4, 2.7764451051977934 },  { 0.975, 9, 2.262157162798205 },
		{ 0.8, 4, 0.9409645772351816 },	   { 0.995, 1, 63.656741162871526 },
		{ 0.975, 1e6, 1.959966356814107 }, { 0.9, 2.5, 1.7302509288071766 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tails); i++)
		expect_near(student_two_sided(tails[i].t, tails[i].degrees), tails[i].p);
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++)
		expect_near(student_quantile(quantiles[i].share, quantiles[i].degrees),
			    quantiles[i].t);
}

static const double before[] = { 101.2, 99.8, 100.5, 98.9, 102.1 };
static const double after[] = { 103.9, 105.2, 104.1, 106.0, 103.3, 104.8 };

static void welch_agrees_with_scipy(void **state)
{
	struct sample a = sample_of(before, 5), b = sample_of(after, 6);
	struct separation s = sample_welch(&a, &b, 0.05);

	(void)state;
	expect_near(a.mean, 100.5);
	expect_near(a.variance, 1.525);
	expect_near(b.variance, 0.955);
	expect_near(s.difference, 4.05);
	expect_near(s.p, 0.00041788829119963287);
	expect_near(s.low, 2.4646798434666097);
	expect_near(s.high, 5.635320156533385);
	assert_true(s.is_separated);
	assert_false(sample_welch(&a, &a, 0.05).is_separated);
}

/* What benchstat (golang.org/x/perf, 2026-09-08) says of the same numbers: it ranks, we do not. */
static void benchstat_agrees_on_what_differs(void **state)
{
	static const double far[2][5] = { { 200, 202, 198, 201, 199 },
					  { 300, 302, 298, 305, 299 } }; /* p=0.008 */
	static const double same[2][12] = {
		{ 989.8, 1020.5, 991.0, 987.4, 962.8, 991.5, 1044.5, 1017.0, 1041.5, 1010.0, 1015.8,
		  1007.4 },
		{ 933.4, 1034.2, 1020.3, 1020.0, 932.3, 930.2, 964.4, 981.3, 1012.2, 998.2, 1020.8,
		  974.3 },
	}; /* p=0.291, "~" */
	static const double near[2][12] = {
		{ 1006.2, 1007.9, 986.8, 1034.4, 1011.1, 1023.9, 987.6, 985.2, 993.1, 997.9, 1012.6,
		  1005.0 },
		{ 1026.1, 1015.9, 1024.6, 1059.4, 1018.8, 1039.9, 1043.5, 1005.2, 1036.0, 1061.1,
		  994.7, 1028.6 },
	}; /* +2.16%, p=0.002 */
	struct sample a = sample_of(far[0], 5), b = sample_of(far[1], 5);

	(void)state;
	assert_true(sample_welch(&a, &b, 0.05).is_separated);
	a = sample_of(same[0], 12);
	b = sample_of(same[1], 12);
	assert_false(sample_welch(&a, &b, 0.05).is_separated);
	a = sample_of(near[0], 12);
	b = sample_of(near[1], 12);
	assert_true(sample_welch(&a, &b, 0.05).is_separated);
	assert_true(sample_welch(&a, &b, 0.05).difference / a.mean > 0.02);
	assert_true(sample_welch(&a, &b, 0.05).difference / a.mean < 0.03);
}

static void one_run_a_side_separates_nothing(void **state)
{
	static const double one[] = { 1 }, two[] = { 1000, 1000 };
	struct sample a = sample_of(one, 1), b = sample_of(two, 2);
	struct separation s = sample_welch(&a, &b, 0.05);

	(void)state;
	assert_false(s.is_separated);
	assert_true(isinf(s.low) && isinf(s.high) && s.p == 1);
	assert_false(sample_paired(two, 1, 0.05).is_separated);
	assert_true(isinf(sample_detectable_welch(&a, &b, 0.05)));
}

/* Two of two above two of two is one of three by chance; of four and four it is 1 of 35. */
static void bands_count_where_chance_does_not_part_them(void **state)
{
	static const double low[] = { 1, 2, 3, 40 }, high[] = { 41, 43, 42, 200 };
	struct sample a = sample_of(low, 4), b = sample_of(high, 4);

	(void)state;
	assert_true(sample_welch(&a, &b, 0.05).p > 0.05);
	assert_true(sample_welch(&a, &b, 0.05).is_separated);
	assert_false(sample_welch(&a, &b, 0.02).is_separated);
	a = sample_of(low + 1, 3);
	b = sample_of(high + 1, 3);
	assert_false(sample_welch(&a, &b, 0.05).is_separated);
}

/* As of ranks, which is what benchstat takes: 2 of 2 above 2 of 2 has p = 1/3, 5 of 5 p = 1/126. */
static void values_that_never_vary_are_told_apart_by_their_number(void **state)
{
	static const double a[] = { 5, 5, 5, 5, 5 }, b[] = { 6, 6, 6, 6, 6 },
			    third[] = { 0.1, 0.1, 0.1 };
	struct sample x = sample_of(a, 2), y = sample_of(b, 2), z = sample_of(third, 3);

	(void)state;
	assert_false(sample_welch(&x, &y, 0.05).is_separated);
	expect_near(sample_welch(&x, &y, 0.05).p, 1.0 / 3);
	assert_false(sample_welch(&x, &x, 0.05).is_separated);
	assert_true(sample_welch(&x, &x, 0.05).p == 1);
	assert_true(z.variance == 0);
	x = sample_of(a, 5);
	y = sample_of(b, 5);
	expect_near(sample_welch(&x, &y, 0.05).p, 1.0 / 126);
	assert_true(sample_welch(&x, &y, 0.05).is_separated);
	assert_false(sample_welch(&x, &y, 0.005).is_separated);
	/* So many would do. */
	assert_int_equal(sample_runs_needed(0, false, 1, 0.05), 4);
	assert_int_equal(sample_runs_needed(0, false, 1, 0.005), 6);
}

/* scipy.stats.fisher_exact() of the same tables. */
static void two_values_are_judged_by_fishers_test(void **state)
{
	static const double rare[] = { 1, 2, 1, 1, 1, 1, 1, 1, 1, 1 };
	static const double often[] = { 2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2, 1, 2, 2 };
	static const double third[] = { 2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 3, 1, 2, 2 };
	struct sample a = sample_of(rare, 10), b = sample_of(often, 14), c = sample_of(third, 14);
	double p = sample_welch(&a, &b, 0.05).p;

	(void)state;
	if (fabs(p - 0.002759) > 1e-6)
		fail_msg("p = %g", p);
	expect_near(sample_welch(&b, &a, 0.05).p, p);
	assert_true(sample_welch(&a, &b, 0.05).is_separated);
	/* 1 of 7 and 5 of 7: 0.103, which the t-test calls 0.03. */
	b = sample_of(often + 5, 7);
	a = sample_of(rare, 7);
	assert_false(sample_welch(&a, &b, 0.05).is_separated);
	/* With a third value it is a matter of the t-test. */
	a = sample_of(rare, 10);
	assert_true(sample_welch(&a, &c, 0.05).p < 0.001);
}

static void the_sign_test_is_exact(void **state)
{
	double d[10] = { 1, 1, 1, 1, 1, -1 };

	(void)state;
	expect_near(sample_sign_test(d, 6), 0.21875);
	expect_near(sample_sign_test(d, 10), 0.21875); /* zeros do not count */
	for (size_t i = 6; i < 10; i++)
		d[i] = 0.5;
	expect_near(sample_sign_test(d, 10), 0.021484375);
	expect_near(sample_sign_test(d, 0), 1);
	d[0] = d[1] = d[2] = d[3] = d[6] = d[7] = -3;
	expect_near(sample_sign_test(d, 9), 0.1796875); /* 2 of 9 */
}

/* 900 of 2000: more ways than a double counts. */
static void the_sign_test_takes_thousands_of_pairs(void **state)
{
	double d[2000];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(d); i++)
		d[i] = i < 900 ? -1 : 1;
	assert_true(fabs(sample_sign_test(d, 2000) / 8.457089535503927e-06 - 1) < 1e-6);
}

static void pairs_are_judged_by_their_differences(void **state)
{
	static const double d[] = { 1.2, 0.8, -0.3, 2.1, 1.7, 0.9 }, same[6] = {},
			    step[] = { 3, 3, 3 };
	struct separation s = sample_paired(d, 6, 0.06);

	(void)state;
	/* The t-test alone has 0.0255; with the sign test's 0.21875 beside it p is twice that. */
	expect_near(s.p, 2 * 0.02555354772916076);
	assert_true(s.is_separated);
	assert_false(sample_paired(d, 6, 0.05).is_separated);
	/* SciPy's percentile interval of 20000 resamples: 0.45 to 1.65. */
	s = sample_paired(d, 6, 0.05);
	assert_true(fabs(s.low - 0.45) < 0.06 && fabs(s.high - 1.65) < 0.06);

	s = sample_paired(same, 6, 0.05);
	assert_true(s.p == 1 && s.low == 0 && s.high == 0 && !s.is_separated);
	s = sample_paired(step, 3, 0.05);
	assert_true(s.is_separated && s.low == 3 && s.high == 3);
}

static void power_says_what_would_have_been_seen(void **state)
{
	struct sample a = sample_of(before, 5), b = sample_of(before, 5);
	const double error = sqrt(1.525 / 5 * 2);
	size_t n;

	(void)state;
	/* t(0.975, 8) + t(0.8, 8) of SciPy */
	expect_near(sample_detectable_welch(&a, &b, 0.05) / error,
		    2.306004135204166 + 0.8888895177670202);
	n = sample_runs_needed(2 * 1.525, false, 1, 0.05);
	assert_true(n > 20 && n < 30); /* 2 * (1.96 + 0.84)^2 * 1.525 is 23.9 */
	assert_int_equal(sample_runs_needed(0, true, 1, 0.05), 2);
	assert_int_equal(sample_runs_needed(1, true, 0, 0.05), 0);
	assert_int_equal(sample_runs_needed(1e9, true, 1, 0.05), 0);
}

/* Values of one and the same bell: what is called a difference must be 5 % of it or less. */
static double random_normal(uint64_t *state)
{
	double sum = 0;

	for (int i = 0; i < 12; i++) {
		*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
		sum += (double)(*state >> 11) / 9007199254740992.0;
	}
	return sum - 6;
}

static void false_alarms_stay_below_five_percent(void **state)
{
	enum { TRIALS = 1000 };
	uint64_t random = 7;

	(void)state;
	for (size_t n = 2; n <= 8; n++) {
		unsigned int welch = 0, paired = 0;

		for (int trial = 0; trial < TRIALS; trial++) {
			double a[8], b[8], d[8];
			struct sample x, y;

			for (size_t i = 0; i < n; i++) {
				a[i] = 100 + random_normal(&random);
				b[i] = 100 + random_normal(&random);
				d[i] = b[i] - a[i];
			}
			x = sample_of(a, n);
			y = sample_of(b, n);
			welch += sample_welch(&x, &y, 0.05).is_separated;
			paired += sample_paired(d, n, 0.05).is_separated;
		}
		if (welch > TRIALS * 6 / 100 || paired > TRIALS * 6 / 100)
			fail_msg("of %zu runs a side: %u and %u of %d", n, welch, paired, TRIALS);
	}
}

/* Figures in steps: most runs of a side are equal, and the step is a large change. */
static void false_alarms_of_steps_stay_below_five_percent(void **state)
{
	enum { TRIALS = 1000 };
	uint64_t random = 7;

	(void)state;
	/* Welch's p is too small of two steps alone: 6 and 8 % with 7 and 8 runs a side. */
	for (size_t n = 2; n <= 12; n++) {
		unsigned int alarms = 0;

		for (int trial = 0; trial < TRIALS; trial++) {
			double values[2][12];
			struct sample x, y;

			for (size_t i = 0; i < 2 * n; i++)
				values[i % 2][i / 2] = random_normal(&random) > 0 ? 2 : 1;
			x = sample_of(values[0], n);
			y = sample_of(values[1], n);
			alarms += sample_welch(&x, &y, 0.05).is_separated;
		}
		if (alarms > TRIALS * 5 / 100)
			fail_msg("of %zu runs a side: %u of %d", n, alarms, TRIALS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(student_agrees_with_scipy),
		cmocka_unit_test(welch_agrees_with_scipy),
		cmocka_unit_test(benchstat_agrees_on_what_differs),
		cmocka_unit_test(one_run_a_side_separates_nothing),
		cmocka_unit_test(bands_count_where_chance_does_not_part_them),
		cmocka_unit_test(values_that_never_vary_are_told_apart_by_their_number),
		cmocka_unit_test(two_values_are_judged_by_fishers_test),
		cmocka_unit_test(the_sign_test_is_exact),
		cmocka_unit_test(the_sign_test_takes_thousands_of_pairs),
		cmocka_unit_test(pairs_are_judged_by_their_differences),
		cmocka_unit_test(power_says_what_would_have_been_seen),
		cmocka_unit_test(false_alarms_stay_below_five_percent),
		cmocka_unit_test(false_alarms_of_steps_stay_below_five_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

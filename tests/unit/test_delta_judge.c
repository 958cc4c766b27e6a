// SPDX-License-Identifier: GPL-2.0-only
/* What perf-delta makes of the runs of one metric. */
#include "unit.h"

#include <math.h>

#include "base/util.h"
#include "delta/delta.h"

#define MAX_RUNS 6

static const struct delta_gate lower = { .abs = 1, .rel = 0.1, .alpha = 0.05 };
static const struct delta_gate higher = {
	.abs = 1, .rel = 0.1, .alpha = 0.05, .is_higher_better = true
};

static struct delta_figures judge(const double *a, size_t a_count, const double *b, size_t b_count,
				  bool is_paired, const struct delta_gate *gate)
{
	const struct delta_values v = { .values = { a, b },
					.counts = { a_count, b_count },
					.is_paired = is_paired };
	struct delta_figures f;

	delta_judge(&v, gate, &f);
	return f;
}

static const double base[] = { 100, 101, 99, 100, 102 };
static const double same[] = { 101, 100, 100, 99, 101 };
static const double up20[] = { 120, 121, 119, 122, 118 };
static const double up5[] = { 105, 106, 104, 105, 107 };
static const double wild[] = { 60, 150, 95, 130, 80 };

static void a_change_has_to_be_separated_and_material(void **state)
{
	(void)state;
	assert_int_equal(judge(base, 5, up20, 5, false, &lower).verdict, DELTA_WORSE);
	assert_int_equal(judge(base, 5, up20, 5, false, &higher).verdict, DELTA_BETTER);
	assert_int_equal(judge(up20, 5, base, 5, false, &lower).verdict, DELTA_BETTER);
	assert_int_equal(judge(up20, 5, base, 5, false, &higher).verdict, DELTA_WORSE);
	assert_int_equal(judge(base, 5, same, 5, false, &lower).verdict, DELTA_SAME);
	/* 5 % is there for sure, and below the gate of 10 % for sure. */
	assert_true(judge(base, 5, up5, 5, false, &lower).separation.is_separated);
	assert_int_equal(judge(base, 5, up5, 5, false, &lower).verdict, DELTA_SAME);
}

static void the_absolute_gate_holds_as_well(void **state)
{
	const struct delta_gate wide = { .abs = 30, .rel = 0.1, .alpha = 0.05 };

	(void)state;
	assert_int_equal(judge(base, 5, up20, 5, false, &wide).verdict, DELTA_SAME);
	assert_true(judge(base, 5, up20, 5, false, &wide).gate == 30);
}

/* Neither a change nor noise, and no run more would tell. */
static void what_has_no_better_direction_is_not_judged(void **state)
{
	const struct delta_gate neither = {
		.abs = 1, .rel = 0.1, .alpha = 0.05, .is_neutral = true
	};
	static const double *const sides[] = { same, up20, wild };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		struct delta_figures f = judge(base, 5, sides[i], 5, false, &neither);

		assert_int_equal(f.verdict, DELTA_NEUTRAL);
		assert_int_equal(f.runs_needed, 0);
	}
	assert_true(judge(base, 5, up20, 5, false, &neither).separation.is_separated);
}

static void noise_that_hides_the_gate_is_not_told(void **state)
{
	struct delta_figures f = judge(base, 5, wild, 5, false, &lower);

	(void)state;
	assert_int_equal(f.verdict, DELTA_UNSURE);
	assert_true(f.runs_needed > 5);
	assert_true(f.detectable > f.gate);
	/* A limit takes it out instead. */
	assert_int_equal(judge(base, 5, wild, 5, false,
			       &(struct delta_gate){
				       .abs = 1, .rel = 0.1, .alpha = 0.05, .noise_limit = 0.5 })
				 .verdict,
			 DELTA_NOISY);
}

/* By either side, and only beyond the limit. */
static void each_side_can_be_too_noisy(void **state)
{
	/* From the least to the most it is half of the mean. */
	static const double half[] = { 75, 100, 125 }, calm[] = { 100, 100, 100 };
	struct delta_gate gate = lower;
	static const struct {
		const double *a, *b;
		double limit;
		bool is_noisy;
	} rows[] = {
		{ half, calm, 0.5, false }, { calm, half, 0.5, false },	 { half, calm, 0.49, true },
		{ calm, half, 0.49, true }, { calm, calm, 0.01, false }, { half, half, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		gate.noise_limit = rows[i].limit;
		assert_int_equal(judge(rows[i].a, 3, rows[i].b, 3, false, &gate).verdict ==
					 DELTA_NOISY,
				 rows[i].is_noisy);
	}
}

/* Two of each are the fewest that have a deviation, whatever the other side has. */
static void a_side_of_one_run_needs_another(void **state)
{
	static const double less[] = { 60, 150, 95, 130, 80 }, more[] = { 80, 140, 130, 120, 110 };

	(void)state;
	/* Of pairs it is how their differences vary. */
	assert_int_equal(judge(less, 5, more, 5, true, &lower).verdict, DELTA_UNSURE);
	assert_true(judge(less, 5, more, 5, true, &lower).runs_needed > 5);
	assert_true(judge(less, 5, more, 5, true, &lower).variance > 100);
	assert_int_equal(judge(wild, 1, wild, 5, false, &lower).verdict, DELTA_UNSURE);
	assert_int_equal(judge(wild, 1, wild, 5, false, &lower).runs_needed, 2);
	assert_int_equal(judge(wild, 5, wild, 1, false, &lower).runs_needed, 2);
	assert_true(judge(wild, 5, wild, 2, false, &lower).runs_needed > 2);
}

/* 3 more, give or take 11.5: up to 14.5 where 10 is the gate, which is neither the same nor worse. */
static void the_interval_has_to_stay_below_the_gate(void **state)
{
	static const double a[] = { 100, 110, 90, 105, 95 }, b[] = { 103, 113, 93, 108, 98 };
	struct delta_figures f = judge(a, 5, b, 5, false, &lower);

	(void)state;
	assert_true(fabs(f.separation.high - 14.53) < 0.01);
	assert_int_equal(f.verdict, DELTA_UNSURE);
	/* In the better direction it may reach as far as it likes. */
	assert_int_equal(judge(a, 5, b, 5, false, &higher).verdict, DELTA_SAME);
}

static void one_run_is_never_enough(void **state)
{
	struct delta_figures f = judge(base, 1, up20, 5, false, &lower);

	(void)state;
	assert_int_equal(f.verdict, DELTA_UNSURE);
	assert_int_equal(f.runs_needed, 2);
	assert_int_equal(judge(base, 1, up20, 1, true, &lower).verdict, DELTA_UNSURE);
}

static void pairs_see_through_what_varies_between_seeds(void **state)
{
	double after[MAX_RUNS];

	(void)state;
	/* Seeds are far apart, and each is 12 % slower. */
	for (size_t i = 0; i < 5; i++)
		after[i] = wild[i] * 1.12;
	assert_int_equal(judge(wild, 5, after, 5, false, &lower).verdict, DELTA_UNSURE);
	assert_int_equal(judge(wild, 5, after, 5, true, &lower).verdict, DELTA_WORSE);
	assert_int_equal(judge(wild, 5, after, 5, true, &higher).verdict, DELTA_BETTER);
}

/* What has no partner is not a pair. */
static void pairs_are_as_many_as_both_sides_have(void **state)
{
	static const double after[] = { 120, 121, 119, 1000, 1000 };
	struct delta_figures f = judge(base, 3, after, 5, true, &lower);

	(void)state;
	assert_true(f.separation.difference == 20);
	assert_int_equal(f.verdict, DELTA_WORSE);
	f = judge(after, 5, base, 3, true, &lower);
	assert_true(f.separation.difference == -20);
	assert_int_equal(f.verdict, DELTA_BETTER);
}

static void the_same_code_is_exactly_the_same(void **state)
{
	struct delta_figures f = judge(wild, 5, wild, 5, true, &lower);

	(void)state;
	assert_int_equal(f.verdict, DELTA_SAME);
	assert_true(f.separation.difference == 0 && f.separation.high == 0 && f.detectable == 0);
}

static void a_zero_baseline_is_gated_by_the_absolute_gate(void **state)
{
	static const double zero[] = { 0, 0, 0, 0 }, seven[] = { 7, 7, 7, 7 },
			    half[] = { 0.5, 0.5, 0.5, 0.5 };

	(void)state;
	assert_int_equal(judge(zero, 4, seven, 4, false, &lower).verdict, DELTA_WORSE);
	assert_int_equal(judge(zero, 4, half, 4, false, &lower).verdict, DELTA_SAME);
}

static void rates_are_pooled(void **state)
{
	const double pooled[] = { 100, 140 };
	const struct delta_values v = { .values = { base, up20 },
					.counts = { 5, 5 },
					.pooled = pooled };
	struct delta_figures f;

	(void)state;
	delta_judge(&v, &lower, &f);
	assert_true(f.sides[1].mean == 140 && f.separation.difference == 40);
}

/* More runs are made while they may decide something. */
static void what_more_runs_may_decide(void **state)
{
	struct delta_row rows[] = {
		{ .metric = "a", .f = { .verdict = DELTA_SAME } },
		{ .metric = "b", .f = { .verdict = DELTA_UNSURE, .runs_needed = 30 } },
		{ .metric = "c", .phase = "1", .f = { .verdict = DELTA_UNSURE, .runs_needed = 3 } },
	};
	struct delta_report r = { .rows = { .items = rows, .count = ARRAY_SIZE(rows) } };

	(void)state;
	r.outcome = DELTA_PASSED;
	assert_true(delta_may_decide(&r, 30));
	assert_false(delta_may_decide(&r, 29));
	r.outcome = DELTA_FAILED;
	assert_true(delta_may_decide(&r, 30));
	/* Without an answer they are made though they may be too few. */
	r.outcome = DELTA_CANNOT_TELL;
	assert_true(delta_may_decide(&r, 29));
	/* Nobody makes so many. */
	rows[1].f.runs_needed = 0;
	assert_true(delta_may_decide(&r, 1000));
	r.outcome = DELTA_PASSED;
	assert_false(delta_may_decide(&r, 1000));
	/* What is not measured is not decided by any number, and a phase only where it is asserted. */
	rows[1].f.verdict = DELTA_SAME;
	r.outcome = DELTA_CANNOT_TELL;
	assert_false(delta_may_decide(&r, 1000));
	rows[2].is_must_fail = true;
	assert_true(delta_may_decide(&r, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_has_to_be_separated_and_material),
		cmocka_unit_test(the_absolute_gate_holds_as_well),
		cmocka_unit_test(what_has_no_better_direction_is_not_judged),
		cmocka_unit_test(noise_that_hides_the_gate_is_not_told),
		cmocka_unit_test(each_side_can_be_too_noisy),
		cmocka_unit_test(a_side_of_one_run_needs_another),
		cmocka_unit_test(the_interval_has_to_stay_below_the_gate),
		cmocka_unit_test(one_run_is_never_enough),
		cmocka_unit_test(pairs_see_through_what_varies_between_seeds),
		cmocka_unit_test(pairs_are_as_many_as_both_sides_have),
		cmocka_unit_test(the_same_code_is_exactly_the_same),
		cmocka_unit_test(a_zero_baseline_is_gated_by_the_absolute_gate),
		cmocka_unit_test(rates_are_pooled),
		cmocka_unit_test(what_more_runs_may_decide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

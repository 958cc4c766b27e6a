// SPDX-License-Identifier: GPL-2.0-only
/* Where a history changed its level. */
#include "unit.h"

#include <math.h>

#include "stats/parts.h"

#define MAX_RUNS 400

static double random_normal(uint64_t *state)
{
	double sum = 0;

	for (int i = 0; i < 12; i++) {
		*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
		sum += (double)(*state >> 11) / 9007199254740992.0;
	}
	return sum - 6;
}

/* 100 with noise of 1 until place, then higher by step. */
static size_t find(size_t count, size_t place, double step, uint64_t seed, size_t *at)
{
	double values[MAX_RUNS];
	size_t found;

	for (size_t i = 0; i < count; i++)
		values[i] = 100 + random_normal(&seed) + (i >= place ? step : 0);
	assert_int_equal(change_points_find(values, count, at, &found), 0);
	return found;
}

/* How many of 180 histories of 60 runs have just the one change, within 2 of its place. */
static size_t found_of_180(double step)
{
	size_t at[MAX_RUNS], good = 0;

	for (size_t place = 10; place <= 50; place += 5)
		for (uint64_t seed = 1; seed <= 20; seed++)
			good += find(60, place, step, seed, at) == 1 && at[0] + 2 >= place &&
				at[0] <= place + 2;
	return good;
}

static void a_step_in_sixty_runs_is_found_within_two_of_its_place(void **state)
{
	(void)state;
	assert_true(found_of_180(5) >= 178);
	/* At three times the noise, two runs in a row may look like those before the step. */
	assert_true(found_of_180(3) >= 170);
}

static void noise_alone_has_no_levels(void **state)
{
	size_t at[MAX_RUNS], alarms = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++)
		alarms += find(60, 60, 0, seed, at) > 0;
	if (alarms > 10)
		fail_msg("%zu of 200 histories of noise have a change", alarms);
}

static void equal_figures_change_where_they_do(void **state)
{
	double values[40];
	size_t at[40], found;

	(void)state;
	for (size_t i = 0; i < 40; i++)
		values[i] = i < 15 ? 71.5 : i < 30 ? 71.6 : 71.5;
	assert_int_equal(change_points_find(values, 40, at, &found), 0);
	assert_int_equal(found, 2);
	assert_int_equal(at[0], 15);
	assert_int_equal(at[1], 30);
	/* One run that is off is not a level. */
	for (size_t i = 0; i < 40; i++)
		values[i] = i == 20 ? 90 : 71.5;
	assert_int_equal(change_points_find(values, 40, at, &found), 0);
	assert_int_equal(found, 0);
	for (size_t i = 0; i < 40; i++)
		values[i] = 5;
	assert_int_equal(change_points_find(values, 40, at, &found), 0);
	assert_int_equal(found, 0);
}

static void short_histories_have_none(void **state)
{
	const double values[] = { 1, 1, 1, 9, 9 };
	size_t at[5], found = 7;

	(void)state;
	assert_int_equal(change_points_find(values, 5, at, &found), 0);
	assert_int_equal(found, 0);
	assert_int_equal(change_points_find(values, 0, at, &found), 0);
}

static void many_levels_are_found(void **state)
{
	double values[MAX_RUNS];
	size_t at[MAX_RUNS], found;
	uint64_t seed = 3;

	(void)state;
	for (size_t i = 0; i < MAX_RUNS; i++)
		values[i] = 100 + random_normal(&seed) + (i / 100 % 2 ? 5 : 0);
	assert_int_equal(change_points_find(values, MAX_RUNS, at, &found), 0);
	assert_int_equal(found, 3);
	for (size_t i = 0; i < found; i++)
		assert_true(at[i] >= 100 * (i + 1) - 2 && at[i] <= 100 * (i + 1) + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_in_sixty_runs_is_found_within_two_of_its_place),
		cmocka_unit_test(noise_alone_has_no_levels),
		cmocka_unit_test(equal_figures_change_where_they_do),
		cmocka_unit_test(short_histories_have_none),
		cmocka_unit_test(many_levels_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

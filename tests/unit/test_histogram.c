// SPDX-License-Identifier: GPL-2.0-only
/* Histograms against the sorted values themselves. */
#include "unit.h"

#include <math.h>

#include "work/report.h"
#include "work/worker.h"

#define COUNT 20000

static const double shares[] = { 0.01, 0.07, 0.5, 0.9, 0.99, 0.999, 1.0 };

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t nearest_rank(const uint64_t *sorted, size_t count, unsigned int per_mille)
{
	size_t rank = (count * per_mille + 999) / 1000;

	return sorted[rank ? rank - 1 : 0];
}

/* Values of all magnitudes, the same in every run. */
static void fill(uint64_t *values, size_t count, uint64_t seed)
{
	struct ktstr_worker w = { .random = worker_seed(seed, 0) };

	for (size_t i = 0; i < count; i++)
		values[i] = worker_random(&w) >> (20 + worker_random(&w) % 40);
}

static void many_are_as_one_by_one(void **state)
{
	struct histogram one, many;

	(void)state;
	histogram_init(&one);
	histogram_init(&many);
	for (int i = 0; i < 3; i++)
		histogram_add(&one, 5000);
	histogram_add_many(&many, 5000, 3);
	histogram_add_many(&many, 1, 0); /* nothing */
	assert_memory_equal(&one, &many, sizeof(one));
	histogram_add_many(&many, 5000, UINT32_MAX);
	assert_int_equal(many.count, UINT64_C(3) + UINT32_MAX);
	assert_int_equal(histogram_percentile(&many, 0.5), 5000);
}

static void percentiles_are_nearest_rank_within_a_bucket(void **state)
{
	static uint64_t values[COUNT];
	struct histogram h;

	(void)state;
	fill(values, COUNT, 7);
	histogram_init(&h);
	for (size_t i = 0; i < COUNT; i++)
		histogram_add(&h, values[i]);
	qsort(values, COUNT, sizeof(*values), compare);
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		uint64_t exact =
			nearest_rank(values, COUNT, (unsigned int)lround(shares[i] * 1000));
		uint64_t found = histogram_percentile(&h, shares[i]);

		assert_true(found >= exact);
		assert_true(found - exact <= exact / 32);
	}
	assert_int_equal(h.min, values[0]);
	assert_int_equal(h.max, values[COUNT - 1]);
	assert_int_equal(histogram_percentile(&h, 1.0), values[COUNT - 1]);
}

static void small_values_are_exact(void **state)
{
	struct histogram h;

	(void)state;
	histogram_init(&h);
	for (uint64_t v = 0; v < 64; v++)
		histogram_add(&h, v);
	for (unsigned int i = 1; i <= 64; i++)
		assert_int_equal(histogram_percentile(&h, i / 64.0), i - 1);
}

/* 0.07 * 100 is more than 7 in floating point. */
static void a_rank_is_not_rounded_up_by_the_representation(void **state)
{
	struct histogram h;

	(void)state;
	histogram_init(&h);
	for (uint64_t v = 1; v <= 100; v++)
		histogram_add(&h, v <= 7 ? 1 : 50);
	assert_int_equal(histogram_percentile(&h, 0.07), 1);
	assert_int_equal(histogram_percentile(&h, 0.08), 50);
}

static void merging_is_adding_everything(void **state)
{
	static uint64_t values[COUNT];
	struct histogram parts[3], whole, merged;

	(void)state;
	fill(values, COUNT, 9);
	histogram_init(&whole);
	histogram_init(&merged);
	for (size_t i = 0; i < 3; i++)
		histogram_init(&parts[i]);
	for (size_t i = 0; i < COUNT; i++) {
		histogram_add(&whole, values[i]);
		histogram_add(&parts[i % 3], values[i]);
	}
	for (size_t i = 0; i < 3; i++)
		histogram_merge(&merged, &parts[i]);
	assert_int_equal(merged.count, whole.count);
	assert_int_equal(merged.min, whole.min);
	assert_int_equal(merged.max, whole.max);
	assert_memory_equal(merged.buckets, whole.buckets, sizeof(whole.buckets));
	assert_true(fabs(histogram_mean(&merged) - histogram_mean(&whole)) < 1e-6 * whole.sum);
}

static void an_empty_one_changes_nothing(void **state)
{
	struct histogram none = {}, h;

	(void)state;
	histogram_init(&h);
	assert_memory_equal(&h, &none, sizeof(h));
	assert_int_equal(histogram_percentile(&none, 0.99), 0);
	assert_true(histogram_mean(&none) == 0);
	assert_true(histogram_cv(&none) == 0);
	histogram_add(&h, 500);
	histogram_merge(&h, &none);
	assert_int_equal(h.min, 500);
	histogram_merge(&none, &h);
	assert_int_equal(none.min, 500);
	assert_int_equal(none.count, 1);
}

static void mean_and_deviation_are_exact(void **state)
{
	static const uint64_t values[] = { 2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000 };
	struct histogram h;

	(void)state;
	histogram_init(&h);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		histogram_add(&h, values[i]);
	assert_true(fabs(histogram_mean(&h) - 5000) < 1e-9);
	assert_true(fabs(histogram_cv(&h) - 0.4) < 1e-9); /* deviation 2000 */
}

static void the_largest_values_have_a_place(void **state)
{
	struct histogram h;

	(void)state;
	histogram_init(&h);
	histogram_add(&h, UINT64_MAX);
	histogram_add(&h, UINT64_MAX / 2);
	histogram_add(&h, 1);
	assert_int_equal(h.count, 3);
	assert_true(histogram_percentile(&h, 1.0) == UINT64_MAX);
	assert_int_equal(histogram_percentile(&h, 0.3), 1);
}

static void buckets_follow_each_other(void **state)
{
	struct histogram h;

	(void)state;
	for (unsigned int i = 1; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t low = histogram_bucket_floor(i);

		assert_true(low > histogram_bucket_floor(i - 1));
		histogram_init(&h);
		histogram_add(&h, low);
		histogram_add(&h, low - 1);
		assert_int_equal(h.buckets[i], 1);
		assert_int_equal(h.buckets[i - 1], 1);
	}
}

static void figures_of_few_values_are_exact(void **state)
{
	struct histogram h, other;

	(void)state;
	histogram_init(&h);
	histogram_add_many(&h, 1000, 3);
	histogram_add(&h, 3000);
	assert_true(h.sum == 6000 && h.sum_of_squares == 12e6);
	assert_int_equal(h.min, 1000);
	assert_int_equal(h.max, 3000);
	assert_true(histogram_mean(&h) == 1500);
	assert_true(fabs(histogram_cv(&h) - sqrt(3e6 - 2.25e6) / 1500) < 1e-9);
	/* The same value, the smallest and the largest once more. */
	histogram_add(&h, 1000);
	histogram_add(&h, 3000);
	assert_int_equal(h.min, 1000);
	assert_int_equal(h.max, 3000);
	histogram_init(&other);
	histogram_add(&other, 2000);
	histogram_merge(&h, &other);
	assert_int_equal(h.min, 1000);
	assert_int_equal(h.max, 3000);
	assert_int_equal(h.count, 7);
	assert_true(h.sum == 12000 && h.sum_of_squares == 4e6 + 18e6 + 4e6);
	histogram_init(&other);
	histogram_add(&other, 500);
	histogram_add(&other, 9000);
	histogram_merge(&h, &other);
	assert_int_equal(h.min, 500);
	assert_int_equal(h.max, 9000);
	/* One value, or none but 0, has no deviation; equal ones have none either. */
	histogram_init(&h);
	histogram_add(&h, 70);
	assert_true(histogram_cv(&h) == 0 && histogram_mean(&h) == 70);
	histogram_add(&h, 71);
	assert_true(histogram_cv(&h) > 0);
	histogram_init(&h);
	histogram_add_many(&h, 0, 5);
	assert_true(histogram_cv(&h) == 0);
	assert_int_equal(h.min, 0);
	histogram_init(&h);
	histogram_add_many(&h, 50, 5);
	assert_true(histogram_cv(&h) == 0);
}

/* A bucket that is full stays full. */
static void buckets_do_not_overflow(void **state)
{
	struct histogram h, other;

	(void)state;
	histogram_init(&h);
	histogram_init(&other);
	histogram_add_many(&h, 10, UINT32_MAX - 1);
	assert_int_equal(h.buckets[10], UINT32_MAX - 1);
	histogram_add(&h, 10);
	assert_int_equal(h.buckets[10], UINT32_MAX);
	histogram_add(&h, 10);
	assert_int_equal(h.buckets[10], UINT32_MAX);
	assert_int_equal(h.count, UINT32_MAX + 1ULL);
	histogram_add_many(&other, 10, 7);
	histogram_merge(&h, &other);
	assert_int_equal(h.buckets[10], UINT32_MAX);
	histogram_init(&h);
	histogram_add_many(&h, 10, UINT32_MAX - 8);
	histogram_merge(&h, &other);
	assert_int_equal(h.buckets[10], UINT32_MAX - 1);
}

/* What a bucket can tell is its largest value, unless there was none so large. */
static void a_percentile_is_the_end_of_its_bucket(void **state)
{
	struct histogram h;

	(void)state;
	assert_int_equal(histogram_bucket_floor(31), 31);
	assert_int_equal(histogram_bucket_floor(32), 32);
	assert_int_equal(histogram_bucket_floor(64), 64);
	assert_int_equal(histogram_bucket_floor(65), 66);
	assert_int_equal(histogram_bucket_floor(96), 128);
	assert_int_equal(histogram_bucket_floor(97), 132);
	histogram_init(&h);
	histogram_add(&h, 66);
	histogram_add(&h, 132);
	assert_int_equal(histogram_percentile(&h, 0.5), 67);
	assert_int_equal(histogram_percentile(&h, 0.51), 132);
	assert_int_equal(histogram_percentile(&h, 0), 67); /* the first one at least */
	assert_int_equal(histogram_percentile(&h, 2), 132);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_are_as_one_by_one),
		cmocka_unit_test(percentiles_are_nearest_rank_within_a_bucket),
		cmocka_unit_test(small_values_are_exact),
		cmocka_unit_test(a_rank_is_not_rounded_up_by_the_representation),
		cmocka_unit_test(merging_is_adding_everything),
		cmocka_unit_test(an_empty_one_changes_nothing),
		cmocka_unit_test(mean_and_deviation_are_exact),
		cmocka_unit_test(the_largest_values_have_a_place),
		cmocka_unit_test(buckets_follow_each_other),
		cmocka_unit_test(figures_of_few_values_are_exact),
		cmocka_unit_test(buckets_do_not_overflow),
		cmocka_unit_test(a_percentile_is_the_end_of_its_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

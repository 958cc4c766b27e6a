// SPDX-License-Identifier: GPL-2.0-only
/* What `stats compare` makes of the numbers of a pair, and which records a filter lets in. */
#include "unit.h"

#include "base/cleanup.h"
#include "stats/parts.h"

#define MAX_RECORDS 3

static struct record records_of(const struct sidecar *s)
{
	return (struct record){ .s = s };
}

/* "metric a b CHANGE; ..." of two sides with that many records each. */
static void expect_changes(const struct sidecar *a, size_t a_count, const struct sidecar *b,
			   size_t b_count, const char *expected)
{
	static const char *const words[] = {
		[CHANGE_REGRESSION] = "worse",
		[CHANGE_IMPROVEMENT] = "better",
		[CHANGE_NEUTRAL] = "changed",
	};
	struct record sides[2][MAX_RECORDS];
	const struct record *const both[2] = { sides[0], sides[1] };
	const size_t counts[2] = { a_count, b_count };
	const struct policy policy = {};
	struct comparison c = { .gates_single = true };
	_str_ struct str got = {};

	for (size_t i = 0; i < MAX_RECORDS; i++) {
		sides[0][i] = records_of(&a[i < a_count ? i : 0]);
		sides[1][i] = records_of(&b[i < b_count ? i : 0]);
	}
	assert_int_equal(compare_pair_metrics(&c, &policy, "test", both, counts), 0);
	for (size_t i = 0; i < c.rows.count; i++)
		str_addf(&got, "%s%s %g %g %s", i ? "; " : "", c.rows.items[i].metric,
			 c.rows.items[i].a, c.rows.items[i].b, words[c.rows.items[i].change]);
	str_addf(&got, "%s%zu unchanged", got.len ? "; " : "", c.unchanged);
	assert_string_equal(str_get(&got), expected);
	assert_int_equal(c.regressions + c.improvements + c.neutral, c.rows.count);
	comparison_finish(&c);
}

static struct sidecar with_own(const struct named_metric *metrics, size_t count)
{
	return (struct sidecar){ .metrics = metrics, .metric_count = count };
}

static void metrics_of_a_test_are_averaged_where_they_are(void **state)
{
	const struct named_metric
		a[] = { { .name = "ops", .value = 100, .polarity = KTSTR_HIGHER_BETTER } },
		b[] = { { .name = "ops", .value = 60, .polarity = KTSTR_HIGHER_BETTER } },
		c[] = { { .name = "ops", .value = 90, .polarity = KTSTR_HIGHER_BETTER } };
	const struct sidecar before[] = { with_own(a, 1) },
			     after[] = { with_own(b, 1), {}, with_own(c, 1) };

	(void)state;
	/* The mean of 60 and 90: who has none does not count. */
	expect_changes(before, 1, after, 3, "ops 100 75 worse; 0 unchanged");
	expect_changes(after, 3, before, 1, "ops 75 100 better; 0 unchanged");
	expect_changes(before, 1, after + 1, 1, "0 unchanged");
}

static void metrics_are_the_same_by_name_run_and_payload(void **state)
{
	const struct named_metric
		a[] = { { .name = "us",
			  .value = 10,
			  .payload = "one",
			  .polarity = KTSTR_LOWER_BETTER },
			{ .name = "us",
			  .value = 10,
			  .payload = "one",
			  .run_index = 1,
			  .polarity = KTSTR_LOWER_BETTER },
			{ .name = "us", .value = 10, .polarity = KTSTR_LOWER_BETTER },
			{ .name = "odd", .value = 10 } },
		b[] = { { .name = "odd", .value = 90 },
			{ .name = "us", .value = 30, .polarity = KTSTR_LOWER_BETTER },
			{ .name = "us",
			  .value = 40,
			  .payload = "two",
			  .polarity = KTSTR_LOWER_BETTER },
			{ .name = "us",
			  .value = 20,
			  .payload = "one",
			  .run_index = 1,
			  .polarity = KTSTR_LOWER_BETTER },
			{ .name = "us",
			  .value = 5,
			  .payload = "one",
			  .polarity = KTSTR_LOWER_BETTER } };
	const struct sidecar before = with_own(a, ARRAY_SIZE(a)),
			     after = with_own(b, ARRAY_SIZE(b));

	(void)state;
	/* What does not say what is better is not compared. */
	expect_changes(&before, 1, &after, 1,
		       "us 10 5 better; us 10 20 worse; us 10 30 worse; 0 unchanged");
}

static void nearer_to_the_target_is_better(void **state)
{
	static const struct {
		double a, b;
		const char *expected;
	} rows[] = {
		{ 80, 95, "x 80 95 better; 0 unchanged" },
		{ 80, 130, "x 80 130 worse; 0 unchanged" },
		/* As far on the other side is no better. */
		{ 80, 120, "x 80 120 worse; 0 unchanged" },
		{ 100, 105, "1 unchanged" },
		/* Ten percent are a change, and nothing is a change of nothing. */
		{ 100, 110, "x 100 110 worse; 0 unchanged" },
		{ 0, 0, "0 unchanged" },
		{ 0, 100, "x 0 100 better; 0 unchanged" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct named_metric a = { .name = "x",
						.value = rows[i].a,
						.target = 100,
						.polarity = KTSTR_TARGET },
					  b = { .name = "x",
						.value = rows[i].b,
						.target = 100,
						.polarity = KTSTR_TARGET };
		const struct sidecar before = with_own(&a, 1), after = with_own(&b, 1);

		expect_changes(&before, 1, &after, 1, rows[i].expected);
	}
}

/* Whether a CPU should be busy is up to the test. */
static void what_has_no_better_direction_only_changes(void **state)
{
	const struct sidecar_cpu cpus[] = {
		{ .busy_ns = { true, 1e9 },
		  .idle_ns = { true, 3e9 },
		  .longest_unpicked_ns = { true, 2e8 } },
		{ .busy_ns = { true, 2e9 },
		  .idle_ns = { true, 1e9 },
		  .longest_unpicked_ns = { true, 2.5e8 } },
	};
	const struct sidecar_phase phases[] = {
		{ .events = { .is_known = true, .cpus = &cpus[0], .cpu_count = 1 } },
		{ .events = { .is_known = true, .cpus = &cpus[1], .cpu_count = 1 } },
	};
	const struct sidecar before = { .phases = &phases[0], .phase_count = 1 },
			     after = { .phases = &phases[1], .phase_count = 1 };
	const struct record records[2] = { records_of(&before), records_of(&after) };
	const struct record *const both[2] = { &records[0], &records[1] };
	const struct policy policy = {};
	struct comparison c = { .gates_single = true, .labels = { "x", "y" } };
	_str_ struct str out = {};

	(void)state;
	expect_changes(
		&before, 1, &after, 1,
		"total_busy_ms 1000 2000 changed; total_idle_ms 3000 1000 changed; 1 unchanged");
	assert_int_equal(compare_pair_metrics(&c, &policy, "t", both, (const size_t[]){ 1, 1 }), 0);
	assert_int_equal(c.neutral, 2);
	assert_int_equal(c.regressions + c.improvements + c.ungated, 0);
	assert_int_equal(comparison_text(&c, true, &out), 0);
	assert_non_null(strstr(str_get(&out), " total_busy_ms  1000.00  2000.00  +1000.00ms  "
					      "changed (not gated)\n"));
	assert_non_null(strstr(str_get(&out), "\nchanged: 2 (neither direction is better)\n"));
	comparison_finish(&c);
}

static void the_table_tells_what_counts(void **state)
{
	const struct sidecar before[] = { { .stats.worst_spread = { true, 10 },
					    .stats.total_iterations = { true, 1000 },
					    .stats.worst_gap_ms = { true, 0 } },
					  { .stats.worst_spread = { true, 20 } } },
			     after[] = { { .stats.worst_spread = { true, 30 },
					   .stats.total_iterations = { true, 2000 },
					   .stats.worst_gap_ms = { true, 0 } } };

	(void)state;
	expect_changes(before, 2, after, 1,
		       "worst_spread 15 30 worse; total_iterations 1000 2000 better; 0 unchanged");
	expect_changes(after, 1, after, 1, "2 unchanged");
}

static void a_kernel_is_let_in_by_its_series_or_itself(void **state)
{
	static const struct {
		const char *filter, *version;
		bool is_match;
	} rows[] = {
		{ "6.14", "6.14.2", true },	{ "6.14", "6.14", true },
		{ "6.14", "6.14-rc2", true },	{ "6.1", "6.14.2", false },
		{ "6.14", "6.1", false },	{ "6.14.2", "6.14.2", true },
		{ "6.14.2", "6.14.21", false }, { "6.14.2", "6.14.2-next", false },
		{ "6", "6.14", false },		{ "6.", "6.14", false },
		{ "6.", "6.", true },		{ ".14", ".14.2", false },
		{ "6.14x", "6.14x.2", false },	{ "6-14", "6-14.2", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (side_filter_kernel_matches(rows[i].filter, rows[i].version) != rows[i].is_match)
			fail_msg("filter %s, version %s", rows[i].filter, rows[i].version);
}

static bool lets_in(const struct side_filter *f, const char *commit)
{
	const struct sidecar s = { .project_commit = commit };

	return side_filter_matches(f, &s);
}

static void a_commit_is_let_in_by_the_start_of_its_hash(void **state)
{
	struct side_filter f = {};
	char *hash = strdup("0123456789abcdef0123456789abcdef01234567");

	(void)state;
	assert_true(lets_in(&f, "anything"));
	assert_int_equal(side_filter_add(&f, DIMENSION_PROJECT_COMMIT, "HEAD"), 0);
	assert_int_equal(vec_push(&f.hashes[DIMENSION_PROJECT_COMMIT], hash), 0);
	assert_true(lets_in(&f, "HEAD"));
	assert_true(lets_in(&f, "0123456"));
	/* Runs of changed files are apart. Less than seven digits are no hash, nor is another one. */
	assert_false(lets_in(&f, "0123456789-dirty"));
	assert_false(lets_in(&f, "012345"));
	assert_false(lets_in(&f, "0123457"));
	assert_false(lets_in(&f, "0123456-clean"));
	assert_false(lets_in(&f, NULL));
	side_filter_finish(&f);
}

static void all_wanted_flags_have_to_be_on(void **state)
{
	const char *flags[] = { "llc", "steal" };
	const struct sidecar s = { .active_flags = { flags, 2 } };
	struct side_filter f = {}, other = {};

	(void)state;
	assert_int_equal(side_filter_add(&f, DIMENSION_FLAG, "steal"), 0);
	assert_true(side_filter_matches(&f, &s));
	assert_int_equal(side_filter_add(&f, DIMENSION_FLAG, "llc"), 0);
	assert_true(side_filter_matches(&f, &s));
	/* The same ones in another order are the same; fewer are not. */
	assert_int_equal(side_filter_add(&other, DIMENSION_FLAG, "llc"), 0);
	assert_false(side_filter_is_same(&f, &other, DIMENSION_FLAG));
	assert_false(side_filter_is_same(&other, &f, DIMENSION_FLAG));
	assert_int_equal(side_filter_add(&other, DIMENSION_FLAG, "steal"), 0);
	assert_true(side_filter_is_same(&f, &other, DIMENSION_FLAG));
	assert_int_equal(side_filter_add(&f, DIMENSION_FLAG, "none"), 0);
	assert_false(side_filter_matches(&f, &s));
	side_filter_finish(&f);
	side_filter_finish(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics_of_a_test_are_averaged_where_they_are),
		cmocka_unit_test(metrics_are_the_same_by_name_run_and_payload),
		cmocka_unit_test(nearer_to_the_target_is_better),
		cmocka_unit_test(what_has_no_better_direction_only_changes),
		cmocka_unit_test(the_table_tells_what_counts),
		cmocka_unit_test(a_kernel_is_let_in_by_its_series_or_itself),
		cmocka_unit_test(a_commit_is_let_in_by_the_start_of_its_hash),
		cmocka_unit_test(all_wanted_flags_have_to_be_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

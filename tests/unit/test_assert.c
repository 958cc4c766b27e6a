// SPDX-License-Identifier: GPL-2.0-only
/* Thresholds: what merges, what is refused, what is shown. */
#include "unit.h"

#include <errno.h>
#include <math.h>

#include "base/err.h"
#include "check/check.h"

static void test_the_last_value_that_is_given_wins(void **state)
{
	struct ktstr_assert merged = assert_defaults;
	const struct ktstr_assert sched = { .max_gap_ms = 500,
					    .isolation = KTSTR_OFF,
					    .max_spread_pct = 20 };
	const struct ktstr_assert test = { .max_gap_ms = KTSTR_ZERO, .max_spread_pct = KTSTR_OFF };

	(void)state;
	assert_merge(&merged, &sched);
	assert_merge(&merged, &test);
	assert_int_equal(merged.not_starved, KTSTR_ON);
	assert_int_equal(merged.isolation, KTSTR_OFF);
	assert_true(merged.max_gap_ms == KTSTR_ZERO);
	assert_true(merged.max_spread_pct == KTSTR_OFF);
	assert_true(merged.max_imbalance_ratio == 4);
}

static void test_both_names_of_not_starved(void **state)
{
	struct ktstr_assert merged = assert_defaults;
	const struct ktstr_assert test = { .not_stuck = KTSTR_OFF };

	(void)state;
	assert_merge(&merged, &test);
	assert_int_equal(merged.not_starved, KTSTR_OFF);
}

static void refused(struct ktstr_assert a, const char *sentence)
{
	assert_int_equal(assert_validate(&a), -EINVAL);
	assert_string_equal(err_text(-EINVAL), sentence);
}

static void test_bad_values(void **state)
{
	struct ktstr_assert fine = { .max_gap_ms = KTSTR_ZERO,
				     .max_spread_pct = KTSTR_OFF,
				     .min_page_locality = 1 };

	(void)state;
	assert_int_equal(assert_validate(&assert_defaults), 0);
	assert_int_equal(assert_validate(&fine), 0);
	refused((struct ktstr_assert){ .max_spread_pct = NAN },
		"assert.max_spread_pct: nan is not a finite number");
	refused((struct ktstr_assert){ .max_throughput_cv = INFINITY },
		"assert.max_throughput_cv: inf is not a finite number");
	refused((struct ktstr_assert){ .max_migration_ratio = -0.5 },
		"assert.max_migration_ratio: -0.5 is negative");
	refused((struct ktstr_assert){ .max_gap_ms = -2 }, "assert.max_gap_ms: -2 is negative");
	refused((struct ktstr_assert){ .isolation = 7 },
		"assert.isolation: 7 is neither KTSTR_ON nor KTSTR_OFF");
	refused((struct ktstr_assert){ .min_page_locality = 1.5 },
		"assert.min_page_locality: 1.5 is above 1, which no share can reach");
	refused((struct ktstr_assert){ .sustained_samples = KTSTR_ZERO },
		"assert.sustained_samples: 0 samples would be no evidence");
}

static void test_print(void **state)
{
	static const char expected[] =
		"  not_starved                           : true\n"
		"  isolation                             : true\n"
		"  max_gap_ms                            : 0\n"
		"  max_spread_pct                        : off\n"
		"  max_throughput_cv                     : none\n"
		"  min_work_rate                         : none\n"
		"  max_p99_wake_latency_ns               : none\n"
		"  max_wake_latency_cv                   : none\n"
		"  min_iteration_rate                    : none\n"
		"  max_migration_ratio                   : 0.25\n"
		"  max_imbalance_ratio                   : 4, not judged (no monitor)\n"
		"  max_local_dsq_depth                   : 50, not judged (no monitor)\n"
		"  fail_on_stall                         : false\n"
		"  sustained_samples                     : 5, not judged (no monitor)\n"
		"  max_fallback_rate                     : 200, not judged (no monitor)\n"
		"  max_keep_last_rate                    : 100, not judged (no monitor)\n"
		"  min_page_locality                     : none\n"
		"  max_cross_node_migration_ratio        : none\n"
		"  max_slow_tier_ratio                   : none\n"
		"  max_run_delay_spread_pct              : none\n"
		"  max_wait_ms                           : 250\n"
		"  max_kernel_wait_ms                    : 125\n"
		"  max_idle_wait_pct                     : 20\n"
		"  max_all_idle_wait_pct                 : 10\n"
		"  max_idle_wait_ms                      : 100\n"
		"  max_share_error_pct                   : off\n"
		"  max_even_share_error_pct              : 10\n"
		"  max_wakeup_wait_ratio                 : 3\n"
		"  no_dead_cpus                          : true\n"
		"  max_migrations_per_s                  : 1000\n"
		"  max_hasty_migrations_per_s            : 150\n"
		"  max_needless_wakeup_pct               : 60\n"
		"  max_switches_per_s                    : 2000\n"
		"  max_scheduler_us_per_run              : 250, not judged (no monitor)\n"
		"  max_p99_timer_lateness_ns             : 25000000\n";
	const struct assert_reasons reasons = { .monitor = "no monitor" };
	struct ktstr_assert a = assert_defaults;
	_str_ struct str out = {};

	(void)state;
	a.max_gap_ms = KTSTR_ZERO;
	a.max_spread_pct = KTSTR_OFF;
	a.max_migration_ratio = 0.25;
	a.fail_on_stall = KTSTR_OFF;
	a.max_share_error_pct = KTSTR_OFF;
	assert_print(&a, &reasons, &out);
	assert_string_equal(str_get(&out), expected);
}

/* A limit of a test's own must be judged or said to be open; those of all are only noted. */
static void test_custom_limits_of_events(void **state)
{
	struct ktstr_assert a = assert_defaults;

	(void)state;
	assert_null(assert_custom_event(&a));
	a.max_idle_wait_pct = KTSTR_OFF;
	assert_null(assert_custom_event(&a));
	a.max_wait_ms = 100;
	assert_string_equal(assert_custom_event(&a), "max_wait_ms");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_last_value_that_is_given_wins),
		cmocka_unit_test(test_both_names_of_not_starved),
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_custom_limits_of_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

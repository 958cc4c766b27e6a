// SPDX-License-Identifier: GPL-2.0-only
/* What becomes of the monitor's samples: in the result of a test, in its failure, in its record. */
#include "unit.h"

#include "base/err.h"
#include "check/check.h"
#include "run/parts.h"
#include "series_fixture.h"

static struct series series;
static struct run_monitor monitor;
static struct ktstr_result result;
static struct sidecar sidecar;
static struct str bytes;

static int set_up(void **state)
{
	(void)state;
	series = (struct series){ .cpu_count = 2 };
	monitor = (struct run_monitor){};
	result_init(&result);
	sidecar_init(&sidecar);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	series_finish(&series);
	run_monitor_finish(&monitor);
	result_finish(&result);
	sidecar_finish(&sidecar);
	str_finish(&bytes);
	return 0;
}

static void read_series(const struct ktstr_assert *limits)
{
	str_reset(&bytes);
	run_monitor_finish(&monitor);
	assert_int_equal(series_encode(&series, &bytes), 0);
	assert_int_equal(run_monitor_read(&monitor, &bytes, limits), 0);
}

/* Every counter has its own value: the n-th event grows by n on each CPU, within a second. */
static void add_counters(void)
{
	for (uint64_t i = 0; i <= 10; i++) {
		struct cpu_sample cpus[2] = {};
		struct guest_sample sample = { .time_ns = (1000 + 100 * i) * NSEC_PER_MSEC,
					       .cpu_count = 2,
					       .cpus = cpus };

		for (size_t cpu = 0; cpu < 2; cpu++) {
			cpus[cpu] =
				(struct cpu_sample){ .is_known = true,
						     .nr_running = cpu ? 3 : 1,
						     .local_dsq_depth = cpu ? 4 : 0,
						     .clock_ns = 1000 + i + cpu,
						     .switches = 100 * i,
						     .known_events = (1U << SCX_COUNTERS) - 1,
						     .known_stats = (1U << SCHEDSTAT_COUNT) - 1 };
			for (size_t k = 0; k < SCX_COUNTERS; k++)
				cpus[cpu].events[k] = (int64_t)(i * (k + 1));
			for (size_t k = 0; k < SCHEDSTAT_COUNT; k++)
				cpus[cpu].stats[k] = i * 10 * (k + 1);
		}
		/* One CPU stands still between two samples. */
		if (i >= 9)
			cpus[1].clock_ns = 77;
		assert_int_equal(series_add(&series, &sample), 0);
	}
}

static double number(const char *name)
{
	const struct sidecar_pairs *all = &sidecar.monitor.numbers;

	for (size_t i = 0; i < all->count; i++)
		if (str_eq(all->items[i].name, name))
			return all->items[i].value;
	return -1;
}

static void a_record_has_all_figures(void **state)
{
	static const struct {
		const char *name;
		double value;
	} rows[] = {
		{ "total_samples", 11 },
		{ "max_imbalance_ratio", 3 },
		{ "mean_imbalance_ratio", 3 },
		{ "max_dsq_depth", 4 },
		{ "mean_nr_running", 2 },
		{ "mean_dsq_depth", 2 },
		{ "stall_count", 1 },
		{ "total_fallback", 20 * (SCX_EV_FALLBACK + 1) },
		{ "fallback_rate", 20 * (SCX_EV_FALLBACK + 1) },
		{ "max_fallback_burst", 2 * (SCX_EV_FALLBACK + 1) },
		{ "total_keep_last", 20 * (SCX_EV_KEEP_LAST + 1) },
		{ "keep_last_rate", 20 * (SCX_EV_KEEP_LAST + 1) },
		{ "total_dispatch_offline", 20 * (SCX_EV_OFFLINE + 1) },
		{ "run_delay_rate", 200 * (STAT_RQ_RUN_DELAY + 1) },
		{ "sched_count_rate", 200 * (STAT_RQ_SCHED_COUNT + 1) },
		{ "total_switches", 2000 },
	};
	size_t count = ARRAY_SIZE(rows) + SCX_COUNTERS - SCX_EV_SKIP_EXITING + SCHEDSTAT_COUNT;

	(void)state;
	add_counters();
	read_series(&assert_defaults);
	run_monitor_record(&monitor, &result, &sidecar);
	assert_true(sidecar.monitor.is_known);
	assert_true(sidecar.monitor.numbers.is_known);
	assert_int_equal(sidecar.monitor.numbers.count, count);
	assert_string_equal(sidecar.monitor.summary, "monitor OK");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (number(rows[i].name) != rows[i].value)
			fail_msg("%s is %f", rows[i].name, number(rows[i].name));
	for (size_t i = SCX_EV_SKIP_EXITING; i < SCX_COUNTERS; i++) {
		_free_ char *name = str_fmt("total_%s", scx_counter_names[i]);

		assert_true(number(name) == (double)(20 * (i + 1)));
	}
	for (size_t i = 0; i < SCHEDSTAT_COUNT; i++) {
		_free_ char *name = str_fmt("total_%s", schedstat_names[i]);

		assert_true(number(name) == (double)(200 * (i + 1)));
	}
	assert_true(sidecar.monitor.plot_count > 0);
}

/* Absent is not zero. */
static void figures_that_are_unknown_are_not_in_the_record(void **state)
{
	static const char *const absent[] = { "total_fallback",	    "fallback_rate",
					      "max_fallback_burst", "total_dispatch_offline",
					      "run_delay_rate",	    "sched_count_rate" };

	(void)state;
	add_counters();
	for (size_t i = 0; i < series.samples.count; i++)
		for (size_t cpu = 0; cpu < 2; cpu++) {
			series.samples.items[i].cpus[cpu].known_events = 0;
			series.samples.items[i].cpus[cpu].known_stats = 0;
		}
	read_series(&assert_defaults);
	run_monitor_record(&monitor, &result, &sidecar);
	assert_int_equal(sidecar.monitor.numbers.count, 8);
	assert_true(number("total_switches") == 2000);
	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		assert_true(number(absent[i]) == -1);
	assert_int_equal(sidecar.monitor.callback_count, 0);
}

static void programs_are_recorded_with_their_calls(void **state)
{
	struct program_view first[] = { { "one", .id = 1, .has_stats = true, .calls = 1,
					  .ns = 9 } };
	struct program_view last[] = {
		{ "one", .id = 1, .has_stats = true, .calls = 5, .ns = 109 },
		{ "two", .id = 2, .has_stats = true, .calls = 3, .ns = 30 },
	};
	struct programs before = { .items = { first, 1, 1 } }, after = { .items = { last, 2, 2 } };
	const struct sidecar_callback *c;

	(void)state;
	add_counters();
	assert_int_equal(series_set_programs(&series, &before, &after), 0);
	read_series(&assert_defaults);
	run_monitor_record(&monitor, &result, &sidecar);
	assert_int_equal(sidecar.monitor.callback_count, 2);
	c = sidecar.monitor.callbacks;
	assert_string_equal(c[0].name, "one");
	assert_true(c[0].cnt == 4 && c[0].nsecs == 100);
	assert_string_equal(c[1].name, "two");
	assert_true(c[1].cnt == 3 && c[1].nsecs == 30);
}

static void without_a_monitor_nothing_is_recorded(void **state)
{
	_str_ struct str none = {}, text = {};

	(void)state;
	assert_int_equal(run_monitor_read(&monitor, &none, &assert_defaults), 0);
	assert_false(monitor.is_known);
	run_monitor_record(&monitor, &result, &sidecar);
	run_monitor_add_section(&monitor, &text);
	assert_string_equal(str_get(&text), "");
	assert_false(sidecar.monitor.is_known);
	/* One that did not work has samples of nothing. */
	snprintf(series.problem, sizeof(series.problem), "no BTF");
	read_series(&assert_defaults);
	run_monitor_record(&monitor, &result, &sidecar);
	assert_false(sidecar.monitor.is_known);
	run_monitor_add_section(&monitor, &text);
	assert_true(str_starts(str_get(&text), "\n--- monitor ---\n"));
	str_add(&none, "?");
	assert_int_equal(run_monitor_read(&monitor, &none, &assert_defaults), -EINVAL);
	assert_false(monitor.is_known);
	err_clear();
}

/* ---- limits ---- */

static void add_uneven(size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_sample(&series, 5000 + 100 * i, 9, 1);
}

/* A default that is exceeded is shown, and fails no test; nor does a limit that repeats it. */
static void only_limits_of_the_test_fail_it(void **state)
{
	struct ktstr_assert limits = assert_defaults;

	(void)state;
	add_uneven(7);
	read_series(&limits);
	assert_int_equal(monitor.verdict.state, MONITOR_FAILED);
	assert_false(run_monitor_judge(&monitor, &limits, &result));
	assert_int_equal(result.details.count, 0);
	limits.max_imbalance_ratio = 5;
	limits.sustained_samples = 3;
	read_series(&limits);
	assert_true(run_monitor_judge(&monitor, &limits, &result));
	assert_int_equal(result.details.count, 1);
	assert_int_equal(result.details.items[0].kind, DETAIL_MONITOR);
	assert_int_equal(result.details.items[0].verdict, KTSTR_FAILED);
	assert_string_equal(result.details.items[0].message,
			    "imbalance ratio 9.0 exceeded threshold 5.0 for 7 consecutive samples "
			    "(ending at sample 6)");
	/* As long as it has to last. */
	assert_int_equal(result.details.items[0].time_ns, 3 * SERIES_PERIOD_NS);
	limits.max_imbalance_ratio = 10;
	read_series(&limits);
	assert_false(run_monitor_judge(&monitor, &limits, &result));
	assert_int_equal(result.details.count, 1);
}

static void expect_one(enum detail_kind kind, enum ktstr_verdict verdict, const char *message)
{
	assert_int_equal(result.details.count, message ? 1 : 0);
	if (!message)
		return;
	assert_string_equal(result.details.items[0].message, message);
	assert_int_equal(result.details.items[0].kind, kind);
	assert_int_equal(result.details.items[0].verdict, verdict);
	result_finish(&result);
	result_init(&result);
}

static void limits_without_samples_are_inconclusive(void **state)
{
	struct ktstr_assert limits = assert_defaults;

	(void)state;
	limits.max_imbalance_ratio = 5;
	limits.max_local_dsq_depth = 6;
	assert_false(run_monitor_judge(&monitor, &limits, &result));
	expect_one(DETAIL_MONITOR, KTSTR_INCONCLUSIVE,
		   "max_imbalance_ratio, max_local_dsq_depth could not be judged: the "
		   "guest was not watched");
	limits.max_local_dsq_depth = assert_defaults.max_local_dsq_depth;
	read_series(&limits);
	assert_false(run_monitor_judge(&monitor, &limits, &result));
	expect_one(DETAIL_MONITOR, KTSTR_INCONCLUSIVE,
		   "max_imbalance_ratio could not be judged: no monitor samples");
	snprintf(series.problem, sizeof(series.problem), "no BTF");
	read_series(&limits);
	assert_false(run_monitor_judge(&monitor, &limits, &result));
	expect_one(DETAIL_MONITOR, KTSTR_INCONCLUSIVE,
		   "max_imbalance_ratio could not be judged: no BTF");
	/* Without limits of its own, it is a matter of how long it ran. */
	assert_false(run_monitor_judge(&monitor, &assert_defaults, &result));
	expect_one(DETAIL_NOTE, KTSTR_SKIPPED, "the monitor was off: no BTF");
	run_monitor_finish(&monitor);
	assert_false(run_monitor_judge(&monitor, &assert_defaults, &result));
	expect_one(DETAIL_NOTE, KTSTR_SKIPPED, NULL);
}

static void limits_of_a_scheduler_need_one(void **state)
{
	struct ktstr_assert limits = assert_defaults;

	(void)state;
	run_monitor_without_scheduler(&limits, &result);
	expect_one(DETAIL_MONITOR, KTSTR_INCONCLUSIVE, NULL);
	limits.max_local_dsq_depth = 6;
	run_monitor_without_scheduler(&limits, &result);
	expect_one(DETAIL_MONITOR, KTSTR_INCONCLUSIVE,
		   "max_local_dsq_depth could not be judged: the test has no scheduler");
	limits.max_imbalance_ratio = 5;
	run_monitor_without_scheduler(&limits, &result);
	expect_one(DETAIL_MONITOR, KTSTR_INCONCLUSIVE,
		   "max_imbalance_ratio, max_local_dsq_depth could not be judged: the test has no "
		   "scheduler");
	/* One that is off asks for nothing. */
	limits.max_imbalance_ratio = limits.max_local_dsq_depth = KTSTR_OFF;
	run_monitor_without_scheduler(&limits, &result);
	expect_one(DETAIL_MONITOR, KTSTR_INCONCLUSIVE, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_record_has_all_figures),
		TEST(figures_that_are_unknown_are_not_in_the_record),
		TEST(programs_are_recorded_with_their_calls),
		TEST(without_a_monitor_nothing_is_recorded),
		TEST(only_limits_of_the_test_fail_it),
		TEST(limits_without_samples_are_inconclusive),
		TEST(limits_of_a_scheduler_need_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

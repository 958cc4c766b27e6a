// SPDX-License-Identifier: GPL-2.0-only
/* What records keep of the samples of a run. */
#include "unit.h"

#include "run/parts.h"

static struct series series;
static struct ktstr_result result;
static struct sidecar sidecar;

static int set_up(void **state)
{
	(void)state;
	series = (struct series){ .cpu_count = 2 };
	result_init(&result);
	sidecar_init(&sidecar);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	series_finish(&series);
	result_finish(&result);
	sidecar_finish(&sidecar);
	return 0;
}

static void add_sample(uint64_t ms, uint32_t running, uint64_t delay_ns)
{
	struct cpu_sample cpus[] = {
		{ .is_known = true, .nr_running = running, .stats[STAT_RQ_RUN_DELAY] = delay_ns },
		{ .is_known = true, .nr_running = 1, .local_dsq_depth = 0 },
	};
	struct guest_sample sample = { .time_ns = ms * NSEC_PER_MSEC,
				       .cpu_count = 2,
				       .cpus = cpus };

	assert_int_equal(series_add(&series, &sample), 0);
}

static void a_record_has_the_figures_that_were_not_zero(void **state)
{
	const struct sidecar_plot *p;

	(void)state;
	/* The first two are from before the test, which ends with the last one. */
	for (uint64_t i = 0; i < 8; i++)
		add_sample(5000 + 100 * i, (uint32_t)(i % 2), i * 12340000);
	assert_int_equal(result_add_phase(&result, "all", 0), 0);
	result.phases.items[0].end_ms = 550;
	plots_record(&result, &series, &sidecar);
	assert_int_equal(sidecar.monitor.plot_count, 3);
	p = sidecar.monitor.plots;
	assert_string_equal(p[0].name, "runnable");
	assert_true(p[0].from_ms == 50 && p[0].to_ms == 550);
	assert_int_equal(p[0].points.count, 6);
	assert_true(p[0].points.items[0] == 1 && p[0].points.items[1] == 2);
	assert_string_equal(p[1].name, "idle CPUs");
	assert_true(p[1].points.items[0] == 1 && p[1].points.items[1] == 0);
	assert_string_equal(p[2].name, "waits, ms");
	assert_true(p[2].points.items[5] == 12.3);
}

static void a_long_run_has_as_many_points_as_others(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 5000; i++)
		add_sample(100 * i, i == 3333 ? 9 : 2, 0);
	plots_record(&result, &series, &sidecar);
	assert_int_equal(sidecar.monitor.plot_count, 1);
	assert_int_equal(sidecar.monitor.plots[0].points.count, 96);
	/* The most of its part, not one that happens to be looked at. */
	for (size_t i = 0; i < 96; i++)
		assert_true(sidecar.monitor.plots[0].points.items[i] == (i == 64 ? 10 : 3));
}

static void too_few_samples_are_no_plot(void **state)
{
	(void)state;
	plots_record(&result, &series, &sidecar);
	add_sample(100, 1, 0);
	add_sample(200, 1, 0);
	plots_record(&result, &series, &sidecar);
	assert_int_equal(sidecar.monitor.plot_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_record_has_the_figures_that_were_not_zero),
		TEST(a_long_run_has_as_many_points_as_others),
		TEST(too_few_samples_are_no_plot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

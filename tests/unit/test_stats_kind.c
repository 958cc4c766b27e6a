// SPDX-License-Identifier: GPL-2.0-only
/* How readings of a metric become one, by its kind, and where they are read in a record. */
#include "unit.h"

#include <math.h>

#include "base/util.h"
#include "stats/registry.h"

#define NONE NAN

/* Three readings with weights 1, 2 and 5, of which the second is not a number. */
static void every_kind_folds_as_specified(void **state)
{
	static const struct metric_reading r[] = { { 10, 1 }, { NAN, 2 }, { 40, 5 } };
	static const struct {
		double phase, runs;
	} expected[METRIC_KIND_COUNT] = {
		[METRIC_COUNTER] = { 30, 50 },
		[METRIC_DELTA_SUM] = { 50, 50 },
		[METRIC_GAUGE_AVG] = { 35, 35 }, /* (10 * 1 + 40 * 5) / 6 */
		[METRIC_GAUGE_LAST] = { 40, 40 },
		[METRIC_GAUGE_MAX] = { 40, 40 },
		[METRIC_PEAK] = { 40, 40 },
		[METRIC_TIMESTAMP] = { 40, 40 },
		[METRIC_RATE] = { 50. / 6, 50. / 6 },
		[METRIC_DISTRIBUTION] = { 40, 25 },
		[METRIC_DISTRIBUTION_WORST] = { 40, 40 },
		[METRIC_WORST_LOWEST] = { 10, 25 },
		[METRIC_PER_PHASE] = { 40, NONE },
	};

	(void)state;
	for (enum reading_kind k = 0; k < METRIC_KIND_COUNT; k++) {
		struct metric_reading to = {};

		assert_true(metric_fold_phase(k, r, ARRAY_SIZE(r), &to));
		if (fabs(reading_value(k, &to) - expected[k].phase) > 1e-12)
			fail_msg("%s in a phase: %g", metric_kind_name(k), reading_value(k, &to));
		if (metric_fold_runs(k, r, ARRAY_SIZE(r), &to) == isnan(expected[k].runs))
			fail_msg("%s over runs: there or not", metric_kind_name(k));
		if (!isnan(expected[k].runs) &&
		    fabs(reading_value(k, &to) - expected[k].runs) > 1e-12)
			fail_msg("%s over runs: %g", metric_kind_name(k), reading_value(k, &to));
		/* What is not a number is no reading. */
		assert_false(metric_fold_phase(k, r + 1, 1, &to));
		assert_false(metric_fold_runs(k, r + 1, 1, &to));
		assert_false(metric_fold_phase(k, r, 0, &to));
	}
}

static void counters_need_two_readings_and_never_fall(void **state)
{
	static const struct metric_reading falling[] = { { 40, 1 }, { 10, 1 } };
	struct metric_reading to;

	(void)state;
	assert_false(metric_fold_phase(METRIC_COUNTER, falling, 1, &to));
	assert_true(metric_fold_phase(METRIC_COUNTER, falling, 2, &to));
	assert_true(to.value == 0);
}

static void a_rate_of_nothing_is_absent(void **state)
{
	static const struct metric_reading r[] = { { 0, 0 }, { 3, 0 } };
	struct metric_reading to;

	(void)state;
	assert_false(metric_fold_runs(METRIC_RATE, r, 2, &to));
	assert_false(metric_fold_phase(METRIC_GAUGE_AVG, r, 2, &to));
}

static double value_of(const char *name, const struct sidecar *s)
{
	const struct registry_metric *m = registry_find(name);
	double value;

	assert_non_null(m);
	return registry_value(m, s, &value) ? value : NONE;
}

static double phase_value_of(const char *name, const struct sidecar_phase *p)
{
	const struct registry_metric *m = registry_find(name);
	struct metric_reading r;

	return source_read_phase(&m->phase, m->kind, p, &r) ? reading_value(m->kind, &r) : NONE;
}

#define KNOWN(v)                             \
	{                                    \
		.is_known = true, .value = v \
	}

static void metrics_are_read_where_the_record_has_them(void **state)
{
	const struct sidecar_cgroup cgroups[] = {
		{ .name = "a",
		  .iterations = KNOWN(100),
		  .wall_time_ns = KNOWN(1e9),
		  .cpu_time_ns = KNOWN(25e6),
		  .iterations_per_worker = KNOWN(0),
		  .spread = KNOWN(3),
		  .waits = { .count = 1, .mean_ns = 1000, .p50_ns = 2000, .p999_ns = 9000 } },
		{ .name = "b",
		  .iterations = KNOWN(300),
		  .wall_time_ns = KNOWN(3e9),
		  .iterations_per_worker = KNOWN(30),
		  .spread = KNOWN(7),
		  .waits = { .count = 3, .mean_ns = 5000, .p50_ns = 1000, .p999_ns = 4000 } },
	};
	const struct sidecar_cpu cpus[] = {
		{ .idle_wait_ns = KNOWN(2e6),
		  .longest_idle_wait_ns = KNOWN(5e3),
		  .busy_ns = KNOWN(70e6),
		  .idle_ns = KNOWN(30e6),
		  .longest_unpicked_ns = KNOWN(11e6) },
		{ .idle_wait_ns = KNOWN(3e6),
		  .longest_idle_wait_ns = KNOWN(7e3),
		  .busy_ns = KNOWN(90e6),
		  .idle_ns = KNOWN(10e6) },
	};
	const struct sidecar_phase phases[] = {
		{ .name = "BASELINE", .cgroups = cgroups, .cgroup_count = 2 },
		{ .name = "1",
		  .events = { .is_known = true,
			      .cpus = cpus,
			      .cpu_count = 2,
			      .idle_wait_pct = KNOWN(12) } },
		{ .name = "2", .events = { .is_known = true, .cpus = cpus, .cpu_count = 1 } },
	};
	const struct sidecar_callback calls[] = { { "a", 10, 500 }, { "b", 30, 3500 } };
	const struct sidecar_program programs[] = { { "a", 400 }, { "b", 600 } };
	const struct sidecar_pair numbers[] = { { "max_dsq_depth", 4 }, { "total_fallback", 9 } };
	const struct sidecar s = {
		.stats = { .worst_spread = KNOWN(7), .cgroups = cgroups, .cgroup_count = 2 },
		.phases = phases,
		.phase_count = ARRAY_SIZE(phases),
		.monitor = { .is_known = true,
			     .numbers = { true, numbers, 2 },
			     .callbacks = calls,
			     .callback_count = 2 },
		.programs = programs,
		.program_count = 2,
	};

	(void)state;
	assert_true(value_of("worst_spread", &s) == 7);
	assert_true(value_of("mean_wait_us", &s) == 4); /* (1 * 1 + 5 * 3) / 4 */
	assert_true(value_of("worst_median_wait_us", &s) == 2);
	assert_true(value_of("worst_p999_wait_us", &s) == 9);
	assert_true(isnan(value_of("worst_p99_timer_latency_us", &s)));
	assert_true(value_of("iteration_rate", &s) == 100);
	assert_true(value_of("total_idle_wait_ms", &s) == 7);
	assert_true(value_of("longest_idle_wait_us", &s) == 7);
	assert_true(value_of("total_busy_ms", &s) == 230);
	assert_true(value_of("total_idle_ms", &s) == 70);
	assert_true(value_of("longest_unpicked_us", &s) == 11000);
	assert_true(value_of("total_cpu_time_ms", &s) == 25);
	assert_true(value_of("bpf_ns_per_call", &s) == 100);
	assert_true(value_of("total_verified_insns", &s) == 1000);
	assert_true(value_of("max_dsq_depth", &s) == 4);
	assert_true(value_of("total_fallback", &s) == 9);
	assert_true(isnan(value_of("stall_count", &s)));

	assert_true(phase_value_of("worst_spread", &phases[0]) == 7);
	assert_true(phase_value_of("total_iterations", &phases[0]) == 400);
	/* 0 is a cgroup that did nothing. */
	assert_true(phase_value_of("worst_iterations_per_worker", &phases[0]) == 30);
	assert_true(phase_value_of("worst_idle_wait_pct", &phases[1]) == 12);
	assert_true(phase_value_of("total_idle_wait_ms", &phases[1]) == 5);
	assert_true(isnan(phase_value_of("worst_idle_wait_pct", &phases[0])));
	assert_true(phase_value_of("total_busy_ms", &phases[1]) == 160);
	assert_true(phase_value_of("longest_unpicked_us", &phases[2]) == 11000);
	/* Nothing was recorded, which is not 0. */
	assert_true(isnan(phase_value_of("total_busy_ms", &phases[0])));
	assert_true(isnan(phase_value_of("total_idle_ms", &phases[0])));
	assert_true(isnan(phase_value_of("longest_unpicked_us", &phases[0])));
	assert_true(isnan(phase_value_of("bpf_ns_per_call", &phases[1])));
}

static void rows_of_the_registry_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < registry_count; i++) {
		const struct registry_metric *m = &registry_metrics[i];

		if (!m->unit || m->run.place == SOURCE_NOWHERE || m->default_rel <= 0 ||
		    m->default_abs <= 0)
			fail_msg("%s lacks a gate, a unit or a place", m->name);
		assert_ptr_equal(registry_find(m->name), m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_folds_as_specified),
		cmocka_unit_test(counters_need_two_readings_and_never_fall),
		cmocka_unit_test(a_rate_of_nothing_is_absent),
		cmocka_unit_test(metrics_are_read_where_the_record_has_them),
		cmocka_unit_test(rows_of_the_registry_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

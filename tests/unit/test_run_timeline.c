// SPDX-License-Identifier: GPL-2.0-only
/* The timeline of a run, from its steps and samples. */
#include "check/check.h"
#include "run/parts.h"

#include "series_fixture.h"
#include "unit.h"

static struct variant make_variant(void)
{
	static struct probe_test test = { .name = "t", .duration_ms = 2000 };

	return (struct variant){ .name = "ktstr/t", .test = &test, .topology = { 1, 1, 2, 1 } };
}

/* Ten samples, of which the last is at the end of the last phase. */
static void a_timeline_has_samples_of_each_phase(void **state)
{
	_cleanup_(series_finish) struct series series = { .cpu_count = 2 };
	struct timeline_facts facts = { .series = &series };
	struct variant v = make_variant();
	struct ktstr_result r;
	_str_ struct str out = {};

	(void)state;
	for (uint64_t i = 0; i < 10; i++)
		add_sample(&series, 5000 + 100 * i, i < 5 ? 1 : 7, 1);
	result_init(&r);
	assert_int_equal(vec_push(&r.stimuli, ((struct stimulus){ .elapsed_ms = 50 })), 0);
	assert_int_equal(vec_push(&r.stimuli, ((struct stimulus){ .step = 1,
								  .elapsed_ms = 450,
								  .total_iterations = 4000 })),
			 0);
	assert_int_equal(result_add_phase(&r, "last", 450), 0);
	r.phases.items[0].end_ms = 900;
	assert_int_equal(vec_push(&r.phases.items[0].cgroups,
				  ((struct cgroup_stats){ .name = strdup("cg_a"),
							  .has_off_cpu = true,
							  .mean_off_cpu_pct = 30,
							  .max_off_cpu_pct = 60,
							  .spread_pct = 60,
							  .has_run_delay = true,
							  .mean_run_delay_us = 915,
							  .worst_run_delay_us = 1000.4,
							  .iterations = 77,
							  .migrations = 1,
							  .gap_ms = 10 })),
			 0);
	timeline_add(&v, &r, &facts, &out);
	assert_non_null(strstr(str_get(&out), "\nBASELINE (settle, 50ms, 1 samples):\n"
					      "  imbalance: avg=1.0 max=1.0 | dsq: avg=2 max=4"));
	assert_non_null(strstr(str_get(&out), "Phase 1: StepStart[0] ops=0 (400ms, 4 samples):\n"
					      "  imbalance: avg=1.0 max=1.0 | dsq: avg=2 max=4"));
	assert_non_null(strstr(str_get(&out), " | throughput: 10000 iter/s\n"
					      "  runnable   ▃▃▃▃ max 2\n"
					      "  local DSQs ████ max 4\n"));
	assert_non_null(strstr(str_get(&out), "Phase 2: StepStart[1] ops=0 (450ms, 5 samples):\n"
					      "  imbalance: avg=7.0 max=7.0 |"));
	assert_non_null(strstr(str_get(&out), "  runnable   █████ max 8\n"));
	assert_non_null(
		strstr(str_get(&out),
		       "  cg_a: off-cpu avg=30.0% min=0.0% max=60.0% spread=60.0% | run-delay "
		       "mean=915µs worst=1000µs | iters=77 migrations=1 | gap=10ms@cpu0\n"
		       "  >>> StepStart[1]"));
	assert_non_null(strstr(str_get(&out), "max=4 | nr_run: avg=1.0 |"));
	assert_non_null(strstr(str_get(&out), "  >>> DEGRADATION: imbalance +6.0\n"));
	assert_null(strstr(str_get(&out), "idle CPUs"));
	assert_null(strstr(str_get(&out), "stalls"));
	result_finish(&r);
}

/* Without an end of the test its beginning is that of the samples. */
static void a_timeline_of_a_hung_guest_begins_with_its_samples(void **state)
{
	_cleanup_(series_finish) struct series series = { .cpu_count = 2 };
	struct timeline_facts facts = { .series = &series };
	struct variant v = make_variant();
	struct ktstr_result r;
	_str_ struct str out = {};

	(void)state;
	for (uint64_t i = 0; i < 10; i++)
		add_sample(&series, 5000 + 100 * i, 1, 0);
	result_init(&r);
	assert_int_equal(vec_push(&r.stimuli, ((struct stimulus){ .elapsed_ms = 350 })), 0);
	timeline_add(&v, &r, &facts, &out);
	assert_non_null(strstr(str_get(&out), "BASELINE (settle, 350ms, 4 samples):"));
	assert_non_null(strstr(str_get(&out), "  idle CPUs  ████ max 1\n"));
	assert_non_null(strstr(str_get(&out), "(550ms, 6 samples):"));
	/* It lasted until the last sample, and not until its last step. */
	assert_non_null(strstr(str_get(&out), "  duration: 0.9s\n"));
	result_finish(&r);
}

/* A loop has as many events as rounds. */
static void a_timeline_shows_the_last_of_many_phases(void **state)
{
	_cleanup_(series_finish) struct series series = { .cpu_count = 2 };
	struct timeline_facts facts = { .series = &series };
	struct variant v = make_variant();
	struct ktstr_result r;
	_str_ struct str out = {};

	(void)state;
	for (uint64_t i = 0; i < 50; i++)
		add_sample(&series, 5000 + 100 * i, i < 18 ? 1 : 3, 1);
	result_init(&r);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(vec_push(&r.stimuli, ((struct stimulus){ .elapsed_ms = 100 * i })),
				 0);
	timeline_add(&v, &r, &facts, &out);
	assert_non_null(strstr(str_get(&out), "\n[18 phases are not shown]\n\nPhase 19: "));
	assert_null(strstr(str_get(&out), "Phase 18: "));
	assert_non_null(strstr(str_get(&out), "Phase 50: "));
	/* The first one is compared with the one before it, not with the baseline. */
	assert_non_null(strstr(str_get(&out), "  >>> DEGRADATION: imbalance +2.0\n\nPhase 20"));
	result_finish(&r);
}

/* One that told no steps, as it hung, has its samples in one piece. */
static void a_timeline_without_steps_is_of_the_whole_run(void **state)
{
	_cleanup_(series_finish) struct series series = { .cpu_count = 2 };
	struct timeline_facts facts = { .series = &series, .kernel = "7.0" };
	struct variant v = make_variant();
	struct ktstr_result r;
	_str_ struct str out = {};

	(void)state;
	result_init(&r);
	timeline_add(&v, &r, &facts, &out);
	assert_string_equal(str_get(&out), "");
	for (uint64_t i = 0; i < 5; i++)
		add_sample(&series, 5000 + 100 * i, 3, 1);
	timeline_add(&v, &r, &facts, &out);
	assert_non_null(strstr(str_get(&out),
			       "\n--- timeline ---\n"
			       "kernel: 7.0  topology: 1n1l2c1t (2 cpus)  scenario: t  "
			       "duration: 0.4s\n\nWhole run (400ms, 5 samples):\n"
			       "  imbalance: avg=3.0 max=3.0 | dsq: avg=2 max=4"));
	assert_non_null(strstr(str_get(&out), "  runnable   █████ max 4\n"));
	result_finish(&r);
}

/* One step alone has nothing to be compared with. */
static void a_timeline_without_figures_is_not_shown(void **state)
{
	struct timeline_facts facts = {};
	struct variant v = make_variant();
	struct ktstr_result r;
	_str_ struct str out = {};

	(void)state;
	result_init(&r);
	assert_int_equal(vec_push(&r.stimuli, ((struct stimulus){ .elapsed_ms = 10 })), 0);
	timeline_add(&v, &r, &facts, &out);
	assert_string_equal(str_get(&out), "");
	assert_int_equal(vec_push(&r.stimuli, ((struct stimulus){ .elapsed_ms = 1010,
								  .total_iterations = 500 })),
			 0);
	timeline_add(&v, &r, &facts, &out);
	assert_non_null(strstr(str_get(&out), "--- timeline ---\n"));
	assert_non_null(strstr(str_get(&out), "throughput: 500 iter/s"));
	result_finish(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_timeline_without_figures_is_not_shown),
		cmocka_unit_test(a_timeline_has_samples_of_each_phase),
		cmocka_unit_test(a_timeline_without_steps_is_of_the_whole_run),
		cmocka_unit_test(a_timeline_of_a_hung_guest_begins_with_its_samples),
		cmocka_unit_test(a_timeline_shows_the_last_of_many_phases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

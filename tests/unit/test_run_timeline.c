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

static struct ktstr_result steps;

static void add_step(uint32_t ms, uint64_t iterations)
{
	const struct stimulus s = { .elapsed_ms = ms,
				    .step = (uint16_t)steps.stimuli.count,
				    .op_count = 2,
				    .cgroup_count = 3,
				    .worker_count = 4,
				    .total_iterations = iterations };

	assert_int_equal(vec_push(&steps.stimuli, s), 0);
}

static void expect(const struct series *series, const char *expected)
{
	struct timeline_facts facts = { .series = series, .kernel = "7.0", .scheduler = "mine" };
	struct variant v = make_variant();
	_str_ struct str out = {};

	timeline_add(&v, &steps, &facts, &out);
	assert_string_equal(str_get(&out), expected);
}

#define HEADER                                                                            \
	"\n--- timeline ---\nkernel: 7.0  topology: 1n1l2c1t (2 cpus)  scheduler: mine  " \
	"scenario: t  duration: "

/* A CPU stands still for a while; depths fall, and fallbacks grow. */
static void a_timeline_tells_what_became_better_or_worse(void **state)
{
	_cleanup_(series_finish) struct series series = { .cpu_count = 2 };

	(void)state;
	result_init(&steps);
	for (uint64_t i = 0; i < 8; i++) {
		struct cpu_sample *cpus;

		add_sample(&series, 5000 + 100 * i, i < 4 ? 3 : 1, 1);
		cpus = series.samples.items[i].cpus;
		cpus[0].known_events = UINT32_MAX;
		cpus[1].local_dsq_depth = i < 4 ? 10 : 2;
		cpus[1].events[SCX_EV_FALLBACK] = (int64_t)(i < 4 ? i : i * 10);
		cpus[1].events[SCX_EV_KEEP_LAST] = (int64_t)(i < 4 ? i * 10 : i);
		cpus[1].clock_ns = i == 2 ? series.samples.items[1].cpus[1].clock_ns : 9000 + i;
	}
	add_step(0, 0);
	add_step(400, 1000);
	expect(&series,
	       HEADER "0.7s\n"
		      "\nBASELINE (settle, 0ms, 0 samples):\n"
		      "  [no samples]\n"
		      "\nPhase 1: StepStart[0] ops=2 (400ms, 4 samples):\n"
		      "  imbalance: avg=3.0 max=3.0 | dsq: avg=5 max=10 | nr_run: avg=2.0 | "
		      "fallback: 10/s | keep_last: 100/s | throughput: 2500 iter/s\n"
		      "  runnable   ████ max 4\n"
		      "  local DSQs ████ max 10\n"
		      "  stalls: 1\n"
		      "  >>> StepStart[0]: ops=2 (3 cgroups, 4 workers)\n"
		      "\nPhase 2: StepStart[1] ops=2 (300ms, 4 samples):\n"
		      "  imbalance: avg=1.0 max=1.0 | dsq: avg=1 max=2 | nr_run: avg=1.0 | "
		      "fallback: 100/s | keep_last: 10/s\n"
		      "  runnable   ▅▅▅▅ max 2\n"
		      "  local DSQs ▂▂▂▂ max 2\n"
		      "  >>> StepStart[1]: ops=2 (3 cgroups, 4 workers)\n"
		      "  >>> IMPROVEMENT: imbalance -2.0\n"
		      "  >>> IMPROVEMENT: dsq_depth -4.0\n"
		      "  >>> DEGRADATION: fallback +90.0\n"
		      "  >>> IMPROVEMENT: keep_last -90.0\n");
	result_finish(&steps);
}

/* By more than 30 % of what it was. */
static void changes_of_throughput_are_told_from_a_limit_on(void **state)
{
	static const struct {
		uint64_t second;
		const char *expected;
	} rows[] = {
		{ 1301, "  >>> IMPROVEMENT: throughput +301.0\n" }, { 1300, "" }, { 700, "" },
		{ 699, "  >>> DEGRADATION: throughput -301.0\n" },  { 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *figures = rows[i].second ?
					       str_fmt("throughput: %llu iter/s (stimulus-derived)",
						       ULL(rows[i].second)) :
					       strdup("[no samples]");
		_free_ char *expected = str_fmt(
			HEADER "2.0s\n\nBASELINE (settle, 0ms, 0 samples):\n  [no samples]\n"
			       "\nPhase 1: StepStart[0] ops=2 (1000ms, 0 samples):\n"
			       "  throughput: 1000 iter/s (stimulus-derived)\n"
			       "  >>> StepStart[0]: ops=2 (3 cgroups, 4 workers)\n"
			       "\nPhase 2: StepStart[1] ops=2 (1000ms, 0 samples):\n  %s\n"
			       "  >>> StepStart[1]: ops=2 (3 cgroups, 4 workers)\n%s"
			       "\nPhase 3: StepStart[2] ops=2 (0ms, 0 samples):\n"
			       "  [no samples]\n"
			       "  >>> StepStart[2]: ops=2 (3 cgroups, 4 workers)\n",
			figures, rows[i].expected);

		result_init(&steps);
		add_step(0, 500);
		add_step(1000, 1500);
		add_step(2000, 1500 + rows[i].second);
		expect(NULL, expected);
		result_finish(&steps);
	}
}

static void add_phase_with(const char *cgroup, uint64_t start_ms)
{
	struct cgroup_stats c = { .name = cgroup ? strdup(cgroup) : NULL,
				  .iterations = start_ms,
				  .gap_cpu = -1 };
	int i = result_add_phase(&steps, "p", start_ms);

	assert_true(i >= 0);
	assert_int_equal(vec_push(&steps.phases.items[i].cgroups, c), 0);
}

/* They begin after the event before, and no later than that of their step. */
static void cgroups_are_those_of_the_step(void **state)
{
	struct timeline_facts facts = {};
	struct variant v = make_variant();
	_str_ struct str out = {};

	(void)state;
	result_init(&steps);
	add_step(100, 0);
	add_step(200, 10);
	add_phase_with("first", 0);
	add_phase_with("second", 100);
	add_phase_with("thi\033rd", 101);
	add_phase_with(NULL, 200);
	add_phase_with("later", 201);
	steps.phases.items[4].end_ms = 300;
	timeline_add(&v, &steps, &facts, &out);
	assert_non_null(strstr(str_get(&out), "\nPhase 1: StepStart[0] ops=2 (100ms, 0 samples):\n"
					      "  throughput: 100 iter/s (stimulus-derived)\n"
					      "  first: iters=0 migrations=0\n"
					      "  second: iters=100 migrations=0\n"
					      "  >>> StepStart[0]: "));
	assert_non_null(strstr(str_get(&out), "\nPhase 2: StepStart[1] ops=2 (100ms, 0 samples):\n"
					      "  [no samples]\n"
					      "  thi\\x1brd: iters=101 migrations=0\n"
					      "  cgroup: iters=200 migrations=0\n"
					      "  >>> StepStart[1]: "));
	assert_null(strstr(str_get(&out), "later"));
	result_finish(&steps);
}

static void a_timeline_shows_two_and_thirty_phases(void **state)
{
	struct timeline_facts facts = {};
	struct variant v = make_variant();

	(void)state;
	for (uint32_t count = 32; count <= 33; count++) {
		_str_ struct str out = {};

		result_init(&steps);
		for (uint32_t i = 0; i < count; i++)
			add_step(1000 * i, 100 * i);
		timeline_add(&v, &steps, &facts, &out);
		assert_int_equal(strstr(str_get(&out), "[1 phases are not shown]") != NULL,
				 count == 33);
		assert_int_equal(strstr(str_get(&out), "\nPhase 1: ") != NULL, count == 32);
		assert_non_null(strstr(str_get(&out), "\nPhase 2: "));
		result_finish(&steps);
	}
}

/* As wide as a terminal, and no plot of two points. */
static void plots_have_a_width(void **state)
{
	static const struct {
		size_t samples, columns;
	} rows[] = { { 2, 0 }, { 3, 3 }, { 48, 48 }, { 49, 48 }, { 1000, 48 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(series_finish) struct series series = { .cpu_count = 2 };
		struct timeline_facts facts = { .series = &series };
		struct variant v = make_variant();
		_str_ struct str out = {};
		const char *at;
		size_t columns = 0;

		result_init(&steps);
		for (size_t k = 0; k < rows[i].samples; k++)
			add_sample(&series, 5000 + 100 * k, k ? 1 : 15, 1);
		timeline_add(&v, &steps, &facts, &out);
		at = strstr(str_get(&out), "  runnable   ");
		for (at = at ? at + strlen("  runnable   ") : ""; *at && *at != ' '; at += 3)
			columns++;
		assert_int_equal(columns, rows[i].columns);
		assert_int_equal(strstr(str_get(&out), "  runnable   █▂") != NULL, columns > 0);
		result_finish(&steps);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_timeline_without_figures_is_not_shown),
		cmocka_unit_test(a_timeline_has_samples_of_each_phase),
		cmocka_unit_test(a_timeline_without_steps_is_of_the_whole_run),
		cmocka_unit_test(a_timeline_of_a_hung_guest_begins_with_its_samples),
		cmocka_unit_test(a_timeline_tells_what_became_better_or_worse),
		cmocka_unit_test(changes_of_throughput_are_told_from_a_limit_on),
		cmocka_unit_test(cgroups_are_those_of_the_step),
		cmocka_unit_test(a_timeline_shows_two_and_thirty_phases),
		cmocka_unit_test(plots_have_a_width),
		cmocka_unit_test(a_timeline_shows_the_last_of_many_phases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* perf-delta: from records to rows. */
#include "unit.h"

#include <math.h>

#include "base/str.h"
#include "delta_records.h"

static void records_become_rows(void **state)
{
	const struct delta_row *row;
	struct records x;

	(void)state;
	record(&x, 1000, 500);
	compare(&x);
	assert_int_equal(x.r.tests, 1);
	assert_int_equal(x.r.fewest, RUNS);
	assert_int_equal(x.r.most, RUNS);
	assert_int_equal(x.r.records[0], RUNS);
	assert_int_equal(x.r.gaps.count, 0);
	assert_false(x.r.is_paired || x.r.is_sim);
	assert_int_equal(x.r.outcome, DELTA_FAILED);
	row = row_named(&x.r, "ops", NULL);
	assert_non_null(row);
	assert_string_equal(row->unit, "1/s");
	assert_true(row->is_higher_better && !row->is_must_fail);
	assert_int_equal(row->f.verdict, DELTA_WORSE);
	assert_true(row->f.sides[0].mean == 1001.5 && row->f.sides[1].mean == 501.5);
	row = row_named(&x.r, "worst_gap_ms", NULL);
	assert_non_null(row);
	assert_int_equal(row->f.verdict, DELTA_SAME);
	/* Two rows: a row has half of what chance may do, where one is enough to fail. */
	assert_int_equal(x.r.rows.count, 2);
	assert_true(fabs(x.r.row_alpha - 0.025) < 1e-12);
	delta_report_finish(&x.r);
	/* A second look has half of it. */
	x.o.looks = 2;
	compare(&x);
	assert_true(fabs(x.r.row_alpha - 0.0125) < 1e-12);
	delta_report_finish(&x.r);
	/* A metric of which nobody says what is better, and one that is 0 in every run. */
	for (int i = 0; i < RUNS; i++)
		x.metrics[0][i].polarity = KTSTR_POLARITY_UNKNOWN;
	for (int i = 0; i < 2 * RUNS; i++)
		x.items[i / RUNS][i % RUNS].stats.worst_gap_ms.value = 0;
	compare(&x);
	assert_int_equal(x.r.rows.count, 0);
	assert_int_equal(x.r.outcome, DELTA_PASSED);
	delta_report_finish(&x.r);
}

static void a_target_is_better_the_nearer_it_is(void **state)
{
	const struct delta_row *row;
	struct records x;

	(void)state;
	record(&x, 100, 300);
	for (int i = 0; i < 2 * RUNS; i++) {
		x.metrics[i / RUNS][i % RUNS].polarity = KTSTR_TARGET;
		x.metrics[i / RUNS][i % RUNS].target = 200;
	}
	compare(&x);
	row = row_named(&x.r, "ops", NULL);
	assert_false(row->is_higher_better);
	assert_true(row->f.sides[0].mean == 98.5 && row->f.sides[1].mean == 101.5);
	delta_report_finish(&x.r);
}

/* Runs of one seed are pairs, whatever their order; what has no partner that passed is none. */
static void seeds_make_pairs(void **state)
{
	struct records x;

	(void)state;
	record(&x, 1000, 500);
	for (int i = 0; i < RUNS; i++) {
		x.items[0][i].has_seed = x.items[1][i].has_seed = true;
		x.items[0][i].seed = (uint64_t)(RUNS - i);
		x.items[1][i].seed = (uint64_t)(i + 1);
		x.items[0][i].digest = "same";
		x.items[1][i].digest = i ? "same" : "other";
	}
	compare(&x);
	assert_true(x.r.is_paired);
	assert_int_equal(x.r.pairs, RUNS);
	assert_int_equal(x.r.identical, RUNS - 1);
	/* 500 - 1003, 501 - 1002, 502 - 1001, 503 - 1000 */
	assert_true(row_named(&x.r, "ops", NULL)->f.separation.difference == -500);
	delta_report_finish(&x.r);
	x.items[1][1].outcome = KTSTR_FAILED;
	x.items[1][1].failure = "not told";
	compare(&x);
	assert_int_equal(x.r.pairs, RUNS - 1);
	assert_int_equal(x.r.gaps.count, 1);
	assert_int_equal(x.r.gaps.items[0].passes[0], RUNS - 1);
	assert_int_equal(x.r.gaps.items[0].passes[1], RUNS - 1);
	assert_int_equal(x.r.gaps.items[0].totals[0], RUNS);
	assert_int_equal(x.r.gaps.items[0].totals[1], RUNS);
	assert_null(x.r.gaps.items[0].why);
	delta_report_finish(&x.r);
	/* One that is there twice, or is not told, makes no pairs of any. */
	x.items[1][1].seed = 1;
	x.items[1][1].outcome = KTSTR_SKIPPED;
	compare(&x);
	assert_false(x.r.is_paired);
	assert_int_equal(x.r.fewest, RUNS - 1);
	assert_int_equal(x.r.most, RUNS);
	assert_int_equal(x.r.gaps.items[0].passes[0], RUNS);
	assert_int_equal(x.r.gaps.items[0].passes[1], RUNS - 1);
	assert_string_equal(x.r.gaps.items[0].why, "not told");
	delta_report_finish(&x.r);
	x.items[1][1].seed = 2;
	x.items[0][0].has_seed = false;
	compare(&x);
	assert_false(x.r.is_paired);
	assert_int_equal(x.r.pairs, 0);
	delta_report_finish(&x.r);
}

static void only_runs_that_measure_count(void **state)
{
	static const struct {
		bool is_performance;
		const char *accel;
		bool is_wanted;
	} rows[] = { { false, NULL, false }, { true, NULL, true },   { false, "kvm", false },
		     { true, "kvm", true },  { false, "sim", true }, { false, "tcg", true } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sidecar s = { .performance_mode = rows[i].is_performance,
				     .accel = rows[i].accel };

		assert_int_equal(delta_wants(&s), rows[i].is_wanted);
	}
}

/* Not judged in sim unless it is named; of one side alone there is nothing to compare. */
static void throughput_of_sim_is_left_out(void **state)
{
	static const char *const named[] = { "total_iterations" };
	struct records x;

	(void)state;
	record(&x, 1000, 1000);
	for (int i = 0; i < 2 * RUNS; i++) {
		x.items[i / RUNS][i % RUNS].accel = "sim";
		x.items[i / RUNS][i % RUNS].stats.total_iterations =
			(struct sidecar_number){ true, i < RUNS ? 5000 : 1000 };
	}
	compare(&x);
	assert_true(x.r.is_sim);
	assert_null(row_named(&x.r, "total_iterations", NULL));
	assert_int_equal(x.r.outcome, DELTA_PASSED);
	assert_true(x.r.left_out.count > 0);
	delta_report_finish(&x.r);
	x.o.must_fail = named;
	x.o.must_fail_count = 1;
	compare(&x);
	assert_true(row_named(&x.r, "total_iterations", NULL)->is_must_fail);
	assert_int_equal(x.r.outcome, DELTA_FAILED);
	assert_int_equal(x.r.must_fail_worse, 1);
	delta_report_finish(&x.r);
}

/* What a test asserts has its own gate, and fails by itself. */
static void assertions_have_their_own_gate(void **state)
{
	struct records x;

	(void)state;
	for (int i = 0; i < 4; i++) {
		const struct delta_row *row;

		record(&x, 1000, 960);
		x.o.fail_threshold = 9;
		x.assertion = (struct ktstr_perf_delta){ .metric = i == 3 ? "none" : "ops",
							 .max_regression_percent = i == 1 ? 5 : 2,
							 .min_abs = i == 2 ? 50 : 0 };
		for (int k = 0; k < RUNS; k++) {
			x.items[1][k].perf_deltas = &x.assertion;
			x.items[1][k].perf_delta_count = 1;
		}
		compare(&x);
		row = row_named(&x.r, "ops", NULL);
		assert_int_equal(row->is_asserted, i < 3);
		assert_int_equal(x.r.outcome, i == 0 ? DELTA_FAILED :
					      i == 3 ? DELTA_CANNOT_TELL :
						       DELTA_PASSED);
		assert_int_equal(x.r.unmeasured.count, i == 3);
		delta_report_finish(&x.r);
	}
	/* By the test's own word less is better. */
	record(&x, 1000, 960);
	x.assertion = (struct ktstr_perf_delta){ .metric = "ops",
						 .max_regression_percent = 2,
						 .direction = KTSTR_LOWER_BETTER };
	for (int k = 0; k < RUNS; k++) {
		x.items[1][k].perf_deltas = &x.assertion;
		x.items[1][k].perf_delta_count = 1;
	}
	compare(&x);
	assert_int_equal(row_named(&x.r, "ops", NULL)->f.verdict, DELTA_BETTER);
	delta_report_finish(&x.r);
}

/* Each of several, whatever is asserted before it, and of a phase only there. */
static void every_assertion_is_judged(void **state)
{
	static const struct ktstr_perf_delta assertions[] = {
		{ .metric = "worst_gap_ms", .max_regression_percent = 3 },
		{ .metric = "none", .max_regression_percent = 3 },
		{ .metric = "ops", .max_regression_percent = 2 },
		{ .metric = "worst_gap_ms", .phase = "steady", .max_regression_percent = 4 },
	};
	static const struct sidecar_cgroup cgroup = { .name = "a", .gap_ms = { true, 50 } };
	size_t asserted = 0, of_phase = 0;
	struct records x;

	(void)state;
	record(&x, 1000, 960);
	x.phases[0] = (struct sidecar_phase){
		.name = "BASELINE", .end_ms = 10, .cgroups = &cgroup, .cgroup_count = 1
	};
	x.phases[1] = x.phases[0];
	x.phases[1].name = "steady";
	for (int k = 0; k < 2 * RUNS; k++) {
		struct sidecar *s = &x.items[k / RUNS][k % RUNS];

		s->phases = x.phases;
		s->phase_count = 2;
		s->perf_deltas = assertions;
		s->perf_delta_count = 4;
	}
	x.o.fail_threshold = 9;
	compare(&x);
	vec_each(const struct delta_row, row, &x.r.rows) {
		asserted += row->is_asserted;
		if (row->phase && !strcmp(row->metric, "worst_gap_ms")) {
			of_phase++;
			assert_int_equal(row->is_asserted, !strcmp(row->phase, "steady"));
		}
	}
	assert_int_equal(asserted, 3);
	assert_int_equal(of_phase, 2);
	assert_int_equal(x.r.unmeasured.count, 1);
	assert_string_equal(x.r.unmeasured.items[0].metric, "none");
	/* One row for each: what is asserted is not judged twice. */
	assert_true(row_named(&x.r, "ops", NULL)->is_asserted);
	assert_int_equal(x.r.must_fail_worse, 1);
	assert_int_equal(x.r.outcome, DELTA_FAILED);
	delta_report_finish(&x.r);
}

/* Two phases: which of them have rows, and that those come last. */
static void phases_are_shown_as_asked(void **state)
{
	static const struct {
		struct delta_options o;
		size_t of_run, of_phases;
	} rows[] = {
		{ {}, 2, 2 },
		{ { .phases = DELTA_PHASES_NONE }, 2, 0 },
		{ { .phases = DELTA_PHASES_ONLY }, 0, 2 },
		{ { .is_steps_only = true }, 2, 1 },
		{ { .phase = "steady" }, 2, 1 },
		{ { .phase = "2" }, 2, 1 },
		{ { .phase = "3" }, 2, 0 },
	};
	static const struct sidecar_cgroup cgroup = { .name = "a", .gap_ms = { true, 50 } };
	struct records x;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t of_run = 0, of_phases = 0;

		record(&x, 1000, 1000);
		x.phases[0] = (struct sidecar_phase){
			.name = "BASELINE", .end_ms = 10, .cgroups = &cgroup, .cgroup_count = 1
		};
		x.phases[1] = x.phases[0];
		x.phases[1].name = "steady";
		for (int k = 0; k < 2 * RUNS; k++) {
			x.items[k / RUNS][k % RUNS].phases = x.phases;
			x.items[k / RUNS][k % RUNS].phase_count = 2;
		}
		x.o.phases = rows[i].o.phases;
		x.o.is_steps_only = rows[i].o.is_steps_only;
		x.o.phase = rows[i].o.phase;
		compare(&x);
		vec_each(const struct delta_row, row, &x.r.rows) {
			if (row->phase && strcmp(row->metric, "worst_gap_ms"))
				continue;
			of_phases += row->phase != NULL;
			of_run += !row->phase;
			if (!row->phase)
				assert_int_equal(of_phases, 0);
		}
		assert_int_equal(of_run, rows[i].of_run);
		assert_int_equal(of_phases, rows[i].of_phases);
		delta_report_finish(&x.r);
	}
}

/* Whatever makes two tests of one name two is told; who compares schedulers has one. */
static void tests_are_told_apart(void **state)
{
	struct records x;

	(void)state;
	record(&x, 1000, 1000);
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < 2; i++)
			x.items[side][i].topology = "1n2l4c1t";
	compare(&x);
	assert_int_equal(x.r.tests, 2);
	assert_int_equal(x.r.fewest, 2);
	vec_each(const struct delta_row, row, &x.r.rows)
		assert_non_null(strstr(row->test, "t 1n"));
	delta_report_finish(&x.r);
	record(&x, 1000, 1000);
	for (int i = 0; i < RUNS; i++)
		x.items[1][i].scheduler = "scx_x";
	compare(&x);
	assert_int_equal(x.r.tests, 0);
	assert_int_equal(x.r.gaps.count, 2);
	assert_int_equal(x.r.outcome, DELTA_NO_DATA);
	delta_report_finish(&x.r);
	x.o.is_by_scheduler = true;
	compare(&x);
	assert_int_equal(x.r.tests, 1);
	assert_string_equal(x.r.rows.items[0].test, "t");
	delta_report_finish(&x.r);
}

/* Runs of another test, of another payload, or on something that is not known, are others. */
static void names_payloads_and_kernels_tell_tests_apart(void **state)
{
	struct records x;

	(void)state;
	for (int what = 0; what < 4; what++) {
		record(&x, 1000, 1000);
		for (int i = 0; i < 2; i++) {
			struct sidecar *a = &x.items[0][i], *b = &x.items[1][i];

			if (what == 0)
				a->test_name = b->test_name = "u";
			if (what == 1)
				a->payload = b->payload = "bench";
			if (what == 2)
				a->kernel_version = b->kernel_version = "7.0.1";
			if (what == 3)
				a->binary = b->binary = "suite";
		}
		compare(&x);
		assert_int_equal(x.r.tests, 2);
		assert_int_equal(x.r.most, 2);
		assert_int_equal(x.r.gaps.count, 0);
		delta_report_finish(&x.r);
	}
	/* What is not known is not the same as what is. */
	record(&x, 1000, 1000);
	for (int i = 0; i < RUNS; i++)
		x.items[1][i].kernel_version = "7.0.1";
	compare(&x);
	assert_int_equal(x.r.tests, 0);
	assert_int_equal(x.r.gaps.count, 2);
	delta_report_finish(&x.r);
}

/* Why, in the words of the first run that did not pass, and how many of how many on each side. */
static void gaps_tell_what_is_missing(void **state)
{
	static const struct sidecar_detail details[] = { { "Stuck", KTSTR_FAILED, "stuck 900ms" },
							 { "Other", KTSTR_FAILED, "and more" } };
	struct records x;

	(void)state;
	record(&x, 1000, 1000);
	x.items[1][2].outcome = KTSTR_FAILED;
	x.items[1][2].details = details;
	x.items[1][2].detail_count = 2;
	x.items[1][3].performance_mode = false; /* not one of them at all */
	compare(&x);
	assert_int_equal(x.r.gaps.count, 1);
	assert_string_equal(x.r.gaps.items[0].test, "t");
	assert_int_equal(x.r.gaps.items[0].passes[0], 4);
	assert_int_equal(x.r.gaps.items[0].totals[0], 4);
	assert_int_equal(x.r.gaps.items[0].passes[1], 2);
	assert_int_equal(x.r.gaps.items[0].totals[1], 3);
	assert_string_equal(x.r.gaps.items[0].why, "stuck 900ms");
	assert_int_equal(x.r.fewest, 2);
	assert_int_equal(x.r.most, 4);
	delta_report_finish(&x.r);
	/* One that was skipped has no details. */
	x.items[1][2].details = NULL;
	x.items[1][2].detail_count = 0;
	x.items[1][2].failure = "no KVM";
	compare(&x);
	assert_null(x.r.gaps.items[0].why);
	delta_report_finish(&x.r);
	x.items[1][2].outcome = KTSTR_SKIPPED;
	compare(&x);
	assert_string_equal(x.r.gaps.items[0].why, "no KVM");
	delta_report_finish(&x.r);
}

/* What only one side has measured is compared with nothing; sides may have unequal numbers. */
static void each_side_counts_its_own_runs(void **state)
{
	const struct delta_row *row;
	struct records x;

	(void)state;
	for (int side = 0; side < 2; side++) {
		record(&x, 1000, 500);
		for (int i = 0; i < RUNS; i++)
			x.items[side][i].stats.worst_gap_ms.is_known = false;
		x.items[side][3].metric_count = 0;
		compare(&x);
		assert_null(row_named(&x.r, "worst_gap_ms", NULL));
		row = row_named(&x.r, "ops", NULL);
		assert_non_null(row);
		assert_int_equal(row->f.sides[side].count, 3);
		assert_int_equal(row->f.sides[!side].count, 4);
		delta_report_finish(&x.r);
	}
}

/* A figure that one run alone has above 0, the first or the last of either side, is there. */
static void a_metric_counts_unless_it_is_zero_in_every_run(void **state)
{
	static const int places[][2] = { { 0, 0 }, { 0, RUNS - 1 }, { 1, 0 }, { 1, RUNS - 1 } };
	struct records x;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		record(&x, 1000, 1000);
		for (int k = 0; k < 2 * RUNS; k++)
			x.items[k / RUNS][k % RUNS].stats.worst_gap_ms.value = 0;
		x.items[places[i][0]][places[i][1]].stats.worst_gap_ms.value = 7;
		compare(&x);
		assert_non_null(row_named(&x.r, "worst_gap_ms", NULL));
		delta_report_finish(&x.r);
	}
}

/* 100 in one second and 900 in three, twice: 250 a second, where the mean of the rates is 200. */
static void rates_are_those_of_all_runs_together(void **state)
{
	static const struct sidecar_cgroup cgroups[] = {
		{ .name = "a", .iterations = { true, 100 }, .cpu_time_ns = { true, 1e9 } },
		{ .name = "a", .iterations = { true, 900 }, .cpu_time_ns = { true, 3e9 } },
	};
	const struct delta_row *row;
	struct records x;

	(void)state;
	for (int is_paired = 0; is_paired < 2; is_paired++) {
		record(&x, 1000, 1000);
		for (int i = 0; i < 2 * RUNS; i++) {
			struct sidecar *s = &x.items[i / RUNS][i % RUNS];

			s->stats.cgroups = &cgroups[i % 2];
			s->stats.cgroup_count = 1;
			s->has_seed = is_paired;
			s->seed = (uint64_t)(i % RUNS);
		}
		compare(&x);
		row = row_named(&x.r, "iterations_per_cpu_sec", NULL);
		assert_non_null(row);
		/* Pairs are compared one by one. */
		assert_true(fabs(row->f.sides[0].mean - (is_paired ? 200 : 250)) < 1e-6);
		assert_true(fabs(row->f.sides[1].mean - (is_paired ? 200 : 250)) < 1e-6);
		delta_report_finish(&x.r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_become_rows),
		cmocka_unit_test(a_target_is_better_the_nearer_it_is),
		cmocka_unit_test(seeds_make_pairs),
		cmocka_unit_test(only_runs_that_measure_count),
		cmocka_unit_test(throughput_of_sim_is_left_out),
		cmocka_unit_test(assertions_have_their_own_gate),
		cmocka_unit_test(every_assertion_is_judged),
		cmocka_unit_test(phases_are_shown_as_asked),
		cmocka_unit_test(tests_are_told_apart),
		cmocka_unit_test(names_payloads_and_kernels_tell_tests_apart),
		cmocka_unit_test(gaps_tell_what_is_missing),
		cmocka_unit_test(each_side_counts_its_own_runs),
		cmocka_unit_test(a_metric_counts_unless_it_is_zero_in_every_run),
		cmocka_unit_test(rates_are_those_of_all_runs_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* perf-delta: the gates of rows, which assertions apply, and what is said of several tests. */
#include "unit.h"

#include <math.h>

#include "base/str.h"
#include "delta/parts.h"
#include "delta_records.h"
#include "stats/registry.h"

static const struct sidecar_cgroup cgroup = { .name = "a", .gap_ms = { true, 50 } };

/* Phases in every record; the first is the baseline. */
static void add_phases(struct records *x, size_t count)
{
	x->phases[0] = (struct sidecar_phase){
		.name = "BASELINE", .end_ms = 10, .cgroups = &cgroup, .cgroup_count = 1
	};
	x->phases[1] = x->phases[0];
	x->phases[1].name = "steady";
	for (int k = 0; k < 2 * RUNS; k++) {
		x->items[k / RUNS][k % RUNS].phases = x->phases;
		x->items[k / RUNS][k % RUNS].phase_count = count;
	}
}

/* Of candidates only, as many of them as are said. */
static void assert_all(struct records *x, const struct ktstr_perf_delta *a, size_t count)
{
	for (int k = 0; k < RUNS; k++) {
		x->items[1][k].perf_deltas = a;
		x->items[1][k].perf_delta_count = count;
	}
}

static size_t rows_named(const struct delta_report *r, const char *metric)
{
	size_t count = 0;

	vec_each(const struct delta_row, row, &r->rows)
		count += !row->phase && !strcmp(row->metric, metric);
	return count;
}

/* The metric's own gate, that of phases, and that of the test. */
static void gates_are_those_of_the_row(void **state)
{
	const struct registry_metric *gap = registry_find("worst_gap_ms");
	struct ktstr_perf_delta a = { .metric = "worst_gap_ms", .max_regression_percent = 5 };
	struct records x;

	(void)state;
	record(&x, 1000, 1000);
	add_phases(&x, 2);
	compare(&x);
	assert_true(row_named(&x.r, "worst_gap_ms", NULL)->f.gate ==
		    fmax(gap->default_abs, 100 * gap->default_rel));
	assert_true(row_named(&x.r, "worst_gap_ms", "")->f.gate ==
		    fmax(gap->default_abs, 50 * gap->default_rel));
	delta_report_finish(&x.r);
	x.o.has_phase_threshold = true;
	x.o.phase_threshold = 4;
	compare(&x);
	assert_true(row_named(&x.r, "worst_gap_ms", NULL)->f.gate ==
		    fmax(gap->default_abs, 100 * gap->default_rel));
	assert_true(row_named(&x.r, "worst_gap_ms", "")->f.gate == fmax(gap->default_abs, 200));
	assert_true(fabs(row_named(&x.r, "ops", NULL)->f.gate - 100.15) < 1e-9);
	delta_report_finish(&x.r);
	/* Without an own least change an assertion has that of the metric. */
	assert_all(&x, &a, 1);
	compare(&x);
	assert_true(row_named(&x.r, "worst_gap_ms", NULL)->f.gate == fmax(gap->default_abs, 5));
	assert_int_equal(rows_named(&x.r, "worst_gap_ms"), 1);
	assert_string_equal(row_named(&x.r, "worst_gap_ms", NULL)->unit, "ms");
	delta_report_finish(&x.r);
	a.min_abs = 30;
	compare(&x);
	assert_true(row_named(&x.r, "worst_gap_ms", NULL)->f.gate == 30);
	delta_report_finish(&x.r);
	a = (struct ktstr_perf_delta){ .metric = "ops", .max_regression_percent = 0 };
	compare(&x);
	assert_true(row_named(&x.r, "ops", NULL)->f.gate == OWN_METRIC_ABS);
	assert_int_equal(rows_named(&x.r, "ops"), 1);
	assert_string_equal(row_named(&x.r, "ops", NULL)->unit, "1/s");
	assert_true(row_named(&x.r, "ops", NULL)->is_higher_better);
	delta_report_finish(&x.r);
}

/* The first run of the candidate says what is asserted. */
static void assertions_are_those_of_the_first_run(void **state)
{
	const struct ktstr_perf_delta a = { .metric = "worst_gap_ms", .max_regression_percent = 5 };
	struct records x;

	(void)state;
	record(&x, 1000, 1000);
	x.items[1][0].perf_deltas = &a;
	x.items[1][0].perf_delta_count = 1;
	compare(&x);
	assert_int_equal(rows_named(&x.r, "worst_gap_ms"), 1);
	assert_true(row_named(&x.r, "worst_gap_ms", NULL)->is_asserted);
	delta_report_finish(&x.r);
	x.items[1][0].perf_delta_count = 0;
	x.items[1][1].perf_deltas = &a;
	x.items[1][1].perf_delta_count = 1;
	compare(&x);
	assert_false(row_named(&x.r, "worst_gap_ms", NULL)->is_asserted);
	delta_report_finish(&x.r);
}

/* It is the whole run, so it is there only where phases are asked for. */
static void one_phase_is_shown_if_phases_are_asked_for(void **state)
{
	static const struct {
		struct delta_options o;
		bool is_there;
	} rows[] = {
		{ {}, false },
		{ { .phases = DELTA_PHASES_ONLY }, true },
		{ { .is_steps_only = true }, true },
		{ { .phase = "1" }, true },
		{ { .phase = "2" }, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct records x;

		record(&x, 1000, 1000);
		add_phases(&x, 1);
		x.phases[0].name = "only";
		x.o.phases = rows[i].o.phases;
		x.o.is_steps_only = rows[i].o.is_steps_only;
		x.o.phase = rows[i].o.phase;
		compare(&x);
		assert_int_equal(row_named(&x.r, "worst_gap_ms", "") != NULL, rows[i].is_there);
		delta_report_finish(&x.r);
	}
}

/* Each metric once, however many tests have it. */
static void what_sim_cannot_judge_is_left_out_once(void **state)
{
	struct records x;
	size_t tests = 0;

	(void)state;
	record(&x, 1000, 1000);
	for (int i = 0; i < 2 * RUNS; i++) {
		struct sidecar *s = &x.items[i / RUNS][i % RUNS];

		s->accel = "sim";
		s->test_name = i % 2 ? "u" : "t";
		s->stats.total_iterations = (struct sidecar_number){ true, 5000 };
	}
	compare(&x);
	assert_int_equal(x.r.tests, 2);
	assert_true(x.r.left_out.count > 1);
	for (size_t i = 0; i < x.r.left_out.count; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(x.r.left_out.items[i], x.r.left_out.items[k]);
	vec_each(const struct delta_row, row, &x.r.rows)
		tests += !strcmp(row->metric, "worst_gap_ms");
	assert_int_equal(tests, 2);
	delta_report_finish(&x.r);
}

/* How many of how many, on each side by itself. */
static void totals_of_a_gap_are_those_of_its_side(void **state)
{
	struct records x;

	(void)state;
	/* Fewer runs on the candidate's side, all of which passed. */
	record(&x, 1000, 1000);
	x.items[1][2].performance_mode = x.items[1][3].performance_mode = false;
	compare(&x);
	assert_int_equal(x.r.gaps.count, 0);
	assert_int_equal(x.r.records[0], 4);
	assert_int_equal(x.r.records[1], 2);
	delta_report_finish(&x.r);
	record(&x, 1000, 1000);
	x.items[0][2].performance_mode = x.items[0][3].performance_mode = false;
	compare(&x);
	assert_int_equal(x.r.gaps.count, 0);
	delta_report_finish(&x.r);
	for (int side = 0; side < 2; side++) {
		record(&x, 1000, 1000);
		for (int i = 0; i < RUNS; i++)
			x.items[side][i].performance_mode = false;
		compare(&x);
		assert_int_equal(x.r.gaps.count, 1);
		assert_int_equal(x.r.gaps.items[0].totals[side], 0);
		assert_int_equal(x.r.gaps.items[0].totals[!side], RUNS);
		assert_int_equal(x.r.tests, 0);
		delta_report_finish(&x.r);
	}
}

/* ---- sentences ---- */

static struct delta_row row_of(const char *metric, enum delta_verdict verdict, double a, double b)
{
	return (struct delta_row){
		.test = "t",
		.metric = metric,
		.unit = "us",
		.f = { .sides = { { .count = 5, .mean = a }, { .count = 5, .mean = b } },
		       .separation = { .difference = b - a, .is_separated = true },
		       .verdict = verdict,
		       .detectable = 4 },
	};
}

static void the_worst_is_told_wherever_it_is(void **state)
{
	struct delta_row rows[] = {
		row_of("phased", DELTA_WORSE, 100, 900), row_of("better", DELTA_BETTER, 100, 10),
		row_of("bad", DELTA_WORSE, 100, 120),	 row_of("same", DELTA_SAME, 100, 800),
		row_of("worst", DELTA_WORSE, 100, 150),	 row_of("equal", DELTA_WORSE, 100, 150),
		row_of("less", DELTA_WORSE, 100, 130),
	};
	struct delta_report r = { .rows = { .items = rows, .count = ARRAY_SIZE(rows) },
				  .outcome = DELTA_FAILED,
				  .worse = 4 };
	_str_ struct str text = {};

	(void)state;
	rows[0].phase = "1";
	delta_add_sentence(&r, &text);
	assert_string_equal(str_get(&text),
			    "it is worse: 4 metrics regressed; most worst of t, +50.0 %");
}

static void power_is_told_in_percent(void **state)
{
	struct delta_row row = row_of("named", DELTA_SAME, 2, 2);
	struct delta_report r = { .rows = { .items = &row, .count = 1 },
				  .fail_threshold = 1,
				  .seen_by_half = 0.5,
				  .seen_by_most = 0.9 };
	_str_ struct str text = {};

	(void)state;
	row.is_must_fail = true;
	delta_add_notes(&r, &text);
	assert_string_equal(
		str_get(&text),
		"summary: 0 regressions, 0 improvements, 0 unchanged, 0 cannot be told\n"
		"power: of the metrics that are the same, half would have shown a change of 50.0 %, "
		"nine in ten one of 90.0 %\n"
		"power: named of t: a change of 200.0 % would have been seen\n"
		"it is not worse: 0 regressed, which is fewer than 1\n");
}

/* Ten that are the same: the one in the middle, and the one that nine in ten do not exceed. */
static void power_is_that_of_half_and_of_most(void **state)
{
	struct delta_row rows[10];
	struct delta_report r = { .rows = { .items = rows, .count = ARRAY_SIZE(rows) },
				  .tests = 1,
				  .fail_threshold = 1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		rows[i] = row_of("m", DELTA_SAME, -2, -2);
		rows[i].f.detectable = (double)(10 - i);
	}
	assert_int_equal(delta_outcome_set(&r), 0);
	assert_true(r.seen_by_half == 3);
	assert_true(r.seen_by_most == 5);
	assert_int_equal(r.same, 10);
	assert_int_equal(r.outcome, DELTA_PASSED);
}

/* From its first byte to its last. */
static void a_page_without_rows_is_whole(void **state)
{
	struct delta_report r = { .labels = { "<old>", "new" },
				  .fail_threshold = 1,
				  .seen_by_half = NAN,
				  .seen_by_most = NAN };
	_str_ struct str page = {};
	const char *body;

	(void)state;
	assert_int_equal(delta_html(&r, &page), 0);
	body = strstr(str_get(&page), "<header>");
	assert_non_null(body);
	assert_non_null(strstr(str_get(&page), "&lt;old&gt; → new"));
	assert_true(str_starts(
		body,
		"<header><h1>&lt;old&gt; → new</h1><p>it is not worse: 0 regressed, which is fewer "
		"than 1</p></header>\n<main>\n"
		"<section><h2>Changes</h2><div class=sc><table><thead><tr><th>Verdict<th>Test<th>"
		"Phase<th>Metric<th>&lt;old&gt;<th>new<th>Change<th>Interval<th>Runs</thead><tbody>\n"
		"</tbody></table></div></section>\n"
		"<section><h2>The same</h2><div class=sc><table><thead><tr><th>Verdict<th>Test<th>"
		"Phase<th>Metric<th>&lt;old&gt;<th>new<th>Change<th>Interval<th>Runs</thead><tbody>\n"
		"</tbody></table></div></section>\n"
		"<section><h2>Notes</h2><pre tabindex=0>summary: 0 regressions, 0 improvements, 0 "
		"unchanged, 0 cannot be told\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gates_are_those_of_the_row),
		cmocka_unit_test(assertions_are_those_of_the_first_run),
		cmocka_unit_test(one_phase_is_shown_if_phases_are_asked_for),
		cmocka_unit_test(what_sim_cannot_judge_is_left_out_once),
		cmocka_unit_test(totals_of_a_gap_are_those_of_its_side),
		cmocka_unit_test(the_worst_is_told_wherever_it_is),
		cmocka_unit_test(power_is_told_in_percent),
		cmocka_unit_test(power_is_that_of_half_and_of_most),
		cmocka_unit_test(a_page_without_rows_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* perf-delta: from rows to an outcome, and what is said of it. */
#include "unit.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/str.h"
#include "delta/delta.h"
#include "delta/parts.h"

/* ---- words ---- */

static struct delta_row row_of(const char *metric, enum delta_verdict verdict, double a, double b,
			       double half)
{
	return (struct delta_row){
		.test = "t<1>",
		.metric = metric,
		.unit = "us",
		.f = { .sides = { { .count = 5, .mean = a, .min = a, .max = a },
				  { .count = 5, .mean = b, .min = b, .max = b } },
		       .separation = { .difference = b - a,
				       .low = b - a - half,
				       .high = b - a + half,
				       .p = 0.25,
				       .is_separated = fabs(b - a) > half },
		       .verdict = verdict,
		       .gate = 10,
		       .detectable = 4 },
	};
}

static void rows_have_words(void **state)
{
	static const struct {
		enum delta_verdict verdict;
		size_t runs;
		double b;
		const char *words;
		bool is_shown;
	} rows[] = {
		{ DELTA_SAME, 5, 100, "same", false },
		{ DELTA_SAME, 5, 109, "below the gate", true },
		{ DELTA_SAME, 5, 101, "same", false },
		{ DELTA_WORSE, 5, 120, "REGRESSION", true },
		{ DELTA_BETTER, 5, 80, "improvement", true },
		{ DELTA_UNSURE, 5, 103, "cannot tell", true },
		{ DELTA_UNSURE, 1, 103, "n=1, not gated", true },
		{ DELTA_UNSURE, 2, 103, "cannot tell", true },
		{ DELTA_WORSE, 1, 120, "REGRESSION", true },
		{ DELTA_NOISY, 5, 103, "too noisy, not gated", true },
		{ DELTA_NEUTRAL, 5, 120, "changed, not judged", true },
		{ DELTA_NEUTRAL, 5, 80, "changed, not judged", true },
		{ DELTA_NEUTRAL, 5, 109, "not judged", false },
		{ DELTA_NEUTRAL, 5, 100, "not judged", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (int side = 0; side < 2; side++) {
			struct delta_row r = row_of("m", rows[i].verdict, 100, rows[i].b, 5);

			r.f.sides[side].count = rows[i].runs;
			assert_string_equal(delta_verdict_words(&r), rows[i].words);
			assert_int_equal(delta_is_shown(&r), rows[i].is_shown);
		}
	}
}

static void expect_change(double a, double b, const char *change, const char *interval)
{
	struct delta_row r = row_of("m", DELTA_SAME, a, b, 5);
	_str_ struct str x = {}, y = {};

	delta_add_change(&r, &x);
	assert_string_equal(str_get(&x), change);
	delta_add_interval(&r, &y);
	assert_string_equal(str_get(&y), interval);
}

static void changes_are_told_in_percent_of_a(void **state)
{
	struct delta_row r = row_of("m", DELTA_SAME, 100, 100, 5);
	_str_ struct str same = {}, other = {};

	(void)state;
	expect_change(50, 60, "↑ +20.0%", "+10.0 .. +30.0%");
	expect_change(50, 40, "↓ -20.0%", "-30.0 .. -10.0%");
	expect_change(-50, -60, "↓ -20.0%", "-30.0 .. -10.0%");
	expect_change(50, 50, "= +0.0%", "-10.0 .. +10.0%");
	expect_change(0, 7, "↑ +inf%", "+inf .. +inf%");
	expect_change(0, -7, "↓ -inf%", "-inf .. -inf%");
	delta_add_runs(&r, &same);
	assert_string_equal(str_get(&same), "5");
	r.f.sides[1].count = 6;
	delta_add_runs(&r, &other);
	assert_string_equal(str_get(&other), "5/6");
}

/* ---- outcomes ---- */

struct made {
	struct delta_row rows[8];
	struct delta_gap gap;
	const char *left_out[2];
	struct delta_unmeasured unmeasured[2];
	struct delta_report r;
};

static void make(struct made *m)
{
	*m = (struct made){
		.rows = { row_of("worse", DELTA_WORSE, 100, 120, 5),
			  row_of("better", DELTA_BETTER, 100, 80, 5),
			  row_of("same", DELTA_SAME, 100, 100, 2),
			  row_of("unsure", DELTA_UNSURE, 100, 110, 50),
			  row_of("noisy", DELTA_NOISY, 100, 110, 50),
			  row_of("phased", DELTA_WORSE, 100, 150, 5) },
		.gap = { .test = "gappy", .passes = { 1, 2 }, .totals = { 3, 4 }, .why = "why <&>" },
		.left_out = { "one", "two" },
		.unmeasured = { { "t<1>", "lost", NULL }, { "t<1>", "lost", "step" } },
	};
	m->rows[3].f.runs_needed = 12;
	m->rows[5].phase = "step";
	m->r = (struct delta_report){ .labels = { "old", "new" },
				      .rows = { .items = m->rows, .count = 6 },
				      .tests = 1,
				      .fewest = 5,
				      .most = 5,
				      .fail_threshold = 2,
				      .alpha = 0.05,
				      .row_alpha = 0.01 };
}

static void verdicts_make_an_outcome(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(delta_outcome_set(&m.r), 0);
	assert_int_equal(m.r.worse, 1); /* phases are not gated */
	assert_int_equal(m.r.better, 1);
	assert_int_equal(m.r.same, 1);
	assert_int_equal(m.r.unsure, 1);
	assert_int_equal(m.r.noisy, 1);
	/* One is worse, and another may be: two fail. */
	assert_int_equal(m.r.outcome, DELTA_CANNOT_TELL);
	assert_int_equal(m.r.runs_needed, 12);
	assert_true(m.r.seen_by_half == 0.04 && m.r.seen_by_most == 0.04);

	make(&m);
	m.r.fail_threshold = 3;
	assert_int_equal(delta_outcome_set(&m.r), 0);
	assert_int_equal(m.r.outcome, DELTA_PASSED);
	assert_int_equal(m.r.runs_needed, 0);

	make(&m);
	m.r.fail_threshold = 1;
	assert_int_equal(delta_outcome_set(&m.r), 0);
	assert_int_equal(m.r.outcome, DELTA_FAILED);

	make(&m);
	m.r.tests = 0;
	assert_int_equal(delta_outcome_set(&m.r), 0);
	assert_int_equal(m.r.outcome, DELTA_NO_DATA);

	/* Named: one is enough, of a phase as well, and its answer is waited for. */
	make(&m);
	m.r.fail_threshold = 9;
	m.rows[5].is_must_fail = true;
	assert_int_equal(delta_outcome_set(&m.r), 0);
	assert_int_equal(m.r.outcome, DELTA_FAILED);
	assert_int_equal(m.r.must_fail_worse, 1);
	make(&m);
	m.r.fail_threshold = 9;
	m.rows[3].is_must_fail = true;
	assert_int_equal(delta_outcome_set(&m.r), 0);
	assert_int_equal(m.r.outcome, DELTA_CANNOT_TELL);
	assert_int_equal(m.r.must_fail_unsure, 1);
	/* What a test asserts and nobody measured is not known. */
	make(&m);
	m.r.fail_threshold = 9;
	m.r.unmeasured.items = m.unmeasured;
	m.r.unmeasured.count = 1;
	assert_int_equal(delta_outcome_set(&m.r), 0);
	assert_int_equal(m.r.outcome, DELTA_CANNOT_TELL);
}

/* Of the rows that keep it open the one that needs most; one that no number helps makes it 0. */
static void the_most_runs_that_a_row_needs_are_told(void **state)
{
	static const struct {
		size_t needed[3];
		bool is_named[3];
		size_t all;
	} rows[] = {
		{ { 5, 9, 7 }, {}, 9 },
		{ { 5, 0, 7 }, {}, 0 },
		{ { 5, 9, 7 }, { true, false, false }, 5 },
		{ { 5, 0, 7 }, { true, false, true }, 7 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct delta_row r[4];
		struct delta_report report = { .rows = { .items = r, .count = 4 },
					       .tests = 1,
					       .fail_threshold = 1 };

		for (int k = 0; k < 4; k++) {
			r[k] = row_of("m", DELTA_UNSURE, 100, 110, 50);
			r[k].f.runs_needed = k < 3 ? rows[i].needed[k] : 99;
			r[k].is_must_fail = k < 3 && rows[i].is_named[k];
		}
		r[3].phase = "step";
		assert_int_equal(delta_outcome_set(&report), 0);
		assert_int_equal(report.outcome, DELTA_CANNOT_TELL);
		assert_int_equal(report.runs_needed, rows[i].all);
	}
}

/* Ten rows that would show 1 to 10 %: half of them 6 %, nine in ten 10 %. */
static void power_is_that_of_what_is_the_same(void **state)
{
	struct delta_row r[13];
	struct delta_report report = { .rows = { .items = r, .count = 13 },
				       .tests = 1,
				       .fail_threshold = 9 };

	(void)state;
	for (int i = 0; i < 13; i++) {
		r[i] = row_of("m", DELTA_SAME, i % 2 ? -100 : 100, 100, 5);
		r[i].f.detectable = i < 10 ? 10 - i : 1000;
	}
	r[10].phase = "step";
	r[11].f.verdict = DELTA_NOISY;
	r[12].f.sides[0].mean = 0;
	assert_int_equal(delta_outcome_set(&report), 0);
	assert_true(report.seen_by_half == 0.06);
	assert_true(report.seen_by_most == 0.1);
	/* It is a part of what A had. */
	r[0] = row_of("m", DELTA_SAME, 100, 50, 5);
	r[0].f.detectable = 10;
	report = (struct delta_report){ .rows = { .items = r, .count = 1 },
					.tests = 1,
					.fail_threshold = 9 };
	assert_int_equal(delta_outcome_set(&report), 0);
	assert_true(report.seen_by_half == 0.1);
	/* A mean of 1 is a mean as any other. */
	r[0] = row_of("m", DELTA_SAME, 1, 1, 5);
	r[0].f.detectable = 0.5;
	report = (struct delta_report){ .rows = { .items = r, .count = 1 },
					.tests = 1,
					.fail_threshold = 9 };
	assert_int_equal(delta_outcome_set(&report), 0);
	assert_true(report.seen_by_half == 0.5);
	report = (struct delta_report){ .tests = 1, .fail_threshold = 9 };
	assert_int_equal(delta_outcome_set(&report), 0);
	assert_true(isnan(report.seen_by_half) && isnan(report.seen_by_most));
}

static void expect_sentence(const struct delta_report *r, const char *expected)
{
	_str_ struct str text = {};

	delta_add_sentence(r, &text);
	assert_string_equal(str_get(&text), expected);
}

static void outcomes_have_sentences(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	m.r.outcome = DELTA_NO_DATA;
	expect_sentence(&m.r, "nothing to compare");
	m.r.outcome = DELTA_FAILED;
	m.r.worse = 1;
	expect_sentence(&m.r, "it is worse: 1 metric regressed; most worse of t<1>, +20.0 %");
	m.r.worse = 2;
	m.r.must_fail_worse = 1;
	m.rows[1] = row_of("lower", DELTA_WORSE, 100, 75, 5);
	expect_sentence(&m.r, "it is worse: 2 metrics regressed, 1 that --must-fail or a test "
			      "names; most lower of t<1>, -25.0 %");
	m.rows[0].f.verdict = m.rows[1].f.verdict = DELTA_SAME;
	m.r.must_fail_worse = 0;
	expect_sentence(&m.r, "it is worse: 2 metrics regressed");
	m.r.outcome = DELTA_PASSED;
	expect_sentence(&m.r, "it is not worse: 2 regressed, which is fewer than 2");
	m.r.outcome = DELTA_CANNOT_TELL;
	m.r.unsure = 1;
	m.r.runs_needed = 12;
	expect_sentence(&m.r, "cannot tell: 1 metric may have regressed; about 12 runs a side "
			      "would do, which are 7 more");
	m.r.unsure = 2;
	m.r.runs_needed = 5;
	expect_sentence(&m.r, "cannot tell: 2 metrics may have regressed; about 5 runs a side "
			      "would do, which are 1 more");
	m.r.runs_needed = 0;
	expect_sentence(&m.r, "cannot tell: 2 metrics may have regressed; more than 1000 runs a "
			      "side would be needed");
	m.r.unmeasured.items = m.unmeasured;
	m.r.unmeasured.count = 1;
	expect_sentence(&m.r, "cannot tell: 1 asserted metric was not measured");
	m.r.unmeasured.count = 2;
	expect_sentence(&m.r, "cannot tell: 2 asserted metrics were not measured");
}

static void notes_tell_what_is_not_in_the_table(void **state)
{
	_str_ struct str text = {}, short_text = {};
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(delta_outcome_set(&m.r), 0);
	m.r.gaps.items = &m.gap;
	m.r.gaps.count = 1;
	m.r.left_out.items = m.left_out;
	m.r.left_out.count = 2;
	m.r.unmeasured.items = m.unmeasured;
	m.r.unmeasured.count = 2;
	m.r.pairs = 5;
	m.r.identical = 3;
	m.rows[2].is_must_fail = true;
	m.r.seen_by_half = 0.02;
	delta_add_notes(&m.r, &text);
	assert_string_equal(
		str_get(&text),
		"summary: 1 regressions, 1 improvements, 1 unchanged, 1 cannot be told, 1 too noisy\n"
		"passed and compared: gappy 1 of 3 (A), 2 of 4 (B): why <&>\n"
		"t<1>: asserts lost, which its runs do not have\n"
		"t<1>: asserts lost of phase step, which its runs do not have\n"
		"left out, sim cannot judge: one, two (--must-fail NAME judges one all the same)\n"
		"3 of 5 pairs of runs are the same bit for bit\n"
		"power: of the metrics that are the same, half would have shown a change of 2.0 %, "
		"nine in ten one of 4.0 %\n"
		"power: same of t<1>: a change of 4.0 % would have been seen\n"
		"cannot tell: 2 asserted metrics were not measured\n");
	make(&m);
	m.r.seen_by_half = m.r.seen_by_most = 0;
	m.rows[2].is_must_fail = true;
	m.rows[2].f.sides[0].mean = 0;
	m.r.outcome = DELTA_PASSED;
	delta_add_notes(&m.r, &short_text);
	assert_string_equal(
		str_get(&short_text),
		"summary: 0 regressions, 0 improvements, 0 unchanged, 0 cannot be told\n"
		"it is not worse: 0 regressed, which is fewer than 2\n");
}

/* ---- reports ---- */

static void the_table_has_what_changed(void **state)
{
	_str_ struct str text = {}, few = {}, colours = {};
	struct made m;

	(void)state;
	make(&m);
	m.rows[0].is_must_fail = true;
	m.rows[5].is_asserted = m.rows[5].is_must_fail = true;
	assert_int_equal(delta_outcome_set(&m.r), 0);
	assert_int_equal(delta_text(&m.r, false, &text), 0);
	assert_string_equal(
		str_get(&text),
		"A: old, B: new; 1 test, 5 runs a side, 95 % confidence\n"
		"\n"
		" TEST  METRIC  old       new       DELTA     INTERVAL         N  VERDICT\n"
		" t<1>  worse   100.00us  120.00us  ↑ +20.0%  +15.0 .. +25.0%  5  REGRESSION "
		"(--must-fail)\n"
		" t<1>  better  100.00us  80.00us   ↓ -20.0%  -25.0 .. -15.0%  5  improvement\n"
		" t<1>  unsure  100.00us  110.00us  ↑ +10.0%  -40.0 .. +60.0%  5  cannot tell\n"
		" t<1>  noisy   100.00us  110.00us  ↑ +10.0%  -40.0 .. +60.0%  5  too noisy, not "
		"gated\n"
		"\n"
		"by phase, not gated unless a test asserts it:\n"
		" TEST  PHASE  METRIC  old       new       DELTA     INTERVAL         N  VERDICT\n"
		" t<1>  step   phased  100.00us  150.00us  ↑ +50.0%  +45.0 .. +55.0%  5  REGRESSION "
		"(asserted)\n"
		"\n"
		"summary: 1 regressions, 1 improvements, 1 unchanged, 1 cannot be told, 1 too noisy\n"
		"power: of the metrics that are the same, half would have shown a change of 4.0 %, "
		"nine in ten one of 4.0 %\n"
		"it is worse: 1 metric regressed, 2 that --must-fail or a test names; most worse of "
		"t<1>, +20.0 %\n");
	/* Only what is the same: no table. */
	make(&m);
	m.r.rows.items = &m.rows[2];
	m.r.rows.count = 1;
	m.r.tests = 2;
	m.r.fewest = 1;
	m.r.most = 3;
	m.r.is_paired = true;
	assert_int_equal(delta_outcome_set(&m.r), 0);
	assert_int_equal(delta_text(&m.r, false, &few), 0);
	assert_true(str_starts(str_get(&few),
			       "A: old, B: new; 2 tests, 1 to 3 runs a side with the same seeds, "
			       "95 % confidence\n\nsummary: "));
	make(&m);
	m.r.fewest = m.r.most = 1;
	assert_int_equal(delta_text(&m.r, true, &colours), 0);
	assert_non_null(strstr(str_get(&colours), "1 run a side, "));
	assert_non_null(strstr(str_get(&colours), "\033[31mREGRESSION"));
	assert_non_null(strstr(str_get(&colours), "\033[32mimprovement"));
	assert_non_null(strstr(str_get(&colours), "\033[33mcannot tell"));
	assert_non_null(strstr(str_get(&colours), "\nby phase, not gated:\n"));
}

/* A change of which neither direction is better is in every table, and decides nothing. */
static void what_is_not_judged_is_told(void **state)
{
	_str_ struct str text = {}, junit = {}, json = {};
	struct made m;
	struct json j;

	(void)state;
	make(&m);
	m.r.rows.count = 1;
	m.rows[0] = row_of("busy", DELTA_NEUTRAL, 100, 150, 5);
	m.rows[0].is_neutral = true;
	assert_int_equal(delta_outcome_set(&m.r), 0);
	assert_int_equal(m.r.outcome, DELTA_PASSED);
	assert_int_equal(m.r.neutral, 1);
	assert_int_equal(m.r.worse + m.r.better + m.r.same + m.r.unsure, 0);
	assert_int_equal(delta_text(&m.r, true, &text), 0);
	assert_non_null(strstr(str_get(&text), "+45.0 .. +55.0%  5  changed, not judged\n"));
	assert_non_null(strstr(str_get(&text), " 0 cannot be told, 1 not judged\n"));
	assert_int_equal(delta_junit(&m.r, &junit), 0);
	assert_non_null(strstr(str_get(&junit), "tests=\"1\" failures=\"0\""));
	assert_non_null(strstr(str_get(&junit), "changed, not judged: 150.00us, was 100.00us"));
	json_init(&j, &json, false);
	delta_json(&m.r, &j);
	assert_non_null(strstr(str_get(&json), "\"noisy\":0,\"not_judged\":1,"));
	assert_non_null(strstr(str_get(&json), "\"better\":\"neither\","));
	assert_non_null(strstr(str_get(&json), "\"verdict\":\"not_judged\",\"runs_needed\":null"));
}

static void json_has_everything(void **state)
{
	_str_ struct str text = {};
	struct made m;
	struct json j;

	(void)state;
	make(&m);
	assert_int_equal(delta_outcome_set(&m.r), 0);
	m.r.rows.items = &m.rows[2];
	m.r.rows.count = 2;
	m.r.gaps.items = &m.gap;
	m.r.gaps.count = 1;
	m.r.left_out.items = m.left_out;
	m.r.left_out.count = 1;
	m.r.unmeasured.items = m.unmeasured;
	m.r.unmeasured.count = 2;
	m.r.pairs = 5;
	m.r.identical = 3;
	m.rows[2].phase = "step";
	m.rows[2].is_higher_better = true;
	json_init(&j, &text, false);
	delta_json(&m.r, &j);
	assert_string_equal(
		str_get(&text),
		"{\"schema_version\":1,\"outcome\":\"cannot_tell\",\"sentence\":\"cannot tell: 2 "
		"asserted metrics were not measured\",\"a\":\"old\",\"b\":\"new\",\"tests\":1,"
		"\"paired\":false,\"pairs\":5,\"identical_pairs\":3,\"confidence\":0.95,"
		"\"row_confidence\":0.99,\"regressions\":1,\"improvements\":1,\"unchanged\":1,"
		"\"unsure\":1,\"noisy\":1,\"not_judged\":0,\"fail_threshold\":2,\"runs_needed\":12,\"seen_by_half\":"
		"0.04,\"seen_by_most\":0.04,\"left_out\":[\"one\"],\"not_all_passed\":[{\"test\":"
		"\"gappy\",\"a_compared\":1,\"a_total\":3,\"b_compared\":2,\"b_total\":4,\"why\":"
		"\"why <&>\"}],\"not_measured\":[{\"test\":\"t<1>\",\"metric\":\"lost\",\"phase\":"
		"null},{\"test\":\"t<1>\",\"metric\":\"lost\",\"phase\":\"step\"}],\"rows\":[{"
		"\"test\":\"t<1>\",\"phase\":\"step\",\"metric\":\"same\",\"unit\":\"us\",\"better\":"
		"\"higher\",\"must_fail\":false,\"asserted\":false,\"a\":{\"n\":5,\"mean\":100,"
		"\"min\":100,\"max\":100,\"variance\":0},\"b\":{\"n\":5,\"mean\":100,\"min\":100,"
		"\"max\":100,\"variance\":0},\"paired\":false,\"delta\":0,\"delta_percent\":0,"
		"\"low\":-2,\"high\":2,\"p\":0.25,\"separated\":false,\"gate\":10,\"detectable\":4,"
		"\"verdict\":\"same\",\"runs_needed\":null},{\"test\":\"t<1>\",\"phase\":null,"
		"\"metric\":\"unsure\",\"unit\":\"us\",\"better\":\"lower\",\"must_fail\":false,"
		"\"asserted\":false,\"a\":{\"n\":5,\"mean\":100,\"min\":100,\"max\":100,"
		"\"variance\":0},\"b\":{\"n\":5,\"mean\":110,\"min\":110,\"max\":110,\"variance\":0},"
		"\"paired\":false,\"delta\":10,\"delta_percent\":10,\"low\":-40,\"high\":60,"
		"\"p\":0.25,\"separated\":false,\"gate\":10,\"detectable\":4,\"verdict\":\"unsure\","
		"\"runs_needed\":12}]}");
}

static void expect_in(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in '%s'", part, text);
}

static void pages_have_each_row_once(void **state)
{
	_str_ struct str html = {}, junit = {}, github = {};
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(delta_outcome_set(&m.r), 0);
	m.r.rows.count = 5; /* the one behind them is no part of it */
	assert_int_equal(delta_html(&m.r, &html), 0);
	expect_in(str_get(&html),
		  "<h2>Changes</h2><div class=sc><table><thead><tr><th>Verdict<th>Test<th>Phase"
		  "<th>Metric<th>old<th>new<th>Change<th>Interval<th>Runs</thead><tbody>\n"
		  "<tr><td><span class=\"v f\">REGRESSION</span><td>t&lt;1&gt;<td><td>worse"
		  "<td>100.00us<td>120.00us<td>↑ +20.0%<td>+15.0 .. +25.0%<td>5\n"
		  "<tr><td><span class=\"v p\">improvement</span>");
	expect_in(str_get(&html), "<span class=\"v i\">too noisy, not gated</span><td>t&lt;1&gt;"
				  "<td><td>noisy<td>100.00us<td>110.00us<td>↑ +10.0%<td>-40.0 .. "
				  "+60.0%<td>5\n</tbody></table></div></section>\n<section><h2>The "
				  "same</h2>");
	expect_in(str_get(&html), "<span class=\"v s\">same</span>");
	expect_in(str_get(&html), "<h1>old → new</h1><p>cannot tell: 1 metric may have regressed");
	expect_in(str_get(&html), "<pre tabindex=0>summary: 1 regressions");
	expect_in(str_get(&html), "</pre></section>\n</main>");
	assert_int_equal(delta_junit(&m.r, &junit), 0);
	expect_in(str_get(&junit), "tests=\"5\" failures=\"1\"");
	expect_in(str_get(&junit), "REGRESSION: 120.00us, was 100.00us: ↑ +20.0%, +15.0 .. +25.0%");
	assert_null(strstr(str_get(&junit), "phased"));
	m.r.rows.count = 6;
	delta_github(&m.r, &github);
	expect_in(str_get(&github),
		  "### ktstr perf-delta: cannot tell: 1 metric may have regressed; about 12 runs a "
		  "side would do, which are 7 more\n\n"
		  "| verdict | test | metric | old | new | change | interval |\n"
		  "| --- | --- | --- | --- | --- | --- | --- |\n| REGRESSION | t&lt;1> | worse | "
		  "100.00us | 120.00us | ↑ +20.0% | +15.0 .. +25.0% |\n");
	assert_null(strstr(str_get(&github), "phased"));
	assert_null(strstr(str_get(&github), "| same |"));
	/* A phase that the test asserts is a case. */
	m.rows[5].is_asserted = true;
	str_reset(&junit);
	assert_int_equal(delta_junit(&m.r, &junit), 0);
	expect_in(str_get(&junit), "phased phase step");
	m.r.rows.items = &m.rows[2];
	m.r.rows.count = 1;
	str_reset(&github);
	delta_github(&m.r, &github);
	assert_null(strstr(str_get(&github), "| verdict"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_have_words),
		cmocka_unit_test(changes_are_told_in_percent_of_a),
		cmocka_unit_test(verdicts_make_an_outcome),
		cmocka_unit_test(the_most_runs_that_a_row_needs_are_told),
		cmocka_unit_test(power_is_that_of_what_is_the_same),
		cmocka_unit_test(outcomes_have_sentences),
		cmocka_unit_test(notes_tell_what_is_not_in_the_table),
		cmocka_unit_test(the_table_has_what_changed),
		cmocka_unit_test(what_is_not_judged_is_told),
		cmocka_unit_test(json_has_everything),
		cmocka_unit_test(pages_have_each_row_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

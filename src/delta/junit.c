// SPDX-License-Identifier: GPL-2.0-only
/* The report as JUnit, for CI that lists regressions among its tests. */
#include "delta/delta.h"
#include "run/report.h"

static const enum test_status statuses[] = {
	[DELTA_SAME] = TEST_PASSED,    [DELTA_WORSE] = TEST_FAILED,  [DELTA_BETTER] = TEST_PASSED,
	[DELTA_UNSURE] = TEST_SKIPPED, [DELTA_NOISY] = TEST_SKIPPED, [DELTA_NEUTRAL] = TEST_SKIPPED,
};

static void add_case(struct str *cases, struct run_totals *t, const struct delta_row *row)
{
	_str_ struct str text = {}, name = {};
	struct test_event e = { .binary_id = row->test, .status = statuses[row->f.verdict] };

	str_addf(&name, "%s%s%s", row->metric, row->phase ? " phase " : "",
		 row->phase ? row->phase : "");
	str_addf(&text, "%s: %.2f%s, was %.2f%s: ", delta_verdict_words(row), row->f.sides[1].mean,
		 row->unit, row->f.sides[0].mean, row->unit);
	delta_add_change(row, &text);
	str_add(&text, ", ");
	delta_add_interval(row, &text);
	e.name = str_get(&name);
	e.text = str_get(&text);
	run_totals_count(t, &e);
	junit_add_case(cases, &e);
}

int delta_junit(const struct delta_report *r, struct str *out)
{
	struct run_totals totals = { .selected = r->rows.count };
	_str_ struct str cases = {};

	for (size_t i = 0; i < r->rows.count; i++)
		if (!r->rows.items[i].phase || r->rows.items[i].is_asserted)
			add_case(&cases, &totals, &r->rows.items[i]);
	junit_add_document(out, &cases, &totals);
	out->failed |= cases.failed;
	return str_check(out);
}

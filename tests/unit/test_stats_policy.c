// SPDX-License-Identifier: GPL-2.0-only
/* Policies of `stats compare`: percentages in, gates out. */
#include "unit.h"

#include <errno.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "stats/compare.h"

#define DEFAULT_REL 0.25

static void read_policy(struct policy *p, const char *text)
{
	_free_ char *own = strdup(text);

	if (policy_parse(p, own, strlen(own)) < 0)
		fail_msg("%s: %s", text, err_text(-EINVAL));
}

static void expect_gate(const struct policy *p, const char *metric, double expected)
{
	double gate = policy_gate(p, metric, DEFAULT_REL);

	if (fabs(gate - expected) > 1e-12)
		fail_msg("%s: expected a gate of %g, got %g", metric, expected, gate);
}

static void a_percentage_is_a_share_of_a_hundred(void **state)
{
	struct policy p;

	(void)state;
	read_policy(&p, "{\"default_percent\": 20, \"per_metric_percent\": {\"worst_spread\": 50, "
			"\"total_iterations\": 0}}");
	expect_gate(&p, "worst_spread", 0.5);
	expect_gate(&p, "total_iterations", 0);
	expect_gate(&p, "worst_gap_ms", 0.2);
	policy_finish(&p);
}

static void a_metric_without_a_row_has_its_own_gate(void **state)
{
	struct policy p;

	(void)state;
	read_policy(&p, "{\"per_metric_percent\": {\"worst_spread\": 50}}");
	expect_gate(&p, "worst_gap_ms", DEFAULT_REL);
	policy_finish(&p);
	read_policy(&p, "{}");
	expect_gate(&p, "worst_spread", DEFAULT_REL);
	policy_finish(&p);
	/* Zero was asked for. */
	read_policy(&p, "{\"default_percent\": 0}");
	expect_gate(&p, "worst_spread", 0);
	policy_finish(&p);
}

static void what_is_no_policy_is_refused(void **state)
{
	static const char *const bad[] = {
		"[]",
		"{\"default_percent\": -0.5}",
		"{\"default_percent\": \"5\"}",
		"{\"per_metric_percent\": 5}",
		"{\"per_metric_percent\": {\"worst_spread\": -1}}",
		"{\"per_metric_percent\": {\"worst_spread\": 1}",
		"{\"per_metric_percent\": {\"nothing\": 1}}",
		"{\"percent\": 5}",
		"{} x",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_free_ char *own = strdup(bad[i]);
		struct policy p;

		if (policy_parse(&p, own, strlen(own)) != -EINVAL)
			fail_msg("taken: %s", bad[i]);
		assert_int_equal(p.metrics.count, 0);
	}
}

static void a_percentage_of_an_option_is_finite_and_not_negative(void **state)
{
	static const char *const bad[] = { "", "x", "5x", "-1", "-0.1", "nan", "inf", "1e999" };
	double percent;

	(void)state;
	assert_int_equal(policy_parse_percent("0", &percent), 0);
	assert_true(percent == 0);
	assert_int_equal(policy_parse_percent("12.5", &percent), 0);
	assert_true(percent == 12.5);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (policy_parse_percent(bad[i], &percent) != -EINVAL)
			fail_msg("taken: '%s'", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_percentage_is_a_share_of_a_hundred),
		cmocka_unit_test(a_metric_without_a_row_has_its_own_gate),
		cmocka_unit_test(what_is_no_policy_is_refused),
		cmocka_unit_test(a_percentage_of_an_option_is_finite_and_not_negative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Regular expressions that are compiled, refused, and too large. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>

#include "base/pattern.h"

static bool is_taken(const char *text)
{
	char why[PATTERN_WHY];
	regex_t regex;

	if (pattern_compile(&regex, text, why) < 0)
		return false;
	regfree(&regex);
	return true;
}

static const char *reason(const char *text)
{
	static char why[PATTERN_WHY];
	regex_t regex;

	assert_int_equal(pattern_compile(&regex, text, why), -EINVAL);
	return why;
}

static void test_usual_ones_are_taken(void **state)
{
	(void)state;
	assert_true(is_taken("^gauntlet.*llc$"));
	assert_true(is_taken("(spinners|naps|timers)+_[0-9]{1,3}$"));
	assert_true(is_taken("((a+)+)+"));
	assert_true(is_taken("[][:digit:]+{]{40}"));
	assert_true(is_taken("a{200}"));
	/* Braces, brackets and signs as such. */
	assert_true(is_taken("\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+"));
	assert_true(is_taken("[+++++++++++++++++++++++++++++++++++]"));
	assert_true(is_taken(""));
}

static void test_bad_ones_have_a_reason(void **state)
{
	(void)state;
	assert_string_equal(reason("("), "Unmatched ( or \\(");
	assert_string_equal(reason("[a"), "Unmatched [, [^, [:, [., or [=");
	assert_string_equal(reason("[[:"), "Unmatched [, [^, [:, [., or [=");
}

static void test_large_ones_are_refused(void **state)
{
	static const char *const large[] = {
		"a++++++++++++++++++++++++++++++++++++++++",
		"((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+",
		"(a{100}){100}",
		"a{32767}",
		"a{1,9999}",
		"(x|(y{90}z)){70}",
		"a{99999999999999999999999999}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(large); i++)
		assert_string_equal(reason(large[i]),
				    "it is too large when its repetitions are written out");
}

/* So many times, one inside of the other or one after the other. */
static bool are_taken(size_t count, const char *open, const char *close, bool is_nested)
{
	char text[1024] = "";
	size_t len = 0;

	for (size_t i = 0; i < count; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%sa%s", open,
					is_nested ? "" : close);
	for (size_t i = 0; is_nested && i < count; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", close);
	assert_true(len < sizeof(text));
	return is_taken(text);
}

static void test_groups_count_by_depth(void **state)
{
	(void)state;
	assert_true(are_taken(63, "(", ")", true));
	assert_false(are_taken(64, "(", ")", true));
	assert_true(are_taken(200, "(", ")", false));
	assert_true(are_taken(100, "\\(", "\\)", true));
	assert_true(are_taken(100, "[(]", "[)]", true));
	assert_true(are_taken(100, "[^](]", "[])]", true));
	/* What is repeated is the group, with all that is in it. */
	assert_true(is_taken("(abc){900}"));
	assert_false(is_taken("(abcdefghij){900}"));
	assert_false(is_taken("(abcdefghi[[:alpha:]]){900}"));
	assert_true(is_taken("abcdefghij{900}"));
}

static void test_the_largest_one_is_taken(void **state)
{
	(void)state;
	assert_true(is_taken("a{4999}"));
	assert_false(is_taken("a{5000}"));
	assert_false(is_taken("a{4999}b"));
	assert_false(is_taken("a{1,5000}"));
	assert_false(is_taken("a{5000,}"));
	assert_false(is_taken("a?{4999}"));
	assert_true(is_taken("a?{2499}"));
}

static void test_matches(void **state)
{
	(void)state;
	assert_true(pattern_matches("stall.*[0-9]+s", "runnable task stall: 5s"));
	assert_false(pattern_matches("stall.*[0-9]+s$", "runnable task stall: 5 seconds ago"));
	assert_false(pattern_matches("(", "("));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usual_ones_are_taken),
		cmocka_unit_test(test_bad_ones_have_a_reason),
		cmocka_unit_test(test_large_ones_are_refused),
		cmocka_unit_test(test_groups_count_by_depth),
		cmocka_unit_test(test_the_largest_one_is_taken),
		cmocka_unit_test(test_matches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Filter expressions: what they choose and how they are refused. */
#include "run/parts.h"

#include "base/err.h"
#include "base/str.h"
#include "base/util.h"
#include "unit.h"

static const struct filter_subject subject = { .test = "gauntlet/two_cgroups/tiny-1llc",
					       .binary = "my_tests",
					       .binary_id = "suite::my_tests" };

static const struct {
	const char *expression;
	bool matches;
} cases[] = {
	{ "all()", true },
	{ "none()", false },
	{ "test(two)", true },
	{ "test( two )", true },
	{ "test(~two)", true },
	{ "test(three)", false },
	{ "test(=gauntlet/two_cgroups/tiny-1llc)", true },
	{ "test(=two_cgroups)", false },
	{ "test(/^gauntlet\\/.*llc$/)", true },
	{ "test(/^ktstr/)", false },
	{ "test(/(two|three)_cgroups/)", true },
	/* Only slashes are unescaped in them. */
	{ "binary(/my.tests/)", true },
	{ "binary(/my\\.tests/)", false },
	{ "test(/two_cgroups\\/tiny/)", true },
	{ "test(/two\\(cgroups/)", false },
	{ "test(#gauntlet/*)", true },
	{ "test(#*/tiny-?llc)", true },
	{ "test(#two*)", false },
	{ "binary(my)", true },
	{ "binary(=my_tests)", true },
	{ "binary(=suite::my_tests)", true },
	{ "binary(two)", false },
	{ "not test(two)", false },
	{ "!test(two)", false },
	{ "not not test(two)", true },
	{ "! ! !test(two)", false },
	{ "test(two) and binary(my)", true },
	{ "test(two)&binary(other)", false },
	{ "test(x) or binary(my)", true },
	{ "test(x)|binary(my)", true },
	{ "test(x) + binary(z)", false },
	{ "test(two) - test(tiny)", false },
	{ "test(two) - test(huge)", true },
	/* and binds more tightly than or; - binds as and does. */
	{ "all() or none() and none()", true },
	{ "(all() or none()) and none()", false },
	{ "all() - none() or none()", true },
	{ "not none() and none()", false },
	{ "not (none() and none())", true },
	/* Words are whole: these are names of tests, not operators. */
	{ "test(and)", false },
	{ "test(two\\_cgroups)", true },
	{ "test(a\\)b)", false },
	{ "  test(two)  ", true },
};

static void expressions_choose(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_filter_ struct filter f = {};
		int rc = filter_add(&f, cases[i].expression);

		if (rc < 0)
			fail_msg("%s: %s", cases[i].expression, err_text(rc));
		if (filter_matches(&f, &subject) != cases[i].matches)
			fail_msg("%s: expected %s", cases[i].expression,
				 cases[i].matches ? "a match" : "none");
	}
}

static void escaped_bracket_is_part_of_the_name(void **state)
{
	struct filter_subject odd = { .test = "a)b", .binary = "x", .binary_id = "s::x" };
	_filter_ struct filter f = {};

	(void)state;
	assert_int_equal(filter_add(&f, "test(=a\\)b)"), 0);
	assert_true(filter_matches(&f, &odd));
}

static void tests_are_known_by_their_own_name(void **state)
{
	static const struct {
		const char *expression;
		bool matches;
	} own[] = { { "test(=steady)", true },	  { "test(=ktstr/steady)", true },
		    { "test(/^steady$/)", true }, { "test(#st*y)", true },
		    { "test(=teady)", false },	  { "not test(=steady)", false } };
	struct filter_subject s = { .test = "ktstr/steady", .binary = "x", .binary_id = "s::x" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		_filter_ struct filter f = {};

		assert_int_equal(filter_add(&f, own[i].expression), 0);
		if (filter_matches(&f, &s) != own[i].matches)
			fail_msg("%s", own[i].expression);
	}
}

static void exact_names_are_text(void **state)
{
	static const char odd[] = "my (1) \\ tests/#x";
	struct filter_subject s = { .test = "ktstr/a", .binary = odd, .binary_id = "suite::x" };
	_filter_ struct filter f = {}, any = {};

	(void)state;
	assert_int_equal(filter_add_exact(&f, "ktstr/a", odd), 0);
	assert_true(filter_matches(&f, &s));
	s.binary = "other";
	assert_false(filter_matches(&f, &s));
	assert_int_equal(filter_add_exact(&any, "ktstr/a", NULL), 0);
	assert_true(filter_matches(&any, &s));
	s.test = "ktstr/ab";
	assert_false(filter_matches(&any, &s));
}

static void several_expressions_are_alternatives(void **state)
{
	_filter_ struct filter f = {}, empty = {};

	(void)state;
	assert_int_equal(filter_add(&f, "test(three)"), 0);
	assert_false(filter_matches(&f, &subject));
	assert_int_equal(filter_add(&f, "test(two)"), 0);
	assert_true(filter_matches(&f, &subject));
	assert_true(filter_matches(&empty, &subject));
}

static const struct {
	const char *expression;
	const char *message;
} refused[] = {
	{ "", "expected a predicate such as test(NAME), the expression ends here\n  \n  ^" },
	{ "test(", "expected a name or part of one\n  test(\n       ^" },
	{ "test()", "expected a name or part of one\n  test()\n       ^" },
	{ "test(two", "expected ')'\n  test(two\n          ^" },
	{ "test two", "expected '('\n  test two\n       ^" },
	{ "test(two) test(three)",
	  "expected 'and', 'or', '-' or the end\n  test(two) test(three)\n            ^" },
	{ "(test(two)", "expected ')' or an operator\n  (test(two)\n            ^" },
	{ "test(two) and",
	  "expected a predicate such as test(NAME), the expression ends here\n  test(two) and\n"
	  "               ^" },
	{ "name(two)", "expected test(NAME), binary(NAME), all(), none(), 'not' or '('\n"
		       "  name(two)\n  ^" },
	{ "all(x)", "expected ')': this one takes no name\n  all(x)\n      ^" },
	{ "test(/a)",
	  "expected '/' at the end of the regular expression\n  test(/a)\n          ^" },
	{ "nottest(x)", "expected test(NAME)" },
	{ "not_test(x)", "expected test(NAME)" },
	{ "not1", "expected test(NAME)" },
	{ "all() or_ all()", "expected 'and', 'or', '-' or the end" },
	{ "all() and1 all()", "expected 'and', 'or', '-' or the end" },
	{ "test(two\\", "expected ')'" },
	{ "test(/two\\", "expected '/' at the end of the regular expression" },
	{ "test(/two/", "expected ')'" },
	{ "test(=)", "expected a name or part of one\n  test(=)\n        ^" },
	{ "test(   )", "expected a name or part of one" },
};

static void mistakes_are_marked(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		_filter_ struct filter f = {};
		int rc = filter_add(&f, refused[i].expression);

		assert_int_equal(rc, -EINVAL);
		if (!strstr(err_text(rc), refused[i].message))
			fail_msg("'%s': got '%s'", refused[i].expression, err_text(rc));
	}
}

/* 100 bytes on each side of the mark, and dots for what is left out. */
static void mistakes_in_long_expressions_are_shown_in_part(void **state)
{
	static const struct {
		int before, behind;
		const char *begins, *ends;
	} rows[] = {
		{ 100, 100, "\n  test(x", "yyy\n" },
		{ 101, 100, "\n  ...est(x", "yyy\n" },
		{ 100, 101, "\n  test(x", "yyy...\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_filter_ struct filter f = {};
		_str_ struct str text = {};

		/* The mark is below the first y. */
		str_add(&text, "test(");
		str_repeat(&text, 'x', (size_t)rows[i].before - 7);
		str_add(&text, ") ");
		str_repeat(&text, 'y', (size_t)rows[i].behind);
		assert_int_equal(filter_add(&f, str_get(&text)), -EINVAL);
		if (!strstr(err_text(-EINVAL), rows[i].begins) ||
		    !strstr(err_text(-EINVAL), rows[i].ends))
			fail_msg("%s", err_text(-EINVAL));
	}
}

static void bad_regex_says_why(void **state)
{
	_filter_ struct filter f = {};
	int rc = filter_add(&f, "test(/[/)");

	(void)state;
	assert_int_equal(rc, -EINVAL);
	assert_non_null(strstr(err_text(rc), "this is not a regular expression: "));
	assert_non_null(strstr(err_text(rc), "\n  test(/[/)\n        ^"));
}

static void depth_is_bounded_and_length_is_not(void **state)
{
	_str_ struct str deep = {}, longer = {};
	_filter_ struct filter f = {}, chain = {};

	(void)state;
	str_repeat(&deep, '(', 100000);
	assert_int_equal(filter_add(&f, str_get(&deep)), -EINVAL);
	for (int i = 0; i < 20000; i++)
		str_add(&longer, "none()|");
	str_add(&longer, "test(two)");
	assert_int_equal(filter_add(&chain, str_get(&longer)), 0);
	assert_true(filter_matches(&chain, &subject));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_choose),
		cmocka_unit_test(escaped_bracket_is_part_of_the_name),
		cmocka_unit_test(tests_are_known_by_their_own_name),
		cmocka_unit_test(exact_names_are_text),
		cmocka_unit_test(several_expressions_are_alternatives),
		cmocka_unit_test(mistakes_are_marked),
		cmocka_unit_test(mistakes_in_long_expressions_are_shown_in_part),
		cmocka_unit_test(bad_regex_says_why),
		cmocka_unit_test(depth_is_bounded_and_length_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

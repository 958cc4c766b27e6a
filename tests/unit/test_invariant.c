// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <errno.h>

#include "base/err.h"
#include "check/invariant.h"

static struct invariant parsed(const char *text)
{
	struct invariant i;

	assert_int_equal(invariant_parse(text, &i), 0);
	return i;
}

static void variables_and_numbers_are_read(void **state)
{
	struct invariant i = parsed("stats.lost == 0");

	(void)state;
	assert_string_equal(i.left.path, "stats.lost");
	assert_string_equal(i.right.path, "");
	assert_true(i.right.number == 0);
	i = parsed("list[2].a<=  _b ");
	assert_string_equal(i.left.path, "list[2].a");
	assert_string_equal(i.right.path, "_b");
	i = parsed("a > -0x10");
	assert_true(i.right.number == -16);
	i = parsed("a != 18446744073709551615");
	assert_true(i.right.number == 18446744073709551615.0L);
	assert_true(i.right.number - 1 == 18446744073709551614.0L);
}

static void each_relation_holds_where_it_should(void **state)
{
	static const struct {
		const char *text;
		bool less, equal, more;
	} rows[] = {
		{ "a == b", false, true, false }, { "a != b", true, false, true },
		{ "a <= b", true, true, false },  { "a >= b", false, true, true },
		{ "a < b", true, false, false },  { "a > b", false, false, true },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		struct invariant i = parsed(rows[k].text);

		assert_int_equal(invariant_holds(&i, 1, 2), rows[k].less);
		assert_int_equal(invariant_holds(&i, 2, 2), rows[k].equal);
		assert_int_equal(invariant_holds(&i, 3, 2), rows[k].more);
	}
}

static void what_is_none_is_refused(void **state)
{
	static const char *const texts[] = {
		"",	    "a",	"a = 1",
		"== 1",	    "a ==",	"1 == a",
		"a == 1x",  "a b == 1", "a == b == c",
		"a == 1.5", "a == -",	"a == 99999999999999999999",
	};
	char longest[400];
	struct invariant i;

	(void)state;
	for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
		if (invariant_parse(texts[k], &i) != -EINVAL)
			fail_msg("'%s' is accepted", texts[k]);
		assert_non_null(strstr(err_text(-EINVAL), "such as \"stats.lost == 0\""));
	}
	memset(longest, 'a', sizeof(longest) - 1);
	memcpy(longest + 200, "==1", 4);
	assert_int_equal(invariant_parse(longest, &i), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_and_numbers_are_read),
		cmocka_unit_test(each_relation_holds_where_it_should),
		cmocka_unit_test(what_is_none_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Lists that own their texts. */
#include "unit.h"

#include <errno.h>

#include "base/texts.h"

static void texts_are_copied_once_or_taken_over(void **state)
{
	_texts_ struct texts t = {};
	char text[] = "b";

	(void)state;
	assert_int_equal(texts_add(&t, text), 0);
	text[0] = 'x';
	assert_int_equal(texts_add_once(&t, "b"), 0);
	assert_int_equal(texts_take(&t, strdup("a")), 0);
	assert_int_equal(t.count, 2);
	assert_true(texts_has(&t, "a") && texts_has(&t, "b"));
	assert_false(texts_has(&t, "x"));
	assert_int_equal(texts_take(&t, NULL), -ENOMEM);
	assert_int_equal(t.count, 2);
}

static void they_sort_by_bytes_or_as_versions(void **state)
{
	_texts_ struct texts t = {};

	(void)state;
	texts_sort(&t);
	texts_add(&t, "6.9");
	texts_add(&t, "6.10");
	texts_sort(&t);
	assert_string_equal(t.items[0], "6.10");
	texts_sort_versions(&t);
	assert_string_equal(t.items[0], "6.9");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_copied_once_or_taken_over),
		cmocka_unit_test(they_sort_by_bytes_or_as_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

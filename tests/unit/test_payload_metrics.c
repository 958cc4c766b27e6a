// SPDX-License-Identifier: GPL-2.0-only
/* Documents in the output of programs: where they begin and end, and how long they are searched. */
#include "unit.h"

#include "base/base.h"
#include "payload/metrics.h"

static int read_json(struct payload_metrics *m, const char *text, size_t len)
{
	*m = (struct payload_metrics){};
	return metrics_from_json(m, text, len, "json", "stdout", false);
}

/* The only number of the text. */
static void expect_number(const char *text, size_t len, const char *name, double value)
{
	struct payload_metrics m;

	assert_int_equal(read_json(&m, text, len), 0);
	assert_int_equal(m.count, 1);
	assert_string_equal(m.items[0].name, name);
	assert_true(m.items[0].value == value);
	assert_false(m.is_cut);
	metrics_finish(&m);
	assert_int_equal(m.count, 0);
	assert_null(m.items);
}

static void expect_none(const char *text, size_t len)
{
	struct payload_metrics m;

	assert_int_equal(read_json(&m, text, len), -ENOENT);
	assert_int_equal(m.count, 0);
	metrics_finish(&m);
}

static void blanks_around_a_document_do_not_matter(void **state)
{
	static const char *const texts[] = { "{\"a\":1}", "\t{\"a\":1}\t", "\n{\"a\":1}\n",
					     "\r{\"a\":1}\r\n", " \t\r\n{\"a\":1} \t\r\n" };
	static const char *const none[] = { "", " ", "\t", "\n", "\r", " \t\r\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		expect_number(texts[i], strlen(texts[i]), "a", 1);
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		expect_none(none[i], strlen(none[i]));
}

static void a_document_begins_anywhere_with_either_bracket(void **state)
{
	(void)state;
	expect_number("x[7]", 4, "0", 7);
	expect_number("x{\"a\":7}", 8, "a", 7);
	expect_number("7 [7]", 5, "0", 7);
}

/* Output is not terminated by a NUL. */
static void bytes_behind_the_text_are_not_read(void **state)
{
	(void)state;
	expect_none("{\"a\":1}", 6);
	expect_none("xx{\"a\":1}", 8);
	expect_none("xx{\"a\":\"}\"}", 9);
	expect_number("xx{\"a\":1}{\"b\":2}", 9, "a", 1);
}

static void an_empty_name_has_no_number(void **state)
{
	(void)state;
	expect_number("{\"a\":1,\"\":2}", 12, "a", 1);
	expect_number("{\"\":2,\"abc\":{\"\":3}}", 19, "abc.", 3);
}

/* Numbers of a document that turned out to be none do not count. */
static void a_broken_document_leaves_nothing_behind(void **state)
{
	_str_ struct str text = {};

	(void)state;
	str_addc(&text, '[');
	for (size_t i = 0; i <= METRICS_MAX_COUNT; i++)
		str_add(&text, "1,");
	str_add(&text, "x] {\"a\":1}");
	expect_number(str_get(&text), text.len, "a", 1);
}

/* So many brackets that are closed, without being a document; then one that is. */
static void add_brackets(struct str *text, size_t count)
{
	str_repeat(text, '[', count);
	str_addc(text, 'x');
	str_repeat(text, ']', count);
	str_add(text, "{\"a\":1}");
}

/* Each bracket is looked at with all that it contains, and that is read. */
static void documents_are_searched_in_64_mib(void **state)
{
	_str_ struct str few = {}, many = {};

	(void)state;
	add_brackets(&few, 5000);
	expect_number(str_get(&few), few.len, "a", 1);
	add_brackets(&many, 6500);
	expect_none(str_get(&many), many.len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blanks_around_a_document_do_not_matter),
		cmocka_unit_test(a_document_begins_anywhere_with_either_bracket),
		cmocka_unit_test(bytes_behind_the_text_are_not_read),
		cmocka_unit_test(an_empty_name_has_no_number),
		cmocka_unit_test(a_broken_document_leaves_nothing_behind),
		cmocka_unit_test(documents_are_searched_in_64_mib),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tables: layout, headings, colours, and what gives way when the terminal is narrow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/table.h"
#include "base/term.h"

static const char *const titles[] = { "name", "n", "value" };

static void add(struct table *t, const char *name, const char *n, const char *value)
{
	table_texts(t, name, n, value);
}

static void expect(struct table *t, const char *text)
{
	_str_ struct str out = {};

	assert_int_equal(table_add(t, &out), 0);
	assert_string_equal(str_get(&out), text);
}

static void test_layout(void **state)
{
	_table_ struct table t = {};

	(void)state;
	assert_int_equal(table_init(&t, titles, 3), 0);
	add(&t, "日本", "1", "x");
	add(&t, "back\\xff", "22", "");
	assert_int_equal(table_row(&t), 0); /* cells that are not set stay empty */
	table_cellf(&t, 1, "%d%%", 100);
	expect(&t, " name      n     value\n"
		   " 日本      1     x\n"
		   " back\\xff  22\n"
		   "           100%\n");
}

static void test_empty(void **state)
{
	_table_ struct table t = {};

	(void)state;
	assert_int_equal(table_titles(&t, "name", "n", "value"), 0);
	expect(&t, " name  n  value\n");
}

static void test_headings_widen_nothing(void **state)
{
	_table_ struct table t = {};

	(void)state;
	assert_int_equal(table_init(&t, titles, 3), 0);
	assert_int_equal(table_heading(&t, " a long line of its own"), 0);
	add(&t, "a", "1", "x");
	assert_int_equal(table_heading(&t, " one"), 0);
	assert_int_equal(table_heading(&t, "   two"), 0);
	add(&t, "b", "2", "y");
	assert_int_equal(table_heading(&t, " last"), 0);
	expect(&t, " name  n  value\n"
		   " a long line of its own\n"
		   " a     1  x\n"
		   " one\n"
		   "   two\n"
		   " b     2  y\n"
		   " last\n");
}

static void test_colours_take_no_room(void **state)
{
	_table_ struct table t = {};

	(void)state;
	assert_int_equal(table_init(&t, titles, 3), 0);
	table_set_header_colour(&t, "\033[36m");
	add(&t, "a", "1", "x");
	table_cell_colour(&t, 1, "\033[33m");
	expect(&t, " \033[36mname\033[0m  \033[36mn\033[0m  \033[36mvalue\033[0m\n"
		   " a     \033[33m1\033[0m  x\n");
}

static void test_wide_columns_wrap(void **state)
{
	_table_ struct table t = {};

	(void)state;
	assert_int_equal(table_init(&t, titles, 3), 0);
	table_set_wrap(&t, 36);
	add(&t, "  kworker/events_unbound-long", "12→34", "+1063.1%");
	add(&t, "abcdefghijklmnopqrstuvwxyz", "1", "x");
	expect(&t, " name                n      value\n"
		   "   kworker/events_   12→34  +1063.1%\n"
		   "   unbound-long\n"
		   " abcdefghijklmnopqr  1      x\n"
		   " stuvwxyz\n");
}

static void test_narrow_columns_break_between_words_first(void **state)
{
	_table_ struct table t = {};

	(void)state;
	assert_int_equal(table_init(&t, titles, 3), 0);
	table_set_wrap(&t, 32);
	add(&t, "sixteen columns.", "12 → 34", "cpu_delay_count");
	expect(&t, " name        n        value\n"
		   " sixteen     12 → 34  cpu_delay_\n"
		   " columns.             count\n");
}

static void test_words_break_when_nothing_else_helps(void **state)
{
	_table_ struct table t = {};

	(void)state;
	assert_int_equal(table_init(&t, titles, 3), 0);
	table_set_wrap(&t, 10);
	add(&t, "eightlet", "1", "x");
	add(&t, "    deep", "1", "x");
	expect(&t, " name   n  value\n"
		   " eight  1  x\n"
		   " let\n"
		   " deep   1  x\n");
}

static void test_misuse_is_an_error(void **state)
{
	_table_ struct table t = {};
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(table_init(&t, titles, 3), 0);
	table_cell(&t, 0, "no row yet");
	assert_true(table_add(&t, &out) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_headings_widen_nothing),
		cmocka_unit_test(test_colours_take_no_room),
		cmocka_unit_test(test_wide_columns_wrap),
		cmocka_unit_test(test_narrow_columns_break_between_words_first),
		cmocka_unit_test(test_words_break_when_nothing_else_helps),
		cmocka_unit_test(test_misuse_is_an_error),
	};

	term_init_locale();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

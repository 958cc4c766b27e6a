// SPDX-License-Identifier: GPL-2.0-only
/* Loops over arrays and over lines, and the release of arrays with what they hold. */
#include "base/base.h"
#include "unit.h"

struct row {
	char *name;
	int number;
};

static void elements_come_in_order(void **state)
{
	static const struct row rows[] = { { "a", 1 }, { "b", 2 }, { "c", 4 } };
	VEC(struct row) none = {};
	int sum = 0, seen = 0;

	(void)state;
	array_each(const struct row, r, rows, ARRAY_SIZE(rows))
		sum = 10 * sum + r->number;
	assert_int_equal(sum, 124);
	array_each_while(const struct row, r, rows, ARRAY_SIZE(rows), sum > 0) {
		seen++;
		if (r->number == 2)
			sum = 0;
	}
	assert_int_equal(seen, 2);
	vec_each(const struct row, r, &none)
		fail_msg("%s of none", r->name);
}

static void elements_can_be_changed_and_are_released(void **state)
{
	VEC(struct row) rows = {};

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(vec_push(&rows, (struct row){ strdup("name"), i }), 0);
	vec_each(struct row, r, &rows)
		r->number *= 2;
	assert_int_equal(rows.items[2].number, 4);
	/* What is left is for the sanitizer to find. */
	vec_release(&rows, each, free(each->name), each->number = 0);
}

static void lines_come_without_their_ends(void **state)
{
	_str_ struct str all = {};

	(void)state;
	text_each_line(l, "one\n\ntwo\nlast")
		str_addf(&all, "[%.*s]", (int)l.len, l.s);
	text_each_line(l, "ended\n")
		str_addf(&all, "[%.*s]", (int)l.len, l.s);
	text_each_line(l, "")
		fail_msg("'%s' of nothing", l.s);
	assert_string_equal(str_get(&all), "[one][][two][last][ended]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_come_in_order),
		cmocka_unit_test(elements_can_be_changed_and_are_released),
		cmocka_unit_test(lines_come_without_their_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

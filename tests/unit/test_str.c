// SPDX-License-Identifier: GPL-2.0-only
/* Growable strings, arrays and arenas. */
#include "unit.h"

#include "base/arena.h"
#include "base/order.h"
#include "base/str.h"
#include "base/util.h"
#include "base/vec.h"

static void appends_of_all_kinds_add_up(void **state)
{
	_str_ struct str s = {};

	(void)state;
	assert_string_equal(str_get(&s), "");
	str_add(&s, "ab");
	str_addc(&s, 'c');
	str_addn(&s, "defg", 2);
	str_repeat(&s, '-', 3);
	str_addf(&s, "%d/%s", 7, "x");
	assert_string_equal(str_get(&s), "abcde---7/x");
	assert_int_equal(s.len, 11);
	assert_int_equal(str_check(&s), 0);
}

static void growth_keeps_the_text(void **state)
{
	_str_ struct str s = {};

	(void)state;
	for (int i = 0; i < 10000; i++)
		str_addf(&s, "%04d", i % 10000);
	assert_int_equal(s.len, 40000);
	assert_memory_equal(s.s + 4 * 1234, "1234", 4);
	assert_int_equal(strlen(s.s), 40000);
}

static void trim_end_removes_blanks_and_line_ends(void **state)
{
	_str_ struct str s = {};

	(void)state;
	str_add(&s, " a b \t\r\n\n");
	str_trim_end(&s);
	assert_string_equal(str_get(&s), " a b");
	str_reset(&s);
	str_add(&s, " \n");
	str_trim_end(&s);
	assert_string_equal(str_get(&s), "");
}

static void take_hands_the_memory_over(void **state)
{
	_str_ struct str s = {};
	_free_ char *empty = str_take(&s);
	_free_ char *text = NULL;

	(void)state;
	assert_string_equal(empty, "");
	str_add(&s, "kept");
	text = str_take(&s);
	assert_string_equal(text, "kept");
	assert_null(s.s);
	assert_int_equal(s.len, 0);
}

static void an_impossible_reservation_marks_the_string_failed(void **state)
{
	_str_ struct str s = {};

	(void)state;
	str_add(&s, "x");
	assert_false(str_reserve(&s, SIZE_MAX - 1));
	str_add(&s, "ignored");
	assert_string_equal(str_get(&s), "x");
	assert_true(str_check(&s) < 0);
	str_reset(&s);
	str_add(&s, "y");
	assert_int_equal(str_check(&s), 0);
}

static void a_vector_grows_and_keeps_its_items(void **state)
{
	VEC(int) v = {};

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(vec_push(&v, i * 3), 0);
	assert_int_equal(v.count, 1000);
	assert_int_equal(v.items[777], 777 * 3);
	free(v.items);
}

static void an_impossible_vector_is_an_error(void **state)
{
	VEC(long) v = {};

	(void)state;
	assert_true(vec_reserve(&v, SIZE_MAX / 4) < 0);
	assert_null(v.items);
}

static void arena_pieces_are_zeroed_aligned_and_stay_put(void **state)
{
	struct arena a = {}, b = {};
	char *first = arena_copy(&a, "first", 5);
	long *numbers = arena_alloc(&a, 100 * sizeof(long));
	char *big = arena_alloc(&a, 1 << 20);
	char *other = arena_copy(&b, "other!", 5);

	(void)state;
	assert_int_equal((uintptr_t)numbers % _Alignof(max_align_t), 0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(numbers[i], 0);
	assert_int_equal(big[(1 << 20) - 1], 0);
	arena_adopt(&a, &b);
	for (int i = 0; i < 5000; i++)
		assert_non_null(arena_copy(&a, "0123456789abcdef0123456789abcdef", 32));
	assert_string_equal(first, "first");
	assert_string_equal(other, "other");
	assert_null(b.blocks);
	arena_finish(&b);
	arena_finish(&a);
}

static void an_arena_without_memory_is_adopted_without_effect(void **state)
{
	struct arena a = {}, empty = {};
	char *first = arena_copy(&a, "first", 5);

	(void)state;
	arena_adopt(&a, &empty);
	assert_non_null(arena_copy(&a, "second", 6));
	assert_string_equal(first, "first");
	arena_finish(&a);
}

static void a_word_is_found_whole_or_not_at_all(void **state)
{
	(void)state;
	assert_true(str_has_word("cpuset cpu io\n", "cpu"));
	assert_true(str_has_word("cpuset cpu io\n", "cpuset"));
	assert_true(str_has_word("cpuset\tcpu io\n", "io"));
	assert_true(str_has_word("io", "io"));
	assert_false(str_has_word("cpuset io\n", "cpu"));
	assert_false(str_has_word("delayacct=0", "delayacct"));
	assert_false(str_has_word(" \n", "cpu"));
	assert_false(str_has_word("", "cpu"));
}

static void digits_of_all_lengths(void **state)
{
	static const uint64_t values[] = {
		0, 9, 10, 99, 100, 101, 999, 1000, 4294967296, UINT64_MAX
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char text[STR_DIGITS + 1] = "", expected[32];

		*str_put_digits(text, values[i]) = '\0';
		snprintf(expected, sizeof(expected), "%llu", (unsigned long long)values[i]);
		assert_string_equal(text, expected);
	}
}

struct named {
	const char *name;
};

static void members_and_texts_are_found_in_lists(void **state)
{
	static const char *const words[] = { "a", "b" };
	const struct {
		const char *name;
		int number;
	} rows[] = { { "one", 1 }, { "two", 2 } };
	VEC(struct named) none = {};

	(void)state;
	assert_int_equal(str_index(words, 2, "b"), 1);
	assert_int_equal(str_index(words, 1, "b"), -1);
	assert_int_equal(array_find(rows, 2, name, "two")->number, 2);
	assert_null(array_find(rows, 1, name, "two"));
	assert_null(vec_find(&none, name, "two"));
}

static void orders_are_ascending(void **state)
{
	const char *texts[] = { "b", "a" };
	uint32_t small[] = { UINT32_MAX, 1 };
	uint64_t large[] = { UINT64_MAX, 1 };
	double real[] = { 0.5, -0.5 };

	(void)state;
	qsort(texts, 2, sizeof(*texts), order_texts);
	qsort(small, 2, sizeof(*small), order_u32);
	qsort(large, 2, sizeof(*large), order_u64);
	qsort(real, 2, sizeof(*real), order_doubles);
	assert_string_equal(texts[0], "a");
	assert_int_equal(small[0], 1);
	assert_int_equal(large[0], 1);
	assert_true(real[0] < 0);
	assert_int_equal(order_u64(large, large), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appends_of_all_kinds_add_up),
		cmocka_unit_test(growth_keeps_the_text),
		cmocka_unit_test(trim_end_removes_blanks_and_line_ends),
		cmocka_unit_test(take_hands_the_memory_over),
		cmocka_unit_test(digits_of_all_lengths),
		cmocka_unit_test(an_impossible_reservation_marks_the_string_failed),
		cmocka_unit_test(a_word_is_found_whole_or_not_at_all),
		cmocka_unit_test(a_vector_grows_and_keeps_its_items),
		cmocka_unit_test(an_impossible_vector_is_an_error),
		cmocka_unit_test(members_and_texts_are_found_in_lists),
		cmocka_unit_test(orders_are_ascending),
		cmocka_unit_test(arena_pieces_are_zeroed_aligned_and_stay_put),
		cmocka_unit_test(an_arena_without_memory_is_adopted_without_effect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

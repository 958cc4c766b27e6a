// SPDX-License-Identifier: GPL-2.0-only
/* Memory that is given out in pieces: each is whole, stays where it is, and all of it goes at once. */
#include "unit.h"

#include <malloc.h>
#include <stdalign.h>

#include "base/arena.h"

#define PIECES 300

static void pieces_are_aligned_zeroed_and_their_own(void **state)
{
	unsigned char *pieces[PIECES];
	struct arena a = {};

	(void)state;
	for (size_t i = 0; i < PIECES; i++) {
		size_t size = 1 + i * 7 % 900;

		assert_non_null(arena_copy(&a, "odd", 3));
		pieces[i] = arena_alloc(&a, size);
		assert_non_null(pieces[i]);
		assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
		for (size_t at = 0; at < size; at++)
			assert_int_equal(pieces[i][at], 0);
		memset(pieces[i], (int)(i % 255) + 1, size);
	}
	/* More than one block by now, and nobody wrote into another's piece. */
	for (size_t i = 0; i < PIECES; i++)
		for (size_t at = 0; at < 1 + i * 7 % 900; at++)
			assert_int_equal(pieces[i][at], i % 255 + 1);
	arena_finish(&a);
}

static void copies_end_with_a_zero(void **state)
{
	struct arena a = {};
	char *first = arena_copy(&a, "abc", 2), *second = arena_copy(&a, "", 0);

	(void)state;
	assert_string_equal(first, "ab");
	assert_string_equal(second, "");
	assert_ptr_equal(second, first + 3); /* without gaps */
	arena_finish(&a);
}

/* As large as a block, and larger; and then small ones again. */
static void large_pieces_have_blocks_of_their_own(void **state)
{
	static const size_t sizes[] = { 65536, 65537, 200000, 1, 65535, 65536 };
	char *pieces[ARRAY_SIZE(sizes)];
	struct arena a = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		pieces[i] = arena_alloc(&a, sizes[i]);
		assert_non_null(pieces[i]);
		memset(pieces[i], (int)i + 1, sizes[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		assert_int_equal(pieces[i][0], i + 1);
		assert_int_equal(pieces[i][sizes[i] - 1], i + 1);
	}
	arena_finish(&a);
}

static void more_than_there_can_be_is_refused(void **state)
{
	struct arena a = {};

	(void)state;
	assert_null(arena_alloc(&a, SIZE_MAX));
	assert_null(arena_alloc(&a, SIZE_MAX / 2 + 1));
	assert_null(arena_copy(&a, "", SIZE_MAX));
	assert_null(a.blocks);
	arena_finish(&a);
}

/* What both gave out stays, also when more is taken; nothing is left when it ends. */
static void an_adopted_arena_is_part_of_the_other(void **state)
{
	struct mallinfo2 before = mallinfo2();
	struct arena a = {}, b = {}, none = {};
	char *of_a, *of_b, *more;

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_non_null(arena_alloc(&a, 50000));
		assert_non_null(arena_alloc(&b, 50000));
	}
	of_a = arena_copy(&a, "a's", 3);
	of_b = arena_copy(&b, "b's", 3);
	arena_adopt(&a, &b);
	assert_null(b.blocks);
	more = arena_copy(&a, "later", 5);
	arena_adopt(&a, &none);
	assert_non_null(arena_copy(&a, "last", 4));
	assert_string_equal(of_a, "a's");
	assert_string_equal(of_b, "b's");
	assert_string_equal(more, "later");
	arena_finish(&b);
	arena_finish(&a);
	assert_null(a.blocks);
	assert_int_equal(mallinfo2().uordblks, before.uordblks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_aligned_zeroed_and_their_own),
		cmocka_unit_test(copies_end_with_a_zero),
		cmocka_unit_test(large_pieces_have_blocks_of_their_own),
		cmocka_unit_test(more_than_there_can_be_is_refused),
		cmocka_unit_test(an_adopted_arena_is_part_of_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Values of a guest by their types: numbers of every size and sign, parts, and what is cut off. */
#include "unit.h"

#include "btf_maker.h"
#include "watch/parts.h"

#define BIT_FIELDS (1U << 31)

static struct btf_maker maker;
static struct btf types;

static int set_up(void **state)
{
	(void)state;
	maker = (struct btf_maker){};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	btf_close(&types);
	return 0;
}

static void open_types(void)
{
	size_t len = bm_end(&maker);

	assert_int_equal(btf_open(&types, maker.blob, len), 0);
}

static struct datum datum(uint32_t type, const void *data, size_t len)
{
	const struct datum v = { .types = &types, .type = type, .data = data, .len = len };

	return datum_resolved(&v);
}

static struct scalar scalar(uint32_t type, const void *data, size_t len)
{
	struct datum v = datum(type, data, len);

	return scalar_read(&v);
}

static void numbers_have_their_size_and_sign(void **state)
{
	static const unsigned char bytes[] = { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 };
	uint32_t plain[4], with_sign[4], wide, truth;
	static const unsigned int sizes[] = { 1, 2, 4, 8 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		plain[i] = bm_int(&maker, "u", sizes[i], 0);
		with_sign[i] = bm_int(&maker, "s", sizes[i], BM_SIGNED);
	}
	wide = bm_int(&maker, "wide", 16, 0);
	truth = bm_int(&maker, "bool", 1, 4U << 24);
	open_types();
	for (size_t i = 0; i < 4; i++) {
		struct scalar u = scalar(plain[i], bytes, 9), s = scalar(with_sign[i], bytes, 9);

		assert_int_equal(u.kind, SCALAR_UINT);
		assert_int_equal(u.bits, 8 * sizes[i]);
		assert_int_equal(u.number, UINT64_MAX >> (64 - 8 * sizes[i]) & ~1ULL);
		assert_int_equal(s.kind, SCALAR_INT);
		assert_int_equal(s.number, -2ULL);
		/* Exactly as many bytes as it has, and one fewer. */
		assert_int_equal(scalar(plain[i], bytes, sizes[i]).kind, SCALAR_UINT);
		assert_int_equal(scalar(plain[i], bytes, sizes[i] - 1).kind, SCALAR_TRUNCATED);
	}
	assert_int_equal(scalar(with_sign[0], "\x7f", 1).number, 0x7f);
	assert_int_equal(scalar(wide, bytes, 9).kind, SCALAR_NONE);
	assert_int_equal(scalar(truth, "\1", 1).kind, SCALAR_BOOL);
	assert_int_equal(scalar(99, bytes, 9).kind, SCALAR_NONE);
}

static void floats_and_pointers_are_told_apart_from_numbers(void **state)
{
	const double large = 2.5;
	const float small = -0.5F;
	uint32_t of_8, of_4, of_2, pointer;

	(void)state;
	of_8 = bm_of(&maker, BTF_FLOAT, "double", 8);
	of_4 = bm_of(&maker, BTF_FLOAT, "float", 4);
	of_2 = bm_of(&maker, BTF_FLOAT, "half", 2);
	pointer = bm_ptr(&maker, 0);
	open_types();
	assert_int_equal(scalar(of_8, &large, 8).kind, SCALAR_FLOAT);
	assert_true(scalar(of_8, &large, 8).real == 2.5);
	assert_true(scalar(of_4, &small, 4).real == -0.5);
	assert_int_equal(scalar(of_2, &small, 4).kind, SCALAR_NONE);
	assert_int_equal(scalar(pointer, "\x10\0\0\0\0\0\0\x80", 8).kind, SCALAR_PTR);
	assert_int_equal(scalar(pointer, "\x10\0\0\0\0\0\0\x80", 8).number, 0x8000000000000010ULL);
	assert_int_equal(scalar(pointer, "\x10\0\0\0\0\0\0\x80", 7).kind, SCALAR_TRUNCATED);
}

/* enum { off = -1, on = 1 }; the same in eight bits; and one of 64 */
static void enumerators_have_names(void **state)
{
	uint32_t numbers[2], large;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		numbers[i] = bm_type(&maker, "e", BIT_FIELDS | BTF_ENUM << 24 | 2, i ? 1 : 4);
		bm_word(&maker, bm_name(&maker, "off"));
		bm_word(&maker, UINT32_MAX);
		bm_word(&maker, bm_name(&maker, "on"));
		bm_word(&maker, 1);
	}
	large = bm_type(&maker, "l", BTF_ENUM64 << 24 | 2, 8);
	bm_word(&maker, bm_name(&maker, "low"));
	bm_word(&maker, 1);
	bm_word(&maker, 0);
	bm_word(&maker, bm_name(&maker, "high"));
	bm_word(&maker, 1);
	bm_word(&maker, 2);
	open_types();
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(scalar(numbers[i], "\xff\xff\xff\xff", 4).variant, "off");
		assert_string_equal(scalar(numbers[i], "\1\0\0\0", 4).variant, "on");
		assert_null(scalar(numbers[i], "\2\0\0\0", 4).variant);
		assert_int_equal(scalar(numbers[i], "\xff\xff\xff\xff", 4).number, UINT64_MAX);
	}
	assert_string_equal(scalar(large, "\1\0\0\0\0\0\0\0", 8).variant, "low");
	assert_string_equal(scalar(large, "\1\0\0\0\2\0\0\0", 8).variant, "high");
	assert_null(scalar(large, "\1\0\0\0\1\0\0\0", 8).variant);
}

/* struct { int a:3; unsigned b:13; int c; } */
static void members_lie_at_their_offsets(void **state)
{
	static const unsigned char bytes[] = { 0xff, 0x1f, 0, 0, 7, 0, 0, 0 };
	uint32_t s, u, record;
	struct datum_part part;
	struct datum v;

	(void)state;
	s = bm_int(&maker, "int", 4, BM_SIGNED);
	u = bm_int(&maker, "unsigned", 4, 0);
	record = bm_type(&maker, "r", BIT_FIELDS | BTF_STRUCT << 24 | 3, 8);
	bm_word(&maker, bm_name(&maker, "a"));
	bm_word(&maker, s);
	bm_word(&maker, 3U << 24);
	bm_word(&maker, bm_name(&maker, "b"));
	bm_word(&maker, u);
	bm_word(&maker, 13U << 24 | 3);
	bm_member(&maker, "c", s, 4);
	open_types();
	v = datum(record, bytes, sizeof(bytes));
	assert_true(datum_part(&v, 0, &part));
	assert_string_equal(part.name, "a");
	assert_int_equal(scalar_read_bits(&part).number, -1ULL);
	assert_int_equal(scalar_read_bits(&part).bits, 3);
	assert_true(datum_part(&v, 1, &part));
	assert_int_equal(part.bit_offset, 3);
	assert_int_equal(scalar_read_bits(&part).number, 0x1fff >> 3);
	assert_true(datum_part(&v, 2, &part));
	assert_string_equal(part.name, "c");
	assert_int_equal(part.bit_count, 0);
	assert_int_equal(scalar_read(&part.value).number, 7);
	assert_false(datum_part(&v, 3, &part));
	/* A value that ends inside of a member has as much of it as there is. */
	v = datum(record, bytes, 5);
	assert_true(datum_part(&v, 2, &part));
	assert_int_equal(part.value.len, 1);
	assert_int_equal(scalar_read(&part.value).kind, SCALAR_TRUNCATED);
	v = datum(record, bytes, 2);
	assert_true(datum_part(&v, 2, &part));
	assert_int_equal(part.value.len, 0);
}

static void arrays_and_sections_have_elements_and_variables(void **state)
{
	static const unsigned char bytes[] = { 1, 0, 2, 0, 3, 0 };
	uint32_t number, array, first, second, section;
	struct datum_part part;
	struct datum v;

	(void)state;
	number = bm_int(&maker, "short", 2, 0);
	array = bm_array(&maker, number, number, 3);
	first = bm_var(&maker, "first", number);
	second = bm_var(&maker, "second", array);
	section = bm_section(&maker, ".data", 6, 2);
	bm_in_section(&maker, first, 2, 2);
	bm_in_section(&maker, second, 0, 6);
	open_types();
	v = datum(array, bytes, sizeof(bytes));
	for (size_t i = 0; i < 3; i++) {
		assert_true(datum_part(&v, i, &part));
		assert_null(part.name);
		assert_int_equal(scalar_read(&part.value).number, i + 1);
	}
	assert_false(datum_part(&v, 3, &part));
	v = datum(array, bytes, 4); /* the third is cut off */
	assert_true(datum_part(&v, 1, &part));
	assert_false(datum_part(&v, 2, &part));
	v = datum(section, bytes, sizeof(bytes));
	assert_true(datum_part(&v, 0, &part));
	assert_string_equal(part.name, "first");
	part.value = datum_resolved(&part.value);
	assert_int_equal(scalar_read(&part.value).number, 2);
	assert_true(datum_part(&v, 1, &part));
	assert_string_equal(part.name, "second");
	assert_int_equal(part.value.len, 6);
	assert_false(datum_part(&v, 2, &part));
	v = datum(number, bytes, 2);
	assert_false(datum_part(&v, 0, &part));
	v = datum(99, bytes, 2); /* there is no such type */
	assert_null(v.types);
	assert_false(datum_part(&v, 0, &part));
}

static bool is_text(uint32_t type, const char *data, size_t len)
{
	struct datum v = datum(type, data, len);
	bool text;

	assert_true(datum_is_bytes(&v, &text));
	return text;
}

/* Text is what can be read as such, up to a NUL behind which nothing follows. */
static void characters_are_text_where_they_can_be_read(void **state)
{
	uint32_t character, byte, truth, number, text, bytes, truths, numbers;
	struct datum v;
	bool found;

	(void)state;
	character = bm_int(&maker, "char", 1, BM_SIGNED);
	byte = bm_int(&maker, "unsigned char", 1, 0);
	truth = bm_int(&maker, "bool", 1, 4U << 24);
	number = bm_int(&maker, "int", 4, 0);
	text = bm_array(&maker, bm_of(&maker, BTF_CONST, NULL, character), number, 4);
	bytes = bm_array(&maker, byte, number, 4);
	truths = bm_array(&maker, truth, number, 4);
	numbers = bm_array(&maker, number, number, 4);
	open_types();
	assert_true(is_text(text, "ab\0\0", 4));
	assert_true(is_text(text, " ~ab", 4));
	assert_false(is_text(text, "a\0b\0", 4));
	assert_false(is_text(text, "\0\0\0\0", 4));
	assert_false(is_text(text, "a\x1f\0\0", 4));
	assert_false(is_text(text, "a\x7f\0\0", 4));
	assert_false(is_text(bytes, "ab\0\0", 4));
	v = datum(truths, "\1\0\0\0", 4);
	assert_false(datum_is_bytes(&v, &found));
	v = datum(numbers, "\1\0\0\0", 4);
	assert_false(datum_is_bytes(&v, &found));
	v = datum(character, "a", 1);
	assert_false(datum_is_bytes(&v, &found));
}

/* Structs of the kernel with hundreds of members show what a reader wants; others what is short. */
static void structs_of_the_kernel_show_numbers_and_short_texts(void **state)
{
	uint32_t number, text, longest, longer, record, records, pointer, name;

	(void)state;
	number = bm_int(&maker, "int", 4, BM_SIGNED);
	text = bm_array(&maker, bm_int(&maker, "char", 1, BM_SIGNED), number, 16);
	longest = bm_array(&maker, number, number, 16);
	longer = bm_array(&maker, number, number, 17);
	record = bm_record(&maker, BTF_STRUCT, "r", 4, 0);
	records = bm_array(&maker, record, number, 2);
	pointer = bm_ptr(&maker, record);
	name = bm_of(&maker, BTF_TYPEDEF, "name_t", text);
	open_types();
	assert_int_equal(kernel_view_of(&types, "other", "m", number), VIEW_SHOWN);
	assert_int_equal(kernel_view_of(&types, "other", "m", text), VIEW_SHOWN);
	assert_int_equal(kernel_view_of(&types, "other", "m", name), VIEW_SHOWN);
	assert_int_equal(kernel_view_of(&types, "other", "m", longest), VIEW_SHOWN);
	assert_int_equal(kernel_view_of(&types, "other", "m", longer), VIEW_NOT);
	assert_int_equal(kernel_view_of(&types, "other", "m", record), VIEW_NOT);
	assert_int_equal(kernel_view_of(&types, "other", "m", records), VIEW_NOT);
	assert_int_equal(kernel_view_of(&types, "other", "m", pointer), VIEW_SHOWN);
	assert_int_equal(kernel_view_of(&types, "task_struct", "comm", text), VIEW_SHOWN);
	assert_int_equal(kernel_view_of(&types, "task_struct", "stack", pointer), VIEW_NOT);
	assert_int_equal(kernel_view_of(&types, "cgroup", "kn", pointer), VIEW_FOLLOWED);
	assert_int_equal(kernel_view_of(&types, "cgroup", "name", pointer), VIEW_NOT);
	assert_int_equal(kernel_view_of(&types, "kernfs_node", "name", pointer), VIEW_FOLLOWED);
}

/* Whoever has paid with all that was left has nothing. */
static void a_budget_is_spent_once(void **state)
{
	struct datum_budget b = { .left = 5 };

	(void)state;
	assert_true(datum_pay(&b, 2));
	assert_true(datum_pay(&b, 3));
	assert_true(datum_pay(&b, 0));
	assert_false(datum_pay(&b, 1));
	b.left = 5;
	assert_false(datum_pay(&b, 6));
	assert_false(datum_pay(&b, 1));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(numbers_have_their_size_and_sign),
		TEST(floats_and_pointers_are_told_apart_from_numbers),
		TEST(enumerators_have_names),
		TEST(members_lie_at_their_offsets),
		TEST(arrays_and_sections_have_elements_and_variables),
		TEST(characters_are_text_where_they_can_be_read),
		TEST(structs_of_the_kernel_show_numbers_and_short_texts),
		TEST(a_budget_is_spent_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

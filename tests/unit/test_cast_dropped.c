// SPDX-License-Identifier: GPL-2.0-only
/* Where code tells nothing about numbers: evidence that is dropped, and what is no object. */
#include "cast_scene.h"

/* ---- what is dropped ---- */

static void two_types_contradict_each_other(void **state)
{
	(void)state;
	om_load(&m, OM_U64, 9, 1, 16); /* the struct other of the operation */
	begin();
	om_store(&m, OM_U64, 7, 0, 6);
	om_store(&m, OM_U64, 7, 0, 9);
	analyse();
	expect_nothing();
}

/* One object has a task where the other has something else. */
static void two_objects_contradict_each_other(void **state)
{
	static uint8_t file[65536];
	size_t first;

	(void)state;
	begin();
	om_store(&m, OM_U64, 7, 0, 6);
	om_exit(&m);
	om_end(&m);
	first = m.file_len;
	memcpy(file, m.file, first);
	om_begin(&m);
	om_load(&m, OM_U64, 6, 1, 16);
	om_address(&m, 1, OM_SYM_HOLDERS, 0);
	om_helper(&m, 1);
	om_store(&m, OM_U64, 0, 0, 6);
	om_exit(&m);
	om_end(&m);
	memcpy(file + first, m.file, m.file_len);
	assert_int_equal(cast_analysis(file, sizeof(file), NULL, &casts), 0);
	assert_int_equal(casts.types.count, 2);
	expect_nothing();
}

/* What one object has as a number is none in the other. */
static void a_number_in_another_object_contradicts(void **state)
{
	static uint8_t file[65536];
	size_t first;

	(void)state;
	begin();
	om_load(&m, OM_U64, 1, 7, 0);
	om_insn(&m, 0x27, 1, 0, 0, 3);
	om_exit(&m);
	om_end(&m);
	first = m.file_len;
	memcpy(file, m.file, first);
	om_begin(&m);
	begin();
	om_store(&m, OM_U64, 7, 0, 6);
	om_exit(&m);
	om_end(&m);
	memcpy(file + first, m.file, m.file_len);
	assert_int_equal(cast_analysis(file, sizeof(file), NULL, &casts), 0);
	expect_nothing();
}

static void a_struct_is_not_in_the_kernel_and_in_an_arena(void **state)
{
	(void)state;
	begin();
	om_address(&m, 1, OM_SYM_TYPED, 0);
	om_load(&m, OM_U64, 9, 1, 0);
	om_cast(&m, 9, 9);
	om_helper(&m, 999);
	om_by_name(&m, m.node, "0:1");
	om_load(&m, OM_U32, 1, 0, 8);
	om_store(&m, OM_U64, 7, 0, 0);
	om_store(&m, OM_U64, 7, 0, 9);
	analyse();
	expect_nothing();
}

static void fields_of_the_kernel_are_not_the_programs(void **state)
{
	(void)state;
	om_load(&m, OM_U64, 9, 1, 16);
	begin();
	om_store(&m, OM_U64, 9, 8, 6);
	om_load(&m, OM_U64, 1, 7, 0);
	analyse();
	expect_nothing();
}

static void owners_of_one_name_are_not_told_apart(void **state)
{
	(void)state;
	bm_record(&m.types, BTF_STRUCT, "holder", 8, 0);
	begin();
	om_store(&m, OM_U64, 7, 0, 6);
	analyse();
	expect_nothing();
}

static void owners_that_the_kernel_fills_tell_nothing(void **state)
{
	static struct btf_maker other;

	(void)state;
	memset(&other, 0, sizeof(other));
	bm_record(&other, BTF_STRUCT, "holder", 56, 0);
	assert_int_equal(btf_open(&kernel, other.blob, bm_end(&other)), 0);
	begin();
	om_store(&m, OM_U64, 7, 0, 6);
	analyse();
	expect_nothing();
}

static void numbers_with_a_sign_are_no_pointers(void **state)
{
	(void)state;
	begin();
	om_store(&m, OM_U64, 7, 48, 6);
	om_load(&m, OM_U64, 1, 7, 0);
	analyse();
	expect_nothing();
}

static void a_member_at_another_place_tells_nothing(void **state)
{
	(void)state;
	begin();
	om_helper(&m, 999);
	om_by_name(&m, m.task, "0:1");
	om_load(&m, OM_U32, 1, 0, 0);
	om_store(&m, OM_U64, 7, 0, 0);
	analyse();
	expect_nothing();
}

static void arguments_into_the_middle_tell_nothing(void **state)
{
	(void)state;
	begin();
	om_load(&m, OM_U64, 1, 7, 0);
	om_add(&m, 1, 8);
	om_call(&m, OM_SYM_VISIT);
	analyse();
	expect_nothing();
}

static void accesses_contradict_a_type(void **state)
{
	(void)state;
	begin_with_number();
	om_store(&m, OM_U64, 7, 0, 6);
	read_node();
	analyse();
	expect_nothing();
}

static void numbers_are_no_pointers(void **state)
{
	static const struct {
		const char *what;
		uint8_t code;
		unsigned int dst, src;
		int16_t offset;
		int32_t imm;
	} uses[] = {
		{ "*=", 0x27, 1, 0, 0, 3 },
		{ "-=", 0x1f, 1, 6, 0, 0 },
		{ "is subtracted", 0x1f, 2, 1, 0, 0 },
		{ "&=", 0x57, 1, 0, 0, 7 },
		{ ">>=", 0x77, 1, 0, 0, 3 },
		{ "its lower half is moved", 0xbc, 2, 1, 0, 0 },
		{ "is below something", 0xad, 1, 2, 0, 0 },
		{ "is compared to a constant", 0x55, 1, 0, 0, 5 },
		{ "its lower half is compared", 0x1e, 1, 2, 0, 0 },
		{ "has a bit", 0x45, 1, 0, 0, 8 },
		{ "grows atomically", 0xdb, 7, 1, 0, 0 },
		{ "a constant is stored", 0x7a, 7, 0, 0, 5 },
		{ "a half is stored", 0x63, 7, 1, 4, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
		om_begin(&m);
		begin();
		om_store(&m, OM_U64, 7, 0, 6);
		om_set(&m, 2, 0);
		om_load(&m, OM_U64, 1, 7, 0);
		om_insn(&m, uses[i].code, uses[i].dst, uses[i].src, uses[i].offset, uses[i].imm);
		analyse();
		if (casts.items.count)
			fail_msg("a pointer although %s", uses[i].what);
		expect_nothing();
	}
}

static void times_and_other_numbers_contradict(void **state)
{
	(void)state;
	begin();
	om_store(&m, OM_U64, 7, 0, 6);
	om_helper(&m, 5);
	om_store(&m, OM_U64, 7, 0, 0);
	/* A part of the task. */
	om_store(&m, OM_U64, 7, 8, 6);
	om_load(&m, OM_U32, 1, 6, 4);
	om_store(&m, OM_U64, 7, 8, 1);
	analyse();
	expect_nothing();
}

static void pointers_into_the_middle_have_no_type(void **state)
{
	(void)state;
	begin();
	om_add(&m, 6, 4);
	om_store(&m, OM_U64, 7, 0, 6);
	analyse();
	expect_nothing();
}

static void a_struct_that_points_to_its_kind_tells_nothing(void **state)
{
	(void)state;
	begin();
	om_store(&m, OM_U64, 7, 0, 7);
	analyse();
	expect_nothing();
}

static void unions_tell_nothing(void **state)
{
	(void)state;
	begin();
	om_store(&m, OM_U64, 7, 16, 6);
	om_store(&m, OM_U64, 7, 40, 0);
	analyse();
	expect_nothing();
}

static void accesses_without_a_cast_tell_nothing(void **state)
{
	(void)state;
	begin();
	om_load(&m, OM_U64, 8, 7, 0);
	read_node();
	analyse();
	expect_nothing();
}

static void one_access_tells_nothing(void **state)
{
	(void)state;
	begin_with_number();
	om_load(&m, OM_U32, 0, 8, 12);
	analyse();
	expect_nothing();
}

static void what_an_array_would_have_tells_nothing(void **state)
{
	(void)state;
	begin_with_number();
	om_load(&m, OM_U64, 0, 8, 0);
	om_load(&m, OM_U64, 0, 8, 16);
	analyse();
	expect_nothing();
}

static void accesses_that_two_structs_have_tell_nothing(void **state)
{
	uint32_t twin = bm_record(&m.types, BTF_STRUCT, "twin", 24, 2);

	(void)state;
	bm_member(&m.types, "x", m.u64, 0);
	bm_member(&m.types, "y", m.u32, 8);
	bm_var(&m.types, "used", bm_ptr(&m.types, twin));
	begin_with_number();
	read_node();
	analyse();
	expect_nothing();
}

static void accesses_that_no_struct_has_tell_nothing(void **state)
{
	(void)state;
	begin_with_number();
	read_node();
	om_load(&m, OM_U64, 0, 8, 24);
	analyse();
	expect_nothing();
}

static void accesses_before_the_beginning_tell_nothing(void **state)
{
	(void)state;
	begin_with_number();
	read_node();
	om_load(&m, OM_U64, 0, 8, -8);
	analyse();
	expect_nothing();
}

/* A struct that nobody points to is in no arena: only the holder, which a map has, would fit. */
static void values_of_maps_lie_in_no_arena(void **state)
{
	(void)state;
	begin_with_number();
	om_load(&m, OM_U64, 0, 8, 40);
	om_load(&m, OM_U32, 0, 8, 16);
	analyse();
	expect_nothing();
}

static void structs_of_the_kernel_lie_in_no_arena(void **state)
{
	static struct btf_maker other;

	(void)state;
	memset(&other, 0, sizeof(other));
	bm_record(&other, BTF_STRUCT, "node", 24, 0);
	assert_int_equal(btf_open(&kernel, other.blob, bm_end(&other)), 0);
	begin_with_number();
	read_node();
	analyse();
	expect_nothing();
	/* One of the same name is another one. */
	btf_close(&kernel);
	memset(&other, 0, sizeof(other));
	bm_record(&other, BTF_STRUCT, "node", 1000, 0);
	assert_int_equal(btf_open(&kernel, other.blob, bm_end(&other)), 0);
	m.code_len -= 8;
	analyse();
	expect(CAST_STRUCT, "holder", 0, "node", CAST_ARENA);
}

static void joins_forget_what_differs(void **state)
{
	(void)state;
	om_load(&m, OM_U64, 9, 1, 16);
	begin();
	om_insn(&m, 0x15, 7, 0, 1, 0);
	om_move(&m, 6, 9); /* on one way only */
	om_store(&m, OM_U64, 7, 0, 6);
	analyse();
	expect_nothing();
}

/* The same of the register with the result of a call, which is the first of all. */
static void joins_forget_results_that_differ(void **state)
{
	(void)state;
	om_load(&m, OM_U64, 9, 1, 16);
	begin();
	om_move(&m, 0, 6);
	om_insn(&m, 0x15, 7, 0, 1, 0);
	om_move(&m, 0, 9);
	om_store(&m, OM_U64, 7, 0, 0);
	analyse();
	expect_nothing();
}

/* The first time round the task is in r6; every other time something else. */
static void loops_forget_what_changes(void **state)
{
	(void)state;
	om_load(&m, OM_U64, 9, 1, 16);
	begin();
	om_store(&m, OM_U64, 7, 0, 6);
	om_move(&m, 6, 9);
	om_insn(&m, 0x55, 7, 0, -3, 0);
	analyse();
	expect_nothing();
}

static void slots_that_others_may_write_are_forgotten(void **state)
{
	(void)state;
	begin();
	om_store(&m, OM_U64, 10, -8, 6);
	om_move(&m, 1, 10);
	om_add(&m, 1, -16);
	om_helper(&m, 4);
	om_load(&m, OM_U64, 1, 10, -8);
	om_store(&m, OM_U64, 7, 0, 1);
	/* Below what is given, where a pointer on the stack leads. */
	om_store(&m, OM_U64, 10, -64, 6);
	om_move(&m, 1, 10);
	om_add(&m, 1, -64);
	om_store(&m, OM_U64, 10, -8, 1);
	om_move(&m, 1, 10);
	om_add(&m, 1, -8);
	om_helper(&m, 4);
	om_load(&m, OM_U64, 1, 10, -64);
	om_store(&m, OM_U64, 7, 24, 1);
	/* A part of one. */
	om_store(&m, OM_U64, 10, -8, 6);
	om_store_imm(&m, OM_U32, 10, -4, 1);
	om_load(&m, OM_U64, 1, 10, -8);
	om_store(&m, OM_U64, 7, 8, 1);
	/* At an unknown place. */
	om_store(&m, OM_U64, 10, -8, 6);
	om_move(&m, 2, 10);
	om_insn(&m, 0x0f, 2, 0, 0, 0);
	om_store(&m, OM_U64, 2, 0, 0);
	om_load(&m, OM_U64, 1, 10, -8);
	om_store(&m, OM_U64, 7, 32, 1);
	analyse();
	expect_nothing();
}

static void calls_clobber_registers(void **state)
{
	(void)state;
	begin();
	om_move(&m, 1, 6);
	om_helper(&m, 999);
	om_store(&m, OM_U64, 7, 0, 1);
	om_store(&m, OM_U64, 7, 8, 0);
	analyse();
	expect_nothing();
}

/* ---- what is no object ---- */

static void damaged_objects_tell_nothing(void **state)
{
	(void)state;
	begin();
	om_store(&m, OM_U64, 7, 0, 6);
	om_exit(&m);
	om_end(&m);
	for (size_t len = 0; len < m.file_len; len += 7) {
		assert_int_equal(cast_analysis(m.file, len, NULL, &casts), 0);
		assert_int_equal(casts.items.count, 0);
		casts_finish(&casts);
	}
}

/* Jumps out of the function, registers that there are not, and no end. */
static void code_that_is_none_tells_nothing(void **state)
{
	static const uint8_t bad[][8] = { { 0x05, 0, 0xff, 0x7f },
					  { 0x05, 0, 0x00, 0x80 },
					  { 0x06, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f },
					  { 0xbf, 0xff },
					  { 0xb7, 0x0b } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		om_begin(&m);
		begin();
		om_store(&m, OM_U64, 7, 0, 6);
		memcpy(m.code + m.code_len, bad[i], 8);
		m.code_len += 8;
		analyse();
		assert_int_equal(casts.items.count, 0);
	}
	om_begin(&m);
	begin();
	om_store(&m, OM_U64, 7, 0, 6);
	om_end(&m);
	casts_finish(&casts);
	assert_int_equal(cast_analysis(m.file, m.file_len, NULL, &casts), 0);
	assert_int_equal(casts.items.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CAST_TEST(two_types_contradict_each_other),
		CAST_TEST(two_objects_contradict_each_other),
		CAST_TEST(a_number_in_another_object_contradicts),
		CAST_TEST(a_struct_is_not_in_the_kernel_and_in_an_arena),
		CAST_TEST(fields_of_the_kernel_are_not_the_programs),
		CAST_TEST(owners_of_one_name_are_not_told_apart),
		CAST_TEST(owners_that_the_kernel_fills_tell_nothing),
		CAST_TEST(numbers_with_a_sign_are_no_pointers),
		CAST_TEST(a_member_at_another_place_tells_nothing),
		CAST_TEST(arguments_into_the_middle_tell_nothing),
		CAST_TEST(accesses_contradict_a_type),
		CAST_TEST(numbers_are_no_pointers),
		CAST_TEST(times_and_other_numbers_contradict),
		CAST_TEST(pointers_into_the_middle_have_no_type),
		CAST_TEST(a_struct_that_points_to_its_kind_tells_nothing),
		CAST_TEST(unions_tell_nothing),
		CAST_TEST(accesses_without_a_cast_tell_nothing),
		CAST_TEST(one_access_tells_nothing),
		CAST_TEST(what_an_array_would_have_tells_nothing),
		CAST_TEST(accesses_that_two_structs_have_tell_nothing),
		CAST_TEST(accesses_that_no_struct_has_tell_nothing),
		CAST_TEST(accesses_before_the_beginning_tell_nothing),
		CAST_TEST(values_of_maps_lie_in_no_arena),
		CAST_TEST(structs_of_the_kernel_lie_in_no_arena),
		CAST_TEST(joins_forget_what_differs),
		CAST_TEST(joins_forget_results_that_differ),
		CAST_TEST(loops_forget_what_changes),
		CAST_TEST(slots_that_others_may_write_are_forgotten),
		CAST_TEST(calls_clobber_registers),
		CAST_TEST(damaged_objects_tell_nothing),
		CAST_TEST(code_that_is_none_tells_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

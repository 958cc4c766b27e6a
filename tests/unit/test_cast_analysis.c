// SPDX-License-Identifier: GPL-2.0-only
/* What code tells about numbers, instruction by instruction. */
#include "cast_scene.h"

static void a_typed_pointer_that_is_stored_tells_its_type(void **state)
{
	(void)state;
	begin();
	om_store(&m, OM_U64, 7, 0, 6);
	analyse();
	expect(CAST_STRUCT, "holder", 0, "task_struct", CAST_KERNEL);
	assert_int_equal(casts.items.count, 1);
}

static void accesses_tell_the_struct_that_has_them(void **state)
{
	(void)state;
	begin_with_number();
	read_node();
	analyse();
	expect(CAST_STRUCT, "holder", 0, "node", CAST_ARENA);
	assert_int_equal(casts.items.count, 1);
}

static void stores_are_accesses(void **state)
{
	(void)state;
	begin_with_number();
	om_store_imm(&m, OM_U64, 8, 0, 5);
	om_store(&m, OM_U32, 8, 12, 6);
	analyse();
	expect(CAST_STRUCT, "holder", 0, "node", CAST_ARENA);
}

static void sums_with_constants_are_followed(void **state)
{
	(void)state;
	begin_with_number();
	om_add(&m, 8, 8);
	om_load(&m, OM_U32, 0, 8, 0);
	om_set(&m, 9, -8);
	om_insn(&m, 0x0f, 8, 9, 0, 0);
	om_load(&m, OM_U64, 0, 8, 0);
	analyse();
	expect(CAST_STRUCT, "holder", 0, "node", CAST_ARENA);
}

static void what_is_found_tells_what_lies_behind(void **state)
{
	(void)state;
	begin_with_number();
	om_load(&m, OM_U32, 0, 8, 12);
	/* r9 = node->next, a node as well; node->task = the task. */
	om_load(&m, OM_U64, 9, 8, 0);
	om_store(&m, OM_U64, 8, 16, 6);
	om_cast(&m, 8, 9);
	read_node();
	analyse();
	expect(CAST_STRUCT, "holder", 0, "node", CAST_ARENA);
	expect(CAST_STRUCT, "node", 0, "node", CAST_ARENA);
	expect(CAST_STRUCT, "node", 16, "task_struct", CAST_KERNEL);
	assert_int_equal(casts.items.count, 3);
}

static void variables_and_maps_of_numbers_are_owners(void **state)
{
	(void)state;
	begin();
	om_address(&m, 1, OM_SYM_NEWEST, 0);
	om_store(&m, OM_U64, 1, 0, 6);
	om_address(&m, 1, OM_SYM_NUMBERS, 0);
	om_helper(&m, 1);
	om_store(&m, OM_U64, 0, 0, 6);
	analyse();
	expect(CAST_VARIABLE, "newest", 0, "task_struct", CAST_KERNEL);
	expect(CAST_MAP, "numbers", 0, "task_struct", CAST_KERNEL);
}

static void a_section_and_an_offset_are_a_variable(void **state)
{
	(void)state;
	begin();
	om_address(&m, 1, OM_SYM_BSS, 0);
	om_store(&m, OM_U64, 1, 0, 6);
	analyse();
	expect(CAST_VARIABLE, "newest", 0, "task_struct", CAST_KERNEL);
}

static void what_a_helper_copies_from_the_stack_is_stored(void **state)
{
	(void)state;
	begin();
	om_store(&m, OM_U64, 10, -16, 6);
	om_address(&m, 1, OM_SYM_NUMBERS, 0);
	om_move(&m, 3, 10);
	om_add(&m, 3, -16);
	om_helper(&m, 2);
	analyse();
	expect(CAST_MAP, "numbers", 0, "task_struct", CAST_KERNEL);
}

static void values_survive_the_stack_and_calls(void **state)
{
	(void)state;
	begin();
	om_store(&m, OM_U64, 10, -8, 6);
	om_set(&m, 6, 0);
	om_helper(&m, 5);
	om_load(&m, OM_U64, 1, 10, -8);
	om_store(&m, OM_U64, 7, 8, 1);
	analyse();
	expect(CAST_STRUCT, "holder", 8, "task_struct", CAST_KERNEL);
}

static void results_of_kernel_functions_have_types(void **state)
{
	(void)state;
	begin();
	om_call(&m, OM_SYM_FIND);
	om_store(&m, OM_U64, 7, 8, 0);
	om_helper(&m, 158);
	om_store(&m, OM_U64, 7, 32, 0);
	analyse();
	expect(CAST_STRUCT, "holder", 8, "task_struct", CAST_KERNEL);
	expect(CAST_STRUCT, "holder", 32, "task_struct", CAST_KERNEL);
}

static void members_read_by_name_tell_what_their_base_is(void **state)
{
	(void)state;
	begin();
	om_helper(&m, 999); /* of which nothing is known */
	om_by_name(&m, m.task, "0:1");
	om_load(&m, OM_U32, 1, 0, 4);
	om_store(&m, OM_U64, 7, 0, 0);
	analyse();
	expect(CAST_STRUCT, "holder", 0, "task_struct", CAST_KERNEL);
}

static void arguments_tell_their_types(void **state)
{
	(void)state;
	begin();
	om_load(&m, OM_U64, 1, 7, 0);
	om_call(&m, OM_SYM_VISIT);
	om_load(&m, OM_U64, 1, 7, 8);
	om_cast(&m, 1, 1);
	om_call(&m, OM_SYM_VISIT);
	analyse();
	expect(CAST_STRUCT, "holder", 0, "node", CAST_ANY);
	expect(CAST_STRUCT, "holder", 8, "node", CAST_ARENA);
}

static void members_of_a_struct_without_a_name_are_its_owners(void **state)
{
	(void)state;
	begin();
	om_store(&m, OM_U64, 7, 24, 6);
	analyse();
	expect(CAST_STRUCT, "holder", 24, "task_struct", CAST_KERNEL);
}

static void null_is_no_evidence(void **state)
{
	(void)state;
	begin();
	om_store_imm(&m, OM_U64, 7, 0, 0);
	om_store(&m, OM_U64, 7, 0, 6);
	om_load(&m, OM_U64, 1, 7, 0);
	om_insn(&m, 0x15, 1, 0, 0, 0); /* if r1 == 0 */
	analyse();
	expect(CAST_STRUCT, "holder", 0, "task_struct", CAST_KERNEL);
}

/* Both ways have the same in r6 and r7. */
static void joins_keep_what_is_the_same(void **state)
{
	(void)state;
	begin();
	om_insn(&m, 0x15, 7, 0, 1, 0);
	om_set(&m, 1, 1);
	om_store(&m, OM_U64, 7, 0, 6);
	analyse();
	expect(CAST_STRUCT, "holder", 0, "task_struct", CAST_KERNEL);
}

/* Null on one way, the task on the other, whichever comes first. */
static void a_pointer_or_null_is_a_pointer(void **state)
{
	(void)state;
	begin();
	om_insn(&m, 0x15, 7, 0, 1, 0);
	om_set(&m, 6, 0);
	om_store(&m, OM_U64, 7, 0, 6);
	analyse();
	expect(CAST_STRUCT, "holder", 0, "task_struct", CAST_KERNEL);
	om_begin(&m);
	begin();
	om_move(&m, 9, 6);
	om_set(&m, 6, 0);
	om_insn(&m, 0x15, 7, 0, 1, 0);
	om_move(&m, 6, 9);
	om_store(&m, OM_U64, 7, 0, 6);
	analyse();
	expect(CAST_STRUCT, "holder", 0, "task_struct", CAST_KERNEL);
}

static void a_typed_pointer_that_was_cast_is_one_into_the_arena(void **state)
{
	(void)state;
	begin();
	om_address(&m, 1, OM_SYM_TYPED, 0);
	om_load(&m, OM_U64, 1, 1, 0);
	om_store(&m, OM_U64, 7, 0, 1);
	om_cast(&m, 1, 1);
	om_store(&m, OM_U64, 7, 8, 1);
	analyse();
	expect(CAST_STRUCT, "holder", 0, "node", CAST_ANY);
	expect(CAST_STRUCT, "holder", 8, "node", CAST_ARENA);
}

static void what_is_returned_for_a_pointer_is_one(void **state)
{
	(void)state;
	m.op = bm_type(&m.types, "op", BTF_FUNC << 24,
		       bm_proto(&m.types, bm_ptr(&m.types, m.node), 0));
	begin();
	om_load(&m, OM_U64, 0, 7, 0);
	analyse();
	expect(CAST_STRUCT, "holder", 0, "node", CAST_ANY);
}

/* One says where it lies, the other only what it is. */
static void objects_complete_each_other(void **state)
{
	static uint8_t file[65536];
	size_t first;

	(void)state;
	begin();
	om_load(&m, OM_U64, 1, 7, 0);
	om_call(&m, OM_SYM_VISIT);
	om_exit(&m);
	om_end(&m);
	first = m.file_len;
	memcpy(file, m.file, first);
	om_begin(&m);
	begin_with_number();
	read_node();
	om_exit(&m);
	om_end(&m);
	memcpy(file + first, m.file, m.file_len);
	assert_int_equal(cast_analysis(file, sizeof(file), NULL, &casts), 0);
	expect(CAST_STRUCT, "holder", 0, "node", CAST_ARENA);
}

static void an_exchange_is_a_store(void **state)
{
	(void)state;
	begin();
	om_insn(&m, 0xdb, 7, 6, 0, 0xe1);
	analyse();
	expect(CAST_STRUCT, "holder", 0, "task_struct", CAST_KERNEL);
}

static void objects_are_found_inside_of_files(void **state)
{
	static uint8_t file[65536] = "\177ELF of something else";

	(void)state;
	begin();
	om_store(&m, OM_U64, 7, 0, 6);
	om_exit(&m);
	om_end(&m);
	/* Twice, at odd places. */
	memcpy(file + 4097, m.file, m.file_len);
	memcpy(file + 20001, m.file, m.file_len);
	assert_int_equal(cast_analysis(file, sizeof(file), NULL, &casts), 0);
	assert_int_equal(casts.types.count, 2);
	expect(CAST_STRUCT, "holder", 0, "task_struct", CAST_KERNEL);
}

/* A file may have more than anybody needs. */
static void of_many_objects_the_first_are_analysed(void **state)
{
	uint8_t *file;

	(void)state;
	begin();
	om_store(&m, OM_U64, 7, 0, 6);
	om_exit(&m);
	om_end(&m);
	file = calloc(65, m.file_len);
	assert_non_null(file);
	for (size_t count = 63; count <= 65; count++) {
		for (size_t i = 0; i < count; i++)
			memcpy(file + i * m.file_len, m.file, m.file_len);
		assert_int_equal(cast_analysis(file, count * m.file_len, NULL, &casts), 0);
		assert_int_equal(casts.types.count, count < 64 ? count : 64);
		assert_int_equal(casts.candidates, casts.types.count);
		expect(CAST_STRUCT, "holder", 0, "task_struct", CAST_KERNEL);
		casts_finish(&casts);
	}
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CAST_TEST(a_typed_pointer_that_is_stored_tells_its_type),
		CAST_TEST(accesses_tell_the_struct_that_has_them),
		CAST_TEST(stores_are_accesses),
		CAST_TEST(sums_with_constants_are_followed),
		CAST_TEST(what_is_found_tells_what_lies_behind),
		CAST_TEST(variables_and_maps_of_numbers_are_owners),
		CAST_TEST(a_section_and_an_offset_are_a_variable),
		CAST_TEST(what_a_helper_copies_from_the_stack_is_stored),
		CAST_TEST(values_survive_the_stack_and_calls),
		CAST_TEST(results_of_kernel_functions_have_types),
		CAST_TEST(members_read_by_name_tell_what_their_base_is),
		CAST_TEST(arguments_tell_their_types),
		CAST_TEST(members_of_a_struct_without_a_name_are_its_owners),
		CAST_TEST(null_is_no_evidence),
		CAST_TEST(joins_keep_what_is_the_same),
		CAST_TEST(a_pointer_or_null_is_a_pointer),
		CAST_TEST(a_typed_pointer_that_was_cast_is_one_into_the_arena),
		CAST_TEST(what_is_returned_for_a_pointer_is_one),
		CAST_TEST(objects_complete_each_other),
		CAST_TEST(an_exchange_is_a_store),
		CAST_TEST(objects_are_found_inside_of_files),
		CAST_TEST(of_many_objects_the_first_are_analysed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

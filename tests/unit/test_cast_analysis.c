// SPDX-License-Identifier: GPL-2.0-only
/* What code tells about numbers, instruction by instruction, and what it does not. */
#include "unit.h"

#include <stdlib.h>

#include "base/err.h"
#include "bpf_object_maker.h"
#include "watch/cast_analysis.h"

static struct object_maker m;
static struct casts casts;
static struct btf kernel;

static int set_up(void **state)
{
	(void)state;
	om_begin(&m);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	casts_finish(&casts);
	btf_close(&kernel);
	return 0;
}

static void analyse(void)
{
	om_exit(&m);
	om_end(&m);
	casts_finish(&casts);
	assert_int_equal(cast_analysis(m.file, m.file_len, kernel.types ? &kernel : NULL, &casts),
			 0);
	assert_int_equal(casts.types.count, 1);
}

static void expect(enum cast_owner kind, const char *owner, uint32_t offset, const char *target,
		   enum cast_space space)
{
	const struct cast *c = casts_find(&casts, kind, owner, offset);

	if (!c)
		fail_msg("nothing is known of %s+%u", owner, offset);
	assert_string_equal(c->target, target);
	assert_int_equal(c->space, space);
}

static void expect_nothing(void)
{
	if (casts.items.count)
		fail_msg("%s+%u is said to be a pointer to %s", casts.items.items[0].owner,
			 casts.items.items[0].offset, casts.items.items[0].target);
	/* It was looked at. */
	assert_true(casts.candidates);
}

/* r6 = the task of the operation, r7 = a holder. */
static void begin(void)
{
	om_load(&m, OM_U64, 6, 1, 0);
	om_address(&m, 1, OM_SYM_HOLDERS, 0);
	om_helper(&m, 1);
	om_move(&m, 7, 0);
}

/* r8 = holder->a, as an address in the arena. */
static void begin_with_number(void)
{
	begin();
	om_load(&m, OM_U64, 8, 7, 0);
	om_cast(&m, 8, 8);
}

/* Accesses through r8 that only struct node has. */
static void read_node(void)
{
	om_load(&m, OM_U64, 0, 8, 0);
	om_load(&m, OM_U32, 0, 8, 8);
}

/* ---- what is found ---- */

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
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_typed_pointer_that_is_stored_tells_its_type),
		TEST(accesses_tell_the_struct_that_has_them),
		TEST(stores_are_accesses),
		TEST(sums_with_constants_are_followed),
		TEST(what_is_found_tells_what_lies_behind),
		TEST(variables_and_maps_of_numbers_are_owners),
		TEST(a_section_and_an_offset_are_a_variable),
		TEST(what_a_helper_copies_from_the_stack_is_stored),
		TEST(values_survive_the_stack_and_calls),
		TEST(results_of_kernel_functions_have_types),
		TEST(members_read_by_name_tell_what_their_base_is),
		TEST(arguments_tell_their_types),
		TEST(members_of_a_struct_without_a_name_are_its_owners),
		TEST(null_is_no_evidence),
		TEST(joins_keep_what_is_the_same),
		TEST(a_pointer_or_null_is_a_pointer),
		TEST(a_typed_pointer_that_was_cast_is_one_into_the_arena),
		TEST(what_is_returned_for_a_pointer_is_one),
		TEST(objects_complete_each_other),
		TEST(an_exchange_is_a_store),
		TEST(objects_are_found_inside_of_files),
		TEST(two_types_contradict_each_other),
		TEST(two_objects_contradict_each_other),
		TEST(a_number_in_another_object_contradicts),
		TEST(a_struct_is_not_in_the_kernel_and_in_an_arena),
		TEST(fields_of_the_kernel_are_not_the_programs),
		TEST(owners_of_one_name_are_not_told_apart),
		TEST(owners_that_the_kernel_fills_tell_nothing),
		TEST(numbers_with_a_sign_are_no_pointers),
		TEST(a_member_at_another_place_tells_nothing),
		TEST(arguments_into_the_middle_tell_nothing),
		TEST(accesses_contradict_a_type),
		TEST(numbers_are_no_pointers),
		TEST(times_and_other_numbers_contradict),
		TEST(pointers_into_the_middle_have_no_type),
		TEST(a_struct_that_points_to_its_kind_tells_nothing),
		TEST(unions_tell_nothing),
		TEST(accesses_without_a_cast_tell_nothing),
		TEST(one_access_tells_nothing),
		TEST(what_an_array_would_have_tells_nothing),
		TEST(accesses_that_two_structs_have_tell_nothing),
		TEST(accesses_that_no_struct_has_tell_nothing),
		TEST(accesses_before_the_beginning_tell_nothing),
		TEST(values_of_maps_lie_in_no_arena),
		TEST(structs_of_the_kernel_lie_in_no_arena),
		TEST(joins_forget_what_differs),
		TEST(loops_forget_what_changes),
		TEST(slots_that_others_may_write_are_forgotten),
		TEST(calls_clobber_registers),
		TEST(damaged_objects_tell_nothing),
		TEST(code_that_is_none_tells_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

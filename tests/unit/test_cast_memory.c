// SPDX-License-Identifier: GPL-2.0-only
/* Loads, stores and calls, one by one, and what is concluded from them. */
#include "cast_steps.h"

#define SLOT(at) (state_now.slots[SLOTS + (at) / 8])
#define expect_slot(at, ...) expect_content(&SLOT(at), (struct cast_value)__VA_ARGS__)
#define set_slot(at, ...) (SLOT(at) = (struct cast_value)__VA_ARGS__)

/* ---- the stack ---- */

static void slots_are_read_whole(void **state)
{
	static const struct {
		uint8_t code;
		int32_t base;
		int16_t offset;
		int32_t number; /* of the slot; 0 = nothing is known */
	} rows[] = {
		{ 0x79, 0, -8, -8 },  { 0x79, -16, 8, -8 }, { 0x79, 0, -512, -512 },
		{ 0x79, 0, -520, 0 }, { 0x79, 0, 0, 0 },    { 0x79, 0, 8, 0 },
		{ 0x79, 0, -12, 0 },  { 0x79, 0, -4, 0 },   { 0x61, 0, -8, 0 },
		{ 0x69, 0, -8, 0 },   { 0x71, 0, -8, 0 },   { 0x79, VALUE_ANYWHERE, -8, 0 },
	};

	(void)state;
	for (int32_t at = -STACK_BYTES; at < 0; at += 8)
		set_slot(at, CONSTANT(at));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set_register(3, STACK(rows[i].base));
		run(rows[i].code, 4, 3, rows[i].offset, 0);
		if (rows[i].number)
			expect_register(4, CONSTANT(rows[i].number));
		else
			expect_register(4, UNKNOWN);
	}
}

/* All that a store touches is forgotten, and only a whole slot is known then. */
static void slots_are_written_whole_or_forgotten(void **state)
{
	static const struct {
		uint8_t code;
		int32_t base;
		int16_t offset;
		int32_t from, to; /* forgotten */
		bool is_known;	  /* what is stored at from */
	} rows[] = {
		{ 0x7b, 0, -16, -16, -8, true },
		{ 0x7b, 0, -512, -512, -504, true },
		{ 0x7b, 0, -8, -8, 0, true },
		{ 0x7b, 0, -12, -16, 0, false },
		{ 0x63, 0, -16, -16, -8, false },
		{ 0x63, 0, -12, -16, -8, false },
		{ 0x6b, 0, -9, -16, 0, false },
		{ 0x73, 0, -9, -16, -8, false },
		{ 0x73, 0, -8, -8, 0, false },
		{ 0x7b, -24, 8, -16, -8, true },
		{ 0x7b, 0, -516, -512, -504, false },
		{ 0x7b, 0, -520, 0, 0, false },
		{ 0x7b, VALUE_ANYWHERE, 0, -512, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (int32_t at = -STACK_BYTES; at < 0; at += 8)
			set_slot(at, NUMBER);
		set_register(3, STACK(rows[i].base));
		set_register(4, CONSTANT(5));
		run(rows[i].code, 3, 4, rows[i].offset, 0);
		for (int32_t at = -STACK_BYTES; at < 0; at += 8) {
			if (at == rows[i].from && rows[i].is_known)
				expect_slot(at, CONSTANT(5));
			else if (at >= rows[i].from && at < rows[i].to)
				expect_slot(at, UNKNOWN);
			else
				expect_slot(at, NUMBER);
		}
	}
	set_register(3, STACK(0));
	run(0x7a, 3, 4, -8, -7);
	expect_slot(-8, CONSTANT(-7));
}

static void atomic_operations_leave_nothing_known(void **state)
{
	static const struct {
		int32_t imm;
		bool keeps_zero, keeps_source;
	} rows[] = {
		{ 0x00, true, true },  /* add */
		{ 0x01, true, false }, /* and fetch */
		{ 0x40, true, true },  /* or */
		{ 0xe1, true, false }, /* exchange */
		{ 0xf1, false, true }, /* compare and exchange */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set_register(0, CONSTANT(1));
		set_register(1, CONSTANT(2));
		set_register(3, STACK(-16));
		set_register(4, CONSTANT(3));
		set_slot(-512, NUMBER);
		set_slot(-16, NUMBER);
		set_slot(-8, NUMBER);
		run(0xdb, 3, 4, 0, rows[i].imm);
		expect_slot(-512, UNKNOWN);
		expect_slot(-16, UNKNOWN);
		expect_slot(-8, UNKNOWN);
		assert_int_equal(state_now.registers[0].kind == VALUE_CONSTANT, rows[i].keeps_zero);
		assert_int_equal(state_now.registers[4].kind == VALUE_CONSTANT,
				 rows[i].keeps_source);
		expect_register(1, CONSTANT(2));
		/* Elsewhere the stack stays as it is. */
		set_register(3, UNKNOWN);
		set_slot(-8, NUMBER);
		run(0xdb, 3, 4, 0, rows[i].imm);
		expect_slot(-8, NUMBER);
	}
}

/* ---- structs ---- */

static void loads_are_of_members(void **state)
{
	const struct {
		uint8_t code;
		struct cast_value base;
		int16_t offset;
		struct cast_value expected;
	} rows[] = {
		{ 0x79, POINTER(m.node, CAST_ARENA, 0), 0, FIELD(m.node, 0, 0) },
		{ 0x79, POINTER(m.node, CAST_ANY, 8), 8, FIELD(m.node, 16, 0) },
		{ 0x79, POINTER(m.node, CAST_ANY, 16), -16, FIELD(m.node, 0, 0) },
		{ 0x79, POINTER(m.node, CAST_ANY, 0), -8, UNKNOWN },
		{ 0x79, POINTER(m.node, CAST_ANY, 0), 8, UNKNOWN },
		{ 0x79, POINTER(m.node, CAST_ANY, 0), 24, UNKNOWN },
		{ 0x79, POINTER(m.node, CAST_KERNEL, 0), 0, UNKNOWN },
		{ 0x61, POINTER(m.node, CAST_ANY, 0), 8, NUMBER },
		{ 0x69, POINTER(m.node, CAST_ANY, 0), 8, NUMBER },
		{ 0x71, POINTER(m.node, CAST_ANY, 0), 8, NUMBER },
		{ 0x81, POINTER(m.node, CAST_ANY, 0), 8, NUMBER },
		{ 0x79, POINTER(m.task, CAST_KERNEL, 0), 8, POINTER(m.task, CAST_KERNEL, 0) },
		{ 0x79, POINTER(m.task, CAST_ARENA, 0), 8, POINTER(m.task, CAST_ANY, 0) },
		{ 0x79, POINTER(m.holder, CAST_ANY, 0), 16, UNKNOWN }, /* of a union */
		{ 0x79, POINTER(m.holder, CAST_ANY, 0), 40, FIELD(m.holder, 40, 0) },
		{ 0x79, POINTER(m.holder, CAST_ANY, 0), 48, UNKNOWN }, /* has a sign */
		{ 0x79, NUMBER, 0, UNKNOWN },
		{ 0x61, NUMBER, 0, NUMBER },
		{ 0x71, UNKNOWN, 0, NUMBER },
		{ 0x81, UNKNOWN, 0, NUMBER },
		{ 0x79, UNKNOWN, 0, UNKNOWN },
		/* From packets, and what there is not. */
		{ 0x21, UNKNOWN, 0, UNKNOWN },
		{ 0x41, POINTER(m.node, CAST_ANY, 0), 8, UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		state_now.registers[3] = rows[i].base;
		run(rows[i].code, 4, 3, rows[i].offset, 0);
		expect_content(&state_now.registers[4], rows[i].expected);
	}
	/* What an earlier round knows of the field. */
	expect_fields(known.fields.count, 0);
	evidence_field(&known, m.node, 0)->target = m.task;
	evidence_field(&known, m.node, 0)->space = CAST_KERNEL;
	set_register(3, POINTER(m.node, CAST_ANY, 0));
	run(0x79, 4, 3, 0, 0);
	expect_register(4, POINTER(m.task, CAST_KERNEL, 0));
	evidence_field(&known, m.node, 0)->space = CAST_ARENA;
	run(0x79, 4, 3, 0, 0);
	expect_register(4, FIELD(m.node, 0, 0));
	evidence_field(&known, m.node, 0)->space = CAST_KERNEL;
	evidence_field(&known, m.node, 0)->target = 0;
	run(0x79, 4, 3, 0, 0);
	expect_register(4, FIELD(m.node, 0, 0));
}

/* op(struct task_struct *p, u64 flags, struct other *o) */
static void arguments_of_an_operation_are_an_array(void **state)
{
	const struct bpf_function *f = bpf_object_function(&object, OM_CODE, 0);
	const struct {
		uint8_t code;
		int32_t base;
		int16_t offset;
		struct cast_value expected;
	} rows[] = {
		{ 0x79, 0, 0, POINTER(m.task, CAST_KERNEL, 0) },
		{ 0x79, 0, 8, UNKNOWN },
		{ 0x79, 0, 16, POINTER(m.other, CAST_KERNEL, 0) },
		{ 0x79, 8, 8, POINTER(m.other, CAST_KERNEL, 0) },
		{ 0x79, 8, -8, POINTER(m.task, CAST_KERNEL, 0) },
		{ 0x79, 0, 24, UNKNOWN },
		{ 0x79, 0, -8, UNKNOWN },
		{ 0x79, 0, 4, UNKNOWN },
		{ 0x79, 0, 1, UNKNOWN },
		{ 0x61, 0, 0, NUMBER },
	};

	(void)state;
	assert_true(f && f->context);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set_register(1,
			     { .kind = VALUE_CONTEXT, .type = f->context, .offset = rows[i].base });
		run(rows[i].code, 4, 1, rows[i].offset, 0);
		expect_content(&state_now.registers[4], rows[i].expected);
	}
}

static void what_is_stored_tells_of_the_field(void **state)
{
	const struct bpf_variable *newest = bpf_object_variable(&object, OM_BSS, 0);
	const struct {
		struct cast_value value;
		bool is_number;
		uint32_t type;
	} rows[] = {
		{ POINTER(m.task, CAST_KERNEL, 0), false, m.task },
		{ POINTER(m.task, CAST_KERNEL, 4), true, 0 },
		{ POINTER(m.u64, CAST_ANY, 0), true, 0 },
		{ POINTER(newest->type, CAST_ANY, 0), true, 0 },
		{ CONSTANT(0), false, 0 },
		{ CONSTANT(5), true, 0 },
		{ NUMBER, true, 0 },
		{ STACK(-8), true, 0 },
		{ { .kind = VALUE_MAP, .type = 1 }, true, 0 },
		{ { .kind = VALUE_CONTEXT, .type = 1 }, true, 0 },
		{ UNKNOWN, false, 0 },
		{ FIELD(m.node, 0, 0), false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set_register(3, POINTER(m.holder, CAST_ANY, 8));
		state_now.registers[4] = rows[i].value;
		is_telling = false;
		run(0x7b, 3, 4, -8, 0);
		assert_int_equal(known.fields.count, 0);
		is_telling = true;
		run(0x7b, 3, 4, -8, 0);
		assert_int_equal(known.fields.count, 1);
		assert_int_equal(known.fields.items[0].owner, m.holder);
		assert_int_equal(known.fields.items[0].offset, 0);
		assert_int_equal(known.fields.items[0].type, rows[i].type);
		expect_fields(1, rows[i].is_number);
		/* An exchange does the same, and any other operation makes it a number. */
		run(0xdb, 3, 4, -8, 0xf1);
		expect_fields(1, rows[i].is_number);
		state_now.registers[4] = rows[i].value;
		run(0xdb, 3, 4, -8, 0);
		expect_fields(1, 1);
	}
}

static void a_part_of_a_field_is_none(void **state)
{
	static const struct {
		int16_t offset;
		bool is_field;
		uint32_t at;
	} rows[] = { { 0, true, 0 },   { 4, true, 0 },	 { 7, true, 0 },   { 8, true, 8 },
		     { 12, true, 8 },  { -1, false, 0 }, { 16, false, 0 }, { 36, true, 32 },
		     { 48, false, 0 }, { 56, false, 0 } };

	(void)state;
	set_register(4, POINTER(m.task, CAST_KERNEL, 0));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set_register(3, POINTER(m.holder, CAST_ANY, 0));
		run(0x73, 3, 4, rows[i].offset, 0);
		if (rows[i].is_field)
			assert_int_equal(known.fields.items[0].offset, rows[i].at);
		expect_fields(rows[i].is_field, rows[i].is_field);
	}
	is_telling = false;
	run(0x73, 3, 4, 0, 0);
	expect_fields(0, 0);
	/* The kernel's own are none of the program's. */
	is_telling = true;
	set_register(3, POINTER(m.holder, CAST_KERNEL, 0));
	run(0x73, 3, 4, 0, 0);
	run(0x7b, 3, 4, 0, 0);
	expect_fields(0, 0);
}

static void accesses_are_those_through_a_cast_field(void **state)
{
	struct cast_value base = FIELD(m.holder, 8, 16);

	(void)state;
	state_now.registers[3] = base;
	run(0x79, 4, 3, 8, 0);
	expect_fields(0, 0);
	base.is_cast = true;
	state_now.registers[3] = base;
	is_telling = false;
	run(0x79, 4, 3, 8, 0);
	expect_fields(0, 0);
	is_telling = true;
	run(0x79, 4, 3, 8, 0);
	run(0x73, 3, 4, -8, 0);
	assert_int_equal(known.fields.items[0].access_count, 2);
	assert_int_equal(known.fields.items[0].accesses[0].offset, 24);
	assert_int_equal(known.fields.items[0].accesses[0].size, 8);
	assert_int_equal(known.fields.items[0].accesses[1].offset, 8);
	assert_int_equal(known.fields.items[0].accesses[1].size, 1);
	expect_fields(1, 0);
}

/* ---- calls ---- */

static void helpers_have_results(void **state)
{
	const struct bpf_variable *holders = bpf_object_variable(&object, OM_MAPS, 0);
	const struct bpf_variable *numbers = bpf_object_variable(&object, OM_MAPS, 8);
	static const int lookups[] = { 1, 156, 195, 210 }, tasks[] = { 35, 158 };
	static const int counts[] = { 5, 7, 8, 14, 125, 160 };

	(void)state;
	for (int helper = 1; helper < 220; helper++) {
		bool is_lookup = false, is_task = false, is_count = false;

		for (size_t i = 0; i < ARRAY_SIZE(lookups); i++)
			is_lookup |= helper == lookups[i];
		for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
			is_task |= helper == tasks[i];
		for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
			is_count |= helper == counts[i];
		set_register(1, { .kind = VALUE_MAP, .type = holders->type });
		run(0x85, 0, 0, 0, helper);
		if (is_lookup)
			expect_register(0, POINTER(m.holder, CAST_ANY, 0));
		else if (is_task)
			expect_register(0, POINTER(m.task, CAST_KERNEL, 0));
		else if (is_count)
			expect_register(0, NUMBER);
		else
			expect_register(0, UNKNOWN);
	}
	/* What is no struct belongs to its map. */
	set_register(1, { .kind = VALUE_MAP, .type = numbers->type });
	run(0x85, 0, 0, 0, 1);
	expect_register(0, POINTER(numbers->type, CAST_ANY, 0));
	set_register(1, POINTER(holders->type, CAST_ANY, 0));
	run(0x85, 0, 0, 0, 1);
	expect_register(0, UNKNOWN);
}

static void a_call_leaves_six_to_nine(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < REGISTERS; i++)
		set_register(i, CONSTANT((int)i));
	run(0x85, 0, 0, 0, 999);
	expect_register(0, UNKNOWN);
	for (unsigned int i = 1; i <= 5; i++)
		expect_register(i, DEAD);
	for (unsigned int i = 6; i < REGISTERS; i++)
		expect_register(i, CONSTANT((int)i));
}

/* From the lowest address that it is given on, and all if there are addresses among it. */
static void a_call_may_write_to_what_it_is_given(void **state)
{
	static const struct {
		unsigned int first, second; /* registers with -16 and -32; 0 = none */
		bool is_nested;
		int32_t lowest;
	} rows[] = {
		{ 1, 0, false, -16 }, { 5, 0, false, -16 }, { 2, 3, false, -32 },
		{ 3, 2, false, -32 }, { 6, 0, false, 0 },   { 0, 0, true, 0 },
		{ 1, 0, true, -512 }, { 4, 0, true, -512 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(&state_now, 0, sizeof(state_now));
		for (int32_t at = -STACK_BYTES; at < 0; at += 8)
			set_slot(at, NUMBER);
		if (rows[i].first)
			set_register(rows[i].first, STACK(-16));
		if (rows[i].second)
			set_register(rows[i].second, STACK(-32));
		if (rows[i].is_nested)
			set_slot(-8, STACK(-64));
		run(0x85, 0, 0, 0, 999);
		for (int32_t at = -STACK_BYTES; at < -8; at += 8) {
			if (at >= rows[i].lowest && rows[i].lowest)
				expect_slot(at, UNKNOWN);
			else
				expect_slot(at, NUMBER);
		}
		assert_int_equal(SLOT(-8).kind == VALUE_UNKNOWN, rows[i].lowest != 0);
	}
}

static void what_is_put_into_a_map_is_stored_word_by_word(void **state)
{
	const struct bpf_variable *holders = bpf_object_variable(&object, OM_MAPS, 0);

	(void)state;
	for (int what = 0; what < 6; what++) {
		set_register(1, { .kind = VALUE_MAP, .type = holders->type });
		set_register(3, STACK(-24));
		set_slot(-24, POINTER(m.task, CAST_KERNEL, 0));
		set_slot(-16, CONSTANT(5));
		set_slot(-8, NUMBER);
		set_slot(-32, NUMBER);
		if (what == 1)
			set_register(3, STACK(-20));
		else if (what == 2)
			set_register(3, STACK(VALUE_ANYWHERE));
		else if (what == 3)
			set_register(3, POINTER(m.holder, CAST_ANY, 0));
		else if (what == 4)
			set_register(1, UNKNOWN);
		run(0x85, 0, 0, 0, what == 5 ? 3 : 2);
		if (what) {
			expect_fields(0, 0);
			continue;
		}
		/* The third is of a union. */
		assert_int_equal(known.fields.items[0].type, m.task);
		assert_int_equal(known.fields.items[1].offset, 8);
		expect_fields(2, 1);
	}
}

/* ---- results and arguments that have types ---- */

static void a_number_that_is_returned_for_a_pointer_is_one(void **state)
{
	const struct bpf_function *f = bpf_object_function(&object, OM_CODE, 0);
	const struct {
		struct cast_value value;
		bool is_told;
		enum cast_space space;
	} rows[] = {
		{ FIELD(m.holder, 8, 0), true, CAST_ANY },
		{ FIELD(m.holder, 8, 4), false, CAST_ANY },
		{ { .kind = VALUE_FIELD, .type = m.holder, .offset = 8, .is_cast = true },
		  true,
		  CAST_ARENA },
		{ POINTER(m.holder, CAST_ANY, 8), false, CAST_ANY },
		{ NUMBER, false, CAST_ANY },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		state_now.registers[0] = rows[i].value;
		run_in(f, 10);
		if (rows[i].is_told) {
			assert_int_equal(known.fields.items[0].type, m.node);
			assert_int_equal(known.fields.items[0].space, rows[i].space);
		}
		expect_fields(rows[i].is_told, 0);
		is_telling = false;
		run_in(f, 10);
		expect_fields(0, 0);
		is_telling = true;
		/* Of a function that nobody knows. */
		run(0x95, 0, 0, 0, 0);
		expect_fields(0, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STEP_TEST(slots_are_read_whole),
		STEP_TEST(slots_are_written_whole_or_forgotten),
		STEP_TEST(atomic_operations_leave_nothing_known),
		STEP_TEST(loads_are_of_members),
		STEP_TEST(arguments_of_an_operation_are_an_array),
		STEP_TEST(what_is_stored_tells_of_the_field),
		STEP_TEST(a_part_of_a_field_is_none),
		STEP_TEST(accesses_are_those_through_a_cast_field),
		STEP_TEST(helpers_have_results),
		STEP_TEST(a_call_leaves_six_to_nine),
		STEP_TEST(a_call_may_write_to_what_it_is_given),
		STEP_TEST(what_is_put_into_a_map_is_stored_word_by_word),
		STEP_TEST(a_number_that_is_returned_for_a_pointer_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

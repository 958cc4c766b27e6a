// SPDX-License-Identifier: GPL-2.0-only
/* What a single instruction makes of registers and the stack, and what two ways have in common. */
#include "cast_steps.h"

/* ---- joins ---- */

static void expect_join(struct cast_value a, struct cast_value b, struct cast_value expected)
{
	bool is_other = memcmp(&a, &expected, sizeof(a)) != 0;
	struct cast_state old = {}, new = {};

	old.registers[10] = a;
	new.registers[10] = b;
	assert_int_equal(cast_state_join(&old, &new), is_other);
	expect_content(&old.registers[10], expected);
	assert_false(cast_state_join(&old, &old));
	old = new = (struct cast_state){};
	old.slots[SLOTS - 1] = old.slots[0] = a;
	new.slots[SLOTS - 1] = new.slots[0] = b;
	assert_int_equal(cast_state_join(&old, &new), is_other);
	expect_content(&old.slots[SLOTS - 1], expected);
	expect_content(&old.slots[0], expected);
	/* One that changed counts, however many follow that did not. */
	old = new = (struct cast_state){};
	old.registers[0] = a;
	new.registers[0] = b;
	assert_int_equal(cast_state_join(&old, &new), is_other);
	expect_content(&old.registers[0], expected);
}

static void ways_that_meet_keep_what_both_have(void **state)
{
	const struct {
		struct cast_value a, b, expected;
	} rows[] = {
		{ DEAD, POINTER(1, 0, 0), DEAD },
		{ POINTER(1, 0, 0), DEAD, DEAD },
		{ DEAD, STACK(-8), DEAD },
		{ STACK(-8), STACK(-8), STACK(-8) },
		{ STACK(-8), STACK(-16), STACK(VALUE_ANYWHERE) },
		{ STACK(-8), NUMBER, STACK(VALUE_ANYWHERE) },
		{ CONSTANT(0), STACK(-8), STACK(VALUE_ANYWHERE) },
		{ CONSTANT(0), POINTER(1, CAST_KERNEL, 0), POINTER(1, CAST_KERNEL, 0) },
		{ POINTER(1, CAST_KERNEL, 0), CONSTANT(0), POINTER(1, CAST_KERNEL, 0) },
		{ CONSTANT(0), FIELD(1, 8, 4), FIELD(1, 8, 4) },
		{ FIELD(1, 8, 4), CONSTANT(0), FIELD(1, 8, 4) },
		{ CONSTANT(5), POINTER(1, 0, 0), UNKNOWN },
		{ POINTER(1, 0, 0), CONSTANT(5), UNKNOWN },
		{ FIELD(1, 0, 0), CONSTANT(5), UNKNOWN },
		{ CONSTANT(0), { .kind = VALUE_MAP, .type = 1 }, UNKNOWN },
		{ { .kind = VALUE_MAP, .type = 1 }, CONSTANT(0), UNKNOWN },
		{ CONSTANT(0), CONSTANT(5), NUMBER },
		{ CONSTANT(5), NUMBER, NUMBER },
		{ NUMBER, CONSTANT(5), NUMBER },
		{ NUMBER, UNKNOWN, UNKNOWN },
		{ UNKNOWN, NUMBER, UNKNOWN },
		{ NUMBER, POINTER(1, 0, 0), UNKNOWN },
		{ POINTER(1, CAST_KERNEL, 4), POINTER(1, CAST_ARENA, 4), POINTER(1, CAST_ANY, 4) },
		{ POINTER(1, CAST_KERNEL, 4), POINTER(1, CAST_ARENA, 8), UNKNOWN },
		{ POINTER(1, CAST_KERNEL, 0), POINTER(2, CAST_KERNEL, 0), UNKNOWN },
		{ POINTER(1, CAST_KERNEL, 0), POINTER(1, CAST_KERNEL, 8), UNKNOWN },
		{ FIELD(1, 8, 4), FIELD(1, 8, 4), FIELD(1, 8, 4) },
		{ FIELD(1, 8, 4), FIELD(2, 8, 4), UNKNOWN },
		{ FIELD(1, 8, 4), FIELD(1, 0, 4), UNKNOWN },
		{ FIELD(1, 8, 4), FIELD(1, 8, 0), UNKNOWN },
		{ FIELD(1, 8, 4), POINTER(1, 0, 8), UNKNOWN },
		{ { .kind = VALUE_FIELD, .type = 1, .is_cast = true }, FIELD(1, 0, 0), UNKNOWN },
		{ { .kind = VALUE_CONTEXT, .type = 1 },
		  { .kind = VALUE_CONTEXT, .type = 2 },
		  UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_join(rows[i].a, rows[i].b, rows[i].expected);
}

static void a_function_begins_with_its_arguments(void **state)
{
	struct bpf_function f = { .type = m.visit };

	(void)state;
	cast_state_enter(&state_now, &object, &f);
	expect_register(0, DEAD);
	expect_register(1, POINTER(m.node, CAST_ANY, 0));
	expect_register(2, DEAD);
	expect_register(9, DEAD);
	expect_register(10, STACK(0));
	expect_content(&state_now.slots[0], (struct cast_value)UNKNOWN);
	f.context = 7;
	cast_state_enter(&state_now, &object, &f);
	expect_register(1, { .kind = VALUE_CONTEXT, .type = 7 });
	expect_register(2, DEAD);
}

/* ---- arithmetic ---- */

static void sums_are_known_as_far_as_they_go(void **state)
{
	const struct {
		struct cast_value value;
		int32_t by;
		struct cast_value expected;
	} rows[] = {
		{ STACK(-8), -8, STACK(-16) },
		{ STACK(VALUE_ANYWHERE), 8, STACK(VALUE_ANYWHERE) },
		{ STACK(INT32_MIN + 1), -1, STACK(VALUE_ANYWHERE) },
		{ CONSTANT(3), 4, CONSTANT(7) },
		{ POINTER(1, CAST_ARENA, 8), 4, POINTER(1, CAST_ARENA, 12) },
		{ POINTER(1, 0, INT32_MAX - 1), 1, POINTER(1, 0, INT32_MAX) },
		{ POINTER(1, 0, INT32_MAX), 1, { .offset = VALUE_ANYWHERE } },
		{ POINTER(1, 0, INT32_MIN + 2), -1, POINTER(1, 0, INT32_MIN + 1) },
		{ POINTER(1, 0, INT32_MIN + 1), -1, { .offset = VALUE_ANYWHERE } },
		{ FIELD(1, 8, 4), 4, FIELD(1, 8, 8) },
		{ { .kind = VALUE_CONTEXT, .type = 1, .offset = 8 },
		  8,
		  { .kind = VALUE_CONTEXT, .type = 1, .offset = 16 } },
		{ NUMBER, 8, NUMBER },
		{ { .kind = VALUE_MAP, .type = 1 }, 8, UNKNOWN },
		{ UNKNOWN, 8, UNKNOWN },
		{ DEAD, 8, UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		state_now.registers[3] = rows[i].value;
		run(0x07, 3, 0, 0, rows[i].by);
		expect_content(&state_now.registers[3], rows[i].expected);
		/* The other way round, in registers; neither is a number by that. */
		set_register(3, CONSTANT(rows[i].by));
		state_now.registers[4] = rows[i].value;
		run(0x0f, 3, 4, 0, 0);
		expect_content(&state_now.registers[3], rows[i].expected);
	}
	expect_fields(0, 0);
	set_register(3, STACK(-8));
	set_register(4, NUMBER);
	run(0x0f, 3, 4, 0, 0);
	expect_register(3, STACK(VALUE_ANYWHERE));
	set_register(3, STACK(-8));
	run(0x0f, 4, 3, 0, 0);
	expect_register(4, STACK(VALUE_ANYWHERE));
	set_register(3, POINTER(1, 0, 0));
	set_register(4, NUMBER);
	run(0x0f, 3, 4, 0, 0);
	expect_register(3, UNKNOWN);
	/* Half a sum is none. */
	set_register(3, POINTER(1, 0, 0));
	run(0x04, 3, 0, 0, 8);
	expect_register(3, UNKNOWN);
	/* Other operations lose what it was, but not that it may lead to the stack. */
	set_register(3, STACK(-8));
	set_register(4, CONSTANT(1));
	run(0x1f, 4, 3, 0, 0);
	expect_register(4, STACK(VALUE_ANYWHERE));
	run(0x57, 3, 0, 0, -8);
	expect_register(3, STACK(VALUE_ANYWHERE));
	set_register(3, CONSTANT(7));
	run(0x57, 3, 0, 0, 1);
	expect_register(3, UNKNOWN);
	expect_fields(0, 0);
}

static void moves_keep_what_they_move(void **state)
{
	const struct {
		struct cast_value value, half;
		size_t numbers;
	} rows[] = {
		{ CONSTANT(5), CONSTANT(5), 0 },       { CONSTANT(0), CONSTANT(0), 0 },
		{ CONSTANT(-5), NUMBER, 0 },	       { NUMBER, NUMBER, 0 },
		{ POINTER(1, 0, 0), UNKNOWN, 0 },      { STACK(-8), UNKNOWN, 0 },
		{ FIELD(m.holder, 8, 0), UNKNOWN, 1 }, { UNKNOWN, UNKNOWN, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		state_now.registers[3] = rows[i].value;
		run(0xbf, 4, 3, 0, 0);
		expect_content(&state_now.registers[4], rows[i].value);
		expect_fields(0, 0);
		run(0xbc, 4, 3, 0, 0);
		expect_content(&state_now.registers[4], rows[i].half);
		expect_fields(rows[i].numbers, rows[i].numbers);
	}
	run(0xb7, 3, 0, 0, -7);
	expect_register(3, CONSTANT(-7));
	run(0xb4, 3, 0, 0, 7);
	expect_register(3, CONSTANT(7));
	/* Nothing is told as long as not all is known. */
	is_telling = false;
	set_register(3, FIELD(m.holder, 8, 0));
	run(0xbc, 4, 3, 0, 0);
	expect_fields(0, 0);
}

static void casts_lead_into_the_arena(void **state)
{
	const struct {
		struct cast_value value, expected;
	} rows[] = {
		{ POINTER(1, CAST_ANY, 8), POINTER(1, CAST_ARENA, 8) },
		{ POINTER(1, CAST_KERNEL, 8), POINTER(1, CAST_KERNEL, 8) },
		{ NUMBER, NUMBER },
		{ FIELD(m.holder, 8, 4),
		  { .kind = VALUE_FIELD,
		    .type = m.holder,
		    .offset = 8,
		    .shift = 4,
		    .is_cast = true } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (int to_user = 0; to_user < 2; to_user++) {
			state_now.registers[3] = rows[i].value;
			run(0xbf, 4, 3, 1, to_user ? 1 << 16 : 1);
			expect_content(&state_now.registers[4], rows[i].expected);
		}
		/* Casts of other kinds, and moves with a sign. */
		run(0xbf, 4, 3, 1, 2);
		expect_register(4, UNKNOWN);
		run(0xbf, 4, 3, 1, 1 << 17);
		expect_register(4, UNKNOWN);
		run(0xbf, 4, 3, 8, 1);
		expect_register(4, UNKNOWN);
	}
	/* What an earlier round has found out; one of the kernel is in no arena. */
	known.fields.items[0].target = m.node;
	known.fields.items[0].space = CAST_ANY;
	set_register(3, FIELD(m.holder, 8, 4));
	run(0xbf, 4, 3, 1, 1);
	expect_register(4, POINTER(m.node, CAST_ARENA, 4));
	known.fields.items[0].space = CAST_KERNEL;
	run(0xbf, 4, 3, 1, 1);
	assert_int_equal(state_now.registers[4].kind, VALUE_FIELD);
}

/* ---- jumps ---- */

static void jumps_go_on_and_elsewhere(void **state)
{
	static const struct {
		uint8_t code;
		int16_t offset;
		int32_t imm;
		bool goes_on, has_target;
		int64_t target;
		size_t numbers;
	} rows[] = {
		{ 0x05, 5, 9, false, true, 6, 0 }, /* ja */
		{ 0x05, -3, 0, false, true, -2, 0 },
		{ 0x06, 5, 9, false, true, 10, 0 }, /* the same with more room */
		{ 0xe5, 5, 9, true, true, 6, 0 },   /* may_goto */
		{ 0x15, 5, 0, true, true, 6, 0 },   /* == 0 */
		{ 0x55, 5, 0, true, true, 6, 0 },   /* != 0 */
		{ 0x15, 5, 9, true, true, 6, 1 },   /* == 9 */
		{ 0x55, 5, 9, true, true, 6, 1 },
		{ 0x1d, 5, 9, true, true, 6, 0 }, /* of registers */
		{ 0x5d, 5, 0, true, true, 6, 0 },
		{ 0x25, 5, 0, true, true, 6, 1 }, /* > 0 */
		{ 0x2d, 5, 0, true, true, 6, 2 },
		{ 0x45, 5, 0, true, true, 6, 1 }, /* & 0 */
		{ 0x16, 5, 0, true, true, 6, 1 }, /* half of it == 0 */
		{ 0x1e, 5, 0, true, true, 6, 2 },
		{ 0x86, 5, 0, true, true, 6, 1 }, /* there is no half of a call */
		{ 0x96, 5, 0, true, true, 6, 1 },
		{ 0x95, 5, 9, false, false, 1, 0 },  /* exit */
		{ 0x85, 5, 999, true, false, 1, 0 }, /* call */
		{ 0x07, 5, 9, true, false, 0, 0 },   /* no jump */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cast_ways w;

		set_register(3, FIELD(m.holder, 0, 0));
		set_register(4, FIELD(m.holder, 8, 0));
		w = run(rows[i].code, 3, 4, rows[i].offset, rows[i].imm);
		if (w.goes_on != rows[i].goes_on || w.has_target != rows[i].has_target ||
		    w.target != rows[i].target || w.length != 1)
			fail_msg("%02x: %d %d %lld %u", rows[i].code, w.goes_on, w.has_target,
				 (long long)w.target, w.length);
		expect_fields(rows[i].numbers, rows[i].numbers);
	}
}

static void registers_end_at_ten(void **state)
{
	(void)state;
	assert_true(run(0xbf, 10, 10, 0, 0).goes_on);
	for (unsigned int i = 0; i < 2; i++) {
		struct cast_ways w = run(0xbf, i ? 11 : 0, i ? 0 : 11, 0, 0);

		assert_true(w.has_target && !w.goes_on);
		assert_int_equal(w.target, -1);
	}
}

static void constants_are_loaded_in_two_instructions(void **state)
{
	const struct bpf_function one = { .section = 99, .count = 1, .code = m.code + 16 };

	(void)state;
	assert_int_equal(run_before(0x18, 2, 0, 0, 7, 0).length, 2);
	expect_register(2, CONSTANT(7));
	run_before(0x18, 2, 0, 0, 0, 0);
	expect_register(2, CONSTANT(0));
	/* Too large for a constant here. */
	run_before(0x18, 2, 0, 0, -7, 0);
	expect_register(2, NUMBER);
	run_before(0x18, 2, 0, 0, 7, 1);
	expect_register(2, NUMBER);
	set_register(2, UNKNOWN);
	run_in(&one, 0);
	expect_register(2, NUMBER);
	/* Loads of packets give something that nobody knows. */
	set_register(0, NUMBER);
	set_register(2, NUMBER);
	assert_int_equal(run(0x20, 2, 0, 0, 7).length, 1);
	expect_register(0, UNKNOWN);
	expect_register(2, NUMBER);
}

static void addresses_are_of_variables_and_maps(void **state)
{
	const struct bpf_function *f = bpf_object_function(&object, OM_CODE, 0);
	const struct bpf_variable *typed = bpf_object_variable(&object, OM_BSS, 8);
	const struct bpf_variable *numbers = bpf_object_variable(&object, OM_MAPS, 8);

	(void)state;
	assert_true(f && typed && numbers);
	assert_int_equal(run_in(f, 2).length, 2);
	expect_register(2, POINTER(typed->type, CAST_ANY, 4));
	run_in(f, 4);
	expect_register(2, POINTER(typed->type, CAST_ANY, 4));
	run_in(f, 6);
	expect_register(2, UNKNOWN);
	run_in(f, 8);
	expect_register(2, { .kind = VALUE_MAP, .type = numbers->type });
}

static void calls_without_a_symbol_are_relative(void **state)
{
	const struct bpf_function *f = bpf_object_function(&object, OM_CODE, 0);

	(void)state;
	assert_non_null(f);
	run_in(f, 1);
	expect_register(0, POINTER(m.node, CAST_ANY, 0));
	/* No function begins there. */
	run(0x85, 0, 1, 0, 3);
	expect_register(0, UNKNOWN);
}

/* Twice each instruction: until all is settled, and for what it tells. The store is the third. */
static void a_budget_of_instructions_is_used_up(void **state)
{
	uint8_t code[] = { 0xb7, 4,    0, 0, 5, 0, 0, 0, 0xbf, 0x13, 0, 0, 0, 0, 0, 0,
			   0x7b, 0x43, 0, 0, 0, 0, 0, 0, 0x95, 0,    0, 0, 0, 0, 0, 0 };
	const struct bpf_function f = { .section = 99, .count = 4, .type = m.visit, .code = code };
	static const struct {
		size_t steps, left, fields;
	} rows[] = {
		{ 100, 92, 1 }, { 8, 0, 1 }, { 7, 0, 1 }, { 6, 0, 0 }, { 3, 0, 0 }, { 0, 0, 0 }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t steps = rows[i].steps;

		assert_int_equal(cast_flow_run(&known, &f, &steps), 0);
		assert_int_equal(steps, rows[i].left);
		expect_fields(rows[i].fields, rows[i].fields);
	}
	/* One without an end, or with a jump out of it, tells nothing at all. */
	for (int what = 0; what < 3; what++) {
		size_t steps = 100;

		memset(code + 24, 0, 8);
		code[24] = what ? 0x05 : 0xb7;
		code[26] = what == 1 ? 0 : 0xfb;
		code[27] = what == 1 ? 0 : 0xff;
		assert_int_equal(cast_flow_run(&known, &f, &steps), 0);
		expect_fields(0, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STEP_TEST(ways_that_meet_keep_what_both_have),
		STEP_TEST(a_function_begins_with_its_arguments),
		STEP_TEST(sums_are_known_as_far_as_they_go),
		STEP_TEST(moves_keep_what_they_move),
		STEP_TEST(casts_lead_into_the_arena),
		STEP_TEST(jumps_go_on_and_elsewhere),
		STEP_TEST(registers_end_at_ten),
		STEP_TEST(constants_are_loaded_in_two_instructions),
		STEP_TEST(addresses_are_of_variables_and_maps),
		STEP_TEST(calls_without_a_symbol_are_relative),
		STEP_TEST(a_budget_of_instructions_is_used_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

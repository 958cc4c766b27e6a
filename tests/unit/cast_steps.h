/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions of an object, one by one, and what is in registers and on the stack then. */
#ifndef KTSTR_TESTS_CAST_STEPS_H
#define KTSTR_TESTS_CAST_STEPS_H

#include "cast_scene.h"

static struct bpf_object object;
static struct evidence known;
static struct cast_state state_now;
static bool is_telling;

/* Types and maps of the usual object; instructions are given one by one. */
static inline int open_object(void **state)
{
	set_up(state);
	m.op = bm_type(&m.types, "op", BTF_FUNC << 24,
		       bm_proto(&m.types, bm_ptr(&m.types, m.node), 0));
	om_move(&m, 6, 6);
	om_insn(&m, 0x85, 0, 1, 0, -2); /* calls its own beginning */
	om_address(&m, 2, OM_SYM_TYPED, 4);
	om_address(&m, 2, OM_SYM_BSS, 12);
	om_address(&m, 2, OM_SYM_BSS, 100);
	om_address(&m, 2, OM_SYM_NUMBERS, 0);
	om_exit(&m);
	om_end(&m);
	assert_int_equal(bpf_object_open(&object, m.file, m.file_len), 0);
	assert_int_equal(evidence_open(&known, &object, NULL), 0);
	memset(&state_now, 0, sizeof(state_now));
	is_telling = true;
	return 0;
}

static inline int close_object(void **state)
{
	evidence_close(&known);
	bpf_object_close(&object);
	return tear_down(state);
}

#define STEP_TEST(name) cmocka_unit_test_setup_teardown(name, open_object, close_object)

#define STACK(at)                                   \
	{                                           \
		.kind = VALUE_STACK, .offset = (at) \
	}
#define CONSTANT(n)                                   \
	{                                             \
		.kind = VALUE_CONSTANT, .offset = (n) \
	}
#define POINTER(t, s, at)                                                        \
	{                                                                        \
		.kind = VALUE_POINTER, .type = (t), .space = (s), .offset = (at) \
	}
#define FIELD(t, at, by)                                                        \
	{                                                                       \
		.kind = VALUE_FIELD, .type = (t), .offset = (at), .shift = (by) \
	}
#define NUMBER                       \
	{                            \
		.kind = VALUE_NUMBER \
	}
#define UNKNOWN \
	{       \
	}
#define DEAD                       \
	{                          \
		.kind = VALUE_DEAD \
	}

static inline struct cast_ways run_in(const struct bpf_function *f, uint32_t at)
{
	struct cast_step step = { .object = &object,
				  .function = f,
				  .known = &known,
				  .is_telling = is_telling,
				  .at = at };

	return cast_state_step(&state_now, &step);
}

/* An instruction of no known function, followed by one with this constant. */
static inline struct cast_ways run_before(uint8_t code, unsigned int dst, unsigned int src,
					  int16_t offset, int32_t imm, int32_t next)
{
	uint8_t bytes[16] = { code, (uint8_t)(src << 4 | dst) };
	const struct bpf_function f = { .section = 99, .count = 2, .code = bytes };

	memcpy(bytes + 2, &offset, 2);
	memcpy(bytes + 4, &imm, 4);
	memcpy(bytes + 12, &next, 4);
	return run_in(&f, 0);
}

static inline struct cast_ways run(uint8_t code, unsigned int dst, unsigned int src, int16_t offset,
				   int32_t imm)
{
	return run_before(code, dst, src, offset, imm, 0);
}

static inline void expect_content(const struct cast_value *v, struct cast_value expected)
{
	if (v->kind != expected.kind || v->space != expected.space || v->type != expected.type ||
	    v->offset != expected.offset || v->shift != expected.shift ||
	    v->is_cast != expected.is_cast)
		fail_msg("kind %u space %u type %u offset %d shift %d, not %u %u %u %d %d", v->kind,
			 v->space, v->type, v->offset, v->shift, expected.kind, expected.space,
			 expected.type, expected.offset, expected.shift);
}

#define expect_register(i, ...) \
	expect_content(&state_now.registers[i], (struct cast_value)__VA_ARGS__)
#define set_register(i, ...) (state_now.registers[i] = (struct cast_value)__VA_ARGS__)

/* Whether a field is known, and whether it is still one that may be a pointer. */
static inline void expect_fields(size_t count, size_t dropped)
{
	size_t found = 0;

	assert_int_equal(known.fields.count, count);
	vec_each(const struct cast_field, f, &known.fields)
		found += f->is_dropped;
	assert_int_equal(found, dropped);
	known.fields.count = 0;
	for (size_t i = 0; i < known.table.count; i++)
		known.table.items[i] = UINT32_MAX;
}

#endif

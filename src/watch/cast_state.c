// SPDX-License-Identifier: GPL-2.0-only
/* Arithmetic, jumps, and joins. */
#include "watch/cast.h"

/* Classes, operations and sources of the instruction set. */
enum {
	CLASS_LD = 0,
	CLASS_LDX = 1,
	CLASS_ST = 2,
	CLASS_STX = 3,
	CLASS_ALU = 4,
	CLASS_JMP = 5,
	CLASS_JMP32 = 6,
	CLASS_ALU64 = 7,
	OP_ADD = 0x00,
	OP_MOV = 0xb0,
	OP_JA = 0x00,
	OP_JEQ = 0x10,
	OP_JNE = 0x50,
	OP_CALL = 0x80,
	OP_EXIT = 0x90,
	OP_JCOND = 0xe0,
	FROM_REGISTER = 0x08,
	MODE_ATOMIC = 0xc0,
	WIDE = 0x18, /* a 64-bit immediate in two instructions */
	CAST_TO_KERNEL = 1,
	CAST_TO_USER = 1 << 16,
};

struct cast_value cast_value_of(const struct btf *types, uint32_t type, enum cast_space space)
{
	uint32_t pointee = cast_pointee(types, type);

	return pointee ? (struct cast_value){ .kind = VALUE_POINTER,
					      .space = (uint8_t)space,
					      .type = pointee } :
			 (struct cast_value){};
}

/* The value is used in a way that excludes a pointer. */
static void is_number(const struct cast_step *step, const struct cast_value *v)
{
	if (v->kind == VALUE_FIELD && step->is_telling)
		evidence_number(step->known, v->type, (uint32_t)v->offset);
}

void cast_forget_slots(struct cast_state *s, int64_t from, int64_t to)
{
	for (int64_t i = 0; i < SLOTS; i++) {
		int64_t begin = (i - SLOTS) * 8;

		if (begin < to && begin + 8 > from)
			s->slots[i] = (struct cast_value){};
	}
}

/* ---- entry and joins ---- */

void cast_state_enter(struct cast_state *s, const struct bpf_object *o,
		      const struct bpf_function *f)
{
	struct btf_parameter p;

	*s = (struct cast_state){};
	for (int i = 0; i < FRAME; i++)
		s->registers[i].kind = VALUE_DEAD;
	s->registers[FRAME].kind = VALUE_STACK;
	if (f->context) {
		s->registers[1] = (struct cast_value){ .kind = VALUE_CONTEXT, .type = f->context };
		return;
	}
	for (size_t i = 0; i < 5 && btf_parameter_at(&o->types, f->type, i, &p); i++)
		s->registers[i + 1] = cast_value_of(&o->types, p.type, CAST_ANY);
}

static bool is_same(const struct cast_value *a, const struct cast_value *b)
{
	return a->kind == b->kind && a->space == b->space && a->is_cast == b->is_cast &&
	       a->type == b->type && a->offset == b->offset && a->shift == b->shift;
}

static bool is_null(const struct cast_value *v)
{
	return v->kind == VALUE_CONSTANT && !v->offset;
}

static bool may_be_null(const struct cast_value *v)
{
	return v->kind == VALUE_POINTER || v->kind == VALUE_FIELD;
}

static bool is_plain(const struct cast_value *v)
{
	return v->kind == VALUE_CONSTANT || v->kind == VALUE_NUMBER;
}

static struct cast_value join(const struct cast_value *a, const struct cast_value *b)
{
	struct cast_value v = *a;

	if (is_same(a, b))
		return v;
	if (a->kind == VALUE_DEAD || b->kind == VALUE_DEAD)
		return (struct cast_value){ .kind = VALUE_DEAD };
	if (a->kind == VALUE_STACK || b->kind == VALUE_STACK)
		return (struct cast_value){ .kind = VALUE_STACK, .offset = VALUE_ANYWHERE };
	if (is_null(a) && may_be_null(b))
		return *b;
	if (is_null(b) && may_be_null(a))
		return v;
	if (is_plain(a) && is_plain(b))
		return (struct cast_value){ .kind = VALUE_NUMBER };
	/* The same type in different address spaces: the space becomes unknown. */
	v.space = b->space;
	if (v.kind != VALUE_POINTER || !is_same(&v, b))
		return (struct cast_value){};
	v.space = CAST_ANY;
	return v;
}

static bool join_into(struct cast_value *old, const struct cast_value *new)
{
	struct cast_value v = join(old, new);
	bool has_changed = !is_same(&v, old);

	*old = v;
	return has_changed;
}

bool cast_state_join(struct cast_state *old, const struct cast_state *new)
{
	bool has_changed = false;

	for (int i = 0; i < REGISTERS; i++)
		has_changed |= join_into(&old->registers[i], &new->registers[i]);
	for (int i = 0; i < SLOTS; i++)
		has_changed |= join_into(&old->slots[i], &new->slots[i]);
	return has_changed;
}

/* ---- arithmetic ---- */

static struct cast_value moved_by(const struct cast_value *v, int64_t by)
{
	struct cast_value out = *v;
	int32_t *part = v->kind == VALUE_FIELD ? &out.shift : &out.offset;

	switch (v->kind) {
	case VALUE_STACK:
		if (v->offset == VALUE_ANYWHERE)
			return out;
		break;
	case VALUE_CONSTANT:
	case VALUE_POINTER:
	case VALUE_FIELD:
	case VALUE_CONTEXT:
		break;
	case VALUE_NUMBER:
		return out;
	default:
		return (struct cast_value){};
	}
	by += *part;
	if (by <= INT32_MIN || by > INT32_MAX)
		return (struct cast_value){ .kind = v->kind == VALUE_STACK ? VALUE_STACK :
									     VALUE_UNKNOWN,
					    .offset = VALUE_ANYWHERE };
	*part = (int32_t)by;
	return out;
}

static struct cast_value sum_of(const struct cast_value *a, const struct cast_value *b)
{
	if (b->kind == VALUE_CONSTANT)
		return moved_by(a, b->offset);
	if (a->kind == VALUE_CONSTANT)
		return moved_by(b, a->offset);
	if (a->kind == VALUE_STACK || b->kind == VALUE_STACK)
		return (struct cast_value){ .kind = VALUE_STACK, .offset = VALUE_ANYWHERE };
	return (struct cast_value){};
}

/* An arena cast: converts a user address to a kernel address of the arena, or back. */
static struct cast_value cast_value(const struct cast_step *step, const struct cast_value *v)
{
	struct cast_value out = *v;
	const struct cast_field *f;

	if (v->kind == VALUE_POINTER && v->space == CAST_ANY)
		out.space = CAST_ARENA;
	if (v->kind != VALUE_FIELD)
		return out;
	out.is_cast = true;
	f = evidence_field(step->known, v->type, (uint32_t)v->offset);
	if (f && f->target && f->space != CAST_KERNEL)
		return (struct cast_value){ .kind = VALUE_POINTER,
					    .space = CAST_ARENA,
					    .type = f->target,
					    .offset = v->shift };
	return out;
}

static struct cast_value constant(const struct bpf_instruction *in)
{
	return (struct cast_value){ .kind = VALUE_CONSTANT, .offset = in->imm };
}

static struct cast_value move(const struct cast_step *step, const struct cast_value *v)
{
	const struct bpf_instruction *in = &step->in;

	if ((in->code & 7) != CLASS_ALU64) {
		is_number(step, v);
		if (v->kind == VALUE_CONSTANT && v->offset >= 0)
			return *v;
		return (struct cast_value){ .kind = is_plain(v) ? VALUE_NUMBER : VALUE_UNKNOWN };
	}
	if (!in->offset)
		return *v;
	if (in->offset == 1 && (in->imm == CAST_TO_KERNEL || in->imm == CAST_TO_USER))
		return cast_value(step, v);
	return (struct cast_value){};
}

static void step_alu(struct cast_state *s, struct cast_step *step)
{
	const struct bpf_instruction *in = &step->in;
	struct cast_value *dst = &s->registers[in->dst];
	struct cast_value from = in->code & FROM_REGISTER ? s->registers[in->src] : constant(in);
	uint8_t op = in->code & 0xf0;
	bool is_wide = (in->code & 7) == CLASS_ALU64;

	if (op == OP_MOV) {
		*dst = move(step, &from);
		return;
	}
	if (op == OP_ADD && is_wide) {
		*dst = sum_of(dst, &from);
		return;
	}
	is_number(step, dst);
	is_number(step, &from);
	if (dst->kind == VALUE_STACK || from.kind == VALUE_STACK)
		*dst = (struct cast_value){ .kind = VALUE_STACK, .offset = VALUE_ANYWHERE };
	else
		*dst = (struct cast_value){};
}

/* ---- jumps ---- */

static struct cast_ways step_jump(struct cast_state *s, struct cast_step *step)
{
	const struct bpf_instruction *in = &step->in;
	bool is_wide = (in->code & 7) == CLASS_JMP, has_register = in->code & FROM_REGISTER;
	uint8_t op = in->code & 0xf0;
	struct cast_ways ways = { .goes_on = true, .length = 1, .target = step->at + 1LL };

	if (op == OP_CALL && is_wide) {
		cast_call(s, step);
		return ways;
	}
	if (op == OP_EXIT && is_wide) {
		cast_return(s, step);
		ways.goes_on = false;
		return ways;
	}
	ways.has_target = true;
	ways.target += op == OP_JA && !is_wide ? in->imm : in->offset;
	ways.goes_on = op != OP_JA;
	if (op == OP_JA || op == OP_JCOND)
		return ways;
	/* Pointers may only be compared for equality, with each other and with null. */
	if (!is_wide || (op != OP_JEQ && op != OP_JNE) || (!has_register && in->imm)) {
		is_number(step, &s->registers[in->dst]);
		if (has_register)
			is_number(step, &s->registers[in->src]);
	}
	return ways;
}

struct cast_ways cast_state_step(struct cast_state *s, struct cast_step *step)
{
	struct cast_ways ways = { .goes_on = true, .length = 1 };

	step->in = bpf_instruction_at(step->function, step->at);
	if (step->in.dst >= REGISTERS || step->in.src >= REGISTERS)
		return (struct cast_ways){ .has_target = true, .target = -1 };
	switch (step->in.code & 7) {
	case CLASS_ALU:
	case CLASS_ALU64:
		step_alu(s, step);
		break;
	case CLASS_JMP:
	case CLASS_JMP32:
		return step_jump(s, step);
	case CLASS_LDX:
		cast_load(s, step);
		break;
	case CLASS_STX:
		if ((step->in.code & 0xe0) == MODE_ATOMIC)
			cast_atomic(s, step);
		else
			cast_store(s, step);
		break;
	case CLASS_ST:
		cast_store(s, step);
		break;
	default:
		if (step->in.code == WIDE) {
			cast_load_constant(s, step);
			ways.length = 2;
			break;
		}
		/* Loads from packets, which clobber registers as a call does. */
		s->registers[0] = (struct cast_value){};
	}
	return ways;
}

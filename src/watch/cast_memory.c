// SPDX-License-Identifier: GPL-2.0-only
/* Loads and stores. */
#include "watch/cast.h"

enum {
	MODE_MEM = 0x60,
	MODE_MEM_SIGNED = 0x80,
	CLASS_STX = 3,
	ATOMIC_FETCH = 1,
	ATOMIC_XCHG = 0xe1,
	ATOMIC_CMPXCHG = 0xf1,
};

static uint32_t size_of(const struct bpf_instruction *in)
{
	static const uint32_t sizes[] = { 4, 2, 1, 8 };

	return sizes[in->code >> 3 & 3];
}

/* Value of a 64-bit field, as far as earlier rounds know it. */
static struct cast_value field_value(const struct cast_step *step, const struct cast_leaf *leaf)
{
	const struct cast_field *f = evidence_field(step->known, leaf->owner, leaf->offset);

	if (f && f->target && f->space == CAST_KERNEL)
		return (struct cast_value){ .kind = VALUE_POINTER,
					    .space = CAST_KERNEL,
					    .type = f->target };
	return (struct cast_value){ .kind = VALUE_FIELD,
				    .type = leaf->owner,
				    .offset = (int32_t)leaf->offset };
}

/* Not for members of unions, which are ambiguous, and not for structs of the kernel. */
static bool is_field(const struct cast_step *step, const struct cast_value *base,
		     const struct cast_leaf *leaf)
{
	return base->space != CAST_KERNEL && !leaf->is_shared && leaf->offset <= INT32_MAX &&
	       cast_is_u64(&step->object->types, leaf->type);
}

static bool find_leaf(const struct cast_step *step, const struct cast_value *base, uint32_t size,
		      struct cast_leaf *leaf)
{
	int64_t at = (int64_t)base->offset + step->in.offset;

	return base->kind == VALUE_POINTER && at >= 0 &&
	       cast_leaf_at(step->object, base->type, (uint64_t)at, size, leaf);
}

static struct cast_value load_from_pointer(const struct cast_step *step,
					   const struct cast_value *base, uint32_t size)
{
	struct cast_leaf leaf;

	if (size < 8)
		return (struct cast_value){ .kind = VALUE_NUMBER };
	if (!find_leaf(step, base, size, &leaf))
		return (struct cast_value){};
	if (is_field(step, base, &leaf))
		return field_value(step, &leaf);
	if (leaf.is_shared)
		return (struct cast_value){};
	return cast_value_of(&step->object->types, leaf.type,
			     base->space == CAST_KERNEL ? CAST_KERNEL : CAST_ANY);
}

/*
 * struct_ops functions get their arguments as an array of 64-bit values; pointers are the kernel's.
 */
static struct cast_value load_argument(const struct cast_step *step, const struct cast_value *base)
{
	const struct btf *b = &step->object->types;
	struct btf_type proto = btf_type_at(b, base->type);
	int64_t at = (int64_t)base->offset + step->in.offset;

	if (at < 0 || at % 8 || at / 8 >= (int64_t)btf_count_of(&proto))
		return (struct cast_value){};
	return cast_value_of(b, btf_word_at(b, base->type, 2 * (size_t)(at / 8) + 1), CAST_KERNEL);
}

static struct cast_value *slot_at(struct cast_state *s, int64_t at, uint32_t size)
{
	return size == 8 && at >= -STACK_BYTES && at < 0 && at % 8 == 0 ?
		       &s->slots[at / 8 + SLOTS] :
		       NULL;
}

static struct cast_value load_from_stack(struct cast_state *s, const struct cast_step *step,
					 const struct cast_value *base, uint32_t size)
{
	const struct cast_value *slot = NULL;

	if (base->offset != VALUE_ANYWHERE)
		slot = slot_at(s, (int64_t)base->offset + step->in.offset, size);
	return slot ? *slot : (struct cast_value){};
}

static void tell_access(const struct cast_step *step, const struct cast_value *base, uint32_t size)
{
	if (base->kind == VALUE_FIELD && base->is_cast && step->is_telling)
		evidence_access(step->known, base->type, (uint32_t)base->offset,
				(int64_t)base->shift + step->in.offset, size);
}

/* A CO-RE access reveals the type that its base points to. */
static void learn_base(const struct cast_step *step, struct cast_value *base)
{
	const struct bpf_access *a = bpf_object_access(step->object, step->function, step->at);

	if (a && base->kind == VALUE_UNKNOWN && step->in.offset >= 0 &&
	    (uint32_t)step->in.offset == a->field)
		*base = (struct cast_value){ .kind = VALUE_POINTER,
					     .space = CAST_KERNEL,
					     .type = a->type };
}

void cast_load(struct cast_state *s, struct cast_step *step)
{
	uint8_t mode = step->in.code & 0xe0;
	uint32_t size = size_of(&step->in);
	struct cast_value *base = &s->registers[step->in.src], out = {};

	if (mode == MODE_MEM || mode == MODE_MEM_SIGNED) {
		learn_base(step, base);
		tell_access(step, base, size);
		if (base->kind == VALUE_POINTER)
			out = load_from_pointer(step, base, size);
		else if (base->kind == VALUE_CONTEXT && size == 8)
			out = load_argument(step, base);
		else if (base->kind == VALUE_STACK)
			out = load_from_stack(s, step, base, size);
		else if (size < 8)
			out.kind = VALUE_NUMBER;
	}
	s->registers[step->in.dst] = out;
}

static bool is_named_struct(const struct btf *b, uint32_t type)
{
	struct btf_type t = btf_type_at(b, type);

	return (btf_kind_of(&t) == BTF_STRUCT || btf_kind_of(&t) == BTF_FWD) &&
	       *btf_name_at(b, t.name);
}

/* Named struct that a pointer to a variable or a map's value points to; 0 = none. */
static uint32_t struct_of(const struct bpf_object *o, uint32_t type)
{
	const struct btf *b = &o->types;
	struct btf_type t = btf_type_at(b, type);

	if (btf_kind_of(&t) == BTF_VAR)
		type = btf_skip_modifiers(b, t.size_or_type);
	return is_named_struct(b, type) ? type : 0;
}

void cast_store_field(struct cast_step *step, const struct cast_leaf *leaf,
		      const struct cast_value *v)
{
	struct evidence *e = step->known;
	uint32_t type;

	if (!step->is_telling)
		return;
	switch (v->kind) {
	case VALUE_POINTER:
		type = v->offset ? 0 : struct_of(step->object, v->type);
		/* Into the middle of an object, or to an unnamed type: no type can be given. */
		if (type)
			evidence_stored(e, leaf->owner, leaf->offset, type, v->space);
		else
			evidence_number(e, leaf->owner, leaf->offset);
		break;
	case VALUE_CONSTANT:
		if (!v->offset)
			(void)evidence_field(e, leaf->owner, leaf->offset);
		else
			evidence_number(e, leaf->owner, leaf->offset);
		break;
	case VALUE_NUMBER:
	case VALUE_STACK:
	case VALUE_MAP:
	case VALUE_CONTEXT:
		evidence_number(e, leaf->owner, leaf->offset);
		break;
	default:
		(void)evidence_field(e, leaf->owner, leaf->offset);
	}
}

/* Stores to a part of a field: so it is not a pointer. */
static void store_part(struct cast_step *step, const struct cast_value *base)
{
	int64_t at = (int64_t)base->offset + step->in.offset;
	struct cast_leaf leaf;

	if (at < 0 || !step->is_telling ||
	    !cast_leaf_at(step->object, base->type, (uint64_t)at & ~7ULL, 8, &leaf))
		return;
	if (is_field(step, base, &leaf))
		evidence_number(step->known, leaf.owner, leaf.offset);
}

static void store_value(struct cast_state *s, struct cast_step *step, const struct cast_value *base,
			const struct cast_value *v)
{
	uint32_t size = size_of(&step->in);
	int64_t at = (int64_t)base->offset + step->in.offset;
	struct cast_value *slot;
	struct cast_leaf leaf;

	tell_access(step, base, size);
	if (base->kind == VALUE_POINTER && size < 8)
		store_part(step, base);
	else if (base->kind == VALUE_POINTER && find_leaf(step, base, size, &leaf) &&
		 is_field(step, base, &leaf))
		cast_store_field(step, &leaf, v);
	if (base->kind != VALUE_STACK)
		return;
	if (base->offset == VALUE_ANYWHERE) {
		cast_forget_slots(s, -STACK_BYTES, 0);
		return;
	}
	cast_forget_slots(s, at, at + size);
	slot = slot_at(s, at, size);
	if (slot)
		*slot = *v;
}

void cast_store(struct cast_state *s, struct cast_step *step)
{
	const struct bpf_instruction *in = &step->in;
	struct cast_value v = { .kind = VALUE_CONSTANT, .offset = in->imm };
	struct cast_value base = s->registers[in->dst];

	if ((in->code & 7) == CLASS_STX)
		v = s->registers[in->src];
	store_value(s, step, &base, &v);
}

/* An exchange stores its operand; arithmetic operations mean that the field is a number. */
void cast_atomic(struct cast_state *s, struct cast_step *step)
{
	const struct bpf_instruction *in = &step->in;
	struct cast_value base = s->registers[in->dst], v = { .kind = VALUE_NUMBER };
	bool is_exchange = in->imm == ATOMIC_XCHG || in->imm == ATOMIC_CMPXCHG;

	if (is_exchange)
		v = s->registers[in->src];
	store_value(s, step, &base, &v);
	/* Concurrent writes are unknown. */
	if (base.kind == VALUE_STACK)
		cast_forget_slots(s, -STACK_BYTES, 0);
	if (in->imm == ATOMIC_CMPXCHG)
		s->registers[0] = (struct cast_value){};
	else if (in->imm & ATOMIC_FETCH)
		s->registers[in->src] = (struct cast_value){};
}

/* ---- addresses in instructions ---- */

static struct cast_value reference(const struct cast_step *step, const Elf64_Sym *symbol)
{
	const struct bpf_variable *v;
	uint64_t at = symbol->st_value;

	if (ELF64_ST_TYPE(symbol->st_info) == STT_SECTION)
		at += (uint32_t)step->in.imm;
	v = bpf_object_variable(step->object, symbol->st_shndx, at);
	if (!v)
		return (struct cast_value){};
	if (v->is_map)
		return (struct cast_value){ .kind = VALUE_MAP, .type = v->type };
	at -= v->start;
	if (ELF64_ST_TYPE(symbol->st_info) != STT_SECTION)
		at += (uint32_t)step->in.imm;
	if (at > INT32_MAX)
		return (struct cast_value){};
	return (struct cast_value){ .kind = VALUE_POINTER, .type = v->type, .offset = (int32_t)at };
}

void cast_load_constant(struct cast_state *s, struct cast_step *step)
{
	struct cast_value *dst = &s->registers[step->in.dst];
	Elf64_Sym symbol;

	*dst = (struct cast_value){ .kind = VALUE_NUMBER };
	if (bpf_object_symbol(step->object, step->function, step->at, &symbol))
		*dst = reference(step, &symbol);
	else if (step->at + 1 < step->function->count &&
		 !bpf_instruction_at(step->function, step->at + 1).imm && step->in.imm >= 0)
		*dst = (struct cast_value){ .kind = VALUE_CONSTANT, .offset = step->in.imm };
}

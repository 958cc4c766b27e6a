// SPDX-License-Identifier: GPL-2.0-only
/* Calls of the program's own functions, of kfuncs, and of helpers. */
#include "watch/cast.h"

#define ARGUMENTS 5

/* From enum bpf_func_id in linux/bpf.h. */
enum {
	HELPER_MAP_LOOKUP = 1,
	HELPER_MAP_UPDATE = 2,
	HELPER_KTIME_NS = 5,
	HELPER_PRANDOM = 7,
	HELPER_PROCESSOR = 8,
	HELPER_PID_TGID = 14,
	HELPER_CURRENT_TASK = 35,
	HELPER_KTIME_BOOT_NS = 125,
	HELPER_TASK_STORAGE = 156,
	HELPER_CURRENT_TASK_BTF = 158,
	HELPER_KTIME_COARSE_NS = 160,
	HELPER_MAP_LOOKUP_PERCPU = 195,
	HELPER_CGRP_STORAGE = 210,
};

/* The called function: a FUNC, or a helper. */
struct callee {
	uint32_t type; /* 0 = a helper, or unknown */
	bool is_kernel;
	int32_t helper; /* 0 = none */
};

static struct callee find_callee(const struct cast_step *step)
{
	const struct bpf_object *o = step->object;
	const struct bpf_function *f;
	Elf64_Sym symbol;
	uint64_t at;

	if (!step->in.src)
		return (struct callee){ .helper = step->in.imm };
	if (!bpf_object_symbol(o, step->function, step->at, &symbol)) {
		/* In the same section, relative to the instruction. */
		at = step->function->start +
		     (uint64_t)(step->at + 1LL + step->in.imm) * BPF_INSTRUCTION_BYTES;
		f = bpf_object_function(o, step->function->section, at);
		return (struct callee){ .type = f ? f->type : 0 };
	}
	if (symbol.st_shndx == SHN_UNDEF) {
		const char *name = bpf_object_name(o, &symbol);

		return (struct callee){ .type = btf_find(&o->types, BTF_FUNC, name, strlen(name)),
					.is_kernel = true };
	}
	at = symbol.st_value;
	if (ELF64_ST_TYPE(symbol.st_info) == STT_SECTION)
		at += (uint64_t)(step->in.imm + 1LL) * BPF_INSTRUCTION_BYTES;
	f = bpf_object_function(o, symbol.st_shndx, at);
	return (struct callee){ .type = f ? f->type : 0 };
}

static struct cast_value task_pointer(const struct bpf_object *o)
{
	static const char name[] = "task_struct";
	uint32_t type = btf_find(&o->types, BTF_STRUCT, name, sizeof(name) - 1);

	return type ? (struct cast_value){ .kind = VALUE_POINTER,
					   .space = CAST_KERNEL,
					   .type = type } :
		      (struct cast_value){};
}

/* A pointer to a value of the map: its struct type if it has a name, else the map itself. */
static struct cast_value map_value(const struct bpf_object *o, const struct cast_value *map)
{
	uint32_t type;
	struct btf_type t;

	if (map->kind != VALUE_MAP)
		return (struct cast_value){};
	type = cast_map_value(o, map->type);
	t = btf_type_at(&o->types, type);
	if (!type)
		return (struct cast_value){};
	return (struct cast_value){ .kind = VALUE_POINTER,
				    .type = btf_kind_of(&t) == BTF_STRUCT &&
							    *btf_name_at(&o->types, t.name) ?
						    type :
						    map->type };
}

static struct cast_value result_of_helper(const struct cast_state *s, const struct bpf_object *o,
					  int32_t helper)
{
	switch (helper) {
	case HELPER_MAP_LOOKUP:
	case HELPER_MAP_LOOKUP_PERCPU:
	case HELPER_TASK_STORAGE:
	case HELPER_CGRP_STORAGE:
		return map_value(o, &s->registers[1]);
	case HELPER_CURRENT_TASK:
	case HELPER_CURRENT_TASK_BTF:
		return task_pointer(o);
	case HELPER_KTIME_NS:
	case HELPER_KTIME_BOOT_NS:
	case HELPER_KTIME_COARSE_NS:
	case HELPER_PRANDOM:
	case HELPER_PROCESSOR:
	case HELPER_PID_TGID:
		return (struct cast_value){ .kind = VALUE_NUMBER };
	default:
		return (struct cast_value){};
	}
}

/* bpf_map_update_elem(): the value is on the stack; checks it word by word. */
static void store_to_map(const struct cast_state *s, struct cast_step *step)
{
	const struct cast_value *map = &s->registers[1], *from = &s->registers[3];
	struct cast_value value = map_value(step->object, map);

	if (value.kind != VALUE_POINTER || from->kind != VALUE_STACK ||
	    from->offset == VALUE_ANYWHERE || from->offset % 8)
		return;
	for (int32_t at = from->offset; at < 0 && at >= -STACK_BYTES; at += 8) {
		struct cast_leaf leaf;

		if (cast_leaf_at(step->object, value.type, (uint64_t)(at - from->offset), 8,
				 &leaf) &&
		    !leaf.is_shared && leaf.offset <= INT32_MAX &&
		    cast_is_u64(&step->object->types, leaf.type))
			cast_store_field(step, &leaf, &s->slots[at / 8 + SLOTS]);
	}
}

/* An integer passed as a typed pointer is a pointer. */
static void tell_arguments(const struct cast_state *s, const struct cast_step *step,
			   const struct callee *c)
{
	struct btf_parameter p;

	for (size_t i = 0; i < ARGUMENTS && btf_parameter_at(&step->object->types, c->type, i, &p);
	     i++) {
		const struct cast_value *v = &s->registers[i + 1];
		uint32_t pointee = cast_pointee(&step->object->types, p.type);

		if (v->kind != VALUE_FIELD || v->shift || !pointee)
			continue;
		evidence_typed(step->known, v->type, (uint32_t)v->offset, pointee,
			       c->is_kernel ? CAST_KERNEL :
			       v->is_cast   ? CAST_ARENA :
					      CAST_ANY);
	}
}

/* A callee may write to stack slots whose address it gets, and to what they point to. */
static void forget_given_slots(struct cast_state *s)
{
	int64_t lowest = 0;
	bool is_nested = false;

	for (int i = 1; i <= ARGUMENTS; i++)
		if (s->registers[i].kind == VALUE_STACK)
			lowest = MIN(lowest, s->registers[i].offset);
	for (int i = 0; i < SLOTS && lowest; i++)
		is_nested |= s->slots[i].kind == VALUE_STACK;
	if (lowest)
		cast_forget_slots(s, is_nested ? -STACK_BYTES : lowest, 0);
}

void cast_call(struct cast_state *s, struct cast_step *step)
{
	const struct btf *types = &step->object->types;
	struct callee c = find_callee(step);
	struct cast_value result = {};

	if (c.type && step->is_telling)
		tell_arguments(s, step, &c);
	if (c.helper == HELPER_MAP_UPDATE)
		store_to_map(s, step);
	if (c.type)
		result = cast_value_of(types, btf_result_of(types, c.type),
				       c.is_kernel ? CAST_KERNEL : CAST_ANY);
	else
		result = result_of_helper(s, step->object, c.helper);
	forget_given_slots(s);
	s->registers[0] = result;
	for (int i = 1; i <= ARGUMENTS; i++)
		s->registers[i] = (struct cast_value){ .kind = VALUE_DEAD };
}

/* An integer returned as a typed pointer is a pointer. */
void cast_return(struct cast_state *s, struct cast_step *step)
{
	const struct cast_value *v = &s->registers[0];
	uint32_t pointee = cast_pointee(&step->object->types,
					btf_result_of(&step->object->types, step->function->type));

	if (v->kind == VALUE_FIELD && !v->shift && pointee && step->is_telling)
		evidence_typed(step->known, v->type, (uint32_t)v->offset, pointee,
			       v->is_cast ? CAST_ARENA : CAST_ANY);
}

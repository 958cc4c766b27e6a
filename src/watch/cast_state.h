/* SPDX-License-Identifier: GPL-2.0-only */
/* What a register or a stack slot holds, and what an instruction makes of it. */
#ifndef KTSTR_WATCH_CAST_STATE_H
#define KTSTR_WATCH_CAST_STATE_H

#include "watch/cast_evidence.h"

enum value_kind {
	VALUE_UNKNOWN,
	VALUE_DEAD,	/* nobody may read it */
	VALUE_NUMBER,	/* certainly no pointer */
	VALUE_CONSTANT, /* offset */
	VALUE_POINTER,	/* offset bytes into a struct, union, declaration or VAR */
	VALUE_FIELD,	/* loaded from the field at offset of type; shift was added */
	VALUE_CONTEXT,	/* of an operation: type is its prototype */
	VALUE_MAP,	/* type is its VAR */
	VALUE_STACK,	/* offset from its end, or VALUE_ANYWHERE */
};

#define VALUE_ANYWHERE INT32_MIN

struct cast_value {
	uint8_t kind, space; /* space: enum cast_space, of a pointer */
	bool is_cast;	     /* of a field: the code has made an arena's address of it */
	uint32_t type;
	int32_t offset, shift;
};

#define REGISTERS 11
#define FRAME 10
#define SLOTS 64 /* of 8 bytes */
#define STACK_BYTES 512

struct cast_state {
	struct cast_value registers[REGISTERS];
	struct cast_value slots[SLOTS];
};

/* Where an instruction leads. */
struct cast_ways {
	bool goes_on;	 /* to the next one */
	uint32_t length; /* of the instruction: where the next one is */
	bool has_target;
	int64_t target;
};

/* One function while it is looked at. */
struct cast_step {
	const struct bpf_object *object;
	const struct bpf_function *function;
	struct evidence *known; /* what earlier rounds have found */
	bool is_telling;	/* what is seen goes there, too */
	uint32_t at;
	struct bpf_instruction in;
};

void cast_state_enter(struct cast_state *s, const struct bpf_object *o,
		      const struct bpf_function *f);

/* Changes the state as the instruction does. */
struct cast_ways cast_state_step(struct cast_state *s, struct cast_step *step);

/* Where two ways meet. Returns whether `old` has changed. */
bool cast_state_join(struct cast_state *old, const struct cast_state *new);

/* The parts of cast_state_step() that are in cast_call.c and cast_memory.c. */
void cast_call(struct cast_state *s, struct cast_step *step);
void cast_return(struct cast_state *s, struct cast_step *step);
void cast_load(struct cast_state *s, struct cast_step *step);
void cast_store(struct cast_state *s, struct cast_step *step);
void cast_atomic(struct cast_state *s, struct cast_step *step);
void cast_load_constant(struct cast_state *s, struct cast_step *step);

/* A value of this type; unknown where it is not a pointer to something with parts. */
struct cast_value cast_value_of(const struct btf *types, uint32_t type, enum cast_space space);
/* It is used as no pointer is. */
void cast_is_number(const struct cast_step *step, const struct cast_value *v);
void cast_forget_slots(struct cast_state *s, int64_t from, int64_t to);
/* A value is stored to a field. */
void cast_store_field(struct cast_step *step, const struct cast_leaf *leaf,
		      const struct cast_value *v);

#endif

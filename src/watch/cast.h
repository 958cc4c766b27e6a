/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types that a scheduler keeps in numbers: the BPF objects in its binary, and what their code tells
 * about fields of 64 bits. For cast_*.c and bpf_object.c only.
 */
#ifndef KTSTR_WATCH_CAST_H
#define KTSTR_WATCH_CAST_H

#include "base/elf_view.h"
#include "watch/parts.h"

/*
 * bpf_object.c: A BPF object file as a compiler wrote it: functions, what their instructions refer
 * to, variables and maps with their types. It may come out of any binary: nothing in it is trusted.
 */

/* Of the instruction set, see the kernel's Documentation/bpf/standardization. */
struct bpf_instruction {
	uint8_t code, dst, src;
	int16_t offset;
	int32_t imm;
};

#define BPF_INSTRUCTION_BYTES 8

struct bpf_function {
	uint32_t section, start, count; /* of instructions */
	uint32_t type;			/* FUNC; 0 = not known */
	uint32_t context;		/* FUNC_PROTO of the operation that it is; 0 = of none */
	const uint8_t *code;
};

struct bpf_variable {
	uint32_t section, start, size; /* bytes */
	uint32_t type;		       /* VAR */
	bool is_map;
};

/* What an instruction or a pointer in data refers to. */
struct bpf_reference {
	uint32_t section, offset; /* whose it is, in bytes */
	uint32_t symbol;
};

/* A field of the kernel that an instruction reads, by its name. */
struct bpf_access {
	uint32_t section, offset; /* of the instruction, in bytes */
	uint32_t type, field;	  /* field: where it is in the object's own type */
};

struct bpf_object {
	struct elf_view elf;
	struct btf types; /* looks into the caller's bytes, as all else */
	const uint8_t *symbols;
	uint32_t symbol_count, names_section;
	VEC(struct bpf_function) functions;
	VEC(struct bpf_variable) variables;
	VEC(struct bpf_reference) references; /* sorted */
	VEC(struct bpf_access) accesses;      /* sorted */
};

/* -EINVAL with a message where it is not one with types, or a damaged one; -ENOMEM. */
int bpf_object_open(struct bpf_object *o, const void *data, size_t len);
void bpf_object_close(struct bpf_object *o);

#define _bpf_object_ _cleanup_(bpf_object_close)

struct bpf_instruction bpf_instruction_at(const struct bpf_function *f, uint32_t i);

/* The symbol that the i-th instruction refers to; false = none. */
bool bpf_object_symbol(const struct bpf_object *o, const struct bpf_function *f, uint32_t i,
		       Elf64_Sym *out);
const char *bpf_object_name(const struct bpf_object *o, const Elf64_Sym *symbol);

/* The variable or map at this place of a section; NULL = none. */
const struct bpf_variable *bpf_object_variable(const struct bpf_object *o, uint32_t section,
					       uint64_t offset);
/* The function that begins there. */
const struct bpf_function *bpf_object_function(const struct bpf_object *o, uint32_t section,
					       uint64_t offset);
/* NULL = the i-th instruction reads no field by its name. */
const struct bpf_access *bpf_object_access(const struct bpf_object *o, const struct bpf_function *f,
					   uint32_t i);

/*
 * The next BPF object in a file from *at on, or the file itself where it is one. False = there is no
 * other; *at is behind its beginning then.
 */
bool bpf_object_next(const uint8_t *data, size_t len, size_t *at, size_t *found);

/* cast_types.c: What lies at an offset of a struct, a variable or a map's value. */

/* A value without parts, and what it belongs to: see enum cast_owner. */
struct cast_leaf {
	uint32_t type;		/* without qualifiers */
	uint32_t owner, offset; /* a struct, or a VAR; the offset is in it */
	bool is_shared;		/* in a union */
};

/* False = nothing of just this size begins there. type: a struct, union or VAR. */
bool cast_leaf_at(const struct bpf_object *o, uint32_t type, uint64_t offset, uint64_t size,
		  struct cast_leaf *out);

/* The type of a map's values; 0 = not known. var: the map's. */
uint32_t cast_map_value(const struct bpf_object *o, uint32_t var);

/* What a pointer leads to: a struct, union or declaration; 0 = something else. */
uint32_t cast_pointee(const struct btf *types, uint32_t type);

/* An unsigned number of 64 bits. */
bool cast_is_u64(const struct btf *types, uint32_t type);

/*
 * cast_evidence.c: What the code of one object tells about its fields of 64 bits. Whatever does not
 * go together drops a field for good: a pointer that is missed costs a look at the dump, one that
 * is none misleads.
 */

#define CAST_MAX_ACCESSES 64

struct cast_access {
	int32_t offset;
	uint32_t size;
};

struct cast_field {
	uint32_t owner, offset; /* see struct cast_leaf */
	bool is_dropped;
	uint32_t type; /* of a typed pointer; 0 = none was seen */
	enum cast_space space;
	struct cast_access accesses[CAST_MAX_ACCESSES]; /* through the number, in an arena */
	size_t access_count;
	uint32_t target; /* what it is a pointer to, after evidence_judge(); 0 = not known */
};

struct evidence {
	const struct bpf_object *object;
	const struct btf *kernel; /* or NULL */
	VEC(struct cast_field) fields;
	VEC(uint32_t)
	table; /* of fields by owner and offset, open addressing; UINT32_MAX = empty */
	uint8_t *is_candidate; /* by type: structs that may lie in an arena */
	int rc;
};

int evidence_open(struct evidence *e, const struct bpf_object *object, const struct btf *kernel);
void evidence_close(struct evidence *e);

#define _evidence_ _cleanup_(evidence_close)

/* The field was seen; NULL = there is no room for it. */
struct cast_field *evidence_field(struct evidence *e, uint32_t owner, uint32_t offset);

/* A pointer of this type was stored there. */
void evidence_stored(struct evidence *e, uint32_t owner, uint32_t offset, uint32_t type,
		     enum cast_space space);
/* What was loaded from there is one. */
void evidence_typed(struct evidence *e, uint32_t owner, uint32_t offset, uint32_t type,
		    enum cast_space space);
/* It is used as no pointer is. */
void evidence_number(struct evidence *e, uint32_t owner, uint32_t offset);
/* What was loaded from there is an address in an arena, so many bytes from which something is read. */
void evidence_access(struct evidence *e, uint32_t owner, uint32_t offset, int64_t at,
		     uint32_t size);

/* Decides about all fields. Returns how many have a target that had none. */
size_t evidence_judge(struct evidence *e);

/* Adds what is known to a table; what contradicts the table is known no longer. */
int evidence_add(const struct evidence *e, struct casts *out);

/*
 * cast_flow.c: What registers and stack slots of a function hold, as far as types are concerned,
 * from its beginning on. Where ways meet a value stays known that is the same on all of them. What
 * loads, stores and calls tell about fields of 64 bits goes to the evidence, once nothing changes
 * any more.
 */

/*
 * steps: instructions that may still be looked at. A function that is too long, or is no function,
 * tells nothing. -ENOMEM only.
 */
int cast_flow_run(struct evidence *e, const struct bpf_function *f, size_t *steps);

/* cast_state.c: What a register or a stack slot holds, and what an instruction makes of it. */

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
void cast_forget_slots(struct cast_state *s, int64_t from, int64_t to);
/* A value is stored to a field. */
void cast_store_field(struct cast_step *step, const struct cast_leaf *leaf,
		      const struct cast_value *v);

/*
 * cast_analysis.c: Types that a scheduler keeps in numbers: its binary holds the BPF objects that
 * it loads, and their code tells which fields of 64 bits are pointers, and to what.
 */

/*
 * Of all objects in these bytes, which must stay: the types of the table look into them. An object that
 * is damaged tells nothing. kernel: the types of the kernel, or NULL: structs that it knows lie in
 * no arena. -ENOMEM only.
 */
int cast_analysis(const void *data, size_t len, const struct btf *kernel, struct casts *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pointers that a scheduler stores in integers: the BPF objects in its binary, and what their code
 * reveals about 64-bit fields. For cast_*.c and bpf_object.c only.
 */
#ifndef KTSTR_WATCH_CAST_H
#define KTSTR_WATCH_CAST_H

#include "base/elf_view.h"
#include "watch/parts.h"

/*
 * bpf_object.c: parses a BPF object file: functions, the references of their instructions,
 * variables and maps with their types. The file may come from any binary, so nothing in it is
 * trusted.
 */

/* See the kernel's Documentation/bpf/standardization. */
struct bpf_instruction {
	uint8_t code, dst, src;
	int16_t offset;
	int32_t imm;
};

#define BPF_INSTRUCTION_BYTES 8

struct bpf_function {
	uint32_t section, start, count; /* start and count in instructions */
	uint32_t type;			/* BTF FUNC; 0 = unknown */
	uint32_t context;		/* FUNC_PROTO of the operation it implements; 0 = none */
	const uint8_t *code;
};

struct bpf_variable {
	uint32_t section, start, size; /* in bytes */
	uint32_t type;		       /* BTF VAR */
	bool is_map;
};

/* A reference of an instruction or of a pointer in data to a symbol. */
struct bpf_reference {
	uint32_t section, offset; /* of the instruction or pointer; offset in bytes */
	uint32_t symbol;
};

/* A CO-RE access: an instruction that reads a field of a kernel struct by name. */
struct bpf_access {
	uint32_t section, offset; /* of the instruction, in bytes */
	uint32_t type, field;	  /* field: its offset in the object's own type */
};

struct bpf_object {
	struct elf_view elf;
	struct btf types; /* points into the caller's data, as all else */
	const uint8_t *symbols;
	uint32_t symbol_count, names_section;
	VEC(struct bpf_function) functions;
	VEC(struct bpf_variable) variables;
	VEC(struct bpf_reference) references; /* sorted */
	VEC(struct bpf_access) accesses;      /* sorted */
};

/* -EINVAL with a message if it is damaged or has no BTF; -ENOMEM. */
int bpf_object_open(struct bpf_object *o, const void *data, size_t len);
void bpf_object_close(struct bpf_object *o);

#define _bpf_object_ _cleanup_(bpf_object_close)

struct bpf_instruction bpf_instruction_at(const struct bpf_function *f, uint32_t i);

/* Symbol referenced by the i-th instruction; false = none. */
bool bpf_object_symbol(const struct bpf_object *o, const struct bpf_function *f, uint32_t i,
		       Elf64_Sym *out);
const char *bpf_object_name(const struct bpf_object *o, const Elf64_Sym *symbol);

/* Variable or map at this offset of a section; NULL = none. */
const struct bpf_variable *bpf_object_variable(const struct bpf_object *o, uint32_t section,
					       uint64_t offset);
/* Function that starts at this offset; NULL = none. */
const struct bpf_function *bpf_object_function(const struct bpf_object *o, uint32_t section,
					       uint64_t offset);
/* CO-RE access of the i-th instruction; NULL = none. */
const struct bpf_access *bpf_object_access(const struct bpf_object *o, const struct bpf_function *f,
					   uint32_t i);

/*
 * Finds the next BPF object in a file from *at on; the file may itself be one. Sets *found and
 * advances *at past its start. False = there is none.
 */
bool bpf_object_next(const uint8_t *data, size_t len, size_t *at, size_t *found);

/* cast_types.c: finds what is at an offset of a struct, a variable or a map's value. */

/* A value without members, and its owner: see enum cast_owner. */
struct cast_leaf {
	uint32_t type;		/* without qualifiers */
	uint32_t owner, offset; /* owner: a struct or a VAR; offset within it */
	bool is_shared;		/* inside a union */
};

/* type: a struct, union or VAR. False = no value of exactly this size starts there. */
bool cast_leaf_at(const struct bpf_object *o, uint32_t type, uint64_t offset, uint64_t size,
		  struct cast_leaf *out);

/* Type of a map's values; 0 = unknown. var: the VAR of the map. */
uint32_t cast_map_value(const struct bpf_object *o, uint32_t var);

/* Target of a pointer: a struct, union or forward declaration; 0 = something else. */
uint32_t cast_pointee(const struct btf *types, uint32_t type);

/* Returns whether the type is an unsigned 64-bit integer. */
bool cast_is_u64(const struct btf *types, uint32_t type);

/*
 * cast_evidence.c: what the code of one object reveals about its 64-bit fields. Any contradiction
 * excludes a field for good: a missed pointer only makes the dump less readable, a wrong one is
 * misleading.
 */

#define CAST_MAX_ACCESSES 64

struct cast_access {
	int32_t offset;
	uint32_t size;
};

struct cast_field {
	uint32_t owner, offset; /* see struct cast_leaf */
	bool is_dropped;
	uint32_t type; /* target type, if seen as a typed pointer; 0 = not seen */
	enum cast_space space;
	struct cast_access accesses[CAST_MAX_ACCESSES]; /* through the value, to an arena */
	size_t access_count;
	uint32_t target; /* its target type after evidence_judge(); 0 = unknown */
};

struct evidence {
	const struct bpf_object *object;
	const struct btf *kernel; /* or NULL */
	VEC(struct cast_field) fields;
	VEC(uint32_t)
	table; /* of fields by owner and offset, open addressing; UINT32_MAX = empty */
	uint8_t *is_candidate; /* by type: structs that may be in an arena */
	int rc;
};

int evidence_open(struct evidence *e, const struct bpf_object *object, const struct btf *kernel);
void evidence_close(struct evidence *e);

#define _evidence_ _cleanup_(evidence_close)

/* Finds or adds a field; NULL = out of memory. */
struct cast_field *evidence_field(struct evidence *e, uint32_t owner, uint32_t offset);

/* A pointer of this type is stored in the field. */
void evidence_stored(struct evidence *e, uint32_t owner, uint32_t offset, uint32_t type,
		     enum cast_space space);
/* The value loaded from the field is used as a pointer of this type. */
void evidence_typed(struct evidence *e, uint32_t owner, uint32_t offset, uint32_t type,
		    enum cast_space space);
/* The value is used in a way that excludes a pointer. */
void evidence_number(struct evidence *e, uint32_t owner, uint32_t offset);
/*
 * The value loaded from the field is an arena address; size bytes at offset `at` from it are
 * accessed.
 */
void evidence_access(struct evidence *e, uint32_t owner, uint32_t offset, int64_t at,
		     uint32_t size);

/* Determines the targets of all fields. Returns the number of new targets. */
size_t evidence_judge(struct evidence *e);

/* Adds the targets to a table; entries that contradict each other are removed. */
int evidence_add(const struct evidence *e, struct casts *out);

/*
 * cast_flow.c: data flow analysis of a function: the types of values in registers and stack slots.
 * At joins only values that are the same on all paths stay known. After the fixed point is reached,
 * what loads, stores and calls reveal about 64-bit fields is added to the evidence.
 */

/*
 * steps: remaining budget of instructions. A function that is too long or malformed gives no
 * evidence. -ENOMEM only.
 */
int cast_flow_run(struct evidence *e, const struct bpf_function *f, size_t *steps);

/* cast_state.c: contents of registers and stack slots, and the effect of an instruction on them. */

enum cast_kind {
	VALUE_UNKNOWN,
	VALUE_DEAD,	/* must not be read */
	VALUE_NUMBER,	/* certainly not a pointer */
	VALUE_CONSTANT, /* its value is offset */
	VALUE_POINTER,	/* offset bytes into a struct, union, declaration or VAR */
	VALUE_FIELD,	/* loaded from the field at offset of type, plus shift */
	VALUE_CONTEXT,	/* of an operation: type is its prototype */
	VALUE_MAP,	/* type is its VAR */
	VALUE_STACK,	/* offset from the end of the stack, or VALUE_ANYWHERE */
};

#define VALUE_ANYWHERE INT32_MIN

struct cast_value {
	uint8_t kind, space; /* space: enum cast_space, for a pointer */
	bool is_cast;	     /* for a field: the code has cast it to an arena address */
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

/* Successors of an instruction. */
struct cast_ways {
	bool goes_on;	 /* continues with the next instruction */
	uint32_t length; /* of the instruction in slots: position of the next one */
	bool has_target;
	int64_t target;
};

/* Context for one instruction of a function. */
struct cast_step {
	const struct bpf_object *object;
	const struct bpf_function *function;
	struct evidence *known; /* evidence of earlier rounds */
	bool is_telling;	/* add new evidence, too */
	uint32_t at;
	struct bpf_instruction in;
};

void cast_state_enter(struct cast_state *s, const struct bpf_object *o,
		      const struct bpf_function *f);

/* Applies the instruction to the state. */
struct cast_ways cast_state_step(struct cast_state *s, struct cast_step *step);

/* Joins the states of two paths. Returns whether `old` has changed. */
bool cast_state_join(struct cast_state *old, const struct cast_state *new);

/* Parts of cast_state_step(), in cast_call.c and cast_memory.c. */
void cast_call(struct cast_state *s, struct cast_step *step);
void cast_return(struct cast_state *s, struct cast_step *step);
void cast_load(struct cast_state *s, struct cast_step *step);
void cast_store(struct cast_state *s, struct cast_step *step);
void cast_atomic(struct cast_state *s, struct cast_step *step);
void cast_load_constant(struct cast_state *s, struct cast_step *step);

/* A value of this type; unknown if it is not a pointer to a struct or union. */
struct cast_value cast_value_of(const struct btf *types, uint32_t type, enum cast_space space);
void cast_forget_slots(struct cast_state *s, int64_t from, int64_t to);
/* A value is stored to a field. */
void cast_store_field(struct cast_step *step, const struct cast_leaf *leaf,
		      const struct cast_value *v);

/*
 * cast_analysis.c: the binary of a scheduler contains the BPF objects that it loads, and their code
 * shows which 64-bit fields are pointers, and to what.
 */

/*
 * Analyses all objects in the data, which must stay valid: the types of the table point into it.
 * Damaged objects are skipped. kernel: BTF of the kernel, or NULL; structs that it defines are not
 * in an arena. -ENOMEM only.
 */
int cast_analysis(const void *data, size_t len, const struct btf *kernel, struct casts *out);

#endif

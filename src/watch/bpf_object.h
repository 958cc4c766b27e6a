/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A BPF object file as a compiler wrote it: functions, what their instructions refer to, variables and
 * maps with their types. It may come out of any binary: nothing in it is trusted.
 */
#ifndef KTSTR_WATCH_BPF_OBJECT_H
#define KTSTR_WATCH_BPF_OBJECT_H

#include "base/base.h"
#include "base/btf.h"
#include "base/elf_view.h"

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

#endif

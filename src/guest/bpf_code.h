/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs of a few dozen instructions, assembled here: the guest's init is static and
 * has no loader.
 */
#ifndef KTSTR_GUEST_BPF_CODE_H
#define KTSTR_GUEST_BPF_CODE_H

#include <linux/bpf.h>

#include "base/base.h"

/* Missing in the headers of older distributions: loops until the kernel's budget is used up. */
#define BPF_MAY_GOTO 0xe0

/* clang-format off */
#define BPF_INSN(c, d, s, o, i) ((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), \
						    .off = (o), .imm = (i) })
#define MOVE(d, s)	BPF_INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define SET(d, i)	BPF_INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD(d, s)	BPF_INSN(BPF_ALU64 | BPF_ADD | BPF_X, d, s, 0, 0)
#define ADD_NUMBER(d, i) BPF_INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define MULTIPLY(d, i)	BPF_INSN(BPF_ALU64 | BPF_MUL | BPF_K, d, 0, 0, i)
#define AND(d, i)	BPF_INSN(BPF_ALU64 | BPF_AND | BPF_K, d, 0, 0, i)
#define XOR(d, s)	BPF_INSN(BPF_ALU64 | BPF_XOR | BPF_X, d, s, 0, 0)
#define LEFT(d, i)	BPF_INSN(BPF_ALU64 | BPF_LSH | BPF_K, d, 0, 0, i)
#define RIGHT(d, i)	BPF_INSN(BPF_ALU64 | BPF_RSH | BPF_K, d, 0, 0, i)
#define MODULO(d, i)	BPF_INSN(BPF_ALU64 | BPF_MOD | BPF_K, d, 0, 0, i)
#define LOAD(d, s, o)	BPF_INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define LOAD_U32(d, s, o) BPF_INSN(BPF_LDX | BPF_MEM | BPF_W, d, s, o, 0)
#define STORE(d, s, o)	BPF_INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE_BYTE(d, i, o) BPF_INSN(BPF_ST | BPF_MEM | BPF_B, d, 0, o, i)
#define FETCH_ADD(d, s, o) BPF_INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD | BPF_FETCH)
#define CALL(f)		BPF_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define GOTO(o)		BPF_INSN(BPF_JMP | BPF_JA, 0, 0, o, 0)
#define IF_ZERO(d, o)	BPF_INSN(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, 0)
#define UNLESS_ZERO(d, o) BPF_INSN(BPF_JMP | BPF_JNE | BPF_K, d, 0, o, 0)
#define UNLESS_EQUAL(d, s, o) BPF_INSN(BPF_JMP | BPF_JNE | BPF_X, d, s, o, 0)
#define IF_LESS(d, s, o) BPF_INSN(BPF_JMP | BPF_JLT | BPF_X, d, s, o, 0)
#define IF_MORE(d, s, o) BPF_INSN(BPF_JMP | BPF_JGT | BPF_X, d, s, o, 0)
#define IF_AT_LEAST(d, i, o) BPF_INSN(BPF_JMP | BPF_JGE | BPF_K, d, 0, o, i)
#define ENOUGH(o)	BPF_INSN(BPF_JMP | BPF_MAY_GOTO, 0, 0, o, 0)
#define EXIT		BPF_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* clang-format on */

/* A program under construction. Forward jumps get their targets later. */
#define BPF_CODE_MAX 256
struct bpf_code {
	struct bpf_insn insns[BPF_CODE_MAX];
	size_t count;
};

/* Appends an instruction and returns its index; an overflow is detected on loading. */
size_t bpf_code_add(struct bpf_code *c, struct bpf_insn insn);
/* Appends the two instructions that load the address of a map's only value. */
void bpf_code_add_value(struct bpf_code *c, int reg, int map_fd);
/* Sets the target of that jump to the next instruction. */
void bpf_code_land(struct bpf_code *c, size_t jump);
/* Appends a jump back to an existing instruction. */
void bpf_code_add_back(struct bpf_code *c, struct bpf_insn jump, size_t target);
/* Appends a random number generator: advances the word at base + offset and loads it into reg. */
void bpf_code_add_random(struct bpf_code *c, int reg, int other, int base, int16_t offset);

/* Creates a map with a single value. */
int bpf_value_make(const void *value, uint32_t size);
int bpf_value_read(int map_fd, void *value);
int bpf_code_load(const struct bpf_code *c, enum bpf_prog_type type, const char *name,
		  enum bpf_attach_type attach_type);
/* Stays attached until this process ends. */
int bpf_attach_tracepoint(int program, const char *tracepoint);

#endif

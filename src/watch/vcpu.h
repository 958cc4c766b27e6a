/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where each vCPU of a guest stands: its registers, and the functions that led there. QEMU has the
 * registers; the stack is in the guest's memory, and its kernel's own tables (ORC) say how to read
 * it. BPF programs, which those tables do not know, keep frame pointers.
 */
#ifndef KTSTR_WATCH_VCPU_H
#define KTSTR_WATCH_VCPU_H

#include "trace/symbols.h"
#include "watch/programs.h"
#include "watch/space.h"

#define VCPU_MAX_FRAMES 48

/* X(as QEMU spells it, name in JSON) */
/* clang-format off */
#define VCPU_REGISTERS(X) \
	X(RAX, rax) X(RBX, rbx) X(RCX, rcx) X(RDX, rdx) X(RSI, rsi) X(RDI, rdi) X(RBP, rbp) \
	X(RSP, rsp) X(R8, r8) X(R9, r9) X(R10, r10) X(R11, r11) X(R12, r12) X(R13, r13) \
	X(R14, r14) X(R15, r15) X(RIP, rip) X(RFL, rflags) X(CR2, cr2) X(CR3, cr3)
/* clang-format on */

enum vcpu_register {
#define X(spelled, name) REG_##spelled,
	VCPU_REGISTERS(X)
#undef X
		VCPU_REGISTER_COUNT,
};

struct vcpu {
	unsigned int number;
	bool is_halted;
	uint64_t registers[VCPU_REGISTER_COUNT];
	size_t frame_count;
	uint64_t frames[VCPU_MAX_FRAMES]; /* the first is rip, the others are return addresses */
};

struct vcpus {
	VEC(struct vcpu) items;
};

/* QEMU's answer to "info registers -a". vCPUs without all registers are left out. */
int vcpus_parse(struct vcpus *v, const char *text);
void vcpus_finish(struct vcpus *v);

/*
 * The registers of a task that does not run, as it will find them in __switch_to_asm; false = they
 * cannot be read.
 */
bool vcpu_read_sleeper(struct vcpu *v, struct space *space, uint64_t task);

/* Fills in the frames. */
void vcpu_unwind(struct vcpu *v, struct space *space);

/* Member "vcpus" of the object that is being written; symbols and programs name the frames. */
int vcpus_put_json(const struct vcpus *v, const struct symbols *symbols, uint64_t slide,
		   const struct programs *programs, struct json *j);

#endif

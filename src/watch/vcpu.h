/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where each vCPU of a guest stands: its registers, and the functions that led there. QEMU has the
 * registers; the stack is in the guest's memory. On x86-64 the kernel's own tables (ORC) say how to
 * read it; BPF programs, which those tables do not know, and all of arm64 keep frame pointers.
 */
#ifndef KTSTR_WATCH_VCPU_H
#define KTSTR_WATCH_VCPU_H

#include "trace/symbols.h"
#include "watch/prog_lines.h"
#include "watch/space.h"

#define VCPU_MAX_FRAMES 48

/* X(as QEMU spells it, name in JSON) */
/* clang-format off */
#define VCPU_REGISTERS(X) \
	X(RAX, rax) X(RBX, rbx) X(RCX, rcx) X(RDX, rdx) X(RSI, rsi) X(RDI, rdi) X(RBP, rbp) \
	X(RSP, rsp) X(R8, r8) X(R9, r9) X(R10, r10) X(R11, r11) X(R12, r12) X(R13, r13) \
	X(R14, r14) X(R15, r15) X(RIP, rip) X(RFL, rflags) X(CR2, cr2) X(CR3, cr3)
#define VCPU_ARM_REGISTERS(X) \
	X(X00, x0) X(X01, x1) X(X02, x2) X(X03, x3) X(X04, x4) X(X05, x5) X(X06, x6) X(X07, x7) \
	X(X08, x8) X(X09, x9) X(X10, x10) X(X11, x11) X(X12, x12) X(X13, x13) X(X14, x14) \
	X(X15, x15) X(X16, x16) X(X17, x17) X(X18, x18) X(X19, x19) X(X20, x20) X(X21, x21) \
	X(X22, x22) X(X23, x23) X(X24, x24) X(X25, x25) X(X26, x26) X(X27, x27) X(X28, x28) \
	X(X29, x29) X(X30, x30) X(SP, sp) X(PC, pc) X(PSTATE, pstate)
/* clang-format on */

#define X(spelled, name) REG_##spelled,
enum vcpu_register { VCPU_REGISTERS(X) VCPU_REGISTER_COUNT };
enum vcpu_arm_register { VCPU_ARM_REGISTERS(X) VCPU_ARM_REGISTER_COUNT };
#undef X

struct vcpu {
	unsigned int number;
	bool is_arm64;	/* by what QEMU said */
	bool is_halted; /* of x86-64 only */
	uint64_t registers[MAX((int)VCPU_REGISTER_COUNT, (int)VCPU_ARM_REGISTER_COUNT)];
	size_t frame_count;
	uint64_t frames[VCPU_MAX_FRAMES]; /* where it stands, then return addresses */
};

struct vcpus {
	VEC(struct vcpu) items;
};

/* QEMU's answer to "info registers -a". vCPUs without all registers are left out. */
int vcpus_parse(struct vcpus *v, const char *text);
void vcpus_finish(struct vcpus *v);

/* The registers of a task that does not run, as it will find them; false = they cannot be read. */
bool vcpu_read_sleeper(struct vcpu *v, struct space *space, uint64_t task);

bool vcpu_takes_interrupts(const struct vcpu *v);

/* Fills in the frames. */
void vcpu_unwind(struct vcpu *v, struct space *space);

/* The two for each machine. */
bool orc_read_sleeper(struct vcpu *v, struct space *space, uint64_t task);
void orc_unwind(struct vcpu *v, struct space *space);
bool arm64_read_sleeper(struct vcpu *v, struct space *space, uint64_t task);
void arm64_unwind(struct vcpu *v, struct space *space);

/* Member "vcpus" of the object that is being written; symbols and programs name the frames. */
int vcpus_put_json(const struct vcpus *v, const struct symbols *symbols, uint64_t slide,
		   const struct prog_lines *programs, struct json *j);

#endif

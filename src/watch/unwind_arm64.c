// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwinds by frame pointers on arm64, see arch/arm64/kernel/stacktrace.c and asm/stacktrace/frame.h
 * in the kernel. Stacks are not trusted: the number of frames is limited.
 */
#include "watch/parts.h"

/*
 * A frame: pointer to the previous one, and return address. Exceptions have zeros, followed by a
 * kind.
 */
enum { FRAME_RETURN = 8, FRAME_KIND = 16 };
enum { KIND_REGISTERS = 2 };

#define USER_MODE 0xf /* bits of PSTATE that are 0 in user mode */

/* Continues with the registers that an exception saved on the stack; false in user mode. */
static bool take_registers(struct space *space, uint64_t frame, uint64_t *fp, uint64_t *ip)
{
	const struct watch_layout *l = space->layout;
	uint64_t at = frame - l->members[M_REGS_FRAME], state;

	return layout_has(l, M_REGS_FRAME) && layout_has(l, M_REGS_X0) &&
	       space_read_member(space, at, M_REGS_PSTATE, &state) && state & USER_MODE &&
	       space_read_member(space, at, M_REGS_PC, ip) &&
	       space_read_u64(space, at + l->members[M_REGS_X0] + 29 * sizeof(*fp), fp);
}

static bool step(struct space *space, uint64_t *fp, uint64_t *ip)
{
	uint64_t before, back, kind;

	if (!*fp || *fp % 8 || !space_read_u64(space, *fp, &before) ||
	    !space_read_u64(space, *fp + FRAME_RETURN, &back))
		return false;
	if (!before && !back)
		return space_read_u64(space, *fp + FRAME_KIND, &kind) && kind == KIND_REGISTERS &&
		       take_registers(space, *fp, fp, ip);
	*fp = before;
	*ip = space_plain_address(space, back);
	return true;
}

bool arm64_read_sleeper(struct vcpu *v, struct space *space, uint64_t task)
{
	return space_read_member(space, task, M_TASK_SP, &v->registers[VCPU_SP]) &&
	       space_read_member(space, task, M_TASK_FP, &v->registers[VCPU_X29]) &&
	       space_read_member(space, task, M_TASK_PC, &v->registers[VCPU_PC]);
}

void arm64_unwind(struct vcpu *v, struct space *space)
{
	uint64_t fp = v->registers[VCPU_X29], ip = v->registers[VCPU_PC];

	/* Kernel addresses are in the upper half. */
	while (v->frame_count < VCPU_MAX_FRAMES && ip >> 63) {
		v->frames[v->frame_count++] = ip;
		if (!step(space, &fp, &ip))
			break;
	}
}

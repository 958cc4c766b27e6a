// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks go to one CPU after the other, whether they may run there or not.
 *
 * To be caught by: the kernel, which takes the scheduler down.
 */
#include "scheduler.h"

#define SLICE (5 * MS)

u32 turn;

void OP(wrong_enqueue, struct task_struct *p, u64 enq_flags)
{
	u32 cpu = __sync_fetch_and_add(&turn, 1) % (machine.cpu_count ? machine.cpu_count : 1);

	if (is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, SCX_DSQ_LOCAL_ON | cpu, SLICE, enq_flags);
	scx_bpf_kick_cpu((s32)cpu, SCX_KICK_IDLE);
}

SCHEDULER(wrong_cpu, .enqueue = (void *)wrong_enqueue);

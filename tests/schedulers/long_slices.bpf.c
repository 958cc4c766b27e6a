// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything is dispatched to the local queue of its CPU when it wakes up, with slices of
 * 250 ms, and nobody is preempted: a timer that goes off on a busy CPU is as late.
 *
 * To be caught by: timer lateness.
 */
#include "scheduler.h"

#define SLICE (250 * MS)

s32 OP(long_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(long_enqueue, struct task_struct *p, u64 enq_flags)
{
	insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
}

SCHEDULER(long_slices, .select_cpu = (void *)long_select_cpu, .enqueue = (void *)long_enqueue);

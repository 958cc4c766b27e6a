// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task that finds an idle CPU is dispatched there as it wakes up, everybody else waits in
 * turn, and slices are 100 ms long: a timer that goes off while all CPUs are busy is as late.
 *
 * To be caught by: timer lateness.
 */
#include "scheduler.h"

#define SLICE (100 * MS)

s32 OP(long_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	s32 cpu = scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);

	if (cpu < 0)
		return prev_cpu;
	insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

/* The kernel takes from the global queue by itself. */
void OP(long_enqueue, struct task_struct *p, u64 enq_flags)
{
	insert(p, SCX_DSQ_GLOBAL, SLICE, enq_flags);
	kick_idle(p);
}

SCHEDULER(long_slices, .select_cpu = (void *)long_select_cpu, .enqueue = (void *)long_enqueue);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * There is no queue but the local ones: whenever a task wakes up or its slice is over, it goes
 * to the next CPU in turn, however idle the one is that it comes from.
 *
 * To be caught by: migration storm.
 */
#include "scheduler.h"

#define SLICE (5 * MS)

s32 OP(potato_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	u32 cpu = (u32)prev_cpu;

	bpf_repeat(MAX_CPUS)
	{
		cpu = cpu + 1 < machine.cpu_count ? cpu + 1 : 0;
		if (bpf_cpumask_test_cpu(cpu, p->cpus_ptr))
			break;
	}
	return (s32)cpu;
}

void OP(potato_enqueue, struct task_struct *p, u64 enq_flags)
{
	u32 next = (u32)scx_bpf_task_cpu(p) + 1;

	if (next >= machine.cpu_count)
		next = 0;
	if (enq_flags & SCX_ENQ_WAKEUP || !bpf_cpumask_test_cpu(next, p->cpus_ptr))
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
	else
		insert(p, SCX_DSQ_LOCAL_ON | next, SLICE, enq_flags);
}

SCHEDULER(hot_potato, .select_cpu = (void *)potato_select_cpu, .enqueue = (void *)potato_enqueue);

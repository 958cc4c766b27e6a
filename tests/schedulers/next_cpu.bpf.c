// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each wakeup goes to the next CPU, also if the one where the task ran before is idle. Tasks
 * that wake up together follow each other around the machine: the CPU that each of them
 * leaves is the one to which another was just sent.
 *
 * To be caught by: needless migrations.
 */
#include "scheduler.h"

#define SLICE (5 * MS)

s32 OP(next_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
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

void OP(next_enqueue, struct task_struct *p, u64 enq_flags)
{
	insert(p, enq_flags & SCX_ENQ_WAKEUP ? SCX_DSQ_LOCAL : SCX_DSQ_GLOBAL, SLICE, enq_flags);
}

SCHEDULER(next_cpu, .select_cpu = (void *)next_select_cpu, .enqueue = (void *)next_enqueue);

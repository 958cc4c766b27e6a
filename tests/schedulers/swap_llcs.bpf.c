// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task whose slice is over with nobody waiting looks like a load on its own LLC, so it changes
 * places with the task of a CPU in the other half of the machine, at each slice of 4 ms.
 *
 * To be caught by: migration storm.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (4 * MS)

static u32 opposite(u32 cpu)
{
	u32 half = (machine.cpu_count + 1) / 2;

	return (cpu + half) % machine.cpu_count;
}

s32 OP(swap_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(swap_enqueue, struct task_struct *p, u64 enq_flags)
{
	u32 there = opposite((u32)scx_bpf_task_cpu(p));

	if (is_kernels(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if (enq_flags & SCX_ENQ_LAST && bpf_cpumask_test_cpu(there, p->cpus_ptr)) {
		insert(p, SCX_DSQ_LOCAL_ON | there, SLICE, enq_flags | SCX_ENQ_PREEMPT);
		return;
	}
	insert(p, QUEUE, SLICE, enq_flags);
	kick_idle(p);
}

void OP(swap_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

s32 SLEEPABLE_OP(swap_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(swap_llcs, .select_cpu = (void *)swap_select_cpu, .enqueue = (void *)swap_enqueue,
	  .dispatch = (void *)swap_dispatch, .init = (void *)swap_init, .flags = SCX_OPS_ENQ_LAST);

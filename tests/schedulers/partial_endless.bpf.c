// SPDX-License-Identifier: GPL-2.0-only
/*
 * Schedules only the tasks that ask for SCHED_EXT, and gives each the CPU for as long as it
 * wants: of two busy ones on a CPU the second one waits for ever.
 *
 * To be caught by: runnable wait.
 */
#include "scheduler.h"

#define QUEUE 0

s32 OP(endless_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SCX_SLICE_INF, 0);
	return cpu;
}

void OP(endless_enqueue, struct task_struct *p, u64 enq_flags)
{
	insert(p, QUEUE, SCX_SLICE_INF, enq_flags);
	kick_idle(p);
}

void OP(endless_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

s32 SLEEPABLE_OP(endless_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(partial_endless, .select_cpu = (void *)endless_select_cpu,
	  .enqueue = (void *)endless_enqueue, .dispatch = (void *)endless_dispatch,
	  .init = (void *)endless_init, .flags = SCX_OPS_SWITCH_PARTIAL);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue for each CPU and nobody who steals: a task is put to an idle CPU once, when it is forked
 * or wakes up, and busy tasks stay where they are. Whoever shares a CPU shares it for good, beside
 * CPUs that idle.
 *
 * To be caught by: work conservation.
 */
#include "scheduler.h"

#define SLICE (5 * MS)

s32 OP(islands_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OP(islands_enqueue, struct task_struct *p, u64 enq_flags)
{
	s32 cpu = scx_bpf_task_cpu(p);

	if (!bpf_cpumask_test_cpu((u32)cpu, p->cpus_ptr))
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
	else
		insert(p, (u64)cpu, SLICE, enq_flags);
	scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
}

void OP(islands_dispatch, s32 cpu, struct task_struct *prev)
{
	pull((u64)cpu);
}

s32 SLEEPABLE_OP(islands_init)
{
	s32 rc = 0;
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS && rc == 0; cpu++)
		rc = scx_bpf_create_dsq(cpu, -1);
	return rc;
}

SCHEDULER(islands, .select_cpu = (void *)islands_select_cpu, .enqueue = (void *)islands_enqueue,
	  .dispatch = (void *)islands_dispatch, .init = (void *)islands_init);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue for each CPU, and a home for each task by its pid. Two neighbours have one home, and
 * nobody takes from another's queue: half of the CPUs idle while the other half is crowded.
 *
 * To be caught by: work conservation.
 */
#include "scheduler.h"

#define SLICE (5 * MS)

static s32 home_of(const struct task_struct *p)
{
	u32 cpu = ((u32)p->pid >> 1) % machine.cpu_count;

	return (s32)(bpf_cpumask_test_cpu(cpu, p->cpus_ptr) ? cpu : bpf_cpumask_first(p->cpus_ptr));
}

s32 OP(home_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return home_of(p);
}

void OP(home_enqueue, struct task_struct *p, u64 enq_flags)
{
	s32 cpu = home_of(p);

	insert(p, (u64)cpu, SLICE, enq_flags);
	scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
}

void OP(home_dispatch, s32 cpu, struct task_struct *prev)
{
	pull((u64)cpu);
}

s32 SLEEPABLE_OP(home_init)
{
	s32 rc = 0;
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS && rc == 0; cpu++)
		rc = scx_bpf_create_dsq(cpu, -1);
	return rc;
}

SCHEDULER(hashed_home, .select_cpu = (void *)home_select_cpu, .enqueue = (void *)home_enqueue,
	  .dispatch = (void *)home_dispatch, .init = (void *)home_init);

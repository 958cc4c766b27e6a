// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue for all, but a waking task goes to an idle CPU of another LLC than the one that it was on, also
 * if its own CPU is idle: it leaves its cache behind each time.
 *
 * To be caught by: needless migrations.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

static u32 llc_of(s32 cpu)
{
	return cpu >= 0 && cpu < MAX_CPUS ? machine.cpu_llc[cpu] : 0;
}

s32 OP(far_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++) {
		if (llc_of((s32)cpu) == llc_of(prev_cpu) ||
		    !bpf_cpumask_test_cpu(cpu, p->cpus_ptr) ||
		    !scx_bpf_test_and_clear_cpu_idle((s32)cpu))
			continue;
		insert(p, SCX_DSQ_LOCAL_ON | cpu, SLICE, 0);
		return (s32)cpu;
	}
	return prev_cpu;
}

void OP(far_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) && p->nr_cpus_allowed == 1)
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
	else
		insert(p, QUEUE, SLICE, enq_flags);
	kick_idle(p);
}

void OP(far_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

s32 SLEEPABLE_OP(far_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(far_wakes, .select_cpu = (void *)far_select_cpu, .enqueue = (void *)far_enqueue,
	  .dispatch = (void *)far_dispatch, .init = (void *)far_init);

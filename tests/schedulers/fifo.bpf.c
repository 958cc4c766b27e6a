// SPDX-License-Identifier: GPL-2.0-only
/*
 * Well behaved: one queue for all, first come, first served. A waking task goes straight to an
 * idle CPU if there is one. It does not look at weights.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

s32 OP(fifo_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(fifo_enqueue, struct task_struct *p, u64 enq_flags)
{
	/* The kernel's own threads of a CPU are short, and others wait for them. */
	if (is_kernels(p) && p->nr_cpus_allowed == 1) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, QUEUE, SLICE, enq_flags);
	kick_idle(p);
}

void OP(fifo_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

s32 SLEEPABLE_OP(fifo_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(fifo, .select_cpu = (void *)fifo_select_cpu, .enqueue = (void *)fifo_enqueue,
	  .dispatch = (void *)fifo_dispatch, .init = (void *)fifo_init);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served; but kernel threads that are pinned to cpu2 come 100 ms later than they did. That
 * is below what a task may wait once, and they want to run a few times in a second.
 *
 * To be caught by: late wakeups, of the kernel threads of a CPU.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

static bool is_pinned_to(struct task_struct *p, s32 cpu)
{
	return p->nr_cpus_allowed == 1 && scx_bpf_task_cpu(p) == cpu;
}

void OP(kthreads_enqueue, struct task_struct *p, u64 enq_flags)
{
	u64 now = bpf_ktime_get_ns();

	if (is_kernels(p) && is_pinned_to(p, 2)) {
		insert_ordered(p, QUEUE, SLICE, now + 100 * MS, enq_flags);
	} else if (is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	} else {
		insert_ordered(p, QUEUE, SLICE, now, enq_flags);
	}
	kick_idle(p);
}

void OP(kthreads_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

s32 SLEEPABLE_OP(kthreads_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(one_cpus_kthreads, .enqueue = (void *)kthreads_enqueue,
	  .dispatch = (void *)kthreads_dispatch, .init = (void *)kthreads_init);

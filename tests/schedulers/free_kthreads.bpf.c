// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but kernel threads that may run on several CPUs come 90 ms later than they did.
 *
 * To be caught by: late wakeups, of a kernel thread.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

s32 OP(free_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;

	return scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
}

void OP(free_enqueue, struct task_struct *p, u64 enq_flags)
{
	u64 delay = is_kernels(p) ? 90 * MS : 0;

	if (p->nr_cpus_allowed == 1) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert_ordered(p, QUEUE, SLICE, bpf_ktime_get_ns() + delay, enq_flags);
	kick_idle(p);
}

void OP(free_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

s32 SLEEPABLE_OP(free_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(free_kthreads, .select_cpu = (void *)free_select_cpu, .enqueue = (void *)free_enqueue,
	  .dispatch = (void *)free_dispatch, .init = (void *)free_init);

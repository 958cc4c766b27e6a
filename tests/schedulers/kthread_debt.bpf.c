// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but threads of the kernel come 150 ms later than they did: while CPUs are
 * busy each of their wakeups takes that long.
 *
 * To be caught by: late wakeups.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

struct task_struct___named {
	char comm[16];
} FROM_KERNEL;

static u64 delay_of(struct task_struct *p, u64 enq_flags)
{
	return is_kernels(p) && enq_flags & SCX_ENQ_WAKEUP ? 150 * MS : 0;
}

s32 OP(debt_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(debt_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_loader(p) || (is_kernels(p) && !delay_of(p, enq_flags))) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert_ordered(p, QUEUE, SLICE, bpf_ktime_get_ns() + delay_of(p, enq_flags), enq_flags);
	kick_idle(p);
}

void OP(debt_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

s32 SLEEPABLE_OP(debt_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(kthread_debt, .select_cpu = (void *)debt_select_cpu, .enqueue = (void *)debt_enqueue,
	  .dispatch = (void *)debt_dispatch, .init = (void *)debt_init);

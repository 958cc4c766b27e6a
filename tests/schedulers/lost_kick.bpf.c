// SPDX-License-Identifier: GPL-2.0-only
/*
 * A flag tells CPUs that somebody waits, so that they need not look at the queue. But a task is
 * in the queue only after enqueue has returned: a CPU that comes at once finds nobody, takes the
 * flag back and sleeps, and the task waits until somebody else is enqueued.
 *
 * To be caught by: work conservation.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

u32 has_waiters;

s32 OP(lost_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OP(lost_enqueue, struct task_struct *p, u64 enq_flags)
{
	volatile u32 *flag = &has_waiters;

	if (is_kernels(p) || is_loader(p) || p->tgid == 1) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, QUEUE, SLICE, enq_flags);
	if (*flag)
		return;
	*flag = 1;
	kick_idle(p);
}

void OP(lost_dispatch, s32 cpu, struct task_struct *prev)
{
	volatile u32 *flag = &has_waiters;

	if (!*flag)
		return;
	pull(QUEUE);
	if (scx_bpf_dsq_nr_queued(QUEUE) == 0)
		*flag = 0;
}

/* Whoever runs may have left others in the queue that an idle CPU can take. */
void OP(lost_running, struct task_struct *p)
{
	if (has_waiters)
		kick_idle(p);
}

s32 SLEEPABLE_OP(lost_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(lost_kick, .select_cpu = (void *)lost_select_cpu, .enqueue = (void *)lost_enqueue,
	  .dispatch = (void *)lost_dispatch, .running = (void *)lost_running,
	  .init = (void *)lost_init);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A flag tells CPUs that somebody waits, so that they need not look at the queue. It is taken
 * back after the queue was found empty: who is enqueued between these two, finds the flag set
 * and kicks nobody, and waits until somebody else comes.
 *
 * To be caught by: runnable wait, under exploration.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

u32 has_waiters;

s32 OP(hint_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OP(hint_enqueue, struct task_struct *p, u64 enq_flags)
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

void OP(hint_dispatch, s32 cpu, struct task_struct *prev)
{
	volatile u32 *flag = &has_waiters;

	if (!*flag)
		return;
	pull(QUEUE);
	if (scx_bpf_dsq_nr_queued(QUEUE) == 0)
		*flag = 0;
}

/* Whoever runs may have left others in the queue that an idle CPU can take. */
void OP(hint_running, struct task_struct *p)
{
	if (has_waiters)
		kick_idle(p);
}

s32 SLEEPABLE_OP(hint_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(hint_race, .select_cpu = (void *)hint_select_cpu, .enqueue = (void *)hint_enqueue,
	  .dispatch = (void *)hint_dispatch, .running = (void *)hint_running,
	  .init = (void *)hint_init);

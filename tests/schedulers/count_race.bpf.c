// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many tasks wait is counted with a load, an addition and a store, and a CPU that reads zero does not look
 * into the queue. Of two CPUs that enqueue within these three instructions one is not counted: somebody
 * stays in the queue.
 *
 * To be caught by: runnable wait, under exploration.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

volatile s32 waiting;

s32 OP(count_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OP(count_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) || is_loader(p) || p->tgid == 1) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	waiting = waiting + 1;
	insert(p, QUEUE, SLICE, enq_flags);
	scx_bpf_kick_cpu(scx_bpf_task_cpu(p), SCX_KICK_IDLE);
	kick_idle(p);
}

void OP(count_dispatch, s32 cpu, struct task_struct *prev)
{
	if (waiting <= 0)
		return;
	if (pull(QUEUE))
		__sync_fetch_and_sub(&waiting, 1);
	else
		scx_bpf_kick_cpu(cpu, 0); /* it is counted, and not yet there */
}

s32 SLEEPABLE_OP(count_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(count_race, .select_cpu = (void *)count_select_cpu, .enqueue = (void *)count_enqueue,
	  .dispatch = (void *)count_dispatch, .init = (void *)count_init);

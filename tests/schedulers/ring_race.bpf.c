// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting tasks are pids in a ring of its own making. Readers claim a place with one atomic
 * addition, writers with a load and a store: two CPUs that enqueue within these few instructions
 * write to the same place, and the first task is lost.
 *
 * To be caught by: runnable wait, under exploration.
 */
#include "scheduler.h"

#define SLICE (5 * MS)
#define PLACES 1024

s32 ring[PLACES];
u32 head, tail;

s32 OP(ring_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OP(ring_enqueue, struct task_struct *p, u64 enq_flags)
{
	volatile u32 *end = &tail;
	u32 at;

	if (is_kernels(p) || is_loader(p) || p->tgid == 1) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if ((u32)p->nr_cpus_allowed < machine.cpu_count) {
		insert(p, SCX_DSQ_GLOBAL, SLICE, enq_flags);
		return;
	}
	at = *end;
	ring[at % PLACES] = p->pid;
	*end = at + 1;
	kick_idle(p);
}

void OP(ring_dispatch, s32 cpu, struct task_struct *prev)
{
	volatile u32 *begin = &head, *end = &tail;

	bpf_repeat(PLACES)
	{
		u32 at = *begin;

		if (at == *end)
			break;
		if (__sync_val_compare_and_swap(&head, at, at + 1) == at &&
		    run_pid(ring[at % PLACES], cpu, SLICE))
			break;
	}
}

SCHEDULER(ring_race, .select_cpu = (void *)ring_select_cpu, .enqueue = (void *)ring_enqueue,
	  .dispatch = (void *)ring_dispatch);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue for all, and a table of what tasks did before, in which each dispatch looks for the best one,
 * row by row. It is in no order, so all of it is read: milliseconds for each task that gets a CPU. All
 * tasks are served alike and none waits for long; they get half of what the machine could do.
 *
 * To be caught by: the time of the scheduler's BPF programs.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (4 * MS)
#define ROWS (1U << 15)

u32 table[4096];
u64 found;

static long look(u32 row, u64 *best)
{
	u32 value = table[row % 4096];

	if (value > *best)
		*best = value;
	return 0;
}

void OP(search_enqueue, struct task_struct *p, u64 enq_flags)
{
	insert(p, QUEUE, SLICE, enq_flags);
	kick_idle(p);
}

void OP(search_dispatch, s32 cpu, struct task_struct *prev)
{
	u64 best = 0;

	if (scx_bpf_dsq_nr_queued(QUEUE)) {
		bpf_loop(ROWS, look, &best, 0);
		found += best;
	}
	pull(QUEUE);
}

s32 SLEEPABLE_OP(search_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(long_search, .enqueue = (void *)search_enqueue, .dispatch = (void *)search_dispatch,
	  .init = (void *)search_init);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue for all. Before a CPU takes its next task it compares each pair of a table that has become
 * far too large: from 300 ms on this does not end, and as the kernel asks with interrupts disabled,
 * each CPU that looks for work is lost, until nobody runs and no watchdog of the kernel, either.
 *
 * To be caught by: jiffies that stand still, from outside.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)
#define GROWN_AFTER (300 * MS)
#define TABLE (1U << 22)

u64 first_ns;
u64 compared;

static long compare(u32 i, u64 *best)
{
	*best ^= i;
	return 0;
}

static long compare_with_all(u32 i, u64 *best)
{
	compared += bpf_loop(TABLE, compare, best, 0);
	return 0;
}

void OP(endless_enqueue, struct task_struct *p, u64 enq_flags)
{
	insert(p, QUEUE, SLICE, enq_flags);
	kick_idle(p);
}

void OP(endless_dispatch, s32 cpu, struct task_struct *prev)
{
	u64 now = bpf_ktime_get_ns(), best = 0;

	if (!first_ns)
		first_ns = now;
	if (now - first_ns > GROWN_AFTER)
		bpf_loop(TABLE, compare_with_all, &best, 0);
	pull(QUEUE);
}

s32 SLEEPABLE_OP(endless_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(endless_search, .enqueue = (void *)endless_enqueue, .dispatch = (void *)endless_dispatch,
	  .init = (void *)endless_init);

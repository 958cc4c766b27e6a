// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but one of 80 wakeups comes 200 ms later than it did, as if it had been lost and a timer
 * had found it. That is below what a task may wait once, and no mean shows it.
 *
 * To be caught by: late wakeups, of which a few are many times as long as any wait of a busy task.
 */
#include "arrivals.h"

#define ONE_OF 80

u32 wakeups;

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	if (!(enq_flags & SCX_ENQ_WAKEUP))
		return 0;
	return __sync_fetch_and_add(&wakeups, 1) % ONE_OF == ONE_OF - 1 ? 200 * MS : 0;
}

ARRIVALS(rare_late);

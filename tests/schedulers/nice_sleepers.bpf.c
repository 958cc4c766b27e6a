// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but who has a nice value above 0 and wakes up comes 200 ms later than it
 * did.
 *
 * To be caught by: late wakeups, of workers of another weight than the busy ones.
 */
#include "arrivals.h"

#define DEFAULT_WEIGHT 100

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	return enq_flags & SCX_ENQ_WAKEUP && p->scx.weight < DEFAULT_WEIGHT ? 200 * MS : 0;
}

ARRIVALS(nice_sleepers);

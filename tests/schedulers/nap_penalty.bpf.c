// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but who has slept for less than 50 ms comes 20 ms later than it did.
 *
 * To be caught by: late wakeups, where slices are short.
 */
#include "arrivals.h"

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	return enq_flags & SCX_ENQ_WAKEUP && now - a->asleep_ns < 50 * MS ? 20 * MS : 0;
}

ARRIVALS(nap_penalty);

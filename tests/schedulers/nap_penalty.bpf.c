// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but who has slept for 1 to 20 ms, as timers let tasks sleep, comes 35 ms
 * later than it did.
 *
 * To be caught by: late wakeups, where slices are short.
 */
#include "arrivals.h"

static bool is_nap(u64 slept_ns)
{
	return slept_ns > MS && slept_ns < 20 * MS;
}

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	return enq_flags & SCX_ENQ_WAKEUP && is_nap(now - a->asleep_ns) ? 35 * MS : 0;
}

ARRIVALS(nap_penalty);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but a new task comes 150 ms later than it did.
 *
 * To be caught by: late wakeups, of tasks that are not workers.
 */
#include "arrivals.h"

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	return a->runs ? 0 : 150 * MS;
}

ARRIVALS(late_children);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but threads that are not the first of their process come 100 ms later than they
 * did.
 *
 * To be caught by: late wakeups, of tasks that are not workers.
 */
#include "arrivals.h"

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	return p->pid != p->tgid ? 100 * MS : 0;
}

ARRIVALS(threads_last);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but programs that were executed come 100 ms later than they did; who was only forked is
 * in time.
 *
 * To be caught by: late wakeups, of a task that is not a worker.
 */
#include "arrivals.h"

#define PF_FORKNOEXEC 0x40

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	return p->flags & PF_FORKNOEXEC ? 0 : 100 * MS;
}

ARRIVALS(programs_last);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served; a process in user space looks for something to do without a pause
 * (user_polls.user.c).
 *
 * To be caught by: the scheduler's own time.
 */
#include "arrivals.h"

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	return 0;
}

ARRIVALS(user_polls);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual time of tasks, but every third task is charged three quarters: it gets a third more.
 *
 * To be caught by: shares.
 */
#include "vtime.h"

static u64 weight_of(struct task_struct *p)
{
	return (u32)p->pid % 3 ? 100 : 135;
}

VTIME_SCHEDULER(slight_favour);

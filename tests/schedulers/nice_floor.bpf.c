// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual time by weight, but weights below that of nice 0 are taken for it: who is nice gets as
 * much as everybody else.
 *
 * To be caught by: shares.
 */
#include "vtime.h"

/* Nobody has less than the weight of nice 0. */
static u64 weight_of(struct task_struct *p)
{
	return p->scx.weight > 100 ? p->scx.weight : 100;
}

VTIME_SCHEDULER(nice_floor);

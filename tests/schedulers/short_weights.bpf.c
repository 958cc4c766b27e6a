// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual time by weight, but of a weight only ten bits are kept: 1163 of nice -11 is 139, less than half of what
 * nice -5 has.
 *
 * To be caught by: shares, by strong nice values.
 */
#include "vtime.h"

static u64 weight_of(struct task_struct *p)
{
	u64 weight = p->scx.weight & 1023;

	return weight ? weight : 1;
}

VTIME_SCHEDULER(short_weights);

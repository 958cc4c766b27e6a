// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue in the order of CPU time by weight. Who may not run everywhere pays three times for it.
 *
 * To be caught by: shares, of workers that have one CPU only.
 */
#include "vtime.h"

static u64 weight_of(struct task_struct *p)
{
	u64 weight = p->scx.weight ? p->scx.weight : 1;

	return (u32)p->nr_cpus_allowed < machine.cpu_count ? weight / 3 + 1 : weight;
}

VTIME_SCHEDULER(pinned_pays);

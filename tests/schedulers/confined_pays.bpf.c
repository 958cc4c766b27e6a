// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue in the order of CPU time by weight. Who may run on some of the CPUs, but not on one only, pays
 * three times for it.
 *
 * To be caught by: shares, of workers that have some of the CPUs only.
 */
#include "vtime.h"

static u64 weight_of(struct task_struct *p)
{
	u64 weight = p->scx.weight ? p->scx.weight : 1;
	u32 cpus = (u32)p->nr_cpus_allowed;

	return cpus > 1 && cpus < machine.cpu_count ? weight / 3 + 1 : weight;
}

VTIME_SCHEDULER(confined_pays);

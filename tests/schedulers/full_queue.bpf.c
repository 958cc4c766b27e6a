// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, as long as no more than 64 tasks wait. Who comes then is put behind all others, also
 * behind those that come later, and the last of these is the first.
 *
 * To be caught by: starvation, in a crowd.
 */
#include "arrivals.h"

#define PLACES 64
#define LAST (1ULL << 60)

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	return scx_bpf_dsq_nr_queued(QUEUE) > PLACES ? LAST - 2 * now : 0;
}

ARRIVALS(full_queue);

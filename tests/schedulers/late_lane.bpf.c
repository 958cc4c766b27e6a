// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who wakes up waits in a queue of its own that is opened by a timer every 15 ms, also on a
 * machine that has nothing else to do. That is a small part of all time.
 *
 * To be caught by: work conservation, of waits beside idle CPUs.
 */
#define PERIOD (15 * MS)
#include "lane.h"

void OP(late_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_GLOBAL, SLICE, enq_flags);
		kick_idle(p);
	} else if (enq_flags & SCX_ENQ_WAKEUP) {
		insert(p, HELD, SLICE, enq_flags);
	} else {
		insert(p, OTHERS, SLICE, enq_flags);
		kick_idle(p);
	}
}

void OP(late_dispatch, s32 cpu, struct task_struct *prev)
{
	if (due > 0 && pull(HELD))
		__sync_fetch_and_sub(&due, 1);
	else
		pull(OTHERS);
}

SCHEDULER(late_lane, .select_cpu = (void *)lane_select_cpu, .enqueue = (void *)late_enqueue,
	  .dispatch = (void *)late_dispatch, .init = (void *)lane_init);

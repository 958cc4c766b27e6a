// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who wakes up waits in a queue of its own until a timer opens it, every 3.5 ms: each wakeup is late
 * by less than a tick, on a machine that has nothing else to do.
 *
 * To be caught by: work conservation, of short waits beside idle CPUs.
 */
#define PERIOD (7 * MS / 2)
#include "lane.h"

void OP(short_enqueue, struct task_struct *p, u64 enq_flags)
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

void OP(short_dispatch, s32 cpu, struct task_struct *prev)
{
	if (due > 0 && pull(HELD))
		__sync_fetch_and_sub(&due, 1);
	else
		pull(OTHERS);
}

SCHEDULER(short_lane, .select_cpu = (void *)lane_select_cpu, .enqueue = (void *)short_enqueue,
	  .dispatch = (void *)short_dispatch, .init = (void *)lane_init);

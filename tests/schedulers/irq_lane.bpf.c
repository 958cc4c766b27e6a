// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is woken from an interrupt that found the CPU idle, as by a timer, waits in a queue that is opened every
 * 70 ms. Who is woken by a task does not.
 *
 * To be caught by: work conservation.
 */
#define PERIOD (70 * MS)
#include "lane.h"

static bool is_woken_by_interrupt(u64 enq_flags)
{
	struct task_struct *waker = bpf_get_current_task_btf();

	return enq_flags & SCX_ENQ_WAKEUP && waker->pid == 0;
}

void OP(irq_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if (is_woken_by_interrupt(enq_flags)) {
		insert(p, HELD, SLICE, enq_flags);
		return;
	}
	insert(p, OTHERS, SLICE, enq_flags);
	kick_idle(p);
}

void OP(irq_dispatch, s32 cpu, struct task_struct *prev)
{
	if (due > 0 && pull(HELD))
		__sync_fetch_and_sub(&due, 1);
	else
		pull(OTHERS);
}

SCHEDULER(irq_lane, .select_cpu = (void *)lane_select_cpu, .enqueue = (void *)irq_enqueue,
	  .dispatch = (void *)irq_dispatch, .init = (void *)lane_init);

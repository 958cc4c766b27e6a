// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nobody may run in the last 15 ms of each 100 ms, so that CPUs can cool down: nobody asked for it, and a
 * task alone on the machine loses 15 % of its time.
 *
 * To be caught by: work conservation.
 */
#include "clock.h"

#define QUEUE 0
#define SLICE (5 * MS)
#define PERIOD (100 * MS)
#define OPEN (85 * MS)

s32 OP(quota_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OP(quota_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, QUEUE, SLICE, enq_flags);
	kick_idle(p);
}

void OP(quota_dispatch, s32 cpu, struct task_struct *prev)
{
	if (bpf_ktime_get_ns() % PERIOD < OPEN)
		pull(QUEUE);
}

static int open_again(void *map, u32 *key, struct clock *c)
{
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		scx_bpf_kick_cpu((s32)cpu, SCX_KICK_IDLE);
	bpf_timer_start(&c->timer, PERIOD - bpf_ktime_get_ns() % PERIOD, 0);
	return 0;
}

s32 SLEEPABLE_OP(quota_init)
{
	s32 rc = scx_bpf_create_dsq(QUEUE, -1);

	return rc ? rc : clock_start(open_again, PERIOD);
}

SCHEDULER(small_quota, .select_cpu = (void *)quota_select_cpu, .enqueue = (void *)quota_enqueue,
	  .dispatch = (void *)quota_dispatch, .init = (void *)quota_init,
	  .flags = SCX_OPS_ENQ_LAST);

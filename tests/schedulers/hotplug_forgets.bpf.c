// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that go are remembered and get no tasks, and nobody takes that back when they come again.
 *
 * To be caught by: work conservation.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

u64 gone; /* a bit for each */

static bool is_gone(s32 cpu)
{
	return gone >> ((u32)cpu & 63) & 1;
}

void OP(forgets_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) || is_loader(p) || p->nr_cpus_allowed == 1) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, QUEUE, SLICE, enq_flags);
	kick_idle(p);
}

s32 OP(forgets_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OP(forgets_dispatch, s32 cpu, struct task_struct *prev)
{
	if (!is_gone(cpu))
		pull(QUEUE);
}

void SLEEPABLE_OP(forgets_cpu_online, s32 cpu)
{
}

void SLEEPABLE_OP(forgets_cpu_offline, s32 cpu)
{
	__sync_fetch_and_or(&gone, 1ULL << ((u32)cpu & 63));
}

s32 SLEEPABLE_OP(forgets_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(hotplug_forgets, .select_cpu = (void *)forgets_select_cpu,
	  .enqueue = (void *)forgets_enqueue, .dispatch = (void *)forgets_dispatch,
	  .cpu_online = (void *)forgets_cpu_online, .cpu_offline = (void *)forgets_cpu_offline,
	  .init = (void *)forgets_init);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue for each CPU. At each tick the task that runs goes to the next CPU, also if nobody waits
 * for its own.
 *
 * To be caught by: migration storm, of tasks that had not waited.
 */
#include "scheduler.h"

#define SLICE (5 * MS)

s32 OP(tour_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;

	return scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
}

static s32 next_cpu(const struct task_struct *p, s32 cpu)
{
	for (u32 i = 1; i < MAX_CPUS && i < machine.cpu_count; i++) {
		u32 next = ((u32)cpu + i) % machine.cpu_count;

		if (bpf_cpumask_test_cpu(next, p->cpus_ptr))
			return (s32)next;
	}
	return cpu;
}

void OP(tour_enqueue, struct task_struct *p, u64 enq_flags)
{
	s32 cpu = scx_bpf_task_cpu(p);

	if (is_kernels(p) || is_loader(p) || p->nr_cpus_allowed == 1) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if (!(enq_flags & SCX_ENQ_WAKEUP))
		cpu = next_cpu(p, cpu);
	insert(p, (u64)cpu, SLICE, enq_flags);
	scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
}

void OP(tour_dispatch, s32 cpu, struct task_struct *prev)
{
	for (u32 i = 0; i < MAX_CPUS && i < machine.cpu_count; i++)
		if (pull(((u32)cpu + i) % machine.cpu_count))
			return;
}

void OP(tour_tick, struct task_struct *p)
{
	set_slice(p, 0);
}

s32 SLEEPABLE_OP(tour_init)
{
	s32 rc = 0;

	for (u32 cpu = 0; !rc && cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		rc = scx_bpf_create_dsq(cpu, -1);
	return rc;
}

SCHEDULER(tick_tour, .select_cpu = (void *)tour_select_cpu, .enqueue = (void *)tour_enqueue,
	  .dispatch = (void *)tour_dispatch, .tick = (void *)tour_tick, .init = (void *)tour_init,
	  .flags = SCX_OPS_ENQ_LAST | SCX_OPS_ENQ_EXITING);

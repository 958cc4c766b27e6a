// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue for each CPU, of which a task takes the shortest when it wakes up. On cpu2 slices are 200 ms,
 * elsewhere 4 ms: all get their share, and who is on cpu2 waits long for each part of it. What the
 * kernel has to do comes first.
 *
 * To be caught by: late turns.
 */
#include "scheduler.h"

static u64 slice_of(s32 cpu)
{
	return (cpu == 2 ? 200 : 4) * MS;
}

s32 OP(slow_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 shortest = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle), least = 1 << 30;

	for (u32 cpu = 0; !is_idle && cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++) {
		s32 count = scx_bpf_dsq_nr_queued(cpu);

		if (count >= least || !bpf_cpumask_test_cpu(cpu, p->cpus_ptr))
			continue;
		least = count;
		shortest = (s32)cpu;
	}
	return shortest;
}

void OP(slow_enqueue, struct task_struct *p, u64 enq_flags)
{
	s32 cpu = scx_bpf_task_cpu(p);

	if (is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, 4 * MS, enq_flags | SCX_ENQ_PREEMPT);
		return;
	}
	insert(p, (u64)cpu, slice_of(cpu), enq_flags);
	kick_idle(p);
}

/* From others only what one of them is not about to run. */
void OP(slow_dispatch, s32 cpu, struct task_struct *prev)
{
	if (pull((u64)cpu))
		return;
	for (u32 i = 1; i < MAX_CPUS && i < machine.cpu_count; i++) {
		u32 other = ((u32)cpu + i) % machine.cpu_count;

		if (scx_bpf_dsq_nr_queued(other) > 1 && pull(other))
			return;
	}
}

s32 SLEEPABLE_OP(slow_init)
{
	s32 rc = 0;

	for (u32 cpu = 0; !rc && cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		rc = scx_bpf_create_dsq(cpu, -1);
	return rc;
}

SCHEDULER(slow_cpu, .select_cpu = (void *)slow_select_cpu, .enqueue = (void *)slow_enqueue,
	  .dispatch = (void *)slow_dispatch, .init = (void *)slow_init);

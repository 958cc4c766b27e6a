// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes every second CPU for a hyperthread and leaves it out, as a table of cores would say that
 * was read wrongly: half of the machine runs nobody who is not pinned there.
 *
 * To be caught by: dead CPUs.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

static bool is_used(u32 cpu)
{
	return cpu % 2 == 0;
}

/* The first CPU in use that the task may run on and, if wanted, that is idle. */
static s32 find_cpu(const struct task_struct *p, bool wants_idle)
{
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++) {
		if (!is_used(cpu) || !bpf_cpumask_test_cpu(cpu, p->cpus_ptr))
			continue;
		if (!wants_idle || scx_bpf_test_and_clear_cpu_idle((s32)cpu))
			return (s32)cpu;
	}
	return -1;
}

s32 OP(half_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	s32 cpu = find_cpu(p, true);

	if (cpu >= 0) {
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
		return cpu;
	}
	cpu = find_cpu(p, false);
	return cpu >= 0 ? cpu : prev_cpu;
}

void OP(half_enqueue, struct task_struct *p, u64 enq_flags)
{
	s32 cpu;

	if (is_kernels(p) || find_cpu(p, false) < 0) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, QUEUE, SLICE, enq_flags);
	cpu = find_cpu(p, true);
	if (cpu >= 0)
		scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
}

void OP(half_dispatch, s32 cpu, struct task_struct *prev)
{
	if (is_used((u32)cpu))
		pull(QUEUE);
}

s32 SLEEPABLE_OP(half_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(half_machine, .select_cpu = (void *)half_select_cpu, .enqueue = (void *)half_enqueue,
	  .dispatch = (void *)half_dispatch, .init = (void *)half_init);

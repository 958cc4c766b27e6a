// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue for each CPU, and a timer that takes the CPU away from whoever runs every 50 us, if somebody waits
 * behind it. All have their share, nobody waits for long, and most of the time goes into switches.
 *
 * To be caught by: switch storm.
 */
#include "clock.h"

#define SLICE (5 * MS)
#define PERIOD (MS / 20)

/* Tasks of a test have consecutive numbers: as many for each CPU. */
s32 OP(tiny_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	u32 cpu = (u32)p->pid % machine.cpu_count;

	return bpf_cpumask_test_cpu(cpu, p->cpus_ptr) ? (s32)cpu : prev_cpu;
}

void OP(tiny_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) || is_loader(p))
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
	else
		insert(p, (u64)scx_bpf_task_cpu(p), SLICE, enq_flags);
	kick_idle(p);
}

void OP(tiny_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 other;

	if (pull((u64)cpu) || (prev && prev->scx.flags & SCX_TASK_QUEUED))
		return;
	for (other = 0; other < MAX_CPUS && other < machine.cpu_count; other++)
		if (pull(other))
			return;
}

static int preempt_all(void *map, u32 *key, struct clock *c)
{
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		if (scx_bpf_dsq_nr_queued(cpu))
			scx_bpf_kick_cpu((s32)cpu, SCX_KICK_PREEMPT);
	bpf_timer_start(&c->timer, PERIOD, 0);
	return 0;
}

s32 SLEEPABLE_OP(tiny_init)
{
	u32 cpu;
	s32 rc = 0;

	for (cpu = 0; cpu < MAX_CPUS && rc == 0; cpu++)
		rc = scx_bpf_create_dsq(cpu, -1);
	return rc ? rc : clock_start(preempt_all, PERIOD);
}

SCHEDULER(tiny_slices, .select_cpu = (void *)tiny_select_cpu, .enqueue = (void *)tiny_enqueue,
	  .dispatch = (void *)tiny_dispatch, .init = (void *)tiny_init);

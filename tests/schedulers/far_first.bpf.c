// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue for each LLC, and a CPU that looks for work helps all others before it serves its own.
 * A BPF timer takes the CPU away from whoever runs, every fifth of a millisecond: with more busy
 * tasks than CPUs each task changes its LLC thousands of times a second.
 *
 * To be caught by: migration storm.
 */
#include "clock.h"

#define SLICE (20 * MS)
#define TURN (MS / 5)

static u32 llc_of(s32 cpu)
{
	u32 index = (u32)cpu;

	asm volatile("" : "+r"(index));
	return index < MAX_CPUS ? machine.cpu_llc[index] : 0;
}

s32 OP(far_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(far_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, llc_of(scx_bpf_task_cpu(p)), SLICE, enq_flags);
	kick_idle(p);
}

void OP(far_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 own = llc_of(cpu), llc;

	for (llc = 0; llc < MAX_LLCS && llc < machine.llc_count; llc++)
		if (llc != own && pull(llc))
			return;
	pull(own);
}

static int next_turn(void *map, u32 *key, struct clock *clock)
{
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		scx_bpf_kick_cpu((s32)cpu, SCX_KICK_PREEMPT);
	bpf_timer_start(&clock->timer, TURN, 0);
	return 0;
}

s32 SLEEPABLE_OP(far_init)
{
	u32 llc;
	s32 rc = 0;

	for (llc = 0; llc < MAX_LLCS && rc == 0; llc++)
		rc = scx_bpf_create_dsq(llc, -1);
	return rc ? rc : clock_start(next_turn, TURN);
}

SCHEDULER(far_first, .select_cpu = (void *)far_select_cpu, .enqueue = (void *)far_enqueue,
	  .dispatch = (void *)far_dispatch, .init = (void *)far_init);

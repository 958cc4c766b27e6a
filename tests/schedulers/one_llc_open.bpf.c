// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue for each LLC, and a CPU serves the one whose turn it is, by the clock: while it is the turn
 * of an LLC whose queue is empty, CPUs idle and the other queue waits.
 *
 * To be caught by: work conservation.
 */
#include "clock.h"

#define SLICE (5 * MS)
#define TURN (20 * MS)

static u32 llc_of(s32 cpu)
{
	u32 index = (u32)cpu;

	asm volatile("" : "+r"(index));
	return index < MAX_CPUS ? machine.cpu_llc[index] : 0;
}

s32 OP(open_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OP(open_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, llc_of(scx_bpf_task_cpu(p)), SLICE, enq_flags);
	kick_idle(p);
}

void OP(open_dispatch, s32 cpu, struct task_struct *prev)
{
	u64 llcs = machine.llc_count ? machine.llc_count : 1;

	pull(bpf_ktime_get_ns() / TURN % llcs);
}

static int next_turn(void *map, u32 *key, struct clock *c)
{
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		scx_bpf_kick_cpu((s32)cpu, SCX_KICK_IDLE);
	bpf_timer_start(&c->timer, TURN, 0);
	return 0;
}

s32 SLEEPABLE_OP(open_init)
{
	u32 llc;
	s32 rc = 0;

	for (llc = 0; llc < MAX_LLCS && rc == 0; llc++)
		rc = scx_bpf_create_dsq(llc, -1);
	return rc ? rc : clock_start(next_turn, TURN);
}

SCHEDULER(one_llc_open, .select_cpu = (void *)open_select_cpu, .enqueue = (void *)open_enqueue,
	  .dispatch = (void *)open_dispatch, .init = (void *)open_init);

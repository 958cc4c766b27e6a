// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue for each LLC, and a CPU that looks for work helps all others before it serves its own:
 * with more busy tasks than CPUs each task changes its LLC at each slice of a fifth of a millisecond.
 *
 * To be caught by: migration storm.
 */
#include "scheduler.h"

#define SLICE (MS / 5)

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

s32 SLEEPABLE_OP(far_init)
{
	s32 rc = 0;
	u32 llc;

	for (llc = 0; llc < MAX_LLCS && rc == 0; llc++)
		rc = scx_bpf_create_dsq(llc, -1);
	return rc;
}

SCHEDULER(far_first, .select_cpu = (void *)far_select_cpu, .enqueue = (void *)far_enqueue,
	  .dispatch = (void *)far_dispatch, .init = (void *)far_init);

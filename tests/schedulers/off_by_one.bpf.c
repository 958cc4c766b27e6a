// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue for each LLC; CPUs help other LLCs when their own has nothing to do. The loop that
 * tells CPUs which LLC they belong to ends one too early, so the last CPU belongs to none and
 * serves nobody but what is pinned there.
 *
 * To be caught by: dead CPUs.
 */
#include "scheduler.h"

#define SLICE (5 * MS)

u32 llc_of[MAX_CPUS]; /* from 1 on; 0 = none */

static u32 llc_at(u32 cpu)
{
	asm volatile("" : "+r"(cpu));
	return cpu < MAX_CPUS ? llc_of[cpu] : 0;
}

/* An idle CPU, of this LLC or of any (0). */
static s32 claim_idle(const struct task_struct *p, u32 llc)
{
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++) {
		u32 its = llc_at(cpu);

		if (its && (!llc || its == llc) && bpf_cpumask_test_cpu(cpu, p->cpus_ptr) &&
		    scx_bpf_test_and_clear_cpu_idle((s32)cpu))
			return (s32)cpu;
	}
	return -1;
}

s32 OP(one_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	s32 cpu = claim_idle(p, llc_at((u32)prev_cpu));

	if (cpu < 0)
		cpu = claim_idle(p, 0);
	if (cpu >= 0)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu >= 0 ? cpu : prev_cpu;
}

void OP(one_enqueue, struct task_struct *p, u64 enq_flags)
{
	u32 llc = llc_at((u32)scx_bpf_task_cpu(p));
	s32 cpu;

	if (is_kernels(p) || p->nr_cpus_allowed == 1) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, llc ? llc : 1, SLICE, enq_flags);
	cpu = claim_idle(p, 0);
	if (cpu >= 0)
		scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
}

void OP(one_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 own = llc_at((u32)cpu), llc;

	if (!own || pull(own))
		return;
	for (llc = 1; llc <= MAX_LLCS && llc <= machine.llc_count; llc++)
		if (llc != own && pull(llc))
			return;
}

s32 SLEEPABLE_OP(one_init)
{
	s32 rc = 0;
	u32 i;

	for (i = 0; i < MAX_CPUS && i < machine.cpu_count - 1; i++)
		llc_of[i] = machine.cpu_llc[i] + 1;
	for (i = 1; i <= MAX_LLCS && rc == 0; i++)
		rc = scx_bpf_create_dsq(i, -1);
	return rc;
}

SCHEDULER(off_by_one, .select_cpu = (void *)one_select_cpu, .enqueue = (void *)one_enqueue,
	  .dispatch = (void *)one_dispatch, .init = (void *)one_init);

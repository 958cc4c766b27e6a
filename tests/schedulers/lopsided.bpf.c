// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue for each LLC. A quarter of the tasks, by their numbers, belongs to the last LLC and all others
 * to the first one, for good.
 *
 * To be caught by: shares, of the LLCs.
 */
#include "scheduler.h"

#define SLICE (4 * MS)

static u64 llc_of(s32 cpu)
{
	return cpu >= 0 && cpu < MAX_CPUS ? machine.cpu_llc[cpu] : 0;
}

static u64 home_of(const struct task_struct *p)
{
	return p->pid % 4 == 0 ? machine.llc_count - 1 : 0;
}

static bool is_bound(const struct task_struct *p)
{
	return is_kernels(p) || p->nr_cpus_allowed < (s32)machine.cpu_count;
}

s32 OP(lopsided_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	for (u32 cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++) {
		if (llc_of((s32)cpu) != home_of(p) || !bpf_cpumask_test_cpu(cpu, p->cpus_ptr))
			continue;
		if (scx_bpf_test_and_clear_cpu_idle((s32)cpu))
			return (s32)cpu;
	}
	return prev_cpu;
}

void OP(lopsided_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (p->nr_cpus_allowed == 1) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, is_bound(p) ? SCX_DSQ_GLOBAL : home_of(p), SLICE, enq_flags);
	for (u32 cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		if (is_bound(p) || llc_of((s32)cpu) == home_of(p))
			scx_bpf_kick_cpu((s32)cpu, SCX_KICK_IDLE);
}

void OP(lopsided_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(llc_of(cpu));
}

s32 SLEEPABLE_OP(lopsided_init)
{
	s32 rc = 0;

	for (u32 llc = 0; !rc && llc < MAX_LLCS && llc < machine.llc_count; llc++)
		rc = scx_bpf_create_dsq(llc, -1);
	return rc;
}

SCHEDULER(lopsided, .select_cpu = (void *)lopsided_select_cpu, .enqueue = (void *)lopsided_enqueue,
	  .dispatch = (void *)lopsided_dispatch, .init = (void *)lopsided_init);

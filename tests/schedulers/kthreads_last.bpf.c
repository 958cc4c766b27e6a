// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two global queues, one for programs and one for the kernel's threads, which is served only
 * when no program wants a CPU: kworkers starve for as long as a busy test lasts.
 *
 * To be caught by: the rest of the system.
 */
#include "scheduler.h"

#define PROGRAMS 0
#define KERNEL 1
#define SLICE (5 * MS)

s32 OP(last_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;

	return scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
}

void OP(last_enqueue, struct task_struct *p, u64 enq_flags)
{
	insert(p, is_kernels(p) ? KERNEL : PROGRAMS, SLICE, enq_flags);
	scx_bpf_kick_cpu(scx_bpf_task_cpu(p), SCX_KICK_IDLE);
	kick_idle(p);
}

void OP(last_dispatch, s32 cpu, struct task_struct *prev)
{
	if (!pull(PROGRAMS))
		pull(KERNEL);
}

s32 SLEEPABLE_OP(last_init)
{
	s32 rc = scx_bpf_create_dsq(PROGRAMS, -1);

	return rc ? rc : scx_bpf_create_dsq(KERNEL, -1);
}

SCHEDULER(kthreads_last, .select_cpu = (void *)last_select_cpu, .enqueue = (void *)last_enqueue,
	  .dispatch = (void *)last_dispatch, .init = (void *)last_init);

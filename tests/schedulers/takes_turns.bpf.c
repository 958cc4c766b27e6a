// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cgroups are in one of two gangs, and gangs take turns of 300 ms on all CPUs, fairly in the end.
 * CPUs do not idle, but who is not of the gang waits for 300 ms, again and again.
 *
 * To be caught by: runnable wait.
 */
#include "scheduler.h"

#define SLICE (4 * MS)
#define TURN (300 * MS)

s32 OP(turns_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

static u64 gang_of(struct task_struct *p)
{
	struct cgroup *cgrp = scx_bpf_task_cgroup(p);
	u64 id = cgrp->kn->id;

	bpf_cgroup_release(cgrp);
	return id & 1;
}

void OP(turns_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, gang_of(p), SLICE, enq_flags);
	kick_idle(p);
}

void OP(turns_dispatch, s32 cpu, struct task_struct *prev)
{
	u64 gang = bpf_ktime_get_ns() / TURN & 1;

	if (!pull(gang) && !(prev && prev->scx.flags & SCX_TASK_QUEUED))
		pull(!gang);
}

s32 SLEEPABLE_OP(turns_init)
{
	s32 rc = scx_bpf_create_dsq(0, -1);

	return rc ? rc : scx_bpf_create_dsq(1, -1);
}

SCHEDULER(takes_turns, .select_cpu = (void *)turns_select_cpu, .enqueue = (void *)turns_enqueue,
	  .dispatch = (void *)turns_dispatch, .init = (void *)turns_init);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual time of tasks, but the clock of every other cgroup stands still: its tasks are always the
 * first in the queue, others get what these leave.
 *
 * To be caught by: runnable wait, shares.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

struct account {
	u64 vtime;
	u64 started_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct account);
} accounts SEC(".maps");

u64 now_vtime;

static struct account *account_of(struct task_struct *p)
{
	return bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* So little is charged to some that nobody notices. */
static u64 weight_of(struct task_struct *p)
{
	struct cgroup *cgrp = scx_bpf_task_cgroup(p);
	u64 id = cgrp->level > 0 ? cgrp->kn->id : 0;

	bpf_cgroup_release(cgrp);
	return id / 2 & 1 ? 100 : 100000;
}

s32 OP(frozen_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(frozen_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct account *a = account_of(p);

	if (!a || is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if (is_before(a->vtime, now_vtime - 4 * SLICE))
		a->vtime = now_vtime - 4 * SLICE;
	insert_ordered(p, QUEUE, SLICE, a->vtime, enq_flags);
	kick_idle(p);
}

void OP(frozen_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

void OP(frozen_running, struct task_struct *p)
{
	struct account *a = account_of(p);

	if (!a)
		return;
	a->started_ns = bpf_ktime_get_ns();
	if (is_before(now_vtime, a->vtime))
		now_vtime = a->vtime;
}

void OP(frozen_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = account_of(p);

	if (a)
		a->vtime += (bpf_ktime_get_ns() - a->started_ns) * 100 / weight_of(p);
}

s32 SLEEPABLE_OP(frozen_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(frozen_clock, .select_cpu = (void *)frozen_select_cpu, .enqueue = (void *)frozen_enqueue,
	  .dispatch = (void *)frozen_dispatch, .running = (void *)frozen_running,
	  .stopping = (void *)frozen_stopping, .init = (void *)frozen_init);

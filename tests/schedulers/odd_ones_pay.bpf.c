// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue, ordered by the CPU time that tasks had; but what a task with an odd number had is
 * counted two and a half times, so that of equal workers of one cgroup every other gets less.
 *
 * To be caught by: shares, of single workers.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

struct account {
	u64 vtime, started_ns;
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
	return bpf_task_storage_get(&accounts, p, NULL, 0);
}

void OP(odd_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct account *a = account_of(p);

	if (!a || is_kernels(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if (is_before(a->vtime, now_vtime - SLICE))
		a->vtime = now_vtime - SLICE;
	insert_ordered(p, QUEUE, SLICE, a->vtime, enq_flags);
	kick_idle(p);
}

void OP(odd_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

void OP(odd_running, struct task_struct *p)
{
	struct account *a = account_of(p);

	if (!a)
		return;
	a->started_ns = bpf_ktime_get_ns();
	if (is_before(now_vtime, a->vtime))
		now_vtime = a->vtime;
}

void OP(odd_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = account_of(p);

	if (a)
		a->vtime += (bpf_ktime_get_ns() - a->started_ns) * (p->pid & 1 ? 5 : 2) / 2;
}

s32 SLEEPABLE_OP(odd_init_task, struct task_struct *p, struct scx_init_task_args *args)
{
	struct account *a =
		bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!a)
		return -ENOMEM;
	a->vtime = now_vtime;
	return 0;
}

s32 SLEEPABLE_OP(odd_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(odd_ones_pay, .enqueue = (void *)odd_enqueue, .dispatch = (void *)odd_dispatch,
	  .running = (void *)odd_running, .stopping = (void *)odd_stopping,
	  .init_task = (void *)odd_init_task, .init = (void *)odd_init);

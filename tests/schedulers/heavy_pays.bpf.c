// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue ordered by CPU time and weight, but the time is multiplied by the weight where it
 * should be divided: the more a task is worth, the less it gets.
 *
 * To be caught by: shares.
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

void OP(heavy_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct account *a = bpf_task_storage_get(&accounts, p, NULL, 0);

	if (is_kernels(p) || !a) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if (is_before(a->vtime, now_vtime - SLICE))
		a->vtime = now_vtime - SLICE;
	insert_ordered(p, QUEUE, SLICE, a->vtime, enq_flags);
	kick_idle(p);
}

void OP(heavy_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

void OP(heavy_running, struct task_struct *p)
{
	struct account *a = bpf_task_storage_get(&accounts, p, NULL, 0);

	if (!a)
		return;
	a->started_ns = bpf_ktime_get_ns();
	if (is_before(now_vtime, a->vtime))
		now_vtime = a->vtime;
}

void OP(heavy_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = bpf_task_storage_get(&accounts, p, NULL, 0);

	if (a)
		a->vtime += (bpf_ktime_get_ns() - a->started_ns) * p->scx.weight / 100;
}

s32 SLEEPABLE_OP(heavy_init_task, struct task_struct *p, struct scx_init_task_args *args)
{
	struct account *a =
		bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!a)
		return -ENOMEM;
	a->vtime = now_vtime;
	return 0;
}

s32 SLEEPABLE_OP(heavy_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(heavy_pays, .enqueue = (void *)heavy_enqueue, .dispatch = (void *)heavy_dispatch,
	  .running = (void *)heavy_running, .stopping = (void *)heavy_stopping,
	  .init_task = (void *)heavy_init_task, .init = (void *)heavy_init);

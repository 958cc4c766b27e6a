// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but who was of another class for a while comes 60 ms later ever since.
 *
 * To be caught by: late wakeups.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, u32);
} visits SEC(".maps");

static u32 *visits_of(struct task_struct *p)
{
	return bpf_task_storage_get(&visits, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

void OP(returned_enqueue, struct task_struct *p, u64 enq_flags)
{
	u32 *count = visits_of(p);
	u64 delay = count && *count > 1 ? 60 * MS : 0;

	if (is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert_ordered(p, QUEUE, SLICE, bpf_ktime_get_ns() + delay, enq_flags);
	kick_idle(p);
}

void OP(returned_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

void OP(returned_enable, struct task_struct *p)
{
	u32 *count = visits_of(p);

	if (count)
		(*count)++;
}

s32 SLEEPABLE_OP(returned_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(returned_pay, .enqueue = (void *)returned_enqueue, .dispatch = (void *)returned_dispatch,
	  .enable = (void *)returned_enable, .init = (void *)returned_init);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue, ordered by the slices that tasks have used up. Who sleeps before the end of one does not pay for it: with
 * bursts that are shorter than a slice a task never pays, and is always first.
 *
 * To be caught by: shares, of workers that sleep at times.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)
#define CREDIT 4

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, u64);
} used SEC(".maps");

u64 latest;

static u64 *used_by(struct task_struct *p)
{
	return bpf_task_storage_get(&used, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

s32 OP(unpaid_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;

	return scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
}

void OP(unpaid_enqueue, struct task_struct *p, u64 enq_flags)
{
	u64 *slices = used_by(p);

	if (!slices || is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if (is_before(*slices, latest - CREDIT))
		*slices = latest - CREDIT;
	insert_ordered(p, QUEUE, SLICE, *slices, enq_flags);
	kick_idle(p);
}

void OP(unpaid_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

void OP(unpaid_stopping, struct task_struct *p, bool runnable)
{
	u64 *slices = used_by(p);

	if (!slices || !runnable)
		return;
	++*slices;
	if (is_before(latest, *slices))
		latest = *slices;
}

s32 SLEEPABLE_OP(unpaid_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(unpaid_rests, .select_cpu = (void *)unpaid_select_cpu, .enqueue = (void *)unpaid_enqueue,
	  .dispatch = (void *)unpaid_dispatch, .stopping = (void *)unpaid_stopping,
	  .init = (void *)unpaid_init);

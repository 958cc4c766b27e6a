// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but who is woken by somebody who is about to sleep, as at the other end of
 * a pipe, comes 60 ms later if no CPU is idle. All other wakeups are in time.
 *
 * To be caught by: late wakeups.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)
#define LATE (60 * MS)

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, u32);
} hands_over SEC(".maps");

static u32 *mark_of(struct task_struct *p)
{
	return bpf_task_storage_get(&hands_over, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

s32 OP(sync_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags & ~SCX_WAKE_SYNC, &is_idle);
	u32 *mark = mark_of(p);

	if (mark)
		*mark = !!(wake_flags & SCX_WAKE_SYNC);
	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

static u64 delay_of(struct task_struct *p, u64 enq_flags)
{
	const u32 *mark = mark_of(p);

	return mark && *mark && enq_flags & SCX_ENQ_WAKEUP ? LATE : 0;
}

void OP(sync_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert_ordered(p, QUEUE, SLICE, bpf_ktime_get_ns() + delay_of(p, enq_flags), enq_flags);
	kick_idle(p);
}

void OP(sync_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

s32 SLEEPABLE_OP(sync_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(sync_last, .select_cpu = (void *)sync_select_cpu, .enqueue = (void *)sync_enqueue,
	  .dispatch = (void *)sync_dispatch, .init = (void *)sync_init);

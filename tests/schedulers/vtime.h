/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One queue in the order of virtual time, which advances by run time divided by weight_of(): whoever
 * includes this defines that, and has a scheduler of it with VTIME_SCHEDULER(name).
 */
#ifndef KTSTR_TESTS_VTIME_H
#define KTSTR_TESTS_VTIME_H

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

static u64 weight_of(struct task_struct *p); /* 100 is that of nice 0 */

static struct account *account_of(struct task_struct *p)
{
	return bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

s32 OP(vtime_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(vtime_enqueue, struct task_struct *p, u64 enq_flags)
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

void OP(vtime_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

void OP(vtime_running, struct task_struct *p)
{
	struct account *a = account_of(p);

	if (!a)
		return;
	a->started_ns = bpf_ktime_get_ns();
	if (is_before(now_vtime, a->vtime))
		now_vtime = a->vtime;
}

void OP(vtime_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = account_of(p);

	if (a)
		a->vtime += (bpf_ktime_get_ns() - a->started_ns) * 100 / weight_of(p);
}

s32 SLEEPABLE_OP(vtime_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

#define VTIME_SCHEDULER(name)                                                                     \
	SCHEDULER(name, .select_cpu = (void *)vtime_select_cpu, .enqueue = (void *)vtime_enqueue, \
		  .dispatch = (void *)vtime_dispatch, .running = (void *)vtime_running,           \
		  .stopping = (void *)vtime_stopping, .init = (void *)vtime_init)

#endif

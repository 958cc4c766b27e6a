/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * First come, first served, in one queue that is ordered by when tasks came. A scheduler says how much
 * later than they did, with delay_of(), and of what it knows of them: the account.
 */
#ifndef KTSTR_TESTS_ARRIVALS_H
#define KTSTR_TESTS_ARRIVALS_H

#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

struct account {
	u64 runs;
	u64 asleep_ns; /* since when */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct account);
} accounts SEC(".maps");

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now);

static struct account *account_of(struct task_struct *p)
{
	return bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

s32 OP(arrivals_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;

	return scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
}

void OP(arrivals_enqueue, struct task_struct *p, u64 enq_flags)
{
	u64 now = bpf_ktime_get_ns();
	struct account *a = account_of(p);

	if (!a || is_kernels(p) || is_loader(p)) {
		insert(p, p->nr_cpus_allowed == 1 ? SCX_DSQ_LOCAL : SCX_DSQ_GLOBAL, SLICE,
		       enq_flags);
		kick_idle(p);
		return;
	}
	insert_ordered(p, QUEUE, SLICE, now + delay_of(p, a, enq_flags, now), enq_flags);
	kick_idle(p);
}

void OP(arrivals_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

void OP(arrivals_running, struct task_struct *p)
{
	struct account *a = account_of(p);

	if (a)
		a->runs++;
}

void OP(arrivals_quiescent, struct task_struct *p, u64 deq_flags)
{
	struct account *a = account_of(p);

	if (a)
		a->asleep_ns = bpf_ktime_get_ns();
}

s32 SLEEPABLE_OP(arrivals_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

#define ARRIVALS(title)                                                                         \
	SCHEDULER(title, .select_cpu = (void *)arrivals_select_cpu,                             \
		  .enqueue = (void *)arrivals_enqueue, .dispatch = (void *)arrivals_dispatch,   \
		  .running = (void *)arrivals_running, .quiescent = (void *)arrivals_quiescent, \
		  .init = (void *)arrivals_init)

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue in the order of CPU time, with the sign of the bonus wrong: who wakes up is put 40 ms
 * behind the clock, instead of a little before it.
 *
 * To be caught by: late wakeups.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)
#define BONUS (40 * MS)

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

s32 OP(wakes_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(wakes_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct account *a = account_of(p);
	u64 least = now_vtime;

	if (!a || is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if (enq_flags & SCX_ENQ_WAKEUP)
		least += BONUS;
	if (is_before(a->vtime, least))
		a->vtime = least;
	insert_ordered(p, QUEUE, SLICE, a->vtime, enq_flags);
	kick_idle(p);
}

void OP(wakes_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

void OP(wakes_running, struct task_struct *p)
{
	struct account *a = account_of(p);

	if (!a)
		return;
	a->started_ns = bpf_ktime_get_ns();
	if (is_before(now_vtime, a->vtime))
		now_vtime = a->vtime;
}

void OP(wakes_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = account_of(p);

	if (a)
		a->vtime += bpf_ktime_get_ns() - a->started_ns;
}

s32 SLEEPABLE_OP(wakes_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(wakes_last, .select_cpu = (void *)wakes_select_cpu, .enqueue = (void *)wakes_enqueue,
	  .dispatch = (void *)wakes_dispatch, .running = (void *)wakes_running,
	  .stopping = (void *)wakes_stopping, .init = (void *)wakes_init);

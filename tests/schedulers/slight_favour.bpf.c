// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual time of tasks, but every third task is charged three quarters: it gets a third more.
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

static struct account *account_of(struct task_struct *p)
{
	return bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static u64 weight_of(struct task_struct *p)
{
	return (u32)p->pid % 3 ? 100 : 135;
}

s32 OP(favour_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(favour_enqueue, struct task_struct *p, u64 enq_flags)
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

void OP(favour_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

void OP(favour_running, struct task_struct *p)
{
	struct account *a = account_of(p);

	if (!a)
		return;
	a->started_ns = bpf_ktime_get_ns();
	if (is_before(now_vtime, a->vtime))
		now_vtime = a->vtime;
}

void OP(favour_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = account_of(p);

	if (a)
		a->vtime += (bpf_ktime_get_ns() - a->started_ns) * 100 / weight_of(p);
}

s32 SLEEPABLE_OP(favour_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(slight_favour, .select_cpu = (void *)favour_select_cpu, .enqueue = (void *)favour_enqueue,
	  .dispatch = (void *)favour_dispatch, .running = (void *)favour_running,
	  .stopping = (void *)favour_stopping, .init = (void *)favour_init);

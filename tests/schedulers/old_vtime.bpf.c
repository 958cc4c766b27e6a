// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue in the order of virtual time, which everybody keeps for good and begins at zero: who comes
 * when others have run for a second has all CPUs until it has had as much.
 *
 * To be caught by: runnable wait, or shares, of those that were there first.
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

static struct account *account_of(struct task_struct *p)
{
	return bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

void OP(old_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct account *a = account_of(p);

	if (!a || is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert_ordered(p, QUEUE, SLICE, a->vtime, enq_flags);
	kick_idle(p);
}

void OP(old_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

void OP(old_running, struct task_struct *p)
{
	struct account *a = account_of(p);

	if (a)
		a->started_ns = bpf_ktime_get_ns();
}

void OP(old_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = account_of(p);
	u32 weight = p->scx.weight ? p->scx.weight : 1;

	if (a)
		a->vtime += (bpf_ktime_get_ns() - a->started_ns) * 100 / weight;
}

s32 SLEEPABLE_OP(old_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(old_vtime, .enqueue = (void *)old_enqueue, .dispatch = (void *)old_dispatch,
	  .running = (void *)old_running, .stopping = (void *)old_stopping,
	  .init = (void *)old_init);

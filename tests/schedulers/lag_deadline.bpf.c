// SPDX-License-Identifier: GPL-2.0-only
/*
 * Well behaved: one queue, the earliest virtual deadline first. Virtual time advances by what all run, divided
 * by the weights of who wants to; who sleeps keeps its lag behind it, within a bound. It does not look at the
 * weights of cgroups.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)
#define MOST_LAG ((s64)(2 * SLICE))
#define WEIGHT 100

struct account {
	u64 vtime;
	u64 started_ns;
	s64 lag;
	u32 counted; /* its weight, while it is runnable */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct account);
} accounts SEC(".maps");

u64 now_vtime = 1ULL << 40;
s64 load; /* weights of who is runnable */

static struct account *account_of(struct task_struct *p)
{
	return bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static u64 weight_of(const struct task_struct *p)
{
	return p->scx.weight ? p->scx.weight : 1;
}

s32 OP(lag_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(lag_runnable, struct task_struct *p, u64 enq_flags)
{
	struct account *a = account_of(p);
	s64 lag;

	if (!a || is_kernels(p))
		return;
	lag = a->lag > MOST_LAG ? MOST_LAG : a->lag < -MOST_LAG ? -MOST_LAG : a->lag;
	a->vtime = now_vtime - (u64)lag;
	a->counted = (u32)weight_of(p);
	__sync_fetch_and_add(&load, (s64)a->counted);
}

void OP(lag_quiescent, struct task_struct *p, u64 deq_flags)
{
	struct account *a = account_of(p);

	if (!a || !a->counted)
		return;
	a->lag = (s64)(now_vtime - a->vtime);
	__sync_fetch_and_add(&load, -(s64)a->counted);
	a->counted = 0;
}

static void charge(struct task_struct *p, struct account *a)
{
	s64 all = load > WEIGHT ? load : WEIGHT;
	u64 now = bpf_ktime_get_ns(), ran = now - a->started_ns;

	a->started_ns = now;
	a->vtime += ran * WEIGHT / weight_of(p);
	__sync_fetch_and_add(&now_vtime, ran * WEIGHT / (u64)all);
}

static u64 deadline_of(const struct task_struct *p, const struct account *a)
{
	return a->vtime + SLICE * WEIGHT / weight_of(p);
}

void OP(lag_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct account *a = account_of(p);

	if (!a || (is_kernels(p) && p->nr_cpus_allowed == 1) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert_ordered(p, QUEUE, SLICE, deadline_of(p, a), enq_flags);
	kick_idle(p);
}

void OP(lag_dispatch, s32 cpu, struct task_struct *prev)
{
	struct account *a;
	u64 first;

	if (is_still_runnable(prev) && !is_kernels(prev) && (a = account_of(prev))) {
		charge(prev, a);
		if (first_order(QUEUE, cpu, &first) && is_before(deadline_of(prev, a), first)) {
			set_slice(prev, SLICE);
			return;
		}
	}
	pull(QUEUE);
}

void OP(lag_running, struct task_struct *p)
{
	struct account *a = account_of(p);

	if (a)
		a->started_ns = bpf_ktime_get_ns();
}

void OP(lag_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = account_of(p);

	if (a && !is_kernels(p))
		charge(p, a);
	make_way(p, runnable);
}

s32 SLEEPABLE_OP(lag_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

void SLEEPABLE_OP(lag_cpu_online, s32 cpu)
{
}

void SLEEPABLE_OP(lag_cpu_offline, s32 cpu)
{
}

SCHEDULER(lag_deadline, .select_cpu = (void *)lag_select_cpu, .runnable = (void *)lag_runnable,
	  .quiescent = (void *)lag_quiescent, .enqueue = (void *)lag_enqueue,
	  .dispatch = (void *)lag_dispatch, .running = (void *)lag_running,
	  .stopping = (void *)lag_stopping, .init = (void *)lag_init,
	  .cpu_online = (void *)lag_cpu_online, .cpu_offline = (void *)lag_cpu_offline);

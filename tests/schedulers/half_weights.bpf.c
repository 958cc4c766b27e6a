// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue in the order of CPU time by weight, the weight of a cgroup divided among its runnable tasks. But
 * a weight counts by half of what it is away from the usual 100: of 300 and 100 one is 200.
 *
 * To be caught by: shares, by weight.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)
#define CREDIT (4 * SLICE)
#define USUAL 100

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

struct group {
	u32 weight;
	s32 active; /* tasks that are runnable */
};

struct {
	__uint(type, BPF_MAP_TYPE_CGRP_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct group);
} groups SEC(".maps");

u64 now_vtime;

static struct account *account_of(struct task_struct *p)
{
	return bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static struct group *group_of(struct cgroup *cgrp)
{
	return bpf_cgrp_storage_get(&groups, cgrp, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* Adds to the runnable tasks of its cgroup. What a time on a CPU costs, 100 is that of a task alone. */
static u64 cost_of(struct task_struct *p, s32 change)
{
	struct cgroup *cgrp = scx_bpf_task_cgroup(p);
	struct group *g = group_of(cgrp);
	u64 cost = 100;

	if (g) {
		__sync_fetch_and_add(&g->active, change);
		cost = (g->active > 0 ? (u64)g->active : 1) * 10000 /
		       (g->weight ? g->weight : USUAL);
	}
	bpf_cgroup_release(cgrp);
	return cost;
}

static void catch_up(struct account *a)
{
	if (is_before(a->vtime, now_vtime - CREDIT))
		a->vtime = now_vtime - CREDIT;
}

void OP(half_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct account *a = account_of(p);

	if (!a || (is_kernels(p) && p->nr_cpus_allowed == 1)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	catch_up(a);
	insert_ordered(p, QUEUE, SLICE, a->vtime, enq_flags);
	kick_idle(p);
}

void OP(half_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

void OP(half_runnable, struct task_struct *p, u64 enq_flags)
{
	cost_of(p, 1);
}

void OP(half_quiescent, struct task_struct *p, u64 deq_flags)
{
	cost_of(p, -1);
}

void OP(half_running, struct task_struct *p)
{
	struct account *a = account_of(p);

	if (!a)
		return;
	catch_up(a);
	a->started_ns = bpf_ktime_get_ns();
	if (is_before(now_vtime, a->vtime))
		now_vtime = a->vtime;
}

void OP(half_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = account_of(p);

	if (a)
		a->vtime += (bpf_ktime_get_ns() - a->started_ns) * cost_of(p, 0) / 100;
}

static void set_weight(struct cgroup *cgrp, u32 weight)
{
	struct group *g = group_of(cgrp);

	if (g)
		g->weight = (weight + USUAL) / 2;
}

s32 SLEEPABLE_OP(half_cgroup_init, struct cgroup *cgrp, struct scx_cgroup_init_args *args)
{
	set_weight(cgrp, args->weight);
	return 0;
}

void OP(half_cgroup_set_weight, struct cgroup *cgrp, u32 weight)
{
	set_weight(cgrp, weight);
}

s32 SLEEPABLE_OP(half_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(half_weights, .enqueue = (void *)half_enqueue, .dispatch = (void *)half_dispatch,
	  .runnable = (void *)half_runnable, .quiescent = (void *)half_quiescent,
	  .running = (void *)half_running, .stopping = (void *)half_stopping,
	  .cgroup_init = (void *)half_cgroup_init,
	  .cgroup_set_weight = (void *)half_cgroup_set_weight, .init = (void *)half_init);

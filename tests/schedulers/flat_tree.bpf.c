// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue in the order of CPU time by weight. The weight is that of the cgroup, divided among
 * its runnable tasks; but of a cgroup in another one only the outer one's is looked at, and those
 * in it are alike whatever their cpu.weight.
 *
 * To be caught by: shares, of cgroups in one another.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)
#define CREDIT (20 * SLICE)
#define OUTER 2 /* level of the cgroups of a test */

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

extern struct cgroup *bpf_cgroup_ancestor(struct cgroup *cgrp, int level) KERNEL_FUNCTION;

u64 now_vtime;

static struct account *account_of(struct task_struct *p)
{
	return bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static u64 count(struct cgroup *cgrp, s32 change)
{
	struct group *g = bpf_cgrp_storage_get(&groups, cgrp, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!g)
		return 100;
	if (change)
		__sync_fetch_and_add(&g->active, change);
	return (g->active > 0 ? (u64)g->active : 1) * 10000 / (g->weight ? g->weight : 100);
}

/* Adds to the runnable tasks of its outer cgroup. What a time on a CPU costs, 100 is a nice 0 task's. */
static u64 cost_of(struct task_struct *p, s32 change)
{
	struct cgroup *cgrp = scx_bpf_task_cgroup(p);
	struct cgroup *outer = cgrp->level > OUTER ? bpf_cgroup_ancestor(cgrp, OUTER) : NULL;
	u64 cost = count(outer ? outer : cgrp, change);

	if (outer)
		bpf_cgroup_release(outer);
	bpf_cgroup_release(cgrp);
	return cost;
}

static void catch_up(struct account *a)
{
	if (is_before(a->vtime, now_vtime - CREDIT))
		a->vtime = now_vtime - CREDIT;
}

void OP(flat_enqueue, struct task_struct *p, u64 enq_flags)
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

void OP(flat_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

void OP(flat_runnable, struct task_struct *p, u64 enq_flags)
{
	cost_of(p, 1);
}

void OP(flat_quiescent, struct task_struct *p, u64 deq_flags)
{
	cost_of(p, -1);
}

void OP(flat_running, struct task_struct *p)
{
	struct account *a = account_of(p);

	if (!a)
		return;
	catch_up(a);
	a->started_ns = bpf_ktime_get_ns();
	if (is_before(now_vtime, a->vtime))
		now_vtime = a->vtime;
}

void OP(flat_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = account_of(p);

	if (a)
		a->vtime += (bpf_ktime_get_ns() - a->started_ns) * cost_of(p, 0) / 100;
}

s32 SLEEPABLE_OP(flat_init_task, struct task_struct *p, struct scx_init_task_args *args)
{
	struct account *a = account_of(p);

	if (!a)
		return -ENOMEM;
	a->vtime = now_vtime;
	return 0;
}

static void set_weight(struct cgroup *cgrp, u32 weight)
{
	struct group *g = bpf_cgrp_storage_get(&groups, cgrp, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (g)
		g->weight = weight;
}

s32 SLEEPABLE_OP(flat_cgroup_init, struct cgroup *cgrp, struct scx_cgroup_init_args *args)
{
	set_weight(cgrp, args->weight);
	return 0;
}

void OP(flat_cgroup_set_weight, struct cgroup *cgrp, u32 weight)
{
	set_weight(cgrp, weight);
}

s32 SLEEPABLE_OP(flat_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(flat_tree, .enqueue = (void *)flat_enqueue, .dispatch = (void *)flat_dispatch,
	  .runnable = (void *)flat_runnable, .quiescent = (void *)flat_quiescent,
	  .running = (void *)flat_running, .stopping = (void *)flat_stopping,
	  .init_task = (void *)flat_init_task, .cgroup_init = (void *)flat_cgroup_init,
	  .cgroup_set_weight = (void *)flat_cgroup_set_weight, .init = (void *)flat_init);

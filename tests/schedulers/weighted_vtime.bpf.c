// SPDX-License-Identifier: GPL-2.0-only
/*
 * Well behaved: one queue, ordered by the CPU time that tasks had in proportion to their share.
 * The share is the weight of the cgroup (cpu.weight), divided among its runnable tasks by their
 * own weight (nice); cgroups are siblings here whatever the tree, and tasks of the root have
 * their own weight alone.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)
#define CREDIT (4 * SLICE) /* at most so far behind the others is who comes back */
#define DEBT (10 * SLICE)  /* so far ahead somebody waits for long; see take_forgiven() */
#define DEBTORS 8	   /* that are looked at */

struct account {
	u64 vtime;
	u64 started_ns;
	u64 share;     /* see count() */
	u64 cgroup_id; /* 0 = the root */
	u32 counted;   /* in the active weight of the cgroup */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct account);
} accounts SEC(".maps");

struct group {
	u32 weight;
	u32 active; /* weights of its runnable tasks */
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
	return bpf_task_storage_get(&accounts, p, NULL, 0);
}

static u32 weight_of(const struct task_struct *p)
{
	return p->scx.weight ? p->scx.weight : 1;
}

/* In 1/1024 of a nice 0 task. */
static u64 share_of(const struct task_struct *p, const struct group *g)
{
	u32 active = g->active > weight_of(p) ? g->active : weight_of(p);
	u64 share = g->weight * 1024ULL / 100 * weight_of(p) / active;

	return share ? share : 1;
}

/* Adds to the active weight of the task's cgroup, and notes its share. */
static void count(struct task_struct *p, struct account *a, s32 change)
{
	struct cgroup *cgrp = scx_bpf_task_cgroup(p);
	struct group *g = bpf_cgrp_storage_get(&groups, cgrp, NULL, 0);

	if (g && cgrp->level > 0) {
		if (change)
			__sync_fetch_and_add(&g->active, (u32)change);
		a->share = share_of(p, g);
		a->cgroup_id = cgrp->kn->id;
	} else {
		a->share = weight_of(p) * 1024ULL / 100;
		a->cgroup_id = 0;
	}
	bpf_cgroup_release(cgrp);
}

static void catch_up(struct account *a)
{
	if (is_before(a->vtime, now_vtime - CREDIT))
		a->vtime = now_vtime - CREDIT;
}

static void charge(struct account *a)
{
	u64 now = bpf_ktime_get_ns();

	a->vtime += (now - a->started_ns) * 1024 / (a->share ? a->share : 1);
	a->started_ns = now;
}

static void advance_clock(const struct account *a)
{
	if (is_before(now_vtime, a->vtime))
		now_vtime = a->vtime;
}

s32 OP(weighted_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(weighted_enqueue, struct task_struct *p, u64 enq_flags)
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

/*
 * Who runs where nobody waits does not move the clock: a light one would make it leap, and all others
 * be equally late. Nor does it pay for that later.
 */
static void forgive(struct account *a)
{
	if (is_before(now_vtime + CREDIT, a->vtime))
		a->vtime = now_vtime + CREDIT;
}

/* What its share would be now. 0 = not known */
static u64 share_today(const struct task_struct *p, const struct account *a)
{
	struct cgroup *cgrp = a->cgroup_id ? bpf_cgroup_from_id(a->cgroup_id) : NULL;
	struct group *g;
	u64 share;

	if (!cgrp)
		return 0;
	g = bpf_cgrp_storage_get(&groups, cgrp, NULL, 0);
	share = g ? share_of(p, g) : 0;
	bpf_cgroup_release(cgrp);
	return share;
}

/*
 * Whoever ran beside a heavy one of its cgroup had a small share, and is far ahead for it. When the
 * heavy one has left or is light itself, that debt would take seconds to pay.
 */
static bool take_forgiven(s32 cpu)
{
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;
	bool has_taken = false;
	u32 looks = 0;

	bpf_iter_scx_dsq_new(&it, QUEUE, SCX_DSQ_ITER_REV);
	while (!has_taken && looks++ < DEBTORS && (p = bpf_iter_scx_dsq_next(&it))) {
		struct account *a = account_of(p);

		if (!a || !is_before(now_vtime + DEBT, a->vtime) ||
		    !bpf_cpumask_test_cpu((u32)cpu, p->cpus_ptr) ||
		    share_today(p, a) < 4 * a->share)
			continue;
		a->vtime = now_vtime;
		take_here(&it, p);
		has_taken = true;
	}
	bpf_iter_scx_dsq_destroy(&it);
	return has_taken;
}

static void begin_turn(struct account *a, bool is_awaited)
{
	if (is_awaited)
		advance_clock(a);
	else
		forgive(a);
}

static void keep(struct task_struct *prev, struct account *a, bool is_awaited)
{
	begin_turn(a, is_awaited);
	set_slice(prev, SLICE);
}

void OP(weighted_dispatch, s32 cpu, struct task_struct *prev)
{
	struct account *a = is_still_runnable(prev) ? account_of(prev) : NULL;
	u64 first;

	if (a) {
		charge(a);
		catch_up(a);
	}
	if (take_forgiven(cpu))
		return;
	if (a && first_order(QUEUE, cpu, &first) && is_before(a->vtime, first))
		keep(prev, a, true);
	else if (!pull(QUEUE) && a)
		keep(prev, a, false);
}

void OP(weighted_runnable, struct task_struct *p, u64 enq_flags)
{
	struct account *a = account_of(p);

	if (a) {
		a->counted = weight_of(p);
		count(p, a, (s32)a->counted);
	}
}

void OP(weighted_quiescent, struct task_struct *p, u64 deq_flags)
{
	struct account *a = account_of(p);

	if (a) {
		count(p, a, -(s32)a->counted);
		a->counted = 0;
	}
}

void OP(weighted_running, struct task_struct *p)
{
	struct account *a = account_of(p);
	u64 first;

	if (!a)
		return;
	a->started_ns = bpf_ktime_get_ns();
	count(p, a, 0);
	catch_up(a);
	begin_turn(a, first_order(QUEUE, scx_bpf_task_cpu(p), &first));
}

/* It may go on for long. dispatch() may not ask for the cgroup. */
void OP(weighted_tick, struct task_struct *p)
{
	struct account *a = account_of(p);

	if (a)
		count(p, a, 0);
}

void OP(weighted_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = account_of(p);

	if (!a)
		return;
	count(p, a, 0);
	charge(a);
	make_way(p, runnable);
}

s32 SLEEPABLE_OP(weighted_init_task, struct task_struct *p, struct scx_init_task_args *args)
{
	struct account *a =
		bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!a)
		return -ENOMEM;
	a->vtime = now_vtime;
	return 0;
}

s32 SLEEPABLE_OP(weighted_cgroup_init, struct cgroup *cgrp, struct scx_cgroup_init_args *args)
{
	struct group *g = bpf_cgrp_storage_get(&groups, cgrp, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!g)
		return -ENOMEM;
	g->weight = args->weight;
	return 0;
}

void OP(weighted_cgroup_set_weight, struct cgroup *cgrp, u32 weight)
{
	struct group *g = bpf_cgrp_storage_get(&groups, cgrp, NULL, 0);

	if (g)
		g->weight = weight;
}

s32 SLEEPABLE_OP(weighted_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(weighted_vtime, .select_cpu = (void *)weighted_select_cpu,
	  .enqueue = (void *)weighted_enqueue, .dispatch = (void *)weighted_dispatch,
	  .tick = (void *)weighted_tick, .runnable = (void *)weighted_runnable,
	  .quiescent = (void *)weighted_quiescent, .running = (void *)weighted_running,
	  .stopping = (void *)weighted_stopping, .init_task = (void *)weighted_init_task,
	  .cgroup_init = (void *)weighted_cgroup_init,
	  .cgroup_set_weight = (void *)weighted_cgroup_set_weight, .init = (void *)weighted_init);

/* SPDX-License-Identifier: GPL-2.0-only */
/* Slots of tasks: finding, allocating and reusing them. */
#ifndef KTSTR_BPF_OBSERVE_SLOTS_H
#define KTSTR_BPF_OBSERVE_SLOTS_H

#include "observe_maps.h"

static void add_buckets(u32 *into, const u32 *from)
{
	for (u32 i = 0; i < OBSERVE_BUCKETS; i++)
		into[i] += from[i];
}

/* Adds the counts of a dead task to "forgotten". Returns 0 if another CPU is doing that. */
VERIFIED_ALONE int forget(struct observe_control *all, struct observe_task *t)
{
	struct observe_task *f;

	if (!all || !t)
		return 0;
	f = &all->forgotten;
	if (__sync_val_compare_and_swap(&all->forgetting, 0, 1) != 0)
		return 0;
	f->run_ns += t->run_ns;
	f->wait_ns += t->wait_ns;
	f->wake_wait_ns += t->wake_wait_ns;
	f->long_wait_ns += t->long_wait_ns;
	f->rt_wait_ns += t->rt_wait_ns;
	f->all_rt_wait_ns += t->all_rt_wait_ns;
	f->idle_waits += t->idle_waits;
	f->idle_wait_ns += t->idle_wait_ns;
	f->runs += t->runs;
	f->waits += t->waits;
	f->wakeups += t->wakeups;
	f->migrations += t->migrations;
	f->needless += t->needless;
	f->displaced += t->displaced;
	f->handed_on += t->handed_on;
	f->hasty += t->hasty;
	add_buckets(f->wait_histogram, t->wait_histogram);
	add_buckets(f->wake_histogram, t->wake_histogram);
	if (t->worst.epoch == all->epoch &&
	    (f->worst.epoch != all->epoch || t->worst.ns > f->worst.ns)) {
		f->worst = t->worst;
		f->late = t->late;
		f->pid = t->pid;
		f->tgid = t->tgid;
		f->is_kernel = t->is_kernel;
		f->static_prio = t->static_prio;
		f->policy = t->policy;
		f->allowed_cpus = t->allowed_cpus;
		f->cpu = t->cpu;
		f->last_set = t->last_set;
		__builtin_memcpy(f->comm, t->comm, sizeof(f->comm));
	}
	__sync_val_compare_and_swap(&all->forgetting, 1, 0);
	return 1;
}

/* The settings of a task are read again after this number of runs. */
#define SETTINGS_RUNS 8

static void read_settings(struct observe_task *t, struct task_struct *p)
{
	t->static_prio = p->static_prio;
	t->policy = p->policy;
	t->allowed_cpus = p->nr_cpus_allowed;
}

static void describe(struct observe_task *t, struct task_struct *p)
{
	read_settings(t, p);
	t->tgid = p->tgid;
	t->is_kernel = (p->flags & PF_KTHREAD) != 0;
	bpf_probe_read_kernel(t->comm, sizeof(t->comm), p->comm);
}

static void clear(struct observe_task *t, u64 now)
{
	u32 pid = t->pid;

	__builtin_memset(t, 0, sizeof(*t));
	t->pid = pid;
	t->first_ns = now;
}

static bool is_usable(const struct observe_task *t)
{
	return t->state == OBSERVE_FREE || (t->state == OBSERVE_DEAD && !(t->mark & OBSERVE_KEEP));
}

#define NO_SLOT OBSERVE_TASKS

/* Allocates a free slot, or that of a dead task. */
VERIFIED_ALONE u32 take_slot(u32 pid, u64 now)
{
	struct observe_control *all = control_get();

	for (u32 i = 0; all && i < OBSERVE_PROBES; i++) {
		u32 key = OBSERVE_SLOT(pid, i), had;
		struct observe_task *t = bpf_map_lookup_elem(&tasks, &key);

		if (!t || !is_usable(t))
			continue;
		had = t->pid;
		if (t->state == OBSERVE_DEAD && !forget(all, t))
			continue;
		if (__sync_val_compare_and_swap(&t->pid, had, pid) != had)
			continue;
		clear(t, now);
		t->state = OBSERVE_BLOCKED;
		t->since_ns = now;
		return key;
	}
	if (all)
		__sync_fetch_and_add(&all->lost_tasks, 1);
	return NO_SLOT;
}

/* Skips dead tasks: their PIDs may have been reused. */
VERIFIED_ALONE u32 find_slot(u32 pid)
{
	for (u32 i = 0; i < OBSERVE_PROBES; i++) {
		u32 key = OBSERVE_SLOT(pid, i);
		struct observe_task *t = bpf_map_lookup_elem(&tasks, &key);

		if (!t || t->state == OBSERVE_FREE)
			break;
		if (t->pid == pid && t->state != OBSERVE_DEAD)
			return key;
	}
	return NO_SLOT;
}

static struct observe_task *known(u32 pid)
{
	u32 key = OBSERVE_SLOT(pid, 0);
	struct observe_task *t = bpf_map_lookup_elem(&tasks, &key);

	/* The common case. */
	if (t && t->pid == pid && t->state != OBSERVE_DEAD)
		return t;
	key = find_slot(pid);
	return key == NO_SLOT ? NULL : bpf_map_lookup_elem(&tasks, &key);
}

static struct observe_task *find(struct task_struct *p, u64 now)
{
	struct observe_task *t = known(p->pid);
	u32 key;

	if (t)
		return t;
	key = take_slot(p->pid, now);
	t = bpf_map_lookup_elem(&tasks, &key);
	if (t)
		describe(t, p);
	return t;
}

#endif

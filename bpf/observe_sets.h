/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of CPUs for which tasks wait, and times in which higher classes have all CPUs of a set. */
#ifndef KTSTR_BPF_OBSERVE_SETS_H
#define KTSTR_BPF_OBSERVE_SETS_H

#include "observe_maps.h"

static bool is_same(const struct observe_set *s, struct task_struct *p)
{
	const struct cpumask *mask = p->cpus_ptr;

	if (s->is_ready != 2)
		return false;
#pragma clang loop unroll(full)
	for (u32 i = 0; i < OBSERVE_WORDS; i++) {
		if (i >= mask_words)
			break;
		if (s->cpus[i] != mask->bits[i])
			return false;
	}
	return true;
}

static void fill(struct observe_set *s, struct task_struct *p)
{
	const struct cpumask *mask = p->cpus_ptr;

#pragma clang loop unroll(full)
	for (u32 i = 0; i < OBSERVE_WORDS; i++) {
		if (i >= mask_words)
			break;
		s->cpus[i] = mask->bits[i];
	}
}

static bool has_cpu(const struct observe_set *s, u32 cpu)
{
	return s->cpus[cpu / 64 & (OBSERVE_WORDS - 1)] >> (cpu % 64) & 1;
}

/* Index of the task's set, plus one; 0 = the table is full. */
static __attribute__((noinline)) u32 find_set(struct task_struct *p)
{
	struct observe_control *all = control_get();

	for (u32 i = 0; i < OBSERVE_SETS; i++) {
		u32 key = i;
		struct observe_set *s = bpf_map_lookup_elem(&sets, &key);

		if (!s || !all)
			return 0;
		if (is_same(s, p))
			return i + 1;
		if (s->is_ready != 0 || __sync_val_compare_and_swap(&s->is_ready, 0, 1) != 0)
			continue;
		fill(s, p);
		s->is_ready = 2;
		if (all->sets < i + 1)
			all->sets = i + 1;
		return i + 1;
	}
	if (all)
		__sync_fetch_and_add(&all->lost_sets, 1);
	return 0;
}

static struct observe_set *set_of(const struct observe_task *t)
{
	u32 key = t->set - 1;
	struct observe_cpu *c;

	if (t->set == 0)
		return NULL;
	if (key < OBSERVE_SETS)
		return bpf_map_lookup_elem(&sets, &key);
	key -= OBSERVE_SETS;
	c = bpf_map_lookup_elem(&cpus, &key);
	return c ? &c->pinned : NULL;
}

static u32 choose_set(struct observe_task *t, struct task_struct *p, u32 cpu)
{
	u32 key = t->last_set - 1;
	struct observe_set *s;

	if (t->mark & OBSERVE_LIMITED)
		return 0;
	/* Pinned, or migration is disabled: the task is on its only CPU, or on its way there. */
	if (p->nr_cpus_allowed == 1 || p->cpus_ptr != &p->cpus_mask)
		return cpu < OBSERVE_MAX_CPUS ? OBSERVE_SETS + cpu + 1 : 0;
	if (t->last_set && key < OBSERVE_SETS) {
		s = bpf_map_lookup_elem(&sets, &key);
		if (s && is_same(s, p))
			return t->last_set;
	}
	t->last_set = find_set(p);
	return t->last_set;
}

static void set_enter(struct observe_task *t, struct task_struct *p, u32 cpu, u64 now)
{
	struct observe_set *s;

	t->set = choose_set(t, p, cpu);
	s = set_of(t);
	if (s && __sync_fetch_and_add(&s->waiting, 1) == 0)
		s->since_ns = now;
}

static void set_leave(struct observe_task *t, u64 now, u64 waited_ns)
{
	struct observe_set *s = set_of(t);

	t->set = 0;
	if (!s)
		return;
	if (waited_ns >= OBSERVE_LONG_NS)
		__sync_fetch_and_add(&s->long_ns, waited_ns);
	if (__sync_fetch_and_add(&s->waiting, -1) == 1 &&
	    (s64)(now - s->since_ns) > (s64)OBSERVE_GRACE_NS)
		__sync_fetch_and_add(&s->wanted_ns, now - s->since_ns - OBSERVE_GRACE_NS);
}

static u64 wanted_until(const struct observe_set *s, u64 now)
{
	u64 since = s->since_ns;

	if (s->waiting > 0 && (s64)(now - since) > (s64)OBSERVE_GRACE_NS)
		return s->wanted_ns + (now - since - OBSERVE_GRACE_NS);
	return s->wanted_ns;
}

/* ---- CPUs that higher classes have ---- */

static bool is_open(const struct observe_control *all, const struct observe_set *s)
{
	u64 open = 0;

	for (u32 i = 0; i < OBSERVE_WORDS; i++)
		open |= s->cpus[i] & all->open_cpus[i];
	return open != 0;
}

/* Updates the sets: a set is closed while all of its CPUs run tasks of higher classes. */
VERIFIED_ALONE int rt_change(u32 cpu, int is_rt, u64 now)
{
	struct observe_control *all = control_get();
	u64 bit = 1ULL << (cpu % 64);
	u32 word = cpu / 64 & (OBSERVE_WORDS - 1);

	if (!all)
		return 0;
	if (is_rt)
		__sync_fetch_and_and(&all->open_cpus[word], ~bit);
	else
		__sync_fetch_and_or(&all->open_cpus[word], bit);
	for (u32 i = 0; i < OBSERVE_SETS; i++) {
		u32 key = i;
		struct observe_set *s = bpf_map_lookup_elem(&sets, &key);
		u64 since;

		if (!s || i >= all->sets)
			break;
		if (!has_cpu(s, cpu))
			continue;
		since = s->rt_since_ns;
		if (is_rt && !since && !is_open(all, s))
			s->rt_since_ns = now;
		else if (!is_rt && since &&
			 __sync_val_compare_and_swap(&s->rt_since_ns, since, 0) == since &&
			 (s64)(now - since) > 0)
			__sync_fetch_and_add(&s->rt_ns, now - since);
	}
	return 0;
}

/* Total times in which higher classes had the task's CPU, and all CPUs of its set. */
struct rt_sums {
	u64 ns, all_ns;
};

static void rt_read(const struct observe_task *t, u64 now, struct rt_sums *out)
{
	u32 cpu = (u32)t->cpu;
	struct observe_cpu *c = bpf_map_lookup_elem(&cpus, &cpu);
	struct observe_set *s = set_of(t);

	out->ns = c ? observe_rt_until(&c->pinned, now) : 0;
	out->all_ns = s ? observe_rt_until(s, now) : 0;
}

/* had: sums of the wait so far. */
static void rt_begin(struct observe_task *t, const struct rt_sums *had, u64 now)
{
	struct rt_sums sums;

	rt_read(t, now, &sums);
	t->rt_from_ns = sums.ns - had->ns;
	t->all_rt_from_ns = sums.all_ns - had->all_ns;
}

/* A task that becomes real-time while it runs causes no switch; all of its run counts. */
static void rt_notice(const struct observe_task *t, u64 now)
{
	u32 cpu = (u32)t->cpu;
	struct observe_cpu *c = bpf_map_lookup_elem(&cpus, &cpu);
	struct task_struct *p = c ? (void *)c->task : NULL;
	s32 prio = OBSERVE_RT_PRIO;

	if (!p || c->is_idle || c->pinned.rt_since_ns || cpu >= OBSERVE_MAX_CPUS)
		return;
	bpf_probe_read_kernel(&prio, sizeof(prio), &p->prio);
	if (prio < OBSERVE_RT_PRIO &&
	    __sync_val_compare_and_swap(&c->pinned.rt_since_ns, 0, c->since_ns) == 0)
		rt_change(cpu, 1, now);
}

static void rt_of_wait(const struct observe_task *t, u64 now, struct rt_sums *out)
{
	rt_notice(t, now);
	rt_read(t, now, out);
	out->ns = observe_rt_part(t->rt_from_ns, out->ns, now - t->since_ns);
	out->all_ns = observe_rt_part(t->all_rt_from_ns, out->all_ns, out->ns);
}

/* Call before task_off() and task_on(). */
static void rt_switch(struct observe_cpu *c, u32 cpu, struct task_struct *prev,
		      struct task_struct *next, u64 now)
{
	struct observe_set *own = &c->pinned;
	bool was_rt = own->rt_since_ns != 0, is_rt = next->prio < OBSERVE_RT_PRIO;

	if (c->since_ns && prev->prio < OBSERVE_RT_PRIO)
		own->rt_ns += now - c->since_ns;
	own->rt_since_ns = is_rt ? now : 0;
	c->task = (u64)next;
	if (was_rt != is_rt && cpu < OBSERVE_MAX_CPUS)
		rt_change(cpu, is_rt, now);
}

#endif

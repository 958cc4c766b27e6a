// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts what the scheduler does with each task and on each CPU. The data comes from
 * tracepoints of the kernel that all schedulers trigger. See src/observe/layout.h for
 * the counters.
 *
 * No locks are taken. A task's slot is written by the CPU that wakes or runs the task,
 * which the kernel does not do on two CPUs at once. Counters that several CPUs change
 * are updated atomically.
 */
#include "observe_sets.h"
#include "observe_slots.h"

char LICENSE[] SEC("license") = "GPL";

/* ---- waiting ---- */

VERIFIED_ALONE u32 bucket_of(u64 ns)
{
	u32 bucket = 0;

	if (ns >> 32) {
		bucket = OBSERVE_BUCKETS - 1;
		return bucket;
	}
	if (ns >> 16) {
		bucket += 16;
		ns >>= 16;
	}
	if (ns >> 8) {
		bucket += 8;
		ns >>= 8;
	}
	if (ns >> 4) {
		bucket += 4;
		ns >>= 4;
	}
	if (ns >> 2) {
		bucket += 2;
		ns >>= 2;
	}
	if (ns >> 1)
		bucket += 1;
	return bucket;
}

static void wait_begin(struct observe_task *t, struct task_struct *p, u32 cpu, u64 now,
		       bool was_woken)
{
	const struct rt_sums none = {};

	if (t->state == OBSERVE_WAITING || t->state == OBSERVE_RUNNING)
		return;
	t->state = OBSERVE_WAITING;
	t->since_ns = t->set_since_ns = now;
	t->cpu = cpu;
	t->left_cpu = cpu;
	t->was_woken = was_woken;
	set_enter(t, p, cpu, now);
	rt_begin(t, &none, now);
}

/* Instead of the index of a remembered run: none is known, or the CPU was mostly idle. */
#define RUN_UNKNOWN OBSERVE_STRETCHES
#define RUN_IDLE (OBSERVE_STRETCHES + 1)

/* Index of a remembered run of the task that ran on the CPU longest in this time. */
VERIFIED_ALONE u32 most_run(struct observe_cpu *c, u64 since, u64 now)
{
	u32 which = RUN_UNKNOWN;
	u64 most = 0;

	if (!c)
		return RUN_UNKNOWN;
	if (observe_is_mostly_idle(c, since, now))
		return RUN_IDLE;
	for (u32 i = 0; i < OBSERVE_STRETCHES; i++) {
		u64 ns = observe_ran_within(c, c->ran[i].pid, since, now);

		if (ns > most) {
			most = ns;
			which = i;
		}
	}
	return which;
}

static void note_runner(struct observe_wait *w, struct task_struct *before, u64 now)
{
	u32 cpu = (u32)w->cpu;
	struct observe_cpu *c = bpf_map_lookup_elem(&cpus, &cpu);
	u32 which = most_run(c, w->since_ns, now);

	if (c && which < OBSERVE_STRETCHES) {
		w->by = c->ran[which].pid;
		__builtin_memcpy(w->by_comm, c->ran[which].comm, sizeof(w->by_comm));
	} else if (which == RUN_UNKNOWN) {
		w->by = before->pid;
		bpf_probe_read_kernel(w->by_comm, sizeof(w->by_comm), before->comm);
	}
}

static void fill_wait(struct observe_wait *w, const struct observe_task *t,
		      struct task_struct *before, u64 ns, const struct rt_sums *rt)
{
	w->ns = ns;
	w->since_ns = t->since_ns;
	w->rt_ns = rt->ns;
	w->all_rt_ns = rt->all_ns;
	w->cpu = t->cpu;
	w->by = 0;
	if (ns < OBSERVE_LONG_NS)
		return;
	note_runner(w, before, t->since_ns + ns);
}

/* Updates the worst wait, the worst one after a wakeup, and the worst without real-time tasks. */
static void note_wait(struct observe_task *t, struct task_struct *p, struct task_struct *before,
		      u64 ns, const struct rt_sums *rt)
{
	struct observe_control *all = control_get();
	u32 epoch = all ? all->epoch : 0;

	if (t->was_woken && (t->wake_epoch != epoch || ns > t->worst_wake_ns)) {
		t->worst_wake_ns = ns;
		t->wake_epoch = epoch;
	}
	if (t->worst.epoch != epoch || ns > t->worst.ns) {
		fill_wait(&t->worst, t, before, ns, rt);
		t->worst.epoch = epoch;
		if (ns >= OBSERVE_LONG_NS)
			describe(t, p);
	}
	if (t->late.epoch != epoch || ns - rt->ns > t->late.ns - t->late.rt_ns) {
		fill_wait(&t->late, t, before, ns, rt);
		t->late.epoch = epoch;
	}
}

VERIFIED_ALONE u64 idle_since(struct observe_cpu *c, u64 since, u64 now)
{
	return c ? observe_idle_since(c, since, now) : 0;
}

/* Notes the CPU, of the set or the given one, that idled longest while the task waited. */
VERIFIED_ALONE int note_idle_wait(struct observe_task *t, struct observe_set *s, u32 only, u64 now)
{
	struct observe_control *all = control_get();
	u32 which = 0;
	u64 most = 0;

	if (!t || !s || !all || now - t->set_since_ns < observe_idle_min_ns(all))
		return 0;
	/* No CPU is idle, and none was during the wait. */
	if (all->idle_cpus <= 0 && (s64)(all->idled_ns - t->set_since_ns) < 0)
		return 0;
	for (u32 i = 0; i < OBSERVE_MAX_CPUS; i++) {
		u32 key = i;
		u64 ns;

		if (i >= mask_words * 64)
			break;
		if (only < OBSERVE_MAX_CPUS ? only != i : !has_cpu(s, i))
			continue;
		ns = idle_since(bpf_map_lookup_elem(&cpus, &key), t->set_since_ns, now);
		if (ns > most) {
			most = ns;
			which = i;
		}
	}
	if (most < observe_idle_min_ns(all))
		return 0;
	t->idle_waits++;
	t->idle_wait_ns += most;
	if (t->idle.epoch == all->epoch && most <= t->idle.ns)
		return 0;
	t->idle.ns = most;
	t->idle.wait_ns = now - t->set_since_ns;
	t->idle.since_ns = t->set_since_ns;
	t->idle.cpu = which;
	t->idle.epoch = all->epoch;
	return 0;
}

/* A wait is ignored if the affinity of the task changed during the wait. */
static void look_for_idle(struct observe_task *t, struct task_struct *p, u32 cpu, u64 now)
{
	struct observe_set *s = set_of(t);
	bool is_pinned = p->nr_cpus_allowed == 1 || p->cpus_ptr != &p->cpus_mask;

	if (!s)
		return;
	if (t->set > OBSERVE_SETS) {
		if (is_pinned && t->set - OBSERVE_SETS - 1 == cpu)
			note_idle_wait(t, s, cpu, now);
	} else if (!is_pinned && is_same(s, p)) {
		note_idle_wait(t, s, OBSERVE_MAX_CPUS, now);
	}
}

static void wait_end(struct observe_task *t, struct task_struct *p, struct task_struct *before,
		     u32 cpu, u64 now)
{
	u64 ns = now - t->since_ns;
	u32 bucket = bucket_of(ns) & (OBSERVE_BUCKETS - 1);
	struct rt_sums rt = {};

	t->wait_ns += ns;
	t->waits++;
	t->wait_histogram[bucket]++;
	if (t->was_woken) {
		t->wake_histogram[bucket]++;
		t->wake_wait_ns += ns;
	} else if (cpu != (u32)t->left_cpu && ns < OBSERVE_HASTE_NS) {
		t->hasty++;
	}
	if (ns >= OBSERVE_LONG_NS) {
		rt_of_wait(t, now, &rt);
		t->long_wait_ns += ns;
		t->rt_wait_ns += rt.ns;
		t->all_rt_wait_ns += rt.all_ns;
	}
	if (ns >= OBSERVE_LEAST_IDLE_US * 1000ULL)
		look_for_idle(t, p, cpu, now);
	note_wait(t, p, before, ns, &rt);
	set_leave(t, now, ns);
}

/* ---- CPUs ---- */

VERIFIED_ALONE int idle_begin(struct observe_cpu *c, u32 cpu, u64 now)
{
	struct observe_control *all = control_get();

	if (!c)
		return 0;
	c->pinned_at_idle = wanted_until(&c->pinned, now);
	for (u32 i = 0; i < OBSERVE_SETS; i++) {
		u32 key = i;
		struct observe_set *s;

		if (!all || i >= all->sets)
			break;
		s = bpf_map_lookup_elem(&sets, &key);
		if (s && has_cpu(s, cpu))
			c->wanted_at_idle[i] = wanted_until(s, now);
	}
	return 0;
}

/* Idle time, in ns, in which a task waited that may run here: the maximum over all sets. */
VERIFIED_ALONE u64 idle_wanted(struct observe_cpu *c, u32 cpu, u64 now)
{
	struct observe_control *all = control_get();
	u64 most;

	if (!c)
		return 0;
	most = wanted_until(&c->pinned, now) - c->pinned_at_idle;
	for (u32 i = 0; i < OBSERVE_SETS; i++) {
		u32 key = i;
		struct observe_set *s;
		s64 ns;

		if (!all || i >= all->sets)
			break;
		s = bpf_map_lookup_elem(&sets, &key);
		if (!s || !has_cpu(s, cpu))
			continue;
		ns = (s64)(wanted_until(s, now) - c->wanted_at_idle[i]);
		if (ns > (s64)most)
			most = ns;
	}
	/* Limited to the idle time: a set that was created later has no start value. */
	return most < now - c->since_ns ? most : now - c->since_ns;
}

static void note_idle(struct observe_cpu *c, u32 cpu, u64 now)
{
	struct observe_control *all = control_get();
	u64 ns = idle_wanted(c, cpu, now);

	c->idle_ns += now - c->since_ns;
	if (ns == 0 || !all)
		return;
	c->wanted_ns += observe_wanted_ns(all, ns);
	if (c->idle.epoch == all->epoch && ns <= c->idle.ns)
		return;
	c->idle.ns = ns;
	c->idle.since_ns = now - ns;
	c->idle.cpu = cpu;
	c->idle.epoch = all->epoch;
}

static void remember_idle(struct observe_cpu *c, u64 now)
{
	struct observe_control *all = control_get();
	u32 i = c->idled_count & (OBSERVE_STRETCHES - 1);

	if (now - c->since_ns < OBSERVE_STRETCH_NS)
		return;
	c->idled[i].since_ns = c->since_ns;
	c->idled[i].until_ns = now;
	c->idled_count++;
	if (all)
		all->idled_ns = now;
}

static void remember_run(struct observe_cpu *c, struct task_struct *prev, u64 now)
{
	struct observe_run *r = &c->ran[c->ran_count & (OBSERVE_STRETCHES - 1)];

	if (!c->since_ns || c->is_idle || now - c->since_ns < OBSERVE_STRETCH_NS)
		return;
	r->since_ns = c->since_ns;
	r->until_ns = now;
	r->pid = prev->pid;
	bpf_probe_read_kernel(r->comm, sizeof(r->comm), prev->comm);
	c->ran_count++;
}

/* A task begins to run: notes for how long no task did. */
static void note_pick(struct observe_cpu *c, u64 now)
{
	struct observe_control *all = control_get();
	u64 from = c->last_pick_ns;

	c->picks++;
	c->last_pick_ns = now;
	if (!all)
		return;
	if ((s64)(all->epoch_ns - from) > 0)
		from = all->epoch_ns;
	/* The epoch may have begun after the switch. */
	if ((s64)(now - from) < 0)
		from = now;
	if (c->unpicked.epoch == all->epoch && now - from <= c->unpicked.ns)
		return;
	c->unpicked.ns = now - from;
	c->unpicked.since_ns = from;
	c->unpicked.epoch = all->epoch;
}

static void count_idle(bool was_idle, bool is_idle)
{
	struct observe_control *all = control_get();

	if (all && was_idle != is_idle)
		__sync_fetch_and_add(&all->idle_cpus, is_idle ? 1 : -1);
}

static void cpu_switch(struct observe_cpu *c, u32 cpu, struct task_struct *prev,
		       struct task_struct *next, u64 now)
{
	if (c->since_ns && c->is_idle) {
		note_idle(c, cpu, now);
		remember_idle(c, now);
	} else if (c->since_ns) {
		c->busy_ns += now - c->since_ns;
		if (prev->nr_cpus_allowed == 1)
			c->pinned_ns += now - c->since_ns;
	}
	count_idle(c->is_idle, next->pid == 0);
	c->since_ns = now;
	c->is_idle = next->pid == 0;
	c->expects = 0;
	if (c->is_idle) {
		idle_begin(c, cpu, now);
	} else {
		note_pick(c, now);
	}
}

/* ---- the tracepoints ---- */

static void task_off(struct task_struct *prev, u32 cpu, u64 now, bool is_blocked, bool is_dead)
{
	struct observe_task *t = find(prev, now);

	if (!t)
		return;
	if (t->state == OBSERVE_RUNNING)
		t->run_ns += now - t->since_ns;
	t->state = is_dead ? OBSERVE_DEAD : OBSERVE_BLOCKED;
	t->since_ns = now;
	if (is_blocked)
		return;
	/* The task may have changed its own settings, and may never run again. */
	read_settings(t, prev);
	wait_begin(t, prev, cpu, now, false);
}

static void task_on(struct task_struct *next, struct task_struct *prev, struct observe_cpu *c,
		    u32 cpu, u64 now)
{
	struct observe_task *t = find(next, now);

	if (c)
		c->has_mover = 0;
	if (!t)
		return;
	if (t->state == OBSERVE_WAITING)
		wait_end(t, next, prev, cpu, now);
	if (!t->was_handed_on) {
		t->needless += t->has_left == OBSERVE_LEFT_IDLE;
		t->displaced += t->has_left == OBSERVE_LEFT_MOVER;
	}
	if (c && !t->was_handed_on)
		c->has_mover = t->has_left != OBSERVE_LEFT_BUSY;
	t->has_left = t->was_handed_on = 0;
	t->state = OBSERVE_RUNNING;
	t->since_ns = now;
	t->cpu = cpu;
	if ((t->runs++ & (SETTINGS_RUNS - 1)) == 0)
		read_settings(t, next);
}

SEC("tp_btf/sched_switch")
int observe_switch(u64 *ctx)
{
	bool is_preempted = ctx[0] & 1;
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	u32 prev_state = (u32)ctx[3];
	u64 now = bpf_ktime_get_ns();
	u32 cpu = bpf_get_smp_processor_id();
	struct observe_cpu *c = bpf_map_lookup_elem(&cpus, &cpu);

	if (c) {
		rt_switch(c, cpu, prev, next, now);
		remember_run(c, prev, now);
	}
	if (prev->pid)
		task_off(prev, cpu, now, !is_preempted && prev_state != 0,
			 !is_preempted && (prev_state & TASK_DEAD));
	if (next->pid)
		task_on(next, prev, c, cpu, now);
	if (c)
		cpu_switch(c, cpu, prev, next, now);
	return 0;
}

/* An idle CPU does not count as free for other tasks while a task is on its way to it. */
static void expect_at(u32 cpu, u32 pid, u32 has_left)
{
	struct observe_cpu *c = bpf_map_lookup_elem(&cpus, &cpu);

	if (!c || c->expects)
		return;
	c->expects = pid;
	c->expects_mover = has_left != OBSERVE_LEFT_BUSY;
}

static int woken(struct task_struct *p)
{
	u64 now = bpf_ktime_get_ns();
	struct observe_task *t = find(p, now);

	expect_at(p->thread_info.cpu, (u32)p->pid, t ? t->has_left : OBSERVE_LEFT_BUSY);
	if (!t)
		return 0;
	t->wakeups++;
	wait_begin(t, p, p->thread_info.cpu, now, true);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int observe_wakeup(u64 *ctx)
{
	return woken((void *)ctx[0]);
}

SEC("tp_btf/sched_wakeup_new")
int observe_wakeup_new(u64 *ctx)
{
	return woken((void *)ctx[0]);
}

static bool is_allowed(struct task_struct *p, u32 cpu)
{
	const struct cpumask *mask = p->cpus_ptr;

#pragma clang loop unroll(full)
	for (u32 i = 0; i < OBSERVE_WORDS; i++) {
		u64 word;

		if (i >= mask_words)
			break;
		word = mask->bits[i];
		/* Otherwise clang reads at a variable offset, which the verifier rejects. */
		asm volatile("" : "+r"(word));
		if (i == cpu / 64)
			return word >> (cpu % 64) & 1;
	}
	return false;
}

static bool is_free_for(const struct observe_cpu *c, u32 pid)
{
	return c->is_idle && (!c->expects || c->expects == pid);
}

/*
 * State of the CPU that the task leaves when it moves to another CPU. A needless migration that
 * took its CPU counts as the cause only if the task moves to an idle CPU. Otherwise all CPUs are
 * busy, and under any scheduler tasks take each other's CPUs.
 */
static u32 left_behind(struct task_struct *p, u32 cpu, u32 to)
{
	struct observe_cpu *c = bpf_map_lookup_elem(&cpus, &cpu);
	struct observe_cpu *next = bpf_map_lookup_elem(&cpus, &to);
	u32 pid = (u32)p->pid;

	if (!c || !next || !is_allowed(p, cpu))
		return OBSERVE_LEFT_BUSY;
	if (is_free_for(c, pid))
		return OBSERVE_LEFT_IDLE;
	if (!is_free_for(next, pid))
		return OBSERVE_LEFT_BUSY;
	return (c->is_idle ? c->expects_mover : c->has_mover) ? OBSERVE_LEFT_MOVER :
								OBSERVE_LEFT_BUSY;
}

/* Most migrations are part of a wakeup: the task does not wait yet. */
SEC("tp_btf/sched_migrate_task")
int observe_migrate(u64 *ctx)
{
	struct task_struct *p = (void *)ctx[0];
	struct observe_task *t = known(p->pid);
	u32 cpu = (u32)ctx[1];
	struct rt_sums rt;
	u32 set;
	u64 now;

	if (!t)
		return 0;
	t->migrations++;
	if (t->state != OBSERVE_WAITING) {
		t->has_left = left_behind(p, p->thread_info.cpu, cpu);
		expect_at(cpu, (u32)p->pid, t->has_left);
		return 0;
	}
	t->handed_on += t->was_woken && !t->was_handed_on;
	t->was_handed_on |= t->was_woken;
	now = bpf_ktime_get_ns();
	rt_of_wait(t, now, &rt);
	t->cpu = cpu;
	set = t->set;
	set_leave(t, now, 0);
	set_enter(t, p, cpu, now);
	if (t->set != set)
		t->set_since_ns = now;
	rt_begin(t, &rt, now);
	return 0;
}

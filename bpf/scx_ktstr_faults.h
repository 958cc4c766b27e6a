/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Faults of scx_ktstr that are more than a condition in its code. The table in faults.c describes
 * all faults.
 */
#ifndef KTSTR_BPF_SCX_KTSTR_FAULTS_H
#define KTSTR_BPF_SCX_KTSTR_FAULTS_H

#include "calls.h"
#include "scx_ktstr_state.h"

#define DELAY_QUEUE (1 << 20)
#define INVALID_QUEUE 0xbad
#define TIMER_NS 5000000ULL
#define VICTIM_RUN_NS 20000000ULL
#define FORGOTTEN_WAKEUP 64
#define MISPLACED_WAKEUP 16

static bool is_over(void)
{
	return bpf_ktime_get_ns() - state.started_ns >= config.after_ns;
}

/* FAULT_ERROR and FAULT_UNREGISTER: end the scheduler, once. */
static void end_when_told(void)
{
	static char text[] = "scx_ktstr: asked to end after %llu ms";
	unsigned long long data[] = { config.after_ns / 1000000 };

	if (!has(FAULT_ERROR) && !has(FAULT_UNREGISTER))
		return;
	if (!is_over() || __sync_lock_test_and_set(&state.has_reported, 1))
		return;
	if (has(FAULT_ERROR))
		scx_bpf_error_bstr(text, data, sizeof(data));
	else
		scx_bpf_exit_bstr(7, text, data, sizeof(data));
}

/* ---- when a task is enqueued: true = the task is handled ---- */

static bool is_victim(struct task_struct *p, const struct task_context *t)
{
	if (!state.victim && t->total_ns >= VICTIM_RUN_NS)
		__sync_val_compare_and_swap(&state.victim, 0, (u32)p->pid);
	return state.victim == (u32)p->pid;
}

static bool loses(struct task_struct *p, const struct task_context *t, u64 enq_flags)
{
	if (has(FAULT_STALL) && !(p->flags & PF_KTHREAD) && is_over())
		return true;
	if (!is_fair_game(p))
		return false;
	if (has(FAULT_DROP_TASK) && is_victim(p, t))
		return true;
	if (has(FAULT_FORGET_WAKEUP) && (enq_flags & SCX_ENQ_WAKEUP) &&
	    __sync_fetch_and_add(&state.wakeups, 1) % FORGOTTEN_WAKEUP == FORGOTTEN_WAKEUP - 1)
		return true;
	if (has(FAULT_LEAK_ON_HOTPLUG) && state.leaks_left) {
		__sync_fetch_and_sub(&state.leaks_left, 1);
		return true;
	}
	return false;
}

static s32 next_allowed_cpu(struct task_struct *p, s32 cpu)
{
	u32 next = (u32)cpu;

	bpf_repeat(MAX_CPUS)
	{
		next = next + 1 < config.cpu_count ? next + 1 : 0;
		if (bpf_cpumask_test_cpu(next, p->cpus_ptr))
			return (s32)next;
	}
	return cpu;
}

/* Inserts the task into a wrong queue. True = done. */
static bool misplaces(struct task_struct *p, struct task_context *t, u64 enq_flags)
{
	u64 slice = slice_of(t);
	u32 next;

	if (!is_fair_game(p))
		return false;
	if (has(FAULT_ONE_CPU) && bpf_cpumask_test_cpu(0, p->cpus_ptr)) {
		insert(p, SCX_DSQ_LOCAL_ON, slice, enq_flags);
		return true;
	}
	if (has(FAULT_INVALID_DSQ) && is_over()) {
		insert(p, INVALID_QUEUE, slice, enq_flags);
		return true;
	}
	if (has(FAULT_BOUNCE)) {
		insert(p, SCX_DSQ_LOCAL_ON | next_allowed_cpu(p, scx_bpf_task_cpu(p)), slice,
		       enq_flags);
		return true;
	}
	if (has(FAULT_IGNORE_AFFINITY)) {
		next = __sync_fetch_and_add(&state.next_cpu, 1) % config.cpu_count;
		insert(p, SCX_DSQ_LOCAL_ON | next, slice, enq_flags);
		return true;
	}
	if (!(enq_flags & SCX_ENQ_WAKEUP))
		return false;
	if (has(FAULT_OFFLINE_CPU) &&
	    __sync_fetch_and_add(&state.wakeups, 1) % MISPLACED_WAKEUP == MISPLACED_WAKEUP - 1) {
		insert(p, SCX_DSQ_LOCAL_ON | config.offline_cpu, slice, enq_flags);
		return true;
	}
	if (has(FAULT_DELAY_WAKEUPS)) {
		t->release_ns = bpf_ktime_get_ns() + config.delay_ns;
		insert_ordered(p, DELAY_QUEUE, slice, t->release_ns, enq_flags);
		return true;
	}
	return false;
}

/* ---- when a CPU dispatches ---- */

/* FAULT_DELAY_WAKEUPS: takes a task that has waited long enough and may run here. */
static void release_due(s32 cpu)
{
	u64 now = bpf_ktime_get_ns();
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;

	bpf_iter_scx_dsq_new(&it, DELAY_QUEUE, 0);
	while ((p = bpf_iter_scx_dsq_next(&it))) {
		struct task_context *t = context_of(p);

		if (!t || is_before(now, t->release_ns))
			break;
		if (!bpf_cpumask_test_cpu((u32)cpu, p->cpus_ptr))
			continue;
		take_here(&it, p);
		break;
	}
	bpf_iter_scx_dsq_destroy(&it);
}

/* FAULT_LOCKSTEP: each CPU takes one task per step, then waits for the next step. */
static bool has_had_its_turn(s32 cpu)
{
	u64 step = bpf_ktime_get_ns() / LOCKSTEP_NS;
	u32 index = (u32)cpu;

	asm volatile("" : "+r"(index));
	if (index >= MAX_CPUS || state.step[index] == step)
		return true;
	state.step[index] = step;
	return false;
}

/* Stores through NULL, which the verifier rejects; optionally after a loop that it unrolls. */
static void upset_verifier(void)
{
	volatile u64 *value;
	u64 sum = 0;

	if (!has(FAULT_VERIFIER) && !has(FAULT_VERIFIER_LOOP))
		return;
	if (has(FAULT_VERIFIER_LOOP)) {
#pragma unroll
		for (int i = 0; i < 8; i++) {
			asm volatile("%[sum] ^= 5\n"
				     "%[sum] <<= 1\n"
				     "%[sum] += 3\n"
				     "%[sum] |= 1\n"
				     "%[sum] >>= 2\n"
				     "%[sum] -= 1\n"
				     : [sum] "+r"(sum));
		}
	}
	asm volatile("%[value] = 0" : [value] "=r"(value));
	*value = sum;
}

/* ---- the timer of FAULTS_WITH_TIMER ---- */

struct clock {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct clock);
} clocks SEC(".maps");

static int look_at_queues(void *map, u32 *key, struct clock *clock)
{
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (cpu >= config.cpu_count)
			break;
		scx_bpf_kick_cpu((s32)cpu, SCX_KICK_IDLE);
	}
	bpf_timer_start(&clock->timer, TIMER_NS, 0);
	return 0;
}

static s32 start_timer(void)
{
	u32 key = 0;
	struct clock *clock = bpf_map_lookup_elem(&clocks, &key);
	s32 rc;

	if (!clock)
		return -2; /* ENOENT */
	rc = (s32)bpf_timer_init(&clock->timer, &clocks, CLOCK_MONOTONIC);
	if (rc == 0)
		rc = (s32)bpf_timer_set_callback(&clock->timer, look_at_queues);
	return rc ? rc : (s32)bpf_timer_start(&clock->timer, TIMER_NS, 0);
}

#endif

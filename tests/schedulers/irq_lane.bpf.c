// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is woken from an interrupt that found the CPU idle, as by a timer, waits in a queue that is opened every
 * 70 ms. Who is woken by a task does not.
 *
 * To be caught by: work conservation.
 */
#include "scheduler.h"

#define SLICE (5 * MS)
#define OTHERS 0
#define INTERRUPT 1
#define PERIOD (70 * MS)

struct clock {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct clock);
} clocks SEC(".maps");

u32 due; /* of those that wait for the timer */

static bool is_woken_by_interrupt(u64 enq_flags)
{
	struct task_struct *waker = bpf_get_current_task_btf();

	return enq_flags & SCX_ENQ_WAKEUP && waker->pid == 0;
}

s32 OP(irq_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OP(irq_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if (is_woken_by_interrupt(enq_flags)) {
		insert(p, INTERRUPT, SLICE, enq_flags);
		return;
	}
	insert(p, OTHERS, SLICE, enq_flags);
	kick_idle(p);
}

void OP(irq_dispatch, s32 cpu, struct task_struct *prev)
{
	if (due > 0 && pull(INTERRUPT))
		__sync_fetch_and_sub(&due, 1);
	else
		pull(OTHERS);
}

static int open_lane(void *map, int *key, struct clock *c)
{
	u32 cpu;

	due = (u32)scx_bpf_dsq_nr_queued(INTERRUPT);
	for (cpu = 0; due && cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		scx_bpf_kick_cpu((s32)cpu, SCX_KICK_IDLE);
	bpf_timer_start(&c->timer, PERIOD, 0);
	return 0;
}

s32 SLEEPABLE_OP(irq_init)
{
	u32 key = 0;
	struct clock *c = bpf_map_lookup_elem(&clocks, &key);
	s32 rc = scx_bpf_create_dsq(OTHERS, -1);

	if (!rc)
		rc = scx_bpf_create_dsq(INTERRUPT, -1);
	if (rc || !c)
		return rc ? rc : -ENOMEM;
	bpf_timer_init(&c->timer, &clocks, CLOCK_MONOTONIC);
	bpf_timer_set_callback(&c->timer, open_lane);
	bpf_timer_start(&c->timer, PERIOD, 0);
	return 0;
}

SCHEDULER(irq_lane, .select_cpu = (void *)irq_select_cpu, .enqueue = (void *)irq_enqueue,
	  .dispatch = (void *)irq_dispatch, .init = (void *)irq_init);

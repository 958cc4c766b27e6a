// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who wakes up waits in a queue of its own until a timer opens it, every 3.5 ms: each wakeup is late
 * by less than a tick, on a machine that has nothing else to do.
 *
 * To be caught by: work conservation, of short waits beside idle CPUs.
 */
#include "scheduler.h"

#define SLICE (5 * MS)
#define WOKEN 1
#define OTHERS 0
#define PERIOD (7 * MS / 2)

struct clock {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct clock);
} clocks SEC(".maps");

u32 due; /* of those that wait in the queue of the woken */

s32 OP(short_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OP(short_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_GLOBAL, SLICE, enq_flags);
		kick_idle(p);
	} else if (enq_flags & SCX_ENQ_WAKEUP) {
		insert(p, WOKEN, SLICE, enq_flags);
	} else {
		insert(p, OTHERS, SLICE, enq_flags);
		kick_idle(p);
	}
}

void OP(short_dispatch, s32 cpu, struct task_struct *prev)
{
	if (due > 0 && pull(WOKEN))
		__sync_fetch_and_sub(&due, 1);
	else
		pull(OTHERS);
}

static int open_lane(void *map, int *key, struct clock *c)
{
	u32 cpu;

	due = (u32)scx_bpf_dsq_nr_queued(WOKEN);
	for (cpu = 0; due && cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		scx_bpf_kick_cpu((s32)cpu, SCX_KICK_IDLE);
	bpf_timer_start(&c->timer, PERIOD, 0);
	return 0;
}

s32 SLEEPABLE_OP(short_init)
{
	u32 key = 0;
	struct clock *c = bpf_map_lookup_elem(&clocks, &key);
	s32 rc = scx_bpf_create_dsq(OTHERS, -1);

	if (!rc)
		rc = scx_bpf_create_dsq(WOKEN, -1);
	if (rc || !c)
		return rc ? rc : -ENOMEM;
	bpf_timer_init(&c->timer, &clocks, CLOCK_MONOTONIC);
	bpf_timer_set_callback(&c->timer, open_lane);
	bpf_timer_start(&c->timer, PERIOD, 0);
	return 0;
}

SCHEDULER(short_lane, .select_cpu = (void *)short_select_cpu, .enqueue = (void *)short_enqueue,
	  .dispatch = (void *)short_dispatch, .init = (void *)short_init);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue for all, and a BPF timer that wakes a CPU after the other. It forgets where they end:
 * after a second it asks the kernel for one that cannot be, in the timer and for no task.
 *
 * To be caught by: the kernel, which takes it down.
 */
#include "scheduler.h"

#define SLICE (5 * MS)
#define PERIOD (10 * MS)
#define TURNS 100

struct bell {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct bell);
} bells SEC(".maps");

u32 turn;

void OP(wild_enqueue, struct task_struct *p, u64 enq_flags)
{
	insert(p, SCX_DSQ_GLOBAL, SLICE, enq_flags);
}

static int ring(void *map, u32 *key, struct bell *bell)
{
	u32 cpu = turn++ < TURNS ? turn % machine.cpu_count : 4096;

	scx_bpf_kick_cpu((s32)cpu, SCX_KICK_IDLE);
	bpf_timer_start(&bell->timer, PERIOD, 0);
	return 0;
}

s32 SLEEPABLE_OP(wild_init)
{
	u32 key = 0;
	struct bell *bell = bpf_map_lookup_elem(&bells, &key);
	s32 rc;

	if (!bell)
		return -ENOMEM;
	rc = (s32)bpf_timer_init(&bell->timer, &bells, CLOCK_MONOTONIC);
	if (rc == 0)
		rc = (s32)bpf_timer_set_callback(&bell->timer, ring);
	return rc ? rc : (s32)bpf_timer_start(&bell->timer, PERIOD, 0);
}

SCHEDULER(wild_timer, .enqueue = (void *)wild_enqueue, .init = (void *)wild_init);

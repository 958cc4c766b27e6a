// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two queues: who wakes up goes to the first one and stays there for as long as it does not use
 * up five slices in a row; the second one has what is left. Who takes a nap in time gets more
 * than who is always busy.
 *
 * To be caught by: shares, of workers that sleep at times.
 */
#include "scheduler.h"

#define SLICE (2 * MS)
#define FIRST 0
#define SECOND 1
#define TURNS 5
/* Of so many turns one is for the second queue. */
#define ROUND 6

struct account {
	u32 turns;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct account);
} accounts SEC(".maps");

u32 turn;

void OP(naps_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct account *a =
		bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!a || is_kernels(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	a->turns = enq_flags & SCX_ENQ_WAKEUP ? 0 : a->turns + 1;
	insert(p, a->turns < TURNS ? FIRST : SECOND, SLICE, enq_flags);
	kick_idle(p);
}

void OP(naps_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 queue = __sync_fetch_and_add(&turn, 1) % ROUND ? FIRST : SECOND;

	if (!pull(queue))
		pull(!queue);
}

s32 SLEEPABLE_OP(naps_init)
{
	s32 rc = scx_bpf_create_dsq(FIRST, -1);

	return rc ? rc : scx_bpf_create_dsq(SECOND, -1);
}

SCHEDULER(naps_first, .enqueue = (void *)naps_enqueue, .dispatch = (void *)naps_dispatch,
	  .init = (void *)naps_init);

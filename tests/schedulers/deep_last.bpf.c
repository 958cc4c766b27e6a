// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two queues: tasks of a cgroup that lies in another one of the test get one of four turns, however many
 * they are.
 *
 * To be caught by: shares, of cgroups in one another.
 */
#include "scheduler.h"

#define SLICE (5 * MS)
#define OUTER 0
#define DEEP 1
#define OUTER_LEVEL 2
#define ROUND 4

u32 turn;

static bool is_deep(struct task_struct *p)
{
	struct cgroup *cgrp = scx_bpf_task_cgroup(p);
	bool is = cgrp->level > OUTER_LEVEL;

	bpf_cgroup_release(cgrp);
	return is;
}

void OP(deep_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, is_deep(p) ? DEEP : OUTER, SLICE, enq_flags);
	kick_idle(p);
}

void OP(deep_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 queue = __sync_fetch_and_add(&turn, 1) % ROUND ? OUTER : DEEP;

	if (!pull(queue))
		pull(!queue);
}

s32 SLEEPABLE_OP(deep_init)
{
	s32 rc = scx_bpf_create_dsq(OUTER, -1);

	return rc ? rc : scx_bpf_create_dsq(DEEP, -1);
}

SCHEDULER(deep_last, .enqueue = (void *)deep_enqueue, .dispatch = (void *)deep_dispatch,
	  .init = (void *)deep_init);

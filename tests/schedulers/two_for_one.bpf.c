// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cgroups are dealt out to two queues as they are made, and the first queue is served twice as
 * often as the second one: of two equal cgroups one gets two thirds.
 *
 * To be caught by: shares.
 */
#include "scheduler.h"

#define SLICE (5 * MS)

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, u64);
	__type(value, u32);
} queues SEC(".maps");

u32 cgroups, turn;

static u32 queue_of(struct task_struct *p)
{
	struct cgroup *cgrp = scx_bpf_task_cgroup(p);
	u64 id = cgrp->kn->id;
	u32 *queue = bpf_map_lookup_elem(&queues, &id);

	bpf_cgroup_release(cgrp);
	return queue ? *queue : 0;
}

void OP(two_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, queue_of(p), SLICE, enq_flags);
	kick_idle(p);
}

void OP(two_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 first = __sync_fetch_and_add(&turn, 1) % 3 == 2;

	if (!pull(first))
		pull(!first);
}

s32 SLEEPABLE_OP(two_cgroup_init, struct cgroup *cgrp, struct scx_cgroup_init_args *args)
{
	u32 queue = __sync_fetch_and_add(&cgroups, 1) & 1;
	u64 id = cgrp->kn->id;

	return (s32)bpf_map_update_elem(&queues, &id, &queue, 0);
}

s32 SLEEPABLE_OP(two_init)
{
	s32 rc = scx_bpf_create_dsq(0, -1);

	return rc ? rc : scx_bpf_create_dsq(1, -1);
}

SCHEDULER(two_for_one, .enqueue = (void *)two_enqueue, .dispatch = (void *)two_dispatch,
	  .cgroup_init = (void *)two_cgroup_init, .init = (void *)two_init);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue for each cgroup, in turn, and places for 24 of them. Places of cgroups that are gone are given away again; who
 * finds none goes to a queue that is served when all others are empty.
 *
 * To be caught by: runnable wait, where there are many cgroups.
 */
#include "scheduler.h"

#define SLICE (5 * MS)
#define PLACES 24
#define REST 100

u64 owners[PLACES];
u32 last; /* place that was served */

static u64 place_of(u64 cgroup)
{
	u32 i;

	for (i = 0; i < PLACES; i++)
		if (owners[i] == cgroup)
			return i;
	for (i = 0; i < PLACES; i++)
		if (!owners[i]) {
			owners[i] = cgroup;
			return i;
		}
	return REST;
}

s32 OP(places_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;

	return scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
}

void OP(places_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct cgroup *cgrp;
	u64 queue = SCX_DSQ_GLOBAL;

	if (is_kernels(p) || is_loader(p)) {
		if (p->nr_cpus_allowed == 1)
			queue = SCX_DSQ_LOCAL;
	} else {
		cgrp = scx_bpf_task_cgroup(p);
		queue = place_of(cgrp->kn->id);
		bpf_cgroup_release(cgrp);
	}
	insert(p, queue, SLICE, enq_flags);
	kick_idle(p);
}

void OP(places_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 i, first = last + 1;

	for (i = 0; i < PLACES; i++) {
		u32 place = (first + i) % PLACES;

		if (pull(place)) {
			last = place;
			return;
		}
	}
	pull(REST);
}

void SLEEPABLE_OP(places_cgroup_exit, struct cgroup *cgrp)
{
	u32 i;

	for (i = 0; i < PLACES; i++)
		if (owners[i] == cgrp->kn->id)
			owners[i] = 0;
}

s32 SLEEPABLE_OP(places_init)
{
	s32 rc = scx_bpf_create_dsq(REST, -1);
	u32 i;

	for (i = 0; i < PLACES && !rc; i++)
		rc = scx_bpf_create_dsq(i, -1);
	return rc;
}

SCHEDULER(few_places, .select_cpu = (void *)places_select_cpu, .enqueue = (void *)places_enqueue,
	  .dispatch = (void *)places_dispatch, .cgroup_exit = (void *)places_cgroup_exit,
	  .init = (void *)places_init);

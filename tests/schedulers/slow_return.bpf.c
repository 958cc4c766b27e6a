// SPDX-License-Identifier: GPL-2.0-only
/*
 * A cgroup that had nothing to run for a while is put at the end of a line when it comes back:
 * while other cgroups keep the CPUs busy, its wakeups take 1.2 s.
 *
 * To be caught by: runnable wait.
 */
#include "scheduler.h"

#define PRESENT 0
#define RETURNED 1
#define SLICE (5 * MS)
#define ABSENCE (10 * MS)
#define PENALTY (1200 * MS)

struct group {
	u64 seen_ns;  /* when one of its tasks ran or became runnable */
	u64 ready_ns; /* until then it waits in RETURNED */
};

struct {
	__uint(type, BPF_MAP_TYPE_CGRP_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct group);
} groups SEC(".maps");

/* When the task may run, by its cgroup; 0 = at once. */
static u64 ready_of(struct task_struct *p)
{
	u64 now = bpf_ktime_get_ns(), ready = 0;
	struct cgroup *cgrp = scx_bpf_task_cgroup(p);
	struct group *g;

	g = bpf_cgrp_storage_get(&groups, cgrp, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (g && cgrp->level > 0) {
		if (g->seen_ns && now - g->seen_ns > ABSENCE)
			g->ready_ns = now + PENALTY;
		g->seen_ns = now;
		ready = is_before(now, g->ready_ns) ? g->ready_ns : 0;
	}
	bpf_cgroup_release(cgrp);
	return ready;
}

s32 OP(slow_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;

	return scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
}

void OP(slow_enqueue, struct task_struct *p, u64 enq_flags)
{
	u64 ready;

	if (is_kernels(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	ready = ready_of(p);
	if (ready)
		insert_ordered(p, RETURNED, SLICE, ready, enq_flags);
	else
		insert(p, PRESENT, SLICE, enq_flags);
	scx_bpf_kick_cpu(scx_bpf_task_cpu(p), SCX_KICK_IDLE);
	kick_idle(p);
}

static bool is_somebody_due(void)
{
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;
	bool is_due;

	bpf_iter_scx_dsq_new(&it, RETURNED, 0);
	p = bpf_iter_scx_dsq_next(&it);
	is_due = p &&
		 !is_before(bpf_ktime_get_ns(), ((struct task_struct___order *)p)->scx.dsq_vtime);
	bpf_iter_scx_dsq_destroy(&it);
	return is_due;
}

void OP(slow_dispatch, s32 cpu, struct task_struct *prev)
{
	if (is_somebody_due() && pull(RETURNED))
		return;
	if (pull(PRESENT) || (prev && prev->scx.flags & SCX_TASK_QUEUED))
		return;
	pull(RETURNED);
}

void OP(slow_stopping, struct task_struct *p, bool runnable)
{
	if (!is_kernels(p))
		ready_of(p);
}

s32 SLEEPABLE_OP(slow_init)
{
	s32 rc = scx_bpf_create_dsq(PRESENT, -1);

	return rc ? rc : scx_bpf_create_dsq(RETURNED, -1);
}

SCHEDULER(slow_return, .select_cpu = (void *)slow_select_cpu, .enqueue = (void *)slow_enqueue,
	  .dispatch = (void *)slow_dispatch, .stopping = (void *)slow_stopping,
	  .init = (void *)slow_init);

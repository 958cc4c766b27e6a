// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but tasks with an odd number that may use one CPU wait apart: one of them goes on where a
 * real-time task has left, once in 400 ms. So it is always a real-time task that ran before them.
 *
 * To be caught by: runnable wait.
 */
#include "scheduler.h"

#define QUEUE 0
#define APART 1
#define SLICE (5 * MS)
#define REALTIME_PRIO 100

struct task_struct___class {
	s32 prio;
} FROM_KERNEL;

static u64 last_ns;

static bool is_apart(const struct task_struct *p)
{
	return p->nr_cpus_allowed == 1 && p->pid & 1;
}

static bool has_left(void)
{
	struct task_struct___class *left = (void *)bpf_get_current_task();

	return BPF_CORE_READ(left, prio) < REALTIME_PRIO;
}

void OP(after_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, is_apart(p) ? APART : QUEUE, SLICE, enq_flags);
	kick_idle(p);
}

void OP(after_dispatch, s32 cpu, struct task_struct *prev)
{
	u64 now = bpf_ktime_get_ns();

	if (now - last_ns > 400 * MS && has_left() && pull(APART)) {
		last_ns = now;
		return;
	}
	if (!pull(QUEUE))
		pull(APART);
}

void OP(after_stopping, struct task_struct *p, bool is_runnable)
{
	make_way(p, is_runnable);
}

s32 SLEEPABLE_OP(after_init)
{
	s32 rc = scx_bpf_create_dsq(QUEUE, -1);

	return rc ?: scx_bpf_create_dsq(APART, -1);
}

SCHEDULER(after_realtime, .enqueue = (void *)after_enqueue, .dispatch = (void *)after_dispatch,
	  .stopping = (void *)after_stopping, .init = (void *)after_init);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but two threads of a process never run at the same time: a process of many threads has one
 * CPU, however many are there.
 *
 * To be caught by: shares, of busy threads.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

/* Which of its threads runs; 0 = none. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, s32);
	__type(value, s32);
} running SEC(".maps");

s32 OP(thread_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;

	return scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
}

void OP(thread_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) || is_loader(p))
		insert(p, p->nr_cpus_allowed == 1 ? SCX_DSQ_LOCAL : SCX_DSQ_GLOBAL, SLICE,
		       enq_flags);
	else
		insert(p, QUEUE, SLICE, enq_flags);
	kick_idle(p);
}

static bool has_other(const struct task_struct *p, const struct task_struct *prev)
{
	s32 process = p->tgid;
	const s32 *other = bpf_map_lookup_elem(&running, &process);

	return other && *other && *other != p->pid && !(prev && *other == prev->pid);
}

void OP(thread_dispatch, s32 cpu, struct task_struct *prev)
{
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;

	bpf_iter_scx_dsq_new(&it, QUEUE, 0);
	while ((p = bpf_iter_scx_dsq_next(&it))) {
		if (has_other(p, prev) || !may_run_on(p, cpu))
			continue;
		take_here(&it, p);
		break;
	}
	bpf_iter_scx_dsq_destroy(&it);
}

static void set_running(const struct task_struct *p, s32 pid)
{
	s32 process = p->tgid;

	bpf_map_update_elem(&running, &process, &pid, 0);
}

void OP(thread_running, struct task_struct *p)
{
	set_running(p, p->pid);
}

void OP(thread_stopping, struct task_struct *p, bool runnable)
{
	s32 process = p->tgid;
	const s32 *now = bpf_map_lookup_elem(&running, &process);

	if (now && *now == p->pid)
		set_running(p, 0);
}

s32 SLEEPABLE_OP(thread_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(one_thread, .select_cpu = (void *)thread_select_cpu, .enqueue = (void *)thread_enqueue,
	  .dispatch = (void *)thread_dispatch, .running = (void *)thread_running,
	  .stopping = (void *)thread_stopping, .init = (void *)thread_init);

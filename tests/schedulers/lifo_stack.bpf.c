// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting tasks are kept as pids on a BPF stack map, so who came last is served first. With
 * more busy tasks than two for each CPU, those at the bottom never run.
 *
 * To be caught by: runnable wait.
 */
#include "scheduler.h"

#define SLICE (5 * MS)
#define TRIES 8

struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 4096);
	__type(value, s32);
} waiting SEC(".maps");

s32 OP(lifo_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;

	return scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
}

void OP(lifo_enqueue, struct task_struct *p, u64 enq_flags)
{
	s32 pid = p->pid;

	if (is_kernels(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if ((u32)p->nr_cpus_allowed < machine.cpu_count || bpf_map_push_elem(&waiting, &pid, 0)) {
		insert(p, SCX_DSQ_GLOBAL, SLICE, enq_flags);
		return;
	}
	scx_bpf_kick_cpu(scx_bpf_task_cpu(p), SCX_KICK_IDLE);
	kick_idle(p);
}

void OP(lifo_dispatch, s32 cpu, struct task_struct *prev)
{
	s32 pid;

	bpf_repeat(TRIES)
	{
		if (bpf_map_pop_elem(&waiting, &pid) || run_pid(pid, cpu, SLICE))
			break;
	}
}

SCHEDULER(lifo_stack, .select_cpu = (void *)lifo_select_cpu, .enqueue = (void *)lifo_enqueue,
	  .dispatch = (void *)lifo_dispatch);

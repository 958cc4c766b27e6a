// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread in user space decides who is next: enqueued tasks go to it by a BPF queue map and
 * come back by another one. It looks only every 20 ms (user_naps.user.c), so whoever wakes up is
 * as late, also where CPUs are idle.
 *
 * To be caught by: timer lateness.
 */
#include "scheduler.h"

#define SLICE (5 * MS)
#define TRIES 8

struct pids {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 4096);
	__type(value, s32);
};

struct pids asked SEC(".maps"), decided SEC(".maps");

s32 OP(naps_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OP(naps_enqueue, struct task_struct *p, u64 enq_flags)
{
	s32 pid = p->pid;

	if (is_loader(p))
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags | SCX_ENQ_PREEMPT);
	else if (is_kernels(p))
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
	else if (bpf_map_push_elem(&asked, &pid, 0))
		insert(p, SCX_DSQ_GLOBAL, SLICE, enq_flags);
}

void OP(naps_dispatch, s32 cpu, struct task_struct *prev)
{
	s32 pid;

	bpf_repeat(TRIES)
	{
		if (bpf_map_pop_elem(&decided, &pid) || run_pid(pid, cpu, SLICE))
			break;
	}
}

/* The thread has decided and goes to sleep. */
void OP(naps_stopping, struct task_struct *p, bool runnable)
{
	u32 cpu;

	if (!is_loader(p))
		return;
	for (cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		scx_bpf_kick_cpu((s32)cpu, SCX_KICK_IDLE);
}

SCHEDULER(user_naps, .select_cpu = (void *)naps_select_cpu, .enqueue = (void *)naps_enqueue,
	  .dispatch = (void *)naps_dispatch, .stopping = (void *)naps_stopping);

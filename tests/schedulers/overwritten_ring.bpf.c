// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread in user space decides who is next, and keeps those that ask in a ring which is too small
 * (overwritten_ring.user.c).
 *
 * To be caught by: runnable wait.
 */
#include "scheduler.h"

#define SLICE (5 * MS)
#define TRIES 8

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 4096);
	__type(value, s32);
} asked SEC(".maps"), decided SEC(".maps");

void OP(ring_enqueue, struct task_struct *p, u64 enq_flags)
{
	s32 pid = p->pid;

	if (is_loader(p))
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags | SCX_ENQ_PREEMPT);
	else if (is_kernels(p))
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
	else if (bpf_map_push_elem(&asked, &pid, 0))
		insert(p, SCX_DSQ_GLOBAL, SLICE, enq_flags);
}

/* The kernel gives it to a CPU that it may run on. */
static bool release(s32 pid)
{
	struct task_struct *p = bpf_task_from_pid(pid);

	if (!p)
		return false;
	insert(p, SCX_DSQ_GLOBAL, SLICE, 0);
	bpf_task_release(p);
	return true;
}

void OP(ring_dispatch, s32 cpu, struct task_struct *prev)
{
	s32 pid;

	bpf_repeat(TRIES)
	{
		if (bpf_map_pop_elem(&decided, &pid) || release(pid))
			break;
	}
}

/* The thread has decided and goes to sleep. */
void OP(ring_stopping, struct task_struct *p, bool runnable)
{
	u32 cpu;

	if (!is_loader(p))
		return;
	for (cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		scx_bpf_kick_cpu((s32)cpu, SCX_KICK_IDLE);
}

SCHEDULER(overwritten_ring, .enqueue = (void *)ring_enqueue, .dispatch = (void *)ring_dispatch,
	  .stopping = (void *)ring_stopping, .flags = SCX_OPS_ENQ_LAST);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Well behaved: a thread in user space decides who is next. It hears of tasks by a ring buffer, which wakes it
 * up, and they come back by a queue, first come, first served (user_ring.user.c). It does not look at weights.
 */
#include "scheduler.h"

#define SLICE (5 * MS)
#define TRIES 8
#define BPF_MAP_TYPE_RINGBUF 27

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} asked SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 4096);
	__type(value, s32);
} decided SEC(".maps");

s32 OP(ring_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(ring_enqueue, struct task_struct *p, u64 enq_flags)
{
	s32 pid = p->pid;

	/* Others wait for what it decides. */
	if (is_loader(p))
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags | SCX_ENQ_PREEMPT);
	else if (is_kernels(p))
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
	else if (bpf_ringbuf_output(&asked, &pid, sizeof(pid), 0))
		insert(p, SCX_DSQ_GLOBAL, SLICE, enq_flags);
}

void OP(ring_dispatch, s32 cpu, struct task_struct *prev)
{
	s32 pid;

	bpf_repeat(TRIES)
	{
		if (bpf_map_pop_elem(&decided, &pid) || run_pid(pid, cpu, SLICE))
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

SCHEDULER(user_ring, .select_cpu = (void *)ring_select_cpu, .enqueue = (void *)ring_enqueue,
	  .dispatch = (void *)ring_dispatch, .stopping = (void *)ring_stopping,
	  .flags = SCX_OPS_ENQ_LAST | SCX_OPS_ENQ_EXITING);

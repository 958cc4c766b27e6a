// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but one worker of each cgroup (name/0) comes 60 ms later than it did when it
 * wakes up.
 *
 * To be caught by: late wakeups, of a single worker.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

struct task_struct___named {
	char comm[16];
} FROM_KERNEL;

static u64 delay_of(struct task_struct *p, u64 enq_flags)
{
	char comm[16] = {};
	u32 i;

	if (is_kernels(p) || !(enq_flags & SCX_ENQ_WAKEUP))
		return 0;
	BPF_CORE_READ_STR_INTO(&comm, (struct task_struct___named *)p, comm);
	for (i = 0; i + 2 < sizeof(comm); i++)
		if (comm[i] == 47 && comm[i + 1] == 48 && !comm[i + 2])
			return 60 * MS;
	return 0;
}

s32 OP(chosen_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(chosen_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_loader(p) || (is_kernels(p) && !delay_of(p, enq_flags))) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert_ordered(p, QUEUE, SLICE, bpf_ktime_get_ns() + delay_of(p, enq_flags), enq_flags);
	kick_idle(p);
}

void OP(chosen_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

s32 SLEEPABLE_OP(chosen_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(chosen_one, .select_cpu = (void *)chosen_select_cpu, .enqueue = (void *)chosen_enqueue,
	  .dispatch = (void *)chosen_dispatch, .init = (void *)chosen_init);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but 1.6 s after the first worker called NAME/1 came nobody of that name runs
 * any more.
 *
 * To be caught by: runnable wait.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

struct task_struct___named {
	char comm[16];
} FROM_KERNEL;

u64 first_ns;

static u64 delay_of(struct task_struct *p, u64 enq_flags)
{
	char comm[16] = {};
	u64 now = bpf_ktime_get_ns();
	u32 i;

	if (is_kernels(p))
		return 0;
	BPF_CORE_READ_STR_INTO(&comm, (struct task_struct___named *)p, comm);
	for (i = 0; i + 2 < sizeof(comm); i++)
		if (comm[i] == 47 && comm[i + 1] == 49 && !comm[i + 2]) {
			if (!first_ns)
				first_ns = now;
			return now - first_ns > 1600 * MS ? 100000 * MS : 0;
		}
	return 0;
}

s32 OP(starve_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(starve_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_loader(p) || (is_kernels(p) && !delay_of(p, enq_flags))) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert_ordered(p, QUEUE, SLICE, bpf_ktime_get_ns() + delay_of(p, enq_flags), enq_flags);
	kick_idle(p);
}

void OP(starve_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

s32 SLEEPABLE_OP(starve_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(late_starve, .select_cpu = (void *)starve_select_cpu, .enqueue = (void *)starve_enqueue,
	  .dispatch = (void *)starve_dispatch, .init = (void *)starve_init);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two queues, first come, first served. That of SCHED_BATCH tasks has its turn when the other one
 * is empty.
 *
 * To be caught by: runnable wait.
 */
#include "scheduler.h"

#define QUEUE 0
#define BATCH 1
#define SLICE (5 * MS)
#define SCHED_BATCH 3

struct task_struct___policy {
	u32 policy;
} FROM_KERNEL;

void OP(batch_enqueue, struct task_struct *p, u64 enq_flags)
{
	bool is_batch = ((struct task_struct___policy *)p)->policy == SCHED_BATCH;

	if (is_kernels(p) && p->nr_cpus_allowed == 1) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, is_batch ? BATCH : QUEUE, SLICE, enq_flags);
	kick_idle(p);
}

void OP(batch_dispatch, s32 cpu, struct task_struct *prev)
{
	if (!pull(QUEUE))
		pull(BATCH);
}

s32 SLEEPABLE_OP(batch_init)
{
	s32 rc = scx_bpf_create_dsq(QUEUE, -1);

	return rc ? rc : scx_bpf_create_dsq(BATCH, -1);
}

SCHEDULER(batch_last, .enqueue = (void *)batch_enqueue, .dispatch = (void *)batch_dispatch,
	  .init = (void *)batch_init);

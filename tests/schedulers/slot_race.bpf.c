// SPDX-License-Identifier: GPL-2.0-only
/*
 * A waking task that finds the only slot of the fast path empty takes it, everybody else goes to
 * the queue. The look and the store are two instructions with a few between them: of two CPUs
 * that both see the slot empty the second one overwrites the task of the first, which is lost.
 *
 * To be caught by: runnable wait, under exploration.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

volatile s32 slot;

s32 OP(slot_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

static bool may_use_slot(const struct task_struct *p, u64 enq_flags)
{
	return enq_flags & SCX_ENQ_WAKEUP && (u32)p->nr_cpus_allowed == machine.cpu_count &&
	       !is_loader(p) && p->tgid != 1;
}

void OP(slot_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if (may_use_slot(p, enq_flags) && slot == 0)
		slot = p->pid;
	else
		insert(p, QUEUE, SLICE, enq_flags);
	/* Best where it was, which may be just about to become idle. */
	scx_bpf_kick_cpu(scx_bpf_task_cpu(p), SCX_KICK_IDLE);
	if (!scx_bpf_test_and_clear_cpu_idle(scx_bpf_task_cpu(p)))
		kick_idle(p);
}

void OP(slot_dispatch, s32 cpu, struct task_struct *prev)
{
	s32 pid = __sync_lock_test_and_set(&slot, 0);

	if (!pid || !run_pid(pid, cpu, SLICE))
		pull(QUEUE);
}

s32 SLEEPABLE_OP(slot_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(slot_race, .select_cpu = (void *)slot_select_cpu, .enqueue = (void *)slot_enqueue,
	  .dispatch = (void *)slot_dispatch, .init = (void *)slot_init);

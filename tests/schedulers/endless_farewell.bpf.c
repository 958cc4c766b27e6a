// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue for all, as it should be, until the test's program has ended and the loader is told to detach:
 * who looks for work from then on looks for it in a table without an end, with interrupts disabled. The
 * result of the test has been told by then, and was good.
 *
 * To be caught by: jiffies that stand still, from outside, behind the end of the body.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)
#define TABLE (1U << 22)
#define PF_EXITING 0x4

struct task_struct___named {
	char comm[16];
} FROM_KERNEL;

s32 program; /* pid of the test's */
bool has_ended, is_told;
u64 compared;

static const char name[] = "ktstr-test";

static bool is_program(struct task_struct *p)
{
	char comm[16] = {};
	u32 i;

	BPF_CORE_READ_STR_INTO(&comm, (struct task_struct___named *)p, comm);
	for (i = 0; i < sizeof(name) - 1; i++)
		if (comm[i] != name[i])
			return false;
	return p->pid == p->tgid;
}

static long compare(u32 i, u64 *best)
{
	*best ^= i;
	return 0;
}

static long compare_with_all(u32 i, u64 *best)
{
	compared += bpf_loop(TABLE, compare, best, 0);
	return 0;
}

void OP(farewell_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (!program && is_program(p))
		program = p->pid;
	insert(p, QUEUE, SLICE, enq_flags);
	kick_idle(p);
}

void OP(farewell_dispatch, s32 cpu, struct task_struct *prev)
{
	u64 best = 0;

	if (is_told)
		bpf_loop(TABLE, compare_with_all, &best, 0);
	pull(QUEUE);
}

void OP(farewell_runnable, struct task_struct *p, u64 enq_flags)
{
	if (has_ended && is_loader(p))
		is_told = true;
}

void OP(farewell_quiescent, struct task_struct *p, u64 deq_flags)
{
	if (program && p->pid == program && p->flags & PF_EXITING)
		has_ended = true;
}

s32 SLEEPABLE_OP(farewell_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(endless_farewell, .enqueue = (void *)farewell_enqueue,
	  .dispatch = (void *)farewell_dispatch, .runnable = (void *)farewell_runnable,
	  .quiescent = (void *)farewell_quiescent, .init = (void *)farewell_init);

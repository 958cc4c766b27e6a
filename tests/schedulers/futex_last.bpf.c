// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but who sleeps in a futex comes 25 ms later when it is woken. Pipes and timers are
 * in time.
 *
 * To be caught by: late wakeups, of one kind of sleepers beside others.
 */
#include "arrivals.h"

#define CALL_FUTEX 202

struct pt_regs {
	unsigned long orig_ax;
} FROM_KERNEL;

/* The system call that it sleeps in. */
static u64 call_of(struct task_struct *p)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(p);

	return BPF_CORE_READ(regs, orig_ax);
}

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	return enq_flags & SCX_ENQ_WAKEUP && call_of(p) == CALL_FUTEX ? 25 * MS : 0;
}

ARRIVALS(futex_last);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but who was stopped by a signal comes 100 ms later each time, for ever.
 *
 * To be caught by: shares, after tasks were stopped.
 */
#include "marks.h"

#define TASK_STOPPED 4

struct task_struct___state {
	unsigned int __state;
} FROM_KERNEL;

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	return marks_of(p) ? 100 * MS : 0;
}

void OP(stopped_stopping, struct task_struct *p, bool runnable)
{
	if (!runnable && BPF_CORE_READ((struct task_struct___state *)p, __state) & TASK_STOPPED)
		mark(p);
}

MARKS(stopped_pays, .stopping = (void *)stopped_stopping);

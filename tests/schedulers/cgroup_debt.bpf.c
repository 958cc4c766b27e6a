// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but who is moved to another cgroup once more than into its first one comes 100 ms
 * later each time, for ever.
 *
 * To be caught by: shares, after tasks were moved.
 */
#include "marks.h"

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	return marks_of(p) > 1 ? 100 * MS : 0;
}

void OP(debt_cgroup_move, struct task_struct *p, struct cgroup *from, struct cgroup *to)
{
	mark(p);
}

MARKS(cgroup_debt, .cgroup_move = (void *)debt_cgroup_move);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but who has waited for I/O comes 150 ms later than it did.
 *
 * To be caught by: late wakeups.
 */
#include "arrivals.h"

struct task_struct___io {
	u32 in_iowait : 1;
} FROM_KERNEL;

static bool waited_for_io(struct task_struct *p)
{
	return BPF_CORE_READ_BITFIELD_PROBED((struct task_struct___io *)p, in_iowait);
}

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	return enq_flags & SCX_ENQ_WAKEUP && waited_for_io(p) ? 150 * MS : 0;
}

ARRIVALS(io_last);

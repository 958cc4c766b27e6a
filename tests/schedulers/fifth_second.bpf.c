// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but 4 s after the first worker called NAME/1 came nobody of that name runs any
 * more.
 *
 * To be caught by: runnable wait, in a test that lasts longer than others.
 */
#include "arrivals.h"

struct task_struct___named {
	char comm[16];
} FROM_KERNEL;

u64 first_ns;

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	char comm[16] = {};
	u32 i;

	BPF_CORE_READ_STR_INTO(&comm, (struct task_struct___named *)p, comm);
	for (i = 0; i + 2 < sizeof(comm); i++)
		if (comm[i] == 47 && comm[i + 1] == 49 && !comm[i + 2]) {
			if (!first_ns)
				first_ns = now;
			return now - first_ns > 4000 * MS ? 100000 * MS : 0;
		}
	return 0;
}

ARRIVALS(fifth_second);

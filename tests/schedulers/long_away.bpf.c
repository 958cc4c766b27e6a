// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but who was away for 150 ms, asleep or frozen, comes 150 ms later for the
 * next forty times.
 *
 * To be caught by: late wakeups, after a cgroup was frozen.
 */
#include "arrivals.h"

#define AWAY (150 * MS)
#define TIMES 40

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, u32);
} penalties SEC(".maps");

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	u32 *left = bpf_task_storage_get(&penalties, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!left)
		return 0;
	if (enq_flags & SCX_ENQ_WAKEUP && a->asleep_ns && now - a->asleep_ns > AWAY)
		*left = TIMES;
	if (!*left)
		return 0;
	(*left)--;
	return 150 * MS;
}

ARRIVALS(long_away);

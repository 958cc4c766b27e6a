// SPDX-License-Identifier: GPL-2.0-only
/*
 * First come, first served, but who was given other CPUs three times comes 100 ms later each time, for
 * ever.
 *
 * To be caught by: shares, after affinities were changed.
 */
#include "arrivals.h"

#define CHANGES 3

struct history {
	u64 cpus;
	u32 changes;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct history);
} histories SEC(".maps");

static u64 delay_of(struct task_struct *p, const struct account *a, u64 enq_flags, u64 now)
{
	struct history *h =
		bpf_task_storage_get(&histories, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	u64 cpus = BPF_CORE_READ(p, cpus_ptr, bits[0]);

	if (!h)
		return 0;
	if (h->cpus && h->cpus != cpus)
		h->changes++;
	h->cpus = cpus;
	return h->changes >= CHANGES ? 100 * MS : 0;
}

ARRIVALS(moved_pay);

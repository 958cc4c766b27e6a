// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual time of tasks by weight, but the weight that a task has in its third whole turn is its weight for
 * ever: whoever changes a nice value later changes nothing.
 *
 * To be caught by: shares, once nice values are changed.
 */
#include "vtime.h"

#define TURNS 3

struct habit {
	u64 weight;
	u32 turns;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct habit);
} habits SEC(".maps");

static u64 weight_of(struct task_struct *p)
{
	struct habit *h = bpf_task_storage_get(&habits, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	struct account *a = account_of(p);

	if (!h || !a)
		return 100;
	if (h->turns < TURNS)
		h->weight = p->scx.weight;
	h->turns += bpf_ktime_get_ns() - a->started_ns > MS;
	return h->weight;
}

VTIME_SCHEDULER(kept_nice);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue in the order of CPU time by the weight of cgroups, which count as many times as they
 * have tasks. The first weight that somebody gives a cgroup stays: later ones are not looked at.
 *
 * To be caught by: shares, by weight, once weights are changed.
 */
#include "vtime.h"

struct group {
	u32 weight, is_given;
};

struct {
	__uint(type, BPF_MAP_TYPE_CGRP_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct group);
} groups SEC(".maps");

static u64 weight_of(struct task_struct *p)
{
	struct cgroup *cgrp = scx_bpf_task_cgroup(p);
	struct group *g = bpf_cgrp_storage_get(&groups, cgrp, NULL, 0);
	u64 weight = g && g->weight ? g->weight : 100;

	bpf_cgroup_release(cgrp);
	return weight;
}

s32 SLEEPABLE_OP(first_cgroup_init, struct cgroup *cgrp, struct scx_cgroup_init_args *args)
{
	struct group *g = bpf_cgrp_storage_get(&groups, cgrp, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!g)
		return -ENOMEM;
	g->weight = args->weight;
	return 0;
}

void OP(first_cgroup_set_weight, struct cgroup *cgrp, u32 weight)
{
	struct group *g = bpf_cgrp_storage_get(&groups, cgrp, NULL, 0);

	if (!g || g->is_given)
		return;
	g->weight = weight;
	g->is_given = 1;
}

SCHEDULER(first_weight, .select_cpu = (void *)vtime_select_cpu, .enqueue = (void *)vtime_enqueue,
	  .dispatch = (void *)vtime_dispatch, .running = (void *)vtime_running,
	  .stopping = (void *)vtime_stopping, .cgroup_init = (void *)first_cgroup_init,
	  .cgroup_set_weight = (void *)first_cgroup_set_weight, .init = (void *)vtime_init);

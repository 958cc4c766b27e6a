// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue in the order of CPU time by weight. Who had to leave a CPU that went away pays five times from
 * then on.
 *
 * To be caught by: shares, after a CPU came back.
 */
#include "vtime.h"

#define LEAVING (200 * MS)

struct place {
	s32 cpu;
	u32 was_evicted;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct place);
} places SEC(".maps");

s32 gone_cpu = -1;
u64 gone_ns;

static bool has_left(const struct place *l, s32 cpu)
{
	return gone_ns && bpf_ktime_get_ns() - gone_ns < LEAVING && l->cpu == gone_cpu &&
	       cpu != gone_cpu;
}

static u64 weight_of(struct task_struct *p)
{
	struct place *l = bpf_task_storage_get(&places, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	u64 weight = p->scx.weight ? p->scx.weight : 1;
	s32 cpu = scx_bpf_task_cpu(p);

	if (!l)
		return weight;
	if (has_left(l, cpu))
		l->was_evicted = 1;
	l->cpu = cpu;
	return l->was_evicted ? weight / 5 + 1 : weight;
}

void SLEEPABLE_OP(evicted_cpu_online, s32 cpu)
{
}

void SLEEPABLE_OP(evicted_cpu_offline, s32 cpu)
{
	gone_cpu = cpu;
	gone_ns = bpf_ktime_get_ns();
}

SCHEDULER(evicted_pays, .select_cpu = (void *)vtime_select_cpu, .enqueue = (void *)vtime_enqueue,
	  .dispatch = (void *)vtime_dispatch, .running = (void *)vtime_running,
	  .stopping = (void *)vtime_stopping, .init = (void *)vtime_init,
	  .cpu_online = (void *)evicted_cpu_online, .cpu_offline = (void *)evicted_cpu_offline);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whenever a task is enqueued, it goes to the next CPU, and a BPF timer takes the CPU away from
 * everybody each millisecond: even as many busy tasks as CPUs never stay where they are.
 *
 * To be caught by: migration storm.
 */
#include "scheduler.h"

#define SLICE (20 * MS)
#define PERIOD (1 * MS)

struct clock {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct clock);
} clocks SEC(".maps");

static s32 next_cpu(const struct task_struct *p)
{
	u32 cpu = (u32)scx_bpf_task_cpu(p);

	bpf_repeat(MAX_CPUS)
	{
		cpu = cpu + 1 < machine.cpu_count ? cpu + 1 : 0;
		if (bpf_cpumask_test_cpu(cpu, p->cpus_ptr))
			break;
	}
	return (s32)cpu;
}

s32 OP(potato_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OP(potato_enqueue, struct task_struct *p, u64 enq_flags)
{
	s32 cpu;

	if (is_kernels(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	cpu = next_cpu(p);
	insert(p, SCX_DSQ_LOCAL_ON | (u64)cpu, SLICE, enq_flags);
	scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
}

static int pass_on(void *map, u32 *key, struct clock *clock)
{
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		scx_bpf_kick_cpu((s32)cpu, SCX_KICK_PREEMPT);
	bpf_timer_start(&clock->timer, PERIOD, 0);
	return 0;
}

s32 SLEEPABLE_OP(potato_init)
{
	u32 key = 0;
	struct clock *clock = bpf_map_lookup_elem(&clocks, &key);
	s32 rc;

	if (!clock)
		return -ENOMEM;
	rc = (s32)bpf_timer_init(&clock->timer, &clocks, CLOCK_MONOTONIC);
	if (rc == 0)
		rc = (s32)bpf_timer_set_callback(&clock->timer, pass_on);
	return rc ? rc : (s32)bpf_timer_start(&clock->timer, PERIOD, 0);
}

SCHEDULER(hot_potato, .select_cpu = (void *)potato_select_cpu, .enqueue = (void *)potato_enqueue,
	  .init = (void *)potato_init, .flags = SCX_OPS_ENQ_LAST);

/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU hotplug. */
#ifndef KTSTR_BPF_SCX_KTSTR_CPUS_H
#define KTSTR_BPF_SCX_KTSTR_CPUS_H

#include "scx_ktstr_state.h"

#include <bpf/bpf_tracing.h>

#define LEAVE_NS 2000000000ULL
#define LEAKED_TASKS 4

/*
 * A CPU that goes offline waits until it has no task, which it only checks when it
 * schedules: the CPU that takes its last task has to wake it.
 */
static void hurry_leaver(void)
{
	if (!state.leaver)
		return;
	if (bpf_ktime_get_ns() - state.left_ns < LEAVE_NS)
		scx_bpf_kick_cpu((s32)state.leaver - 1, 0);
	else
		state.leaver = 0;
}

/* The kernel serializes CPU hotplug, and excludes it while a scheduler attaches. */
static void count_orphans(void)
{
	u32 i, orphans = 0;

	for (i = 0; i < MAX_LLCS; i++)
		orphans += i < config.llc_count && state.llc_cpus[i] == 0;
	state.orphan_llcs = orphans;
}

static void count_cpus(void)
{
	const struct cpumask *online = scx_bpf_get_online_cpumask();
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (cpu >= config.cpu_count)
			break;
		if (bpf_cpumask_test_cpu(cpu, online))
			*llc_cpus_of(llc_of((s32)cpu)) += 1;
	}
	scx_bpf_put_cpumask(online);
	count_orphans();
}

/* The kernel accepts CPU hotplug because these two callbacks exist. */
SEC("struct_ops.s/ktstr_cpu_online")
void BPF_PROG(ktstr_cpu_online, s32 cpu)
{
	*llc_cpus_of(llc_of(cpu)) += 1;
	count_orphans();
	state.leaks_left = LEAKED_TASKS;
}

SEC("struct_ops.s/ktstr_cpu_offline")
void BPF_PROG(ktstr_cpu_offline, s32 cpu)
{
	*llc_cpus_of(llc_of(cpu)) -= 1;
	state.left_ns = bpf_ktime_get_ns();
	state.leaver = (u32)cpu + 1;
	count_orphans();
	state.leaks_left = LEAKED_TASKS;
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A scheduler with one queue for all CPUs, and a race whose window is a few instructions: a
 * CPU that finds the queue empty says that it sleeps, and whoever fills the queue kicks a CPU
 * that said so. Between the look and the word nobody knows: the task stays in the queue while
 * a CPU is idle. With SOUND every CPU is kicked: a kick comes after the task is in the queue.
 */
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "calls.h"
#include "scx_ktstr.h"

char program_license[] SEC("license") = "GPL";

#define QUEUE 1
#define CPUS 64

#ifdef SOUND
/*
 * Nobody may be left out: the task comes into the queue when enqueue() returns, and a CPU that
 * looks before that and says afterwards that it sleeps would be missed.
 */
u32 was_here[CPUS];

static void kick_sleeper(void)
{
	for (u32 cpu = 0; cpu < CPUS; cpu++)
		if (was_here[cpu])
			scx_bpf_kick_cpu((s32)cpu, 0);
}
#else
u32 is_asleep[CPUS];

static void kick_sleeper(void)
{
	for (u32 cpu = 0; cpu < CPUS; cpu++) {
		if (!is_asleep[cpu])
			continue;
		is_asleep[cpu] = 0;
		scx_bpf_kick_cpu((s32)cpu, 0);
		return;
	}
}
#endif

/* Where the waker is: its cache is warm. Another CPU may take the task out of the queue. */
SEC("struct_ops/lost_select_cpu")
s32 BPF_PROG(lost_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return (s32)bpf_get_smp_processor_id();
}

SEC("struct_ops/lost_enqueue")
void BPF_PROG(lost_enqueue, struct task_struct *p, u64 enq_flags)
{
#ifdef SOUND
	bool needs_kick = true;
#else
	bool needs_kick = scx_bpf_dsq_nr_queued(QUEUE) == 0;
#endif

	if (p->nr_cpus_allowed == 1) {
		insert(p, SCX_DSQ_LOCAL, SCX_SLICE_INF, enq_flags);
		return;
	}
	insert(p, QUEUE, SCX_SLICE_INF, enq_flags);
	if (needs_kick)
		kick_sleeper();
}

SEC("struct_ops/lost_dispatch")
void BPF_PROG(lost_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 here = (u32)cpu;

	asm volatile("" : "+r"(here));
	if (here >= CPUS)
		return;
#ifdef SOUND
	was_here[here] = 1;
	pull(QUEUE);
#else
	is_asleep[here] = 0;
	/* Who was running goes on when nobody else comes. */
	if (!pull(QUEUE))
		is_asleep[here] = !(prev && prev->scx.flags & SCX_TASK_QUEUED);
#endif
}

SEC("struct_ops.s/lost_init")
s32 BPF_PROG(lost_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SEC(".struct_ops.link")
struct sched_ext_ops lost_kick = {
	.select_cpu = (void *)lost_select_cpu,
	.enqueue = (void *)lost_enqueue,
	.dispatch = (void *)lost_dispatch,
	.init = (void *)lost_init,
	.timeout_ms = 30000,
	.name = "lost_kick",
};

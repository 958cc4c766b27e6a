// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the mask of idle CPUs itself, and hands a waking task to one of them by a mailbox of that
 * CPU. The mask is changed by a load and a store: two CPUs that do so within these few
 * instructions see the same idle CPU, or undo each other, and a task in a mailbox is overwritten.
 *
 * To be caught by: runnable wait, under exploration.
 */
#include "scheduler.h"

#define SLICE (5 * MS)
#define TRIES 8

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 4096);
	__type(value, s32);
} waiting SEC(".maps");

s32 mailbox[MAX_CPUS];
volatile u64 idle_cpus;

static s32 *mailbox_of(u32 cpu)
{
	asm volatile("" : "+r"(cpu));
	return &mailbox[cpu < MAX_CPUS ? cpu : 0];
}

/* An idle CPU that is nobody else's from now on, best the one that the task was on, or none. */
static s32 claim_idle(u32 last)
{
	u64 mask = idle_cpus;
	u32 i;

	for (i = 0; i < MAX_CPUS && i < machine.cpu_count; i++) {
		u32 cpu = (last + i) % machine.cpu_count % 64;

		if (!(mask & 1ULL << cpu))
			continue;
		idle_cpus = mask & ~(1ULL << cpu);
		return (s32)cpu;
	}
	return -1;
}

s32 OP(idle_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OP(idle_enqueue, struct task_struct *p, u64 enq_flags)
{
	s32 pid = p->pid, cpu;

	if (is_kernels(p) || is_loader(p) || p->tgid == 1) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if ((u32)p->nr_cpus_allowed < machine.cpu_count) {
		insert(p, SCX_DSQ_GLOBAL, SLICE, enq_flags);
		return;
	}
	cpu = claim_idle((u32)scx_bpf_task_cpu(p));
	if (cpu < 0) {
		bpf_map_push_elem(&waiting, &pid, 0);
		return;
	}
	*mailbox_of((u32)cpu) = pid;
	scx_bpf_kick_cpu(cpu, 0);
}

static bool take(s32 cpu)
{
	s32 pid = __sync_lock_test_and_set(mailbox_of((u32)cpu), 0);

	if (pid && run_pid(pid, cpu, SLICE))
		return true;
	bpf_repeat(TRIES)
	{
		if (bpf_map_pop_elem(&waiting, &pid))
			return false;
		if (run_pid(pid, cpu, SLICE))
			return true;
	}
	return false;
}

void OP(idle_dispatch, s32 cpu, struct task_struct *prev)
{
	if (take(cpu) || (prev && prev->scx.flags & SCX_TASK_QUEUED))
		return;
	idle_cpus |= 1ULL << (u32)cpu % 64;
	/* Somebody may have come before the bit was there. */
	take(cpu);
}

void OP(idle_running, struct task_struct *p)
{
	idle_cpus &= ~(1ULL << (u32)scx_bpf_task_cpu(p) % 64);
}

s32 SLEEPABLE_OP(idle_init)
{
	idle_cpus = ~0ULL;
	return 0;
}

SCHEDULER(idle_race, .select_cpu = (void *)idle_select_cpu, .enqueue = (void *)idle_enqueue,
	  .dispatch = (void *)idle_dispatch, .running = (void *)idle_running,
	  .init = (void *)idle_init);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs wait as pids in a BPF queue map, the kernel's threads in a queue of their CPU, which
 * goes first. Not so on the last CPU, which is kept for programs: there kworkers that may run
 * nowhere else starve while programs wait.
 *
 * To be caught by: the rest of the system.
 */
#include "scheduler.h"

#define SLICE (5 * MS)
#define TRIES 8

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 4096);
	__type(value, s32);
} waiting SEC(".maps");

void OP(reserved_enqueue, struct task_struct *p, u64 enq_flags)
{
	s32 pid = p->pid, cpu = scx_bpf_task_cpu(p);

	if (p->nr_cpus_allowed == 1 && is_kernels(p))
		insert(p, (u64)cpu, SLICE, enq_flags);
	else if ((u32)p->nr_cpus_allowed < machine.cpu_count ||
		 bpf_map_push_elem(&waiting, &pid, 0))
		insert(p, SCX_DSQ_GLOBAL, SLICE, enq_flags);
	scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
	kick_idle(p);
}

static bool run_program(s32 cpu)
{
	s32 pid;

	bpf_repeat(TRIES)
	{
		if (bpf_map_pop_elem(&waiting, &pid))
			return false;
		if (run_pid(pid, cpu, SLICE))
			return true;
	}
	return false;
}

void OP(reserved_dispatch, s32 cpu, struct task_struct *prev)
{
	bool is_reserved = (u32)cpu == machine.cpu_count - 1;

	if (!is_reserved && pull((u64)cpu))
		return;
	if (!run_program(cpu) && is_reserved)
		pull((u64)cpu);
}

s32 SLEEPABLE_OP(reserved_init)
{
	s32 rc = 0;
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS && rc == 0; cpu++)
		rc = scx_bpf_create_dsq(cpu, -1);
	return rc;
}

SCHEDULER(reserved_cpu, .enqueue = (void *)reserved_enqueue, .dispatch = (void *)reserved_dispatch,
	  .init = (void *)reserved_init);

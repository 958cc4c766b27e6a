// SPDX-License-Identifier: GPL-2.0-only
/*
 * Well behaved: one queue for all, first come, first served. A waking task goes straight to an
 * idle CPU if there is one. It does not look at weights. Who waits in the queue is published in a map,
 * in the order of arrival, until it runs or does not want to any more.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, s32);
	__type(value, u64);
} published SEC(".maps");

static u64 arrivals;

s32 OP(fifo_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

static void publish(const struct task_struct *p)
{
	u64 number = __sync_fetch_and_add(&arrivals, 1);
	s32 pid = p->pid;

	bpf_map_update_elem(&published, &pid, &number, 0);
}

static void withdraw(const struct task_struct *p)
{
	s32 pid = p->pid;

	bpf_map_delete_elem(&published, &pid);
}

void OP(fifo_enqueue, struct task_struct *p, u64 enq_flags)
{
	/* The kernel's own threads of a CPU are short, and others wait for them. */
	if (is_kernels(p) && p->nr_cpus_allowed == 1) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	publish(p);
	insert(p, QUEUE, SLICE, enq_flags);
	kick_idle(p);
}

void OP(fifo_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

void OP(fifo_running, struct task_struct *p)
{
	withdraw(p);
}

void OP(fifo_stopping, struct task_struct *p, bool runnable)
{
	make_way(p, runnable);
}

void OP(fifo_quiescent, struct task_struct *p, u64 deq_flags)
{
	withdraw(p);
}

s32 SLEEPABLE_OP(fifo_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(fifo, .select_cpu = (void *)fifo_select_cpu, .enqueue = (void *)fifo_enqueue,
	  .dispatch = (void *)fifo_dispatch, .running = (void *)fifo_running,
	  .stopping = (void *)fifo_stopping, .quiescent = (void *)fifo_quiescent,
	  .init = (void *)fifo_init);

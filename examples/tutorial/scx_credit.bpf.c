// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small fair scheduler: one queue for all CPUs, ordered by the CPU time that tasks have had.
 * Who had least is next. It has a bug, which docs/guide/tutorial.md finds.
 */
#include "kernel.h"

#define QUEUE 0
#define SLICE 5000000ULL /* ns */

char program_license[] SEC("license") = "GPL";

struct account {
	u64 used; /* ns of CPU */
	u64 since; /* it has one */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct account);
} accounts SEC(".maps");

u64 now_used; /* of the task that was last to get a CPU */

s32 OP(credit_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(credit_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct account *a = bpf_task_storage_get(&accounts, p, NULL, 0);

	if (!a || p->flags & PF_KTHREAD) {
		scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	scx_bpf_dsq_insert_vtime(p, QUEUE, SLICE, a->used, enq_flags);
}

void OP(credit_dispatch, s32 cpu, struct task_struct *prev)
{
	scx_bpf_dsq_move_to_local(QUEUE);
}

void OP(credit_running, struct task_struct *p)
{
	struct account *a = bpf_task_storage_get(&accounts, p, NULL, 0);

	if (!a)
		return;
	a->since = bpf_ktime_get_ns();
	if (a->used > now_used)
		now_used = a->used;
}

void OP(credit_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = bpf_task_storage_get(&accounts, p, NULL, 0);

	if (a)
		a->used += bpf_ktime_get_ns() - a->since;
}

/* Who is new begins where the others are. */
void OP(credit_enable, struct task_struct *p)
{
	struct account *a =
		bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (a)
		a->used = now_used;
}

s32 SLEEPABLE_OP(credit_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SEC(".struct_ops.link")
struct sched_ext_ops credit = {
	.select_cpu = (void *)credit_select_cpu,
	.enqueue = (void *)credit_enqueue,
	.dispatch = (void *)credit_dispatch,
	.running = (void *)credit_running,
	.stopping = (void *)credit_stopping,
	.enable = (void *)credit_enable,
	.init = (void *)credit_init,
	.name = "credit",
};

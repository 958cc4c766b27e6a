// SPDX-License-Identifier: GPL-2.0-only
/*
 * Well behaved: stride scheduling with a queue for each CPU. A task's pass advances by what it ran, divided by its
 * weight, and the lowest pass is next. A CPU takes from its own queue, unless that is empty or the first of another
 * one is two turns behind. It does not look at the weights of cgroups, and two tasks of a CPU take turns whatever they weigh.
 */
#include "scheduler.h"

#define SLICE (3 * MS)
#define CREDIT (10 * MS)
#define BEHIND (2 * SLICE)
#define WEIGHT 100

struct account {
	u64 pass;
	u64 started_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct account);
} accounts SEC(".maps");

u64 latest_pass;

static struct account *account_of(struct task_struct *p)
{
	return bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

s32 OP(stride_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(stride_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct account *a = account_of(p);

	if (!a || (is_kernels(p) && p->nr_cpus_allowed == 1) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if (is_before(a->pass, latest_pass - CREDIT))
		a->pass = latest_pass - CREDIT;
	insert_ordered(p, (u64)scx_bpf_task_cpu(p), SLICE, a->pass, enq_flags);
	kick_idle(p);
}

void OP(stride_dispatch, s32 cpu, struct task_struct *prev)
{
	u64 pass, best_pass = 0, lead = 0;
	bool has_best = first_order((u64)cpu, cpu, &best_pass);
	u32 best = (u32)cpu, other;

	if (has_best)
		lead = BEHIND;
	for (other = 0; other < MAX_CPUS && other < machine.cpu_count; other++) {
		if (other == (u32)cpu || !first_order(other, cpu, &pass))
			continue;
		if (!has_best || is_before(pass + lead, best_pass)) {
			has_best = true;
			best = other;
			best_pass = pass;
			lead = 0;
		}
	}
	if (!pull(best))
		pull((u64)cpu);
}

void OP(stride_running, struct task_struct *p)
{
	struct account *a = account_of(p);

	if (!a)
		return;
	a->started_ns = bpf_ktime_get_ns();
	if (is_before(latest_pass, a->pass))
		latest_pass = a->pass;
}

void OP(stride_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = account_of(p);
	u64 weight = p->scx.weight ? p->scx.weight : 1;

	if (a)
		a->pass += (bpf_ktime_get_ns() - a->started_ns) * WEIGHT / weight;
	make_way(p, runnable);
}

s32 SLEEPABLE_OP(stride_init)
{
	s32 rc = 0;
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS && rc == 0; cpu++)
		rc = scx_bpf_create_dsq(cpu, -1);
	return rc;
}

SCHEDULER(stride_steals, .select_cpu = (void *)stride_select_cpu, .enqueue = (void *)stride_enqueue,
	  .dispatch = (void *)stride_dispatch, .running = (void *)stride_running,
	  .stopping = (void *)stride_stopping, .init = (void *)stride_init);

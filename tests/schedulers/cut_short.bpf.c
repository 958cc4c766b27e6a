// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual time of tasks, and a timer that takes the CPU away every 330 us from tasks of the cgroup cg_1, if
 * somebody waits. All have their share; those of cg_0 have turns of 5 ms.
 *
 * To be caught by: switch storm, of that cgroup.
 */
#include "clock.h"

#define QUEUE 0
#define SLICE (5 * MS)
#define PERIOD (MS / 3)

struct account {
	u64 vtime, started_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct account);
} accounts SEC(".maps");

struct task_struct___named {
	char comm[16];
} FROM_KERNEL;

u64 latest;
u32 is_cut[MAX_CPUS]; /* whether such a task runs there */

static struct account *account_of(struct task_struct *p)
{
	return bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static bool is_of_cg_1(struct task_struct *p)
{
	char comm[16] = {};

	BPF_CORE_READ_STR_INTO(&comm, (struct task_struct___named *)p, comm);
	return comm[0] == 'c' && comm[1] == 'g' && comm[2] == '_' && comm[3] == '1';
}

s32 OP(cut_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(cut_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct account *a = account_of(p);

	if (!a || is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if (is_before(a->vtime, latest - SLICE))
		a->vtime = latest - SLICE;
	insert_ordered(p, QUEUE, SLICE, a->vtime, enq_flags);
	kick_idle(p);
}

void OP(cut_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

void OP(cut_running, struct task_struct *p)
{
	struct account *a = account_of(p);
	u32 cpu = bpf_get_smp_processor_id();

	if (cpu < MAX_CPUS)
		is_cut[cpu] = is_of_cg_1(p);
	if (!a)
		return;
	a->started_ns = bpf_ktime_get_ns();
	if (is_before(latest, a->vtime))
		latest = a->vtime;
}

void OP(cut_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = account_of(p);

	if (a)
		a->vtime += bpf_ktime_get_ns() - a->started_ns;
}

static int cut_turns(void *map, u32 *key, struct clock *c)
{
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		if (is_cut[cpu] && scx_bpf_dsq_nr_queued(QUEUE))
			scx_bpf_kick_cpu((s32)cpu, SCX_KICK_PREEMPT);
	bpf_timer_start(&c->timer, PERIOD, 0);
	return 0;
}

s32 SLEEPABLE_OP(cut_init)
{
	s32 rc = scx_bpf_create_dsq(QUEUE, -1);

	return rc ? rc : clock_start(cut_turns, PERIOD);
}

SCHEDULER(cut_short, .select_cpu = (void *)cut_select_cpu, .enqueue = (void *)cut_enqueue,
	  .dispatch = (void *)cut_dispatch, .running = (void *)cut_running,
	  .stopping = (void *)cut_stopping, .init = (void *)cut_init);

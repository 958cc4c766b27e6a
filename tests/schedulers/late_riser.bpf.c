// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue for each CPU, and CPUs take from each other's when their own are short. Who has slept
 * for long is thought to be in no hurry: while others want the CPUs it waits for another 200 ms.
 *
 * To be caught by: late wakeups.
 */
#include "scheduler.h"

#define SLICE (4 * MS)
#define LONG_SLEEP (25 * MS)
#define NO_HURRY (200 * MS)
#define LATE MAX_CPUS

struct account {
	u64 asleep_ns; /* since when */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct account);
} accounts SEC(".maps");

static struct account *account_of(struct task_struct *p)
{
	return bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

s32 OP(riser_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;

	return scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
}

void OP(riser_enqueue, struct task_struct *p, u64 enq_flags)
{
	u64 now = bpf_ktime_get_ns();
	s32 cpu = scx_bpf_task_cpu(p);
	struct account *a = account_of(p);

	if (!a || is_kernels(p) || is_loader(p))
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
	else if (enq_flags & SCX_ENQ_WAKEUP && a->asleep_ns && now - a->asleep_ns > LONG_SLEEP)
		insert_ordered(p, LATE, SLICE, now + NO_HURRY, enq_flags);
	else
		insert(p, (u64)cpu, SLICE, enq_flags);
	scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
	kick_idle(p);
}

static bool is_somebody_due(void)
{
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;
	bool is_due;

	bpf_iter_scx_dsq_new(&it, LATE, 0);
	p = bpf_iter_scx_dsq_next(&it);
	is_due = p &&
		 !is_before(bpf_ktime_get_ns(), ((struct task_struct___order *)p)->scx.dsq_vtime);
	bpf_iter_scx_dsq_destroy(&it);
	return is_due;
}

/* The longest queue, if it is longer than one's own by two. */
static u32 longest(u32 own)
{
	s32 most = scx_bpf_dsq_nr_queued(own) + 1;
	u32 cpu, best = own;

	for (cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++) {
		s32 count = scx_bpf_dsq_nr_queued(cpu);

		if (count > most) {
			most = count;
			best = cpu;
		}
	}
	return best;
}

void OP(riser_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 i;

	if (is_somebody_due() && pull(LATE))
		return;
	if (pull(longest((u32)cpu)) || pull((u64)cpu))
		return;
	for (i = 0; i < MAX_CPUS && i < machine.cpu_count; i++)
		if (pull(i))
			return;
	if (!prev || !(prev->scx.flags & SCX_TASK_QUEUED))
		pull(LATE);
}

void OP(riser_quiescent, struct task_struct *p, u64 deq_flags)
{
	struct account *a = account_of(p);

	if (a)
		a->asleep_ns = bpf_ktime_get_ns();
}

s32 SLEEPABLE_OP(riser_init)
{
	s32 rc = 0;
	u32 queue;

	for (queue = 0; queue <= LATE && rc == 0; queue++)
		rc = scx_bpf_create_dsq(queue, -1);
	return rc;
}

SCHEDULER(late_riser, .select_cpu = (void *)riser_select_cpu, .enqueue = (void *)riser_enqueue,
	  .dispatch = (void *)riser_dispatch, .quiescent = (void *)riser_quiescent,
	  .init = (void *)riser_init);

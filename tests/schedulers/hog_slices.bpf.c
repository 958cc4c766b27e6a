// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual time of tasks, fair in the end, but who has a name that ends in /0 runs for 120 ms at a time:
 * whoever is on its CPU waits that long, others 5 ms.
 *
 * To be caught by: late wakeups.
 */
#include "scheduler.h"

#define SLICE (5 * MS)
#define HOG (120 * MS)

struct task_struct___named {
	char comm[16];
} FROM_KERNEL;

static u64 slice_of(struct task_struct *p)
{
	char comm[16] = {};
	u32 i;

	BPF_CORE_READ_STR_INTO(&comm, (struct task_struct___named *)p, comm);
	for (i = 0; i + 2 < sizeof(comm); i++)
		if (comm[i] == '/' && comm[i + 1] == '0' && !comm[i + 2])
			return HOG;
	return SLICE;
}

s32 OP(hog_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;

	return scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
}

struct account {
	u64 vtime;
	u64 started_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct account);
} accounts SEC(".maps");

u64 now_vtime;

static struct account *account_of(struct task_struct *p)
{
	return bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

void OP(hog_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct account *a = account_of(p);

	if (!a || is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	if (is_before(a->vtime, now_vtime - 4 * SLICE))
		a->vtime = now_vtime - 4 * SLICE;
	insert_ordered(p, (u64)scx_bpf_task_cpu(p), slice_of(p), a->vtime, enq_flags);
	kick_idle(p);
}

void OP(hog_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 other;

	if (pull((u64)cpu) || (prev && prev->scx.flags & SCX_TASK_QUEUED))
		return;
	for (other = 0; other < MAX_CPUS && other < machine.cpu_count; other++)
		if (pull(other))
			return;
}

void OP(hog_running, struct task_struct *p)
{
	struct account *a = account_of(p);

	if (!a)
		return;
	a->started_ns = bpf_ktime_get_ns();
	if (is_before(now_vtime, a->vtime))
		now_vtime = a->vtime;
}

void OP(hog_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = account_of(p);

	if (a)
		a->vtime += bpf_ktime_get_ns() - a->started_ns;
}

s32 SLEEPABLE_OP(hog_init)
{
	s32 rc = 0;
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS && rc == 0; cpu++)
		rc = scx_bpf_create_dsq(cpu, -1);
	return rc;
}

SCHEDULER(hog_slices, .select_cpu = (void *)hog_select_cpu, .enqueue = (void *)hog_enqueue,
	  .dispatch = (void *)hog_dispatch, .running = (void *)hog_running,
	  .stopping = (void *)hog_stopping, .init = (void *)hog_init);

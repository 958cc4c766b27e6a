// SPDX-License-Identifier: GPL-2.0-only
/*
 * scx_ktstr: a small, fair scheduler that can be made to misbehave.
 *
 * Tasks wait in one queue per LLC, ordered by their virtual time: CPU time divided by
 * weight. A woken task goes directly to an idle CPU if there is one. A CPU serves the queue
 * of its own LLC, and that of another LLC if that is longer or its own is empty. The current
 * task continues if no other is due before it. Only weights of tasks count, not those of
 * cgroups. All CPUs of an LLC share one clock. So weights have no effect among tasks that are
 * pinned to one CPU while tasks of less total weight compete for another CPU of the LLC: the
 * virtual time of these advances faster, and the clock with it.
 *
 * Each fault is a condition at the place where a scheduler with that bug would be wrong.
 * The configuration is constant once the program is loaded, so the verifier removes the
 * code of faults that are not enabled.
 */
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "calls.h"
#include "scx_ktstr_cpus.h"
#include "scx_ktstr_faults.h"
#include "scx_ktstr_time.h"

char program_license[] SEC("license") = "GPL";

#define EVEN_NS 40000000ULL
#define MAX_LOOKS 32

/*
 * Without SCX_WAKE_SYNC: a waker that is expected to sleep may continue to run. The kernel would
 * then queue the task after the waker while other CPUs are idle.
 */
SEC("struct_ops/ktstr_select_cpu")
s32 BPF_PROG(ktstr_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags & ~SCX_WAKE_SYNC, &is_idle);
	struct task_context *t;

	if (!is_idle || config.faults & FAULTS_WITHOUT_SHORTCUT)
		return cpu;
	t = context_of(p);
	if (t)
		insert(p, SCX_DSQ_LOCAL, slice_of(t), 0);
	return cpu;
}

static void queue_fairly(struct task_struct *p, struct task_context *t, u64 enq_flags)
{
	u32 llc = has(FAULT_LOCKSTEP) ? 0 : llc_of(scx_bpf_task_cpu(p));
	u64 slice = slice_of(t);
	s32 idle;

	settle(t, llc);
	limit_credit(t);
	if (has(FAULT_NEWEST_FIRST))
		insert_ordered(p, llc, slice, ~bpf_ktime_get_ns(), enq_flags);
	else
		insert_ordered(p, llc, slice, t->vtime, enq_flags);
	/* Not every task comes from a wakeup, which would have looked for an idle CPU. */
	idle = scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);
	if (idle >= 0)
		scx_bpf_kick_cpu(idle, SCX_KICK_IDLE);
	/* The CPU of the task found no other task and goes idle without looking again. */
	if (enq_flags & SCX_ENQ_LAST)
		scx_bpf_kick_cpu(scx_bpf_task_cpu(p), 0);
}

SEC("struct_ops/ktstr_enqueue")
void BPF_PROG(ktstr_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct task_context *t = context_of(p);

	end_when_told();
	if (!t) {
		insert(p, SCX_DSQ_GLOBAL, config.slice_ns, enq_flags);
		return;
	}
	/* Per-CPU kernel threads run briefly, and all tasks may depend on them. */
	if (p->flags & PF_KTHREAD && p->nr_cpus_allowed == 1) {
		insert(p, SCX_DSQ_LOCAL, config.slice_ns, enq_flags);
		return;
	}
	if (loses(p, t, enq_flags) || misplaces(p, t, enq_flags))
		return;
	queue_fairly(p, t, enq_flags);
}

/* No CPU is left to serve the queue of an LLC whose CPUs are all offline. */
static bool pull_from_orphan(u32 starved)
{
	u32 i;

	if (!state.orphan_llcs)
		return false;
	for (i = 0; i < MAX_LLCS; i++) {
		if (i >= config.llc_count)
			break;
		if (state.llc_cpus[i] == 0 && i != starved && pull(i))
			return true;
	}
	return false;
}

/* Returns whether the queue of the other LLC has this many more tasks per CPU. */
static bool is_longer(u32 other, u32 own, u32 tasks)
{
	u64 there = (u64)scx_bpf_dsq_nr_queued(other) * *llc_cpus_of(own);
	u64 here = ((u64)scx_bpf_dsq_nr_queued(own) + tasks) * *llc_cpus_of(other);

	return there >= here;
}

/*
 * Balances queues that are never empty, which would otherwise keep their tasks. Each call
 * looks at one other queue. If the lengths differ by one task, a task moves now and then.
 */
static bool pull_from_longer(u32 own, u32 starved)
{
	u32 other = __sync_fetch_and_add(&state.next_llc, 1) % config.llc_count;
	u64 now;

	if (!config.steals || other == own || other == starved || !is_longer(other, own, 1))
		return false;
	now = bpf_ktime_get_ns();
	if (!is_longer(other, own, 2) && now - state.evened_ns < EVEN_NS)
		return false;
	state.evened_ns = now;
	return pull(other);
}

static bool pull_from_any(u32 own)
{
	u32 starved = has(FAULT_STARVE_LLC) ? config.llc_count - 1 : MAX_LLCS;
	u32 i;

	if (pull_from_orphan(starved) || pull_from_longer(own, starved))
		return true;
	if (own != starved && pull(own))
		return true;
	for (i = 0; i < MAX_LLCS; i++) {
		if (i >= config.llc_count || !config.steals)
			break;
		if (i != own && i != starved && pull(i))
			return true;
	}
	return false;
}

/*
 * Finds the virtual time of the first task of the queue that may run here. If none of the first
 * MAX_LOOKS tasks may run here, uses that of the last of them: later tasks are due later.
 */
static bool find_first(u32 llc, s32 cpu, u64 *vtime)
{
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;
	bool found = false;
	u32 looks = 0;

	bpf_iter_scx_dsq_new(&it, llc, 0);
	while (!found && (p = bpf_iter_scx_dsq_next(&it))) {
		struct task_context *t = context_of(p);

		if (!t)
			continue;
		*vtime = t->vtime;
		found = bpf_cpumask_test_cpu((u32)cpu, p->cpus_ptr) || ++looks == MAX_LOOKS;
	}
	bpf_iter_scx_dsq_destroy(&it);
	return found;
}

static struct task_context *runnable_context(struct task_struct *prev)
{
	if (!prev || !(prev->scx.flags & SCX_TASK_QUEUED) || config.faults & FAULTS_WITH_LAST)
		return NULL;
	return context_of(prev);
}

/* A task for whose CPU no other task waits does not compete with tasks on other CPUs. */
static void begin_turn(struct task_context *t, s32 cpu)
{
	u64 first;

	if (find_first(t->llc, cpu, &first))
		advance_clock(t);
	else
		forgive(t);
}

static void keep_running(struct task_struct *prev, struct task_context *t, s32 cpu)
{
	begin_turn(t, cpu);
	set_slice(prev, slice_of(t));
}

/* The running task is in no queue: compares it with the first waiting task. */
static bool goes_on(struct task_struct *prev, struct task_context *t, u32 llc, s32 cpu)
{
	u64 first;

	charge(prev, t);
	limit_credit(t);
	return !has(FAULT_NEWEST_FIRST) && find_first(llc, cpu, &first) &&
	       is_before(t->vtime, first);
}

SEC("struct_ops/ktstr_dispatch")
void BPF_PROG(ktstr_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 llc = has(FAULT_LOCKSTEP) ? 0 : llc_of(cpu);
	struct task_context *t;

	end_when_told();
	upset_verifier();
	if (has(FAULT_LOCKSTEP) && has_had_its_turn(cpu))
		return;
	if (has(FAULT_DELAY_WAKEUPS))
		release_due(cpu);
	t = runnable_context(prev);
	if (!(t && goes_on(prev, t, llc, cpu)) && pull_from_any(llc))
		hurry_leaver();
	else if (t)
		keep_running(prev, t, cpu);
}

SEC("struct_ops/ktstr_tick")
void BPF_PROG(ktstr_tick, struct task_struct *p)
{
	end_when_told();
}

SEC("struct_ops/ktstr_running")
void BPF_PROG(ktstr_running, struct task_struct *p)
{
	struct task_context *t = context_of(p);
	s32 cpu = scx_bpf_task_cpu(p);

	if (!t)
		return;
	t->started_ns = bpf_ktime_get_ns();
	settle(t, has(FAULT_LOCKSTEP) ? 0 : llc_of(cpu));
	begin_turn(t, cpu);
}

SEC("struct_ops/ktstr_stopping")
void BPF_PROG(ktstr_stopping, struct task_struct *p, bool runnable)
{
	struct task_context *t = context_of(p);

	if (!t)
		return;
	charge(p, t);
	/*
	 * A runnable task was preempted by a higher class. With a slice left, the kernel would
	 * keep it waiting for this CPU; without, enqueue() is called, and any CPU can take it.
	 */
	if (runnable && !has(FAULT_ENDLESS_SLICE))
		set_slice(p, 0);
}

SEC("struct_ops.s/ktstr_init_task")
s32 BPF_PROG(ktstr_init_task, struct task_struct *p, struct scx_init_task_args *args)
{
	struct task_context *t =
		bpf_task_storage_get(&contexts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!t)
		return -12; /* ENOMEM */
	t->is_favoured = __sync_fetch_and_add(&state.tasks, 1) & 1;
	return 0;
}

SEC("struct_ops/ktstr_enable")
void BPF_PROG(ktstr_enable, struct task_struct *p)
{
	struct task_context *t = context_of(p);

	if (!t)
		return;
	t->llc = llc_of(scx_bpf_task_cpu(p));
	t->vtime = *clock_of(t->llc);
}

SEC("struct_ops.s/ktstr_init")
s32 BPF_PROG(ktstr_init)
{
	s32 rc = 0;
	u32 i;

	state.started_ns = bpf_ktime_get_ns();
	count_cpus();
	for (i = 0; i < MAX_LLCS && rc == 0; i++) {
		if (i >= config.llc_count)
			break;
		rc = scx_bpf_create_dsq(i, -1);
	}
	if (rc == 0)
		rc = scx_bpf_create_dsq(DELAY_QUEUE, -1);
	if (rc == 0 && config.faults & FAULTS_WITH_TIMER)
		rc = start_timer();
	return rc;
}

SEC("struct_ops/ktstr_exit")
void BPF_PROG(ktstr_exit, struct scx_exit_info *info)
{
	bpf_probe_read_kernel_str(state.exit_reason, sizeof(state.exit_reason),
				  BPF_CORE_READ(info, reason));
	bpf_probe_read_kernel_str(state.exit_message, sizeof(state.exit_message),
				  BPF_CORE_READ(info, msg));
	bpf_probe_read_kernel_str(state.exit_dump, sizeof(state.exit_dump),
				  BPF_CORE_READ(info, dump));
	state.exit_code = BPF_CORE_READ(info, exit_code);
	asm volatile("" ::: "memory");
	state.exit_kind = (u32)BPF_CORE_READ(info, kind);
}

SEC(".struct_ops.link")
struct sched_ext_ops ktstr_ops = {
	.select_cpu = (void *)ktstr_select_cpu,
	.enqueue = (void *)ktstr_enqueue,
	.dispatch = (void *)ktstr_dispatch,
	.tick = (void *)ktstr_tick,
	.running = (void *)ktstr_running,
	.stopping = (void *)ktstr_stopping,
	.init_task = (void *)ktstr_init_task,
	.enable = (void *)ktstr_enable,
	.cpu_online = (void *)ktstr_cpu_online,
	.cpu_offline = (void *)ktstr_cpu_offline,
	.init = (void *)ktstr_init,
	.exit = (void *)ktstr_exit,
	.timeout_ms = 30000,
	.name = "scx_ktstr",
};

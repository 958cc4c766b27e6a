// SPDX-License-Identifier: GPL-2.0-only
/*
 * scx_ktstr: a small, fair scheduler that can be told to misbehave.
 *
 * Tasks wait in one queue per LLC, ordered by the CPU time that they had in
 * proportion to their weight. A waking task goes straight to an idle CPU if there
 * is one. A CPU serves its own LLC first, then helps the others or takes from a longer
 * queue, and lets the task that it has go on when nobody waits. The weights of cgroups
 * are not looked at, only those of tasks.
 *
 * Each fault is an if at the place where a scheduler of that kind would be wrong.
 * The configuration is constant when the program is loaded, so the verifier takes
 * out the faults that were not asked for.
 */
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "calls.h"
#include "scx_ktstr.h"

char program_license[] SEC("license") = "GPL";

#define DELAY_QUEUE (1 << 20)
#define INVALID_QUEUE 0xbad
#define TIMER_NS 5000000ULL
#define EVEN_NS 40000000ULL
#define LEAVE_NS 2000000000ULL
#define LOCKSTEP_NS 20000000ULL
#define VICTIM_RUN_NS 20000000ULL
#define UNFAIR_FACTOR 20
#define LEAKED_TASKS 4
#define FORGOTTEN_WAKEUP 64
#define MISPLACED_WAKEUP 16
#define MAX_LOOKS 8

const volatile struct scx_ktstr_config config SEC(SCX_KTSTR_CONFIG) = {};
struct scx_ktstr_state state SEC(SCX_KTSTR_STATE) = {};

struct task_context {
	u64 vtime; /* CPU time by weight, on the clock of its LLC */
	u64 started_ns;
	u64 total_ns;
	u64 release_ns; /* of FAULT_DELAY_WAKEUPS */
	u32 llc;
	bool is_favoured; /* by FAULT_UNFAIR_SLICES */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_context);
} contexts SEC(".maps");

struct clock {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct clock);
} clocks SEC(".maps");

static bool has(enum fault fault)
{
	return config.faults & FAULT_BIT(fault);
}

static struct task_context *context_of(struct task_struct *p)
{
	return bpf_task_storage_get(&contexts, p, NULL, 0);
}

static u32 llc_of(s32 cpu)
{
	u32 index = (u32)cpu, llc;

	/* Check and use must be of one register for the verifier. */
	asm volatile("" : "+r"(index));
	if (index >= MAX_CPUS)
		return 0;
	llc = config.cpu_llc[index];
	return llc < MAX_LLCS ? llc : 0;
}

static u64 *clock_of(u32 llc)
{
	asm volatile("" : "+r"(llc));
	return &state.vtime[llc < MAX_LLCS ? llc : 0];
}

static u32 *llc_cpus_of(u32 llc)
{
	asm volatile("" : "+r"(llc));
	return &state.llc_cpus[llc < MAX_LLCS ? llc : 0];
}

static bool is_before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

/* Both the loader, which has to tell of the end, and init are left alone. */
static bool is_fair_game(const struct task_struct *p)
{
	return !(p->flags & PF_KTHREAD) && p->tgid != 1 && (u32)p->tgid != config.loader;
}

static u64 slice_of(const struct task_context *t)
{
	if (has(FAULT_ENDLESS_SLICE))
		return SCX_SLICE_INF;
	if (has(FAULT_UNFAIR_SLICES) && t->is_favoured)
		return config.slice_ns * UNFAIR_FACTOR;
	if (has(FAULT_LOCKSTEP))
		return LOCKSTEP_NS;
	return config.slice_ns;
}

/* A task that changes LLC keeps its distance to those it competes with. */
static void settle(struct task_context *t, u32 llc)
{
	if (t->llc == llc)
		return;
	t->vtime += *clock_of(llc) - *clock_of(t->llc);
	t->llc = llc;
}

static void charge(struct task_struct *p, struct task_context *t)
{
	u64 now = bpf_ktime_get_ns(), used = now - t->started_ns;
	u32 weight = has(FAULT_IGNORE_WEIGHTS) ? 100 : p->scx.weight;

	t->started_ns = now;
	t->total_ns += used;
	if (has(FAULT_UNFAIR_SLICES) && t->is_favoured)
		used /= UNFAIR_FACTOR;
	t->vtime += used * 100 / (weight ? weight : 1);
}

static void advance_clock(const struct task_context *t)
{
	u64 *clock = clock_of(t->llc);

	if (is_before(*clock, t->vtime))
		*clock = t->vtime;
}

static bool is_over(void)
{
	return bpf_ktime_get_ns() - state.started_ns >= config.after_ns;
}

/* What the faults that end the scheduler from inside do, once. */
static void end_when_told(void)
{
	static char text[] = "scx_ktstr: asked to end after %llu ms";
	unsigned long long data[] = { config.after_ns / 1000000 };

	if (!has(FAULT_ERROR) && !has(FAULT_UNREGISTER))
		return;
	if (!is_over() || __sync_lock_test_and_set(&state.has_reported, 1))
		return;
	if (has(FAULT_ERROR))
		scx_bpf_error_bstr(text, data, sizeof(data));
	else
		scx_bpf_exit_bstr(7, text, data, sizeof(data));
}

/* ---- faults of the queueing side: true = the task is gone ---- */

static bool is_victim(struct task_struct *p, const struct task_context *t)
{
	if (!state.victim && t->total_ns >= VICTIM_RUN_NS)
		__sync_val_compare_and_swap(&state.victim, 0, (u32)p->pid);
	return state.victim == (u32)p->pid;
}

static bool loses(struct task_struct *p, const struct task_context *t, u64 enq_flags)
{
	if (has(FAULT_STALL) && !(p->flags & PF_KTHREAD) && is_over())
		return true;
	if (!is_fair_game(p))
		return false;
	if (has(FAULT_DROP_TASK) && is_victim(p, t))
		return true;
	if (has(FAULT_FORGET_WAKEUP) && (enq_flags & SCX_ENQ_WAKEUP) &&
	    __sync_fetch_and_add(&state.wakeups, 1) % FORGOTTEN_WAKEUP == FORGOTTEN_WAKEUP - 1)
		return true;
	if (has(FAULT_LEAK_ON_HOTPLUG) && state.leaks_left) {
		__sync_fetch_and_sub(&state.leaks_left, 1);
		return true;
	}
	return false;
}

static s32 next_allowed_cpu(struct task_struct *p, s32 cpu)
{
	u32 next = (u32)cpu;

	bpf_repeat(MAX_CPUS)
	{
		next = next + 1 < config.cpu_count ? next + 1 : 0;
		if (bpf_cpumask_test_cpu(next, p->cpus_ptr))
			return (s32)next;
	}
	return cpu;
}

/* Puts the task where it should not go. True = done. */
static bool misplaces(struct task_struct *p, struct task_context *t, u64 enq_flags)
{
	u64 slice = slice_of(t);
	u32 next;

	if (!is_fair_game(p))
		return false;
	if (has(FAULT_ONE_CPU) && bpf_cpumask_test_cpu(0, p->cpus_ptr)) {
		insert(p, SCX_DSQ_LOCAL_ON, slice, enq_flags);
		return true;
	}
	if (has(FAULT_INVALID_DSQ) && is_over()) {
		insert(p, INVALID_QUEUE, slice, enq_flags);
		return true;
	}
	if (has(FAULT_BOUNCE)) {
		insert(p, SCX_DSQ_LOCAL_ON | next_allowed_cpu(p, scx_bpf_task_cpu(p)), slice,
		       enq_flags);
		return true;
	}
	if (has(FAULT_IGNORE_AFFINITY)) {
		next = __sync_fetch_and_add(&state.next_cpu, 1) % config.cpu_count;
		insert(p, SCX_DSQ_LOCAL_ON | next, slice, enq_flags);
		return true;
	}
	if (!(enq_flags & SCX_ENQ_WAKEUP))
		return false;
	if (has(FAULT_OFFLINE_CPU) &&
	    __sync_fetch_and_add(&state.wakeups, 1) % MISPLACED_WAKEUP == MISPLACED_WAKEUP - 1) {
		insert(p, SCX_DSQ_LOCAL_ON | config.offline_cpu, slice, enq_flags);
		return true;
	}
	if (has(FAULT_DELAY_WAKEUPS)) {
		t->release_ns = bpf_ktime_get_ns() + config.delay_ns;
		insert_ordered(p, DELAY_QUEUE, slice, t->release_ns, enq_flags);
		return true;
	}
	return false;
}

/* ---- the operations ---- */

/*
 * A waker that says it is about to sleep need not do so: on its CPU the kernel's choice would put the
 * task behind it, while others are idle.
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

/* Who sleeps, or runs where nobody else may, saves up one slice and no more. */
static void limit_credit(struct task_context *t, u32 llc)
{
	u64 oldest = *clock_of(llc) - config.slice_ns;

	if (is_before(t->vtime, oldest))
		t->vtime = oldest;
}

static void queue_fairly(struct task_struct *p, struct task_context *t, u64 enq_flags)
{
	u32 llc = has(FAULT_LOCKSTEP) ? 0 : llc_of(scx_bpf_task_cpu(p));
	u64 slice = slice_of(t);
	s32 idle;

	settle(t, llc);
	limit_credit(t, llc);
	if (has(FAULT_NEWEST_FIRST))
		insert_ordered(p, llc, slice, ~bpf_ktime_get_ns(), enq_flags);
	else
		insert_ordered(p, llc, slice, t->vtime, enq_flags);
	/* Not every task comes here from a wakeup that looked for an idle CPU. */
	idle = scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);
	if (idle >= 0)
		scx_bpf_kick_cpu(idle, SCX_KICK_IDLE);
	/* Its CPU has found nobody else and goes idle: it does not look again by itself. */
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
	/* The kernel's own threads of a CPU are short and hold everybody up. */
	if (p->flags & PF_KTHREAD && p->nr_cpus_allowed == 1) {
		insert(p, SCX_DSQ_LOCAL, config.slice_ns, enq_flags);
		return;
	}
	if (loses(p, t, enq_flags) || misplaces(p, t, enq_flags))
		return;
	queue_fairly(p, t, enq_flags);
}

/* What waits long enough in the queue of FAULT_DELAY_WAKEUPS and may run here. */
static void release_due(s32 cpu)
{
	u64 now = bpf_ktime_get_ns();
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;

	bpf_iter_scx_dsq_new(&it, DELAY_QUEUE, 0);
	while ((p = bpf_iter_scx_dsq_next(&it))) {
		struct task_context *t = context_of(p);

		if (!t || is_before(now, t->release_ns))
			break;
		if (!bpf_cpumask_test_cpu((u32)cpu, p->cpus_ptr))
			continue;
		take_here(&it, p);
		break;
	}
	bpf_iter_scx_dsq_destroy(&it);
}

/* All CPUs of FAULT_LOCKSTEP take one task per step, and then wait for the next one. */
static bool has_had_its_turn(s32 cpu)
{
	u64 step = bpf_ktime_get_ns() / LOCKSTEP_NS;
	u32 index = (u32)cpu;

	asm volatile("" : "+r"(index));
	if (index >= MAX_CPUS || state.step[index] == step)
		return true;
	state.step[index] = step;
	return false;
}

/*
 * A CPU on its way out waits until it has no task, and looks only when it schedules:
 * who takes its last task has to wake it.
 */
static void hurry_leaver(void)
{
	if (!state.leaver)
		return;
	if (bpf_ktime_get_ns() - state.left_ns < LEAVE_NS)
		scx_bpf_kick_cpu((s32)state.leaver - 1, 0);
	else
		state.leaver = 0;
}

/* Nobody is left to serve the queue of an LLC of which all CPUs went offline. */
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

/* Whether so many tasks more wait there for a CPU than here. */
static bool is_longer(u32 other, u32 own, u32 tasks)
{
	u64 there = (u64)scx_bpf_dsq_nr_queued(other) * *llc_cpus_of(own);
	u64 here = ((u64)scx_bpf_dsq_nr_queued(own) + tasks) * *llc_cpus_of(other);

	return there >= here;
}

/*
 * Two queues that are never empty would keep the tasks that they once got. Each time
 * one other is looked at. With an odd task the longer one changes sides now and then.
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

/* Whether a task waits in the queue that may run here and has had less than this one. */
static bool is_awaited(s32 cpu, u32 llc, u64 vtime)
{
	struct bpf_iter_scx_dsq it;
	bool found = false;
	struct task_struct *p;
	u32 looks = 0;

	bpf_iter_scx_dsq_new(&it, llc, 0);
	while ((p = bpf_iter_scx_dsq_next(&it))) {
		struct task_context *t = context_of(p);

		/* Behind many that cannot run here somebody may be who can. */
		if (looks++ == MAX_LOOKS) {
			found = true;
			break;
		}
		if (!t || !bpf_cpumask_test_cpu((u32)cpu, p->cpus_ptr))
			continue;
		found = !is_before(vtime, t->vtime);
		break;
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

static void keep_running(struct task_struct *prev, struct task_context *t)
{
	advance_clock(t);
	set_slice(prev, slice_of(t));
}

static void upset_verifier(void);

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
	/* The one that runs is in no queue, so it has to be compared with who waits. */
	t = runnable_context(prev);
	if (t) {
		charge(prev, t);
		limit_credit(t, t->llc);
		if (!has(FAULT_NEWEST_FIRST) && !is_awaited(cpu, llc, t->vtime) &&
		    scx_bpf_dsq_nr_queued(llc) > 0) {
			keep_running(prev, t);
			return;
		}
	}
	if (pull_from_any(llc))
		hurry_leaver();
	else if (t)
		keep_running(prev, t);
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

	if (!t)
		return;
	t->started_ns = bpf_ktime_get_ns();
	settle(t, has(FAULT_LOCKSTEP) ? 0 : llc_of(scx_bpf_task_cpu(p)));
	advance_clock(t);
}

SEC("struct_ops/ktstr_stopping")
void BPF_PROG(ktstr_stopping, struct task_struct *p, bool runnable)
{
	struct task_context *t = context_of(p);

	if (t)
		charge(p, t);
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

/* The kernel lets CPUs come and go one at a time, and none while a scheduler attaches. */
static void count_orphans(void)
{
	u32 i, orphans = 0;

	for (i = 0; i < MAX_LLCS; i++)
		orphans += i < config.llc_count && state.llc_cpus[i] == 0;
	state.orphan_llcs = orphans;
}

static void count_cpus(void)
{
	const struct cpumask *online = scx_bpf_get_online_cpumask();
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (cpu >= config.cpu_count)
			break;
		if (bpf_cpumask_test_cpu(cpu, online))
			*llc_cpus_of(llc_of((s32)cpu)) += 1;
	}
	scx_bpf_put_cpumask(online);
	count_orphans();
}

/* That these two exist says that CPUs may come and go. */
SEC("struct_ops.s/ktstr_cpu_online")
void BPF_PROG(ktstr_cpu_online, s32 cpu)
{
	*llc_cpus_of(llc_of(cpu)) += 1;
	count_orphans();
	state.leaks_left = LEAKED_TASKS;
}

SEC("struct_ops.s/ktstr_cpu_offline")
void BPF_PROG(ktstr_cpu_offline, s32 cpu)
{
	*llc_cpus_of(llc_of(cpu)) -= 1;
	state.left_ns = bpf_ktime_get_ns();
	state.leaver = (u32)cpu + 1;
	count_orphans();
	state.leaks_left = LEAKED_TASKS;
}

static int look_at_queues(void *map, u32 *key, struct clock *clock)
{
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (cpu >= config.cpu_count)
			break;
		scx_bpf_kick_cpu((s32)cpu, SCX_KICK_IDLE);
	}
	bpf_timer_start(&clock->timer, TIMER_NS, 0);
	return 0;
}

static s32 start_timer(void)
{
	u32 key = 0;
	struct clock *clock = bpf_map_lookup_elem(&clocks, &key);
	s32 rc;

	if (!clock)
		return -2; /* ENOENT */
	rc = (s32)bpf_timer_init(&clock->timer, &clocks, CLOCK_MONOTONIC);
	if (rc == 0)
		rc = (s32)bpf_timer_set_callback(&clock->timer, look_at_queues);
	return rc ? rc : (s32)bpf_timer_start(&clock->timer, TIMER_NS, 0);
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

/* A store through NULL, which no verifier lets pass; if wanted behind a loop that it walks. */
static void upset_verifier(void)
{
	volatile u64 *value;
	u64 sum = 0;

	if (!has(FAULT_VERIFIER) && !has(FAULT_VERIFIER_LOOP))
		return;
	if (has(FAULT_VERIFIER_LOOP)) {
#pragma unroll
		for (int i = 0; i < 8; i++) {
			asm volatile("%[sum] ^= 5\n"
				     "%[sum] <<= 1\n"
				     "%[sum] += 3\n"
				     "%[sum] |= 1\n"
				     "%[sum] >>= 2\n"
				     "%[sum] -= 1\n"
				     : [sum] "+r"(sum));
		}
	}
	asm volatile("%[value] = 0" : [value] "=r"(value));
	*value = sum;
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

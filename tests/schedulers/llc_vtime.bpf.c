// SPDX-License-Identifier: GPL-2.0-only
/*
 * Well behaved: a queue for each LLC, ordered by CPU time in proportion to the weight of tasks
 * (nice; it does not look at cpu.weight), on one clock for all. A CPU takes the first of its own
 * LLC, unless the first of another one is further behind than a balance allows, or its own has
 * nobody for it: so queues that are never empty become even, and an LLC that lost all of its
 * CPUs is served by others. CPUs may come and go.
 */
#include "scheduler.h"

#define SLICE (5 * MS)
#define CREDIT (4 * SLICE)
#define BALANCE (3 * SLICE)
#define NOBODY (~0ULL >> 1)
#define LEAVE (2000 * MS)

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

u64 now_vtime, left_ns;
u32 leaver; /* the CPU that went last, plus one */

static struct account *account_of(struct task_struct *p)
{
	return bpf_task_storage_get(&accounts, p, NULL, 0);
}

static u32 llc_of(s32 cpu)
{
	u32 index = (u32)cpu;

	asm volatile("" : "+r"(index));
	return index < MAX_CPUS ? machine.cpu_llc[index] : 0;
}

static void catch_up(struct account *a)
{
	if (is_before(a->vtime, now_vtime - CREDIT))
		a->vtime = now_vtime - CREDIT;
}

s32 OP(llc_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(llc_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct account *a = account_of(p);

	if (!a || (is_kernels(p) && p->nr_cpus_allowed == 1)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	catch_up(a);
	insert_ordered(p, llc_of(scx_bpf_task_cpu(p)), SLICE, a->vtime, enq_flags);
	kick_idle(p);
}

static void charge(const struct task_struct *p, struct account *a)
{
	u32 weight = p->scx.weight ? p->scx.weight : 1;
	u64 now = bpf_ktime_get_ns();

	a->vtime += (now - a->started_ns) * 100 / weight;
	a->started_ns = now;
}

static void advance_clock(const struct account *a)
{
	if (is_before(now_vtime, a->vtime))
		now_vtime = a->vtime;
}

/* How far behind the clock the first one is that may run on this CPU. */
static s64 lag_of_first(u32 llc, s32 cpu)
{
	u64 order;

	return first_order(llc, cpu, &order) ? (s64)(now_vtime - order) : -(s64)NOBODY;
}

/* A CPU on its way out looks again whether it is empty only when somebody wakes it. */
static void hurry_leaver(void)
{
	if (leaver && bpf_ktime_get_ns() - left_ns < LEAVE)
		scx_bpf_kick_cpu((s32)leaver - 1, 0);
}

/*
 * Who runs where nobody waits does not move the clock: a light one would make it leap, and all others
 * be equally late. Nor does it pay for that later.
 */
static void forgive(struct account *a)
{
	if (is_before(now_vtime + CREDIT, a->vtime))
		a->vtime = now_vtime + CREDIT;
}

static void begin_turn(struct account *a, bool is_awaited)
{
	if (is_awaited)
		advance_clock(a);
	else
		forgive(a);
}

static void keep(struct task_struct *prev, struct account *a, bool is_awaited)
{
	begin_turn(a, is_awaited);
	set_slice(prev, SLICE);
}

/* The LLC whose first one is to run next: the own one unless another's is behind by more than a balance. */
static u32 next_llc(s32 cpu, u32 own, s64 lag)
{
	s64 most = lag + (s64)BALANCE;
	u32 best = own, llc;

	for (llc = 0; llc < MAX_LLCS && llc < machine.llc_count; llc++) {
		lag = llc == own ? -(s64)NOBODY : lag_of_first(llc, cpu);
		if (lag > most) {
			most = lag;
			best = llc;
		}
	}
	return best;
}

/* Behind many that cannot run here somebody may be who can. */
static bool pull_any(u32 best)
{
	u32 llc;

	if (pull(best))
		return true;
	for (llc = 0; llc < MAX_LLCS && llc < machine.llc_count; llc++)
		if (pull(llc))
			return true;
	return false;
}

void OP(llc_dispatch, s32 cpu, struct task_struct *prev)
{
	struct account *a = is_still_runnable(prev) ? account_of(prev) : NULL;
	s64 first, lag = -(s64)NOBODY;
	u32 own = llc_of(cpu), best;

	if (a) {
		charge(prev, a);
		catch_up(a);
		lag = (s64)(now_vtime - a->vtime);
	}
	first = lag_of_first(own, cpu);
	best = next_llc(cpu, own, first > lag ? first : lag);
	if (a && best == own && lag > first)
		keep(prev, a, first > -(s64)NOBODY);
	else if (pull_any(best))
		hurry_leaver();
	else if (a)
		keep(prev, a, false);
}

void OP(llc_running, struct task_struct *p)
{
	struct account *a = account_of(p);
	s32 cpu = scx_bpf_task_cpu(p);
	u64 first;

	if (!a)
		return;
	a->started_ns = bpf_ktime_get_ns();
	catch_up(a);
	begin_turn(a, first_order(llc_of(cpu), cpu, &first));
}

void OP(llc_stopping, struct task_struct *p, bool runnable)
{
	struct account *a = account_of(p);

	if (a)
		charge(p, a);
	make_way(p, runnable);
}

s32 SLEEPABLE_OP(llc_init_task, struct task_struct *p, struct scx_init_task_args *args)
{
	struct account *a =
		bpf_task_storage_get(&accounts, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!a)
		return -ENOMEM;
	a->vtime = now_vtime;
	return 0;
}

/* That these two are there says that CPUs may come and go. */
void SLEEPABLE_OP(llc_cpu_online, s32 cpu)
{
	leaver = 0;
}

void SLEEPABLE_OP(llc_cpu_offline, s32 cpu)
{
	left_ns = bpf_ktime_get_ns();
	leaver = (u32)cpu + 1;
}

s32 SLEEPABLE_OP(llc_init)
{
	s32 rc = 0;
	u32 llc;

	for (llc = 0; llc < MAX_LLCS && rc == 0; llc++)
		rc = scx_bpf_create_dsq(llc, -1);
	return rc;
}

SCHEDULER(llc_vtime, .select_cpu = (void *)llc_select_cpu, .enqueue = (void *)llc_enqueue,
	  .dispatch = (void *)llc_dispatch, .running = (void *)llc_running,
	  .stopping = (void *)llc_stopping, .init_task = (void *)llc_init_task,
	  .cpu_online = (void *)llc_cpu_online, .cpu_offline = (void *)llc_cpu_offline,
	  .init = (void *)llc_init);

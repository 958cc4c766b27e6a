/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BPF programs of bpf/observe.bpf.c count, as laid out in their maps; shared by
 * them and their readers. Counters only grow: the counts of a phase are the difference of
 * two readings. The worst wait of a task belongs to an epoch, and is discarded when the
 * reader begins a new one.
 *
 * All memory is allocated at load time. A task has a slot in a table that is hashed by pid.
 * The slot of a dead task may be reused, after its counts were added to the record
 * "forgotten".
 */
#ifndef KTSTR_OBSERVE_LAYOUT_H
#define KTSTR_OBSERVE_LAYOUT_H

#ifndef KTSTR_BPF_TYPES_H
#include <linux/types.h>
#endif

#define OBSERVE_TASKS 4096 /* slots; a power of two */
#define OBSERVE_PROBES 8   /* number of slots in which a pid may be */
#define OBSERVE_SLOT(pid, i) \
	(((pid) + (i) * (OBSERVE_TASKS / OBSERVE_PROBES + 1)) & (OBSERVE_TASKS - 1))
#define OBSERVE_MAX_CPUS 512 /* on larger machines, idle time is not compared with waiting tasks */
#define OBSERVE_WORDS (OBSERVE_MAX_CPUS / 64)
#define OBSERVE_SETS 32	   /* different sets of CPUs that tasks may run on */
#define OBSERVE_BUCKETS 32 /* bucket n: waits of 2^n to 2^(n+1) - 1 ns */
#define OBSERVE_COMM 16

/*
 * A set of CPUs is "wanted" once tasks have been waiting for it this long without a pause:
 * the time from a wakeup to running on an idle CPU does not count as idling.
 */
#define OBSERVE_GRACE_NS 2000000ULL
/* Waits of at least this length are added up in long_wait_ns and long_ns. */
#define OBSERVE_LONG_NS 4000000ULL
/*
 * Waits beside an idle CPU that may run the task count if the CPU idled this long. If vCPUs
 * take turns on one thread, as in sim and under tcg, a wakeup takes longer the more there are:
 * half of their slices, on average. There it is so much per CPU of the machine, within these
 * bounds; elsewhere it is the least.
 */
#define OBSERVE_TURN_US_PER_CPU 250U
#define OBSERVE_LEAST_IDLE_US 1000U
#define OBSERVE_MOST_IDLE_US 4000U
/* A task that lost its CPU and runs on another within this time was not moved because it waited. */
#define OBSERVE_HASTE_NS 1000000ULL
/*
 * Idle periods of a CPU, and the times that tasks ran there in one piece, are remembered for
 * waits that are still open: so many of each, of at least this length.
 */
#define OBSERVE_STRETCHES 16 /* a power of two */
#define OBSERVE_STRETCH_NS 1000000ULL

/* Kernel priorities below this belong to classes above the fair class. */
#define OBSERVE_RT_PRIO 100

enum observe_state {
	OBSERVE_FREE,
	OBSERVE_BLOCKED,
	OBSERVE_WAITING,
	OBSERVE_RUNNING,
	OBSERVE_DEAD,
};

/* State of the CPU that a woken task left to run on another CPU. */
enum observe_left {
	OBSERVE_LEFT_BUSY,  /* a busy CPU, or the task did not change CPUs */
	OBSERVE_LEFT_IDLE,  /* an idle CPU, and no task was on its way there */
	OBSERVE_LEFT_MOVER, /* a CPU taken, or about to be, by a needless migration */
};

/* Set by readers in observe_task.mark. */
#define OBSERVE_KEEP 1	  /* do not reuse the slot */
#define OBSERVE_LIMITED 2 /* has a CPU quota, which may be why it waits */

struct observe_wait {
	__u64 ns, since_ns;
	/*
	 * Parts of ns in which tasks of higher classes (real-time, deadline, stop) had the
	 * CPU on which the task waited, and in which they had all CPUs that it may use. 0
	 * if the wait was short.
	 */
	__u64 rt_ns, all_rt_ns;
	__s32 cpu; /* where the task waited */
	__s32 by;  /* pid of the task that ran there longest; 0 = mostly idle, or a short wait */
	__u32 epoch;
	__u32 pad;
	char by_comm[OBSERVE_COMM];
};

struct observe_idle_wait {
	__u64 ns;		 /* how long the CPU idled */
	__u64 wait_ns, since_ns; /* of the wait */
	__s32 cpu;
	__u32 epoch;
};

struct observe_task {
	__u32 pid, tgid;
	__u32 state; /* enum observe_state */
	__u32 mark;
	__u64 since_ns; /* start of the current state */
	__u64 first_ns; /* when the task was first seen */
	__u64 run_ns, wait_ns, long_wait_ns;
	__u64 wake_wait_ns;  /* of waits after a wakeup, when they end */
	__u64 worst_wake_ns; /* longest of them in the epoch */
	/*
	 * Parts of long waits in which higher classes had the CPU where it waited, or all
	 * that it may use.
	 */
	__u64 rt_wait_ns, all_rt_wait_ns;
	__u64 runs, waits, wakeups, migrations;
	__u64 needless;	 /* wakeups that moved it away from an idle CPU to the CPU where it ran */
	__u64 displaced; /* the same, away from a CPU taken by a needless migration */
	__u64 handed_on; /* wakeups after which it was moved once more before it ran */
	__u64 hasty;	 /* times it lost its CPU and ran elsewhere within OBSERVE_HASTE_NS */
	__s32 cpu;	 /* where it waits or runs */
	__s32 left_cpu;	 /* where it was when it began to wait */
	__u32 set;	 /* set that it waits for, plus one; 0 = none */
	__u32 last_set;
	__u64 set_since_ns; /* since when it waits for the CPUs of that set */
	__u32 was_woken;    /* the wait began with a wakeup */
	__u32 has_left;	    /* enum observe_left */
	__u32 was_handed_on;
	__s32 static_prio;
	__u32 policy;
	__u32 is_kernel, allowed_cpus;
	__u32 wake_epoch; /* of worst_wake_ns */
	__u32 pad;
	struct observe_wait worst;	  /* longest of the epoch */
	struct observe_wait late;	  /* longest of the epoch without its rt_ns */
	__u64 rt_from_ns, all_rt_from_ns; /* the CPU's and the set's sums when the wait began */
	/* Waits in which a CPU that may run the task idled for at least observe_idle_min_ns(). */
	__u64 idle_waits, idle_wait_ns;
	struct observe_idle_wait idle;	       /* the longest of the epoch */
	__u32 wait_histogram[OBSERVE_BUCKETS]; /* all waits */
	__u32 wake_histogram[OBSERVE_BUCKETS]; /* waits after a wakeup */
	char comm[OBSERVE_COMM];
};

/* A set of CPUs that tasks wait for. */
struct observe_set {
	__u32 is_ready; /* 0 = free, 1 = being filled, 2 = ready */
	__u32 pad;
	__s64 waiting;	 /* number of tasks */
	__u64 since_ns;	 /* when waiting last became nonzero */
	__u64 wanted_ns; /* periods with waiting tasks, each without its first OBSERVE_GRACE_NS */
	__u64 long_ns;	 /* sum of finished waits of OBSERVE_LONG_NS or more */
	/*
	 * How long higher classes had all of these CPUs, and since when they have them; 0 =
	 * they do not.
	 */
	__u64 rt_ns, rt_since_ns;
	__u64 cpus[OBSERVE_WORDS];
};

struct observe_cpu {
	__u64 since_ns; /* start of the current busy or idle period; 0 = nothing seen yet */
	__u32 is_idle;
	__u32 expects;	     /* pid that was sent here and has not run yet; 0 = none */
	__u32 expects_mover; /* its migration to this CPU was needless */
	__u32 has_mover;     /* so was that of the task that runs here */
	__u64 busy_ns;	     /* with any task */
	__u64 pinned_ns;     /* part of busy_ns with tasks that may run only here */
	__u64 idle_ns;
	__u64 wanted_ns; /* idle while a task waited that may run here, see observe_wanted_ns() */
	__u64 picks;	 /* number of times a task began to run here */
	__u64 task;	 /* pointer to the running task, for the BPF programs */
	__u64 last_pick_ns;
	/* The last idle periods of OBSERVE_STRETCH_NS or more, without the current one. */
	struct {
		__u64 since_ns, until_ns;
	} idled[OBSERVE_STRETCHES];
	__u64 idled_count;
	/* The last times of OBSERVE_STRETCH_NS or more that tasks ran without a break. */
	struct observe_run {
		__u64 since_ns, until_ns;
		__s32 pid;
		__u32 pad;
		char comm[OBSERVE_COMM];
	} ran[OBSERVE_STRETCHES];
	__u64 ran_count;
	/* Longest time of the epoch in which no task began to run; cpu and by are unused. */
	struct observe_wait unpicked;
	struct observe_wait idle;  /* longest wanted idle time of the epoch; by is unused */
	struct observe_set pinned; /* tasks that may run only here */
	__u64 pinned_at_idle;
	__u64 wanted_at_idle[OBSERVE_SETS]; /* wanted_ns of each set when it went idle */
};

/* How long tasks of higher classes had all CPUs of the set until now, in ns. */
static inline __u64 observe_rt_until(const struct observe_set *s, __u64 now)
{
	__u64 from = s->rt_since_ns;

	return s->rt_ns + (from && (__s64)(now - from) > 0 ? now - from : 0);
}

/* Growth of such a sum from one value to another, at most the length of the wait. */
static inline __u64 observe_rt_part(__u64 from, __u64 to, __u64 ns)
{
	__s64 grown = (__s64)(to - from);

	if (grown < 0)
		return 0;
	return (__u64)grown < ns ? (__u64)grown : ns;
}

/*
 * How long the CPU idled since then, in ns. Clocks of other CPUs may be ahead, so compare
 * signed.
 */
static inline __u64 observe_idle_since(const struct observe_cpu *c, __u64 since, __u64 now)
{
	__u64 from = c->since_ns, ns = 0;

	if (c->is_idle && from) {
		from = (__s64)(from - since) > 0 ? from : since;
		ns += (__s64)(now - from) > 0 ? now - from : 0;
	}
	for (__u32 i = 0; i < OBSERVE_STRETCHES; i++) {
		from = c->idled[i].since_ns;
		from = (__s64)(from - since) > 0 ? from : since;
		if ((__s64)(c->idled[i].until_ns - from) > 0)
			ns += c->idled[i].until_ns - from;
	}
	return ns;
}

static inline int observe_is_mostly_idle(const struct observe_cpu *c, __u64 since, __u64 now)
{
	return observe_idle_since(c, since, now) > (now - since) / 2;
}

/* The part of a remembered run, in ns, that falls into this time. */
static inline __u64 observe_run_within(const struct observe_run *r, __u64 since, __u64 now)
{
	__u64 from = (__s64)(r->since_ns - since) > 0 ? r->since_ns : since;
	__u64 to = (__s64)(r->until_ns - now) < 0 ? r->until_ns : now;

	return (__s64)(to - from) > 0 ? to - from : 0;
}

/* How long the task ran on the CPU in this time, in ns, of the runs that are remembered. */
static inline __u64 observe_ran_within(const struct observe_cpu *c, __s32 pid, __u64 since,
				       __u64 now)
{
	__u64 ns = 0;

	for (__u32 i = 0; i < OBSERVE_STRETCHES; i++)
		if (c->ran[i].pid == pid)
			ns += observe_run_within(&c->ran[i], since, now);
	return ns;
}

struct observe_control {
	__u32 epoch;
	__u32 sets;	  /* in use */
	__u64 lost_tasks; /* events of tasks for which there was no slot */
	__u64 lost_sets;  /* waits of tasks for whose CPUs there was no set */
	__u32 forgetting; /* lock for adding a dead task to forgotten */
	__u32 idle_us;	  /* see observe_idle_min_ns(); set by the loader */
	__s32 idle_cpus;  /* now */
	__u32 turn_us;	  /* see observe_wanted_ns(); set by the loader */
	__u64 idled_ns;	  /* end of the last idle period of OBSERVE_STRETCH_NS or more */
	__u64 epoch_ns;	  /* start of the epoch; set by the reader */
	/* CPUs without a task of a higher class; initially all, set by the loader. */
	__u64 open_cpus[OBSERVE_WORDS];
	struct observe_task forgotten; /* sums over dead tasks, and the worst of them */
};

/* For the loader. takes_turns: the vCPUs share one thread. */
static inline void observe_set_turns(struct observe_control *c, __u32 cpus, int takes_turns)
{
	c->turn_us = takes_turns ? cpus * OBSERVE_TURN_US_PER_CPU : 0;
	if (c->turn_us > OBSERVE_MOST_IDLE_US)
		c->turn_us = OBSERVE_MOST_IDLE_US;
	c->idle_us = c->turn_us;
	if (c->idle_us < OBSERVE_LEAST_IDLE_US)
		c->idle_us = OBSERVE_LEAST_IDLE_US;
}

/* How long a CPU must have idled during a wait, in ns. */
static inline __u64 observe_idle_min_ns(const struct observe_control *c)
{
	return c->idle_us ? c->idle_us * 1000ULL : OBSERVE_MOST_IDLE_US * 1000ULL;
}

/*
 * What counts of an idle period, in ns, in which tasks wanted the CPU for so long: not the
 * time that an idle vCPU needs until it has its turn and takes the task that it got.
 */
static inline __u64 observe_wanted_ns(const struct observe_control *c, __u64 ns)
{
	__u64 turn = c->turn_us * 1000ULL;

	return ns > turn ? ns - turn : 0;
}

/* Argument of the loader: vCPUs take turns on one thread. */
#define OBSERVE_TURNS "turns"

/* Names of maps and programs, and of the files where they are pinned. */
#define OBSERVE_MAP_TASKS "tasks"
#define OBSERVE_MAP_CPUS "cpus"
#define OBSERVE_MAP_SETS "sets"
#define OBSERVE_MAP_CONTROL "control"

#endif

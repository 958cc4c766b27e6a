/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BPF programs of bpf/observe.bpf.c count, as it lies in their maps: shared by
 * them and by those who read it. Counters only grow; who wants those of a phase takes
 * the difference of two readings. The worst wait of a task belongs to an epoch: it is
 * forgotten when the reader begins another one.
 *
 * All memory is allocated at load time. A task is a slot of a table that is addressed by
 * its pid; slots of dead tasks are taken over by new ones, after what they had counted
 * was added to the slot of the forgotten.
 */
#ifndef KTSTR_OBSERVE_LAYOUT_H
#define KTSTR_OBSERVE_LAYOUT_H

#ifndef KTSTR_BPF_TYPES_H
#include <linux/types.h>
#endif

#define OBSERVE_TASKS 4096 /* slots; a power of two */
#define OBSERVE_PROBES 8   /* slots in which a pid may be found */
#define OBSERVE_SLOT(pid, i) \
	(((pid) + (i) * (OBSERVE_TASKS / OBSERVE_PROBES + 1)) & (OBSERVE_TASKS - 1))
#define OBSERVE_MAX_CPUS 512 /* of more, idle time is not compared with waiting tasks */
#define OBSERVE_WORDS (OBSERVE_MAX_CPUS / 64)
#define OBSERVE_SETS 32	   /* different sets of CPUs that tasks may run on */
#define OBSERVE_BUCKETS 32 /* bucket n: waits of 2^n to 2^(n+1) - 1 ns */
#define OBSERVE_COMM 16

/*
 * A set of CPUs counts as wanted once somebody has been waiting for it this long without
 * a pause: a wakeup on its way to an idle CPU is no idling.
 */
#define OBSERVE_GRACE_NS 2000000ULL
/* Waits from here on are added up per set. */
#define OBSERVE_LONG_NS 4000000ULL
/*
 * Waits in which a CPU idled that may run the task count from here on: that much for each CPU, within
 * these bounds. Where vCPUs take turns, a wakeup takes longer the more of them there are.
 */
#define OBSERVE_IDLE_US_PER_CPU 250U
#define OBSERVE_LEAST_IDLE_US 1000U
#define OBSERVE_MOST_IDLE_US 4000U
/* Who has lost its CPU and runs on another within this time was not moved because it waited. */
#define OBSERVE_HASTE_NS 1000000ULL
/* Times that a CPU idled are remembered for waits that go on: so many, each so long. */
#define OBSERVE_STRETCHES 16 /* a power of two */
#define OBSERVE_STRETCH_NS 1000000ULL

/* Priorities of the kernel below this are those of higher classes than that of ordinary tasks. */
#define OBSERVE_RT_PRIO 100

enum observe_state {
	OBSERVE_FREE,
	OBSERVE_BLOCKED,
	OBSERVE_WAITING,
	OBSERVE_RUNNING,
	OBSERVE_DEAD,
};

/* Set by readers in observe_task.mark. */
#define OBSERVE_KEEP 1	  /* do not give the slot away */
#define OBSERVE_LIMITED 2 /* has a quota of CPU time: waiting may be the quota's doing */

struct observe_wait {
	__u64 ns, since_ns;
	/*
	 * Of these, tasks of higher classes (real-time, deadline, stop) had the CPU on which the task
	 * waited, and all CPUs that it may use. 0 if the wait was short.
	 */
	__u64 rt_ns, all_rt_ns;
	__s32 cpu; /* where the task waited */
	__s32 by;  /* who ran there before; 0 = the CPU was idle, or the wait was short */
	__u32 epoch;
	__u32 pad;
	char by_comm[OBSERVE_COMM];
};

struct observe_idle_wait {
	__u64 ns;		 /* that the CPU idled */
	__u64 wait_ns, since_ns; /* of the wait */
	__s32 cpu;
	__u32 epoch;
};

struct observe_task {
	__u32 pid, tgid;
	__u32 state; /* enum observe_state */
	__u32 mark;
	__u64 since_ns; /* of the state */
	__u64 first_ns; /* when it was first seen */
	__u64 run_ns, wait_ns, long_wait_ns;
	/* Of long waits: higher classes had the CPU on which it waited, and all that it may use. */
	__u64 rt_wait_ns, all_rt_wait_ns;
	__u64 runs, waits, wakeups, migrations;
	__u64 needless;	 /* wakeups away from a CPU that was idle, to where the task then ran */
	__u64 handed_on; /* wakeups after which the task was moved once more before it ran */
	__u64 hasty;	 /* times that it was not woken and ran elsewhere within OBSERVE_HASTE_NS */
	__s32 cpu;	 /* where it waits or runs */
	__s32 left_cpu;	 /* where it was when it began to wait */
	__u32 set;	 /* the set it is counted in while it waits, plus one; 0 = none */
	__u32 last_set;
	__u64 set_since_ns; /* since when it waits for that set: what it waited before is no time of these CPUs */
	__u32 was_woken; /* the wait began with a wakeup */
	__u32 has_left_idle, was_handed_on;
	__s32 static_prio;
	__u32 policy;
	__u32 is_kernel, allowed_cpus;
	struct observe_wait worst;	  /* the longest of the epoch */
	struct observe_wait late;	  /* that of which most is left without its rt_ns */
	__u64 rt_from_ns, all_rt_from_ns; /* sums of its CPU and of its set when it began to wait */
	/* Waits in which a CPU that may run the task idled for observe_idle_min_ns() and more in all. */
	__u64 idle_waits, idle_wait_ns;
	struct observe_idle_wait idle;	       /* where that was longest in the epoch */
	__u32 wait_histogram[OBSERVE_BUCKETS]; /* all waits */
	__u32 wake_histogram[OBSERVE_BUCKETS]; /* those that began with a wakeup */
	char comm[OBSERVE_COMM];
};

/* Tasks that wait for the same CPUs. */
struct observe_set {
	__u32 is_ready; /* 0 = free, 1 = being filled, 2 = ready */
	__u32 pad;
	__s64 waiting;	 /* tasks */
	__u64 since_ns;	 /* since when it was not 0 */
	__u64 wanted_ns; /* periods without a pause, each but for its first OBSERVE_GRACE_NS */
	__u64 long_ns;	 /* sum of ended waits of OBSERVE_LONG_NS and more */
	/* Higher classes had all of these CPUs for so long, and have them since; 0 = they do not. */
	__u64 rt_ns, rt_since_ns;
	__u64 cpus[OBSERVE_WORDS];
};

struct observe_cpu {
	__u64 since_ns; /* of what it does now; 0 = nothing was seen yet */
	__u32 is_idle;
	__u32 expects;	 /* who was sent here since, and has not run yet; 0 = nobody */
	__u64 busy_ns;	 /* with anybody */
	__u64 pinned_ns; /* of these with tasks that may run nowhere else */
	__u64 idle_ns;
	__u64 wanted_ns; /* idle while somebody waited who may run here */
	__u64 picks;	 /* tasks that began to run here */
	__u64 task;	 /* what it runs, for the BPF programs */
	__u64 last_pick_ns;
	/* The last times that it idled for OBSERVE_STRETCH_NS and more, now not included. */
	struct {
		__u64 since_ns, until_ns;
	} idled[OBSERVE_STRETCHES];
	__u64 idled_count;
	struct observe_wait idle;  /* the longest such stretch of the epoch; by: not used */
	struct observe_set pinned; /* tasks that may run here only */
	__u64 pinned_at_idle;
	__u64 wanted_at_idle[OBSERVE_SETS]; /* wanted_ns of each set when it went idle */
};

/* How long tasks of higher classes had all CPUs of the set until now. */
static inline __u64 observe_rt_until(const struct observe_set *s, __u64 now)
{
	__u64 from = s->rt_since_ns;

	return s->rt_ns + (from && (__s64)(now - from) > 0 ? now - from : 0);
}

/* The part of a wait of ns in which that sum grew from one value to another. */
static inline __u64 observe_rt_part(__u64 from, __u64 to, __u64 ns)
{
	__s64 grown = (__s64)(to - from);

	if (grown < 0)
		return 0;
	return (__u64)grown < ns ? (__u64)grown : ns;
}

/* How long the CPU idled since then. Other CPUs' clocks may be ahead. */
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

struct observe_control {
	__u32 epoch;
	__u32 sets;	  /* in use */
	__u64 lost_tasks; /* events of tasks for which there was no slot */
	__u64 lost_sets;  /* waits of tasks for whose CPUs there was no set */
	__u32 forgetting; /* held while a dead task's slot is taken over */
	__u32 idle_us;	  /* see observe_idle_min_ns(); set by the loader */
	__s32 idle_cpus;  /* now */
	__u32 pad;
	__u64 idled_ns; /* when a CPU last ended OBSERVE_STRETCH_NS of idling and more */
	/* CPUs that no task of a higher class has; all of them to begin with, set by the loader. */
	__u64 open_cpus[OBSERVE_WORDS];
	struct observe_task forgotten; /* sums over those, and the worst of all of them */
};

/* For so long a CPU must have idled in a wait. */
static inline __u64 observe_idle_min_ns(const struct observe_control *c)
{
	return c->idle_us ? c->idle_us * 1000ULL : OBSERVE_MOST_IDLE_US * 1000ULL;
}

/* Names of maps and programs, also as files in the directory where they are pinned. */
#define OBSERVE_MAP_TASKS "tasks"
#define OBSERVE_MAP_CPUS "cpus"
#define OBSERVE_MAP_SETS "sets"
#define OBSERVE_MAP_CONTROL "control"

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What workers do, and how and where they run. Include <ktstr/ktstr.h>, not this header. */
#ifndef KTSTR_WORK_H
#define KTSTR_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- work types: what workers do ---- */

/*
 * The kinds of work. Tests use the macros below, which set up a struct ktstr_work_type.
 * @KTSTR_WORK_*: the kind of the macro with this name without WORK_.
 */
enum ktstr_work_kind {
	KTSTR_WORK_DEFAULT, /* KTSTR_CPU_SPIN */
	KTSTR_WORK_CPU_SPIN,
	KTSTR_WORK_YIELD_HEAVY,
	KTSTR_WORK_MIXED,
	KTSTR_WORK_IO_SYNC,
	KTSTR_WORK_BURSTY,
	KTSTR_WORK_PIPE_IO,
	KTSTR_WORK_FUTEX_PING_PONG,
	KTSTR_WORK_CACHE_PRESSURE,
	KTSTR_WORK_CACHE_YIELD,
	KTSTR_WORK_CACHE_PIPE,
	KTSTR_WORK_FUTEX_FAN_OUT,
	KTSTR_WORK_FAN_OUT_COMPUTE,
	KTSTR_WORK_SEQUENCE,
	KTSTR_WORK_FORK_EXIT,
	KTSTR_WORK_NICE_SWEEP,
	KTSTR_WORK_AFFINITY_CHURN,
	KTSTR_WORK_POLICY_CHURN,
	KTSTR_WORK_PAGE_FAULT_CHURN,
	KTSTR_WORK_MUTEX_CONTENTION,
	KTSTR_WORK_CUSTOM,
	KTSTR_WORK_ALU_HOT,
	KTSTR_WORK_IDLE_CHURN,
	KTSTR_WORK_WAKE_CHAIN,
	KTSTR_WORK_THUNDERING_HERD,
	KTSTR_WORK_TIMER_LATENCY,
	KTSTR_WORK_EPOLL_STORM,
	KTSTR_WORK_CGROUP_ATTACH_STORM,
	KTSTR_WORK_PRIORITY_INVERSION,
	KTSTR_WORK_RT_STARVATION,
	KTSTR_WORK_PREEMPT_STORM,
	KTSTR_WORK_SIGNAL_STORM,
	KTSTR_WORK_PRODUCER_CONSUMER_IMBALANCE,
	KTSTR_WORK_NUMA_WORKING_SET_SWEEP,
	KTSTR_WORK_EXEC_STORM,
	KTSTR_WORK_COUNT, /* number of kinds */
};

/* Maximum number of phases of a KTSTR_SEQUENCE(). */
#define KTSTR_MAX_PHASES 8

/* A phase of a KTSTR_SEQUENCE(). */
struct ktstr_phase {
	enum {
		KTSTR_PHASE_SPIN,  /* spins */
		KTSTR_PHASE_SLEEP, /* sleeps */
		KTSTR_PHASE_YIELD, /* calls sched_yield() in a loop */
		KTSTR_PHASE_IO,	   /* does the work of KTSTR_IO_SYNC in a loop */
	} kind;			   /* what the worker does */
	uint64_t us;		   /* duration in microseconds; 0 ends the list */
};

struct ktstr_worker; /* a running worker, for KTSTR_CUSTOM() */
/*
 * The body of a KTSTR_CUSTOM() worker. It has to return when ktstr_worker_should_stop() returns
 * true.
 */
typedef void ktstr_work_fn(struct ktstr_worker *w, void *arg);

/* Maximum number of arguments of a work type. */
#define KTSTR_WORK_ARGS 4

/*
 * A work type. The macros below create it. An argument of 0 selects its default, which is given in
 * parentheses below and printed by `ktstr list --work-types`. A unit of spinning is one PAUSE
 * instruction (YIELD on aarch64), or about the same time in an emulated x86 CPU. Pairs and teams
 * are workers of one group that work together: the number of workers has to be a multiple of their
 * size, otherwise the workers do not start and the step fails.
 */
struct ktstr_work_type {
	enum ktstr_work_kind kind; /* kind of work */
	/* Arguments, in the order of the macro. */
	uint64_t args[KTSTR_WORK_ARGS];
	struct ktstr_phase phases[KTSTR_MAX_PHASES]; /* KTSTR_SEQUENCE(): the phases */
	const char *name;			     /* KTSTR_CUSTOM(): name in reports */
	ktstr_work_fn *run;			     /* KTSTR_CUSTOM(): the body */
	void *arg;				     /* KTSTR_CUSTOM(): passed to the body */
};

#define KTSTR_WORK_(k, ...)                                     \
	{                                                       \
		.kind = KTSTR_WORK_##k, .args = { __VA_ARGS__ } \
	}
/* Spins all the time. */
#define KTSTR_CPU_SPIN KTSTR_WORK_(CPU_SPIN, 0)
/* Another name of KTSTR_CPU_SPIN. */
#define KTSTR_SPIN_WAIT KTSTR_CPU_SPIN
/* Calls sched_yield() in a loop. */
#define KTSTR_YIELD_HEAVY KTSTR_WORK_(YIELD_HEAVY, 0)
/* Spins for 1024 units, then calls sched_yield(). */
#define KTSTR_MIXED KTSTR_WORK_(MIXED, 0)
/* Writes 64 KiB to a temporary file, then sleeps for 100 us. */
#define KTSTR_IO_SYNC KTSTR_WORK_(IO_SYNC, 0)
/* Spins for burst_ms (50), then sleeps for sleep_ms (100). */
#define KTSTR_BURSTY(burst_ms, sleep_ms) KTSTR_WORK_(BURSTY, burst_ms, sleep_ms)
/* Pairs: each spins for burst_iters (1024) units, wakes the other through a pipe and waits. */
#define KTSTR_PIPE_IO(burst_iters) KTSTR_WORK_(PIPE_IO, burst_iters)
/* Pairs: each spins for spin_iters (1024) units, wakes the other through a futex and waits. */
#define KTSTR_FUTEX_PING_PONG(spin_iters) KTSTR_WORK_(FUTEX_PING_PONG, spin_iters)
/* Reads and writes size_kb (32) KiB of memory at intervals of stride (64) bytes. */
#define KTSTR_CACHE_PRESSURE(size_kb, stride) KTSTR_WORK_(CACHE_PRESSURE, size_kb, stride)
/* The same, with a call of sched_yield() after every 1024 accesses. */
#define KTSTR_CACHE_YIELD(size_kb, stride) KTSTR_WORK_(CACHE_YIELD, size_kb, stride)
/*
 * Pairs: each makes burst_iters (1024) accesses, 64 bytes apart, to size_kb (32) KiB of memory,
 * wakes the other through a pipe and waits.
 */
#define KTSTR_CACHE_PIPE(size_kb, burst_iters) KTSTR_WORK_(CACHE_PIPE, size_kb, burst_iters)
/*
 * Teams of fan_out (4) + 1: the first wakes all others through a futex. All spin for spin_iters
 * (1024) units.
 */
#define KTSTR_FUTEX_FAN_OUT(fan_out, spin_iters) KTSTR_WORK_(FUTEX_FAN_OUT, fan_out, spin_iters)
/*
 * Teams of fan_out (4) + 1: the first wakes all others. Each of these sleeps for sleep_us (100) and
 * multiplies matrices that occupy footprint_kb (256) KiB, operations (5) times.
 */
#define KTSTR_FAN_OUT_COMPUTE(fan_out, footprint_kb, operations, sleep_us) \
	KTSTR_WORK_(FAN_OUT_COMPUTE, fan_out, footprint_kb, operations, sleep_us)
/*
 * Runs a list of struct ktstr_phase in order, again and again: `KTSTR_SEQUENCE({ KTSTR_PHASE_SPIN,
 * 500 }, ...)`.
 */
#define KTSTR_SEQUENCE(...)                                            \
	{                                                              \
		.kind = KTSTR_WORK_SEQUENCE, .phases = { __VA_ARGS__ } \
	}
/* Forks a child that exits, and waits for it. */
#define KTSTR_FORK_EXIT KTSTR_WORK_(FORK_EXIT, 0)
/* Spins at each nice value from -20 to 19 in turn, or from 0 to 19 without CAP_SYS_NICE. */
#define KTSTR_NICE_SWEEP KTSTR_WORK_(NICE_SWEEP, 0)
/* Spins for spin_iters (1024) units, then pins itself to a random CPU and yields. */
#define KTSTR_AFFINITY_CHURN(spin_iters) KTSTR_WORK_(AFFINITY_CHURN, spin_iters)
/*
 * Spins for spin_iters (1024) units, then switches to the next policy of SCHED_OTHER, SCHED_BATCH,
 * SCHED_IDLE, SCHED_FIFO and SCHED_RR, and yields. A worker without the privilege for real-time
 * policies uses the first two only.
 */
#define KTSTR_POLICY_CHURN(spin_iters) KTSTR_WORK_(POLICY_CHURN, spin_iters)
/*
 * Writes to random pages of a region of region_kb (4096) KiB, touches (256) times, releases the
 * pages and spins for spin_iters (64) units.
 */
#define KTSTR_PAGE_FAULT_CHURN(region_kb, touches, spin_iters) \
	KTSTR_WORK_(PAGE_FAULT_CHURN, region_kb, touches, spin_iters)
/*
 * Teams of contenders (4): each spins for work_iters (1024) units without and for hold_iters (256)
 * units with the lock of the team.
 */
#define KTSTR_MUTEX_CONTENTION(contenders, hold_iters, work_iters) \
	KTSTR_WORK_(MUTEX_CONTENTION, contenders, hold_iters, work_iters)
/* Multiplies and adds in registers all the time. */
#define KTSTR_ALU_HOT KTSTR_WORK_(ALU_HOT, 0)
/* Spins for burst_us (100), then sleeps for sleep_us (900). */
#define KTSTR_IDLE_CHURN(burst_us, sleep_us) KTSTR_WORK_(IDLE_CHURN, burst_us, sleep_us)
/*
 * Teams of depth (4): each waits to be woken, spins for spin_iters (256) units and wakes the next
 * one. The last wakes the first.
 */
#define KTSTR_WAKE_CHAIN(depth, spin_iters) KTSTR_WORK_(WAKE_CHAIN, depth, spin_iters)
/*
 * Teams of herd (7) + 1: when all others wait, the first wakes them at once. Each spins for
 * spin_iters (256) units.
 */
#define KTSTR_THUNDERING_HERD(herd, spin_iters) KTSTR_WORK_(THUNDERING_HERD, herd, spin_iters)
/* Wakes up by a timer every period_us (1000) and measures how late the timer is. */
#define KTSTR_TIMER_LATENCY(period_us) KTSTR_WORK_(TIMER_LATENCY, period_us)
/*
 * Teams of waiters (4) + 1: the first raises eight events and spins for spin_iters (256) units. The
 * events wake all others, which wait with epoll; each event is taken by one of them.
 */
#define KTSTR_EPOLL_STORM(waiters, spin_iters) KTSTR_WORK_(EPOLL_STORM, waiters, spin_iters)
/*
 * Spins for spin_iters (1024) units, then moves to the next of its own child cgroups. cgroups (2)
 * is their number, 64 at most. The worker has to be in a cgroup of the test.
 */
#define KTSTR_CGROUP_ATTACH_STORM(cgroups, spin_iters) \
	KTSTR_WORK_(CGROUP_ATTACH_STORM, cgroups, spin_iters)
/*
 * Teams of three workers, to be run on one CPU: low, medium and high, with a nice value that is 15,
 * 5 and 0 above that of the group. Low and high spin for hold_iters (4096) units with a common
 * lock; low and medium spin for work_iters (1024) units without it; high sleeps for 1 ms in
 * between. use_pi: 1 = the lock has priority inheritance, 0 = it has none.
 */
#define KTSTR_PRIORITY_INVERSION(hold_iters, work_iters, use_pi) \
	KTSTR_WORK_(PRIORITY_INVERSION, hold_iters, work_iters, use_pi)
/*
 * Teams of victims (1) + 1: the first runs as SCHED_FIFO, spins for burst_ms (20) and sleeps for
 * rest_ms (80). The others spin all the time.
 */
#define KTSTR_RT_STARVATION(victims, burst_ms, rest_ms) \
	KTSTR_WORK_(RT_STARVATION, victims, burst_ms, rest_ms)
/*
 * Teams of preemptors (3) + 1: the first spins all the time. The others sleep for interval_us (200)
 * and spin for spin_iters (64) units.
 */
#define KTSTR_PREEMPT_STORM(preemptors, interval_us, spin_iters) \
	KTSTR_WORK_(PREEMPT_STORM, preemptors, interval_us, spin_iters)
/* Pairs: each sends `signals` (16) signals to the other and spins for spin_iters (256) units. */
#define KTSTR_SIGNAL_STORM(signals, spin_iters) KTSTR_WORK_(SIGNAL_STORM, signals, spin_iters)
/*
 * Teams of producers (3) + consumers (1): producers write items to a pipe; consumers read them and
 * spin for item_iters (256) units per item.
 */
#define KTSTR_PRODUCER_CONSUMER_IMBALANCE(producers, consumers, item_iters) \
	KTSTR_WORK_(PRODUCER_CONSUMER_IMBALANCE, producers, consumers, item_iters)
/*
 * Reads and writes a region of region_kb (16384) KiB, `passes` (4) times, and moves the region to
 * the next NUMA node.
 */
#define KTSTR_NUMA_WORKING_SET_SWEEP(region_kb, passes) \
	KTSTR_WORK_(NUMA_WORKING_SET_SWEEP, region_kb, passes)
/* Forks a child that executes a program, and waits for it. The program exits at once. */
#define KTSTR_EXEC_STORM KTSTR_WORK_(EXEC_STORM, 0)
/* Custom work: each worker calls fn with itself and argument. title is its name in reports. */
#define KTSTR_CUSTOM(title, fn, argument)                                                  \
	{                                                                                  \
		.kind = KTSTR_WORK_CUSTOM, .name = (title), .run = (fn), .arg = (argument) \
	}

/*
 * The following functions are for the body of a KTSTR_CUSTOM() worker, which loops until it has to
 * stop and reports its progress.
 */

/* Returns true if the worker has to return. */
bool ktstr_worker_should_stop(struct ktstr_worker *w);
/*
 * Reports one iteration of this number of work units. A worker that reports none fails the check
 * not_starved.
 */
void ktstr_worker_did(struct ktstr_worker *w, uint64_t work_units);
/* Reports a wake latency, in ns, that the worker measured. */
void ktstr_worker_woke(struct ktstr_worker *w, uint64_t latency_ns);
/* Reports that the worker blocked on purpose until now: the time does not count for max_gap_ms. */
void ktstr_worker_rested(struct ktstr_worker *w);
/* Returns the next random number of this worker. The sequence depends only on the seed. */
uint64_t ktstr_worker_random(struct ktstr_worker *w);
/* Returns the index of this worker in its group, from 0. */
unsigned int ktstr_worker_index(const struct ktstr_worker *w);

/* ---- placement: how and where workers run ---- */

/*
 * The CPUs of a cgroup. The usable CPUs are all CPUs, or all but the last if there are more than
 * two. CPUs that the machine does not have fail the step.
 */
struct ktstr_cpuset {
	enum {
		KTSTR_CPUSET_NONE,     /* the CPUs of the parent cgroup */
		KTSTR_CPUSET_LLC,      /* all CPUs of an LLC */
		KTSTR_CPUSET_NUMA,     /* all CPUs of a NUMA node */
		KTSTR_CPUSET_RANGE,    /* a range of the usable CPUs, by fractions */
		KTSTR_CPUSET_DISJOINT, /* one of several equal parts of the usable CPUs */
		KTSTR_CPUSET_OVERLAP,  /* such a part and some CPUs of the neighbouring parts */
		KTSTR_CPUSET_EXACT,    /* a list of CPUs */
	} kind;			       /* how the CPUs are chosen */
	int index, of;		       /* index of the LLC, node or part; number of parts */
	double from, to;	       /* RANGE: two fractions; OVERLAP: one fraction, in from */
	const char *cpus;	       /* EXACT: a list such as "0-3,5" */
};

/* The CPUs of LLC i, from 0. */
#define KTSTR_LLC(i)                                   \
	{                                              \
		.kind = KTSTR_CPUSET_LLC, .index = (i) \
	}
/* The CPUs of NUMA node i, from 0. The node must not be memory-only. */
#define KTSTR_NUMA(i)                                   \
	{                                               \
		.kind = KTSTR_CPUSET_NUMA, .index = (i) \
	}
/* The usable CPUs from fraction a to fraction b, 0 <= a < b <= 1: KTSTR_RANGE(0, 0.5). */
#define KTSTR_RANGE(a, b)                                          \
	{                                                          \
		.kind = KTSTR_CPUSET_RANGE, .from = (a), .to = (b) \
	}
/* Part i, from 0, of n equal parts of the usable CPUs. The last part also gets the remainder. */
#define KTSTR_DISJOINT(i, n)                                           \
	{                                                              \
		.kind = KTSTR_CPUSET_DISJOINT, .index = (i), .of = (n) \
	}
/* The same part, plus a fraction f, 0 to 1, of the neighbouring part on each side. */
#define KTSTR_OVERLAP(i, n, f)                                                     \
	{                                                                          \
		.kind = KTSTR_CPUSET_OVERLAP, .index = (i), .of = (n), .from = (f) \
	}
/* The CPUs of a list such as "0-3,5". */
#define KTSTR_EXACT(list)                                  \
	{                                                  \
		.kind = KTSTR_CPUSET_EXACT, .cpus = (list) \
	}

/*
 * The CPUs to which workers are pinned. They are chosen from a pool: the CPUs of the workers'
 * cpuset, or all CPUs if they have none. Workers are not pinned if no CPU is left to choose.
 */
struct ktstr_affinity {
	enum {
		KTSTR_AFFINITY_INHERIT, /* workers are not pinned */
		/* Each worker is pinned to its own random subset of the pool. */
		KTSTR_AFFINITY_RANDOM_SUBSET,
		/* All are pinned to the CPUs of the pool in the LLC that has most of them. */
		KTSTR_AFFINITY_LLC_ALIGNED,
		KTSTR_AFFINITY_CROSS_CGROUP,	 /* all are pinned to all CPUs of the machine */
		KTSTR_AFFINITY_SINGLE_CPU,	 /* all are pinned to the first CPU of the pool */
		KTSTR_AFFINITY_EXACT,		 /* all are pinned to a list of CPUs */
		KTSTR_AFFINITY_SMT_SIBLING_PAIR, /* all are pinned to two threads of a core */
	} kind;					 /* how the CPUs are chosen */
	/*
	 * EXACT: a list of CPUs such as "0-3,5". RANDOM_SUBSET: a list to which the pool is
	 * restricted; NULL = the whole pool.
	 */
	const char *cpus;
	/* RANDOM_SUBSET: number of CPUs of each worker, not more than the pool has; 0 = half. */
	unsigned int count;
};

/* Each worker is pinned to its own random half of the pool, at least one CPU. */
#define KTSTR_PIN_RANDOM_SUBSET                      \
	{                                            \
		.kind = KTSTR_AFFINITY_RANDOM_SUBSET \
	}
/* All are pinned to the CPUs of the pool in the LLC that has most of them. */
#define KTSTR_PIN_LLC_ALIGNED                      \
	{                                          \
		.kind = KTSTR_AFFINITY_LLC_ALIGNED \
	}
/* All are pinned to all CPUs of the machine. */
#define KTSTR_PIN_CROSS_CGROUP                      \
	{                                           \
		.kind = KTSTR_AFFINITY_CROSS_CGROUP \
	}
/* All are pinned to the first CPU of the pool. */
#define KTSTR_PIN_SINGLE_CPU                      \
	{                                         \
		.kind = KTSTR_AFFINITY_SINGLE_CPU \
	}
/*
 * All are pinned to two threads of the first core that has two threads in the pool. The step fails
 * if there is no such core.
 */
#define KTSTR_PIN_SMT_SIBLING_PAIR                      \
	{                                               \
		.kind = KTSTR_AFFINITY_SMT_SIBLING_PAIR \
	}
/* All are pinned to the CPUs of a list such as "0-3,5" that are in their cpuset, if any. */
#define KTSTR_PIN_EXACT(list)                                \
	{                                                    \
		.kind = KTSTR_AFFINITY_EXACT, .cpus = (list) \
	}

/* The scheduling policy of workers. */
struct ktstr_policy {
	enum {
		KTSTR_POLICY_NORMAL,   /* SCHED_OTHER, the default */
		KTSTR_POLICY_BATCH,    /* SCHED_BATCH */
		KTSTR_POLICY_IDLE,     /* SCHED_IDLE */
		KTSTR_POLICY_FIFO,     /* SCHED_FIFO */
		KTSTR_POLICY_RR,       /* SCHED_RR */
		KTSTR_POLICY_DEADLINE, /* SCHED_DEADLINE */
		KTSTR_POLICY_EXT,      /* SCHED_EXT */
	} kind;			       /* policy */
	int priority;		       /* FIFO, RR: priority, 1 to 99 */
	/* DEADLINE: times in ns, 0 < runtime <= deadline <= period. */
	uint64_t runtime_ns, deadline_ns, period_ns;
};

/* SCHED_OTHER. */
#define KTSTR_NORMAL                        \
	{                                   \
		.kind = KTSTR_POLICY_NORMAL \
	}
/* SCHED_BATCH. */
#define KTSTR_BATCH                        \
	{                                  \
		.kind = KTSTR_POLICY_BATCH \
	}
/* SCHED_IDLE. */
#define KTSTR_IDLE                        \
	{                                 \
		.kind = KTSTR_POLICY_IDLE \
	}
/* SCHED_FIFO with priority p, 1 to 99. */
#define KTSTR_FIFO(p)                                      \
	{                                                  \
		.kind = KTSTR_POLICY_FIFO, .priority = (p) \
	}
/* SCHED_RR with priority p, 1 to 99. */
#define KTSTR_RR(p)                                      \
	{                                                \
		.kind = KTSTR_POLICY_RR, .priority = (p) \
	}
/* SCHED_DEADLINE with these times in ns, 0 < runtime <= deadline <= period. */
#define KTSTR_DEADLINE(runtime, deadline, period)                                                  \
	{                                                                                          \
		.kind = KTSTR_POLICY_DEADLINE, .runtime_ns = (runtime), .deadline_ns = (deadline), \
		.period_ns = (period)                                                              \
	}
/* SCHED_EXT. */
#define KTSTR_EXT                        \
	{                                \
		.kind = KTSTR_POLICY_EXT \
	}

/*
 * The memory policy of workers, see set_mempolicy(2). The nodes have to exist; if the workers have
 * a cpuset, they have to be nodes of its CPUs, unless mpol_flags says otherwise.
 */
struct ktstr_mem_policy {
	enum {
		KTSTR_MEM_DEFAULT,	       /* workers do not set a policy */
		KTSTR_MEM_PREFERRED,	       /* MPOL_PREFERRED: one node */
		KTSTR_MEM_BIND,		       /* MPOL_BIND */
		KTSTR_MEM_INTERLEAVE,	       /* MPOL_INTERLEAVE */
		KTSTR_MEM_LOCAL,	       /* MPOL_LOCAL */
		KTSTR_MEM_PREFERRED_MANY,      /* MPOL_PREFERRED_MANY */
		KTSTR_MEM_WEIGHTED_INTERLEAVE, /* MPOL_WEIGHTED_INTERLEAVE */
	} kind;				       /* policy */
	const char *nodes;		       /* such as "0-1,3"; unused for DEFAULT and LOCAL */
};

/* MPOL_F_STATIC_NODES: the nodes may be outside the cpuset. Excludes the next flag. */
#define KTSTR_MPOL_STATIC_NODES (1 << 15)
/* MPOL_F_RELATIVE_NODES: node numbers are relative to the nodes of the cpuset. */
#define KTSTR_MPOL_RELATIVE_NODES (1 << 14)
/* MPOL_F_NUMA_BALANCING: the kernel may migrate pages between the nodes. */
#define KTSTR_MPOL_NUMA_BALANCING (1 << 13)

/*
 * A group of equal workers. A setting that the kernel refuses makes the test inconclusive; an
 * invalid setting fails the step.
 */
struct ktstr_work {
	uint32_t workers;		    /* number; 0 = .workers_per_cgroup of the test */
	struct ktstr_work_type work_type;   /* what they do; default: KTSTR_CPU_SPIN */
	struct ktstr_policy sched_policy;   /* default: SCHED_OTHER */
	struct ktstr_affinity affinity;	    /* CPUs to which they are pinned; default: not pinned */
	struct ktstr_mem_policy mem_policy; /* memory policy; default: none set */
	int mpol_flags;			    /* KTSTR_MPOL_* flags of mem_policy; 0 = none */
	int nice;			    /* nice value, -20 to 19 */
	const char *comm;		    /* name of the tasks; NULL = cgroup and number */
	uint32_t uclamp_min, uclamp_max;    /* utilization clamps, 0 to 1024; 0 = not set */
};

/* The value of .works: a list of struct ktstr_work, for several kinds of workers in a cgroup. */
#define KTSTR_WORKS(...) ((const struct ktstr_work[]){ __VA_ARGS__, { .workers = UINT32_MAX } })

#ifdef __cplusplus
}
#endif

#endif

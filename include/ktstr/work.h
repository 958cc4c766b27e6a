/* SPDX-License-Identifier: GPL-2.0-only */
/* What workers do, and how and where they run. Part of <ktstr/ktstr.h>: include that. */
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
 * The kinds of work. Tests write the macros below, which fill in a struct ktstr_work_type.
 * @KTSTR_WORK_*: the kind of the macro of that name without WORK_.
 */
enum ktstr_work_kind {
	KTSTR_WORK_DEFAULT, /* CpuSpin, or the replacement that the run selects */
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
		KTSTR_PHASE_SPIN,  /* uses the CPU */
		KTSTR_PHASE_SLEEP, /* sleeps */
		KTSTR_PHASE_YIELD, /* calls sched_yield() in a loop */
		KTSTR_PHASE_IO,	   /* writes a file like IoSync */
	} kind;			   /* what it does */
	uint64_t us;		   /* duration in microseconds; 0 ends the list */
};

struct ktstr_worker; /* a running worker, for KTSTR_CUSTOM() */
/* The body of a KTSTR_CUSTOM() worker: returns when ktstr_worker_should_stop() is true. */
typedef void ktstr_work_fn(struct ktstr_worker *w, void *arg);

/* Maximum number of arguments of a work type. */
#define KTSTR_WORK_ARGS 4

/*
 * A work type; made by the macros below. An argument that is 0 has the default that
 * `ktstr list --work-types` prints.
 */
struct ktstr_work_type {
	enum ktstr_work_kind kind; /* kind of work */
	/* Arguments, in the order of the macro. */
	uint64_t args[KTSTR_WORK_ARGS];
	struct ktstr_phase phases[KTSTR_MAX_PHASES]; /* KTSTR_SEQUENCE(): the phases */
	const char *name;			     /* KTSTR_CUSTOM(): name in reports */
	ktstr_work_fn *run;			     /* KTSTR_CUSTOM(): the body */
	void *arg;				     /* KTSTR_CUSTOM(): argument of the body */
};

#define KTSTR_WORK_(k, ...)                                     \
	{                                                       \
		.kind = KTSTR_WORK_##k, .args = { __VA_ARGS__ } \
	}
/* Spins without a pause. */
#define KTSTR_CPU_SPIN KTSTR_WORK_(CPU_SPIN, 0)
/* Another name for KTSTR_CPU_SPIN. */
#define KTSTR_SPIN_WAIT KTSTR_CPU_SPIN
/* Calls sched_yield() in a loop. */
#define KTSTR_YIELD_HEAVY KTSTR_WORK_(YIELD_HEAVY, 0)
/* Spins for 1024 units, then calls sched_yield(). */
#define KTSTR_MIXED KTSTR_WORK_(MIXED, 0)
/* Writes 64 KiB to a temporary file, then sleeps for 100 us. */
#define KTSTR_IO_SYNC KTSTR_WORK_(IO_SYNC, 0)
/* Spins for burst_ms, then sleeps for sleep_ms. */
#define KTSTR_BURSTY(burst_ms, sleep_ms) KTSTR_WORK_(BURSTY, burst_ms, sleep_ms)
/* Pairs: each spins for burst_iters units, wakes the other through a pipe and waits for it. */
#define KTSTR_PIPE_IO(burst_iters) KTSTR_WORK_(PIPE_IO, burst_iters)
/* Pairs: each spins for spin_iters units, wakes the other through a futex and waits for it. */
#define KTSTR_FUTEX_PING_PONG(spin_iters) KTSTR_WORK_(FUTEX_PING_PONG, spin_iters)
/* Accesses size_kb KiB of memory with a stride of stride bytes. */
#define KTSTR_CACHE_PRESSURE(size_kb, stride) KTSTR_WORK_(CACHE_PRESSURE, size_kb, stride)
/* The same with a sched_yield() after each 1024 accesses. */
#define KTSTR_CACHE_YIELD(size_kb, stride) KTSTR_WORK_(CACHE_YIELD, size_kb, stride)
/*
 * Pairs: each accesses size_kb KiB of memory burst_iters times, wakes the other through a pipe and
 * waits for it.
 */
#define KTSTR_CACHE_PIPE(size_kb, burst_iters) KTSTR_WORK_(CACHE_PIPE, size_kb, burst_iters)
/*
 * Teams of fan_out + 1: the first wakes all others through a futex; all spin for spin_iters units.
 */
#define KTSTR_FUTEX_FAN_OUT(fan_out, spin_iters) KTSTR_WORK_(FUTEX_FAN_OUT, fan_out, spin_iters)
/*
 * Teams of fan_out + 1: the first wakes all others, which sleep for sleep_us and multiply matrices
 * of footprint_kb KiB operations times.
 */
#define KTSTR_FAN_OUT_COMPUTE(fan_out, footprint_kb, operations, sleep_us) \
	KTSTR_WORK_(FAN_OUT_COMPUTE, fan_out, footprint_kb, operations, sleep_us)
/* Runs a list of struct ktstr_phase in order: KTSTR_SEQUENCE({ KTSTR_PHASE_SPIN, 500 }, ...). */
#define KTSTR_SEQUENCE(...)                                            \
	{                                                              \
		.kind = KTSTR_WORK_SEQUENCE, .phases = { __VA_ARGS__ } \
	}
/* Forks a child that exits, and waits for it. */
#define KTSTR_FORK_EXIT KTSTR_WORK_(FORK_EXIT, 0)
/* Spins at each nice value from -20 to 19 in turn; without privileges from 0 to 19. */
#define KTSTR_NICE_SWEEP KTSTR_WORK_(NICE_SWEEP, 0)
/* Spins for spin_iters units, then pins itself to a random CPU. */
#define KTSTR_AFFINITY_CHURN(spin_iters) KTSTR_WORK_(AFFINITY_CHURN, spin_iters)
/*
 * Spins for spin_iters units, then switches to the next of the policies SCHED_OTHER, BATCH, IDLE,
 * FIFO and RR.
 */
#define KTSTR_POLICY_CHURN(spin_iters) KTSTR_WORK_(POLICY_CHURN, spin_iters)
/*
 * Touches random pages of region_kb KiB touches times, releases the memory and spins for spin_iters
 * units.
 */
#define KTSTR_PAGE_FAULT_CHURN(region_kb, touches, spin_iters) \
	KTSTR_WORK_(PAGE_FAULT_CHURN, region_kb, touches, spin_iters)
/*
 * Teams of contenders: each spins for work_iters units, and for hold_iters units with the team's
 * lock held.
 */
#define KTSTR_MUTEX_CONTENTION(contenders, hold_iters, work_iters) \
	KTSTR_WORK_(MUTEX_CONTENTION, contenders, hold_iters, work_iters)
/* Multiplies and adds in registers without a pause. */
#define KTSTR_ALU_HOT KTSTR_WORK_(ALU_HOT, 0)
/* Spins for burst_us, then sleeps for sleep_us. */
#define KTSTR_IDLE_CHURN(burst_us, sleep_us) KTSTR_WORK_(IDLE_CHURN, burst_us, sleep_us)
/*
 * Teams of depth: each spins for spin_iters units and wakes the next one; the last wakes the first.
 */
#define KTSTR_WAKE_CHAIN(depth, spin_iters) KTSTR_WORK_(WAKE_CHAIN, depth, spin_iters)
/*
 * Teams of herd + 1: when all others wait, the first wakes them at once; each spins for spin_iters
 * units.
 */
#define KTSTR_THUNDERING_HERD(herd, spin_iters) KTSTR_WORK_(THUNDERING_HERD, herd, spin_iters)
/* Wakes up by a timer every period_us and measures the lateness. */
#define KTSTR_TIMER_LATENCY(period_us) KTSTR_WORK_(TIMER_LATENCY, period_us)
/*
 * Teams of waiters + 1: the first raises eight events, which wake all others; it spins for
 * spin_iters units.
 */
#define KTSTR_EPOLL_STORM(waiters, spin_iters) KTSTR_WORK_(EPOLL_STORM, waiters, spin_iters)
/*
 * Spins for spin_iters units, then moves to the next of its child cgroups. cgroups is their number,
 * 64 at most.
 */
#define KTSTR_CGROUP_ATTACH_STORM(cgroups, spin_iters) \
	KTSTR_WORK_(CGROUP_ATTACH_STORM, cgroups, spin_iters)
/*
 * Teams of a low, a medium and a high priority worker, by nice values; run them on one CPU. Low
 * and high spin for hold_iters units with a common lock held, low and medium for work_iters units
 * without it. use_pi: the lock has priority inheritance.
 */
#define KTSTR_PRIORITY_INVERSION(hold_iters, work_iters, use_pi) \
	KTSTR_WORK_(PRIORITY_INVERSION, hold_iters, work_iters, use_pi)
/*
 * Teams of victims + 1: the first is SCHED_FIFO, spins for burst_ms and sleeps for rest_ms; the
 * others spin.
 */
#define KTSTR_RT_STARVATION(victims, burst_ms, rest_ms) \
	KTSTR_WORK_(RT_STARVATION, victims, burst_ms, rest_ms)
/*
 * Teams of preemptors + 1: the first spins; the others sleep for interval_us and spin for
 * spin_iters units.
 */
#define KTSTR_PREEMPT_STORM(preemptors, interval_us, spin_iters) \
	KTSTR_WORK_(PREEMPT_STORM, preemptors, interval_us, spin_iters)
/* Pairs: each sends the other this number of signals, then spins for spin_iters units. */
#define KTSTR_SIGNAL_STORM(signals, spin_iters) KTSTR_WORK_(SIGNAL_STORM, signals, spin_iters)
/*
 * Teams: producers write items to a pipe, consumers read them and spin for item_iters units per
 * item.
 */
#define KTSTR_PRODUCER_CONSUMER_IMBALANCE(producers, consumers, item_iters) \
	KTSTR_WORK_(PRODUCER_CONSUMER_IMBALANCE, producers, consumers, item_iters)
/* Accesses region_kb KiB of memory; after this number of passes it is moved to the next node. */
#define KTSTR_NUMA_WORKING_SET_SWEEP(region_kb, passes) \
	KTSTR_WORK_(NUMA_WORKING_SET_SWEEP, region_kb, passes)
/* Forks a child that executes a program, which exits at once, and waits for it. */
#define KTSTR_EXEC_STORM KTSTR_WORK_(EXEC_STORM, 0)
/* Custom work: fn is called with the worker and with argument. */
#define KTSTR_CUSTOM(title, fn, argument)                                                  \
	{                                                                                  \
		.kind = KTSTR_WORK_CUSTOM, .name = (title), .run = (fn), .arg = (argument) \
	}

/*
 * For the body of a KTSTR_CUSTOM() worker, which loops until it should stop, and reports
 * progress.
 */

/* Whether the worker has to return. */
bool ktstr_worker_should_stop(struct ktstr_worker *w);
/*
 * Reports an iteration with this number of work units. Without reports a worker counts as
 * starved.
 */
void ktstr_worker_did(struct ktstr_worker *w, uint64_t work_units);
/* Reports a wake latency that the worker measured. */
void ktstr_worker_woke(struct ktstr_worker *w, uint64_t latency_ns);
/* Reports that the worker blocked on purpose: the time until now is not a gap in its progress. */
void ktstr_worker_rested(struct ktstr_worker *w);
/* The next random number of this worker, from the seed of the run. */
uint64_t ktstr_worker_random(struct ktstr_worker *w);
/* The index of this worker in its group, from 0. */
unsigned int ktstr_worker_index(const struct ktstr_worker *w);

/* ---- placement: how and where workers run ---- */

/* The CPUs of a cgroup. Fractions and parts refer to the usable CPUs. */
struct ktstr_cpuset {
	enum {
		KTSTR_CPUSET_NONE,     /* the CPUs of the parent cgroup */
		KTSTR_CPUSET_LLC,      /* all CPUs of an LLC */
		KTSTR_CPUSET_NUMA,     /* all CPUs of a NUMA node */
		KTSTR_CPUSET_RANGE,    /* a range of the usable CPUs, by fractions */
		KTSTR_CPUSET_DISJOINT, /* one of several equal parts of the usable CPUs */
		KTSTR_CPUSET_OVERLAP,  /* such a part and some CPUs of its neighbours */
		KTSTR_CPUSET_EXACT,    /* a list of CPUs */
	} kind;			       /* how the CPUs are chosen */
	int index, of;		       /* index of the LLC, node or part; number of parts */
	double from, to;	       /* RANGE: fractions; OVERLAP: from = the fraction */
	const char *cpus;	       /* EXACT: "0-3,5" */
};

/* The CPUs of LLC i, from 0. */
#define KTSTR_LLC(i)                                   \
	{                                              \
		.kind = KTSTR_CPUSET_LLC, .index = (i) \
	}
/* The CPUs of NUMA node i. */
#define KTSTR_NUMA(i)                                   \
	{                                               \
		.kind = KTSTR_CPUSET_NUMA, .index = (i) \
	}
/* The usable CPUs from fraction a to fraction b: KTSTR_RANGE(0, 0.5). */
#define KTSTR_RANGE(a, b)                                          \
	{                                                          \
		.kind = KTSTR_CPUSET_RANGE, .from = (a), .to = (b) \
	}
/* Part i, from 0, of n equal parts of the usable CPUs. */
#define KTSTR_DISJOINT(i, n)                                           \
	{                                                              \
		.kind = KTSTR_CPUSET_DISJOINT, .index = (i), .of = (n) \
	}
/* The same, plus a fraction f of the neighbouring part on each side. */
#define KTSTR_OVERLAP(i, n, f)                                                     \
	{                                                                          \
		.kind = KTSTR_CPUSET_OVERLAP, .index = (i), .of = (n), .from = (f) \
	}
/* These CPUs: "0-3,5". */
#define KTSTR_EXACT(list)                                  \
	{                                                  \
		.kind = KTSTR_CPUSET_EXACT, .cpus = (list) \
	}

/* The CPUs to which workers are pinned. The pool is the CPUs of their cpuset, or all. */
struct ktstr_affinity {
	enum {
		KTSTR_AFFINITY_INHERIT, /* not pinned */
		/* Each worker to a random part of the pool. */
		KTSTR_AFFINITY_RANDOM_SUBSET,
		/* To the LLC with the most CPUs of the pool. */
		KTSTR_AFFINITY_LLC_ALIGNED,
		KTSTR_AFFINITY_CROSS_CGROUP,	 /* to all CPUs of the machine */
		KTSTR_AFFINITY_SINGLE_CPU,	 /* to the first CPU of the pool */
		KTSTR_AFFINITY_EXACT,		 /* to a list of CPUs */
		KTSTR_AFFINITY_SMT_SIBLING_PAIR, /* to two threads of a core */
	} kind;					 /* how the CPUs are chosen */
	/* EXACT: the CPUs; RANDOM_SUBSET: another pool, or NULL. */
	const char *cpus;
	/* RANDOM_SUBSET: number of CPUs; 0 = half of the pool. */
	unsigned int count;
};

/* Each worker is pinned to a random half of the pool. */
#define KTSTR_PIN_RANDOM_SUBSET                      \
	{                                            \
		.kind = KTSTR_AFFINITY_RANDOM_SUBSET \
	}
/* All are pinned to the LLC with the most CPUs of the pool. */
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
/* All are pinned to two threads of the first core with two threads in the pool. */
#define KTSTR_PIN_SMT_SIBLING_PAIR                      \
	{                                               \
		.kind = KTSTR_AFFINITY_SMT_SIBLING_PAIR \
	}
/* All are pinned to these CPUs: "0-3,5"; with a cpuset, only to those in it. */
#define KTSTR_PIN_EXACT(list)                                \
	{                                                    \
		.kind = KTSTR_AFFINITY_EXACT, .cpus = (list) \
	}

/* The scheduling policy of workers; default: SCHED_OTHER. */
struct ktstr_policy {
	enum {
		KTSTR_POLICY_NORMAL,   /* SCHED_OTHER */
		KTSTR_POLICY_BATCH,    /* SCHED_BATCH */
		KTSTR_POLICY_IDLE,     /* SCHED_IDLE */
		KTSTR_POLICY_FIFO,     /* SCHED_FIFO */
		KTSTR_POLICY_RR,       /* SCHED_RR */
		KTSTR_POLICY_DEADLINE, /* SCHED_DEADLINE */
		KTSTR_POLICY_EXT,      /* SCHED_EXT */
	} kind;			       /* policy */
	int priority;		       /* FIFO, RR: 1 to 99 */
	/* DEADLINE: runtime <= deadline <= period. */
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
/* SCHED_DEADLINE with these times in ns. */
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

/* The memory policy of workers, see set_mempolicy(2). */
struct ktstr_mem_policy {
	enum {
		KTSTR_MEM_DEFAULT,	       /* the default of the system */
		KTSTR_MEM_PREFERRED,	       /* MPOL_PREFERRED: one node */
		KTSTR_MEM_BIND,		       /* MPOL_BIND */
		KTSTR_MEM_INTERLEAVE,	       /* MPOL_INTERLEAVE */
		KTSTR_MEM_LOCAL,	       /* MPOL_LOCAL */
		KTSTR_MEM_PREFERRED_MANY,      /* MPOL_PREFERRED_MANY */
		KTSTR_MEM_WEIGHTED_INTERLEAVE, /* MPOL_WEIGHTED_INTERLEAVE */
	} kind;				       /* policy */
	const char *nodes;		       /* "0-1,3"; unused for DEFAULT and LOCAL */
};

/* MPOL_F_STATIC_NODES: the nodes may also be outside the cpuset. */
#define KTSTR_MPOL_STATIC_NODES (1 << 15)
/* MPOL_F_RELATIVE_NODES: node numbers are relative to the cpuset. */
#define KTSTR_MPOL_RELATIVE_NODES (1 << 14)
/* MPOL_F_NUMA_BALANCING. */
#define KTSTR_MPOL_NUMA_BALANCING (1 << 13)

/* A number of equal workers. */
struct ktstr_work {
	uint32_t workers;		    /* number; 0 = .workers_per_cgroup of the test */
	struct ktstr_work_type work_type;   /* default: CpuSpin */
	struct ktstr_policy sched_policy;   /* default: SCHED_OTHER */
	struct ktstr_affinity affinity;	    /* CPUs to which workers are pinned */
	struct ktstr_mem_policy mem_policy; /* memory policy of workers */
	int mpol_flags;			    /* KTSTR_MPOL_* or 0 */
	int nice;			    /* -20 to 19 */
	const char *comm;		    /* name of the tasks; NULL = cgroup and number */
	uint32_t uclamp_min, uclamp_max;    /* 0 to 1024; both 0 = not set */
};

/* The value of .works: several kinds of workers in one cgroup. */
#define KTSTR_WORKS(...) ((const struct ktstr_work[]){ __VA_ARGS__, { .workers = UINT32_MAX } })

#ifdef __cplusplus
}
#endif

#endif

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

/* ---- what workers do ---- */

enum ktstr_work_kind {
	KTSTR_WORK_DEFAULT, /* CpuSpin, or what the run puts in its place */
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
	KTSTR_WORK_COUNT,
};

/* A piece of KTSTR_SEQUENCE; us = 0 ends the list. */
#define KTSTR_MAX_PHASES 8

struct ktstr_phase {
	enum { KTSTR_PHASE_SPIN, KTSTR_PHASE_SLEEP, KTSTR_PHASE_YIELD, KTSTR_PHASE_IO } kind;
	uint64_t us;
};

struct ktstr_worker; /* a running worker, for KTSTR_CUSTOM */
typedef void ktstr_work_fn(struct ktstr_worker *w, void *arg);

#define KTSTR_WORK_ARGS 4

/* Arguments that are 0 have the defaults of the work type (`ktstr list --work-types`). */
struct ktstr_work_type {
	enum ktstr_work_kind kind;
	uint64_t args[KTSTR_WORK_ARGS];
	struct ktstr_phase phases[KTSTR_MAX_PHASES]; /* KTSTR_SEQUENCE */
	const char *name;			     /* KTSTR_CUSTOM, this and the next two */
	ktstr_work_fn *run;
	void *arg;
};

#define KTSTR_WORK_(k, ...)                                     \
	{                                                       \
		.kind = KTSTR_WORK_##k, .args = { __VA_ARGS__ } \
	}
#define KTSTR_CPU_SPIN KTSTR_WORK_(CPU_SPIN, 0)
#define KTSTR_SPIN_WAIT KTSTR_CPU_SPIN
#define KTSTR_YIELD_HEAVY KTSTR_WORK_(YIELD_HEAVY, 0)
#define KTSTR_MIXED KTSTR_WORK_(MIXED, 0)
#define KTSTR_IO_SYNC KTSTR_WORK_(IO_SYNC, 0)
#define KTSTR_BURSTY(burst_ms, sleep_ms) KTSTR_WORK_(BURSTY, burst_ms, sleep_ms)
#define KTSTR_PIPE_IO(burst_iters) KTSTR_WORK_(PIPE_IO, burst_iters)
#define KTSTR_FUTEX_PING_PONG(spin_iters) KTSTR_WORK_(FUTEX_PING_PONG, spin_iters)
#define KTSTR_CACHE_PRESSURE(size_kb, stride) KTSTR_WORK_(CACHE_PRESSURE, size_kb, stride)
#define KTSTR_CACHE_YIELD(size_kb, stride) KTSTR_WORK_(CACHE_YIELD, size_kb, stride)
#define KTSTR_CACHE_PIPE(size_kb, burst_iters) KTSTR_WORK_(CACHE_PIPE, size_kb, burst_iters)
#define KTSTR_FUTEX_FAN_OUT(fan_out, spin_iters) KTSTR_WORK_(FUTEX_FAN_OUT, fan_out, spin_iters)
#define KTSTR_FAN_OUT_COMPUTE(fan_out, footprint_kb, operations, sleep_us) \
	KTSTR_WORK_(FAN_OUT_COMPUTE, fan_out, footprint_kb, operations, sleep_us)
#define KTSTR_SEQUENCE(...)                                            \
	{                                                              \
		.kind = KTSTR_WORK_SEQUENCE, .phases = { __VA_ARGS__ } \
	}
#define KTSTR_FORK_EXIT KTSTR_WORK_(FORK_EXIT, 0)
#define KTSTR_NICE_SWEEP KTSTR_WORK_(NICE_SWEEP, 0)
#define KTSTR_AFFINITY_CHURN(spin_iters) KTSTR_WORK_(AFFINITY_CHURN, spin_iters)
#define KTSTR_POLICY_CHURN(spin_iters) KTSTR_WORK_(POLICY_CHURN, spin_iters)
#define KTSTR_PAGE_FAULT_CHURN(region_kb, touches, spin_iters) \
	KTSTR_WORK_(PAGE_FAULT_CHURN, region_kb, touches, spin_iters)
#define KTSTR_MUTEX_CONTENTION(contenders, hold_iters, work_iters) \
	KTSTR_WORK_(MUTEX_CONTENTION, contenders, hold_iters, work_iters)
#define KTSTR_ALU_HOT KTSTR_WORK_(ALU_HOT, 0)
#define KTSTR_IDLE_CHURN(burst_us, sleep_us) KTSTR_WORK_(IDLE_CHURN, burst_us, sleep_us)
#define KTSTR_WAKE_CHAIN(depth, spin_iters) KTSTR_WORK_(WAKE_CHAIN, depth, spin_iters)
#define KTSTR_THUNDERING_HERD(herd, spin_iters) KTSTR_WORK_(THUNDERING_HERD, herd, spin_iters)
#define KTSTR_TIMER_LATENCY(period_us) KTSTR_WORK_(TIMER_LATENCY, period_us)
#define KTSTR_EPOLL_STORM(waiters, spin_iters) KTSTR_WORK_(EPOLL_STORM, waiters, spin_iters)
#define KTSTR_CGROUP_ATTACH_STORM(cgroups, spin_iters) \
	KTSTR_WORK_(CGROUP_ATTACH_STORM, cgroups, spin_iters)
/* Three workers, low, medium and high; give them one CPU. use_pi: the lock inherits priority. */
#define KTSTR_PRIORITY_INVERSION(hold_iters, work_iters, use_pi) \
	KTSTR_WORK_(PRIORITY_INVERSION, hold_iters, work_iters, use_pi)
#define KTSTR_RT_STARVATION(victims, burst_ms, rest_ms) \
	KTSTR_WORK_(RT_STARVATION, victims, burst_ms, rest_ms)
#define KTSTR_PREEMPT_STORM(preemptors, interval_us, spin_iters) \
	KTSTR_WORK_(PREEMPT_STORM, preemptors, interval_us, spin_iters)
#define KTSTR_SIGNAL_STORM(signals, spin_iters) KTSTR_WORK_(SIGNAL_STORM, signals, spin_iters)
#define KTSTR_PRODUCER_CONSUMER_IMBALANCE(producers, consumers, item_iters) \
	KTSTR_WORK_(PRODUCER_CONSUMER_IMBALANCE, producers, consumers, item_iters)
#define KTSTR_NUMA_WORKING_SET_SWEEP(region_kb, passes) \
	KTSTR_WORK_(NUMA_WORKING_SET_SWEEP, region_kb, passes)
#define KTSTR_CUSTOM(title, fn, argument)                                                  \
	{                                                                                  \
		.kind = KTSTR_WORK_CUSTOM, .name = (title), .run = (fn), .arg = (argument) \
	}

/* For the body of a KTSTR_CUSTOM worker: loop until told to stop, and tell of progress. */
bool ktstr_worker_should_stop(struct ktstr_worker *w);
void ktstr_worker_did(struct ktstr_worker *w, uint64_t work_units); /* one iteration is over */
void ktstr_worker_woke(struct ktstr_worker *w, uint64_t latency_ns);
void ktstr_worker_rested(struct ktstr_worker *w); /* blocked on purpose: no gap since then */
uint64_t ktstr_worker_random(struct ktstr_worker *w);
unsigned int ktstr_worker_index(const struct ktstr_worker *w);

/* ---- how and where workers run ---- */

/* Which CPUs a cgroup may use. Fractions and partitions are over the usable CPUs. */
struct ktstr_cpuset {
	enum {
		KTSTR_CPUSET_NONE, /* inherits */
		KTSTR_CPUSET_LLC,
		KTSTR_CPUSET_NUMA,
		KTSTR_CPUSET_RANGE,
		KTSTR_CPUSET_DISJOINT,
		KTSTR_CPUSET_OVERLAP,
		KTSTR_CPUSET_EXACT,
	} kind;
	int index, of;	  /* LLC, node or part; number of parts */
	double from, to;  /* RANGE; OVERLAP: from = the fraction */
	const char *cpus; /* EXACT: "0-3,5" */
};

#define KTSTR_LLC(i)                                   \
	{                                              \
		.kind = KTSTR_CPUSET_LLC, .index = (i) \
	}
#define KTSTR_NUMA(i)                                   \
	{                                               \
		.kind = KTSTR_CPUSET_NUMA, .index = (i) \
	}
#define KTSTR_RANGE(a, b)                                          \
	{                                                          \
		.kind = KTSTR_CPUSET_RANGE, .from = (a), .to = (b) \
	}
#define KTSTR_DISJOINT(i, n)                                           \
	{                                                              \
		.kind = KTSTR_CPUSET_DISJOINT, .index = (i), .of = (n) \
	}
#define KTSTR_OVERLAP(i, n, f)                                                     \
	{                                                                          \
		.kind = KTSTR_CPUSET_OVERLAP, .index = (i), .of = (n), .from = (f) \
	}
#define KTSTR_EXACT(list)                                  \
	{                                                  \
		.kind = KTSTR_CPUSET_EXACT, .cpus = (list) \
	}

struct ktstr_affinity {
	enum {
		KTSTR_AFFINITY_INHERIT,
		KTSTR_AFFINITY_RANDOM_SUBSET,
		KTSTR_AFFINITY_LLC_ALIGNED,
		KTSTR_AFFINITY_CROSS_CGROUP,
		KTSTR_AFFINITY_SINGLE_CPU,
		KTSTR_AFFINITY_EXACT,
		KTSTR_AFFINITY_SMT_SIBLING_PAIR,
	} kind;
	const char *cpus;   /* EXACT; RANDOM_SUBSET: its pool, or NULL */
	unsigned int count; /* RANDOM_SUBSET: 0 = half of the pool */
};

#define KTSTR_PIN_RANDOM_SUBSET                      \
	{                                            \
		.kind = KTSTR_AFFINITY_RANDOM_SUBSET \
	}
#define KTSTR_PIN_LLC_ALIGNED                      \
	{                                          \
		.kind = KTSTR_AFFINITY_LLC_ALIGNED \
	}
#define KTSTR_PIN_CROSS_CGROUP                      \
	{                                           \
		.kind = KTSTR_AFFINITY_CROSS_CGROUP \
	}
#define KTSTR_PIN_SINGLE_CPU                      \
	{                                         \
		.kind = KTSTR_AFFINITY_SINGLE_CPU \
	}
#define KTSTR_PIN_SMT_SIBLING_PAIR                      \
	{                                               \
		.kind = KTSTR_AFFINITY_SMT_SIBLING_PAIR \
	}
#define KTSTR_PIN_EXACT(list)                                \
	{                                                    \
		.kind = KTSTR_AFFINITY_EXACT, .cpus = (list) \
	}

struct ktstr_policy {
	enum {
		KTSTR_POLICY_NORMAL,
		KTSTR_POLICY_BATCH,
		KTSTR_POLICY_IDLE,
		KTSTR_POLICY_FIFO,
		KTSTR_POLICY_RR,
		KTSTR_POLICY_DEADLINE,
		KTSTR_POLICY_EXT,
	} kind;
	int priority; /* FIFO, RR: 1..99 */
	uint64_t runtime_ns, deadline_ns, period_ns;
};

#define KTSTR_BATCH                        \
	{                                  \
		.kind = KTSTR_POLICY_BATCH \
	}
#define KTSTR_IDLE                        \
	{                                 \
		.kind = KTSTR_POLICY_IDLE \
	}
#define KTSTR_FIFO(p)                                      \
	{                                                  \
		.kind = KTSTR_POLICY_FIFO, .priority = (p) \
	}
#define KTSTR_RR(p)                                      \
	{                                                \
		.kind = KTSTR_POLICY_RR, .priority = (p) \
	}
#define KTSTR_DEADLINE(runtime, deadline, period)                                                  \
	{                                                                                          \
		.kind = KTSTR_POLICY_DEADLINE, .runtime_ns = (runtime), .deadline_ns = (deadline), \
		.period_ns = (period)                                                              \
	}
#define KTSTR_EXT                        \
	{                                \
		.kind = KTSTR_POLICY_EXT \
	}

struct ktstr_mem_policy {
	enum {
		KTSTR_MEM_DEFAULT,
		KTSTR_MEM_PREFERRED,
		KTSTR_MEM_BIND,
		KTSTR_MEM_INTERLEAVE,
		KTSTR_MEM_LOCAL,
		KTSTR_MEM_PREFERRED_MANY,
		KTSTR_MEM_WEIGHTED_INTERLEAVE,
	} kind;
	const char *nodes; /* "0-1,3" */
};

#define KTSTR_MPOL_STATIC_NODES (1 << 15)
#define KTSTR_MPOL_RELATIVE_NODES (1 << 14)
#define KTSTR_MPOL_NUMA_BALANCING (1 << 13)

/* A number of equal workers. workers = 0: as many as the test says for each cgroup. */
struct ktstr_work {
	uint32_t workers;
	struct ktstr_work_type work_type;
	struct ktstr_policy sched_policy;
	struct ktstr_affinity affinity;
	struct ktstr_mem_policy mem_policy;
	int mpol_flags;
	int nice;
	const char *comm;
	uint32_t uclamp_min, uclamp_max; /* 0..1024; both 0 = untouched */
};

#define KTSTR_WORKS(...) ((const struct ktstr_work[]){ __VA_ARGS__, { .workers = UINT32_MAX } })

#ifdef __cplusplus
}
#endif

#endif

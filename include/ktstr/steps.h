/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroups, operations, steps of a scenario. Part of <ktstr/ktstr.h>: include that. */
#ifndef KTSTR_STEPS_H
#define KTSTR_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktstr/payload.h>
#include <ktstr/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- steps: cgroups, operations on them, and steps of a scenario ---- */

/* A cgroup and its workers. Numbers that are 0 and strings that are NULL are not set. */
struct ktstr_cgroup {
	const char *name;	    /* "a", or "a/b" below it; NULL ends a list */
	struct ktstr_cpuset cpuset; /* CPUs; default: all */
	/* KTSTR_WORKS(): several kinds of workers, instead of the members from workers to nice. */
	const struct ktstr_work *works;
	uint32_t workers; /* number of workers; 0 = .workers_per_cgroup of the test */
	/* Number of workers in percent of its CPUs, rounded up; instead of workers. */
	double workers_pct;
	struct ktstr_work_type work_type;     /* default: CpuSpin */
	struct ktstr_policy sched_policy;     /* default: SCHED_OTHER */
	struct ktstr_affinity affinity;	      /* CPUs to which workers are pinned */
	struct ktstr_mem_policy mem_policy;   /* memory policy of workers */
	int mpol_flags;			      /* KTSTR_MPOL_* or 0 */
	int nice;			      /* -20 to 19 */
	bool swappable;			      /* the run's --work-type may replace work_type */
	const struct ktstr_payload *payload;  /* a program that also runs in it */
	const char *cpuset_mems;	      /* cpuset.mems: "0-1" */
	const char *cpu_max;		      /* cpu.max: "50000 100000" */
	uint32_t cpu_weight;		      /* cpu.weight: 1 to 10000 */
	const char *memory_max, *memory_high; /* memory.max and memory.high: "64M" */
	uint32_t pids_max;		      /* pids.max */
	/* cpu.uclamp.min and .max in percent; both 0 = not set. */
	uint32_t uclamp_min, uclamp_max;
};

/* A list of struct ktstr_cgroup. */
#define KTSTR_CGROUPS(...) ((const struct ktstr_cgroup[]){ __VA_ARGS__, { .name = NULL } })

/*
 * The operations. Tests write the macros below, which fill in a struct ktstr_op. The numbers are
 * bits of a step's event in records, so new ones are added at the end.
 * @KTSTR_OP_*: the operation of the macro of that name without OP_.
 */
enum ktstr_op_kind {
	KTSTR_OP_ADD_CGROUP,
	KTSTR_OP_REMOVE_CGROUP,
	KTSTR_OP_SET_CPUSET,
	KTSTR_OP_CLEAR_CPUSET,
	KTSTR_OP_SWAP_CPUSETS,
	KTSTR_OP_SPAWN,
	KTSTR_OP_STOP_CGROUP,
	KTSTR_OP_SET_AFFINITY,
	KTSTR_OP_SPAWN_HOST,
	KTSTR_OP_MOVE_ALL_TASKS,
	KTSTR_OP_RUN_PAYLOAD,
	KTSTR_OP_WAIT_PAYLOAD,
	KTSTR_OP_KILL_PAYLOAD,
	KTSTR_OP_ADD_CGROUP_DEF,
	KTSTR_OP_FREEZE_CGROUP,	  /* KTSTR_FREEZE() */
	KTSTR_OP_UNFREEZE_CGROUP, /* KTSTR_UNFREEZE() */
	KTSTR_OP_SET_CPU_MAX,
	KTSTR_OP_SET_CPU_WEIGHT,
	KTSTR_OP_SET_UCLAMP,
	KTSTR_OP_CPU_OFFLINE,
	KTSTR_OP_CPU_ONLINE,
	KTSTR_OP_CORE_COOKIE,
	KTSTR_OP_ATTACH_SCHEDULER,
	KTSTR_OP_DETACH_SCHEDULER,
	KTSTR_OP_RESTART_SCHEDULER,
	KTSTR_OP_CAPTURE_CGROUP_PROCS,
	KTSTR_OP_CAPTURE_SNAPSHOT,
	KTSTR_OP_SIGSTOP_CGROUP, /* KTSTR_SIGSTOP() */
	KTSTR_OP_SIGCONT_CGROUP, /* KTSTR_SIGCONT() */
	KTSTR_OP_SET_POLICY,
	KTSTR_OP_SET_NICE,
	KTSTR_OP_END, /* ends a list */
};

/* An operation of a step; made by the macros below. */
struct ktstr_op {
	enum ktstr_op_kind kind;	     /* which operation */
	const char *cgroup;		     /* name of the cgroup */
	const char *other;		     /* second cgroup */
	struct ktstr_cpuset cpuset;	     /* KTSTR_SET_CPUSET() */
	struct ktstr_affinity affinity;	     /* KTSTR_SET_AFFINITY() */
	struct ktstr_policy policy;	     /* KTSTR_SET_POLICY() */
	struct ktstr_work work;		     /* KTSTR_SPAWN(), KTSTR_SPAWN_HOST() */
	const struct ktstr_cgroup *def;	     /* KTSTR_ADD_CGROUP_DEF() */
	const struct ktstr_payload *payload; /* KTSTR_RUN_PAYLOAD() */
	const char *name;		     /* name of a payload or snapshot */
	const char *const *args;	     /* additional arguments of a payload */
	const char *text;		     /* value of cpu.max */
	int64_t value[2];		     /* weight; nice; uclamp min, max; CPU number */
};

#define KTSTR_OP_(k, ...)                         \
	{                                         \
		.kind = KTSTR_OP_##k, __VA_ARGS__ \
	}
/* Creates an empty cgroup. */
#define KTSTR_ADD_CGROUP(cg) KTSTR_OP_(ADD_CGROUP, .cgroup = (cg))
/* Stops the workers of a cgroup and removes it. */
#define KTSTR_REMOVE_CGROUP(cg) KTSTR_OP_(REMOVE_CGROUP, .cgroup = (cg))
/* Sets the CPUs of a cgroup: KTSTR_SET_CPUSET("cg", KTSTR_LLC(0)). */
#define KTSTR_SET_CPUSET(cg, ...) KTSTR_OP_(SET_CPUSET, .cgroup = (cg), .cpuset = __VA_ARGS__)
/* Clears the cpuset of a cgroup, so that its CPUs are those of the parent cgroup. */
#define KTSTR_CLEAR_CPUSET(cg) KTSTR_OP_(CLEAR_CPUSET, .cgroup = (cg))
/* Swaps the CPUs of two cgroups. */
#define KTSTR_SWAP_CPUSETS(a, b) KTSTR_OP_(SWAP_CPUSETS, .cgroup = (a), .other = (b))
/* Starts workers in a cgroup: KTSTR_SPAWN("cg", .workers = 4, .work_type = KTSTR_MIXED). */
#define KTSTR_SPAWN(cg, ...) KTSTR_OP_(SPAWN, .cgroup = (cg), .work = { __VA_ARGS__ })
/* Stops the workers and payloads of a cgroup and of its descendants. */
#define KTSTR_STOP_CGROUP(cg) KTSTR_OP_(STOP_CGROUP, .cgroup = (cg))
/* Pins the workers of a cgroup: KTSTR_SET_AFFINITY("cg", KTSTR_PIN_SINGLE_CPU). */
#define KTSTR_SET_AFFINITY(cg, ...) KTSTR_OP_(SET_AFFINITY, .cgroup = (cg), .affinity = __VA_ARGS__)
/* Starts workers outside the cgroups of the test. */
#define KTSTR_SPAWN_HOST(...) KTSTR_OP_(SPAWN_HOST, .work = { __VA_ARGS__ })
/* Moves all tasks of a cgroup to another. */
#define KTSTR_MOVE_ALL_TASKS(from, to) KTSTR_OP_(MOVE_ALL_TASKS, .cgroup = (from), .other = (to))
/* Starts payload p in a cgroup (NULL = none), with additional arguments. */
#define KTSTR_RUN_PAYLOAD(p, cg, ...) \
	KTSTR_OP_(RUN_PAYLOAD, .payload = (p), .cgroup = (cg), .args = KTSTR_ARGS(__VA_ARGS__))
/* Waits until the payload with this name exits; cgroup NULL = in any cgroup. */
#define KTSTR_WAIT_PAYLOAD(n, cg) KTSTR_OP_(WAIT_PAYLOAD, .name = (n), .cgroup = (cg))
/* Kills the payload with this name; cgroup NULL = in any cgroup. */
#define KTSTR_KILL_PAYLOAD(n, cg) KTSTR_OP_(KILL_PAYLOAD, .name = (n), .cgroup = (cg))
/* Creates a cgroup with workers: KTSTR_ADD_CGROUP_DEF({ .name = "cg", .workers = 4 }). */
#define KTSTR_ADD_CGROUP_DEF(...) KTSTR_OP_(ADD_CGROUP_DEF, .def = KTSTR_CGROUPS(__VA_ARGS__))
/* Adds the process ids of a cgroup to the result, as a note. */
#define KTSTR_CAPTURE_CGROUP_PROCS(cg) KTSTR_OP_(CAPTURE_CGROUP_PROCS, .cgroup = (cg))
/* Takes a snapshot of the guest from the host: see <ktstr/snapshot.h>. */
#define KTSTR_CAPTURE_SNAPSHOT(n) KTSTR_OP_(CAPTURE_SNAPSHOT, .name = (n))
/* Freezes a cgroup of the scenario. */
#define KTSTR_FREEZE(cg) KTSTR_OP_(FREEZE_CGROUP, .cgroup = (cg))
/* Unfreezes a cgroup. */
#define KTSTR_UNFREEZE(cg) KTSTR_OP_(UNFREEZE_CGROUP, .cgroup = (cg))
/* Stops the workers of a cgroup by SIGSTOP, until SIGCONT. */
#define KTSTR_SIGSTOP(cg) KTSTR_OP_(SIGSTOP_CGROUP, .cgroup = (cg))
/* Lets them go on. */
#define KTSTR_SIGCONT(cg) KTSTR_OP_(SIGCONT_CGROUP, .cgroup = (cg))
/* Gives the workers of a cgroup another policy: KTSTR_SET_POLICY("cg", KTSTR_EXT). */
#define KTSTR_SET_POLICY(cg, ...) KTSTR_OP_(SET_POLICY, .cgroup = (cg), .policy = __VA_ARGS__)
/* Gives the workers of a cgroup another nice value, -20 to 19. */
#define KTSTR_SET_NICE(cg, n) KTSTR_OP_(SET_NICE, .cgroup = (cg), .work = { .nice = (n) })
/* Sets cpu.max: "50000 100000", or "max". */
#define KTSTR_SET_CPU_MAX(cg, t) KTSTR_OP_(SET_CPU_MAX, .cgroup = (cg), .text = (t))
/* Sets cpu.weight, 1 to 10000. */
#define KTSTR_SET_CPU_WEIGHT(cg, w) KTSTR_OP_(SET_CPU_WEIGHT, .cgroup = (cg), .value = { (w) })
/* Sets cpu.uclamp.min and cpu.uclamp.max, in percent. */
#define KTSTR_SET_UCLAMP(cg, lo, hi) KTSTR_OP_(SET_UCLAMP, .cgroup = (cg), .value = { (lo), (hi) })
/* Takes a CPU offline. It is brought back online at the end of the scenario. */
#define KTSTR_CPU_OFFLINE(cpu) KTSTR_OP_(CPU_OFFLINE, .value = { (cpu) })
/* Brings a CPU back online. */
#define KTSTR_CPU_ONLINE(cpu) KTSTR_OP_(CPU_ONLINE, .value = { (cpu) })
/* Assigns one new core-scheduling cookie to all tasks of a cgroup. */
#define KTSTR_CORE_COOKIE(cg) KTSTR_OP_(CORE_COOKIE, .cgroup = (cg))
/* Starts the scheduler of the test after it was detached. */
#define KTSTR_ATTACH_SCHEDULER KTSTR_OP_(ATTACH_SCHEDULER, .cgroup = NULL)
/* Stops the scheduler and waits until the kernel's own is active again. */
#define KTSTR_DETACH_SCHEDULER KTSTR_OP_(DETACH_SCHEDULER, .cgroup = NULL)
/* Detaches the scheduler and attaches it again. */
#define KTSTR_RESTART_SCHEDULER KTSTR_OP_(RESTART_SCHEDULER, .cgroup = NULL)
/* The value of .ops: a list of operations. */
#define KTSTR_OPS(...) ((const struct ktstr_op[]){ __VA_ARGS__, { .kind = KTSTR_OP_END } })

/* How long a step lasts. */
struct ktstr_hold {
	enum {
		KTSTR_HOLD_NONE,	/* no time: only for steps that start no workers */
		KTSTR_HOLD_FRAC,	/* a fraction of the test's duration */
		KTSTR_HOLD_FIXED,	/* a fixed time */
		KTSTR_HOLD_LOOP,	/* until the end of the duration, repeating the ops */
		KTSTR_HOLD_SETTLE_FRAC, /* the settle time plus a fraction */
	} kind;				/* how the time is given */
	double frac;			/* FRAC, SETTLE_FRAC: fraction of the duration; 1 = all */
	/* FIXED: time to hold; LOOP: interval at which the ops are repeated. */
	uint64_t ms;
};

/* Fraction f, greater than 0, of the test's duration. */
#define KTSTR_FRAC(f)                                \
	{                                            \
		.kind = KTSTR_HOLD_FRAC, .frac = (f) \
	}
/* The whole duration of the test. */
#define KTSTR_HOLD_FULL KTSTR_FRAC(1.0)
/* This number of milliseconds, at least 1. */
#define KTSTR_FIXED_MS(t)                           \
	{                                           \
		.kind = KTSTR_HOLD_FIXED, .ms = (t) \
	}
/* Until the end of the duration, repeating the operations of the step every t milliseconds. */
#define KTSTR_LOOP_MS(t)                           \
	{                                          \
		.kind = KTSTR_HOLD_LOOP, .ms = (t) \
	}
/* The settle time plus fraction f of the duration. */
#define KTSTR_SETTLE_FRAC(f)                                \
	{                                                   \
		.kind = KTSTR_HOLD_SETTLE_FRAC, .frac = (f) \
	}

/* A step: operations, then cgroups, then a time to hold. Its cgroups and workers end with it. */
struct ktstr_step {
	const char *name;		 /* name of its phase in reports; NULL = its number */
	const struct ktstr_op *ops;	 /* KTSTR_OPS(), or NULL */
	const struct ktstr_cgroup *defs; /* KTSTR_CGROUPS(), or NULL */
	struct ktstr_hold hold;		 /* required if the step starts workers */
	bool allow_backdrop;		 /* it may remove or stop cgroups of the backdrop */
	bool is_end_;
};

/* A list of steps. */
#define KTSTR_STEPS(...) ((const struct ktstr_step[]){ __VA_ARGS__, { .is_end_ = true } })

/*
 * Cgroups, operations and payloads that are set up before the first step and exist during all
 * steps.
 */
struct ktstr_backdrop {
	const struct ktstr_cgroup *defs; /* KTSTR_CGROUPS(), or NULL */
	const struct ktstr_op *ops;	 /* KTSTR_OPS(), or NULL; run after defs */
	/* Programs outside the cgroups; NULL ends the list. */
	const struct ktstr_payload *const *payloads;
};

/* A scenario for ktstr_run_scenario(). */
struct ktstr_scenario_run {
	struct ktstr_backdrop backdrop; /* exists during all steps */
	const struct ktstr_step *steps; /* KTSTR_STEPS() */
};

#ifdef __cplusplus
}
#endif

#endif

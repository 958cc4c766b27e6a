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

/* A cgroup and the workers in it. Numbers that are 0 and texts that are NULL are not set. */
struct ktstr_cgroup {
	const char *name;	    /* "a", or "a/b" below it; NULL ends a list */
	struct ktstr_cpuset cpuset; /* its CPUs; left out = all */
	/* KTSTR_WORKS(): several kinds of workers, instead of the members up to nice. */
	const struct ktstr_work *works;
	uint32_t workers; /* how many; 0 = .workers_per_cgroup of the test */
	/* Percent of the number of its CPUs, rounded up; instead of workers. */
	double workers_pct;
	struct ktstr_work_type work_type;     /* what they do; left out = CpuSpin */
	struct ktstr_policy sched_policy;     /* left out = SCHED_OTHER */
	struct ktstr_affinity affinity;	      /* CPUs that they are pinned to */
	struct ktstr_mem_policy mem_policy;   /* nodes of their memory */
	int mpol_flags;			      /* KTSTR_MPOL_* or 0 */
	int nice;			      /* -20 to 19 */
	bool swappable;			      /* the run's --work-type may replace work_type */
	const struct ktstr_payload *payload;  /* a program that runs in it, too */
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
 * bits of a step's event in records: new ones come last.
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
	KTSTR_OP_END, /* ends a list */
};

/* An operation of a step; made by the macros below. */
struct ktstr_op {
	enum ktstr_op_kind kind;	     /* which operation */
	const char *cgroup;		     /* name of the cgroup that it is about */
	const char *other;		     /* second cgroup */
	struct ktstr_cpuset cpuset;	     /* KTSTR_SET_CPUSET() */
	struct ktstr_affinity affinity;	     /* KTSTR_SET_AFFINITY() */
	struct ktstr_work work;		     /* KTSTR_SPAWN(), KTSTR_SPAWN_HOST() */
	const struct ktstr_cgroup *def;	     /* KTSTR_ADD_CGROUP_DEF() */
	const struct ktstr_payload *payload; /* KTSTR_RUN_PAYLOAD() */
	const char *name;		     /* name of a payload or snapshot */
	const char *const *args;	     /* more arguments of a payload */
	const char *text;		     /* value of cpu.max */
	int64_t value[2];		     /* weight; uclamp min, max; CPU number */
};

#define KTSTR_OP_(k, ...)                         \
	{                                         \
		.kind = KTSTR_OP_##k, __VA_ARGS__ \
	}
/* Makes an empty cgroup. */
#define KTSTR_ADD_CGROUP(cg) KTSTR_OP_(ADD_CGROUP, .cgroup = (cg))
/* Stops the workers of a cgroup and removes it. */
#define KTSTR_REMOVE_CGROUP(cg) KTSTR_OP_(REMOVE_CGROUP, .cgroup = (cg))
/* Sets the CPUs of a cgroup: KTSTR_SET_CPUSET("cg", KTSTR_LLC(0)). */
#define KTSTR_SET_CPUSET(cg, ...) KTSTR_OP_(SET_CPUSET, .cgroup = (cg), .cpuset = __VA_ARGS__)
/* Gives a cgroup the CPUs of the one above. */
#define KTSTR_CLEAR_CPUSET(cg) KTSTR_OP_(CLEAR_CPUSET, .cgroup = (cg))
/* Gives each of two cgroups the CPUs of the other. */
#define KTSTR_SWAP_CPUSETS(a, b) KTSTR_OP_(SWAP_CPUSETS, .cgroup = (a), .other = (b))
/* Starts workers in a cgroup: KTSTR_SPAWN("cg", .workers = 4, .work_type = KTSTR_MIXED). */
#define KTSTR_SPAWN(cg, ...) KTSTR_OP_(SPAWN, .cgroup = (cg), .work = { __VA_ARGS__ })
/* Stops the workers and payloads of a cgroup and of those below it. */
#define KTSTR_STOP_CGROUP(cg) KTSTR_OP_(STOP_CGROUP, .cgroup = (cg))
/* Pins the workers of a cgroup: KTSTR_SET_AFFINITY("cg", KTSTR_PIN_SINGLE_CPU). */
#define KTSTR_SET_AFFINITY(cg, ...) KTSTR_OP_(SET_AFFINITY, .cgroup = (cg), .affinity = __VA_ARGS__)
/* Starts workers outside of the cgroups of the test. */
#define KTSTR_SPAWN_HOST(...) KTSTR_OP_(SPAWN_HOST, .work = { __VA_ARGS__ })
/* Moves all tasks of a cgroup to another. */
#define KTSTR_MOVE_ALL_TASKS(from, to) KTSTR_OP_(MOVE_ALL_TASKS, .cgroup = (from), .other = (to))
/* Starts payload p in a cgroup (NULL = none), with more arguments. */
#define KTSTR_RUN_PAYLOAD(p, cg, ...) \
	KTSTR_OP_(RUN_PAYLOAD, .payload = (p), .cgroup = (cg), .args = KTSTR_ARGS(__VA_ARGS__))
/* Waits for the end of the payload of that name; cgroup NULL = wherever it runs. */
#define KTSTR_WAIT_PAYLOAD(n, cg) KTSTR_OP_(WAIT_PAYLOAD, .name = (n), .cgroup = (cg))
/* Kills the payload of that name; cgroup NULL = wherever it runs. */
#define KTSTR_KILL_PAYLOAD(n, cg) KTSTR_OP_(KILL_PAYLOAD, .name = (n), .cgroup = (cg))
/* Makes a cgroup with its workers: KTSTR_ADD_CGROUP_DEF({ .name = "cg", .workers = 4 }). */
#define KTSTR_ADD_CGROUP_DEF(...) KTSTR_OP_(ADD_CGROUP_DEF, .def = KTSTR_CGROUPS(__VA_ARGS__))
/* Adds the process ids of a cgroup to the result, as a note. */
#define KTSTR_CAPTURE_CGROUP_PROCS(cg) KTSTR_OP_(CAPTURE_CGROUP_PROCS, .cgroup = (cg))
/* Of the guest, seen from the host: see <ktstr/snapshot.h>. */
#define KTSTR_CAPTURE_SNAPSHOT(n) KTSTR_OP_(CAPTURE_SNAPSHOT, .name = (n))
/* Freezes a cgroup of the scenario. */
#define KTSTR_FREEZE(cg) KTSTR_OP_(FREEZE_CGROUP, .cgroup = (cg))
/* Lets a frozen cgroup go on. */
#define KTSTR_UNFREEZE(cg) KTSTR_OP_(UNFREEZE_CGROUP, .cgroup = (cg))
/* Sets cpu.max: "50000 100000", or "max". */
#define KTSTR_SET_CPU_MAX(cg, t) KTSTR_OP_(SET_CPU_MAX, .cgroup = (cg), .text = (t))
/* Sets cpu.weight, 1 to 10000. */
#define KTSTR_SET_CPU_WEIGHT(cg, w) KTSTR_OP_(SET_CPU_WEIGHT, .cgroup = (cg), .value = { (w) })
/* Sets cpu.uclamp.min and cpu.uclamp.max, in percent. */
#define KTSTR_SET_UCLAMP(cg, lo, hi) KTSTR_OP_(SET_UCLAMP, .cgroup = (cg), .value = { (lo), (hi) })
/* Takes a CPU offline. It comes back at the end of the scenario. */
#define KTSTR_CPU_OFFLINE(cpu) KTSTR_OP_(CPU_OFFLINE, .value = { (cpu) })
/* Brings a CPU back. */
#define KTSTR_CPU_ONLINE(cpu) KTSTR_OP_(CPU_ONLINE, .value = { (cpu) })
/* Gives all tasks of a cgroup one new core-scheduling cookie. */
#define KTSTR_CORE_COOKIE(cg) KTSTR_OP_(CORE_COOKIE, .cgroup = (cg))
/* Starts the scheduler of the test after it was detached. */
#define KTSTR_ATTACH_SCHEDULER KTSTR_OP_(ATTACH_SCHEDULER, .cgroup = NULL)
/* Ends the scheduler and waits until the kernel's own is back. */
#define KTSTR_DETACH_SCHEDULER KTSTR_OP_(DETACH_SCHEDULER, .cgroup = NULL)
/* Detaches the scheduler and attaches it again. */
#define KTSTR_RESTART_SCHEDULER KTSTR_OP_(RESTART_SCHEDULER, .cgroup = NULL)
/* The value of .ops: a list of operations. */
#define KTSTR_OPS(...) ((const struct ktstr_op[]){ __VA_ARGS__, { .kind = KTSTR_OP_END } })

/* How long a step lasts. */
struct ktstr_hold {
	enum {
		KTSTR_HOLD_NONE,	/* not at all: only of steps that start no workers */
		KTSTR_HOLD_FRAC,	/* a fraction of the test's duration */
		KTSTR_HOLD_FIXED,	/* a fixed time */
		KTSTR_HOLD_LOOP,	/* to the end of the duration, ops again and again */
		KTSTR_HOLD_SETTLE_FRAC, /* the settle time and a fraction */
	} kind;				/* by what it is measured */
	double frac;			/* FRAC, SETTLE_FRAC: part of the duration; 1 = all */
	/* FIXED: how long; LOOP: between two rounds of the step's ops. */
	uint64_t ms;
};

/* Fraction f, above 0, of the test's duration. */
#define KTSTR_FRAC(f)                                \
	{                                            \
		.kind = KTSTR_HOLD_FRAC, .frac = (f) \
	}
/* The whole duration of the test. */
#define KTSTR_HOLD_FULL KTSTR_FRAC(1.0)
/* So many milliseconds, at least 1. */
#define KTSTR_FIXED_MS(t)                           \
	{                                           \
		.kind = KTSTR_HOLD_FIXED, .ms = (t) \
	}
/* To the end of the duration, with the operations of the step every t milliseconds. */
#define KTSTR_LOOP_MS(t)                           \
	{                                          \
		.kind = KTSTR_HOLD_LOOP, .ms = (t) \
	}
/* The settle time and fraction f of the duration. */
#define KTSTR_SETTLE_FRAC(f)                                \
	{                                                   \
		.kind = KTSTR_HOLD_SETTLE_FRAC, .frac = (f) \
	}

/* A step: operations, then cgroups, then a time to hold. Its cgroups and workers end with it. */
struct ktstr_step {
	const char *name;		 /* of its phase in reports; NULL = its number */
	const struct ktstr_op *ops;	 /* KTSTR_OPS(), or NULL */
	const struct ktstr_cgroup *defs; /* KTSTR_CGROUPS(), or NULL */
	struct ktstr_hold hold;		 /* needed where the step starts workers */
	bool allow_backdrop;		 /* it may remove or stop cgroups of the backdrop */
	bool is_end_;
};

/* A list of steps. */
#define KTSTR_STEPS(...) ((const struct ktstr_step[]){ __VA_ARGS__, { .is_end_ = true } })

/* What is set up before the first step and lives across all of them. */
struct ktstr_backdrop {
	const struct ktstr_cgroup *defs; /* KTSTR_CGROUPS(), or NULL */
	const struct ktstr_op *ops;	 /* KTSTR_OPS(), or NULL; after defs */
	/* Programs outside of the cgroups; NULL ends them. */
	const struct ktstr_payload *const *payloads;
};

/* A scenario for ktstr_run_scenario(). */
struct ktstr_scenario_run {
	struct ktstr_backdrop backdrop; /* what lives across the steps */
	const struct ktstr_step *steps; /* KTSTR_STEPS() */
};

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroups, operations and steps of a scenario. Include <ktstr/ktstr.h>, not this header. */
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

/*
 * A cgroup and its workers. A limit of the cgroup that is 0 or NULL is not set. A cgroup always has
 * workers; use KTSTR_ADD_CGROUP() to create an empty one.
 */
struct ktstr_cgroup {
	const char *name;	    /* name "a", or "a/b" for a child of "a"; NULL ends a list */
	struct ktstr_cpuset cpuset; /* CPUs; default: those of the parent cgroup */
	/*
	 * KTSTR_WORKS(): several kinds of workers, instead of the members from workers to nice, of
	 * which workers and workers_pct must be 0; NULL = one kind, as given by these members.
	 */
	const struct ktstr_work *works;
	uint32_t workers; /* number of workers; 0 = .workers_per_cgroup of the test */
	/*
	 * Number of workers in percent of the number of CPUs of the cgroup, rounded up, instead of
	 * workers, which must be 0; 0 = not used.
	 */
	double workers_pct;
	struct ktstr_work_type work_type;     /* what workers do; default: KTSTR_CPU_SPIN */
	struct ktstr_policy sched_policy;     /* default: SCHED_OTHER */
	struct ktstr_affinity affinity;	      /* pins workers to CPUs; default: not pinned */
	struct ktstr_mem_policy mem_policy;   /* memory policy of workers; default: none set */
	int mpol_flags;			      /* KTSTR_MPOL_* flags of mem_policy; 0 = none */
	int nice;			      /* nice value of workers, -20 to 19 */
	bool swappable;			      /* --work-type of the run replaces work_type */
	const struct ktstr_payload *payload;  /* a program to run in the cgroup; NULL = none */
	const char *cpuset_mems;	      /* cpuset.mems, such as "0-1" */
	const char *cpu_max;		      /* cpu.max, such as "50000 100000" */
	uint32_t cpu_weight;		      /* cpu.weight, 1 to 10000 */
	const char *memory_max, *memory_high; /* memory.max and memory.high, such as "64M" */
	uint32_t pids_max;		      /* pids.max */
	/* cpu.uclamp.min and cpu.uclamp.max in percent. */
	uint32_t uclamp_min, uclamp_max;
};

/* A list of struct ktstr_cgroup. */
#define KTSTR_CGROUPS(...) ((const struct ktstr_cgroup[]){ __VA_ARGS__, { .name = NULL } })

/*
 * The operations. Tests use the macros below, which set up a struct ktstr_op. The numbers are bits
 * of a step's event in records; new operations are added at the end.
 * @KTSTR_OP_*: the operation of the macro with this name without OP_.
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

/*
 * An operation of a step. The macros below create it. An operation that fails ends the scenario and
 * fails the test.
 */
struct ktstr_op {
	enum ktstr_op_kind kind;	     /* which operation */
	const char *cgroup;		     /* name of the cgroup, which has to exist */
	const char *other;		     /* name of the second cgroup, if there are two */
	struct ktstr_cpuset cpuset;	     /* KTSTR_SET_CPUSET() */
	struct ktstr_affinity affinity;	     /* KTSTR_SET_AFFINITY() */
	struct ktstr_policy policy;	     /* KTSTR_SET_POLICY() */
	struct ktstr_work work;		     /* KTSTR_SPAWN(), KTSTR_SPAWN_HOST() */
	const struct ktstr_cgroup *def;	     /* KTSTR_ADD_CGROUP_DEF() */
	const struct ktstr_payload *payload; /* KTSTR_RUN_PAYLOAD() */
	const char *name;		     /* name of a payload or snapshot */
	const char *const *args;	     /* KTSTR_RUN_PAYLOAD(): additional arguments */
	const char *text;		     /* KTSTR_SET_CPU_MAX(): value of cpu.max */
	int64_t value[2];		     /* weight; uclamp min and max; number of a CPU */
};

#define KTSTR_OP_(k, ...)                         \
	{                                         \
		.kind = KTSTR_OP_##k, __VA_ARGS__ \
	}
/* Creates an empty cgroup. It must not exist. */
#define KTSTR_ADD_CGROUP(cg) KTSTR_OP_(ADD_CGROUP, .cgroup = (cg))
/*
 * Stops the workers and payloads of a cgroup and of its descendants, and removes these cgroups.
 * Cgroups of the backdrop need .allow_backdrop.
 */
#define KTSTR_REMOVE_CGROUP(cg) KTSTR_OP_(REMOVE_CGROUP, .cgroup = (cg))
/* Sets the CPUs of a cgroup: KTSTR_SET_CPUSET("cg", KTSTR_LLC(0)). */
#define KTSTR_SET_CPUSET(cg, ...) KTSTR_OP_(SET_CPUSET, .cgroup = (cg), .cpuset = __VA_ARGS__)
/* Clears the cpuset of a cgroup, so that its CPUs are those of the parent cgroup. */
#define KTSTR_CLEAR_CPUSET(cg) KTSTR_OP_(CLEAR_CPUSET, .cgroup = (cg))
/* Gives each of two cgroups the cpuset of the other, unless that is empty. */
#define KTSTR_SWAP_CPUSETS(a, b) KTSTR_OP_(SWAP_CPUSETS, .cgroup = (a), .other = (b))
/* Starts workers in a cgroup, as a struct ktstr_work: KTSTR_SPAWN("cg", .workers = 4). */
#define KTSTR_SPAWN(cg, ...) KTSTR_OP_(SPAWN, .cgroup = (cg), .work = { __VA_ARGS__ })
/*
 * Stops the workers and payloads of a cgroup and of its descendants, and keeps the cgroups. Cgroups
 * of the backdrop need .allow_backdrop.
 */
#define KTSTR_STOP_CGROUP(cg) KTSTR_OP_(STOP_CGROUP, .cgroup = (cg))
/* Pins the workers of a cgroup: KTSTR_SET_AFFINITY("cg", KTSTR_PIN_SINGLE_CPU). */
#define KTSTR_SET_AFFINITY(cg, ...) KTSTR_OP_(SET_AFFINITY, .cgroup = (cg), .affinity = __VA_ARGS__)
/* Starts workers outside the cgroups of the test, as a struct ktstr_work. */
#define KTSTR_SPAWN_HOST(...) KTSTR_OP_(SPAWN_HOST, .work = { __VA_ARGS__ })
/*
 * Moves all tasks of a cgroup to another one. A step cannot move tasks of the backdrop to a cgroup
 * of its own.
 */
#define KTSTR_MOVE_ALL_TASKS(from, to) KTSTR_OP_(MOVE_ALL_TASKS, .cgroup = (from), .other = (to))
/*
 * Starts payload p in a cgroup, with additional arguments; cg NULL = outside the cgroups of the
 * test. The checks of payloads that a scenario runs are recorded and do not fail the test.
 */
#define KTSTR_RUN_PAYLOAD(p, cg, ...) \
	KTSTR_OP_(RUN_PAYLOAD, .payload = (p), .cgroup = (cg), .args = KTSTR_ARGS(__VA_ARGS__))
/* Waits, without a timeout, until the payload named n exits; cg NULL = in any cgroup. */
#define KTSTR_WAIT_PAYLOAD(n, cg) KTSTR_OP_(WAIT_PAYLOAD, .name = (n), .cgroup = (cg))
/* Kills the payload named n; cg NULL = in any cgroup. */
#define KTSTR_KILL_PAYLOAD(n, cg) KTSTR_OP_(KILL_PAYLOAD, .name = (n), .cgroup = (cg))
/* Creates a cgroup with workers: KTSTR_ADD_CGROUP_DEF({ .name = "cg", .workers = 4 }). */
#define KTSTR_ADD_CGROUP_DEF(...) KTSTR_OP_(ADD_CGROUP_DEF, .def = KTSTR_CGROUPS(__VA_ARGS__))
/* Adds a note with the process ids of a cgroup to the result. */
#define KTSTR_CAPTURE_CGROUP_PROCS(cg) KTSTR_OP_(CAPTURE_CGROUP_PROCS, .cgroup = (cg))
/* Takes a snapshot named n, see ktstr_capture_snapshot(). */
#define KTSTR_CAPTURE_SNAPSHOT(n) KTSTR_OP_(CAPTURE_SNAPSHOT, .name = (n))
/* Freezes a cgroup that the scenario created. The progress of its workers is not checked. */
#define KTSTR_FREEZE(cg) KTSTR_OP_(FREEZE_CGROUP, .cgroup = (cg))
/* Unfreezes a cgroup. */
#define KTSTR_UNFREEZE(cg) KTSTR_OP_(UNFREEZE_CGROUP, .cgroup = (cg))
/* Sends SIGSTOP to the workers of a cgroup. Their progress is not checked. */
#define KTSTR_SIGSTOP(cg) KTSTR_OP_(SIGSTOP_CGROUP, .cgroup = (cg))
/* Sends SIGCONT to the workers of a cgroup. */
#define KTSTR_SIGCONT(cg) KTSTR_OP_(SIGCONT_CGROUP, .cgroup = (cg))
/* Sets the scheduling policy of the workers of a cgroup: KTSTR_SET_POLICY("cg", KTSTR_EXT). */
#define KTSTR_SET_POLICY(cg, ...) KTSTR_OP_(SET_POLICY, .cgroup = (cg), .policy = __VA_ARGS__)
/* Sets the nice value, -20 to 19, of the workers of a cgroup. */
#define KTSTR_SET_NICE(cg, n) KTSTR_OP_(SET_NICE, .cgroup = (cg), .work = { .nice = (n) })
/* Sets cpu.max of a cgroup, to a text such as "50000 100000" or "max". */
#define KTSTR_SET_CPU_MAX(cg, t) KTSTR_OP_(SET_CPU_MAX, .cgroup = (cg), .text = (t))
/* Sets cpu.weight of a cgroup, 1 to 10000. */
#define KTSTR_SET_CPU_WEIGHT(cg, w) KTSTR_OP_(SET_CPU_WEIGHT, .cgroup = (cg), .value = { (w) })
/* Sets cpu.uclamp.min and cpu.uclamp.max of a cgroup, in percent; hi 0 = cpu.uclamp.min only. */
#define KTSTR_SET_UCLAMP(cg, lo, hi) KTSTR_OP_(SET_UCLAMP, .cgroup = (cg), .value = { (lo), (hi) })
/* Takes a CPU offline. The scenario brings it back online at its end. */
#define KTSTR_CPU_OFFLINE(cpu) KTSTR_OP_(CPU_OFFLINE, .value = { (cpu) })
/* Brings a CPU back online. */
#define KTSTR_CPU_ONLINE(cpu) KTSTR_OP_(CPU_ONLINE, .value = { (cpu) })
/*
 * Assigns one new core-scheduling cookie to all tasks of a cgroup. The scenario is skipped if the
 * kernel has no core scheduling or the machine has no SMT.
 */
#define KTSTR_CORE_COOKIE(cg) KTSTR_OP_(CORE_COOKIE, .cgroup = (cg))
/* Starts the scheduler of the test after it was detached, and waits until it is attached. */
#define KTSTR_ATTACH_SCHEDULER KTSTR_OP_(ATTACH_SCHEDULER, .cgroup = NULL)
/* Stops the scheduler with SIGINT and waits until EEVDF is active again. */
#define KTSTR_DETACH_SCHEDULER KTSTR_OP_(DETACH_SCHEDULER, .cgroup = NULL)
/* Detaches the scheduler and attaches it again. */
#define KTSTR_RESTART_SCHEDULER KTSTR_OP_(RESTART_SCHEDULER, .cgroup = NULL)
/* The value of .ops: a list of operations. */
#define KTSTR_OPS(...) ((const struct ktstr_op[]){ __VA_ARGS__, { .kind = KTSTR_OP_END } })

/* How long a step lasts. */
struct ktstr_hold {
	enum {
		KTSTR_HOLD_NONE,	/* no time; invalid for steps that start workers */
		KTSTR_HOLD_FRAC,	/* a fraction of the test's duration */
		KTSTR_HOLD_FIXED,	/* a fixed time */
		KTSTR_HOLD_LOOP,	/* until the duration is over, repeating the operations */
		KTSTR_HOLD_SETTLE_FRAC, /* the settle time plus a fraction of the duration */
	} kind;				/* how the time is given */
	double frac;			/* FRAC, SETTLE_FRAC: fraction of the duration; 1 = all */
	/* FIXED: time in ms; LOOP: interval in ms at which the operations are repeated. */
	uint64_t ms;
};

/* The step lasts for the fraction f, greater than 0, of the test's duration. */
#define KTSTR_FRAC(f)                                \
	{                                            \
		.kind = KTSTR_HOLD_FRAC, .frac = (f) \
	}
/* The step lasts for the duration of the test. */
#define KTSTR_HOLD_FULL KTSTR_FRAC(1.0)
/* The step lasts for t milliseconds, at least 1. */
#define KTSTR_FIXED_MS(t)                           \
	{                                           \
		.kind = KTSTR_HOLD_FIXED, .ms = (t) \
	}
/*
 * The step creates its cgroups, runs its operations, and repeats the operations every t
 * milliseconds, at least 1, until the scenario has lasted for the duration of the test.
 */
#define KTSTR_LOOP_MS(t)                           \
	{                                          \
		.kind = KTSTR_HOLD_LOOP, .ms = (t) \
	}
/* The step lasts for the settle time plus the fraction f, at least 0, of the test's duration. */
#define KTSTR_SETTLE_FRAC(f)                                \
	{                                                   \
		.kind = KTSTR_HOLD_SETTLE_FRAC, .frac = (f) \
	}

/*
 * A step: it runs its operations, creates its cgroups with their workers, and waits for a time. At
 * its end it stops the workers and payloads that it started, checks the workers, and removes the
 * cgroups that it created. Each step is a phase in reports.
 */
struct ktstr_step {
	const char *name;		 /* name of the phase; NULL = number of the step */
	const struct ktstr_op *ops;	 /* KTSTR_OPS(): operations; NULL = none */
	const struct ktstr_cgroup *defs; /* KTSTR_CGROUPS(): cgroups; NULL = none */
	struct ktstr_hold hold;		 /* required if the step starts workers */
	bool allow_backdrop;		 /* operations may stop and remove backdrop cgroups */
	bool is_end_;
};

/* A list of struct ktstr_step. */
#define KTSTR_STEPS(...) ((const struct ktstr_step[]){ __VA_ARGS__, { .is_end_ = true } })

/*
 * The cgroups, workers and payloads that a scenario sets up before its first step and keeps until
 * its last step has ended.
 */
struct ktstr_backdrop {
	const struct ktstr_cgroup *defs; /* KTSTR_CGROUPS(): cgroups; NULL = none */
	const struct ktstr_op *ops;	 /* KTSTR_OPS(): operations, run after defs; NULL = none */
	/*
	 * Programs to run outside the cgroups of the test, as an array that ends with NULL; NULL =
	 * none.
	 */
	const struct ktstr_payload *const *payloads;
};

/* A scenario for ktstr_run_scenario(). */
struct ktstr_scenario_run {
	struct ktstr_backdrop backdrop; /* what exists during all steps; default: nothing */
	const struct ktstr_step *steps; /* KTSTR_STEPS(): the steps */
};

#ifdef __cplusplus
}
#endif

#endif

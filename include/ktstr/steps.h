/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroups, operations on them, and the steps of a scenario. Part of <ktstr/ktstr.h>: include that. */
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

/* ---- cgroups, operations, steps ---- */

struct ktstr_cgroup {
	const char *name; /* "a" or "a/b" */
	struct ktstr_cpuset cpuset;
	/* Several kinds of workers, or the short form of one kind below. */
	const struct ktstr_work *works;
	uint32_t workers;
	double workers_pct; /* percent of the number of its CPUs, rounded up; instead of workers */
	struct ktstr_work_type work_type;
	struct ktstr_policy sched_policy;
	struct ktstr_affinity affinity;
	struct ktstr_mem_policy mem_policy;
	int mpol_flags;
	int nice;
	bool swappable; /* the run's --work-type may replace work_type */
	const struct ktstr_payload *payload;
	const char *cpuset_mems;
	const char *cpu_max; /* "50000 100000" */
	uint32_t cpu_weight; /* 1..10000 */
	const char *memory_max, *memory_high;
	uint32_t pids_max;
	uint32_t uclamp_min, uclamp_max; /* percent of the cgroup; both 0 = untouched */
};

#define KTSTR_CGROUPS(...) ((const struct ktstr_cgroup[]){ __VA_ARGS__, { .name = NULL } })

/* The first thirteen are also bits of a step's event, in this order. */
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
	KTSTR_OP_FREEZE_CGROUP,
	KTSTR_OP_UNFREEZE_CGROUP,
	KTSTR_OP_SET_CPU_MAX,
	KTSTR_OP_SET_CPU_WEIGHT,
	KTSTR_OP_SET_UCLAMP,
	KTSTR_OP_CPU_OFFLINE,
	KTSTR_OP_CPU_ONLINE,
	KTSTR_OP_CORE_COOKIE, /* one new cookie for all tasks of a cgroup */
	KTSTR_OP_ATTACH_SCHEDULER,
	KTSTR_OP_DETACH_SCHEDULER,
	KTSTR_OP_RESTART_SCHEDULER,
	KTSTR_OP_CAPTURE_CGROUP_PROCS,
	KTSTR_OP_CAPTURE_SNAPSHOT,
	KTSTR_OP_END,
};

struct ktstr_op {
	enum ktstr_op_kind kind;
	const char *cgroup;
	const char *other; /* second cgroup */
	struct ktstr_cpuset cpuset;
	struct ktstr_affinity affinity;
	struct ktstr_work work;
	const struct ktstr_cgroup *def;
	const struct ktstr_payload *payload;
	const char *name;	 /* of a payload, of a snapshot */
	const char *const *args; /* of a payload */
	const char *text;	 /* cpu.max */
	int64_t value[2];	 /* weight; uclamp min, max; CPU number */
};

#define KTSTR_OP_(k, ...)                         \
	{                                         \
		.kind = KTSTR_OP_##k, __VA_ARGS__ \
	}
#define KTSTR_ADD_CGROUP(cg) KTSTR_OP_(ADD_CGROUP, .cgroup = (cg))
#define KTSTR_REMOVE_CGROUP(cg) KTSTR_OP_(REMOVE_CGROUP, .cgroup = (cg))
#define KTSTR_SET_CPUSET(cg, ...) KTSTR_OP_(SET_CPUSET, .cgroup = (cg), .cpuset = __VA_ARGS__)
#define KTSTR_CLEAR_CPUSET(cg) KTSTR_OP_(CLEAR_CPUSET, .cgroup = (cg))
#define KTSTR_SWAP_CPUSETS(a, b) KTSTR_OP_(SWAP_CPUSETS, .cgroup = (a), .other = (b))
/* KTSTR_SPAWN("cg", .workers = 4, .work_type = KTSTR_MIXED) */
#define KTSTR_SPAWN(cg, ...) KTSTR_OP_(SPAWN, .cgroup = (cg), .work = { __VA_ARGS__ })
#define KTSTR_STOP_CGROUP(cg) KTSTR_OP_(STOP_CGROUP, .cgroup = (cg))
#define KTSTR_SET_AFFINITY(cg, ...) KTSTR_OP_(SET_AFFINITY, .cgroup = (cg), .affinity = __VA_ARGS__)
#define KTSTR_SPAWN_HOST(...) KTSTR_OP_(SPAWN_HOST, .work = { __VA_ARGS__ })
#define KTSTR_MOVE_ALL_TASKS(from, to) KTSTR_OP_(MOVE_ALL_TASKS, .cgroup = (from), .other = (to))
#define KTSTR_RUN_PAYLOAD(p, cg, ...) \
	KTSTR_OP_(RUN_PAYLOAD, .payload = (p), .cgroup = (cg), .args = KTSTR_ARGS(__VA_ARGS__))
#define KTSTR_WAIT_PAYLOAD(n, cg) KTSTR_OP_(WAIT_PAYLOAD, .name = (n), .cgroup = (cg))
#define KTSTR_KILL_PAYLOAD(n, cg) KTSTR_OP_(KILL_PAYLOAD, .name = (n), .cgroup = (cg))
/* KTSTR_ADD_CGROUP_DEF({ .name = "cg", .workers = 4 }): among other operations, in their order. */
#define KTSTR_ADD_CGROUP_DEF(...) KTSTR_OP_(ADD_CGROUP_DEF, .def = KTSTR_CGROUPS(__VA_ARGS__))
/* The tasks of the cgroup as a detail of the result. */
#define KTSTR_CAPTURE_CGROUP_PROCS(cg) KTSTR_OP_(CAPTURE_CGROUP_PROCS, .cgroup = (cg))
/* Of the guest, seen from the host: see <ktstr/snapshot.h>. */
#define KTSTR_CAPTURE_SNAPSHOT(n) KTSTR_OP_(CAPTURE_SNAPSHOT, .name = (n))
#define KTSTR_FREEZE(cg) KTSTR_OP_(FREEZE_CGROUP, .cgroup = (cg))
#define KTSTR_UNFREEZE(cg) KTSTR_OP_(UNFREEZE_CGROUP, .cgroup = (cg))
#define KTSTR_SET_CPU_MAX(cg, t) KTSTR_OP_(SET_CPU_MAX, .cgroup = (cg), .text = (t))
#define KTSTR_SET_CPU_WEIGHT(cg, w) KTSTR_OP_(SET_CPU_WEIGHT, .cgroup = (cg), .value = { (w) })
#define KTSTR_SET_UCLAMP(cg, lo, hi) KTSTR_OP_(SET_UCLAMP, .cgroup = (cg), .value = { (lo), (hi) })
#define KTSTR_CPU_OFFLINE(cpu) KTSTR_OP_(CPU_OFFLINE, .value = { (cpu) })
#define KTSTR_CPU_ONLINE(cpu) KTSTR_OP_(CPU_ONLINE, .value = { (cpu) })
#define KTSTR_CORE_COOKIE(cg) KTSTR_OP_(CORE_COOKIE, .cgroup = (cg))
#define KTSTR_ATTACH_SCHEDULER KTSTR_OP_(ATTACH_SCHEDULER, .cgroup = NULL)
#define KTSTR_DETACH_SCHEDULER KTSTR_OP_(DETACH_SCHEDULER, .cgroup = NULL)
#define KTSTR_RESTART_SCHEDULER KTSTR_OP_(RESTART_SCHEDULER, .cgroup = NULL)
#define KTSTR_OPS(...) ((const struct ktstr_op[]){ __VA_ARGS__, { .kind = KTSTR_OP_END } })

struct ktstr_hold {
	enum {
		KTSTR_HOLD_NONE, /* only allowed in a step that changes nothing but the end state */
		KTSTR_HOLD_FRAC,
		KTSTR_HOLD_FIXED,
		KTSTR_HOLD_LOOP,
		KTSTR_HOLD_SETTLE_FRAC, /* the settle time and a fraction */
	} kind;
	double frac;
	uint64_t ms; /* FIXED: how long; LOOP: between two rounds of the step's ops */
};

#define KTSTR_FRAC(f)                                \
	{                                            \
		.kind = KTSTR_HOLD_FRAC, .frac = (f) \
	}
#define KTSTR_HOLD_FULL KTSTR_FRAC(1.0)
#define KTSTR_FIXED_MS(t)                           \
	{                                           \
		.kind = KTSTR_HOLD_FIXED, .ms = (t) \
	}
#define KTSTR_LOOP_MS(t)                           \
	{                                          \
		.kind = KTSTR_HOLD_LOOP, .ms = (t) \
	}
#define KTSTR_SETTLE_FRAC(f)                                \
	{                                                   \
		.kind = KTSTR_HOLD_SETTLE_FRAC, .frac = (f) \
	}

struct ktstr_step {
	const char *name; /* NULL = its number */
	const struct ktstr_op *ops;
	const struct ktstr_cgroup *defs;
	struct ktstr_hold hold;
	bool allow_backdrop; /* may remove or stop what lives across the steps */
	bool is_end_;
};

#define KTSTR_STEPS(...) ((const struct ktstr_step[]){ __VA_ARGS__, { .is_end_ = true } })

struct ktstr_backdrop {
	const struct ktstr_cgroup *defs;
	const struct ktstr_op *ops;
	const struct ktstr_payload *const *payloads;
};

struct ktstr_scenario_run {
	struct ktstr_backdrop backdrop;
	const struct ktstr_step *steps;
};

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Judges what the scheduler did in a phase from its scheduling events: which tasks waited,
 * which CPUs were idle meanwhile, and how much CPU time each task got. Workers and all
 * other tasks are judged alike, but only for workers it is known what the test asked for.
 */
#ifndef KTSTR_CHECK_PHASE_H
#define KTSTR_CHECK_PHASE_H

#include "check/check.h"
#include "observe/observer.h"

#define NICE_0_PRIO 120 /* static_prio at nice 0 */
#define KNOWN_LEVELS 4	/* nesting depth of cgroups; below it, shares are not judged */

/* A worker, and what the test asked for on its behalf. */
struct known_worker {
	pid_t tid;
	unsigned int index;  /* in its group */
	const char *group;   /* label of the group: "cg_0" */
	const char *cgroup;  /* NULL = that of the test */
	bool is_normal;	     /* of the fair class, not real-time */
	bool is_restless;    /* its work changes priority, policy or CPUs all the time, or yields */
	bool changes_weight; /* its work changes its nice value or policy all the time */
	bool is_limited;     /* has a CPU time quota (cpu.max) */
	/* Of the cgroup "a/b": the weights of "a" and of "a/b"; 0 = the test set none. */
	uint32_t cpu_weights[KNOWN_LEVELS];
};

/* The result of comparing a worker with its rivals. */
struct share_finding {
	bool is_fair;
	/*
	 * Set if the worker was not compared because tasks that are not always busy ran on
	 * the same CPUs. Difference, in percent of a CPU, that running whole tasks on CPUs
	 * makes between workers that stay on their CPU.
	 */
	double luck_pct;
};

struct judged_phase {
	const struct observed *seen;
	const struct known_worker *workers;
	size_t worker_count;
	uint64_t start_ns; /* start of the test; reported times are relative to it */
	/* CPUs that were online during the whole phase. */
	const struct worker_cpus *cpus;
	const struct worker_cpus *returned; /* came online in the phase; NULL = none */
	bool ignores_weights;		    /* declared by the scheduler */
	/* 0 = the scheduler's process is unknown, or was not attached all the time. */
	pid_t scheduler_pid;
	const struct topology *topology; /* NULL = not known */
	struct share_finding *shares;	 /* one per worker; NULL = not wanted */
};

/* Runs all checks of a phase. Nothing is judged if no events were recorded. */
void check_phase(const struct judged_phase *p, const struct ktstr_assert *checks,
		 struct ktstr_result *res);

/* ---- the checks and their helpers ---- */

/* Why a long wait of this task is not the scheduler's fault; NULL = it may be. */
const char *phase_excuse(const struct observe_task *t);
/*
 * The part of a wait in ns that the scheduler is responsible for. While tasks of higher
 * classes (real-time and above) have all CPUs that a task may use, no scheduler can run it.
 * While they have the CPU on which it waits but not all others, the scheduler has to move
 * it: of that time, up to time_to_move_ns does not count either.
 */
uint64_t phase_own_wait_ns(const struct observe_wait *w, uint64_t time_to_move_ns);

/* by_share: judge only waits that a wrong share may explain, else only all others. */
void check_waits(const struct judged_phase *p, const struct ktstr_assert *checks, bool by_share,
		 struct ktstr_result *res);
/* Returns true if it found a failure. */
bool check_idle(const struct judged_phase *p, const struct ktstr_assert *checks,
		struct ktstr_result *res);
void check_idle_waits(const struct judged_phase *p, const struct ktstr_assert *checks,
		      struct ktstr_result *res);
void check_shares(const struct judged_phase *p, const struct ktstr_assert *checks,
		  struct ktstr_result *res);
void check_pinned(const struct judged_phase *p, const struct ktstr_assert *checks,
		  struct ktstr_result *res);
void check_sleepers(const struct judged_phase *p, const struct ktstr_assert *checks,
		    struct ktstr_result *res);
void check_wakeups(const struct judged_phase *p, const struct ktstr_assert *checks,
		   struct ktstr_result *res);
void check_turns(const struct judged_phase *p, const struct ktstr_assert *checks,
		 struct ktstr_result *res);
void check_migration_rate(const struct judged_phase *p, const struct ktstr_assert *checks,
			  struct ktstr_result *res);
void check_switches(const struct judged_phase *p, const struct ktstr_assert *checks,
		    struct ktstr_result *res);
void check_scheduler_time(const struct judged_phase *p, const struct ktstr_assert *checks,
			  struct ktstr_result *res);

const struct known_worker *phase_worker(const struct judged_phase *p, uint32_t tid);
/* True if w is the first worker with the label of its group. */
bool phase_is_first_of_group(const struct judged_phase *p, const struct known_worker *w);
/*
 * "cg_0/2 (tid 171)" for a worker, "cg_0/2 (thread 180)" for another thread of its process,
 * or "kworker/1:0 (pid 44)" for any other task.
 */
void phase_add_name(const struct judged_phase *p, const struct observe_task *t, struct str *out);
/* Converts a timestamp to ms since the start of the test. */
unsigned long long phase_at_ms(const struct judged_phase *p, uint64_t ns);
/* True if the task is allowed to run on the CPU. */
bool phase_may_run(const struct judged_phase *p, const struct observe_task *t, unsigned int cpu);
/* The kernel's weight of the task: 1024 at nice 0. */
double phase_weight(const struct observe_task *t);
/* True if both have the same nice value, and both are SCHED_IDLE or neither is. */
bool phase_weigh_alike(const struct observe_task *a, const struct observe_task *b);
/* Part of the phase, 0 to 1, in which the task was running or runnable. */
double phase_demand(const struct judged_phase *p, const struct observe_task *t);
unsigned int phase_cpu_count(const struct judged_phase *p);

#endif

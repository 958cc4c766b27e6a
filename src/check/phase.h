/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Judges what the scheduler did in a phase, by its events: who waited, which CPUs idled
 * meanwhile, who got how much. Workers and everybody else are seen with the same eyes;
 * for workers it is known what the test asked for.
 */
#ifndef KTSTR_CHECK_PHASE_H
#define KTSTR_CHECK_PHASE_H

#include "check/check.h"
#include "observe/observer.h"

#define NICE_0_PRIO 120 /* static_prio at nice 0 */
#define KNOWN_LEVELS 4	/* of cgroups in one another; below that shares are not judged */

/* A worker, and what the test asked for on its behalf. */
struct known_worker {
	pid_t tid;
	unsigned int index;  /* in its group */
	const char *group;   /* label of the group: "cg_0" */
	const char *cgroup;  /* or NULL: where the test is */
	bool is_normal;	     /* of the fair class: not real-time */
	bool is_restless;    /* its work changes where or how it runs all the time */
	bool changes_weight; /* its work changes its nice value or policy all the time */
	bool is_limited;     /* has a quota of CPU time */
	/* Of the cgroup "a/b" those of "a" and "a/b"; 0 = nothing was asked for. */
	uint32_t cpu_weights[KNOWN_LEVELS];
};

/* What comparing a worker with others has shown. */
struct share_finding {
	bool is_fair;
	/*
	 * It was not compared, because tasks that are not always busy took the same CPUs. Whole tasks
	 * on CPUs make so much of a difference, in percent of a CPU, between workers that stay where
	 * they are.
	 */
	double luck_pct;
};

struct judged_phase {
	const struct observed *seen;
	const struct known_worker *workers;
	size_t worker_count;
	uint64_t start_ns; /* of the test: times are told since then */
	/* CPUs that were online all the time. */
	const struct worker_cpus *cpus;
	const struct worker_cpus *returned; /* that came back: seen from then on; NULL = none */
	bool ignores_weights;		    /* the scheduler says so */
	/* 0 = it is nobody's process that is known, or was not attached all the time. */
	pid_t scheduler_pid;
	const struct topology *topology; /* NULL = not known */
	struct share_finding *shares;	 /* of each worker; NULL = nobody asks */
};

/* All checks of a phase. Nothing is judged where nothing was recorded. */
void check_phase(const struct judged_phase *p, const struct ktstr_assert *checks,
		 struct ktstr_result *res);

/* ---- the checks, and what they share ---- */

/* Why it is not the scheduler's doing that a task waited long; NULL = it may be. */
const char *phase_excuse(const struct observe_task *t);
/*
 * The part of a wait that the scheduler has to answer for. While tasks of higher classes (real-time and above)
 * have all CPUs that a task may use, no scheduler can run it. While they have the CPU on which it waits and
 * leave others, the scheduler has to move it: of that time up to time_to_move_ns does not count, either.
 */
uint64_t phase_own_wait_ns(const struct observe_wait *w, uint64_t time_to_move_ns);

/* by_share: those that a wrong share explains, if there is one; or all others. */
void check_waits(const struct judged_phase *p, const struct ktstr_assert *checks, bool by_share,
		 struct ktstr_result *res);
/* Whether there is something wrong. */
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
/* Of those with its group's label. */
bool phase_is_first_of_group(const struct judged_phase *p, const struct known_worker *w);
/* "cg_0/2 (tid 171)", "cg_0/2 (thread 180)" of the same process, or "kworker/1:0 (pid 44)" for others. */
void phase_add_name(const struct judged_phase *p, const struct observe_task *t, struct str *out);
/* Milliseconds from the start of the test until then. */
unsigned long long phase_at_ms(const struct judged_phase *p, uint64_t ns);
/* Whether the task may run there. */
bool phase_may_run(const struct judged_phase *p, const struct observe_task *t, unsigned int cpu);
/* The kernel's weight of a task: 1024 at nice 0. */
double phase_weight(const struct observe_task *t);
/* Of the same nice value, and both of SCHED_IDLE or neither. */
bool phase_weigh_alike(const struct observe_task *a, const struct observe_task *b);
/* Of the phase that the task ran or wanted to: 0 to 1. */
double phase_demand(const struct judged_phase *p, const struct observe_task *t);
unsigned int phase_cpu_count(const struct judged_phase *p);

#endif

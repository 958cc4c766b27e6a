/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A running scenario: its live cgroups, workers and payloads, and their owner. What a step
 * creates ends with the step; what the backdrop creates lives until the end. Everything is
 * judged into a separate result, whose phases are the steps, and merged into the test's
 * result at the end.
 */
#ifndef KTSTR_SCENARIO_RUN_H
#define KTSTR_SCENARIO_RUN_H

#include "check/check.h"
#include "scenario/ctx.h"
#include "work/report.h"
#include "work/workers.h"

struct live_cgroup {
	char *name;
	bool is_backdrop;
	bool is_implicit; /* created as parent of a requested one */
	bool is_frozen;
	bool has_cpuset;
	bool has_quota;	     /* of CPU time (cpu.max) */
	uint32_t cpu_weight; /* 0 = not set by the test */
	struct worker_cpus cpuset;
};

struct live_workers {
	struct workers *group;
	char *cgroup; /* NULL = that of the test itself */
	char *label;  /* in statistics */
	unsigned int count;
	bool is_backdrop;
	/* The effective cpuset when they started, and whether it has changed since. */
	bool has_cpuset, cpuset_changed;
	struct worker_cpus cpuset;
	bool is_pinned_apart; /* their affinities differed at some time */
	bool was_frozen;      /* frozen or stopped by a signal at some time */
	bool is_stopped;      /* by SIGSTOP */
	/* Number of phases in which all had fair shares, and whether there was a phase without. */
	unsigned int fair_phases;
	bool is_unproven;
	double luck_pct; /* maximum over all phases, see struct share_finding */
};

struct live_payload {
	struct ktstr_payload_run *run;
	const char *name;
	char *cgroup; /* NULL = none */
	bool is_backdrop;
};

struct scenario_run {
	struct ktstr_ctx *ctx;
	const struct ktstr_assert *checks;
	struct ktstr_result result;
	VEC(struct live_cgroup) cgroups; /* in the order of creation */
	VEC(struct live_workers) workers;
	VEC(struct live_payload) payloads;
	bool in_backdrop;    /* owner of what is created now */
	bool allow_backdrop; /* the step may change the backdrop */
	unsigned int phase;
	uint64_t start_ns;
	size_t step_count;
	bool goes_on;		   /* the time of the last step is not over */
	bool was_cut_short;	   /* by an error in a step or in the backdrop */
	size_t offline_before;	   /* number of CPUs that were offline when it began */
	VEC(struct observed) seen; /* by phase */
	struct observed after;	   /* events until after workers failed to stop */
};

/* ---- live.c: the lists ---- */

struct live_cgroup *run_find(struct scenario_run *r, const char *name);
/* Returns -ENOENT with advice if there is no such cgroup. */
int run_require(struct scenario_run *r, const char *name);
/* Creates the cgroup and its parents. Returns -EEXIST if the scenario already has it. */
int run_add_cgroup(struct scenario_run *r, const char *name);
/* The effective cpuset given those of the cgroup and its parents; false = any CPU. */
bool run_effective_cpuset(struct scenario_run *r, const char *name, struct worker_cpus *out);
/* Writes the cpuset, or clears it (NULL), and notes for its workers that it has changed. */
int run_set_cpuset(struct scenario_run *r, const char *name, const struct worker_cpus *cpus);
bool run_is_inside(const char *name, const char *cgroup); /* it, or below it */
/* Notes that the workers of the cgroup are frozen, or were until now. */
void run_note_frozen(struct scenario_run *r, const char *name);
/* Rejects changes by a step to what belongs to the backdrop. */
int run_check_owner(struct scenario_run *r, const char *name, const char *verb);
void run_free_lists(struct scenario_run *r);

/* ---- spawn.c ---- */

/* cgroup NULL = that of the test; is_part: one of several groups of its def. */
int run_spawn(struct scenario_run *r, const char *cgroup, const struct ktstr_work *work,
	      bool is_part);
int run_setup_def(struct scenario_run *r, const struct ktstr_cgroup *def);

/* ---- judge.c: ends of life ---- */

/* Judges a group that has stopped by its reports; the other members of cgroup are set. */
void judge_group(struct judged_cgroup cgroup, const struct workers *group,
		 const struct ktstr_assert *checks, struct ktstr_result *res);

/* Stops and judges workers and payloads in the cgroup and below it. NULL = those of the step. */
void run_stop_inside(struct scenario_run *r, const char *cgroup);
/* Ends everything of the step or of the backdrop, including cgroups. */
void run_teardown(struct scenario_run *r, bool is_backdrop);
/* Removes a cgroup, and drops those below it from the lists. */
int run_remove_cgroup(struct scenario_run *r, const char *name);

/* ---- observe.c: scheduling events; these do nothing if events are not recorded ---- */

/* A phase, and all workers that lived in it. */
struct phase_to_judge {
	const struct observed *seen;
	const struct known_worker *workers;
	size_t worker_count;
	const struct ktstr_assert *checks; /* merged over those of the test */
	bool is_steady;			   /* nothing was changed meanwhile */
	struct share_finding *shares;	   /* see struct judged_phase; or NULL */
	size_t phase; /* index in the result; if there is none, it is not recorded */
};

void observe_begin(struct ktstr_ctx *ctx);
int observe_judge(struct ktstr_ctx *ctx, const struct phase_to_judge *what,
		  struct ktstr_result *res);
/* What the worker's work type implies; without quota and weights. */
struct known_worker observe_worker(const struct ktstr_work *work, pid_t tid, unsigned int index,
				   const char *group, const char *cgroup);
/* Reports missing events: inconclusive for a limit that the test set itself, else a note. */
void observe_add_blindness(const struct ktstr_ctx *ctx, const struct ktstr_assert *checks,
			   struct ktstr_result *res);
void run_observe_begin(struct scenario_run *r);
/* Judges the phase; is_steady: nothing was changed while it was held. */
void run_observe_end(struct scenario_run *r, bool is_steady);
/* Reports a partial scheduler if no task of any phase was SCHED_EXT. */
void run_observe_partial(struct scenario_run *r);
void run_observe_finish(struct scenario_run *r);
void run_mark_workers(struct scenario_run *r, const struct live_workers *w);
void run_mark_all(struct scenario_run *r);

/* ---- by_hand_observe.c: workers that a body starts itself ---- */

struct ktstr_workers {
	struct ktstr_ctx *ctx;
	struct workers *group;
	char *cgroup; /* NULL = that of the test itself */
	unsigned int count;
	bool is_pinned_apart;
};

const char *by_hand_name(const struct ktstr_workers *w);
/* The workers are observed from now on, and a phase begins. */
int by_hand_begin(struct ktstr_workers *w);
/* Ends the phase, if it is open, and judges it. Call before workers are told to stop. */
void by_hand_end(struct ktstr_workers *w, const struct ktstr_assert *checks,
		 struct ktstr_result *res);
/* Removes the workers from the list of started ones. */
void by_hand_forget(struct ktstr_workers *w);

/* ---- payloads.c ---- */

int run_start_payload(struct scenario_run *r, const struct ktstr_payload *payload,
		      const char *cgroup, const char *const *args);
int run_wait_payload(struct scenario_run *r, const char *name, const char *cgroup);
int run_kill_payload(struct scenario_run *r, const char *name, const char *cgroup);
/* Kills those in the cgroup or below it; cgroup NULL: those of that owner. */
void run_kill_payloads(struct scenario_run *r, const char *cgroup, bool is_backdrop);

/* ---- cookie.c ---- */

/* Returns 0, or a negative errno with the reason why core scheduling is not available. */
int core_cookie_check(void);
/* Gives all of them one new cookie. */
int core_cookie_share(const pid_t *pids, size_t count);

/* ---- ops.c ---- */

struct op_info {
	const char *name;
	int (*apply)(struct scenario_run *r, const struct ktstr_op *op);
};

const struct op_info *op_info(enum ktstr_op_kind kind);
int run_op(struct scenario_run *r, const struct ktstr_op *op);

/* cpus.c: operations on sets of CPUs. */

size_t cpus_count(const struct worker_cpus *s);
/* -1 = the set is empty. */
int cpus_first(const struct worker_cpus *s);
/* The next CPU above cpu; -1 = none. */
int cpus_next(const struct worker_cpus *s, int cpu);
/* Intersection; false if it is empty. out may be a or b. */
bool cpus_and(struct worker_cpus *out, const struct worker_cpus *a, const struct worker_cpus *b);
bool cpus_equal(const struct worker_cpus *a, const struct worker_cpus *b);
void cpus_from_list(struct worker_cpus *s, const struct cpulist *list);
/* "0-3,5" */
void cpus_format(const struct worker_cpus *s, struct str *out);

/* cpuset.c: resolves what a test asks for to CPUs and memory nodes of this machine. */

/*
 * Resolves a spec to CPUs. Returns -EINVAL with "cgroup 'NAME': CpusetSpec validation
 * failed: ..." if the machine does not have them. Not for KTSTR_CPUSET_NONE.
 */
int cpuset_resolve(const struct ktstr_ctx *ctx, const char *cgroup, const struct ktstr_cpuset *spec,
		   struct worker_cpus *out);

/*
 * Stores one set per worker in out[count]. cpuset is that of the cgroup, or NULL. Returns
 * 1, 0 if the affinity is to be left alone, or a negative errno.
 */
int affinity_resolve(struct ktstr_ctx *ctx, const struct ktstr_affinity *intent,
		     const struct worker_cpus *cpuset, unsigned int count, struct worker_cpus *out);

/*
 * Forks workers that wait to be started, with the affinity of their work. cgroup_dir and
 * cpuset may be NULL. is_pinned_apart: they do not all have the same affinity.
 */
struct spawn_request {
	const struct ktstr_work *work;
	const char *name, *cgroup_dir;
	unsigned int count;
	const struct worker_cpus *cpuset;
};
int spawn_workers(struct ktstr_ctx *ctx, const struct spawn_request *q, struct workers **group,
		  bool *is_pinned_apart);

/* True if not all of these sets are the same. */
bool affinities_differ(const struct worker_cpus *sets, unsigned int count);

/* Returns an error if set_mempolicy() cannot do what the work asks for. cpuset as above. */
int mem_policy_validate(const struct ktstr_ctx *ctx, const char *cgroup,
			const struct ktstr_work *work, const struct worker_cpus *cpuset);

/* hold.c: how long a step lasts. */

/* Returns -EINVAL with a message if the step's hold is invalid. */
int hold_validate(const struct ktstr_step *step);
/* Not for KTSTR_HOLD_LOOP. */
uint64_t hold_ms(const struct ktstr_ctx *ctx, const struct ktstr_hold *hold);

/* kmsg.c: what the kernel logged meanwhile, which often explains why a scheduler misbehaved. */

struct ktstr_result;

/* Opens the kernel log at its end; -1 if it cannot be read. */
int kmsg_open(void);

/* Adds the last lines since then as notes; none if log is -1. */
void kmsg_add_details(int log, struct ktstr_result *res);

#endif

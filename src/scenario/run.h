/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A scenario while it runs: the cgroups, workers and payloads that live now, and
 * to whom they belong. What a step makes goes with the step; what the backdrop
 * makes lives until the end. Everything is judged into a result of its own, whose
 * phases are the steps, and merged into the test's at the end.
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
	bool is_implicit; /* a level above one that was asked for */
	bool is_frozen;
	bool has_cpuset;
	bool has_quota;	     /* of CPU time */
	uint32_t cpu_weight; /* 0 = nothing was asked for */
	struct worker_cpus cpuset;
};

struct live_workers {
	struct workers *group;
	char *cgroup; /* NULL = they stay where we are */
	char *label;  /* in statistics */
	unsigned int count;
	bool is_backdrop;
	/* The effective cpuset when they started, and whether it is that still. */
	bool has_cpuset, cpuset_changed;
	struct worker_cpus cpuset;
	bool is_pinned_apart; /* at some time they had affinities that differ */
	bool was_frozen;      /* at some time, or stopped by a signal */
	bool is_stopped;      /* by SIGSTOP */
	/* Phases in which all of them had fair shares, and whether there was one without. */
	unsigned int fair_phases;
	bool is_unproven;
	double luck_pct; /* see struct share_finding: the largest of all phases */
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
	bool in_backdrop;    /* who owns what is made now */
	bool allow_backdrop; /* of the step */
	unsigned int phase;
	uint64_t start_ns;
	size_t step_count;
	bool goes_on;		   /* the time of the last step is not over */
	bool was_cut_short;	   /* by an error in a step or the backdrop */
	size_t offline_before;	   /* CPUs that were offline when it began */
	VEC(struct observed) seen; /* by phase */
	struct observed after;	   /* when workers did not stop */
};

/* ---- live.c: the lists ---- */

struct live_cgroup *run_find(struct scenario_run *r, const char *name);
/* -ENOENT with advice when there is no such cgroup at all. */
int run_require(struct scenario_run *r, const char *name);
/* Makes it, with the levels above it. -EEXIST for one that the scenario has. */
int run_add_cgroup(struct scenario_run *r, const char *name);
/* Of the cgroup and those above it; false = any CPU. */
bool run_effective_cpuset(struct scenario_run *r, const char *name, struct worker_cpus *out);
/* Writes it, or clears it (NULL), and remembers that the workers' world has changed. */
int run_set_cpuset(struct scenario_run *r, const char *name, const struct worker_cpus *cpus);
bool run_is_inside(const char *name, const char *cgroup); /* it, or below it */
/* Remembers that the workers in it are frozen, or were until now. */
void run_note_frozen(struct scenario_run *r, const char *name);
/* Refuses to touch what belongs to the backdrop. */
int run_check_owner(struct scenario_run *r, const char *name, const char *verb);
void run_free_lists(struct scenario_run *r);

/* ---- spawn.c ---- */

/* cgroup NULL = stay here; is_part: one of several groups of its def. */
int run_spawn(struct scenario_run *r, const char *cgroup, const struct ktstr_work *work,
	      bool is_part);
int run_setup_def(struct scenario_run *r, const struct ktstr_cgroup *def);

/* ---- judge.c: ends of life ---- */

/* By the reports of a group that has stopped; cgroup comes without them. */
void judge_group(struct judged_cgroup cgroup, const struct workers *group,
		 const struct ktstr_assert *checks, struct ktstr_result *res);

/* Workers and payloads in the cgroup and below it end, and are judged. NULL = the step's. */
void run_stop_inside(struct scenario_run *r, const char *cgroup);
/* Everything of the step, or of the backdrop; cgroups too. */
void run_teardown(struct scenario_run *r, bool is_backdrop);
/* Removes a cgroup and forgets those below it. */
int run_remove_cgroup(struct scenario_run *r, const char *name);

/* ---- observe.c: scheduling events; nothing happens where they are not recorded ---- */

/* A phase, and all workers that lived in it. */
struct phase_to_judge {
	const struct observed *seen;
	const struct known_worker *workers;
	size_t worker_count;
	const struct ktstr_assert *checks; /* over those of the test */
	bool is_steady;			   /* nothing was changed meanwhile */
	struct share_finding *shares;	   /* see struct judged_phase; or NULL */
	size_t phase; /* of the result; one that it does not have is not recorded */
};

/* A phase begins. */
void observe_begin(struct ktstr_ctx *ctx);
int observe_judge(struct ktstr_ctx *ctx, const struct phase_to_judge *what,
		  struct ktstr_result *res);
/* What its work says about it; neither quota nor weights. */
struct known_worker observe_worker(const struct ktstr_work *work, pid_t tid, unsigned int index,
				   const char *group, const char *cgroup);
/* Nothing was recorded: a limit of the test's own is not kept, those of all are noted. */
void observe_add_blindness(const struct ktstr_ctx *ctx, const struct ktstr_assert *checks,
			   struct ktstr_result *res);
void run_observe_begin(struct scenario_run *r);
/* Judges the phase; is_steady: nothing was changed while it was held. */
void run_observe_end(struct scenario_run *r, bool is_steady);
/* A scheduler that no task of any phase had asked for. */
void run_observe_partial(struct scenario_run *r);
void run_observe_finish(struct scenario_run *r);
void run_mark_workers(struct scenario_run *r, const struct live_workers *w);
void run_mark_all(struct scenario_run *r);

/* ---- by_hand_observe.c: workers that a body starts itself; a phase from the start to the end ---- */

struct ktstr_workers {
	struct ktstr_ctx *ctx;
	struct workers *group;
	char *cgroup; /* NULL = where we are */
	unsigned int count;
	bool is_pinned_apart;
};

const char *by_hand_name(const struct ktstr_workers *w);
/* From here on they are observed, and a phase begins. */
int by_hand_begin(struct ktstr_workers *w);
/* Before anybody is told to stop: the phase ends, if it did not yet, and is judged. */
void by_hand_end(struct ktstr_workers *w, const struct ktstr_assert *checks,
		 struct ktstr_result *res);
/* It is not there any more. */
void by_hand_forget(struct ktstr_workers *w);

/* ---- payloads.c ---- */

int run_start_payload(struct scenario_run *r, const struct ktstr_payload *payload,
		      const char *cgroup, const char *const *args);
int run_wait_payload(struct scenario_run *r, const char *name, const char *cgroup);
int run_kill_payload(struct scenario_run *r, const char *name, const char *cgroup);
/* Those in the cgroup or below it; cgroup NULL: those of that owner. */
void run_kill_payloads(struct scenario_run *r, const char *cgroup, bool is_backdrop);

/* ---- cookie.c ---- */

/* 0, or why this machine has no core scheduling. */
int core_cookie_check(void);
/* One new cookie for all of them. */
int core_cookie_share(const pid_t *pids, size_t count);

/* ---- ops.c ---- */

struct op_info {
	const char *name;
	int (*apply)(struct scenario_run *r, const struct ktstr_op *op);
};

const struct op_info *op_info(enum ktstr_op_kind kind);
int run_op(struct scenario_run *r, const struct ktstr_op *op);

/* cpus.c: Arithmetic on sets of CPUs. */

size_t cpus_count(const struct worker_cpus *s);
/* -1 = the set is empty. */
int cpus_first(const struct worker_cpus *s);
/* The next one above cpu; -1 = no more. */
int cpus_next(const struct worker_cpus *s, int cpu);
/* Both; false when nothing is left. out may be one of them. */
bool cpus_and(struct worker_cpus *out, const struct worker_cpus *a, const struct worker_cpus *b);
bool cpus_equal(const struct worker_cpus *a, const struct worker_cpus *b);
void cpus_from_list(struct worker_cpus *s, const struct cpulist *list);
/* "0-3,5" */
void cpus_format(const struct worker_cpus *s, struct str *out);

/* cpuset.c: From what a test asks for to CPUs and memory nodes of this machine. */

/*
 * The CPUs of a spec. -EINVAL with "cgroup 'NAME': CpusetSpec validation failed: ..."
 * where the machine does not have them. Not for KTSTR_CPUSET_NONE.
 */
int cpuset_resolve(const struct ktstr_ctx *ctx, const char *cgroup, const struct ktstr_cpuset *spec,
		   struct worker_cpus *out);

/*
 * One set per worker into out[count]. cpuset is that of the cgroup, or NULL. Returns
 * 1, or 0 when the affinity is to be left alone, or a negative errno.
 */
int affinity_resolve(struct ktstr_ctx *ctx, const struct ktstr_affinity *intent,
		     const struct worker_cpus *cpuset, unsigned int count, struct worker_cpus *out);

/*
 * Starts workers that wait for their work, with the affinity that it asks for. cgroup_dir and
 * cpuset may be NULL. is_pinned_apart: not all of them have the same.
 */
struct spawn_request {
	const struct ktstr_work *work;
	const char *name, *cgroup_dir;
	unsigned int count;
	const struct worker_cpus *cpuset;
};
int spawn_workers(struct ktstr_ctx *ctx, const struct spawn_request *q, struct workers **group,
		  bool *is_pinned_apart);

/* Whether not all of these sets are the same. */
bool affinities_differ(const struct worker_cpus *sets, unsigned int count);

/* Whether set_mempolicy() can do what the work asks for. cpuset as above. */
int mem_policy_validate(const struct ktstr_ctx *ctx, const char *cgroup,
			const struct ktstr_work *work, const struct worker_cpus *cpuset);

/* hold.c: How long a step lasts. */

/* -EINVAL with a sentence for a step that could not be held as it says. */
int hold_validate(const struct ktstr_step *step);
/* Not for KTSTR_HOLD_LOOP. */
uint64_t hold_ms(const struct ktstr_ctx *ctx, const struct ktstr_hold *hold);

/* kmsg.c: What the kernel logged meanwhile: it often says why a scheduler misbehaved. */

struct ktstr_result;

/* The kernel log from now on; -1 where it cannot be read. */
int kmsg_open(void);

/* Adds the last lines since then as notes. A log of -1 has none. */
void kmsg_add_details(int log, struct ktstr_result *res);

#endif

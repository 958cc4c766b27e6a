/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions for test bodies, and ready-made bodies. Part of <ktstr/ktstr.h>: include that. */
#ifndef KTSTR_BY_HAND_H
#define KTSTR_BY_HAND_H

#include <ktstr/ktstr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- payloads by hand: running programs in a body ---- */

/* Options of one run of a payload; a NULL pointer = as declared. */
struct ktstr_payload_options {
	const char *const *extra_args;	  /* KTSTR_ARGS(): appended to those of the payload */
	bool clear_args;		  /* omit those of the payload */
	const struct ktstr_check *checks; /* KTSTR_CHECKS(): in addition to those of the payload */
	bool clear_checks;		  /* omit those of the payload */
	/* An existing cgroup below the test's parent cgroup; NULL = that of the body. */
	const char *in_cgroup;
	uint64_t timeout_ms; /* after this time it is killed; 0 = no timeout */
};

/* A metric from the output of a payload. */
struct ktstr_metric {
	char *name;   /* path: "jobs.0.read.iops" */
	double value; /* value */
};

/* All metrics from the output of a payload. */
struct ktstr_metrics {
	struct ktstr_metric *items; /* the metrics */
	size_t count;		    /* number of metrics */
	int exit_code;		    /* exit code of the payload */
};

struct ktstr_payload_run; /* a running payload */

/*
 * Runs a payload until it exits and judges it. metrics may be NULL; free with
 * ktstr_metrics_free().
 */
int ktstr_payload_run(struct ktstr_ctx *ctx, const struct ktstr_payload *payload,
		      const struct ktstr_payload_options *options, struct ktstr_result *res,
		      struct ktstr_metrics *metrics);
/* Starts a payload and returns; pass *out to one of the next three functions. */
int ktstr_payload_spawn(struct ktstr_ctx *ctx, const struct ktstr_payload *payload,
			const struct ktstr_payload_options *options,
			struct ktstr_payload_run **out);
/* Waits until it exits, judges it and frees run. */
int ktstr_payload_wait(struct ktstr_payload_run *run, struct ktstr_result *res,
		       struct ktstr_metrics *metrics);
/* Returns 0 while it runs; after it exited, does the same as ktstr_payload_wait() and returns 1. */
int ktstr_payload_try_wait(struct ktstr_payload_run *run, struct ktstr_result *res,
			   struct ktstr_metrics *metrics);
/* Kills it, judges its output so far and frees run. */
int ktstr_payload_kill(struct ktstr_payload_run *run, struct ktstr_result *res,
		       struct ktstr_metrics *metrics);
/* Frees the metrics, not the struct. */
void ktstr_metrics_free(struct ktstr_metrics *metrics);

/*
 * Payloads of well-known benchmarks; the programs have to be installed on the host.
 * @ktstr_schbench: runs schbench for 5 s with two message threads; parses its text output.
 * @ktstr_schbench_hinted: the same; a language model parses text of an unknown format.
 * @ktstr_schbench_json: the same; parses its JSON output.
 */
extern const struct ktstr_payload ktstr_schbench, ktstr_schbench_hinted, ktstr_schbench_json;
/*
 * More of them.
 * @ktstr_fio: runs fio; the test gives all arguments, including --output-format=json.
 * @ktstr_fio_json: runs fio with --output-format=json; the test adds the job.
 * @ktstr_stress_ng: runs stress-ng; the test gives all arguments, including --metrics-brief.
 * @ktstr_sysbench: runs sysbench cpu for 5 s.
 */
extern const struct ktstr_payload ktstr_fio, ktstr_fio_json, ktstr_stress_ng, ktstr_sysbench;

/* ---- workers by hand: starting and stopping workers in a body ---- */

struct ktstr_workers; /* a group of workers */

/*
 * Forks workers and moves them into a cgroup (NULL = that of the body), where they wait. If
 * .workers is 0, the number is .workers_per_cgroup of the test.
 */
int ktstr_workers_spawn(struct ktstr_ctx *ctx, const struct ktstr_work *work, const char *cgroup,
			struct ktstr_workers **out);
/* Starts the work of the workers. */
int ktstr_workers_start(struct ktstr_workers *w);
/* Gets their process ids, in memory owned by w; returns the number. */
size_t ktstr_workers_pids(const struct ktstr_workers *w, const int **pids);
/* Pins the worker with this index, from 0, to CPUs such as "0-3,5". */
int ktstr_workers_set_affinity(struct ktstr_workers *w, unsigned int index, const char *cpus);
/* Returns the sum of their iterations so far. */
uint64_t ktstr_workers_snapshot(const struct ktstr_workers *w);
/* Stops them and judges them as one cgroup, with the thresholds of the test. */
int ktstr_workers_stop_collect(struct ktstr_workers *w, struct ktstr_result *res);
/* The same with these thresholds instead of those of the test. */
int ktstr_assert_cgroup(struct ktstr_workers *w, const struct ktstr_assert *checks,
			struct ktstr_result *res);
/* Kills workers that are still running, and frees w; NULL is allowed. */
void ktstr_workers_free(struct ktstr_workers *w);

struct ktstr_crowd; /* several cgroups and the workers in them */

/*
 * Creates cg_0 to cg_{count-1}, waits for the settle time, and starts workers in each (work NULL =
 * the default kind).
 */
int ktstr_setup_cgroups(struct ktstr_ctx *ctx, unsigned int count, const struct ktstr_work *work,
			struct ktstr_crowd **out);
/*
 * Starts workers in existing cgroups, with the work types CpuSpin, Bursty, IoSync, Mixed and
 * YieldHeavy in turn. NULL ends the names.
 */
int ktstr_spawn_diverse(struct ktstr_ctx *ctx, const char *const *names, struct ktstr_crowd **out);
/* Stops and judges all of them with these thresholds; NULL = those of the test. */
int ktstr_collect_all(struct ktstr_crowd *crowd, const struct ktstr_assert *checks,
		      struct ktstr_result *res);
/* Kills workers that are still running; removes the cgroups created for them in reverse order. */
void ktstr_crowd_free(struct ktstr_crowd *crowd);

/* ---- cgroups by hand: creating and changing cgroups in a body ---- */

/* Names are relative to the parent cgroup of the test. All return 0 or a negative errno. */

/* Creates a cgroup; for a name such as "a/b" also its parents. */
int ktstr_cgroup_create(struct ktstr_ctx *ctx, const char *name);
/* Removes a cgroup and its descendants; their tasks are moved to the root. */
int ktstr_cgroup_remove(struct ktstr_ctx *ctx, const char *name);
/* Sets cpuset.cpus to a list such as "0-3,5". */
int ktstr_cgroup_set_cpuset(struct ktstr_ctx *ctx, const char *name, const char *cpus);
/* Clears cpuset.cpus, so that the CPUs are those of the parent cgroup. */
int ktstr_cgroup_clear_cpuset(struct ktstr_ctx *ctx, const char *name);
/* Moves a process into the cgroup. */
int ktstr_cgroup_move_task(struct ktstr_ctx *ctx, const char *name, int pid);
/* Moves several processes into the cgroup. */
int ktstr_cgroup_move_tasks(struct ktstr_ctx *ctx, const char *name, const int *pids, size_t count);
/* Moves all processes of the cgroup to the root. */
int ktstr_cgroup_drain(struct ktstr_ctx *ctx, const char *name);
/* Disables the controllers of its child cgroups, so that it can have its own tasks. */
int ktstr_cgroup_clear_subtree_control(struct ktstr_ctx *ctx, const char *name);
/* Removes all cgroups that the test created. */
int ktstr_cgroup_cleanup_all(struct ktstr_ctx *ctx);

/* Cgroups that are removed together. */
struct ktstr_cgroup_group;

/* Creates an empty group. */
int ktstr_cgroup_group_new(struct ktstr_ctx *ctx, struct ktstr_cgroup_group **out);
/* Creates a cgroup in the group; cpus is a list such as "0-3,5", or NULL for all. */
int ktstr_cgroup_group_add(struct ktstr_cgroup_group *group, const char *name, const char *cpus);
/* Removes its cgroups in reverse order and frees it. A cgroup may already have been removed. */
void ktstr_cgroup_group_free(struct ktstr_cgroup_group *group);

/* ---- scenarios: ready-made test bodies ---- */

/*
 * `return ktstr_scn_steady(ctx, res)` is a complete body. Machines that are too small are skipped.
 * @ktstr_scn_steady: two cgroups with the default work.
 * @ktstr_scn_steady_llc: the same, each on its own LLC.
 * @ktstr_scn_oversubscribed: two cgroups with 32 Mixed workers each.
 * @ktstr_scn_cpuset_apply: two cgroups get disjoint cpusets in the middle of the run.
 * @ktstr_scn_cpuset_clear: two cgroups lose their cpusets in the middle of the run.
 * @ktstr_scn_cpuset_resize: cpusets of 50/50, then 25/75, then 75/25 of the CPUs.
 * @ktstr_scn_cgroup_add: more cgroups are added in the middle of the run.
 * @ktstr_scn_cgroup_remove: half of the cgroups are removed in the middle of the run.
 * @ktstr_scn_affinity_change: random affinities that change four times.
 * @ktstr_scn_affinity_pinned: both cgroups are pinned to the same two CPUs.
 * @ktstr_scn_host_contention: two cgroups, and one worker per CPU outside of them.
 * @ktstr_scn_mixed_workloads: cgroups with CPU-bound workers, bursts and file I/O.
 * @ktstr_scn_nested_steady: workers at different depths of a cgroup tree.
 * @ktstr_scn_nested_task_move: workers move up, across and up again in a cgroup tree.
 */
ktstr_test_fn ktstr_scn_steady, ktstr_scn_steady_llc, ktstr_scn_oversubscribed,
	ktstr_scn_cpuset_apply, ktstr_scn_cpuset_clear, ktstr_scn_cpuset_resize,
	ktstr_scn_cgroup_add, ktstr_scn_cgroup_remove, ktstr_scn_affinity_change,
	ktstr_scn_affinity_pinned, ktstr_scn_host_contention, ktstr_scn_mixed_workloads,
	ktstr_scn_nested_steady, ktstr_scn_nested_task_move;

#ifdef __cplusplus
}
#endif

#endif

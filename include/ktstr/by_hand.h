/* SPDX-License-Identifier: GPL-2.0-only */
/* What a body may do itself, and bodies that are ready to use. Part of <ktstr/ktstr.h>: include that. */
#ifndef KTSTR_BY_HAND_H
#define KTSTR_BY_HAND_H

#include <ktstr/ktstr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- payloads by hand: running programs in a body ---- */

/* How a payload is run this time; NULL in place of it = as it is declared. */
struct ktstr_payload_options {
	const char *const *extra_args;	  /* KTSTR_ARGS(): after those of the payload */
	bool clear_args;		  /* without those of the payload */
	const struct ktstr_check *checks; /* KTSTR_CHECKS(): besides those of the payload */
	bool clear_checks;		  /* without those of the payload */
	/* An existing cgroup below the test's parent; NULL = that of the body. */
	const char *in_cgroup;
	uint64_t timeout_ms; /* it is killed then; 0 = never */
};

/* A number of a payload's output. */
struct ktstr_metric {
	char *name;   /* its path: "jobs.0.read.iops" */
	double value; /* the number */
};

/* All numbers of a payload's output. */
struct ktstr_metrics {
	struct ktstr_metric *items; /* the numbers */
	size_t count;		    /* how many there are */
	int exit_code;		    /* exit code of the payload */
};

struct ktstr_payload_run; /* a payload that runs */

/* Runs it to its end and judges it. metrics may be NULL; free them with ktstr_metrics_free(). */
int ktstr_payload_run(struct ktstr_ctx *ctx, const struct ktstr_payload *payload,
		      const struct ktstr_payload_options *options, struct ktstr_result *res,
		      struct ktstr_metrics *metrics);
/* Starts it and returns; *out has to be given to one of the next three. */
int ktstr_payload_spawn(struct ktstr_ctx *ctx, const struct ktstr_payload *payload,
			const struct ktstr_payload_options *options,
			struct ktstr_payload_run **out);
/* Waits for its end, judges it and frees run. */
int ktstr_payload_wait(struct ktstr_payload_run *run, struct ktstr_result *res,
		       struct ktstr_metrics *metrics);
/* Returns 0 while it runs; when it has ended, does what ktstr_payload_wait() does and returns 1. */
int ktstr_payload_try_wait(struct ktstr_payload_run *run, struct ktstr_result *res,
			   struct ktstr_metrics *metrics);
/* Kills it, judges what it has printed until then and frees run. */
int ktstr_payload_kill(struct ktstr_payload_run *run, struct ktstr_result *res,
		       struct ktstr_metrics *metrics);
/* Frees the numbers, not the struct. */
void ktstr_metrics_free(struct ktstr_metrics *metrics);

/*
 * Payloads of well-known benchmarks; the programs have to be installed on the host.
 * @ktstr_schbench: runs schbench for 5 s with two message threads; its text is read.
 * @ktstr_schbench_hinted: the same; text of an unknown format is read by a language model.
 * @ktstr_schbench_json: the same; its JSON is read.
 */
extern const struct ktstr_payload ktstr_schbench, ktstr_schbench_hinted, ktstr_schbench_json;
/*
 * More of them.
 * @ktstr_fio: runs fio; the test gives all arguments, --output-format=json among them.
 * @ktstr_fio_json: runs fio with --output-format=json; the test adds the job.
 * @ktstr_stress_ng: runs stress-ng; the test gives all arguments, --metrics-brief among them.
 * @ktstr_sysbench: runs sysbench cpu for 5 s.
 */
extern const struct ktstr_payload ktstr_fio, ktstr_fio_json, ktstr_stress_ng, ktstr_sysbench;

/* ---- workers by hand: starting and stopping workers in a body ---- */

struct ktstr_workers; /* workers that were started together */

/*
 * Forks workers and puts them into a cgroup (NULL = that of the body), where they wait. 0 of
 * .workers = as many as the test says.
 */
int ktstr_workers_spawn(struct ktstr_ctx *ctx, const struct ktstr_work *work, const char *cgroup,
			struct ktstr_workers **out);
/* Lets them work. */
int ktstr_workers_start(struct ktstr_workers *w);
/* Their process ids, which belong to w; returns how many. */
size_t ktstr_workers_pids(const struct ktstr_workers *w, const int **pids);
/* Pins the worker of that number, from 0, to CPUs such as "0-3,5". */
int ktstr_workers_set_affinity(struct ktstr_workers *w, unsigned int index, const char *cpus);
/* Iterations of all of them so far. */
uint64_t ktstr_workers_snapshot(const struct ktstr_workers *w);
/* Stops them and judges them by the test's checks as one cgroup. */
int ktstr_workers_stop_collect(struct ktstr_workers *w, struct ktstr_result *res);
/* The same by these checks instead of those of the test. */
int ktstr_assert_cgroup(struct ktstr_workers *w, const struct ktstr_assert *checks,
			struct ktstr_result *res);
/* Kills those that still work, and frees; NULL is fine. */
void ktstr_workers_free(struct ktstr_workers *w);

struct ktstr_crowd; /* several cgroups and the workers in them */

/*
 * Makes cg_0 to cg_{count-1}, lets them settle, and puts workers into each (work NULL =
 * the default kind), which are at work when this returns.
 */
int ktstr_setup_cgroups(struct ktstr_ctx *ctx, unsigned int count, const struct ktstr_work *work,
			struct ktstr_crowd **out);
/*
 * Puts workers into cgroups that exist, CpuSpin, Bursty, IoSync, Mixed and YieldHeavy in turn. NULL
 * ends the names.
 */
int ktstr_spawn_diverse(struct ktstr_ctx *ctx, const char *const *names, struct ktstr_crowd **out);
/* Stops and judges all of them by these checks; NULL = those of the test. */
int ktstr_collect_all(struct ktstr_crowd *crowd, const struct ktstr_assert *checks,
		      struct ktstr_result *res);
/* Kills what still works; the cgroups that were made for it go, the last one first. */
void ktstr_crowd_free(struct ktstr_crowd *crowd);

/* ---- cgroups by hand: making and changing cgroups in a body ---- */

/* Names are below the test's own parent. All return 0 or a negative errno. */

/* Makes a cgroup, and those above it in a name such as "a/b". */
int ktstr_cgroup_create(struct ktstr_ctx *ctx, const char *name);
/* Removes a cgroup and all below it; their tasks go to the root. */
int ktstr_cgroup_remove(struct ktstr_ctx *ctx, const char *name);
/* Sets cpuset.cpus to a list such as "0-3,5". */
int ktstr_cgroup_set_cpuset(struct ktstr_ctx *ctx, const char *name, const char *cpus);
/* Empties cpuset.cpus: the CPUs are those of the cgroup above. */
int ktstr_cgroup_clear_cpuset(struct ktstr_ctx *ctx, const char *name);
/* Moves a process into the cgroup. */
int ktstr_cgroup_move_task(struct ktstr_ctx *ctx, const char *name, int pid);
/* Moves several processes into the cgroup. */
int ktstr_cgroup_move_tasks(struct ktstr_ctx *ctx, const char *name, const int *pids, size_t count);
/* Moves all processes of the cgroup to the root. */
int ktstr_cgroup_drain(struct ktstr_ctx *ctx, const char *name);
/* Takes controllers from the cgroups below, so that this one may have tasks of its own. */
int ktstr_cgroup_clear_subtree_control(struct ktstr_ctx *ctx, const char *name);
/* Removes all cgroups that the test made. */
int ktstr_cgroup_cleanup_all(struct ktstr_ctx *ctx);

/* Cgroups that go away together. */
struct ktstr_cgroup_group;

/* Makes a group without cgroups. */
int ktstr_cgroup_group_new(struct ktstr_ctx *ctx, struct ktstr_cgroup_group **out);
/* Makes a cgroup in the group; cpus is a list such as "0-3,5", or NULL for all. */
int ktstr_cgroup_group_add(struct ktstr_cgroup_group *group, const char *name, const char *cpus);
/* Removes its cgroups, the last one first, and frees it. One that is gone already is fine. */
void ktstr_cgroup_group_free(struct ktstr_cgroup_group *group);

/* ---- scenarios: bodies that are ready to use ---- */

/*
 * `return ktstr_scn_steady(ctx, res)` is a whole body. Machines that are too small are skipped.
 * @ktstr_scn_steady: two cgroups of the default work.
 * @ktstr_scn_steady_llc: the same, each on an LLC of its own.
 * @ktstr_scn_oversubscribed: two cgroups of 32 Mixed workers each.
 * @ktstr_scn_cpuset_apply: two cgroups get disjoint cpusets in the middle of the run.
 * @ktstr_scn_cpuset_clear: two cgroups lose their cpusets in the middle of the run.
 * @ktstr_scn_cpuset_resize: cpusets of 50/50, then 25/75, then 75/25 of the CPUs.
 * @ktstr_scn_cgroup_add: more cgroups are added in the middle of the run.
 * @ktstr_scn_cgroup_remove: half of the cgroups are removed in the middle of the run.
 * @ktstr_scn_affinity_change: random affinities that change four times.
 * @ktstr_scn_affinity_pinned: both cgroups are pinned to the same two CPUs.
 * @ktstr_scn_host_contention: two cgroups against as many workers outside as there are CPUs.
 * @ktstr_scn_mixed_workloads: cgroups that compute, that work in bursts and that write files.
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

/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions for test bodies, and ready-made bodies. Include <ktstr/ktstr.h>, not this header. */
#ifndef KTSTR_BY_HAND_H
#define KTSTR_BY_HAND_H

#include <ktstr/ktstr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- payloads by hand: running programs in a body ---- */

/*
 * Options of one run of a payload. Members that are 0 or NULL change nothing. A function that takes
 * options accepts NULL: no options.
 */
struct ktstr_payload_options {
	const char *const *extra_args;	  /* KTSTR_ARGS(): appended to those of the payload */
	bool clear_args;		  /* omit the arguments that the payload declares */
	const struct ktstr_check *checks; /* KTSTR_CHECKS(): in addition to those of the payload */
	bool clear_checks;		  /* omit the checks that the payload declares */
	/* Name of an existing cgroup of the test; NULL = the cgroup of the body. */
	const char *in_cgroup;
	uint64_t timeout_ms; /* time in ms after which the payload is killed; 0 = no timeout */
};

/* A metric from the output of a payload. */
struct ktstr_metric {
	char *name;   /* name, such as "jobs.0.read.iops" */
	double value; /* value */
};

/* All metrics from the output of a payload. */
struct ktstr_metrics {
	struct ktstr_metric *items; /* the metrics */
	size_t count;		    /* number of metrics */
	int exit_code;		    /* exit code of the payload; 128 + N = killed by signal N */
};

struct ktstr_payload_run; /* a running payload */

/*
 * The functions return a negative errno if the payload could not be run. They add the results of
 * its checks, and its metrics, to res; a check that fails is not an error of the function. metrics
 * is filled in, unless it is NULL; free it with ktstr_metrics_free().
 */

/* Runs a payload until it exits, and checks it. Returns 0 or a negative errno. */
int ktstr_payload_run(struct ktstr_ctx *ctx, const struct ktstr_payload *payload,
		      const struct ktstr_payload_options *options, struct ktstr_result *res,
		      struct ktstr_metrics *metrics);
/*
 * Starts a payload and sets *out. Returns 0 or a negative errno. One of the next three functions
 * has to end the run.
 */
int ktstr_payload_spawn(struct ktstr_ctx *ctx, const struct ktstr_payload *payload,
			const struct ktstr_payload_options *options,
			struct ktstr_payload_run **out);
/* Waits until the payload exits, checks it and frees run. Returns 0 or a negative errno. */
int ktstr_payload_wait(struct ktstr_payload_run *run, struct ktstr_result *res,
		       struct ktstr_metrics *metrics);
/*
 * Returns 0 if the payload is still running. Otherwise does the same as ktstr_payload_wait() and
 * returns 1 or a negative errno.
 */
int ktstr_payload_try_wait(struct ktstr_payload_run *run, struct ktstr_result *res,
			   struct ktstr_metrics *metrics);
/* Kills the payload, checks its output so far and frees run. Returns 0 or a negative errno. */
int ktstr_payload_kill(struct ktstr_payload_run *run, struct ktstr_result *res,
		       struct ktstr_metrics *metrics);
/* Frees the metrics in the struct, but not the struct. */
void ktstr_metrics_free(struct ktstr_metrics *metrics);

/*
 * Payloads for well-known benchmarks. The programs have to be installed on the host, and the
 * payload has to be in .payload or .workloads of the test. All of them have to exit with code 0.
 * @ktstr_schbench: runs schbench for 5 s with two message threads and reads its text output.
 * @ktstr_schbench_hinted: the same; a language model reads text of an unknown format.
 * @ktstr_schbench_json: the same; reads its JSON output.
 */
extern const struct ktstr_payload ktstr_schbench, ktstr_schbench_hinted, ktstr_schbench_json;
/*
 * More payloads for benchmarks.
 * @ktstr_fio: runs fio; the test adds all arguments, including --output-format=json.
 * @ktstr_fio_json: runs fio with --output-format=json; the test adds the job.
 * @ktstr_stress_ng: runs stress-ng; the test adds all arguments, including --metrics-brief.
 * @ktstr_sysbench: runs the cpu test of sysbench for 5 s.
 */
extern const struct ktstr_payload ktstr_fio, ktstr_fio_json, ktstr_stress_ng, ktstr_sysbench;

/* ---- workers by hand: starting and stopping workers in a body ---- */

struct ktstr_workers; /* a group of workers */

/*
 * Functions that return int return 0 or a negative errno with a message. Functions with an argument
 * out set *out if they succeed.
 */

/*
 * Forks workers and moves them into an existing cgroup of the test, where they wait for
 * ktstr_workers_start(); cgroup NULL = the cgroup of the body. If .workers is 0, the number is
 * .workers_per_cgroup of the test. The workers exit if they are not started within 30 s.
 */
int ktstr_workers_spawn(struct ktstr_ctx *ctx, const struct ktstr_work *work, const char *cgroup,
			struct ktstr_workers **out);
/* Lets the workers begin to work. */
int ktstr_workers_start(struct ktstr_workers *w);
/* Sets *pids to the process ids of the workers, which belong to w. Returns their number. */
size_t ktstr_workers_pids(const struct ktstr_workers *w, const int **pids);
/* Pins the worker with this index, from 0, to a list of CPUs such as "0-3,5". */
int ktstr_workers_set_affinity(struct ktstr_workers *w, unsigned int index, const char *cpus);
/* Returns the total number of iterations of the workers so far. */
uint64_t ktstr_workers_snapshot(const struct ktstr_workers *w);
/* Stops the workers, checks them as one cgroup with the thresholds of the test, and keeps w. */
int ktstr_workers_stop_collect(struct ktstr_workers *w, struct ktstr_result *res);
/* The same with the thresholds of checks, as described for ktstr_run_steps_with(). */
int ktstr_assert_cgroup(struct ktstr_workers *w, const struct ktstr_assert *checks,
			struct ktstr_result *res);
/* Kills workers that are still running, and frees w. NULL is allowed. */
void ktstr_workers_free(struct ktstr_workers *w);

struct ktstr_crowd; /* several cgroups and the workers in them */

/*
 * Creates the cgroups cg_0 to cg_{count-1}, waits for the settle time, and starts workers in each;
 * work NULL = .workers_per_cgroup workers with KTSTR_CPU_SPIN. Fails if the scheduler died
 * meanwhile.
 */
int ktstr_setup_cgroups(struct ktstr_ctx *ctx, unsigned int count, const struct ktstr_work *work,
			struct ktstr_crowd **out);
/*
 * Starts .workers_per_cgroup workers in each of several existing cgroups, with KTSTR_CPU_SPIN,
 * KTSTR_BURSTY(50, 100), KTSTR_IO_SYNC (always two workers), KTSTR_MIXED and KTSTR_YIELD_HEAVY in
 * turn. names is an array that ends with NULL.
 */
int ktstr_spawn_diverse(struct ktstr_ctx *ctx, const char *const *names, struct ktstr_crowd **out);
/* Stops and checks all workers with the thresholds of checks; NULL = those of the test. */
int ktstr_collect_all(struct ktstr_crowd *crowd, const struct ktstr_assert *checks,
		      struct ktstr_result *res);
/*
 * Kills workers that are still running, removes the cgroups that ktstr_setup_cgroups() created, in
 * reverse order, and frees crowd. NULL is allowed.
 */
void ktstr_crowd_free(struct ktstr_crowd *crowd);

/* ---- cgroups by hand: creating and changing cgroups in a body ---- */

/*
 * Names are "a" or "a/b", relative to the parent cgroup of the test. Functions that return int
 * return 0 or a negative errno with a message.
 */

/* Creates a cgroup and, for a name such as "a/b", its parents. An existing cgroup is no error. */
int ktstr_cgroup_create(struct ktstr_ctx *ctx, const char *name);
/* Removes a cgroup and its descendants, if it exists. Their tasks move to the root cgroup. */
int ktstr_cgroup_remove(struct ktstr_ctx *ctx, const char *name);
/* Sets cpuset.cpus to a list such as "0-3,5". */
int ktstr_cgroup_set_cpuset(struct ktstr_ctx *ctx, const char *name, const char *cpus);
/* Clears cpuset.cpus, so that the cgroup has the CPUs of its parent. */
int ktstr_cgroup_clear_cpuset(struct ktstr_ctx *ctx, const char *name);
/* Moves a process into a cgroup. A process that has exited is no error. */
int ktstr_cgroup_move_task(struct ktstr_ctx *ctx, const char *name, int pid);
/* Moves count processes into a cgroup. */
int ktstr_cgroup_move_tasks(struct ktstr_ctx *ctx, const char *name, const int *pids, size_t count);
/* Moves all processes of a cgroup to the root cgroup. */
int ktstr_cgroup_drain(struct ktstr_ctx *ctx, const char *name);
/* Clears cgroup.subtree_control of a cgroup and of its descendants, so that it can have tasks. */
int ktstr_cgroup_clear_subtree_control(struct ktstr_ctx *ctx, const char *name);
/* Removes all cgroups below the parent cgroup of the test. */
int ktstr_cgroup_cleanup_all(struct ktstr_ctx *ctx);

/* A group of cgroups that are removed together. */
struct ktstr_cgroup_group;

/* Creates an empty group and sets *out. */
int ktstr_cgroup_group_new(struct ktstr_ctx *ctx, struct ktstr_cgroup_group **out);
/*
 * Creates a cgroup and adds it to the group. cpus is a list such as "0-3,5"; NULL = the CPUs of the
 * parent cgroup.
 */
int ktstr_cgroup_group_add(struct ktstr_cgroup_group *group, const char *name, const char *cpus);
/*
 * Removes the cgroups of the group in reverse order and frees the group. Cgroups that no longer
 * exist, and NULL, are allowed.
 */
void ktstr_cgroup_group_free(struct ktstr_cgroup_group *group);

/* ---- scenarios: ready-made test bodies ---- */

/*
 * `return ktstr_scn_steady(ctx, res)` is a complete body. It skips the test on a machine that is
 * too small. Workers do KTSTR_CPU_SPIN unless stated otherwise.
 * @ktstr_scn_steady: two cgroups.
 * @ktstr_scn_steady_llc: two cgroups, each on its own LLC. It needs two LLCs.
 * @ktstr_scn_oversubscribed: two cgroups with 32 KTSTR_MIXED workers each.
 * @ktstr_scn_cpuset_apply: two cgroups get disjoint cpusets in the middle of the run.
 * @ktstr_scn_cpuset_clear: two cgroups lose their cpusets in the middle of the run.
 * @ktstr_scn_cpuset_resize: cpusets of 50/50, then 25/75, then 75/25 of the CPUs.
 * @ktstr_scn_cgroup_add: more cgroups are added in the middle of the run.
 * @ktstr_scn_cgroup_remove: half of the cgroups are removed in the middle of the run.
 * @ktstr_scn_affinity_change: the workers of two cgroups get random affinities four times.
 * @ktstr_scn_affinity_pinned: the workers of two cgroups are pinned to the same two CPUs. It sets
 * max_spread_pct to 75.
 * @ktstr_scn_host_contention: two cgroups, and one worker per CPU outside of them.
 * @ktstr_scn_mixed_workloads: three cgroups: CPU-bound workers, bursts, and file I/O.
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

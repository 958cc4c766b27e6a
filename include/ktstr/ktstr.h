/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ktstr: test harness for Linux process schedulers.
 *
 * The public C API for people who write tests. A test is five lines:
 *
 *	#include <ktstr/ktstr.h>
 *
 *	KTSTR_TEST(two_cgroups, .llcs = 1, .cores = 2, .threads = 1)
 *	{
 *		return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
 *			{ .name = "cg_0", .workers = 2 },
 *			{ .name = "cg_1", .workers = 2 }));
 *	}
 *
 * `ktstr test FILE.c` compiles and runs it. Programs that are built by hand link
 * with `pkg-config --libs ktstr`; the library brings main().
 *
 * Everything that describes a test is plain data: structs with designated
 * initialisers, where a field that is left out is inherited or has its default.
 * Compile with -Werror=override-init (clang: -Werror=initializer-overrides), so
 * that an attribute given twice is an error. Tests are written in C (gnu11 or newer);
 * parts of theirs in C++ can include this header for the functions.
 */
#ifndef KTSTR_KTSTR_H
#define KTSTR_KTSTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktstr/payload.h>
#include <ktstr/snapshot.h>
#include <ktstr/steps.h>
#include <ktstr/work.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KTSTR_VERSION_MAJOR 0
#define KTSTR_VERSION_MINOR 2
#define KTSTR_VERSION_PATCH 0

/* The version of the library at run time: "0.1.0". */
const char *ktstr_version(void);

struct ktstr_ctx;    /* the world a test body runs in */
struct ktstr_result; /* its verdict, details and statistics */

/*
 * Values of attributes. 0 is always "inherit"; a check is switched off with
 * KTSTR_OFF, and a bound that is literally zero is KTSTR_ZERO.
 */
#define KTSTR_ON 1
#define KTSTR_OFF (-1)
#define KTSTR_ZERO INT64_MIN

/* ---- topology ---- */

enum ktstr_cache_indexing { KTSTR_INDEXING_OTHER, KTSTR_DIRECT_MAPPED, KTSTR_COMPLEX_INDEXING };
enum ktstr_cache_policy { KTSTR_POLICY_OTHER, KTSTR_WRITE_BACK, KTSTR_WRITE_THROUGH };

/* A cache in front of a node's memory, as the firmware describes it. */
struct ktstr_mem_side_cache {
	uint32_t size_kib;	/* 0 = there is none */
	uint32_t associativity; /* enum ktstr_cache_indexing */
	uint32_t write_policy;	/* enum ktstr_cache_policy */
	uint32_t line_size;	/* in bytes */
};

/* A NUMA node of a machine whose nodes differ. llcs = 0: memory only. */
struct ktstr_node {
	uint32_t llcs;
	uint32_t memory_mib;
	uint32_t latency_ns;			    /* 0 = not told to the guest */
	uint32_t bandwidth_mbs;			    /* 0 = not told to the guest */
	struct ktstr_mem_side_cache mem_side_cache; /* wants latency and bandwidth, too */
};

/* NUMA nodes, LLCs in total, cores per LLC, threads per core. */
struct ktstr_topology {
	uint32_t numa_nodes, llcs, cores, threads;
};

#define KTSTR_TOPO_CHECK_(n, l, c, t)                                                             \
	(0 *                                                                                      \
	 sizeof(char[(n) > 0 && (l) > 0 && (c) > 0 && (t) > 0 && (l) % ((n) > 0 ? (n) : 1) == 0 ? \
			     1 :                                                                  \
			     -1]))

/* Does not compile with a zero, or when the LLCs cannot be split evenly over the nodes. */
#define KTSTR_TOPO(n, l, c, t)                                                            \
	{                                                                                 \
		.numa_nodes = (n) + (uint32_t)KTSTR_TOPO_CHECK_(n, l, c, t), .llcs = (l), \
		.cores = (c), .threads = (t)                                              \
	}

/* Nodes that differ; replaces numa_nodes and llcs. */
#define KTSTR_NODES(...) ((const struct ktstr_node[]){ __VA_ARGS__, { .llcs = UINT32_MAX } })

/* ---- checks ---- */

/*
 * The thresholds of a test: see `ktstr show-thresholds` for what they come to.
 * Order of merging: defaults, scheduler, test; the last value that is given wins.
 */
struct ktstr_assert {
	union {
		int not_starved; /* on by default: no progress, unfair, stuck */
		int not_stuck;	 /* its newer name */
	};
	int isolation; /* on by default for cpusets that never change */
	int64_t max_gap_ms;
	double max_spread_pct;
	double max_run_delay_spread_pct;
	double max_throughput_cv;
	double min_work_rate;
	int64_t max_p99_wake_latency_ns;
	double max_wake_latency_cv;
	double min_iteration_rate;
	double max_migration_ratio;
	double min_page_locality;
	double max_cross_node_migration_ratio;
	double max_slow_tier_ratio;
	/*
	 * Of what the scheduler did, by its events; on by default. The first one is for every
	 * task, kernel threads included, and grows when more than eight want the same CPU.
	 */
	int64_t max_wait_ms;	  /* runnable, and not running */
	double max_idle_wait_pct; /* of a phase: a CPU idles while somebody waits for it */
	int64_t max_idle_wait_ms; /* at a stretch, beside one task */
	double max_share_error_pct; /* of an average share: what a busy worker got, and is due by weight */
	int no_dead_cpus;	    /* a CPU that is never used while somebody waits for it */
	double max_migrations_per_s;	   /* per CPU, beyond those that wakeups explain */
	int64_t max_p99_timer_lateness_ns; /* of TimerLatency workers */
	/*
	 * Of the scheduler's queues, which nothing reads yet: a limit of yours makes a test
	 * under a scheduler inconclusive.
	 */
	double max_imbalance_ratio;
	int64_t max_local_dsq_depth;
	int fail_on_stall;
	double max_fallback_rate;
	double max_keep_last_rate;
	int64_t sustained_samples;
};

/* ---- schedulers ---- */

struct ktstr_flag {
	const char *name;
	const char *const *args;
	const char *const *requires_flags;
};

#define KTSTR_FLAGS(...) ((const struct ktstr_flag[]){ __VA_ARGS__, { .name = NULL } })

struct ktstr_sysctl {
	const char *key, *value;
};

#define KTSTR_SYSCTLS(...) ((const struct ktstr_sysctl[]){ __VA_ARGS__, { .key = NULL } })

/* Which presets a test accepts; 0 = the default of that field. */
struct ktstr_constraints {
	uint32_t min_numa_nodes, max_numa_nodes; /* 1, 1 */
	uint32_t min_llcs, max_llcs;		 /* 1, 12 */
	uint32_t min_cpus, max_cpus;		 /* 1, 192 */
	bool requires_smt;
	bool requires_even_cpus; /* in all, as schedulers that pair CPUs need them */
};

struct ktstr_sched {
	const char *name;
	const char *binary;	 /* looked up on the host */
	const char *binary_path; /* must exist */
	const char *kernel_builtin_enable, *kernel_builtin_disable;
	struct ktstr_topology topology;
	const struct ktstr_node *nodes;
	const char *const *sched_args;
	const struct ktstr_flag *flags;
	const struct ktstr_sysctl *sysctls;
	const char *const *kargs;
	struct ktstr_assert assert;
	struct ktstr_constraints constraints;
	const char *cgroup_parent;
	const char *config_file;
	const char *const *config_file_def; /* argument template with {file}, guest path */
	const char *const *kernels;
	bool ignores_weights; /* nice and cpu.weight mean nothing to it: they are not judged */
	/* Filled in by the macro. */
	const char *file;
	int line;
};

/* ---- tests ---- */

typedef int ktstr_test_fn(struct ktstr_ctx *ctx, struct ktstr_result *res);

enum ktstr_versus { KTSTR_VERSUS_NONE, KTSTR_EEVDF };

/* By how much `ktstr perf-delta` may find a metric of the test worse; nothing else looks at it. */
struct ktstr_perf_delta {
	const char *metric; /* of `ktstr stats list-metrics`, or one that the test reports */
	double max_regression_percent;
	double min_abs;		       /* a smaller change is none; 0 = as the metric has it */
	enum ktstr_polarity direction; /* that is better; 0 = as the metric has it */
	const char *phase;	       /* NULL = the whole run */
};

#define KTSTR_PERF_DELTA(...) ((const struct ktstr_perf_delta[]){ __VA_ARGS__, { .metric = NULL } })

struct ktstr_test {
	const char *name;
	const struct ktstr_sched *scheduler; /* NULL = the kernel's own */
	uint32_t numa_nodes, llcs, cores, threads;
	const struct ktstr_node *nodes;
	const uint8_t *distances; /* nodes x nodes */
	union {
		uint32_t memory_mib;
		uint32_t memory_mb;
	};
	uint32_t duration_s;
	uint32_t duration_ms; /* instead of duration_s */
	uint32_t watchdog_timeout_s;
	uint32_t attach_timeout_s;
	uint32_t return_timeout_s; /* a scheduler that left may be away; 0 = as to attach */
	uint32_t workers_per_cgroup;
	const struct ktstr_payload *payload;
	const struct ktstr_payload *const *workloads;
	const char *const *extra_sched_args;
	const char *const *extra_include_files;
	struct ktstr_assert assert;
	uint32_t min_numa_nodes, max_numa_nodes;
	uint32_t min_llcs, max_llcs;
	uint32_t min_cpus, max_cpus;
	bool requires_smt;
	bool requires_even_cpus;
	const char *const *required_flags;
	const char *const *excluded_flags;
	int auto_repro;
	bool performance_mode;
	bool no_perf_mode;
	uint32_t cpu_budget;
	bool expect_err;
	const char *expect_scx_bpf_error_contains;
	const char *expect_scx_bpf_error_matches;
	bool host_only;
	bool ignore;
	bool allow_inconclusive;
	uint32_t cleanup_budget_ms;
	/*
	 * Periodic snapshots, "periodic_000" and so on: i of N at 0.1 d + (i + 1) 0.8 d / (N + 1) of
	 * the duration d since the scenario began. At most 64, and 100 ms apart or more.
	 */
	uint32_t num_snapshots;
	/*
	 * Up to three names, KTSTR_ARGS("jiffies", "stats.lost"): each write of the kernel or of a BPF
	 * program to that symbol, or to that global variable of the scheduler, takes a snapshot of its
	 * name, from the body's beginning on; 64 of a test are kept. Sim is exact; it makes guests slow.
	 */
	const char *const *watch_snapshots;
	ktstr_post_vm_fn *post_vm; /* looks at the snapshots, on the host: <ktstr/snapshot.h> */
	const struct ktstr_perf_delta *perf_delta_assertions;
	enum ktstr_versus versus;
	int observe;		  /* KTSTR_OFF: scheduling events are not recorded, nor judged */
	const char *offline_cpus; /* taken offline before the body starts */
	const char *accel;	  /* "kvm", "tcg", "sim"; NULL = as the run says */
	uint64_t seed;		  /* 0 = the run's */
	/* Filled in by the macro. */
	const char *file;
	int line;
	bool is_release; /* compiled with optimisation: the stricter default limits */
	ktstr_test_fn *run;
};

#ifdef __OPTIMIZE__
#define KTSTR_IS_RELEASE_ true
#else
#define KTSTR_IS_RELEASE_ false
#endif

#ifdef __cplusplus
/* Designated initialisers in any order, and arrays that are written where they are used. */
#define KTSTR_NEEDS_C_ \
	static_assert(false, "tests of ktstr are written in C; C++ can call its functions")
#define KTSTR_TEST(ident, ...) \
	KTSTR_NEEDS_C_;        \
	static int ident(struct ktstr_ctx *ctx, struct ktstr_result *res)
#define KTSTR_SCHEDULER(ident, ...) KTSTR_NEEDS_C_
#define KTSTR_PAYLOAD(ident, ...) KTSTR_NEEDS_C_
#else
#define KTSTR_TEST(ident, ...)                                                                 \
	static int ident(struct ktstr_ctx *ctx, struct ktstr_result *res);                     \
	static const struct ktstr_test ktstr_test_##ident = { .name = #ident,                  \
							      .file = __FILE__,                \
							      .line = __LINE__,                \
							      .is_release = KTSTR_IS_RELEASE_, \
							      .run = ident,                    \
							      ##__VA_ARGS__ };                 \
	__attribute__((used, section("ktstr_tests"))) static const struct ktstr_test           \
		*const ktstr_test_entry_##ident = &ktstr_test_##ident;                         \
	static int ident(__attribute__((unused)) struct ktstr_ctx *ctx,                        \
			 __attribute__((unused)) struct ktstr_result *res)

#define KTSTR_SCHEDULER(ident, ...)                                                    \
	static const struct ktstr_sched ident = { .file = __FILE__,                    \
						  .line = __LINE__,                    \
						  ##__VA_ARGS__ };                     \
	__attribute__((used, section("ktstr_scheds"))) static const struct ktstr_sched \
		*const ktstr_sched_entry_##ident = &ident

#define KTSTR_PAYLOAD(ident, ...) \
	__attribute__((unused)) static const struct ktstr_payload ident = { __VA_ARGS__ }
#endif

/* ---- running: each returns 0 with the verdict in *res, or a negative errno ---- */

int ktstr_run_defs(struct ktstr_ctx *ctx, struct ktstr_result *res,
		   const struct ktstr_cgroup *defs);
int ktstr_run_steps(struct ktstr_ctx *ctx, struct ktstr_result *res,
		    const struct ktstr_step *steps);
int ktstr_run_steps_with(struct ktstr_ctx *ctx, struct ktstr_result *res,
			 const struct ktstr_step *steps, const struct ktstr_assert *checks);
int ktstr_run_scenario(struct ktstr_ctx *ctx, struct ktstr_result *res,
		       const struct ktstr_scenario_run *run);
int ktstr_run_scenario_with(struct ktstr_ctx *ctx, struct ktstr_result *res,
			    const struct ktstr_scenario_run *run,
			    const struct ktstr_assert *checks);

/* Gives up with a sentence; returns a negative errno: `return ktstr_fail(ctx, "...")`. */
int ktstr_fail(struct ktstr_ctx *ctx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The world around the body. */
uint64_t ktstr_duration_ms(const struct ktstr_ctx *ctx);
uint64_t ktstr_settle_ms(const struct ktstr_ctx *ctx);
unsigned int ktstr_workers_per_cgroup(const struct ktstr_ctx *ctx);
unsigned int ktstr_cpu_count(const struct ktstr_ctx *ctx);
unsigned int ktstr_usable_cpu_count(const struct ktstr_ctx *ctx);
unsigned int ktstr_llc_count(const struct ktstr_ctx *ctx);
unsigned int ktstr_numa_node_count(const struct ktstr_ctx *ctx);
int ktstr_scheduler_pid(const struct ktstr_ctx *ctx); /* 0 = the kernel's own */
uint64_t ktstr_random(struct ktstr_ctx *ctx);	      /* from the run's seed */

/*
 * Verdicts, worst first. A body returns 0 (the verdict is the result's), a negative errno, or
 * one of these: then the worse of it and the result's counts, except that KTSTR_SKIPPED takes
 * back a pass. Every other positive number is a failure, so no errno is equal to a verdict.
 */
enum ktstr_verdict {
	KTSTR_FAILED = 4096,
	KTSTR_INCONCLUSIVE,
	KTSTR_PASSED,
	KTSTR_SKIPPED,
};

enum ktstr_verdict ktstr_result_verdict(const struct ktstr_result *res);
/* Something that the body looked at itself was good. A result that judged nothing is a skip. */
void ktstr_result_pass(struct ktstr_result *res);
void ktstr_result_skip(struct ktstr_result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void ktstr_result_fail(struct ktstr_result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void ktstr_result_inconclusive(struct ktstr_result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A number of the test's own for reports and comparisons. */
void ktstr_result_metric(struct ktstr_result *res, const char *name, double value,
			 enum ktstr_polarity polarity, const char *unit);

/*
 * At exactly this instruction the host looks at all run queues, dispatch queues, tasks and BPF maps
 * of a guest under a scheduler and writes them to NAME.snapshots.json beside the test's record, with
 * this number as their tag and name; at most 64 of a test are kept. In sim it takes no time of the
 * guest. A test with .post_vm or .num_snapshots has it in tcg, too, where the guest stands still
 * meanwhile. Elsewhere the instruction does nothing, and there is no such file.
 */
#if defined(__x86_64__)
#define KTSTR_SNAPSHOT(tag)                                                         \
	__asm__ volatile("nopl 0x6b747374(%%rax)"                                   \
			 :                                                          \
			 : "D"((uint64_t)(tag)), "S"((uint64_t)0), "d"((uint64_t)0) \
			 : "memory")
#else
#define KTSTR_SNAPSHOT(tag) ((void)(tag))
#endif

/*
 * The same under a name of up to 40 characters, as the operation KTSTR_CAPTURE_SNAPSHOT does it; -ENOTSUP
 * with a message where the run has no snapshots.
 */
int ktstr_capture_snapshot(struct ktstr_ctx *ctx, const char *name);

/*
 * A result of one's own, for a part that is judged apart; NULL when out of memory. Merging
 * empties the part and makes the verdict the worse of both; free it afterwards.
 */
struct ktstr_result *ktstr_result_new(void);
void ktstr_result_merge(struct ktstr_result *into, struct ktstr_result *part);
void ktstr_result_free(struct ktstr_result *res);

/* ---- payloads by hand ---- */

struct ktstr_payload_options {
	const char *const *extra_args;
	bool clear_args;
	const struct ktstr_check *checks;
	bool clear_checks;
	const char *in_cgroup;
	uint64_t timeout_ms; /* 0 = none */
};

struct ktstr_metric {
	char *name;
	double value;
};

struct ktstr_metrics {
	struct ktstr_metric *items;
	size_t count;
	int exit_code;
};

struct ktstr_payload_run;

/* Runs it to its end and judges it. metrics may be NULL; free them with ktstr_metrics_free(). */
int ktstr_payload_run(struct ktstr_ctx *ctx, const struct ktstr_payload *payload,
		      const struct ktstr_payload_options *options, struct ktstr_result *res,
		      struct ktstr_metrics *metrics);
int ktstr_payload_spawn(struct ktstr_ctx *ctx, const struct ktstr_payload *payload,
			const struct ktstr_payload_options *options,
			struct ktstr_payload_run **out);
int ktstr_payload_wait(struct ktstr_payload_run *run, struct ktstr_result *res,
		       struct ktstr_metrics *metrics);
/* 1 when it ended (then as _wait), 0 while it runs. */
int ktstr_payload_try_wait(struct ktstr_payload_run *run, struct ktstr_result *res,
			   struct ktstr_metrics *metrics);
int ktstr_payload_kill(struct ktstr_payload_run *run, struct ktstr_result *res,
		       struct ktstr_metrics *metrics);
void ktstr_metrics_free(struct ktstr_metrics *metrics);

extern const struct ktstr_payload ktstr_schbench, ktstr_schbench_hinted, ktstr_schbench_json;
extern const struct ktstr_payload ktstr_fio, ktstr_fio_json, ktstr_stress_ng, ktstr_sysbench;

/* ---- workers by hand ---- */

struct ktstr_workers;

int ktstr_workers_spawn(struct ktstr_ctx *ctx, const struct ktstr_work *work, const char *cgroup,
			struct ktstr_workers **out); /* forked and placed, waiting */
int ktstr_workers_start(struct ktstr_workers *w);
size_t ktstr_workers_pids(const struct ktstr_workers *w, const int **pids);
int ktstr_workers_set_affinity(struct ktstr_workers *w, unsigned int index, const char *cpus);
uint64_t ktstr_workers_snapshot(const struct ktstr_workers *w); /* iterations so far */
/* Stops them and judges them by the test's checks as one cgroup. */
int ktstr_workers_stop_collect(struct ktstr_workers *w, struct ktstr_result *res);
/* The same by these checks instead. */
int ktstr_assert_cgroup(struct ktstr_workers *w, const struct ktstr_assert *checks,
			struct ktstr_result *res);
void ktstr_workers_free(struct ktstr_workers *w);

struct ktstr_crowd; /* several cgroups and the workers in them */

/*
 * Makes cg_0 to cg_{count-1}, lets them settle, and puts workers into each (work NULL =
 * the default kind), which are at work when this returns.
 */
int ktstr_setup_cgroups(struct ktstr_ctx *ctx, unsigned int count, const struct ktstr_work *work,
			struct ktstr_crowd **out);
/* CpuSpin, Bursty, IoSync, Mixed and YieldHeavy in turn, in cgroups that exist; NULL ends. */
int ktstr_spawn_diverse(struct ktstr_ctx *ctx, const char *const *names, struct ktstr_crowd **out);
/* Stops and judges all of them, by the test's checks or by these instead. */
int ktstr_collect_all(struct ktstr_crowd *crowd, const struct ktstr_assert *checks,
		      struct ktstr_result *res);
/* Kills what still works; the cgroups that were made for it go, the last one first. */
void ktstr_crowd_free(struct ktstr_crowd *crowd);

/* ---- cgroups by hand; names are below the test's own parent ---- */

int ktstr_cgroup_create(struct ktstr_ctx *ctx, const char *name);
int ktstr_cgroup_remove(struct ktstr_ctx *ctx, const char *name);
int ktstr_cgroup_set_cpuset(struct ktstr_ctx *ctx, const char *name, const char *cpus);
int ktstr_cgroup_clear_cpuset(struct ktstr_ctx *ctx, const char *name);
int ktstr_cgroup_move_task(struct ktstr_ctx *ctx, const char *name, int pid);
int ktstr_cgroup_move_tasks(struct ktstr_ctx *ctx, const char *name, const int *pids, size_t count);
int ktstr_cgroup_drain(struct ktstr_ctx *ctx, const char *name); /* its tasks go to the root */
/* So that a cgroup with others below it may have tasks of its own. */
int ktstr_cgroup_clear_subtree_control(struct ktstr_ctx *ctx, const char *name);
int ktstr_cgroup_cleanup_all(struct ktstr_ctx *ctx); /* removes everything that the test made */

/* Cgroups that go away together, the last one made first; one that is gone already is fine. */
struct ktstr_cgroup_group;

int ktstr_cgroup_group_new(struct ktstr_ctx *ctx, struct ktstr_cgroup_group **out);
/* Makes a cgroup; cpus is a list such as "0-3,5", or NULL for all. */
int ktstr_cgroup_group_add(struct ktstr_cgroup_group *group, const char *name, const char *cpus);
void ktstr_cgroup_group_free(struct ktstr_cgroup_group *group);

/* ---- ready-made bodies ---- */

ktstr_test_fn ktstr_scn_steady, ktstr_scn_steady_llc, ktstr_scn_oversubscribed,
	ktstr_scn_cpuset_apply, ktstr_scn_cpuset_clear, ktstr_scn_cpuset_resize,
	ktstr_scn_cgroup_add, ktstr_scn_cgroup_remove, ktstr_scn_affinity_change,
	ktstr_scn_affinity_pinned, ktstr_scn_host_contention, ktstr_scn_mixed_workloads,
	ktstr_scn_nested_steady, ktstr_scn_nested_task_move;

#ifdef __cplusplus
}
#endif

#endif

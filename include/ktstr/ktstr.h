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

/* ---- values: the version, and values of attributes ---- */

/* The first number of the version of this header. */
#define KTSTR_VERSION_MAJOR 0
/* The second number of the version of this header. */
#define KTSTR_VERSION_MINOR 2
/* The third number of the version of this header. */
#define KTSTR_VERSION_PATCH 0

/* The version of the library at run time, such as "0.2.0". */
const char *ktstr_version(void);

struct ktstr_ctx;    /* the world a test body runs in */
struct ktstr_result; /* its verdict, details and statistics */

/*
 * Values of attributes. 0 is always "inherit"; a check is switched off with
 * KTSTR_OFF, and a bound that is literally zero is KTSTR_ZERO.
 */

/* Switches a check on. */
#define KTSTR_ON 1
/* Switches a check off, also one that has a default or that the scheduler asks for. */
#define KTSTR_OFF (-1)
/* A limit of literally zero: 0 itself means that the limit is inherited. */
#define KTSTR_ZERO INT64_MIN

/* ---- topology: the virtual machine of a test ---- */

/*
 * How the lines of a memory-side cache are found.
 * @KTSTR_INDEXING_OTHER: in another way than the following ones.
 * @KTSTR_DIRECT_MAPPED: each address has one line.
 * @KTSTR_COMPLEX_INDEXING: by a function that the firmware does not describe.
 */
enum ktstr_cache_indexing { KTSTR_INDEXING_OTHER, KTSTR_DIRECT_MAPPED, KTSTR_COMPLEX_INDEXING };
/*
 * When a memory-side cache writes to the memory behind it.
 * @KTSTR_POLICY_OTHER: at other times than the following ones.
 * @KTSTR_WRITE_BACK: when the line is replaced.
 * @KTSTR_WRITE_THROUGH: with each write.
 */
enum ktstr_cache_policy { KTSTR_POLICY_OTHER, KTSTR_WRITE_BACK, KTSTR_WRITE_THROUGH };

/* A cache in front of a node's memory, as the firmware describes it. */
struct ktstr_mem_side_cache {
	uint32_t size_kib;	/* in KiB; 0 = there is none */
	uint32_t associativity; /* an enum ktstr_cache_indexing */
	uint32_t write_policy;	/* an enum ktstr_cache_policy */
	uint32_t line_size;	/* in bytes */
};

/* A NUMA node of a machine whose nodes differ; nodes with memory only come last. */
struct ktstr_node {
	uint32_t llcs;	     /* LLCs of this node; 0 = memory only */
	uint32_t memory_mib; /* memory in MiB, at least 1 */
	/* In ns, from its nearest CPUs; 0 = not told to the guest. */
	uint32_t latency_ns;
	uint32_t bandwidth_mbs;			    /* in MB/s, as latency_ns */
	struct ktstr_mem_side_cache mem_side_cache; /* needs latency_ns and bandwidth_mbs */
};

/* A machine whose NUMA nodes are alike. */
struct ktstr_topology {
	/* Nodes, LLCs in total, cores per LLC, threads per core. */
	uint32_t numa_nodes, llcs, cores, threads;
};

#define KTSTR_TOPO_CHECK_(n, l, c, t)                                                             \
	(0 *                                                                                      \
	 sizeof(char[(n) > 0 && (l) > 0 && (c) > 0 && (t) > 0 && (l) % ((n) > 0 ? (n) : 1) == 0 ? \
			     1 :                                                                  \
			     -1]))

/*
 * A struct ktstr_topology of nodes, LLCs in total, cores per LLC and threads per core. Does not
 * compile with a zero, or when the LLCs cannot be split evenly over the nodes.
 */
#define KTSTR_TOPO(n, l, c, t)                                                            \
	{                                                                                 \
		.numa_nodes = (n) + (uint32_t)KTSTR_TOPO_CHECK_(n, l, c, t), .llcs = (l), \
		.cores = (c), .threads = (t)                                              \
	}

/* The value of .nodes: nodes that differ. They replace numa_nodes, llcs and memory_mib. */
#define KTSTR_NODES(...) ((const struct ktstr_node[]){ __VA_ARGS__, { .llcs = UINT32_MAX } })

/* ---- checks: thresholds of a test ---- */

/*
 * The thresholds of a test. `ktstr show-thresholds TEST` prints them as they are merged:
 * defaults, scheduler, test; the last value that is given wins.
 */
struct ktstr_assert {
	union {
		/*
		 * On by default: every worker makes progress; max_gap_ms and max_spread_pct have
		 * defaults.
		 */
		int not_starved;
		int not_stuck; /* the newer name of not_starved */
	};
	/* On by default: no worker runs outside of its cpuset, if that never changed. */
	int isolation;
	/*
	 * A worker may make no progress for so long; 0 = 2000, of tests compiled without
	 * optimisation 3000. One that is given also replaces max_wait_ms for workers.
	 */
	int64_t max_gap_ms;
	/*
	 * Largest difference, in percentage points, between workers of a cgroup in their share of
	 * time off the CPU; 0 = 15, of tests compiled without optimisation 35.
	 */
	double max_spread_pct;
	/* The same of the share of time runnable and not running; 0 = not checked. */
	double max_run_delay_spread_pct;
	/*
	 * Coefficient of variation of the work units per second of CPU time of a cgroup's workers;
	 * 0 = not checked.
	 */
	double max_throughput_cv;
	/* Work units per second of CPU time of each worker; 0 = not checked. */
	double min_work_rate;
	/*
	 * 99th percentile of the wake latencies that the workers of a cgroup measure; 0 = not
	 * checked.
	 */
	int64_t max_p99_wake_latency_ns;
	/* Coefficient of variation of these latencies; 0 = not checked. */
	double max_wake_latency_cv;
	/*
	 * Iterations per second of each worker, in sim per second of its CPU time; 0 = not checked.
	 */
	double min_iteration_rate;
	/* Migrations of a cgroup's workers by their iterations; 0 = not checked. */
	double max_migration_ratio;
	/*
	 * Part, 0 to 1, of a worker's pages that are on the nodes of its cpuset; 0 = not checked.
	 */
	double min_page_locality;
	/*
	 * Pages that the kernel migrated between nodes, by the pages of a worker; 0 = not checked.
	 */
	double max_cross_node_migration_ratio;
	/*
	 * Part, 0 to 1, of a worker's pages that are on other nodes than those of its cpuset; 0 =
	 * not checked.
	 */
	double max_slow_tier_ratio;
	/* What the scheduler did, by the events of the kernel. These are on by default. */
	/*
	 * A task may be runnable and not run for so long, a kernel thread for half of it; 0 = 250.
	 * Grows when more than four tasks want the same CPU.
	 */
	int64_t max_wait_ms;
	/*
	 * Percent of a phase that a CPU may idle while tasks wait that may run there, and half of it
	 * for all CPUs together; 0 = 20.
	 */
	double max_idle_wait_pct;
	/* While one task waits, a CPU that may run it may idle for so long in all; 0 = 100. */
	int64_t max_idle_wait_ms;
	/*
	 * Percent of an average share by which CPU time of busy workers may differ from what their
	 * weights entitle them to; 0 = 20. Half of it for one worker where all are due the same
	 * and no CPU is kept for anybody.
	 */
	double max_share_error_pct;
	/*
	 * Workers that sleep at times may wait so many times as long, on average, as those that are
	 * always busy and compete with them; 0 = 3. Waits below 25 ms are not compared.
	 */
	double max_wakeup_wait_ratio;
	/* KTSTR_ON or KTSTR_OFF: every CPU is used at times while tasks wait that may run there. */
	int no_dead_cpus;
	/* Migrations per second and CPU, beyond those that wakeups explain; 0 = 1000. */
	double max_migrations_per_s;
	/*
	 * 99th percentile of how late the timers of TimerLatency workers are; 0 = 25 ms, more with
	 * several runnable tasks per CPU.
	 */
	int64_t max_p99_timer_lateness_ns;
	/*
	 * Queues of a guest under a scheduler, which the host reads ten times a second. Beyond a
	 * default nothing fails: the report says so. Beyond a limit of the test it fails; where the
	 * guest could not be watched, such a limit makes it inconclusive.
	 */
	/* The longest run queue by the shortest, which counts as 1 at least; 0 = 4. */
	double max_imbalance_ratio;
	int64_t max_local_dsq_depth; /* Tasks in the local DSQ of any CPU; 0 = 50. */
	/*
	 * KTSTR_ON or KTSTR_OFF: the clock of no CPU with runnable tasks stands still; on by
	 * default.
	 */
	int fail_on_stall;
	/* SCX_EV_SELECT_CPU_FALLBACK events per second; 0 = 200. */
	double max_fallback_rate;
	double max_keep_last_rate; /* SCX_EV_DISPATCH_KEEP_LAST events per second; 0 = 100. */
	/* So many samples in a row have to be beyond a limit; 0 = 5. */
	int64_t sustained_samples;
};

/* ---- schedulers: declaring the scheduler under test ---- */

/* A feature of a scheduler that tests switch on; the gauntlet combines them. */
struct ktstr_flag {
	const char *name;		   /* not empty, without + / \ and blanks */
	const char *const *args;	   /* arguments that switch it on */
	const char *const *requires_flags; /* names of flags that it needs */
};

/* The value of .flags: a list of flags. */
#define KTSTR_FLAGS(...) ((const struct ktstr_flag[]){ __VA_ARGS__, { .name = NULL } })

/* A sysctl of the guest. */
struct ktstr_sysctl {
	const char *key, *value; /* its name with dots, and its value of one word */
};

/* The value of .sysctls: a list of sysctls. */
#define KTSTR_SYSCTLS(...) ((const struct ktstr_sysctl[]){ __VA_ARGS__, { .key = NULL } })

/*
 * The value of .invariants: what global variables of the scheduler's BPF programs are at all times.
 * Each is a text "VARIABLE OP VARIABLE" or "VARIABLE OP NUMBER"; OP is one of == != <= >= < >, and
 * VARIABLE may be a part of one: "stats.lost == 0". The host reads them ten times a second and at
 * snapshots; one that does not hold fails the test with its value and the time.
 */
#define KTSTR_INVARIANT(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Which machines of the gauntlet and of `ktstr verifier` a test or a scheduler accepts. */
struct ktstr_constraints {
	uint32_t min_numa_nodes, max_numa_nodes; /* fewest and most; 0 = 1 and 1 */
	uint32_t min_llcs, max_llcs;		 /* fewest and most; 0 = 1 and 12 */
	uint32_t min_cpus, max_cpus;		 /* fewest and most; 0 = 1 and 192 */
	/* Only machines with several threads per core. */
	bool requires_smt;
	/* Only machines with an even number of CPUs, as schedulers that pair CPUs need it. */
	bool requires_even_cpus;
};

/* A scheduler. It is started by exactly one of binary, binary_path and kernel_builtin_enable. */
struct ktstr_sched {
	/* Its name in reports; without / and \. */
	const char *name;
	/* Name of a program that is looked up on the host. */
	const char *binary;
	/* Path of a program, which must exist. */
	const char *binary_path;
	/*
	 * Shell commands of the guest that switch a scheduler of the kernel on and off; both are
	 * needed.
	 */
	const char *kernel_builtin_enable, *kernel_builtin_disable;
	/* Machine of its tests; all 0 = 1, 1, 2, 1. */
	struct ktstr_topology topology;
	/* KTSTR_NODES(): instead of equal nodes. */
	const struct ktstr_node *nodes;
	/* KTSTR_ARGS(): arguments of all tests. */
	const char *const *sched_args;
	/* KTSTR_FLAGS(): its features. */
	const struct ktstr_flag *flags;
	/* KTSTR_SYSCTLS(): set when the guest boots. */
	const struct ktstr_sysctl *sysctls;
	/* KTSTR_ARGS(): for the kernel's command line. */
	const char *const *kargs;
	/* KTSTR_INVARIANT(): what its variables are at all times; 32 at most. */
	const char *const *invariants;
	/* Thresholds of its tests. */
	struct ktstr_assert assert;
	/* Machines that it supports. */
	struct ktstr_constraints constraints;
	/* "/name": cgroups of tests are made below it; NULL = one of their own. */
	const char *cgroup_parent;
	/* A file of the host that the guest gets, with `--config FILE`. */
	const char *config_file;
	/*
	 * KTSTR_ARGS() of an argument with {file} and a path in the guest: how config_file is
	 * handed over instead.
	 */
	const char *const *config_file_def;
	/*
	 * KTSTR_ARGS() of versions, ranges or labels: the kernels of `ktstr verifier` that it is
	 * loaded on; NULL = all.
	 */
	const char *const *kernels;
	/* True: it knows neither nice nor cpu.weight, and shares by weight are not judged. */
	bool ignores_weights;
	/* Source file; filled in by KTSTR_SCHEDULER(). */
	const char *file;
	/* Line there; filled in by KTSTR_SCHEDULER(). */
	int line;
};

/* ---- tests: declaring tests ---- */

/* The body of a test. It returns 0, a negative errno or an enum ktstr_verdict. */
typedef int ktstr_test_fn(struct ktstr_ctx *ctx, struct ktstr_result *res);

/*
 * What a scheduler is compared with.
 * @KTSTR_VERSUS_NONE: nothing.
 * @KTSTR_EEVDF: the same steps again in the same VM after the scheduler was detached.
 */
enum ktstr_versus { KTSTR_VERSUS_NONE, KTSTR_EEVDF };

/* By how much `ktstr perf-delta` may find a metric of the test worse; nothing else looks at it. */
struct ktstr_perf_delta {
	/* Of `ktstr stats list-metrics`, or one that the test reports. */
	const char *metric;
	double max_regression_percent; /* so much worse is accepted */
	double min_abs;		       /* a smaller change is none; 0 = as the metric has it */
	enum ktstr_polarity direction; /* that is better; 0 = as the metric has it */
	const char *phase;	       /* NULL = the whole run */
};

/* The value of .perf_delta_assertions: a list of them. */
#define KTSTR_PERF_DELTA(...) ((const struct ktstr_perf_delta[]){ __VA_ARGS__, { .metric = NULL } })

/* A test: what KTSTR_TEST() is given as `.attribute = value`. */
struct ktstr_test {
	/* The identifier that KTSTR_TEST() is given. */
	const char *name;
	const struct ktstr_sched *scheduler; /* NULL = EEVDF, the kernel's own */
	/*
	 * NUMA nodes, LLCs in total, cores per LLC, threads per core; each 0 = as the scheduler has
	 * it, else 1, 1, 2, 1.
	 */
	uint32_t numa_nodes, llcs, cores, threads;
	/* KTSTR_NODES(): nodes that differ. */
	const struct ktstr_node *nodes;
	/* Distances of all nodes to all nodes by rows, 10 within a node; NULL = 20 between two. */
	const uint8_t *distances;
	union {
		/* Memory of the guest in MiB; 0 = 2048. */
		uint32_t memory_mib;
		uint32_t memory_mb; /* another name of memory_mib */
	};
	uint32_t duration_s;  /* how long it runs; 0 = 2 s */
	uint32_t duration_ms; /* the same in ms, instead */
	/* Limit of sched_ext's watchdog; 0 = 4. */
	uint32_t watchdog_timeout_s;
	/*
	 * A scheduler has to attach within so long; 0 = by the accelerator, 30 s where the CPU is
	 * emulated.
	 */
	uint32_t attach_timeout_s;
	/* A scheduler that left may be away so long; 0 = as attach_timeout_s. */
	uint32_t return_timeout_s;
	/* Workers of cgroups that do not say it; 0 = 2. */
	uint32_t workers_per_cgroup;
	/* A program that is packed into the guest. */
	const struct ktstr_payload *payload;
	/* More such programs; NULL ends them. */
	const struct ktstr_payload *const *workloads;
	/* KTSTR_ARGS(): after those of the scheduler. */
	const char *const *extra_sched_args;
	/* KTSTR_ARGS(): files for the guest. */
	const char *const *extra_include_files;
	struct ktstr_assert assert; /* thresholds */
	/*
	 * Machines of the gauntlet that it accepts, as in struct ktstr_constraints; 0 = as the
	 * scheduler.
	 */
	uint32_t min_numa_nodes, max_numa_nodes;
	uint32_t min_llcs, max_llcs; /* the same of LLCs */
	uint32_t min_cpus, max_cpus; /* the same of CPUs */
	/* Only machines with several threads per core. */
	bool requires_smt;
	/* Only machines with an even number of CPUs. */
	bool requires_even_cpus;
	/* Flags of the scheduler that are always on. */
	const char *const *required_flags;
	const char *const *excluded_flags; /* flags that are never on */
	/* KTSTR_OFF: a failure in sim is not run again to explain it. */
	int auto_repro;
	/* The VM has whole LLCs of the host for itself, and pinned vCPUs. */
	bool performance_mode;
	/* No CPUs of the host are reserved. */
	bool no_perf_mode;
	/* Host CPUs that the VM may use; 0 = as the run says. */
	uint32_t cpu_budget;
	bool expect_err; /* a failure is the success */
	/* With expect_err: this text is in the scheduler's exit message or in its log. */
	const char *expect_scx_bpf_error_contains;
	/* The same by an extended regular expression. */
	const char *expect_scx_bpf_error_matches;
	/* The body runs on this machine, without a VM. */
	bool host_only;
	bool ignore;		 /* runs only with --run-ignored */
	bool allow_inconclusive; /* inconclusive counts as skipped */
	/* Tearing down may take so long; 0 = no limit. */
	uint32_t cleanup_budget_ms;
	/*
	 * Periodic snapshots, "periodic_000" and so on: i of N at 0.1 d + (i + 1) 0.8 d / (N + 1) of
	 * the duration d since the scenario began. At most 64, and 100 ms apart or more.
	 */
	uint32_t num_snapshots;
	/*
	 * Up to three names, KTSTR_ARGS("jiffies", "stats.lost"): each write of the kernel or of a BPF
	 * program to that symbol, or to that global variable of the scheduler, takes a snapshot of its
	 * name, from the body's beginning on; 64 of a test are kept. Sim is exact; sim and tcg make guests
	 * slow by it. Under kvm a place has 1, 2, 4 or 8 bytes.
	 */
	const char *const *watch_snapshots;
	/*
	 * KTSTR_ARGS("state.mode=3"), up to 16: the host writes to these global variables of the scheduler,
	 * of 1, 2, 4 or 8 bytes, before the body begins. Constants (.rodata) are in the programs' code.
	 */
	const char *const *bpf_map_write;
	ktstr_post_vm_fn *post_vm; /* looks at the snapshots, on the host: <ktstr/snapshot.h> */
	/* The same, also after a body that failed and a guest that ended without a result. */
	ktstr_post_vm_fn *post_vm_unconditional;
	const struct ktstr_perf_delta *perf_delta_assertions; /* KTSTR_PERF_DELTA() */
	/* KTSTR_EEVDF: the same steps under EEVDF, too. */
	enum ktstr_versus versus;
	int observe; /* KTSTR_OFF: scheduling events are not recorded, nor judged */
	/* "1-3,5": taken offline before the body starts. */
	const char *offline_cpus;
	/* "kvm", "tcg", "sim"; NULL = as the run says. */
	const char *accel;
	/* Seed of random numbers; 0 = the run's. */
	uint64_t seed;
	/* Source file; filled in by KTSTR_TEST(). */
	const char *file;
	/* Line there; filled in by KTSTR_TEST(). */
	int line;
	/* Compiled with optimisation; filled in by KTSTR_TEST(). */
	bool is_release;
	/* The body; filled in by KTSTR_TEST(). */
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
/*
 * Declares a test and begins its body: KTSTR_TEST(name, .attribute = value, ...) { ... }. The body
 * has the arguments ctx and res.
 */
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

/* Declares a scheduler as a static struct ktstr_sched of that name. */
#define KTSTR_SCHEDULER(ident, ...)                                                    \
	static const struct ktstr_sched ident = { .file = __FILE__,                    \
						  .line = __LINE__,                    \
						  ##__VA_ARGS__ };                     \
	__attribute__((used, section("ktstr_scheds"))) static const struct ktstr_sched \
		*const ktstr_sched_entry_##ident = &ident

/* Declares a payload as a static struct ktstr_payload of that name. */
#define KTSTR_PAYLOAD(ident, ...) \
	__attribute__((unused)) static const struct ktstr_payload ident = { __VA_ARGS__ }
#endif

/* ---- running: what a body runs, and the world around it ---- */

/* What these find is in *res; they return 0, or -EINTR when the test is told to stop. */

/*
 * Runs these cgroups and their workers for the duration of the test; an element without a name ends
 * the list.
 */
int ktstr_run_defs(struct ktstr_ctx *ctx, struct ktstr_result *res,
		   const struct ktstr_cgroup *defs);
/* Runs steps one after the other, each with cgroups, operations and a time to hold. */
int ktstr_run_steps(struct ktstr_ctx *ctx, struct ktstr_result *res,
		    const struct ktstr_step *steps);
/* The same, judged by these thresholds instead of those of the test. */
int ktstr_run_steps_with(struct ktstr_ctx *ctx, struct ktstr_result *res,
			 const struct ktstr_step *steps, const struct ktstr_assert *checks);
/* Runs steps with a backdrop: cgroups, operations and payloads that live across them. */
int ktstr_run_scenario(struct ktstr_ctx *ctx, struct ktstr_result *res,
		       const struct ktstr_scenario_run *run);
/* The same, judged by these thresholds instead of those of the test. */
int ktstr_run_scenario_with(struct ktstr_ctx *ctx, struct ktstr_result *res,
			    const struct ktstr_scenario_run *run,
			    const struct ktstr_assert *checks);

/* Gives up with a sentence and returns -ECANCELED: `return ktstr_fail(ctx, "...")`. */
int ktstr_fail(struct ktstr_ctx *ctx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The world around the body. */

/* The duration of the test, as it or the run says. */
uint64_t ktstr_duration_ms(const struct ktstr_ctx *ctx);
/* How long to wait after making cgroups, until a scheduler has seen them: 500 ms. */
uint64_t ktstr_settle_ms(const struct ktstr_ctx *ctx);
/* Workers of a cgroup that does not say how many it has. */
unsigned int ktstr_workers_per_cgroup(const struct ktstr_ctx *ctx);
/* CPUs that are online when the body starts. */
unsigned int ktstr_cpu_count(const struct ktstr_ctx *ctx);
/* CPUs for cpusets: all, or all but the last where there are more than two. */
unsigned int ktstr_usable_cpu_count(const struct ktstr_ctx *ctx);
/* LLCs of the machine. */
unsigned int ktstr_llc_count(const struct ktstr_ctx *ctx);
/* NUMA nodes of the machine. */
unsigned int ktstr_numa_node_count(const struct ktstr_ctx *ctx);
/* Process id of the scheduler; 0 = there is none, or it is the kernel's own. */
int ktstr_scheduler_pid(const struct ktstr_ctx *ctx);
/* The next random number, from the seed of the run. */
uint64_t ktstr_random(struct ktstr_ctx *ctx);

/* ---- results: verdicts, details and metrics ---- */

/*
 * Verdicts, worst first. A body returns 0 (the verdict is the result's), a negative errno, or
 * one of these: then the worse of it and the result's counts, except that KTSTR_SKIPPED takes
 * back a pass. Every other positive number is a failure, so no errno is equal to a verdict.
 */
enum ktstr_verdict {
	KTSTR_FAILED = 4096, /* a check was violated, or the body gave up */
	KTSTR_INCONCLUSIVE,  /* something that was to be judged could not be */
	KTSTR_PASSED,	     /* everything that was judged was good */
	KTSTR_SKIPPED,	     /* nothing was judged */
};

/* The worst verdict so far. */
enum ktstr_verdict ktstr_result_verdict(const struct ktstr_result *res);
/* Something that the body looked at itself was good. A result that judged nothing is a skip. */
void ktstr_result_pass(struct ktstr_result *res);
/* Says why something was not judged. A verdict that is there already stays. */
void ktstr_result_skip(struct ktstr_result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Fails the result, with a detail. */
void ktstr_result_fail(struct ktstr_result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Makes the result inconclusive unless it failed, with a detail. */
void ktstr_result_inconclusive(struct ktstr_result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds a number of the test's own for reports and comparisons; unit may be NULL. */
void ktstr_result_metric(struct ktstr_result *res, const char *name, double value,
			 enum ktstr_polarity polarity, const char *unit);

/*
 * At exactly this instruction the host looks at all run queues, dispatch queues, tasks and BPF maps
 * of a guest under a scheduler and writes them to NAME.snapshots.json beside the test's record, with
 * this number as their tag and name; at most 64 of a test are kept. In sim it takes no time of the
 * guest. A test with .post_vm or .num_snapshots has it in tcg, too, where the guest stands still
 * meanwhile. Elsewhere the instruction does nothing, and no file is written: under kvm use
 * ktstr_capture_snapshot().
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

/* Makes a result of its own for a part that is judged apart; NULL when out of memory. */
struct ktstr_result *ktstr_result_new(void);
/* Moves everything of a part into a result, whose verdict is the worse of both then. */
void ktstr_result_merge(struct ktstr_result *into, struct ktstr_result *part);
/* Frees a result of ktstr_result_new(); NULL is fine. */
void ktstr_result_free(struct ktstr_result *res);

#ifdef __cplusplus
}
#endif

#include <ktstr/by_hand.h>

#endif

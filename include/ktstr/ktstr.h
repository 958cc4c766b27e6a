/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ktstr: test harness for Linux process schedulers.
 *
 * The public C API for test authors. A test is five lines:
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
 * `ktstr test FILE.c` compiles and runs it. Programs that you build yourself link
 * with `pkg-config --libs ktstr`; the library contains main().
 *
 * A test is described by plain data: structs with designated initialisers. Omitted
 * fields are inherited or have a default. Compile with -Werror=override-init (clang:
 * -Werror=initializer-overrides), so that an attribute given twice is an error. Tests
 * are written in C (gnu11 or newer); C++ code can include this header to call the
 * functions.
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

/* ---- values: the version, and attribute values ---- */

/* Major version of this header. */
#define KTSTR_VERSION_MAJOR 0
/* Minor version of this header. */
#define KTSTR_VERSION_MINOR 2
/* Patch version of this header. */
#define KTSTR_VERSION_PATCH 0

/* The version of the library at run time, such as "0.2.0". */
const char *ktstr_version(void);

struct ktstr_ctx;    /* context of a test body */
struct ktstr_result; /* its verdict, details and statistics */

/*
 * Values of attributes. 0 always means "inherit"; KTSTR_OFF disables a check, and
 * KTSTR_ZERO is a limit of zero.
 */

/* Enables a check. */
#define KTSTR_ON 1
/* Disables a check, also one that has a default or that the scheduler sets. */
#define KTSTR_OFF (-1)
/* A limit of zero: 0 itself means that the limit is inherited. */
#define KTSTR_ZERO INT64_MIN

/* ---- topology: the virtual machine of a test ---- */

/*
 * How a memory-side cache is indexed.
 * @KTSTR_INDEXING_OTHER: none of the following.
 * @KTSTR_DIRECT_MAPPED: each address has one line.
 * @KTSTR_COMPLEX_INDEXING: by a function that the firmware does not describe.
 */
enum ktstr_cache_indexing { KTSTR_INDEXING_OTHER, KTSTR_DIRECT_MAPPED, KTSTR_COMPLEX_INDEXING };
/*
 * When a memory-side cache writes to memory.
 * @KTSTR_POLICY_OTHER: none of the following.
 * @KTSTR_WRITE_BACK: when the line is replaced.
 * @KTSTR_WRITE_THROUGH: with each write.
 */
enum ktstr_cache_policy { KTSTR_POLICY_OTHER, KTSTR_WRITE_BACK, KTSTR_WRITE_THROUGH };

/* A memory-side cache of a node, as the firmware describes it. */
struct ktstr_mem_side_cache {
	uint32_t size_kib;	/* in KiB; 0 = no cache */
	uint32_t associativity; /* an enum ktstr_cache_indexing */
	uint32_t write_policy;	/* an enum ktstr_cache_policy */
	uint32_t line_size;	/* in bytes */
};

/* A NUMA node of a machine whose nodes differ; memory-only nodes come last. */
struct ktstr_node {
	uint32_t llcs;	     /* LLCs of this node; 0 = memory only */
	uint32_t memory_mib; /* memory in MiB, at least 1 */
	/* In ns, from its nearest CPUs; 0 = not reported to the guest. */
	uint32_t latency_ns;
	uint32_t bandwidth_mbs;			    /* in MB/s, like latency_ns */
	struct ktstr_mem_side_cache mem_side_cache; /* needs latency_ns and bandwidth_mbs */
};

/* A machine with equal NUMA nodes. */
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
 * compile if a number is 0, or if the LLCs cannot be split evenly over the nodes.
 */
#define KTSTR_TOPO(n, l, c, t)                                                            \
	{                                                                                 \
		.numa_nodes = (n) + (uint32_t)KTSTR_TOPO_CHECK_(n, l, c, t), .llcs = (l), \
		.cores = (c), .threads = (t)                                              \
	}

/* The value of .nodes: nodes that differ. Replaces numa_nodes, llcs and memory_mib. */
#define KTSTR_NODES(...) ((const struct ktstr_node[]){ __VA_ARGS__, { .llcs = UINT32_MAX } })

/* ---- checks: thresholds of a test ---- */

/*
 * The thresholds of a test. `ktstr show-thresholds TEST` prints the merged values: the test
 * overrides the scheduler, which overrides the defaults.
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
	/* On by default: no worker runs outside its cpuset, if that never changed. */
	int isolation;
	/*
	 * Longest time without progress of a worker; 0 = 2000, or 3000 for tests compiled without
	 * optimisation. An explicit value also replaces max_wait_ms for workers.
	 */
	int64_t max_gap_ms;
	/*
	 * Largest difference, in percentage points, between workers of a cgroup in their share of
	 * time off the CPU; 0 = 15, or 35 for tests compiled without optimisation.
	 */
	double max_spread_pct;
	/* The same for the share of time runnable but not running; 0 = not checked. */
	double max_run_delay_spread_pct;
	/*
	 * Largest coefficient of variation of the work units per second of CPU time of a cgroup's
	 * workers; 0 = not checked.
	 */
	double max_throughput_cv;
	/* Fewest work units per second of CPU time of each worker; 0 = not checked. */
	double min_work_rate;
	/*
	 * Largest 99th percentile of the wake latencies that the workers of a cgroup measure; 0 =
	 * not checked.
	 */
	int64_t max_p99_wake_latency_ns;
	/* Largest coefficient of variation of these latencies; 0 = not checked. */
	double max_wake_latency_cv;
	/*
	 * Fewest iterations per second of each worker, in sim per second of its CPU time; 0 = not
	 * checked.
	 */
	double min_iteration_rate;
	/* Most migrations per iteration of a cgroup's workers; 0 = not checked. */
	double max_migration_ratio;
	/*
	 * Smallest part, 0 to 1, of a worker's pages on the nodes of its cpuset; 0 = not checked.
	 */
	double min_page_locality;
	/*
	 * Most pages that the kernel migrated between nodes, per page of a worker; 0 = not checked.
	 */
	double max_cross_node_migration_ratio;
	/*
	 * Largest part, 0 to 1, of a worker's pages on other nodes than those of its cpuset; 0 =
	 * not checked.
	 */
	double max_slow_tier_ratio;
	/* The following are judged by scheduling events of the kernel, and on by default. */
	/*
	 * Longest time that a task may be runnable without running; 0 = 250. The limit grows when
	 * more than four tasks compete for the same CPU.
	 */
	int64_t max_wait_ms;
	int64_t max_kernel_wait_ms; /* The same for a kernel thread; 0 = 125. */
	/*
	 * Largest part of a phase, in percent, that a CPU may idle while tasks that may run there
	 * wait; 0 = 20.
	 */
	double max_idle_wait_pct;
	/* The same for all CPUs together; 0 = 10. Half of it if every single CPU idles so much. */
	double max_all_idle_wait_pct;
	/*
	 * Total time that a CPU may idle while one task that may run there waits, and longest time
	 * that it may idle without interruption while there is always such a task; 0 = 100.
	 */
	int64_t max_idle_wait_ms;
	/*
	 * Largest difference, in percent of an average share, between the CPU time of busy workers
	 * and the share that their weights entitle them to; 0 = 20.
	 */
	double max_share_error_pct;
	/*
	 * The same for a single worker if all are entitled to the same share and no CPU is reserved
	 * for some of them; 0 = 10.
	 */
	double max_even_share_error_pct;
	/*
	 * Largest ratio of the average wait of workers that sleep at times, and of tasks that are
	 * created in the phase, to that of always busy workers that compete with them; 0 = 3. Waits
	 * up to the length of a slice, 10 to 25 ms, are not compared.
	 */
	double max_wakeup_wait_ratio;
	/* KTSTR_ON or KTSTR_OFF: no CPU stays unused while tasks that may run there wait. */
	int no_dead_cpus;
	/* Most migrations per second and CPU, without those caused by wakeups; 0 = 1000. */
	double max_migrations_per_s;
	/*
	 * Most migrations per second of CPU time of tasks that were not woken and had not waited for
	 * 1 ms either, beyond one for each wakeup; 0 = 150.
	 */
	double max_hasty_migrations_per_s;
	/*
	 * Most of the wakeups of a group of workers, in percent, that leave a CPU which is idle, and to
	 * which nobody else is on the way, for another one; 0 = 60.
	 */
	double max_needless_wakeup_pct;
	/*
	 * Most times per second of their CPU time that workers which are always busy begin to run,
	 * beyond one for each wakeup of any task; 0 = 2000.
	 */
	double max_switches_per_s;
	/*
	 * Most CPU time of the scheduler's own process, in microseconds, for each time that any other task
	 * begins to run, where that process has more than a quarter of a CPU; 0 = 250.
	 */
	double max_scheduler_us_per_run;
	/*
	 * Largest 99th percentile of the lateness of timers of TimerLatency workers; 0 = 25 ms,
	 * more with several runnable tasks per CPU.
	 */
	int64_t max_p99_timer_lateness_ns;
	/*
	 * Limits of the queues of a guest under a scheduler, which the host reads ten times a
	 * second. A violated default is only reported. A violated limit of the test fails it; if
	 * the guest could not be monitored, such a limit makes the test inconclusive.
	 */
	/* Longest run queue divided by the shortest, which counts as at least 1; 0 = 4. */
	double max_imbalance_ratio;
	int64_t max_local_dsq_depth; /* Most tasks in the local DSQ of any CPU; 0 = 50. */
	union {
		/*
		 * KTSTR_ON or KTSTR_OFF: the run queue clock of every CPU with runnable tasks
		 * advances, unless the host did not let its vCPU run; on by default.
		 */
		int fail_on_stall;
		int fail_on_rq_clock_stuck; /* Another name of fail_on_stall. */
	};
	/* Most SCX_EV_SELECT_CPU_FALLBACK events per second; 0 = 200. */
	double max_fallback_rate;
	double max_keep_last_rate; /* Most SCX_EV_DISPATCH_KEEP_LAST events per second; 0 = 100. */
	/* Consecutive samples that have to violate a limit; 0 = 5. */
	int64_t sustained_samples;
};

/* ---- schedulers: declaring the scheduler under test ---- */

/* A feature of a scheduler that tests enable; the gauntlet combines them. */
struct ktstr_flag {
	const char *name;		   /* not empty, without + / \ and spaces */
	const char *const *args;	   /* arguments that enable it */
	const char *const *requires_flags; /* names of flags that it requires */
};

/* The value of .flags: a list of flags. */
#define KTSTR_FLAGS(...) ((const struct ktstr_flag[]){ __VA_ARGS__, { .name = NULL } })

/* A sysctl of the guest. */
struct ktstr_sysctl {
	const char *key, *value; /* name with dots, and value of one word */
};

/* The value of .sysctls: a list of sysctls. */
#define KTSTR_SYSCTLS(...) ((const struct ktstr_sysctl[]){ __VA_ARGS__, { .key = NULL } })

/*
 * The value of .invariants: conditions on global variables of the scheduler's BPF programs. Each
 * is a string "VARIABLE OP VARIABLE" or "VARIABLE OP NUMBER"; OP is one of == != <= >= < >, and
 * VARIABLE may be a member: "stats.lost == 0". The host checks them ten times a second and at
 * snapshots; a violated condition fails the test with the value and the time.
 */
#define KTSTR_INVARIANT(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Machines of the gauntlet and of `ktstr verifier` that a test or a scheduler accepts. */
struct ktstr_constraints {
	uint32_t min_numa_nodes, max_numa_nodes; /* minimum and maximum; 0 = 1 and 1 */
	uint32_t min_llcs, max_llcs;		 /* minimum and maximum; 0 = 1 and 12 */
	uint32_t min_cpus, max_cpus;		 /* minimum and maximum; 0 = 1 and 192 */
	/* Only machines with several threads per core. */
	bool requires_smt;
	/* Only machines with an even number of CPUs, for schedulers that pair CPUs. */
	bool requires_even_cpus;
};

/* A scheduler. It is started by exactly one of binary, binary_path and kernel_builtin_enable. */
struct ktstr_sched {
	/* Name in reports; without / and \. */
	const char *name;
	/* Name of a program that is looked up on the host. */
	const char *binary;
	/* Path of a program, which must exist. */
	const char *binary_path;
	/*
	 * Shell commands that enable and disable a scheduler of the kernel in the guest; both are
	 * required.
	 */
	const char *kernel_builtin_enable, *kernel_builtin_disable;
	/* Default machine of its tests; all 0 = 1, 1, 2, 1. */
	struct ktstr_topology topology;
	/* KTSTR_NODES(): nodes that differ. */
	const struct ktstr_node *nodes;
	/* KTSTR_ARGS(): arguments in all tests. */
	const char *const *sched_args;
	/* KTSTR_FLAGS(): its features. */
	const struct ktstr_flag *flags;
	/* KTSTR_SYSCTLS(): set when the guest boots. */
	const struct ktstr_sysctl *sysctls;
	/* KTSTR_ARGS(): added to the kernel command line. */
	const char *const *kargs;
	/* KTSTR_INVARIANT(): conditions on its variables; 32 at most. */
	const char *const *invariants;
	/* Thresholds of its tests. */
	struct ktstr_assert assert;
	/* Machines that it supports. */
	struct ktstr_constraints constraints;
	/* "/name": cgroups of tests are created below it; NULL = a separate one. */
	const char *cgroup_parent;
	/* A file of the host that is copied to the guest and passed as `--config FILE`. */
	const char *config_file;
	/*
	 * KTSTR_ARGS() of an argument with {file} and a path in the guest: another way to pass
	 * config_file.
	 */
	const char *const *config_file_def;
	/*
	 * KTSTR_ARGS() of versions, ranges or labels: kernels on which `ktstr verifier` loads it;
	 * NULL = all.
	 */
	const char *const *kernels;
	/* True: it ignores nice and cpu.weight, and shares by weight are not judged. */
	bool ignores_weights;
	/* Source file; filled in by KTSTR_SCHEDULER(). */
	const char *file;
	/* Line in that file; filled in by KTSTR_SCHEDULER(). */
	int line;
};

/* ---- tests: declaring tests ---- */

/* The body of a test. It returns 0, a negative errno or an enum ktstr_verdict. */
typedef int ktstr_test_fn(struct ktstr_ctx *ctx, struct ktstr_result *res);

/*
 * What a scheduler is compared with.
 * @KTSTR_VERSUS_NONE: nothing.
 * @KTSTR_EEVDF: the same steps in the same VM after the scheduler was detached.
 */
enum ktstr_versus { KTSTR_VERSUS_NONE, KTSTR_EEVDF };

/* Limit of the regression of a metric in `ktstr perf-delta`; not used elsewhere. */
struct ktstr_perf_delta {
	/* Name in `ktstr stats list-metrics`, or of a metric that the test reports. */
	const char *metric;
	double max_regression_percent; /* largest accepted regression */
	double min_abs;		       /* smaller changes are ignored; 0 = default of the metric */
	enum ktstr_polarity direction; /* which is better; 0 = default of the metric */
	const char *phase;	       /* NULL = the whole run */
};

/* The value of .perf_delta_assertions: a list of limits. */
#define KTSTR_PERF_DELTA(...) ((const struct ktstr_perf_delta[]){ __VA_ARGS__, { .metric = NULL } })

/* A test: the attributes of KTSTR_TEST(). */
struct ktstr_test {
	/* The identifier in KTSTR_TEST(). */
	const char *name;
	const struct ktstr_sched *scheduler; /* NULL = EEVDF, the kernel's own */
	/*
	 * NUMA nodes, LLCs in total, cores per LLC, threads per core; each 0 = as declared by the
	 * scheduler, else 1, 1, 2, 1.
	 */
	uint32_t numa_nodes, llcs, cores, threads;
	/* KTSTR_NODES(): nodes that differ. */
	const struct ktstr_node *nodes;
	/* Matrix of NUMA distances, by rows; 10 within a node; NULL = 20 between nodes. */
	const uint8_t *distances;
	union {
		/* Memory of the guest in MiB; 0 = 2048. */
		uint32_t memory_mib;
		uint32_t memory_mb; /* another name of memory_mib */
	};
	uint32_t duration_s;  /* duration of the test; 0 = 2 s */
	uint32_t duration_ms; /* the same in ms, as an alternative */
	/* Timeout of the sched_ext watchdog; 0 = 4. */
	uint32_t watchdog_timeout_s;
	/*
	 * Timeout for attaching the scheduler; 0 = depends on the accelerator, 30 s with an
	 * emulated CPU. The default is counted anew whenever the scheduler has loaded a BPF program,
	 * four times as long at most.
	 */
	uint32_t attach_timeout_s;
	/* Timeout for a detached scheduler to attach again; 0 = as attach_timeout_s. */
	uint32_t return_timeout_s;
	/* Default number of workers per cgroup; 0 = 2. */
	uint32_t workers_per_cgroup;
	/* A program that is copied to the guest. */
	const struct ktstr_payload *payload;
	/* More such programs; NULL ends the list. */
	const struct ktstr_payload *const *workloads;
	/* KTSTR_ARGS(): appended to the arguments of the scheduler. */
	const char *const *extra_sched_args;
	/* KTSTR_ARGS(): files that are copied to the guest. */
	const char *const *extra_include_files;
	struct ktstr_assert assert; /* thresholds */
	/*
	 * Machines of the gauntlet that it accepts, as in struct ktstr_constraints; 0 = as for the
	 * scheduler.
	 */
	uint32_t min_numa_nodes, max_numa_nodes;
	uint32_t min_llcs, max_llcs; /* the same for LLCs */
	uint32_t min_cpus, max_cpus; /* the same for CPUs */
	/* Only machines with several threads per core. */
	bool requires_smt;
	/* Only machines with an even number of CPUs. */
	bool requires_even_cpus;
	/* Flags of the scheduler that are always enabled. */
	const char *const *required_flags;
	const char *const *excluded_flags; /* flags that are never enabled */
	/* KTSTR_OFF: do not rerun a failure in sim to explain it. */
	int auto_repro;
	/* Reserve whole LLCs of the host for the VM, and pin its vCPUs. */
	bool performance_mode;
	/* Do not reserve CPUs of the host. */
	bool no_perf_mode;
	/* Number of host CPUs that the VM may use; 0 = as set for the run. */
	uint32_t cpu_budget;
	bool expect_err; /* the test is expected to fail */
	/* With expect_err: the exit message or the log of the scheduler contains this text. */
	const char *expect_scx_bpf_error_contains;
	/* The same as an extended regular expression. */
	const char *expect_scx_bpf_error_matches;
	/* Run the body on the host, without a VM. */
	bool host_only;
	bool ignore;		 /* run only with --run-ignored */
	bool allow_inconclusive; /* inconclusive counts as skipped */
	/* Time limit of the clean-up after the body; 0 = no limit. */
	uint32_t cleanup_budget_ms;
	/*
	 * Periodic snapshots, "periodic_000" and so on: i of N at 0.1 d + (i + 1) 0.8 d / (N + 1)
	 * of the duration d since the scenario began. At most 64, and 100 ms apart or more.
	 */
	uint32_t num_snapshots;
	/*
	 * Up to three names, KTSTR_ARGS("jiffies", "stats.lost"): from the start of the body on,
	 * each write of the kernel or of a BPF program to this symbol, or to this global variable
	 * of the scheduler, takes a snapshot with its name. A variable of the scheduler takes
	 * precedence over a symbol of the same name; "kernel:state" is the symbol. 64 snapshots
	 * per test are kept. In sim the position is exact. Watching slows down guests in sim and
	 * tcg. Under kvm the size must be 1, 2, 4 or 8 bytes.
	 */
	const char *const *watch_snapshots;
	/*
	 * KTSTR_ARGS("state.mode=3"), up to 16: the host writes to these global variables of the
	 * scheduler, of 1, 2, 4 or 8 bytes, before the body begins. Writing constants (.rodata)
	 * has no effect, because they are part of the programs' code.
	 */
	const char *const *bpf_map_write;
	ktstr_post_vm_fn *post_vm; /* evaluates the snapshots on the host: <ktstr/snapshot.h> */
	/* The same, also if the body failed or the guest ended without a result. */
	ktstr_post_vm_fn *post_vm_unconditional;
	const struct ktstr_perf_delta *perf_delta_assertions; /* KTSTR_PERF_DELTA() */
	/* KTSTR_EEVDF: also run the same steps under EEVDF. */
	enum ktstr_versus versus;
	int observe; /* KTSTR_OFF: do not record and judge scheduling events */
	/* "1-3,5": CPUs that are taken offline before the body starts. */
	const char *offline_cpus;
	/* "kvm", "tcg", "sim"; NULL = as set for the run. */
	const char *accel;
	/* Seed of random numbers; 0 = that of the run. */
	uint64_t seed;
	/* In sim: "random" or "walk", as --strategy, unless the run says; NULL = nobody is delayed. */
	const char *strategy;
	/* Source file; filled in by KTSTR_TEST(). */
	const char *file;
	/* Line in that file; filled in by KTSTR_TEST(). */
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
/* C++ lacks designated initialisers in any order and compound literals of arrays. */
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

/* ---- running: running steps and scenarios, and the context of a test ---- */

/* Results are added to *res. These return 0, or -EINTR if the test is interrupted. */

/*
 * Runs these cgroups and their workers for the duration of the test; an element without a name ends
 * the list.
 */
int ktstr_run_defs(struct ktstr_ctx *ctx, struct ktstr_result *res,
		   const struct ktstr_cgroup *defs);
/* Runs steps one after the other, each with cgroups, operations and a time to hold. */
int ktstr_run_steps(struct ktstr_ctx *ctx, struct ktstr_result *res,
		    const struct ktstr_step *steps);
/* The same, with these thresholds instead of those of the test. */
int ktstr_run_steps_with(struct ktstr_ctx *ctx, struct ktstr_result *res,
			 const struct ktstr_step *steps, const struct ktstr_assert *checks);
/* Runs steps with a backdrop: cgroups, operations and payloads that exist during all steps. */
int ktstr_run_scenario(struct ktstr_ctx *ctx, struct ktstr_result *res,
		       const struct ktstr_scenario_run *run);
/* The same, with these thresholds instead of those of the test. */
int ktstr_run_scenario_with(struct ktstr_ctx *ctx, struct ktstr_result *res,
			    const struct ktstr_scenario_run *run,
			    const struct ktstr_assert *checks);

/* Sets an error message and returns -ECANCELED: `return ktstr_fail(ctx, "...")`. */
int ktstr_fail(struct ktstr_ctx *ctx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The context of the test. */

/* The duration of the test, or of the run if that overrides it. */
uint64_t ktstr_duration_ms(const struct ktstr_ctx *ctx);
/* Time to wait after creating cgroups, so that the scheduler can notice them: 500 ms. */
uint64_t ktstr_settle_ms(const struct ktstr_ctx *ctx);
/* Default number of workers per cgroup. */
unsigned int ktstr_workers_per_cgroup(const struct ktstr_ctx *ctx);
/* Number of CPUs that are online when the body starts. */
unsigned int ktstr_cpu_count(const struct ktstr_ctx *ctx);
/* Number of CPUs for cpusets: all, or all but the last if there are more than two. */
unsigned int ktstr_usable_cpu_count(const struct ktstr_ctx *ctx);
/* Number of LLCs of the machine. */
unsigned int ktstr_llc_count(const struct ktstr_ctx *ctx);
/* Number of NUMA nodes of the machine. */
unsigned int ktstr_numa_node_count(const struct ktstr_ctx *ctx);
/* Process id of the scheduler; 0 = no scheduler, or the kernel's own. */
int ktstr_scheduler_pid(const struct ktstr_ctx *ctx);
/* The next random number, from the seed of the run. */
uint64_t ktstr_random(struct ktstr_ctx *ctx);

/* ---- results: verdicts, details and metrics ---- */

/*
 * Verdicts, worst first. A body returns 0 (the verdict is that of the result), a negative errno, or
 * one of these: then the worse of it and the result's verdict is used, except that KTSTR_SKIPPED
 * overrides a pass. Any other positive number is a failure, so no errno is equal to a verdict.
 */
enum ktstr_verdict {
	KTSTR_FAILED = 4096, /* a check was violated, or the body failed */
	KTSTR_INCONCLUSIVE,  /* a check could not be judged */
	KTSTR_PASSED,	     /* all checks that were judged passed */
	KTSTR_SKIPPED,	     /* no check was judged */
};

/* The worst verdict so far. */
enum ktstr_verdict ktstr_result_verdict(const struct ktstr_result *res);
/* A check of the body itself passed. A result without any check is a skip. */
void ktstr_result_pass(struct ktstr_result *res);
/* Adds the reason why something was not judged. An existing verdict is kept. */
void ktstr_result_skip(struct ktstr_result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Fails the result, with a detail. */
void ktstr_result_fail(struct ktstr_result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Makes the result inconclusive unless it failed, with a detail. */
void ktstr_result_inconclusive(struct ktstr_result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds a metric of the test for reports and comparisons; unit may be NULL. */
void ktstr_result_metric(struct ktstr_result *res, const char *name, double value,
			 enum ktstr_polarity polarity, const char *unit);

/*
 * At exactly this instruction the host reads all run queues, dispatch queues, tasks and BPF maps
 * of a guest under a scheduler and writes them to NAME.snapshots.json beside the test's record,
 * with this number as their tag and name; at most 64 per test are kept. In sim it takes no guest
 * time. It also works in tcg for a test with .post_vm or .num_snapshots, where the guest is
 * stopped meanwhile. Otherwise the instruction does nothing, and no file is written: under kvm
 * use ktstr_capture_snapshot().
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
 * The same with a name of up to 40 characters, like the operation KTSTR_CAPTURE_SNAPSHOT; returns
 * -ENOTSUP with a message if the run does not support snapshots.
 */
int ktstr_capture_snapshot(struct ktstr_ctx *ctx, const char *name);

/* Creates a separate result for a part of a test; NULL if out of memory. */
struct ktstr_result *ktstr_result_new(void);
/* Moves the contents of a part into a result; the worse of both verdicts is kept. */
void ktstr_result_merge(struct ktstr_result *into, struct ktstr_result *part);
/* Frees a result of ktstr_result_new(); NULL is allowed. */
void ktstr_result_free(struct ktstr_result *res);

#ifdef __cplusplus
}
#endif

#include <ktstr/by_hand.h>

#endif

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
 * `ktstr test FILE.c` compiles the test and runs it. A program that you build yourself
 * links with `pkg-config --libs ktstr`; the library contains main().
 *
 * Structs with designated initialisers describe a test. A member that is omitted is
 * inherited or has a default. Compile with -Werror=override-init (clang:
 * -Werror=initializer-overrides), so that the compiler rejects an attribute that is
 * given twice. Tests are written in C (gnu11 or newer); C++ code can include this header
 * to call the functions.
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

/* Returns the version of the library at run time, such as "0.2.0". */
const char *ktstr_version(void);

struct ktstr_ctx;    /* the context of a test body: machine, duration, scheduler */
struct ktstr_result; /* the verdict, details, statistics and metrics of a test */

/*
 * Values of the members of struct ktstr_assert. 0 means that the test inherits the value: from the
 * scheduler, else from the defaults.
 */

/* Enables a check. */
#define KTSTR_ON 1
/* Disables a check that has a default or that the scheduler enables. */
#define KTSTR_OFF (-1)
/* Sets a limit to zero. A limit of 0 would be inherited. */
#define KTSTR_ZERO INT64_MIN

/* ---- topology: the virtual machine of a test ---- */

/*
 * How a memory-side cache maps addresses to lines.
 * @KTSTR_INDEXING_OTHER: none of the following.
 * @KTSTR_DIRECT_MAPPED: each address maps to one line.
 * @KTSTR_COMPLEX_INDEXING: by a function that the firmware does not describe.
 */
enum ktstr_cache_indexing { KTSTR_INDEXING_OTHER, KTSTR_DIRECT_MAPPED, KTSTR_COMPLEX_INDEXING };
/*
 * When a memory-side cache writes a line to memory.
 * @KTSTR_POLICY_OTHER: none of the following.
 * @KTSTR_WRITE_BACK: when the line is replaced.
 * @KTSTR_WRITE_THROUGH: with each write.
 */
enum ktstr_cache_policy { KTSTR_POLICY_OTHER, KTSTR_WRITE_BACK, KTSTR_WRITE_THROUGH };

/* A memory-side cache of a NUMA node. The firmware describes it to the guest. */
struct ktstr_mem_side_cache {
	uint32_t size_kib;	/* size in KiB; 0 = the node has no such cache */
	uint32_t associativity; /* an enum ktstr_cache_indexing */
	uint32_t write_policy;	/* an enum ktstr_cache_policy */
	uint32_t line_size;	/* size of a line in bytes */
};

/* A NUMA node of a machine whose nodes differ. Memory-only nodes must come last in a list. */
struct ktstr_node {
	uint32_t llcs;	     /* number of LLCs; 0 = a memory-only node */
	uint32_t memory_mib; /* memory in MiB, at least 1 */
	/* Access latency in ns from the nearest CPUs; 0 = the firmware reports no latency. */
	uint32_t latency_ns;
	/* Access bandwidth in MB/s from the nearest CPUs; 0 = the firmware reports no bandwidth. */
	uint32_t bandwidth_mbs;
	/* The cache of the node. It requires latency_ns and bandwidth_mbs. */
	struct ktstr_mem_side_cache mem_side_cache;
};

/* A machine whose NUMA nodes are equal. */
struct ktstr_topology {
	/* Number of nodes, of LLCs in the machine, of cores per LLC and of threads per core. */
	uint32_t numa_nodes, llcs, cores, threads;
};

#define KTSTR_TOPO_CHECK_(n, l, c, t)                                                             \
	(0 *                                                                                      \
	 sizeof(char[(n) > 0 && (l) > 0 && (c) > 0 && (t) > 0 && (l) % ((n) > 0 ? (n) : 1) == 0 ? \
			     1 :                                                                  \
			     -1]))

/*
 * A struct ktstr_topology of n nodes, l LLCs in the machine, c cores per LLC and t threads per
 * core. The macro does not compile if a number is 0 or if l is not a multiple of n.
 */
#define KTSTR_TOPO(n, l, c, t)                                                            \
	{                                                                                 \
		.numa_nodes = (n) + (uint32_t)KTSTR_TOPO_CHECK_(n, l, c, t), .llcs = (l), \
		.cores = (c), .threads = (t)                                              \
	}

/*
 * The value of .nodes: a list of 1 to 8 struct ktstr_node. It replaces numa_nodes, llcs and
 * memory_mib. A test that sets .nodes and one of these is rejected.
 */
#define KTSTR_NODES(...) ((const struct ktstr_node[]){ __VA_ARGS__, { .llcs = UINT32_MAX } })

/* ---- checks: thresholds of a test ---- */

/*
 * The thresholds of a test. A value of the test overrides that of the scheduler, which overrides
 * the default; `ktstr show-thresholds TEST` prints the result. The defaults given below apply if
 * neither sets a value. KTSTR_OFF disables any of the checks. A limit without a default makes the
 * test inconclusive if the run has no measurement for it.
 */
struct ktstr_assert {
	union {
		/*
		 * KTSTR_ON or KTSTR_OFF; 0 = KTSTR_ON. Every worker has to complete work units. The
		 * defaults of max_gap_ms and max_spread_pct apply only while this check is on.
		 */
		int not_starved;
		int not_stuck; /* another name of not_starved */
	};
	/*
	 * KTSTR_ON or KTSTR_OFF; 0 = KTSTR_ON. No worker may run outside the cpuset of its cgroup.
	 * Workers whose cpuset changes during their life are not checked.
	 */
	int isolation;
	/*
	 * Longest time in ms that a worker may go without progress; 0 = 2000, or 3000 if the test
	 * was compiled without optimisation. A value other than 0 also replaces max_wait_ms for
	 * workers.
	 */
	int64_t max_gap_ms;
	/*
	 * Largest spread, in percentage points, of the share of time that the workers of a cgroup
	 * are off the CPU, sleep included; 0 = 15, or 35 if the test was compiled without
	 * optimisation. The default is not applied to workers that the test pins to different CPUs.
	 */
	double max_spread_pct;
	/*
	 * Largest spread, in percentage points, of the share of time that the workers of a cgroup
	 * are runnable but do not run; 0 = not checked.
	 */
	double max_run_delay_spread_pct;
	/*
	 * Largest coefficient of variation (standard deviation divided by mean) among the workers
	 * of a cgroup of their work units per second of CPU time; 0 = not checked.
	 */
	double max_throughput_cv;
	/* Smallest number of work units per second of CPU time of a worker; 0 = not checked. */
	double min_work_rate;
	/*
	 * Largest 99th percentile, in ns, of the wake latencies that the workers of a cgroup
	 * measure; 0 = not checked.
	 */
	int64_t max_p99_wake_latency_ns;
	/* Largest coefficient of variation of these wake latencies; 0 = not checked. */
	double max_wake_latency_cv;
	/*
	 * Smallest number of iterations per second of a worker; 0 = not checked. The second is one
	 * of elapsed time, in sim one of the worker's CPU time.
	 */
	double min_iteration_rate;
	/* Largest number of migrations per iteration of a cgroup's workers; 0 = not checked. */
	double max_migration_ratio;
	/*
	 * Smallest fraction, 0 to 1, of a worker's anonymous pages that are on the NUMA nodes of
	 * its cpuset; 0 = not checked. This and the next two limits need a cgroup with a cpuset.
	 */
	double min_page_locality;
	/*
	 * Largest number of pages that the kernel migrates between nodes in the whole machine,
	 * divided by the number of anonymous pages of a worker; 0 = not checked.
	 */
	double max_cross_node_migration_ratio;
	/*
	 * Largest fraction, 0 to 1, of a worker's anonymous pages that are on nodes outside its
	 * cpuset; 0 = not checked.
	 */
	double max_slow_tier_ratio;
	/*
	 * The following limits, up to max_scheduler_us_per_run, apply to the scheduling events that
	 * the guest records in each phase. A limit that differs from the default makes the test
	 * inconclusive if no events were recorded.
	 */
	/*
	 * Longest time in ms that a task may be runnable without running; 0 = 250. The limit grows
	 * in proportion if more than four tasks compete for a CPU.
	 */
	int64_t max_wait_ms;
	/* The same limit for kernel threads, in ms; 0 = 125. */
	int64_t max_kernel_wait_ms;
	/*
	 * Largest part of a phase, in percent, in which a CPU may be idle while a task waits that
	 * may run on it; 0 = 20. It also limits the part of the time that a worker wants to run and
	 * waits while such a CPU is idle.
	 */
	double max_idle_wait_pct;
	/*
	 * The same limit for the time of all CPUs together, in percent; 0 = 10. If every CPU is
	 * idle in this way, half the limit applies to the CPU that is idle least.
	 */
	double max_all_idle_wait_pct;
	/*
	 * Longest time in ms that a CPU may be idle without interruption while there is always a
	 * task that waits and may run on it; 0 = 100. It also limits the total time that a CPU is
	 * idle during one wait of a task that may run on it.
	 */
	int64_t max_idle_wait_ms;
	/*
	 * Largest difference, in percent of an average share, between the CPU time of workers that
	 * are always busy and the share that their weights entitle them to; 0 = 20.
	 */
	double max_share_error_pct;
	/*
	 * The same limit for a single worker, if all workers are entitled to equal shares and move
	 * freely between the CPUs; 0 = 10.
	 */
	double max_even_share_error_pct;
	/*
	 * Largest ratio of the average wait of a worker that sleeps at times, or of a task that is
	 * created during the phase, to the average wait of the workers that are always busy and
	 * compete with it; 0 = 3. Waits up to the length of a slice, 10 to 25 ms, are not compared.
	 * It also limits the average time that a worker keeps its CPU while another task waits for
	 * it, compared with equal workers.
	 */
	double max_wakeup_wait_ratio;
	/*
	 * KTSTR_ON or KTSTR_OFF; 0 = KTSTR_ON. No CPU may stay without any task that could run
	 * elsewhere while tasks wait that may run on it.
	 */
	int no_dead_cpus;
	/* Most migrations per second and CPU, except those that a wakeup explains; 0 = 1000. */
	double max_migrations_per_s;
	/*
	 * Most migrations per second of CPU time of tasks that were neither woken nor had waited
	 * for 1 ms, minus the number of wakeups; 0 = 150.
	 */
	double max_hasty_migrations_per_s;
	/*
	 * Largest part, in percent, of the wakeups of a group of workers that move the worker away
	 * from a CPU which is idle and not about to run another task; 0 = 60. 1.5 times as many if
	 * moves to idle CPUs that follow from such moves of other tasks are included.
	 */
	double max_needless_wakeup_pct;
	/*
	 * Most times per second of their CPU time that workers which are always busy begin to run,
	 * minus the number of wakeups of all tasks; 0 = 2000.
	 */
	double max_switches_per_s;
	/*
	 * Most CPU time in microseconds that the scheduler's process may use each time another task
	 * begins to run; 0 = 250. The process is checked if it uses more than a quarter of a CPU.
	 * The same limit applies to the scheduler's BPF programs if these use more than a quarter
	 * of the time of all CPUs.
	 */
	double max_scheduler_us_per_run;
	/*
	 * Largest 99th percentile, in ns, of the lateness of the timers of TimerLatency workers; 0
	 * = 25 ms, multiplied by the number of runnable tasks per CPU if that is more than 1.
	 */
	int64_t max_p99_timer_lateness_ns;
	/*
	 * The following limits apply to the run queues and event counters of a guest that runs a
	 * sched_ext scheduler. The host reads them ten times a second. A violated default is only
	 * reported. A violated limit that differs from the default fails the test; if the host
	 * could not read the guest, such a limit makes the test inconclusive.
	 */
	/*
	 * Largest ratio of the longest run queue to the shortest, which counts as at least 1; 0 =
	 * 4.
	 */
	double max_imbalance_ratio;
	int64_t max_local_dsq_depth; /* Most tasks in the local DSQ of any CPU; 0 = 50. */
	union {
		/*
		 * KTSTR_ON or KTSTR_OFF; 0 = KTSTR_ON. The run queue clock of every CPU with
		 * runnable tasks has to advance, unless the host did not run its vCPU.
		 */
		int fail_on_stall;
		int fail_on_rq_clock_stuck; /* another name of fail_on_stall */
	};
	/* Most SCX_EV_SELECT_CPU_FALLBACK events per second; 0 = 200. */
	double max_fallback_rate;
	double max_keep_last_rate; /* Most SCX_EV_DISPATCH_KEEP_LAST events per second; 0 = 100. */
	/* Number of consecutive samples in which a limit has to be violated; 0 = 5. */
	int64_t sustained_samples;
};

/* ---- schedulers: declaring the scheduler under test ---- */

/* A feature of a scheduler that tests can enable. The gauntlet runs combinations of flags. */
struct ktstr_flag {
	const char *name;		   /* not empty, without + / \ and spaces */
	const char *const *args;	   /* KTSTR_ARGS(): arguments that enable the flag */
	const char *const *requires_flags; /* KTSTR_ARGS(): flags that this one requires */
};

/* The value of .flags: a list of struct ktstr_flag, fewer than 32. */
#define KTSTR_FLAGS(...) ((const struct ktstr_flag[]){ __VA_ARGS__, { .name = NULL } })

/* A sysctl of the guest. */
struct ktstr_sysctl {
	const char *key, *value; /* name with dots, such as "kernel.panic"; value without spaces */
};

/* The value of .sysctls: a list of struct ktstr_sysctl. */
#define KTSTR_SYSCTLS(...) ((const struct ktstr_sysctl[]){ __VA_ARGS__, { .key = NULL } })

/*
 * The value of .invariants: a list of conditions on global variables of the scheduler's BPF
 * programs. A condition is a string "VARIABLE OP VARIABLE" or "VARIABLE OP NUMBER", such as
 * "stats.lost == 0". OP is one of == != <= >= < >; VARIABLE may be a member or an element of an
 * array. The host checks the conditions ten times a second and at each snapshot. A violated
 * condition fails the test and reports the value and the time; a condition that cannot be evaluated
 * makes the test inconclusive.
 */
#define KTSTR_INVARIANT(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* The machines of the gauntlet and of `ktstr verifier` that a test or a scheduler accepts. */
struct ktstr_constraints {
	uint32_t min_numa_nodes, max_numa_nodes; /* number of NUMA nodes; 0 = 1 and 1 */
	uint32_t min_llcs, max_llcs;		 /* number of LLCs; 0 = 1 and 12 */
	uint32_t min_cpus, max_cpus;		 /* number of CPUs; 0 = 1 and 192 */
	/* Accept only machines with several threads per core. */
	bool requires_smt;
	/* Accept only machines with an even number of CPUs, for schedulers that pair CPUs. */
	bool requires_even_cpus;
};

/*
 * A scheduler. Exactly one of binary, binary_path and the pair kernel_builtin_enable and
 * kernel_builtin_disable has to be set.
 */
struct ktstr_sched {
	/* Name in reports, without / and \. Two schedulers of a program must not share it. */
	const char *name;
	/*
	 * Name of the scheduler's program, without a path. ktstr looks at KTSTR_SCHEDULER, beside
	 * the test program, in the build directories, in PATH and beside ktstr itself.
	 */
	const char *binary;
	/* Path of the scheduler's program on the host. The file has to exist. */
	const char *binary_path;
	/*
	 * Shell commands that the guest runs to enable and to disable a scheduler of the kernel,
	 * instead of a program. Both are required.
	 */
	const char *kernel_builtin_enable, *kernel_builtin_disable;
	/*
	 * Machine of the tests that do not declare their own; all members 0 = 1 node, 1 LLC, 2
	 * cores, 1 thread.
	 */
	struct ktstr_topology topology;
	/* KTSTR_NODES(): NUMA nodes that differ; NULL = equal nodes, as in topology. */
	const struct ktstr_node *nodes;
	/* KTSTR_ARGS(): arguments of the program in all tests; NULL = none. */
	const char *const *sched_args;
	/* KTSTR_FLAGS(): features that tests can enable; NULL = none. */
	const struct ktstr_flag *flags;
	/* KTSTR_SYSCTLS(): sysctls that the guest sets when it boots; NULL = none. */
	const struct ktstr_sysctl *sysctls;
	/*
	 * KTSTR_ARGS(): words to append to the guest's kernel command line; NULL = none. Words that
	 * begin with console=, loglevel=, init= or rdinit= are rejected.
	 */
	const char *const *kargs;
	/* KTSTR_INVARIANT(): conditions on the scheduler's variables, 32 at most; NULL = none. */
	const char *const *invariants;
	/* Thresholds of all its tests. */
	struct ktstr_assert assert;
	/* Machines that the scheduler supports. */
	struct ktstr_constraints constraints;
	/*
	 * Cgroup "/name" in which tests create their cgroups; NULL = /ktstr-PID. If set, the
	 * scheduler also gets the arguments `--cell-parent-cgroup /name`.
	 */
	const char *cgroup_parent;
	/*
	 * A file of the host. ktstr copies it to the guest and starts the scheduler with
	 * `--config FILE`; NULL = none.
	 */
	const char *config_file;
	/*
	 * KTSTR_ARGS(ARGUMENT, PATH): copies config_file to PATH in the guest and passes ARGUMENT,
	 * in which {file} stands for PATH, instead of `--config FILE`; NULL = `--config FILE`.
	 */
	const char *const *config_file_def;
	/*
	 * KTSTR_ARGS(): versions, ranges or labels of the kernels on which `ktstr verifier` loads
	 * the scheduler; NULL = all.
	 */
	const char *const *kernels;
	/* The scheduler ignores nice values and cpu.weight: shares by weight are not checked. */
	bool ignores_weights;
	/* Source file; set by KTSTR_SCHEDULER(). */
	const char *file;
	/* Line in the source file; set by KTSTR_SCHEDULER(). */
	int line;
};

/* ---- tests: declaring tests ---- */

/*
 * The body of a test. It returns 0 (the verdict is that of res), a negative errno (the test fails)
 * or an enum ktstr_verdict.
 */
typedef int ktstr_test_fn(struct ktstr_ctx *ctx, struct ktstr_result *res);

/*
 * What the scheduler of a test is compared with.
 * @KTSTR_VERSUS_NONE: no comparison.
 * @KTSTR_EEVDF: EEVDF. The body runs twice in one VM, first under the scheduler and then after the
 * scheduler was detached. Checks that fail under EEVDF become notes and do not fail the test.
 */
enum ktstr_versus { KTSTR_VERSUS_NONE, KTSTR_EEVDF };

/* A limit for the regression of a metric. Only `ktstr perf-delta` uses it. */
struct ktstr_perf_delta {
	/* A name that `ktstr stats list-metrics` prints, or a metric that the test reports. */
	const char *metric;
	double max_regression_percent; /* largest accepted regression in percent */
	double min_abs;		       /* ignore smaller changes; 0 = default of the metric */
	enum ktstr_polarity direction; /* which change is better; 0 = default of the metric */
	const char *phase;	       /* name of a phase; NULL = the whole run */
};

/* The value of .perf_delta_assertions: a list of struct ktstr_perf_delta. */
#define KTSTR_PERF_DELTA(...) ((const struct ktstr_perf_delta[]){ __VA_ARGS__, { .metric = NULL } })

/* A test: the attributes of KTSTR_TEST(). ktstr rejects conflicting attributes with a message. */
struct ktstr_test {
	/* Name of the test; set by KTSTR_TEST() to its identifier. */
	const char *name;
	const struct ktstr_sched *scheduler; /* scheduler under test; NULL = EEVDF */
	/*
	 * Number of NUMA nodes, of LLCs in the machine, of cores per LLC and of threads per core;
	 * each 0 = as declared by the scheduler, else 1, 1, 2, 1.
	 */
	uint32_t numa_nodes, llcs, cores, threads;
	/*
	 * KTSTR_NODES(): NUMA nodes that differ; NULL = as declared by the scheduler, unless the
	 * test sets numa_nodes or llcs.
	 */
	const struct ktstr_node *nodes;
	/*
	 * Symmetric matrix of NUMA distances, by rows: 10 on the diagonal, more elsewhere; NULL =
	 * 20 between any two nodes.
	 */
	const uint8_t *distances;
	union {
		/*
		 * Memory of the guest in MiB; 0 = 2048. The guest gets at least 64 MiB per CPU, 256
		 * MiB, and what it needs to boot.
		 */
		uint32_t memory_mib;
		uint32_t memory_mb; /* another name of memory_mib */
	};
	uint32_t duration_s;  /* duration of the test in seconds, one day at most; 0 = 2 */
	uint32_t duration_ms; /* duration in milliseconds; set duration_s or this, not both */
	/* Timeout of the sched_ext watchdog in seconds; 0 = 4. */
	uint32_t watchdog_timeout_s;
	/*
	 * Timeout in seconds, of the guest's clock, for attaching the scheduler. 0 = 30 under tcg
	 * and sim; under kvm 3 for each second that the guest took to boot, 120 at most. A
	 * scheduler that has loaded a BPF program has twice the default from then on, and four
	 * times the default in all. KTSTR_ATTACH_TIMEOUT overrides the test.
	 */
	uint32_t attach_timeout_s;
	/* Timeout in seconds for a detached scheduler to attach again; 0 = as attach_timeout_s. */
	uint32_t return_timeout_s;
	/* Number of workers of a cgroup that does not set its own; 0 = 2. */
	uint32_t workers_per_cgroup;
	/* A program for the body to run. ktstr copies it to the guest; NULL = none. */
	const struct ktstr_payload *payload;
	/* More such programs, as an array that ends with NULL; NULL = none. */
	const struct ktstr_payload *const *workloads;
	/* KTSTR_ARGS(): appended to the sched_args of the scheduler; NULL = none. */
	const char *const *extra_sched_args;
	/*
	 * KTSTR_ARGS(): host files to copy to /include-files in the guest; NULL = none. A name
	 * without a slash is a program in PATH; write "./NAME" for a file in the current directory.
	 */
	const char *const *extra_include_files;
	struct ktstr_assert assert; /* thresholds of the test */
	/*
	 * Number of NUMA nodes of the gauntlet machines that the test accepts; 0 = as declared by
	 * the scheduler, else as in struct ktstr_constraints.
	 */
	uint32_t min_numa_nodes, max_numa_nodes;
	uint32_t min_llcs, max_llcs; /* the same for the number of LLCs */
	uint32_t min_cpus, max_cpus; /* the same for the number of CPUs */
	/* Accept only machines with several threads per core. */
	bool requires_smt;
	/* Accept only machines with an even number of CPUs. */
	bool requires_even_cpus;
	/* KTSTR_ARGS(): flags of the scheduler that are always enabled; NULL = none. */
	const char *const *required_flags;
	/* KTSTR_ARGS(): flags of the scheduler that are never enabled; NULL = none. */
	const char *const *excluded_flags;
	/*
	 * KTSTR_ON or KTSTR_OFF; 0 = KTSTR_ON. ktstr reruns a failed test in sim to explain the
	 * failure. expect_err disables this.
	 */
	int auto_repro;
	/* Reserve whole LLCs of the host for the VM, and pin its vCPUs. */
	bool performance_mode;
	/* Do not reserve CPUs of the host. */
	bool no_perf_mode;
	/*
	 * Number of host CPUs that the VM may use, unless --cpu-cap sets another; 0 = the default
	 * of the run. It excludes performance_mode.
	 */
	uint32_t cpu_budget;
	/* The test is expected to fail: a failure counts as a pass, and a pass as a failure. */
	bool expect_err;
	/*
	 * Text that the exit message or the log of the scheduler has to contain; NULL = any error
	 * is accepted. It requires expect_err.
	 */
	const char *expect_scx_bpf_error_contains;
	/* The same as an extended regular expression; NULL = any error is accepted. */
	const char *expect_scx_bpf_error_matches;
	/* Run the body on the host, without a VM and without a scheduler. */
	bool host_only;
	/* Run the test only with --run-ignored. Tests named "demo_..." are always ignored. */
	bool ignore;
	bool allow_inconclusive; /* an inconclusive result counts as skipped */
	/* Longest time in ms that the clean-up of the VM may take; 0 = no limit. */
	uint32_t cleanup_budget_ms;
	/*
	 * Number N of periodic snapshots, 64 at most; 0 = none. Snapshot i, named "periodic_000"
	 * and so on, is taken 0.1 d + (i + 1) 0.8 d / (N + 1) after the scenario began; d is the
	 * duration. The snapshots have to be 100 ms apart or more.
	 */
	uint32_t num_snapshots;
	/*
	 * KTSTR_ARGS(): up to three names of global variables of the scheduler or of kernel
	 * symbols, such as "stats.lost" or "jiffies"; NULL = none. From the start of the body on,
	 * each write of the kernel or of a BPF program to one of them takes a snapshot of that
	 * name; 64 per test are kept. A variable takes precedence over a symbol of the same name;
	 * write "kernel:NAME" for the symbol, of which the first 4 bytes are watched. A name that
	 * does not exist fails the test. Under kvm a variable must have 1, 2, 4 or 8 bytes. In sim
	 * the position is exact. Watching slows down guests in sim and tcg.
	 */
	const char *const *watch_snapshots;
	/*
	 * KTSTR_ARGS(): up to 16 strings "VARIABLE=NUMBER", such as "state.mode=3"; NULL = none.
	 * The host writes the number to that global variable of the scheduler, which must have 1,
	 * 2, 4 or 8 bytes, before the body begins. A variable that cannot be written fails the
	 * test. Writing constants (.rodata) has no effect, because the verifier has already put
	 * them into the programs' code.
	 */
	const char *const *bpf_map_write;
	/* Evaluates the snapshots on the host after the VM, unless the body failed; NULL = none. */
	ktstr_post_vm_fn *post_vm;
	/*
	 * The same, but it is also called if the body failed or the guest ended without a result;
	 * NULL = none.
	 */
	ktstr_post_vm_fn *post_vm_unconditional;
	/* KTSTR_PERF_DELTA(): limits for `ktstr perf-delta`; NULL = none. */
	const struct ktstr_perf_delta *perf_delta_assertions;
	/* KTSTR_EEVDF: compare the scheduler with EEVDF. */
	enum ktstr_versus versus;
	/* KTSTR_OFF: neither record nor check scheduling events; 0 = do both. */
	int observe;
	/*
	 * CPUs to take offline before the body starts, such as "1-3,5"; NULL = none. CPU 0 has to
	 * stay online.
	 */
	const char *offline_cpus;
	/* Accelerator of the VM: "kvm", "tcg" or "sim"; NULL = as set for the run. */
	const char *accel;
	/* Seed of the random numbers; 0 = the seed of the run. */
	uint64_t seed;
	/*
	 * Exploration strategy in sim: "random" or "walk", as with --strategy, which overrides it;
	 * NULL = none.
	 */
	const char *strategy;
	/* Source file; set by KTSTR_TEST(). */
	const char *file;
	/* Line in the source file; set by KTSTR_TEST(). */
	int line;
	/* The test was compiled with optimisation; set by KTSTR_TEST(). */
	bool is_release;
	/* The body; set by KTSTR_TEST(). */
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
 * Declares a test and begins its body: `KTSTR_TEST(name, .attribute = value, ...) { ... }`. The
 * attributes are members of struct ktstr_test. The body has the arguments `struct ktstr_ctx *ctx`
 * and `struct ktstr_result *res`.
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

/* Declares a scheduler, as a static struct ktstr_sched with this identifier. */
#define KTSTR_SCHEDULER(ident, ...)                                                    \
	static const struct ktstr_sched ident = { .file = __FILE__,                    \
						  .line = __LINE__,                    \
						  ##__VA_ARGS__ };                     \
	__attribute__((used, section("ktstr_scheds"))) static const struct ktstr_sched \
		*const ktstr_sched_entry_##ident = &ident

/* Declares a payload, as a static struct ktstr_payload with this identifier. */
#define KTSTR_PAYLOAD(ident, ...) \
	__attribute__((unused)) static const struct ktstr_payload ident = { __VA_ARGS__ }
#endif

/* ---- running: running steps and scenarios, and the context of a test ---- */

/*
 * The following five functions set up cgroups and workers, run them, tear them down, check them and
 * add the results to res. An operation that fails ends the scenario and adds a failure to res; what
 * did run is checked all the same. The functions return 0, also after a failure, or -EINTR if the
 * run was interrupted.
 */
/*
 * The argument `checks` replaces the thresholds of the test for workers: the members from
 * not_starved to max_slow_tier_ratio, and max_p99_timer_lateness_ns. One of these that is 0 is not
 * checked; if all are 0, not_starved is checked. For scheduling events, the members of `checks`
 * that are not 0 override those of the test. The limits of run queues are always those of the test.
 */

/*
 * Runs these cgroups and their workers for the duration of the test. An element whose name is NULL
 * ends the list.
 */
int ktstr_run_defs(struct ktstr_ctx *ctx, struct ktstr_result *res,
		   const struct ktstr_cgroup *defs);
/* Runs steps one after the other, with the thresholds of the test. */
int ktstr_run_steps(struct ktstr_ctx *ctx, struct ktstr_result *res,
		    const struct ktstr_step *steps);
/* Runs steps one after the other, with the thresholds of checks, which must not be NULL. */
int ktstr_run_steps_with(struct ktstr_ctx *ctx, struct ktstr_result *res,
			 const struct ktstr_step *steps, const struct ktstr_assert *checks);
/* Runs the steps of a scenario while its backdrop exists, with the thresholds of the test. */
int ktstr_run_scenario(struct ktstr_ctx *ctx, struct ktstr_result *res,
		       const struct ktstr_scenario_run *run);
/* Runs a scenario with the thresholds of checks, which must not be NULL. */
int ktstr_run_scenario_with(struct ktstr_ctx *ctx, struct ktstr_result *res,
			    const struct ktstr_scenario_run *run,
			    const struct ktstr_assert *checks);

/*
 * Sets the message with which the test fails and returns -ECANCELED, for the body to return:
 * `return ktstr_fail(ctx, "...")`.
 */
int ktstr_fail(struct ktstr_ctx *ctx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The following functions return properties of the test and of its machine. */

/* Duration of the test in ms: that of the run if it sets one, else that of the test. */
uint64_t ktstr_duration_ms(const struct ktstr_ctx *ctx);
/* Time in ms to wait after creating cgroups, for the scheduler to notice them: 500. */
uint64_t ktstr_settle_ms(const struct ktstr_ctx *ctx);
/* Number of workers of a cgroup that does not set its own. */
unsigned int ktstr_workers_per_cgroup(const struct ktstr_ctx *ctx);
/* Number of CPUs that are online when the body starts. */
unsigned int ktstr_cpu_count(const struct ktstr_ctx *ctx);
/* Number of usable CPUs, for cpusets: all, or all but the last if there are more than two. */
unsigned int ktstr_usable_cpu_count(const struct ktstr_ctx *ctx);
/* Number of LLCs of the machine. */
unsigned int ktstr_llc_count(const struct ktstr_ctx *ctx);
/* Number of NUMA nodes of the machine. */
unsigned int ktstr_numa_node_count(const struct ktstr_ctx *ctx);
/* Process id of the scheduler; 0 = the test has none, it is detached, or the kernel contains it. */
int ktstr_scheduler_pid(const struct ktstr_ctx *ctx);
/* The next random number. The sequence depends only on the seed of the test or of the run. */
uint64_t ktstr_random(struct ktstr_ctx *ctx);

/* ---- results: verdicts, details and metrics ---- */

/*
 * Verdicts, worst first. A body returns 0 (the verdict is that of the result), a negative errno
 * (the test fails) or a verdict. The test has the worse of the returned verdict and that of the
 * result, except that KTSTR_SKIPPED overrides KTSTR_PASSED. Any other positive return value fails
 * the test. The values are larger than any errno.
 */
enum ktstr_verdict {
	KTSTR_FAILED = 4096, /* a check failed, or the body returned an error */
	KTSTR_INCONCLUSIVE,  /* a check could not be made */
	KTSTR_PASSED,	     /* at least one check was made, and all of them passed */
	KTSTR_SKIPPED,	     /* no check was made */
};

/* Returns the worst verdict so far. A result to which nothing was added is KTSTR_SKIPPED. */
enum ktstr_verdict ktstr_result_verdict(const struct ktstr_result *res);
/* Adds a check of the body that passed. */
void ktstr_result_pass(struct ktstr_result *res);
/* Adds the reason why something was not checked. The verdict does not change. */
void ktstr_result_skip(struct ktstr_result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds a check that failed, with a message. The verdict becomes KTSTR_FAILED. */
void ktstr_result_fail(struct ktstr_result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Adds a check that could not be made, with a message. The verdict becomes KTSTR_INCONCLUSIVE,
 * unless it is KTSTR_FAILED.
 */
void ktstr_result_inconclusive(struct ktstr_result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds a metric for reports and comparisons. unit is text such as "us"; NULL = no unit. */
void ktstr_result_metric(struct ktstr_result *res, const char *name, double value,
			 enum ktstr_polarity polarity, const char *unit);

/*
 * Takes a snapshot at exactly this instruction. The host reads all run queues, dispatch queues,
 * tasks and BPF maps of a guest that runs a scheduler and writes them to NAME.snapshots.json beside
 * the test's record, with the number tag as the tag and the name of the snapshot. At most 64 per
 * test are kept. In sim a snapshot takes no guest time. In tcg it works for a test with .post_vm,
 * .num_snapshots or .watch_snapshots; the host stops the guest meanwhile. Under kvm and on aarch64
 * the macro does nothing: use ktstr_capture_snapshot() there.
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
 * Takes a snapshot with this name, like the operation KTSTR_CAPTURE_SNAPSHOT(). The name has 1 to
 * 40 printable ASCII characters and no spaces. Snapshots exist for tests with a scheduler: always
 * in sim; in tcg and kvm for tests with .post_vm, .num_snapshots or .watch_snapshots. Returns 0,
 * -EINVAL for an invalid name, or -ENOTSUP if the run has no snapshots.
 */
int ktstr_capture_snapshot(struct ktstr_ctx *ctx, const char *name);

/* Creates a separate result for a part of a test. Returns NULL if out of memory. */
struct ktstr_result *ktstr_result_new(void);
/* Moves the contents of part to into, which gets the worse of both verdicts. part becomes empty. */
void ktstr_result_merge(struct ktstr_result *into, struct ktstr_result *part);
/* Frees a result that ktstr_result_new() created. NULL is allowed. */
void ktstr_result_free(struct ktstr_result *res);

#ifdef __cplusplus
}
#endif

#include <ktstr/by_hand.h>

#endif

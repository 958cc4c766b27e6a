/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Protocol between runner and test program. A test program is an executable
 * with a section `ktstr_tests`; the library's main() understands:
 *
 *	--ktstr-probe		one JSON document on stdout: everything declared
 *	--list --format terse [--ignored]	"NAME: test" lines
 *	--exact NAME --nocapture [--ignored]	runs one (through `ktstr test`)
 *	--ktstr-body NAME ...	runs the body here: in a guest, or on the host for
 *				host_only tests
 *	--ktstr-post-vm NAME --snapshots FILE [--failed] --result FILE
 *								runs its post_vm here
 *
 * The probe document:
 *
 *	{ "schema_version": 1, "ktstr": "0.2.0",
 *	  "problems": ["sentence", ...],	wrong attributes; not empty = list error
 *	  "schedulers": [{ "name", "binary", "binary_path", "kernel_builtin_enable",
 *		"kernel_builtin_disable", "topology": "1n1l2c1t", "args": [],
 *		"flags": [{ "name", "args": [], "requires": [] }],
 *		"sysctls": [{ "key", "value" }], "kargs": [], "invariants": [], "cgroup_parent",
 *		"config_file", "config_file_def": [template, path] or null,
 *		"kernels": [], "constraints": {...} }],
 *	  "tests": [{ "name", "file", "line", "scheduler": name or null,
 *		"topology": { "numa_nodes", "llcs", "cores", "threads" },  resolved
 *		"nodes": [{ "llcs", "memory_mib", "latency_ns", "bandwidth_mbs",
 *			    "mem_side_cache": { "size_kib", "associativity", "write_policy",
 *						"line_size" } }],
 *		"distances": [], "memory_mib", "duration_ms", "watchdog_timeout_s",
 *		"attach_timeout_s", "return_timeout_s" (0 = default), "workers_per_cgroup",
 *		"payloads": [{ "name", "binary", "output", "include_files": [] }],
 *		"extra_sched_args": [], "include_files": [],
 *		"assert": { field: value, ... },  merged; unset fields are null
 *		"constraints": { "min_numa_nodes", ... "requires_smt",
 *			"requires_even_cpus" },  resolved
 *		"required_flags": [], "excluded_flags": [], "auto_repro": bool,
 *		"performance_mode", "no_perf_mode", "cpu_budget", "expect_err",
 *		"expect_scx_bpf_error_contains", "expect_scx_bpf_error_matches",
 *		"host_only", "ignore", "allow_inconclusive", "cleanup_budget_ms",
 *		"num_snapshots", "watch_snapshots": [], "bpf_map_write": [],
 *		"has_post_vm", "has_post_vm_unconditional",
 *		"perf_delta_assertions": [{"metric", "phase", "max_regression_percent",
 *		"min_abs", "direction"}],
 *		"versus": "eevdf" or null, "offline_cpus", "accel", "seed",
 *		"strategy", "observe": bool, "is_release": bool }] }
 *
 * Options of --ktstr-body, all optional: --seed N, --duration-ms N, --workers N,
 * --steps BITS (1 = the first one), --hold-percent N, --look-ms N (period at which a wait for the
 * end reads the clock, see ctx_wait_ms()), --work-type NAME, --flags a+b,
 * --scheduler-name NAME (of the scheduler that replaces the declared one), --versus-eevdf,
 * --repro, --release, --sim, --has-snapshots, --asks-by-channel, --quiet, --result FILE.
 * The environment variable SCHED_PID has the scheduler's pid (unset = the kernel's own
 * scheduler). Its command line, for restarting it, is in the guest's file
 * PROGRAM_GUEST_SCHED_ARGS; on a host, in the file that PROGRAM_SCHED_ARGS_VARIABLE names, if
 * it is set. Each argument is terminated by a NUL. The result is one JSON object
 * (check/result.h) in FILE, written when the body has ended; a missing or empty file
 * means that the program did not get that far. The result has the verdict of the checks; the
 * exit code also considers expect_err, see verdict_expected().
 */
#ifndef KTSTR_PROGRAM_PROTOCOL_H
#define KTSTR_PROGRAM_PROTOCOL_H

#define PROGRAM_SECTION "ktstr_tests"
#define PROGRAM_PROBE "--ktstr-probe"
#define PROGRAM_BODY "--ktstr-body"
#define PROGRAM_POST_VM "--ktstr-post-vm"
#define PROGRAM_PROBE_SCHEMA 1

/* Files in the guest. */
#define PROGRAM_GUEST_PATH "/ktstr-test"
#define PROGRAM_GUEST_INPUT "/ktstr-input" /* input file, if the run has one */
#define PROGRAM_GUEST_RESULT "/run/ktstr-result.json"
#define PROGRAM_GUEST_OBSERVE_PROBLEM "/run/ktstr-observe-problem" /* guest/protocol.h */
#define PROGRAM_OBSERVE_VARIABLE "KTSTR_OBSERVE_DIR" /* elsewhere: where the maps are pinned */
#define PROGRAM_GUEST_SCHED_ARGS "/sched-args"	     /* GUEST_SCHED_ARGS */

/* Outside of a guest: set by an exported test. */
#define PROGRAM_SCHED_ARGS_VARIABLE "KTSTR_SCHED_ARGS"

/* Exit codes of one test. */
enum program_exit { PROGRAM_PASSED = 0, PROGRAM_FAILED = 1, PROGRAM_INCONCLUSIVE = 2 };

#endif

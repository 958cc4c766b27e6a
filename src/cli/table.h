/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows shared by several commands. The commands are in the cmd_*.c that run them. */
#ifndef KTSTR_CLI_TABLE_H
#define KTSTR_CLI_TABLE_H

#include "cli/cli.h"

#define CLI_JSON                                               \
	{                                                      \
		.name = "json", .help = "print JSON to stdout" \
	}

/* clang-format off */
/* Lists of a command, with their terminators. */
#define CLI_PARAMS(...) (const struct cli_param[]){ __VA_ARGS__, {} }
#define CLI_EXAMPLES(...) (const struct cli_example[]){ __VA_ARGS__, {} }
#define CLI_EXITS(...) (const struct cli_exit[]){ __VA_ARGS__, {} }
#define CLI_SUBS(...) (const struct cli_cmd *const[]){ __VA_ARGS__, NULL }

/* Root directories; tests and users with recorded trees override them. */
#define CLI_ROOTS \
	{ .name = "proc-root", .kind = CLI_DIR, .value = "DIR", .fallback = "/proc", \
	  .help = "procfs to read; with a directory other than /proc, its threads are not " \
		  "accessed by system calls, netlink or ptrace" }, \
	{ .name = "cgroup-root", .kind = CLI_DIR, .value = "DIR", .fallback = "/sys/fs/cgroup", \
	  .help = "cgroup v2 mount to read" }, \
	{ .name = "sys-root", .kind = CLI_DIR, .value = "DIR", .fallback = "/sys", \
	  .help = "sysfs to read" }

#define CLI_SCHEDULER_BIN(what) \
	{ .name = "scheduler-bin", .kind = CLI_FILE, .value = "PATH", .help = what }

/* Read by select_option_read(). */
#define CLI_SELECT(what) \
	{ .name = "select", .letter = 'E', .kind = CLI_STRING, .value = "EXPR", \
	  .help = what ": a part of the name, or an expression as for `ktstr test -E`, such as " \
		       "test(=NAME) or test(/REGEX/) and not binary(NAME)" }

/* Read by seed_option(). */
#define CLI_SEED(what) \
	{ .name = "seed", .kind = CLI_NUMBER, .value = "N", .min = 1, \
	  .help = what "; same as KTSTR_SEED [default: 1]" }

/* Options of sim. */
#define CLI_SIM_KNOBS \
	{ .name = "sim-shift", .kind = CLI_NUMBER, .value = "N", .fallback = "1", \
	  .help = "with sim: an instruction takes 2^N ns, N from 0 to 4; 3 runs about twice as " \
		  "fast as 1 and makes vCPUs slower" }, \
	{ .name = "sim-slice", .kind = CLI_NUMBER, .value = "US", .max = 50000, \
	  .help = "with sim: switch between vCPUs at least every US microseconds, 10 to 50000; " \
		  "0 leaves it to the timers of the kernel [default: 500; with --sim-jitter, " \
		  "derived from the seed]" }, \
	{ .name = "sim-jitter", \
	  .help = "with sim: derive the slice and short delays at random times from the seed" }, \
	{ .name = "sim-delays", .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 10000, \
	  .help = "with sim: take a CPU away from the running task N times a second, at random " \
		  "times derived from the seed, for up to 0.5 ms [default: 100 with " \
		  "--sim-jitter, else none]" }, \
	{ .name = "sim-wake-delays", .kind = CLI_NUMBER, .value = "US", .min = 1, .max = 100000, \
	  .help = "with sim: delay one wakeup in eight, chosen by the seed, by up to US " \
		  "microseconds" }

/* Options of commands that run tests; read by knob_options(). */
#define CLI_KNOBS \
	CLI_SIM_KNOBS, \
	{ .name = "strategy", .kind = CLI_CHOICE, .value = "S", .choices = run_strategy_names, \
	  .help = "with sim: exploration strategy; random is --sim-jitter, walk holds CPUs at " \
		  "random scheduling events, pct uses random priorities with --depth - 1 " \
		  "change points" }, \
	{ .name = "depth", .kind = CLI_NUMBER, .value = "D", .fallback = "3", .min = 1, .max = 8, \
	  .needs = "strategy", .help = "bug depth of pct: the number of orderings that a " \
		  "failure needs at most" }, \
	{ .name = "events", .kind = CLI_NUMBER, .value = "K", .min = 1, .max = UINT32_MAX, \
	  .needs = "strategy", \
	  .help = "for pct: number of scheduling events in a run, over which the change points " \
		  "are spread [default: measured by explore; elsewhere there are no change " \
		  "points]" }, \
	{ .name = "duration", .kind = CLI_DURATION, .value = "DUR", \
	  .help = "duration of test bodies that use the duration of the test [default: as " \
		  "declared by the test]" }, \
	{ .name = "workers", .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 4096, \
	  .help = "workers per cgroup [default: as declared by the test]" }, \
	{ .name = "steps", .kind = CLI_STRING, .value = "LIST", \
	  .help = "run only these steps of a scenario, such as 1,3-5 [default: all]" }, \
	{ .name = "hold-percent", .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 100, \
	  .help = "scale fixed holds and settle times, which --duration does not change, to N " \
		  "percent [default: 100]" }, \
	{ .name = "topology", .kind = CLI_STRING, .value = "N,L,C,T", \
	  .help = "machine: NUMA nodes, LLCs in total, cores per LLC, threads per core " \
		  "[default: as declared by the test]" }, \
	{ .name = "cold", \
	  .help = "boot the kernel instead of restoring a saved guest" }, \
	{ .name = "release", .help = "use stricter limits for gaps (2000 instead of 3000 ms) " \
		"and spread (15 instead of 35 %); compile C files with -O2" }, \
	{ .name = "versus-eevdf", .help = "run each test with a scheduler a second time under " \
		"EEVDF and print both results" }

#define CLI_RUNS_DIR \
	{ .name = "dir", .kind = CLI_DIR, .value = "DIR", \
	  .help = "directory of run directories [default: KTSTR_RUNS_ROOT, or ktstr below " \
		  "CARGO_TARGET_DIR or target]" }
/* clang-format on */

/* Defines a function that returns these words, for the choices of a parameter. */
#define CLI_CHOICE_LIST(function, ...)                                      \
	static inline const char *const *function(void)                     \
	{                                                                   \
		static const char *const choices[] = { __VA_ARGS__, NULL }; \
		return choices;                                             \
	}

const char *const *cli_accel_names(void);

struct host_context;

/* cmd_show_host.c: A host, as `show-host` and `stats show-host` print it. */
int output_host(const struct cli_call *call, const struct host_context *host);

extern const struct cli_cmd cli_test_rest;
extern const struct cli_param cli_test_params[], cli_scheduler_words[];
extern const struct cli_exit cli_test_exits[];

#endif

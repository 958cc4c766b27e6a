/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows for commands that run tests. */
#ifndef KTSTR_CLI_ROWS_TEST_H
#define KTSTR_CLI_ROWS_TEST_H

#include "cli/table.h"
#include "run/report.h"
#include "run/campaign.h"

/* Packed rows are easier to read than one field per line. */
/* clang-format off */
CLI_CHOICE_LIST(ignored_names, "default", "ignored-only", "all")

#define FILTER_ROW \
	{ .name = "filter-expr", .letter = 'E', .kind = CLI_STRING, \
	  .value = "EXPR", .is_repeatable = true, \
	  .help = "run only tests that match EXPR: test(NAME), test(=NAME), test(/REGEX/), " \
		  "test(#GLOB), binary(...), all(), none(), combined with not, and, or, - and " \
		  "parentheses" }

#define RETRIES_ROW \
	{ .name = "retries", .kind = CLI_NUMBER, .value = "N", .max = 100, \
	  .help = "retry a failed test up to N times; in sim each retry uses the next seed" }

#define IGNORED_ROW \
	{ .name = "run-ignored", .kind = CLI_CHOICE, .value = "WHICH", .choices = ignored_names, \
	  .help = "also run (all), or only run (ignored-only), tests that are ignored by " \
		  "default: gauntlet tests, demo_ tests and tests marked as ignored" }

#define FAIL_FAST_ROW \
	{ .name = "fail-fast", \
	  .help = "start no further tests after a failure; the default, except with profile ci" }

#define NO_FAIL_FAST_ROW \
	{ .name = "no-fail-fast", .excludes = "fail-fast", .help = "run all tests even if some " \
		"fail" }

#define NO_CAPTURE_ROW \
	{ .name = "no-capture", .alias = "nocapture", .help = "also show the output of passing " \
		"tests" }

#define NO_PERF_ROW \
	{ .name = "no-perf-mode", .help = "do not reserve CPUs; same as KTSTR_NO_PERF_MODE" }

#define INCLUDE_EOL_ROW \
	{ .name = "include-eol", .help = "let ranges include series that kernel.org no longer " \
		"lists" }

#define PARALLEL_ROW \
	{ .name = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 512, \
	  .help = "runs in parallel [default: as CPUs and memory allow]" }

#define TEST_ROWS \
	{ .name = "path", .is_arg = true, .is_repeatable = true, .kind = CLI_FILE, .value = "PATH", \
	  .help = "test program, C file with tests, directory with either, or scenario file " \
		  "(.yaml) [default: KTSTR_TEST_DIR, else tests and build of the project]" }, \
	{ .name = "kernel", .kind = CLI_STRING, .value = "ID", .is_repeatable = true, \
	  .help = "kernel: a version (7.0, 6.19.14), a range (6.16..7.0), a source directory, " \
		  "a cache key or git+URL#REF; if several are given, every test runs on each " \
		  "[default: the newest one available]" }, \
	FILTER_ROW, \
	IGNORED_ROW, \
	{ .name = "list", .help = "print the names of the selected tests without running them" }, \
	{ .name = "format", .kind = CLI_CHOICE, .value = "FORMAT", .choices = run_report_format_names, \
	  .fallback = "human", .help = "output format on stdout; json prints one line per event" }, \
	{ .name = "accel", .kind = CLI_CHOICE, .value = "ACCEL", .choices = cli_accel_names, \
	  .help = "accelerator: kvm is fast, sim is reproducible, tcg is for comparison only; " \
		  "same as KTSTR_ACCEL [default: kvm if it works, else sim]" }, \
	CLI_SEED("seed of all random choices, and in sim of the whole run"), \
	CLI_KNOBS, \
	{ .name = "trace", .kind = CLI_DIR, .value = "DIR", \
	  .help = "with sim: write a trace of each test into DIR, for ui.perfetto.dev; the " \
		  "runs do not change" }, \
	{ .name = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", \
	  .min = 1, .max = 512, .help = "run N tests in parallel [default: as CPUs and memory " \
		  "allow]" }, \
	RETRIES_ROW, \
	{ .name = "shard", .kind = CLI_STRING, .value = "K/N", \
	  .help = "run only the K-th of N equal parts; also taken from the variables of " \
		  "GitLab, CircleCI, Buildkite and Slurm job arrays" }, \
	FAIL_FAST_ROW, \
	NO_FAIL_FAST_ROW, \
	NO_CAPTURE_ROW, \
	NO_PERF_ROW, \
	{ .name = "no-auto-repro", .help = "do not rerun failed tests to explain them; same as " \
		"KTSTR_NO_AUTO_REPRO" }, \
	{ .name = "probe-stack", .kind = CLI_STRING, .value = "STACK", \
	  .help = "kernel functions for auto-repro to probe: a file with stack traces or " \
		  "names, such text itself, or names separated by commas [default: the " \
		  "functions in the stack traces of the failure]" }, \
	{ .name = "no-skip-mode", .help = "fail tests that would be skipped; same as " \
		"KTSTR_NO_SKIP_MODE" }, \
	CLI_SCHEDULER_BIN("run tests under this program instead of the schedulers that they declare, " \
			  "without their arguments, and scenario files, too; tests that declare no " \
			  "scheduler run under the kernel's own"), \
	{ .name = "scheduler-arg", .kind = CLI_STRING, .value = "WORD", .is_repeatable = true, \
	  .needs = "scheduler-bin", .help = "argument for the program of --scheduler-bin" }, \
	{ .name = "profile", .kind = CLI_STRING, .value = "NAME", \
	  .help = "build profile of schedulers: look in target/NAME first; same as " \
		  "KTSTR_SCHEDULER_PROFILE [default: release]" }, \
	{ .name = "nextest-profile", .kind = CLI_CHOICE, .value = "NAME", \
	  .choices = run_profile_names, .fallback = "default", \
	  .help = "timeouts and output: ci has longer timeouts, runs all tests and prints " \
		  "failures at the end" }, \
	INCLUDE_EOL_ROW, \
	{ .name = "keep-history", .kind = CLI_NUMBER, .value = "N", .max = 1000, \
	  .help = "keep the records of the N previous runs of the same kernel and commit" }

#define TEST_REST_ROWS \
	{ .name = "substring", .is_arg = true, .is_repeatable = true, .kind = CLI_STRING, \
	  .value = "SUBSTRING", .help = "run only tests whose name contains SUBSTRING" }, \
	FILTER_ROW, \
	IGNORED_ROW, \
	RETRIES_ROW, \
	{ .name = "test-threads", .alias = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", \
	  .min = 1, .max = 512, .help = "run N tests in parallel" }, \
	FAIL_FAST_ROW, \
	NO_FAIL_FAST_ROW, \
	NO_CAPTURE_ROW, \
	{ .name = "profile", .kind = CLI_CHOICE, .value = "NAME", .choices = run_profile_names, \
	  .help = "same as --nextest-profile" }, \
	{ .name = "workspace", .help = "accepted for compatibility with cargo; has no effect" }, \
	{ .name = "features", .kind = CLI_STRING, .value = "LIST", .is_repeatable = true, \
	  .help = "accepted for compatibility with cargo; has no effect" }, \
	{ .name = "exclude-from-report", .kind = CLI_STRING, .value = "NAME", .is_repeatable = true, \
	  .help = "accepted for compatibility with cargo; has no effect" }

#define TEST_ROW \
	{ .name = "test", .is_arg = true, .is_required = true, .is_repeatable = true, \
	  .kind = CLI_FILE, .value = "TEST", \
	  .help = "name of a test, test program or C file; or a file with several tests and " \
		  "the name of one of them" }

#define KERNEL_ROW \
	{ .name = "kernel", .kind = CLI_STRING, .value = "ID", \
	  .help = "kernel, as for test [default: the newest one available]" }
/* clang-format on */

#endif

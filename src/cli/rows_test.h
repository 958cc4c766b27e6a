/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of commands that run tests. */
#ifndef KTSTR_CLI_ROWS_TEST_H
#define KTSTR_CLI_ROWS_TEST_H

#include "cli/table.h"
#include "run/report.h"
#include "run/runner.h"

/* Rows read better packed than one field to a line. */
/* clang-format off */
CLI_CHOICE_LIST(ignored_names, "default", "ignored-only", "all")

#define FILTER_ROW                                                                          \
	{ .name = "filter-expr", .letter = 'E', .kind = CLI_STRING,   \
	  .value = "EXPR", .is_repeatable = true,                                           \
	  .help = "tests that match: test(NAME), test(=NAME), test(/REGEX/), test(#GLOB), " \
		  "binary(...), all(), none(), with not, and, or, - and brackets" }

#define RETRIES_ROW                                                                          \
	{ .name = "retries", .kind = CLI_NUMBER, .value = "N", .max = 100,                   \
	  .help = "try a failed test so many times more; in sim each try has the next seed" }

#define IGNORED_ROW                                                                           \
	{ .name = "run-ignored", .kind = CLI_CHOICE, .value = "WHICH", .choices = ignored_names, \
	  .help = "also (all) or only (ignored-only) tests that are ignored by default: the " \
		  "gauntlet, demo_ ones and those that say so" }

#define FAIL_FAST_ROW \
	{ .name = "fail-fast", \
	  .help = "start no more tests after a failure: the default, but not of profile ci" }

#define NO_FAIL_FAST_ROW \
	{ .name = "no-fail-fast", .excludes = "fail-fast", .help = "run all tests whatever fails" }

#define NO_CAPTURE_ROW \
	{ .name = "no-capture", .alias = "nocapture", .help = "also show what passing tests print" }

#define TEST_ROWS \
	{ .name = "path", .is_arg = true, .is_repeatable = true, .kind = CLI_FILE, .value = "PATH", \
	  .help = "test program, C file with tests, directory of both, or scenario file (.yaml) " \
		  "[default: KTSTR_TEST_DIR, else tests and build of the project]" }, \
	{ .name = "kernel", .kind = CLI_STRING, .value = "ID", .is_repeatable = true, \
	  .help = "kernel: a version (7.0, 6.19.14), a range (6.16..7.0), a source directory, a " \
		  "cache key or git+URL#REF; with two or more, every test runs on each " \
		  "[default: the newest one available]" }, \
	FILTER_ROW, \
	IGNORED_ROW, \
	{ .name = "list", .help = "print the names of the selected tests and run none" }, \
	{ .name = "format", .kind = CLI_CHOICE, .value = "FORMAT", .choices = run_report_format_names, \
	  .fallback = "human", .help = "what is written to stdout; json is a line for each event" }, \
	{ .name = "accel", .kind = CLI_CHOICE, .value = "ACCEL", .choices = cli_accel_names, \
	  .help = "kvm is fast, sim repeats exactly, tcg is neither; KTSTR_ACCEL is the same " \
		  "[default: kvm where it works, else sim]" }, \
	CLI_SEED("of all random choices, and in sim of the whole run"), \
	CLI_KNOBS, \
	{ .name = "trace", .kind = CLI_DIR, .value = "DIR", \
	  .help = "with sim: a file for each test with what the scheduler did, for " \
		  "ui.perfetto.dev; the runs stay the same" }, \
	{ .name = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", \
	  .min = 1, .max = 512, .help = "tests at once [default: as CPUs and memory allow]" }, \
	RETRIES_ROW, \
	{ .name = "shard", .kind = CLI_STRING, .value = "K/N", \
	  .help = "only the K-th of N equal parts; also read from the variables of GitLab, " \
		  "CircleCI, Buildkite and Slurm job arrays" }, \
	FAIL_FAST_ROW, \
	NO_FAIL_FAST_ROW, \
	NO_CAPTURE_ROW, \
	{ .name = "no-perf-mode", .help = "reserve no CPUs; KTSTR_NO_PERF_MODE is the same" }, \
	{ .name = "no-auto-repro", .help = "do not run failed tests again to explain them; " \
					   "KTSTR_NO_AUTO_REPRO is the same" },              \
	{ .name = "probe-stack", .kind = CLI_STRING, .value = "STACK", \
	  .help = "functions of the kernel that auto-repro looks at: a file with stacks or names, " \
		  "such a text, or names separated by commas [default: those of the failure's stacks]" }, \
	{ .name = "no-skip-mode", .help = "a test that would be skipped fails; KTSTR_NO_SKIP_MODE is " \
					  "the same" }, \
	CLI_SCHEDULER_BIN("this program under all tests, instead of the schedulers that they " \
			  "declare and without their arguments"), \
	{ .name = "scheduler-arg", .kind = CLI_STRING, .value = "WORD", .is_repeatable = true, \
	  .needs = "scheduler-bin", .help = "word for the program of --scheduler-bin" }, \
	{ .name = "profile", .kind = CLI_STRING, .value = "NAME", \
	  .help = "build profile of schedulers: target/NAME is looked into first; " \
		  "KTSTR_SCHEDULER_PROFILE is the same [default: release]" }, \
	{ .name = "nextest-profile", .kind = CLI_CHOICE, .value = "NAME", \
	  .choices = run_profile_names, .fallback = "default", \
	  .help = "patience and output: ci waits longer, runs everything and shows failures at " \
		  "the end" }, \
	{ .name = "include-eol", .help = "ranges also have series that kernel.org no longer lists" }, \
	{ .name = "keep-history", .kind = CLI_NUMBER, .value = "N", .max = 1000, \
	  .help = "keep the records of the N runs before this one of the same kernel and commit" }

#define TEST_REST_ROWS \
	{ .name = "substring", .is_arg = true, .is_repeatable = true, .kind = CLI_STRING, \
	  .value = "SUBSTRING", .help = "tests whose name has this in it" }, \
	FILTER_ROW, \
	IGNORED_ROW, \
	RETRIES_ROW, \
	{ .name = "test-threads", .alias = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", \
	  .min = 1, .max = 512, .help = "tests at once" }, \
	FAIL_FAST_ROW, \
	NO_FAIL_FAST_ROW, \
	NO_CAPTURE_ROW, \
	{ .name = "profile", .kind = CLI_CHOICE, .value = "NAME", .choices = run_profile_names, \
	  .help = "as --nextest-profile" }, \
	{ .name = "workspace", .help = "accepted for scripts that were written for cargo; without " \
				       "effect" }, \
	{ .name = "features", .kind = CLI_STRING, .value = "LIST", .is_repeatable = true, \
	  .help = "the same" }, \
	{ .name = "exclude-from-report", .kind = CLI_STRING, .value = "NAME", .is_repeatable = true, \
	  .help = "the same" }

#define TEST_ROW                                                                               \
	{ .name = "test", .is_arg = true, .is_required = true, .is_repeatable = true,          \
	  .kind = CLI_FILE, .value = "TEST",                                                   \
	  .help = "name of a test, test program or C file; a file with several tests and the " \
		  "name of one" }

#define NO_PERF_ROW \
	{ .name = "no-perf-mode", .help = "reserve no CPUs; KTSTR_NO_PERF_MODE is the same" }

#define KERNEL_ROW                                                            \
	{ .name = "kernel", .kind = CLI_STRING, .value = "ID",                \
	  .help = "kernel, as for test [default: the newest one available]" }
/* clang-format on */

#endif

// SPDX-License-Identifier: GPL-2.0-only
/* Commands that run tests. */
#include "cli/options.h"
#include "cli/table.h"
#include "run/presets.h"
#include "run/report.h"
#include "run/runner.h"

/* Rows read better packed than one field to a line. */
/* clang-format off */
CLI_CHOICE_LIST(accel_names, "kvm", "tcg", "sim")
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
	{ .name = "accel", .kind = CLI_CHOICE, .value = "ACCEL", .choices = accel_names, \
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

const struct cli_param cli_test_params[] = {
	TEST_ROWS,
	{ .name = "bpf-coverage", .kind = CLI_DIR, .value = "DIR",
	  .help = "with sim: count which lines of the scheduler's BPF programs are executed, add "
		  "them to those in DIR, and write lcov.info, coverage.json and index.html there; "
		  "the runs stay the same" },
	{}
};

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

static const struct cli_param rest_params[] = { TEST_REST_ROWS, {} };

const struct cli_cmd cli_test_rest = { .name = "test", .params = rest_params };

const struct cli_exit cli_test_exits[] = {
	{ "1", "a test failed" },
	{ "3", "nothing failed, but a test was inconclusive" },
	{ "4", "nothing ran: nothing was selected, or all was skipped" },
	{ "130", "interrupted" },
	{}
};

const struct cli_example cli_test_examples[] = {
	{ "test my_test.c", "compile one file and run its tests" },
	{ "test --kernel 7.0 --kernel 6.19 -- -E 'test(two_cgroups)'", "one test on two kernels" },
	{ "test --run-ignored all -E 'test(#gauntlet/*/smt-*)'", "part of the gauntlet" },
	{ "test --scheduler-bin ./scx_mine --scheduler-arg=--verbose steal.yaml",
	  "a scenario file under a scheduler" },
	{ "test --format ktap build/tests/mine", "for tools that read what the kernel's own tests "
						 "write" },
	{}
};

/* ---- check ---- */

const struct cli_param cli_check_params[] = {
	{ .name = "scheduler", .is_arg = true, .kind = CLI_FILE, .value = "SCHEDULER",
	  .help = "program that loads the scheduler and stays" },
	{ .name = "eevdf", .help = "the kernel's own scheduler instead of a program: what the tests "
				   "say without yours" },
	{ .name = "kernel", .kind = CLI_STRING, .value = "ID", .is_repeatable = true,
	  .help = "kernel as for `ktstr test`; may be repeated [default: all kernels of the cache "
		  "that schedulers can be loaded into, the newest first]" },
	{ .name = "topology", .kind = CLI_STRING, .value = "MACHINE", .is_repeatable = true,
	  .help = "machine of four CPUs or more: NUMA nodes, LLCs in total, cores per LLC, threads per "
		  "core as N,L,C,T, or a preset; may be repeated [default: one LLC, two LLCs, three "
		  "LLCs with an odd number of CPUs, SMT, two nodes]" },
	{ .name = "budget", .kind = CLI_DURATION, .value = "DUR", .fallback = "5m",
	  .help = "start no more runs after this long" },
	CLI_SEED("the first one"),
	{ .name = "seeds", .letter = 'n', .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 10000000,
	  .help = "seeds at most [default: as many as there is time for]" },
	FILTER_ROW,
	{ .name = "list", .help = "print the tests, and what each is for, and run none" },
	{ .name = "html", .kind = CLI_FILE, .value = "FILE", .help = "also write a page with all runs" },
	{ .name = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 512,
	  .help = "runs at once [default: as CPUs and memory allow]" },
	{ .name = "no-perf-mode", .help = "reserve no CPUs; KTSTR_NO_PERF_MODE is the same" },
	{ .name = "include-eol", .help = "ranges also have series that kernel.org no longer lists" },
	CLI_JSON,
	{}
};

static const struct cli_param check_rest_params[] = {
	{ .name = "arg", .is_arg = true, .is_repeatable = true, .kind = CLI_STRING, .value = "ARG",
	  .help = "words for the scheduler, as they are" },
	{}
};

const struct cli_cmd cli_check_rest = { .name = "check", .params = check_rest_params };
const struct cli_cmd cli_fuzz_rest = { .name = "fuzz", .params = check_rest_params };

const struct cli_exit cli_check_exits[] = {
	{ "1", "a run failed, or the scheduler does not load" },
	{ "3", "nothing failed, but a run was inconclusive" },
	{ "4", "nothing ran: nothing was selected, or no kernel can be used; or the budget was used up "
	       "before half of the tests had run" },
	{ "130", "interrupted" },
	{}
};

const struct cli_example cli_check_examples[] = {
	{ "check ./scx_mine", "five minutes on all available kernels" },
	{ "check ./scx_mine --kernel 7.0 --budget 20m", "longer, on one kernel" },
	{ "check ./scx_mine -E 'test(herd)' --topology 1,3,3,1 --seed 7 --seeds 1", "one run" },
	{ "check --list", "what is tried" },
	{}
};

/* ---- coverage ---- */

#define COVERAGE_ROWS \
	{ .name = "lcov", .help = "write the report in the format of lcov" }, \
	{ .name = "json", .excludes = "lcov", .help = "write it as JSON; without --bpf in the format of llvm-cov" }, \
	{ .name = "html", .help = "write pages with the source and how often each line ran" }, \
	{ .name = "text", .excludes = "html", \
	  .help = "write the source with how often each line ran" }, \
	{ .name = "output-path", .kind = CLI_FILE, .value = "PATH", \
	  .help = "file for the report, with --html a directory [default: stdout, or html in the " \
		  "directory of profiles]" }, \
	{ .name = "ignore-filename-regex", .kind = CLI_STRING, .value = "REGEX", \
	  .help = "leave out source files whose path matches" }

#define NO_CLEAN_ROW \
	{ .name = "no-clean", .help = "add to the profiles of earlier runs instead of beginning anew" }

const struct cli_param cli_coverage_params[] = {
	TEST_ROWS,
	{ .name = "bpf", .help = "lines of BPF programs of schedulers instead, of any that has line "
				 "info; needs sim, and no instrumentation" },
	{ .name = "kernel-functions", .needs = "bpf",
	  .help = "also how much of each function of sched_ext in the kernel was executed" },
	COVERAGE_ROWS, NO_CLEAN_ROW, {}
};

static const struct cli_param coverage_rest_params[] = {
	TEST_REST_ROWS, COVERAGE_ROWS, NO_CLEAN_ROW, {}
};

const struct cli_cmd cli_coverage_rest = { .name = "coverage", .params = coverage_rest_params };

const struct cli_example cli_coverage_examples[] = {
	{ "coverage my_test.c", "what of one file its tests reach" },
	{ "coverage my_test.c -- --lcov --output-path lcov.info", "the same for other tools" },
	{ "coverage --html --output-path pages my_test.c", "the same to look at" },
	{ "coverage --bpf my_test.c", "which lines of its BPF scheduler are executed" },
	{}
};

static const struct cli_param llvm_cov_report_params[] = { COVERAGE_ROWS, {} };

static const struct cli_param llvm_cov_clean_params[] = {
	{ .name = "profraw-only", .help = "only raw profiles; the list of programs stays" },
	{ .name = "workspace", .excludes = "profraw-only",
	  .help = "also the programs that were compiled from C files for it" },
	{}
};

static const struct cli_param llvm_cov_env_params[] = {
	{ .name = "export-prefix", .help = "with export in front, for `eval`" },
	{}
};

static const struct cli_example llvm_cov_report_examples[] = {
	{ "llvm-cov report", "a line for each file" },
	{ "llvm-cov report --lcov --output-path lcov.info", "for other tools" },
	{}
};

const struct cli_cmd cli_llvm_cov_commands[] = {
	{ .name = "report", .summary = "merge the available profiles and report what they cover",
	  .about = "Profiles are those of the last `ktstr coverage`, and of every run of `ktstr test` "
		   "with instrumented programs since.",
	  .params = llvm_cov_report_params, .examples = llvm_cov_report_examples,
	  .run = cmd_llvm_cov_report },
	{ .name = "clean", .summary = "remove profiles and reports", .params = llvm_cov_clean_params,
	  .run = cmd_llvm_cov_clean },
	{ .name = "show-env", .summary = "print the variables for building programs that count",
	  .about = "Lines for a shell: compiler and flags that make instrumented test programs, and "
		   "where profiles go.",
	  .params = llvm_cov_env_params, .run = cmd_llvm_cov_show_env },
	{}
};

const struct cli_param cli_verifier_params[] = {
	{ .name = "preset", .is_arg = true, .is_repeatable = true, .kind = CLI_CHOICE,
	  .value = "PRESET", .choices = preset_names,
	  .help = "machines to try [default: all up to 192 CPUs; without KVM those up to 9 CPUs]" },
	{ .name = "kernel", .kind = CLI_STRING, .value = "ID", .is_repeatable = true,
	  .help = "kernel as for `ktstr test`; may be repeated [default: the newest one available]" },
	{ .name = "scheduler", .kind = CLI_STRING, .value = "NAME",
	  .help = "only the declared scheduler of this name" },
	CLI_SCHEDULER_BIN("this program instead of declared schedulers"),
	{ .name = "all-profiles", .help = "every set of flags that a scheduler declares; the program "
					  "of --scheduler-bin is asked with --ktstr-list-flags" },
	{ .name = "profiles", .kind = CLI_STRING, .value = "LIST", .excludes = "all-profiles",
	  .help = "these sets of flags: default,llc,llc+steal" },
	{ .name = "raw", .help = "verifier logs as they are, repeated cycles and all" },
	{ .name = "accel", .kind = CLI_CHOICE, .value = "ACCEL", .choices = accel_names,
	  .help = "as for `ktstr test` [default: kvm where it works, else sim]" },
	CLI_SEED("with sim: another seed is another run, the same seed the same run"),
	{ .name = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 512,
	  .help = "VMs at once [default: as CPUs and memory allow]" },
	{ .name = "include-eol", .help = "ranges also have series that kernel.org no longer lists" },
	CLI_JSON,
	{},
};

const struct cli_example cli_verifier_examples[] = {
	{ "verifier --kernel 7.0", "all schedulers of the available test programs" },
	{ "verifier --kernel 6.19 --kernel 7.0 --scheduler-bin ./scx_mine tiny-1llc odd-3llc",
	  "one program on two kernels and two machines" },
	{}
};

const struct cli_param cli_replay_params[] = {
	{ .name = "run", .is_arg = true, .kind = CLI_FILE, .value = "RUN",
	  .help = "run (name or directory) or record to repeat [default: failed tests of the last "
		  "run]" },
	CLI_SELECT("only these tests"),
	{ .name = "dir", .kind = CLI_DIR, .value = "DIR", .help = "directory of runs" },
	{ .name = "list", .help = "print what would be run" },
	CLI_SCHEDULER_BIN("this program instead of the scheduler that the record names"),
	CLI_TRUST,
	{},
};

const struct cli_example cli_replay_examples[] = {
	{ "replay", "what failed in the last run, once more" },
	{ "replay target/ktstr/7.0.13-1a2b3c4/two_cgroups-0123456789abcdef.ktstr.json",
	  "one test exactly as it was, and whether it was the same" },
	{}
};

const struct cli_param cli_export_params[] = {
	{ .name = "test", .is_arg = true, .is_required = true, .kind = CLI_STRING, .value = "TEST",
	  .help = "name of the test" },
	{ .name = "output", .letter = 'o', .kind = CLI_FILE, .value = "FILE",
	  .help = "file to write [default: TEST.run]" },
	{ .name = "package", .letter = 'p', .kind = CLI_FILE, .value = "PKG",
	  .help = "test program: a file, a C file, a directory, or the name of one [default: all of "
		  "KTSTR_TEST_DIR, else of tests and build of the project]" },
	{ .name = "release", .help = "a C file is compiled with optimisation, and the scheduler is "
				     "looked for in target/release before other builds" },
	{},
};

const struct cli_example cli_export_examples[] = {
	{ "export two_cgroups", "write two_cgroups.run, to be run as root on another machine" },
	{ "export my_test -p my_test.c -o /tmp/my_test.run --release", "a test of one C file" },
	{}
};
/* clang-format on */

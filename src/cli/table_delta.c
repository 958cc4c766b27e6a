// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr perf-delta` and `ktstr affected`. */
#include "cli/table.h"
#include "run/knobs.h"

/* Rows read better packed than one field to a line. */
/* clang-format off */
CLI_CHOICE_LIST(accel_names, "kvm", "tcg", "sim")

const struct cli_param cli_perf_delta_params[] = {
	{ .name = "path", .is_arg = true, .is_repeatable = true, .kind = CLI_FILE, .value = "PATH",
	  .help = "test program, C file or directory, in the work trees [default: as of `ktstr test`]" },
	{ .name = "base", .kind = CLI_STRING, .value = "COMMIT",
	  .help = "baseline [default: the merge base with origin/$GITHUB_BASE_REF, or with the default "
		  "branch]" },
	{ .name = "base-ref", .kind = CLI_STRING, .value = "REF", .excludes = "base",
	  .help = "baseline is the merge base of HEAD with it" },
	{ .name = "default-branch", .kind = CLI_STRING, .value = "NAME", .fallback = "main",
	  .help = "branch to take the merge base with where nothing else says" },
	{ .name = "noise-adjust", .kind = CLI_NUMBER, .value = "N", .min = 2, .max = 1000,
	  .needs = "kernel", .help = "run both sides N times; in sim with N seeds" },
	{ .name = "dual-run", .needs = "kernel", .excludes = "noise-adjust",
	  .help = "run both sides once, for a look: one run is never gated" },
	{ .name = "until-sure", .needs = "kernel", .excludes = "dual-run",
	  .help = "go on with twice as many runs until each gated metric is decided, or would need more "
		  "than --max-runs" },
	{ .name = "max-runs", .kind = CLI_NUMBER, .value = "N", .fallback = "80", .min = 2, .max = 1000,
	  .needs = "until-sure", .help = "runs a side at most" },
	{ .name = "budget", .kind = CLI_DURATION, .value = "DUR", .needs = "until-sure",
	  .help = "make no more runs than fit into this, from the start and with builds" },
	{ .name = "confidence", .kind = CLI_STRING, .value = "PERCENT", .fallback = "95",
	  .help = "how sure a difference has to be" },
	{ .name = "build", .kind = CLI_STRING, .value = "CMD",
	  .help = "command that builds what the tests need in each work tree" },
	{ .name = "binary", .kind = CLI_STRING, .value = "PATH", .needs = "build",
	  .help = "the scheduler that it builds, relative to the work tree [default: where tests find "
		  "theirs]" },
	{ .name = "a-scheduler", .kind = CLI_STRING, .value = "PROGRAM", .needs = "b-scheduler",
	  .help = "compare schedulers instead of commits: program of side A, or without runs its name in "
		  "the records" },
	{ .name = "b-scheduler", .kind = CLI_STRING, .value = "PROGRAM", .needs = "a-scheduler",
	  .help = "the one of side B" },
	{ .name = "a-arg", .kind = CLI_STRING, .value = "WORD", .is_repeatable = true,
	  .needs = "a-scheduler", .help = "argument of A's scheduler in the place of declared ones" },
	{ .name = "b-arg", .kind = CLI_STRING, .value = "WORD", .is_repeatable = true,
	  .needs = "b-scheduler", .help = "argument of B's" },
	{ .name = "threshold", .kind = CLI_STRING, .value = "PERCENT", .excludes = "policy",
	  .help = "relative change that counts, for all metrics" },
	{ .name = "policy", .kind = CLI_FILE, .value = "FILE",
	  .help = "the same by metric: {\"default_percent\":N,\"per_metric_percent\":{NAME:N}}" },
	{ .name = "fail-threshold", .kind = CLI_NUMBER, .value = "K", .fallback = "5", .min = 1,
	  .help = "so many regressed metrics fail" },
	{ .name = "must-fail", .kind = CLI_STRING, .value = "METRIC", .is_repeatable = true,
	  .help = "one regression of this metric fails" },
	{ .name = "noise-limit", .kind = CLI_STRING, .value = "PERCENT",
	  .help = "a metric whose runs of one side are further apart is not gated" },
	{ .name = "no-phases", .help = "no table by phase" },
	{ .name = "phases-only", .excludes = "no-phases",
	  .help = "only the table by phase: nothing is gated" },
	{ .name = "steps-only", .excludes = "no-phases", .help = "phases without one that is named BASELINE" },
	{ .name = "phase", .kind = CLI_STRING, .value = "N", .excludes = "no-phases",
	  .help = "only the phase of this step: its number, or its name" },
	{ .name = "phase-threshold", .kind = CLI_STRING, .value = "PERCENT", .excludes = "no-phases",
	  .help = "relative change that counts in phases" },
	CLI_SELECT("only these tests"),
	{ .name = "kernel", .kind = CLI_STRING, .value = "ID", .is_repeatable = true,
	  .help = "kernel as for `ktstr test`; of records, their version" },
	{ .name = "accel", .kind = CLI_CHOICE, .value = "ACCEL", .choices = accel_names,
	  .help = "as for `ktstr test`; of records, what they were run with" },
	CLI_SEED("the first one"),
	CLI_KNOBS,
	{ .name = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 512,
	  .help = "runs at once in sim [default: as many as CPUs]" },
	{ .name = "no-perf-mode", .help = "reserve no CPUs; KTSTR_NO_PERF_MODE is the same" },
	{ .name = "include-eol", .help = "ranges also have series that kernel.org no longer lists" },
	{ .name = "dir", .kind = CLI_DIR, .value = "DIR",
	  .help = "directory of run directories to pool [default: KTSTR_RUNS_ROOT, or ktstr below "
		  "CARGO_TARGET_DIR or target]" },
	CLI_JSON,
	{ .name = "junit", .kind = CLI_FILE, .value = "FILE", .help = "also write JUnit to this file" },
	{ .name = "html", .kind = CLI_FILE, .value = "FILE", .help = "also write a page to this file" },
	{}
};

const struct cli_example cli_perf_delta_examples[] = {
	{ "perf-delta", "the records of HEAD and of where it left main" },
	{ "perf-delta --noise-adjust 10 --kernel 7.0 --accel sim --build 'make -j4'",
	  "ten seeds of both, as CI of a pull request does" },
	{ "perf-delta --until-sure --kernel 7.0 --must-fail total_wait_ms", "until this one is told" },
	{ "perf-delta --noise-adjust 5 --kernel 7.0 --a-scheduler old/scx_my --b-scheduler new/scx_my",
	  "two builds of a scheduler" },
	{}
};

const struct cli_exit cli_perf_delta_exits[] = {
	{ "1", "also: --fail-threshold metrics regressed, or one of --must-fail did" },
	{ "3", "cannot tell; the last line says how many runs would do" },
	{ "4", "nothing ran: no test is selected, or all were skipped" },
	{ "130", "interrupted" },
	{}
};

const struct cli_param cli_affected_params[] = {
	{ .name = "path", .is_arg = true, .is_repeatable = true, .kind = CLI_FILE, .value = "PATH",
	  .help = "test program, C file or directory [default: as of `ktstr test`]" },
	{ .name = "base", .kind = CLI_STRING, .value = "COMMIT", .is_required = true,
	  .help = "where the change begins: at the merge base of HEAD with it" },
	{ .name = "tests", .help = "names of tests instead of schedulers" },
	{}
};

const struct cli_example cli_affected_examples[] = {
	{ "affected --base origin/main", "schedulers, for the matrix of a job" },
	{ "affected --base HEAD~1 --tests", "tests that the last commit touches" },
	{}
};
/* clang-format on */

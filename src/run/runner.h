/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The whole way of a run: discover → list → choose → execute → judge → record →
 * report. Each step is a module of its own; here they meet.
 */
#ifndef KTSTR_RUN_RUNNER_H
#define KTSTR_RUN_RUNNER_H

#include "run/knobs.h"
#include "run/report.h"
#include "run/variants.h"

/* How patient and how talkative a run is. */
struct run_profile {
	const char *name;
	unsigned int slow_s;
	unsigned int slow_periods; /* so many times slow_s: a test is ended */
	bool is_fail_fast;
	bool shows_failures_last;
};

const struct run_profile *run_profile_by_name(const char *name);
const char *const *run_profile_names(void);

enum {
	RUN_EXIT_PASSED = 0,
	RUN_EXIT_FAILED = 1,
	RUN_EXIT_INCONCLUSIVE = 3,
	RUN_EXIT_NOTHING = 4,
	RUN_EXIT_INTERRUPTED = 130,
};

enum run_list { RUN_LIST_NO, RUN_LIST_NAMES };

struct runner_options {
	const char *label;	  /* "ktstr" or "cargo ktstr" */
	const char *const *paths; /* programs, directories, C files */
	size_t path_count;
	const char *const *kernels;
	size_t kernel_count;
	bool include_eol;
	const char *accel;
	uint64_t seed;
	struct run_knobs knobs;
	bool no_perf_mode, fails_on_skip;
	bool explains;		       /* failures, by auto-repro */
	const char *probe_stack;       /* of auto-repro, or NULL */
	bool is_coverage;	       /* C files are compiled to count what is executed */
	const char *bpf_dir;	       /* gets what is executed of BPF programs, or NULL */
	bool counts_kernel;	       /* with it: functions of sched_ext in the kernel */
	bool takes_cores;	       /* of guests that fail, beside their records */
	const char *trace_dir;	       /* gets a file for each test, or NULL */
	const char *scheduler_profile; /* or NULL */
	const char *scheduler;	       /* program to take for that of every test; NULL = its own */
	const struct run_profile *profile;
	struct variants_choice choice;
	size_t jobs; /* 0 = by CPUs and memory */
	unsigned int retries;
	bool is_fail_fast;
	bool shows_output;
	bool is_quiet, is_verbose;
	enum run_list list;
	unsigned int history;
	const struct report_format *format;
};

/*
 * With is_coverage the profiles are in coverage_dir() afterwards; no instrumented
 * program at all is an error. One of RUN_EXIT_*, or a negative errno with a message. */
int runner_run(const struct runner_options *options);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Parsers of options that commands share. */
#ifndef KTSTR_CLI_OPTIONS_H
#define KTSTR_CLI_OPTIONS_H

#include "check/result.h"
#include "cli/cli.h"
#include "explore/explore.h"
#include "host/budget.h"
#include "host/reserve.h"
#include "host/sandbox.h"
#include "hostmode/execute.h"
#include "kernel/kernel.h"
#include "run/discover.h"
#include "run/campaign.h"
#include "run/report.h"
#include "stats/compare.h"
#include "vm/accel.h"
#include "vm/initramfs.h"
#include "vm/machine.h"
#include "vm/spec.h"

/* seed_option.c: --seed, parsed in the same way by all commands that have it. */

/* --seed, or KTSTR_SEED, or 1. -EINVAL with a message when the variable has no seed in it. */
int seed_option(const struct cli_call *call, uint64_t *out);

/* select_option.c: --select, which selects records of a run. */

struct select_option {
	const char *part; /* substring of a name; NULL = the filter, which may match all */
	struct filter filter;
};

/* 0, a negative errno, or EXIT_USAGE after the error was printed. */
int select_option_read(struct select_option *o, const struct cli_call *call);
bool select_option_has(struct select_option *o, const struct sidecar *s);
void select_option_finish(struct select_option *o);

/* Adds an expression of the command line, like filter_add(); errors as above. */
int filter_option_add(struct filter *f, const char *expression);

/* knob_options.c: options that change a run, for commands that run tests. */

/* Reads the rows CLI_KNOBS. 0, or EXIT_USAGE after the problem was printed. */
int knob_options(const struct cli_call *call, struct run_knobs *out);

/* --sim-slice; VM_SIM_SLICE_UNSET where it is not given. */
uint64_t vm_sim_slice_option(const struct cli_call *call);

/* lab_options.c: options of commands that run one test in sim. */

/* The words of the argument "test". */
struct lab_words {
	const char **items;
	size_t count;
};
void lab_words_finish(struct lab_words *w);

/* 0, or EXIT_USAGE if --kernel names more than one. */
int lab_check_kernel(const struct cli_call *call);

/* Reads the rows CLI_LAB. 0, a negative errno, or EXIT_USAGE after the problem was printed. */
int lab_options(const struct cli_call *call, struct lab_words *words, struct lab_request *out);

/* host_options.c: options shared by `run` and `list`. */

/* The files of --file and the libraries of --load, or else the catalog. */
int host_options_scenarios(const struct cli_call *call, struct host_scenarios *out);

/* test_options.c: options of a test run, before and after the "--". */

/* The caller sets call only. */
struct test_call {
	const struct cli_call *call;
	struct cli_call rest;
	struct filter filter;
	struct runner_options options;
	const char **paths, **kernels, **substrings, **scheduler_args;
	char *scheduler; /* from --scheduler-bin, absolute; or NULL */
};

/* 0 with options filled, EXIT_USAGE, or a negative errno. */
int test_call_read(struct test_call *t);
void test_call_finish(struct test_call *t);

/* Returns whether it was given on either side of the "--". */
bool test_call_is_set(const struct test_call *t, const char *name);

/*
 * trust.c: a run directory names programs, C files and schedulers, and repeating the run compiles
 * and executes them; schedulers and host tests run as the user who repeats it. A directory that was
 * not created here is not trusted: its contents are printed, and the user decides.
 */

#define CLI_TRUST                                                                             \
	{                                                                                     \
		.name = "trust",                                                              \
		.help = "do not ask before executing programs that a run of another user or " \
			"machine names"                                                       \
	}

/* 0 if the run in dir may be repeated, or an error that names --trust. */
int trust_run(const struct cli_call *call, const char *dir, const struct repeat_programs *programs,
	      const struct sidecar *const *records, size_t count);

/* confirm.c: asks before something is removed or executed. */

/* 1 for yes, 0 for no (with a message), or an error that names --force if there is no terminal. */
int confirm_removal(size_t count);

/* Returns whether the answer to "question? [y/N]" was yes; stdin must be a terminal. */
bool confirm(const char *question);

#endif

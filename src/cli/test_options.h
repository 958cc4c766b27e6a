/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of a run of tests: what stands before the "--", and behind it. */
#ifndef KTSTR_CLI_TEST_OPTIONS_H
#define KTSTR_CLI_TEST_OPTIONS_H

#include "cli/cli.h"
#include "run/runner.h"

/* Starts with call alone. */
struct test_call {
	const struct cli_call *call;
	struct cli_call rest;
	struct filter filter;
	struct runner_options options;
	const char **paths, **kernels, **substrings;
};

/* 0 with options filled, or EXIT_USAGE, or a negative errno. */
int test_call_read(struct test_call *t);
void test_call_finish(struct test_call *t);

/* Given on either side of the "--". */
bool test_call_is_set(const struct test_call *t, const char *name);

#endif

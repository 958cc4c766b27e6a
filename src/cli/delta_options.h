/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of `ktstr perf-delta`. */
#ifndef KTSTR_CLI_DELTA_OPTIONS_H
#define KTSTR_CLI_DELTA_OPTIONS_H

#include "cli/options.h"
#include "delta/fresh.h"
#include "stats/compare.h"

struct delta_call {
	struct delta_options judge;
	struct fresh_request request;
	struct side_filter filters[2]; /* of existing records */
	struct select_option select;
	struct baseline baseline;
	uint64_t seed;
	size_t runs; /* new runs per side; 0 = use existing records */

	/* Owned. */
	char *labels[2], *programs[2];
	const char **paths, **kernels, **must_fail, **args[2];
	const char *part[1];
};

/* 0, EXIT_USAGE after the problem was printed, or a negative errno. */
int delta_call_read(struct delta_call *d, const struct cli_call *call);
void delta_call_finish(struct delta_call *d);

#endif

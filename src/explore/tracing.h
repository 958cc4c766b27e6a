/* SPDX-License-Identifier: GPL-2.0-only */
/* A run once more with the tracer, and proof that it was the same run. */
#ifndef KTSTR_EXPLORE_TRACING_H
#define KTSTR_EXPLORE_TRACING_H

#include "explore/lab.h"

struct tracing_options {
	uint64_t seed;
	const char *digest; /* of the run that is meant; NULL = run it without the tracer first */
	const char *output;
};

/*
 * Writes the trace. One of RUN_EXIT_* by whether it was the same run; -EIO with a message,
 * and no trace, when it was not.
 */
int tracing_run(struct lab *l, const struct tracing_options *o);

#endif

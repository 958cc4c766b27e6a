/* SPDX-License-Identifier: GPL-2.0-only */
/* What figures came to over many seeds. */
#ifndef KTSTR_EXPLORE_DISTRIBUTION_H
#define KTSTR_EXPLORE_DISTRIBUTION_H

#include <stdint.h>

#include "base/vec.h"
#include "check/result.h"

struct sample {
	double value;
	uint64_t seed;
};

struct distribution {
	char *name; /* "worst_gap_ms" */
	VEC(struct sample) samples;
};

/* In the order in which names were first seen. */
struct distributions {
	VEC(struct distribution) items;
};

struct distribution_summary {
	size_t count;
	double min, p50, p90, max;
	uint64_t max_seed; /* the smallest one that came to max */
};

int distributions_add(struct distributions *d, const char *name, uint64_t seed, double value);
/* The figures of a result that `stats compare` knows, and its metrics; unknown ones are left out. */
int distributions_add_result(struct distributions *d, uint64_t seed, const struct ktstr_result *r);
/* Of at least one sample, which it sorts. Percentiles are values that were seen. */
void distribution_summarize(struct distribution *d, struct distribution_summary *out);
void distributions_finish(struct distributions *d);

#endif

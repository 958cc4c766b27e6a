/* SPDX-License-Identifier: GPL-2.0-only */
/* One test over many seeds: what failed, in how many ways, and what the figures came to. */
#ifndef KTSTR_EXPLORE_EXPLORE_H
#define KTSTR_EXPLORE_EXPLORE_H

#include "explore/distribution.h"
#include "explore/lab.h"
#include "explore/strategy.h"
#include "run/selection.h"

struct explore_options {
	uint64_t first_seed, seeds;
	struct shard shard; /* of the seeds; count 0 = all */
	uint64_t budget_ns; /* no seed is started after so long; 0 = no limit */
	bool stops_on_failure;
	bool is_json;
};

/* Seeds of one signature. */
struct failure_group {
	const struct trial *first; /* of the smallest seed */
	size_t count;
	VEC(uint64_t) seeds; /* ascending */
};

struct failure_groups {
	VEC(struct failure_group) items; /* the most frequent first */
};

/* Trials are in the order of their seeds. */
int failure_groups_make(const struct trial *trials, size_t count, struct failure_groups *out);
void failure_groups_finish(struct failure_groups *g);

/* The seeds of this machine; *out is to be freed. */
int explore_seeds(const struct explore_options *o, uint64_t **out, size_t *count);

/* One of RUN_EXIT_*, or a negative errno with a message. */
int explore_run(struct lab *l, const struct explore_options *o);

/* What explore_run() prints. */
struct explore_summary {
	const struct explore_options *options;
	struct strategy strategy;
	const struct trial *trials;
	size_t count;
	size_t passed, failed, inconclusive, skipped;
	double seconds;
	struct failure_groups groups;
	struct distributions distributions;
	bool is_interrupted;
};
int explore_add_text(const struct lab *l, struct explore_summary *s, struct str *out);
int explore_add_json(const struct lab *l, struct explore_summary *s, struct str *out);

#endif

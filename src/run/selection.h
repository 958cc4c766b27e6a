/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Choosing tests by what they cost: the most different ones within a time budget
 * (KTSTR_BUDGET_SECS), and the share of one machine among several (--shard K/N).
 */
#ifndef KTSTR_RUN_SELECTION_H
#define KTSTR_RUN_SELECTION_H

#include "base/base.h"

/*
 * Filter expressions: which tests are meant.
 *
 *	expression := term { ("or" | "|" | "+") term }
 *	term       := factor { ("and" | "&") factor | "-" factor }
 *	factor     := ("not" | "!") factor | "(" expression ")" | predicate
 *	predicate  := "test(" matcher ")" | "binary(" matcher ")" | "all()" | "none()"
 *	matcher    := TEXT (contains) | "~" TEXT (contains) | "=" TEXT (is)
 *		    | "/" REGEX "/" | "#" GLOB
 *
 * "a - b" is "a and not b". In a text, a backslash takes the next character as it is.
 */

struct filter_node;

/* Several expressions: one of them has to match. A filter of zeroes matches everything. */
struct filter {
	struct filter_node *nodes;
	size_t count, cap;
	size_t *roots;
	size_t root_count, root_cap;
};

struct filter_subject {
	const char *test;      /* full name: "gauntlet/two_cgroups/tiny-1llc" */
	const char *binary;    /* "my_sched_tests" */
	const char *binary_id; /* "my_crate::my_sched_tests" */
};

/*
 * Adds an expression. -EINVAL with a message of three lines: what is wrong, the
 * expression, and a mark below the place.
 */
int filter_add(struct filter *f, const char *expression);
/* The test of exactly this name; of that program, where one is named. */
int filter_add_exact(struct filter *f, const char *test, const char *binary);
bool filter_matches(struct filter *f, const struct filter_subject *subject);
void filter_finish(struct filter *f);

#define _filter_ _cleanup_(filter_finish)

/* What is known of a test before it runs. */
struct selection_item {
	const char *name;	 /* of the variant; ties go to the smaller one */
	const char *hashed_name; /* the test's own name, of a gauntlet variant the whole one */
	const char *scheduler;
	unsigned int required_flags, excluded_flags, active_flags; /* SELECTION_FLAG_* bits */
	unsigned int nodes, llcs, cpus, threads;
	bool is_performance, is_host_only, expects_error, is_gauntlet;
	double duration_s;
	unsigned int workers;
};

/* Bit of one of the six flags that everybody knows (llc, borrow, ...), or 0. */
unsigned int selection_flag(const char *name);

/* One bit for each feature that the test has. */
uint64_t selection_features(const struct selection_item *item);

/* Estimated seconds. */
double selection_cost(const struct selection_item *item);

struct selection_summary {
	size_t chosen, total;
	double used_s, budget_s;
	unsigned int covered, coverable; /* feature bits */
};

/*
 * Marks in is_chosen the tests that fit into the budget and together have the most
 * features: always the one with the most new bits per second.
 */
void selection_by_budget(const struct selection_item *items, size_t count, double budget_s,
			 bool *is_chosen, struct selection_summary *summary);

/* A positive number of seconds. False for anything else. */
bool selection_budget_parse(const char *text, double *seconds);

struct shard {
	unsigned int index, count; /* index from 0; count 0 = not sharded */
	const char *source;	   /* "--shard", or the variable it was read from */
};

/* "K/N", 1 <= K <= N. -EINVAL with a message. */
int shard_parse(const char *text, struct shard *out);

/*
 * From the variables of GitLab, CircleCI, Buildkite or a Slurm job array. Without
 * them count is 0. -EINVAL when they make no sense.
 */
int shard_from_environment(struct shard *out);

/* Clears is_chosen of those that other machines run; costs are spread evenly. */
int shard_apply(const struct shard *shard, const struct selection_item *items, size_t count,
		bool *is_chosen);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* One test over many seeds: what failed, in how many ways, and the figures. */
#ifndef KTSTR_EXPLORE_EXPLORE_H
#define KTSTR_EXPLORE_EXPLORE_H

#include "check/result.h"
#include "check/sidecar.h"
#include "explore/lab.h"
#include "run/discover.h"

/* A scratch work tree of the repository around the current directory, for builds of other commits. */

struct worktree {
	char *path; /* NULL = not made yet */
};

/* An empty directory in TMPDIR or /tmp; NULL with a message. */
char *worktree_scratch(const char *name);

/* Checks the commit out at this path, which must not exist or be empty. */
int worktree_make(struct worktree *w, const char *path, const char *commit);
/* Another commit in the same place. */
int worktree_switch(const struct worktree *w, const char *commit);
/* Another place for it. */
int worktree_move(struct worktree *w, const char *path);

/* Runs a command of the shell in it, which prints to stderr: its exit status, or a negative errno. */
int worktree_build(const struct worktree *w, const char *command);

/* Removes it, and what git knows of it. */
void worktree_finish(struct worktree *w);

/* Figures over many seeds. */

struct seed_sample {
	double value;
	uint64_t seed;
};

struct distribution {
	char *name; /* "worst_gap_ms" */
	VEC(struct seed_sample) samples;
};

/* In the order in which names were first seen. */
struct distributions {
	VEC(struct distribution) items;
};

struct distribution_summary {
	size_t count;
	double min, p50, p90, max;
	uint64_t max_seed; /* the smallest one with max */
};

int distributions_add(struct distributions *d, const char *name, uint64_t seed, double value);
/* The figures of a result that `stats compare` knows, and its metrics; unknown ones are left out. */
int distributions_add_result(struct distributions *d, uint64_t seed, const struct ktstr_result *r);
/* Of at least one sample, which it sorts. Percentiles are values that were seen. */
void distribution_summarize(struct distribution *d, struct distribution_summary *out);
void distributions_finish(struct distributions *d);

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

/*
 * Which of a row of candidates was the first bad one. Candidates that cannot be
 * tested are stepped around; where they hide the answer, it is a range.
 */

enum bisect_verdict { BISECT_GOOD, BISECT_BAD, BISECT_UNTESTABLE };

/* A negative return ends the search. */
typedef int bisect_judge_fn(void *ctx, size_t index, enum bisect_verdict *verdict);

struct bisect_result {
	size_t last_good, first_bad; /* apart by more than 1: what is between is untestable */
	size_t steps;
};

/*
 * Candidates 0 to count - 1, of which the first has to be good and the last bad: both
 * are tried first. -EINVAL with a message when they are not.
 */
int bisect_run(size_t count, bisect_judge_fn *judge_one, void *ctx, struct bisect_result *out);

/* What is bisected: kernels, programs of a scheduler, or commits that it is built from. */

enum candidate_kind { CANDIDATE_KERNEL, CANDIDATE_PROGRAM, CANDIDATE_COMMIT };

struct candidates {
	enum candidate_kind kind;
	struct texts names;    /* the good end first */
	struct texts subjects; /* of commits, one each */
	/* Of commits. */
	const char *build, *binary;
	struct worktree tree; /* where they are checked out */
};

/* Versions from good to bad that can be had. */
int candidates_of_kernels(struct candidates *c, const char *good, const char *bad, bool include_eol,
			  const char *label);
/* The files as given; each has to be there. */
int candidates_of_programs(struct candidates *c, const char *const *files, size_t count);
/* Commits of the repository around the current directory, along the first parents. */
int candidates_of_commits(struct candidates *c, const char *good, const char *bad);

/*
 * Makes the program of candidate i: *path is to be freed. What a commit may come to is no
 * error: its build fails, or leaves no program.
 */
enum { CANDIDATE_FAILS = 1, CANDIDATE_LACKS_PROGRAM };
int candidates_make_program(struct candidates *c, size_t i, char **path);

/* Removes the work tree, too. */
void candidates_finish(struct candidates *c);

/* What makes one run of sim another one than the other. */

/*
 * Appends the parts that differ, separated by "; ", with both values where they are
 * short: "the seed (1, now 2); the kernel". Nothing when all that goes in is the same.
 */
void identity_add_differences(const struct sidecar *was, const struct sidecar *is, struct str *out);

/* A failing seed to the smallest run that fails in the same way, by really running it. */

struct minimize_options {
	uint64_t seed;
	unsigned int tries; /* seeds that each smaller form is run with, this one first */
	bool is_json;
};

/* One of RUN_EXIT_* (failed: the failure was shrunk as far as it goes), or a negative errno. */
int minimize_run(struct lab *l, const struct minimize_options *o);

/* A run once more with the tracer, and proof that it was the same run. */

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

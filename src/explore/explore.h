/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs one test with many seeds: what failed, in how many ways, and the figures. */
#ifndef KTSTR_EXPLORE_EXPLORE_H
#define KTSTR_EXPLORE_EXPLORE_H

#include "check/result.h"
#include "explore/lab.h"
#include "record/sidecar.h"
#include "run/discover.h"

/* A scratch work tree of the current repository, for builds of other commits. */

struct worktree {
	char *path; /* NULL = not created yet */
};

/* Creates an empty directory in TMPDIR or /tmp; NULL with a message on errors. */
char *worktree_scratch(const char *name);

/* Checks out the commit at this path, which must not exist or be empty. */
int worktree_make(struct worktree *w, const char *path, const char *commit);
/* Checks out another commit in the same place. */
int worktree_switch(const struct worktree *w, const char *commit);
/* Moves it to another path. */
int worktree_move(struct worktree *w, const char *path);

/*
 * Runs a shell command in it, with output on stderr. Returns its exit status, or a negative
 * errno.
 */
int worktree_build(const struct worktree *w, const char *command);

/* Removes it, including git's record of it. */
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
	uint64_t max_seed; /* the smallest seed with max */
};

int distributions_add(struct distributions *d, const char *name, uint64_t seed, double value);
/*
 * Adds the figures of a result that `stats compare` knows, and its metrics; unknown ones
 * are left out.
 */
int distributions_add_result(struct distributions *d, uint64_t seed, const struct ktstr_result *r);
/* Needs at least one sample; sorts the samples. Percentiles are values that occurred. */
void distribution_summarize(struct distribution *d, struct distribution_summary *out);
void distributions_finish(struct distributions *d);

struct explore_options {
	uint64_t first_seed, seeds;
	struct shard shard; /* of the seeds; count 0 = all */
	uint64_t budget_ns; /* no seed is started after this time; 0 = no limit */
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
	VEC(struct failure_group) items; /* most frequent first */
};

/* Trials must be in the order of their seeds. */
int failure_groups_make(const struct trial *trials, size_t count, struct failure_groups *out);
void failure_groups_finish(struct failure_groups *g);

/* The seeds of this shard; *out is to be freed. */
int explore_seeds(const struct explore_options *o, uint64_t **out, size_t *count);

/* Returns one of RUN_EXIT_*, or a negative errno with a message. */
int explore_run(struct lab *l, const struct explore_options *o);

/* The output of explore_run(). */
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
 * Finds the first bad one of a row of candidates. Candidates that cannot be tested are
 * skipped; if they hide the answer, the result is a range.
 */

enum bisect_verdict { BISECT_GOOD, BISECT_BAD, BISECT_UNTESTABLE };

/* A negative return value ends the search. */
typedef int bisect_judge_fn(void *ctx, size_t index, enum bisect_verdict *verdict);

struct bisect_result {
	size_t last_good, first_bad; /* further apart than 1: untestable ones between */
	size_t steps;
};

/*
 * Bisects candidates 0 to count - 1. The first must be good and the last bad: both are
 * tried first. Returns -EINVAL with a message if they are not.
 */
int bisect_run(size_t count, bisect_judge_fn *judge_one, void *ctx, struct bisect_result *out);

/* What is bisected: kernels, scheduler binaries, or commits from which the scheduler is built. */

enum candidate_kind { CANDIDATE_KERNEL, CANDIDATE_PROGRAM, CANDIDATE_COMMIT };

struct candidates {
	enum candidate_kind kind;
	struct texts names;    /* from the good end to the bad one */
	struct texts subjects; /* of commits, one each */
	/* For commits only. */
	const char *build, *binary;
	struct worktree tree; /* where commits are checked out */
};

/* Available versions from good to bad. */
int candidates_of_kernels(struct candidates *c, const char *good, const char *bad, bool include_eol,
			  const char *label);
/* The given files, which must exist. */
int candidates_of_programs(struct candidates *c, const char *const *files, size_t count);
/* Commits of the current repository, along first parents. */
int candidates_of_commits(struct candidates *c, const char *good, const char *bad);

/*
 * Builds the program of candidate i; *path is to be freed. A commit whose build fails or
 * leaves no program is not an error.
 */
enum { CANDIDATE_FAILS = 1, CANDIDATE_LACKS_PROGRAM };
int candidates_make_program(struct candidates *c, size_t i, char **path);

/* Also removes the work tree. */
void candidates_finish(struct candidates *c);

/* What makes simulator runs differ. */

/*
 * Appends the inputs that differ, separated by "; ", with both values if they are short:
 * "the seed (1, now 2); the kernel". Appends nothing if all inputs are the same.
 */
void identity_add_differences(const struct sidecar *was, const struct sidecar *is, struct str *out);

/* Reduces a failing seed to the smallest run that fails in the same way, by actually running it. */

struct minimize_options {
	uint64_t seed;
	unsigned int tries; /* seeds to run each smaller form with, this one first */
	bool is_json;
};

/*
 * Returns one of RUN_EXIT_* (failed: the failure was shrunk as far as possible), or a
 * negative errno.
 */
int minimize_run(struct lab *l, const struct minimize_options *o);

/* Repeats a run with the tracer, and verifies that it was the same run. */

struct tracing_options {
	uint64_t seed;
	const char *digest; /* of the original run; NULL = run it without the tracer first */
	const char *output;
};

/*
 * Writes the trace. Returns one of RUN_EXIT_* if it was the same run; else -EIO with a
 * message, and there is no trace.
 */
int tracing_run(struct lab *l, const struct tracing_options *o);

/* repeat.c: finds what is needed to repeat a recorded run. */

struct repeat_programs {
	struct str text;
	VEC(const char *) paths; /* point into text */
};

/* Reads the programs and C files of the run in this directory. */
int repeat_programs_read(struct repeat_programs *p, const char *dir);
void repeat_programs_finish(struct repeat_programs *p);

/* The name of a test without the kernel, which is only added if there are several. To be freed. */
char *repeat_test_name(const char *name);

/* The kernel of a record for --kernel; NULL if it has none. */
const char *repeat_kernel(const struct sidecar *s);

/*
 * The scheduler binary for repeating a record's run: the given one, or the recorded one if
 * it is unchanged. NULL = the record has none. Without is_exact, a changed binary is
 * accepted, and a missing one is searched for as usual.
 */
int repeat_scheduler(const struct sidecar *s, const char *given, bool is_exact, const char **path);

/* Like sidecar_read(), but messages about invalid contents have the file's name, too. */
int repeat_record_read(struct sidecar *s, const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fresh runs of both sides. Their records are kept below the runs root, in a directory that
 * is not a run. Two commits are checked out and built in scratch work trees that take turns
 * at one path: a program built from the same source is then the same program and, in the
 * simulator, the same run.
 */
#ifndef KTSTR_DELTA_FRESH_H
#define KTSTR_DELTA_FRESH_H

#include "delta/delta.h"
#include "explore/explore.h"
#include "run/campaign.h"
#include "stats/runs.h"

/* Which commit is compared with HEAD. */

struct baseline_request {
	const char *base;	    /* --base: this commit; or NULL */
	const char *base_ref;	    /* --base-ref: the merge base with it; or NULL */
	const char *default_branch; /* the merge base with it is the default */
};

struct baseline {
	char *base, *head; /* full hashes */
};

/*
 * Without base and base_ref, $GITHUB_BASE_REF of a pull request decides: the merge base
 * with origin/$GITHUB_BASE_REF. Returns -EINVAL with a message if that is HEAD itself or
 * not a commit.
 */
int baseline_find(const struct baseline_request *r, struct baseline *to);
void baseline_finish(struct baseline *b);

struct fresh_side {
	const char *commit;	 /* to check out; NULL = the current directory as it is */
	const char *scheduler;	 /* replaces those of the tests; or NULL */
	const char *name;	 /* replaces the declared names; NULL = keep them */
	const char *const *args; /* of the scheduler, if given */
	size_t arg_count;
};

struct fresh_request {
	struct fresh_side sides[2];
	const char *build;  /* command to build in the work trees; or NULL */
	const char *binary; /* the scheduler that it builds, relative to the tree; or NULL */
	struct runner_options options; /* without seed, scheduler and what belongs to a side */
	bool is_sim;
	bool is_quiet;
	size_t jobs; /* parallel runs in the simulator; others run one by one, sides in turns */
};

struct fresh {
	const struct fresh_request *request;
	char *records; /* absolute; has subdirectories a and b */
	char *scratch; /* work trees; NULL = none */
	struct worktree trees[2];
	int in_place; /* the side whose tree is at the common path; -1 = none */
};

/* Checks out and builds the commits. */
int fresh_open(struct fresh *f, const struct fresh_request *r);
/* Runs these seeds on both sides. Returns -EINTR if interrupted. */
int fresh_run(struct fresh *f, uint64_t first_seed, size_t count);
/* Loads all records so far. */
int fresh_load(const struct fresh *f, struct runs runs[static 2], delta_side sides[static 2]);
void fresh_finish(struct fresh *f);

#define _fresh_ _cleanup_(fresh_finish)

#endif

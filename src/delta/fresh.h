/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fresh runs of both sides, whose records are kept below the runs root in a directory that is no
 * run. Two commits are checked out and built in scratch work trees that take turns at one path: a
 * program that is built from the same source is then the same program, and in sim the same run.
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
	const char *default_branch; /* the merge base with it where nothing else is said */
};

struct baseline {
	char *base, *head; /* full hashes */
};

/*
 * Without base and base_ref, $GITHUB_BASE_REF of a pull request decides: the merge base with
 * origin/$GITHUB_BASE_REF. -EINVAL with a message when that is HEAD itself or no commit.
 */
int baseline_find(const struct baseline_request *r, struct baseline *to);
void baseline_finish(struct baseline *b);

struct fresh_side {
	const char *commit;	 /* to check out; NULL = the current directory as it is */
	const char *scheduler;	 /* program in the place of those of tests; or NULL */
	const char *name;	 /* it goes by, in the place of declared names; NULL = theirs */
	const char *const *args; /* of it, where they are given */
	size_t arg_count;
};

struct fresh_request {
	struct fresh_side sides[2];
	const char *build;  /* command to build in the work trees; or NULL */
	const char *binary; /* the scheduler that it builds, relative to the tree; or NULL */
	struct runner_options options; /* but seed, scheduler and what belongs to a side */
	bool is_sim;
	bool is_quiet;
	size_t jobs; /* runs at once in sim; others go one by one, the sides in turns */
};

struct fresh {
	const struct fresh_request *request;
	char *records; /* absolute; a and b below it */
	char *scratch; /* work trees; NULL = none */
	struct worktree trees[2];
	int in_place; /* the side whose tree is at the common path; -1 = none */
};

/* Checks out and builds. */
int fresh_open(struct fresh *f, const struct fresh_request *r);
/* Runs of these seeds on both sides. -EINTR when interrupted. */
int fresh_run(struct fresh *f, uint64_t first_seed, size_t count);
/* All records there are so far. */
int fresh_load(const struct fresh *f, struct runs runs[static 2], delta_side sides[static 2]);
void fresh_finish(struct fresh *f);

#define _fresh_ _cleanup_(fresh_finish)

#endif

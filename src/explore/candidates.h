/* SPDX-License-Identifier: GPL-2.0-only */
/* What is bisected: kernels, programs of a scheduler, or commits that it is built from. */
#ifndef KTSTR_EXPLORE_CANDIDATES_H
#define KTSTR_EXPLORE_CANDIDATES_H

#include <stdbool.h>

#include "base/vec.h"
#include "explore/worktree.h"

enum candidate_kind { CANDIDATE_KERNEL, CANDIDATE_PROGRAM, CANDIDATE_COMMIT };

struct candidates {
	enum candidate_kind kind;
	VEC(char *) names;    /* the good end first */
	VEC(char *) subjects; /* of commits, one each */
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

#endif

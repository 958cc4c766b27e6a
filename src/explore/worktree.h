/* SPDX-License-Identifier: GPL-2.0-only */
/* A scratch work tree of the repository around the current directory, for builds of other commits. */
#ifndef KTSTR_EXPLORE_WORKTREE_H
#define KTSTR_EXPLORE_WORKTREE_H

#include "base/base.h"

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

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Queries git in the repository around the current directory. */
#ifndef KTSTR_BASE_GIT_H
#define KTSTR_BASE_GIT_H

#include <stdbool.h>

#include "base/str.h"

/* Appends stdout without its last newline; argv[0] is "git". -EINVAL with a message if it fails. */
int git_output(struct str *out, const char *const *argv);

/* The same without git's own messages; out may be NULL. Returns whether it succeeded. */
bool git_quietly(struct str *out, const char *const *argv);

/* Appends the full hash of a revision. -EINVAL with a message if it is not a commit. */
int git_commit(const char *revision, struct str *out);

#endif

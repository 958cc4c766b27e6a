/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking git of the repository around the current directory. */
#ifndef KTSTR_BASE_GIT_H
#define KTSTR_BASE_GIT_H

#include <stdbool.h>

#include "base/str.h"

/* stdout without the end of its last line; argv[0] is "git". -EINVAL with a message when it fails. */
int git_output(struct str *out, const char *const *argv);

/* The same with git's own messages dropped, as is stdout where out is NULL. Did it succeed? */
bool git_quietly(struct str *out, const char *const *argv);

/* The full hash of what the word names. -EINVAL with a message when it names no commit. */
int git_commit(const char *revision, struct str *out);

#endif

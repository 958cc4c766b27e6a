/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking git of the repository around the current directory. */
#ifndef KTSTR_BASE_GIT_H
#define KTSTR_BASE_GIT_H

#include "base/str.h"

/* stdout without the end of its last line; argv[0] is "git". -EINVAL with a message when it fails. */
int git_output(struct str *out, const char *const *argv);

/* One that is told nothing of, and whose outcome does not matter. */
void git_quietly(const char *const *argv);

/* The full hash of what the word names. -EINVAL with a message when it names no commit. */
int git_commit(const char *revision, struct str *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* A scheduler's command line as a file: every argument ended by a NUL byte. */
#ifndef KTSTR_GUEST_SCHED_ARGS_H
#define KTSTR_GUEST_SCHED_ARGS_H

#include "base/str.h"

/* Appends the program and its arguments, NULL-terminated. */
void sched_args_add(struct str *out, const char *const *argv);

/*
 * Points argv into data, which stays the caller's, and ends it with NULL. Returns
 * the number of arguments, or -EINVAL with a message: no program, the last
 * argument not ended, or more than max - 1 of them.
 */
int sched_args_split(char *data, size_t len, char **argv, size_t max);

#endif

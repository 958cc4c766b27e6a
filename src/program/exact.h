/* SPDX-License-Identifier: GPL-2.0-only */
/* A test program that is asked to run a test hands over to `ktstr test`. */
#ifndef KTSTR_PROGRAM_EXACT_H
#define KTSTR_PROGRAM_EXACT_H

#include <stdbool.h>

/* Does not return when it succeeds; -ENOENT when there is no ktstr to be found. */
int exact_run(const char *name, bool is_ignored);

#endif

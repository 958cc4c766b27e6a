/* SPDX-License-Identifier: GPL-2.0-only */
/* Running one side. */
#ifndef KTSTR_DELTA_FRESH_RUN_H
#define KTSTR_DELTA_FRESH_RUN_H

#include "delta/fresh.h"

/*
 * The tests with these seeds, each seed by a process of its own in the tree (NULL = here), with
 * its records in a directory of its own below records. A run that fails tests is a run; one that
 * could not run them is an error with what it said.
 */
int fresh_run_batch(const struct fresh_request *r, int side, const char *tree, const char *records,
		    uint64_t first_seed, size_t count);

#endif

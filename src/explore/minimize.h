/* SPDX-License-Identifier: GPL-2.0-only */
/* A failing seed to the smallest run that fails in the same way, by really running it. */
#ifndef KTSTR_EXPLORE_MINIMIZE_H
#define KTSTR_EXPLORE_MINIMIZE_H

#include "explore/lab.h"

struct minimize_options {
	uint64_t seed;
	unsigned int tries; /* seeds that each smaller form is run with, this one first */
	bool is_json;
};

/* One of RUN_EXIT_* (failed: the failure was shrunk as far as it goes), or a negative errno. */
int minimize_run(struct lab *l, const struct minimize_options *o);

#endif

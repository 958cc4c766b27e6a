/* SPDX-License-Identifier: GPL-2.0-only */
/* Since when a test fails, as far as earlier runs are kept. */
#ifndef KTSTR_STATS_HISTORY_H
#define KTSTR_STATS_HISTORY_H

#include "stats/runs.h"

struct history {
	size_t not_passed;	 /* earlier runs in a row that did not pass, ending with the last */
	char *since, *since_run; /* the first of that row; NULL = this run is the first */
	char *passed, *passed_run; /* the last that passed; or NULL */
};

/*
 * The same configuration on the same series of kernels, in the other runs. A record has
 * the same file name in every run, so only those files are read.
 */
int history_of(const struct sidecar *s, const char *path, const struct runs *runs,
	       struct history *to);
void history_finish(struct history *h);

#endif

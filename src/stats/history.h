/* SPDX-License-Identifier: GPL-2.0-only */
/* Earlier records of a test, as far as runs are kept: since when it fails, among others. */
#ifndef KTSTR_STATS_HISTORY_H
#define KTSTR_STATS_HISTORY_H

#include "stats/runs.h"

struct history {
	size_t not_passed;	 /* earlier runs in a row that did not pass, ending with the last */
	char *since, *since_run; /* the first of that row; NULL = this run is the first */
	char *passed, *passed_run; /* the last that passed; or NULL */
};

/* An earlier record; a negative return ends the walk. */
typedef int history_fn(void *ctx, const struct sidecar *then, const struct run *run);

/*
 * The same configuration on the same series of kernels, in the other runs. A record has
 * the same file name in every run, so only those files are read.
 */
int history_each(const struct sidecar *now, const char *path, const struct runs *runs,
		 history_fn *found, void *ctx);
/* What they say of passing. */
int history_of(const struct sidecar *s, const char *path, const struct runs *runs,
	       struct history *to);
void history_finish(struct history *h);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Which records belong to one side of a comparison. */
#ifndef KTSTR_STATS_SIDE_FILTER_H
#define KTSTR_STATS_SIDE_FILTER_H

#include "stats/dimension.h"
#include "stats/runs.h"

/* Per dimension the values that are let in; none given = all. */
struct side_filter {
	struct texts values[DIMENSION_COUNT];
	struct texts hashes[DIMENSION_COUNT]; /* commits that revisions stand for */
};

int side_filter_add(struct side_filter *f, enum dimension d, const char *value);
void side_filter_finish(struct side_filter *f);

/*
 * Lets values of commit dimensions be revisions and ranges of git: those that no record
 * has literally are asked about, of the repository here and of that in KTSTR_KERNEL. A revision
 * and the hash of its commit select the same runs: those of the commit as it is. "-dirty" behind
 * either selects the runs of changed files.
 */
int side_filter_resolve_commits(struct side_filter *f, const struct runs *runs);

bool side_filter_is_same(const struct side_filter *a, const struct side_filter *b,
			 enum dimension d);
bool side_filter_matches(const struct side_filter *f, const struct sidecar *s);
bool side_filter_matches_dimension(const struct side_filter *f, const struct sidecar *s,
				   enum dimension d);

/* "6.14" lets in the series, "6.14.2" only itself. */
bool side_filter_kernel_matches(const char *filter, const char *version);

#endif

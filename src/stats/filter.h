/* SPDX-License-Identifier: GPL-2.0-only */
/* Which records belong to one side of a comparison. */
#ifndef KTSTR_STATS_FILTER_H
#define KTSTR_STATS_FILTER_H

#include "base/vec.h"
#include "stats/dimension.h"
#include "stats/runs.h"

typedef VEC(char *) filter_values;

/* Per dimension the values that are let in; none given = all. */
struct filter {
	filter_values values[DIMENSION_COUNT];
	filter_values hashes[DIMENSION_COUNT]; /* commits that revisions stand for */
};

int filter_add(struct filter *f, enum dimension d, const char *value);
void filter_finish(struct filter *f);

/*
 * Lets values of commit dimensions be revisions and ranges of git: those that no record
 * has literally are asked about, of the repository here and of that in KTSTR_KERNEL.
 */
int filter_resolve_commits(struct filter *f, const struct runs *runs);

bool filter_is_same(const struct filter *a, const struct filter *b, enum dimension d);
bool filter_matches(const struct filter *f, const struct sidecar *s);
bool filter_matches_dimension(const struct filter *f, const struct sidecar *s, enum dimension d);

/* "6.14" lets in the series, "6.14.2" only itself. */
bool filter_kernel_matches(const char *filter, const char *version);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of `stats compare`. */
#ifndef KTSTR_STATS_COMPARE_PARTS_H
#define KTSTR_STATS_COMPARE_PARTS_H

#include "stats/compare.h"

struct record {
	const char *key; /* of the pair */
	const struct sidecar *s;
};

/* In the order of their keys. */
typedef VEC(struct record) record_list;

/* What the columns are called: the values that the side was chosen by. */
int compare_label_sides(struct comparison *c, const struct compare_options *o,
			const record_list sides[static 2]);

/* The programs that were the schedulers of a side. */
int compare_add_programs(struct comparison *c, int side, const record_list *records);

/* "no rows match filter A", with values that are near. */
int compare_empty_side(const struct runs *runs, const struct compare_options *o, int side);

/* The changes of one pair, both sides given by their records. */
int compare_pair_metrics(struct comparison *c, const struct policy *policy, const char *test,
			 const struct record *const records[static 2],
			 const size_t counts[static 2]);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `stats merge`: the records of shards into one place. A record is known by its run
 * and its file name, so one that came twice (a task that was repeated, a merge that is
 * done again) is there once: the newest.
 */
#ifndef KTSTR_STATS_MERGE_H
#define KTSTR_STATS_MERGE_H

#include <stddef.h>

#include "base/str.h"

struct merge_result {
	size_t runs, records, duplicates, unusable;
};

/*
 * Copies every usable record found below the sources into into/RUN_ID. Notes about
 * duplicates and unusable files are appended to notes, a line each.
 */
int merge_runs(const char *const *sources, size_t count, const char *into,
	       struct merge_result *result, struct str *notes);

#endif

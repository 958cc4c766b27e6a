/* SPDX-License-Identifier: GPL-2.0-only */
/* What commands ask of records: lists, reports, pages, and changes to records. */
#ifndef KTSTR_STATS_STATS_H
#define KTSTR_STATS_STATS_H

#include "stats/runs.h"

/* `stats explain-sidecar`: why fields of a run's records are null, and which files are not any. */

void explain_text(const struct run *run, struct str *out);
void explain_json(const struct run *run, struct json *j);

/*
 * A JSON document without what tells whose it is: texts become names such as "brave-otter", the same
 * text always the same name; numbers, keys, and words that metrics are told by stay.
 */

/* text[len] must be a NUL; it is changed. -EINVAL with the place where it is no JSON. */
int funify(char *text, size_t len, uint64_t seed, bool is_pretty, struct str *out);

/* One or more runs as a page that needs nothing else. */

/*
 * Writes the page of the named runs below dir, or of the newest one when names is NULL; see
 * runs_open().
 */
int html_report_write(const char *dir, const char *const *names, size_t count, const char *path);

/* What there is: runs, metrics, values of dimensions. */

/* RUN, TESTS, DATE, ARCH of loaded runs. */
int lists_runs(const struct runs *runs, struct str *out);
void lists_runs_json(const struct runs *runs, struct json *j);

int lists_metrics(struct str *out);
void lists_metrics_json(struct json *j);

/* Per dimension the values that occur, sorted; unknown last. */
int lists_values(const struct runs *runs, struct str *out);
int lists_values_json(const struct runs *runs, struct json *j);

/*
 * `stats merge`: the records of shards into one place. A record is known by its run
 * and its file name, so one that came twice (a task that was repeated, a merge that is
 * done again) is there once: the newest.
 */

struct merge_result {
	size_t runs, records, duplicates, unusable;
};

/*
 * Copies every usable record found below the sources into into/RUN_ID. Notes about
 * duplicates and unusable files are appended to notes, a line each.
 */
int merge_runs(const char *const *sources, size_t count, const char *into,
	       struct merge_result *result, struct str *notes);

/* The report of one run that bare `stats` prints. */

/* history: the runs that are kept, loaded or not. */
int report_text(const struct run *run, const struct runs *history, struct str *out);

/* The sections, each with an empty line before it and nothing where there is nothing. */
int report_outliers(const struct run *run, const struct runs *history, struct str *out);
int report_verifier(const struct run *run, struct str *out);
void report_callbacks(const struct run *run, struct str *out);
void report_machines(const struct run *run, struct str *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands on records: lists, reports, pages, and changes of records. */
#ifndef KTSTR_STATS_STATS_H
#define KTSTR_STATS_STATS_H

#include "base/sheet.h"
#include "stats/runs.h"

/*
 * `stats explain-sidecar`: why fields of a run's records are null, and which files are not valid.
 */

void explain_text(const struct run *run, struct str *out);
void explain_json(const struct run *run, struct json *j);

/*
 * Anonymizes a JSON document: strings become names such as "brave-otter", the same string always
 * the same name; numbers, keys, and words that identify metrics stay.
 */

/* text[len] must be NUL; the text is modified. -EINVAL with the position if it is not JSON. */
int funify(char *text, size_t len, uint64_t seed, bool is_pretty, struct str *out);

/* One or more runs as a self-contained HTML page. */

/*
 * Writes the page of the named runs below dir, or of the newest one if names is NULL; see
 * runs_open().
 */
int html_report_write(const char *dir, const char *const *names, size_t count, const char *path);

/* Lists of runs, metrics, and values of dimensions. */

int lists_runs(const struct runs *runs, struct sheet *s);
int lists_metrics(struct sheet *s);
/* Adds the values that occur in each dimension, sorted; unknown last. */
int lists_values(const struct runs *runs, struct sheet *s);

/*
 * `stats merge`: collects the records of shards in one place. A record is identified by its run and
 * its file name; of duplicates (a repeated task, a repeated merge) the newest is kept.
 */

struct merge_result {
	size_t runs, records, duplicates, unusable;
};

/*
 * Copies every usable record found below the sources into into/RUN_ID. Appends notes about
 * duplicates and unusable files to notes, one line each.
 */
int merge_runs(const char *const *sources, size_t count, const char *into,
	       struct merge_result *result, struct str *notes);

/* The report of one run, printed by `stats` without arguments. */

/* history: the stored runs, loaded or not. */
int report_text(const struct run *run, const struct runs *history, struct str *out);

/* The sections; each starts with an empty line. Nothing is appended for an empty section. */
int report_outliers(const struct run *run, const struct runs *history, struct str *out);
int report_verifier(const struct run *run, struct str *out);
void report_callbacks(const struct run *run, struct str *out);
void report_machines(const struct run *run, struct str *out);

#endif

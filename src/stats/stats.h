/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands on records: lists, reports, pages, and changes of records. */
#ifndef KTSTR_STATS_STATS_H
#define KTSTR_STATS_STATS_H

#include "base/sheet.h"
#include "stats/runs.h"
#include "stats/registry.h"

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

/* HTML pages with the style of the report. */

/* Like html_begin(); html_end() ends the page. */
void html_page_begin(struct str *out, const char *title);

/*
 * Signatures of failures: their sentences without numbers, and without names of tasks, which the
 * kernel prints as NAME[PID] and checks as NAME (tid TID). Failures with equal signatures are the
 * same bug: "worker 17 stuck 3500ms on cpu 1" and "worker 9 stuck 3012ms on cpu 0".
 */

/*
 * Appends the text with every number, and every list of numbers, replaced by '#', and names by
 * TASK.
 */
void signature_add_text(struct str *out, const char *text);

/* Metrics of tests over the stored runs, and their change points. */

/* A passed run; several records of it, such as those of seeds, are folded. */
struct trend_point {
	const struct run *run;
	const struct sidecar *s; /* the first of its records */
	const char *path;	 /* of that record */
	double value;
};

/* A metric of the registry, or one reported by a payload or a test. */
struct trend_metric {
	const char *name, *unit;
	const char *better;			  /* "lower", "higher", "target" or "unknown" */
	const struct registry_metric *registered; /* or NULL, and then: */
	const struct named_metric *own;
};

struct trend_series {
	const char *test; /* with what distinguishes it from others */
	struct trend_metric metric;
	struct trend_point *points; /* oldest first */
	size_t count;
	size_t *changes; /* indices of the first points of new levels */
	size_t change_count;
};

struct trend {
	struct arena arena;
	VEC(struct trend_series) series;
};

struct trend_request {
	const char *metric; /* only this one; NULL = all that define what is better */
	const char *test;   /* only tests whose names contain this; or NULL */
};

/* The runs must be loaded, and must stay valid. */
int trend_make(struct trend *t, const struct runs *runs, const struct trend_request *r);
void trend_finish(struct trend *t);

#define _trend_ _cleanup_(trend_finish)

/* Mean of the level that starts at change i; -1 = the first level. */
double trend_level(const struct trend_series *s, long i);

int trend_text(const struct trend *t, struct str *out);
void trend_json(const struct trend *t, struct json *j);
/* Appends a page with a plot per series; `page` is its path, for relative links to the records. */
int trend_html(const struct trend *t, const char *page, struct str *out);

#endif

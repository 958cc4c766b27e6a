/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the files of this directory: parts of comparisons, trends and pages. */
#ifndef KTSTR_STATS_PARTS_H
#define KTSTR_STATS_PARTS_H

#include "check/result.h"
#include "record/sidecar.h"
#include "stats/compare.h"

/*
 * Change point detection in a series of values: optimal partitioning (Jackson et al. 2005; finds
 * the same as PELT) for changes of the mean. A level costs 3 log n times the variance of the noise,
 * which is estimated from the differences of neighbours. A level that Welch's t-test does not
 * separate from the previous one at 1 % is not a change.
 */

/* Minimum number of values of a level. */
#define CHANGE_POINTS_MIN 3

/*
 * at[] (count elements) gets the index of the first value of each level except the first, in order;
 * *found their number. -ENOMEM with a message.
 */
int change_points_find(const double *values, size_t count, size_t *at, size_t *found);

/* Records in groups: pairs of `stats compare`, and rows of `stats`. */

struct record {
	const char *key; /* of the group */
	const struct sidecar *s;
};

/* Ordered by key. */
typedef VEC(struct record) record_list;

/* Index after the last record with the same key as the one at from. */
size_t record_list_end(const record_list *r, size_t from);

/* Between the files of `stats compare`. */

/* Names the columns by the values with which the sides were selected. */
int compare_label_sides(struct comparison *c, const struct compare_options *o,
			const record_list sides[static 2]);

/* Adds the scheduler programs of a side. */
int compare_add_programs(struct comparison *c, int side, const record_list *records);

/* Error "no rows match filter A", with similar values. */
int compare_empty_side(const struct runs *runs, const struct compare_options *o, int side);

/* Adds the changes of one pair, given the records of both sides. */
int compare_pair_metrics(struct comparison *c, const struct policy *policy, const char *test,
			 const struct record *const records[static 2],
			 const size_t counts[static 2]);

/* Earlier records of a test in the stored runs: since when it fails, for instance. */

struct history {
	size_t not_passed;	   /* consecutive earlier runs that did not pass, up to the last */
	char *since, *since_run;   /* the first of these; NULL = this run is the first */
	char *since_commit;	   /* of the project at that time; or NULL */
	char *passed, *passed_run; /* the last one that passed; or NULL */
};

/* Called for an earlier record; a negative return value ends the walk. */
typedef int history_fn(void *ctx, const struct sidecar *then, const struct run *run);

/*
 * Visits records of the same configuration on the same kernel series in other runs. A record has
 * the same file name in every run, so only those files are read.
 */
int history_each(const struct sidecar *now, const char *path, const struct runs *runs,
		 history_fn *found, void *ctx);
/* Summarizes since when the test fails. */
int history_of(const struct sidecar *s, const char *path, const struct runs *runs,
	       struct history *to);
void history_finish(struct history *h);

/* Shared by the files of the HTML report. */

extern const char html_report_style[];
extern const char html_report_script[];

/* A record and its position on the page. */
struct html_item {
	const struct sidecar *s;
	const struct run *run;
	const char *path;
	size_t id;		/* #r17 */
	struct history history; /* for failed ones */
};

struct html_items {
	VEC(struct html_item) list;
	size_t counts[VERDICT_COUNT];			   /* by verdict_index() */
	bool has_schedulers, has_work_types, has_programs; /* more than one */
	const struct runs *history;
};

/* "pass" and so on, as CSS class and as text; and a symbol that works without colour. */
const char *html_verdict_class(enum ktstr_verdict v);
const char *html_verdict_sign(enum ktstr_verdict v);

/* Appends "two_cgroups", and what distinguishes it from others of that name. */
void html_add_name(struct str *out, const struct html_items *all, const struct sidecar *s);
void html_add_duration_ns(struct str *out, double ns);

/* How a figure of a record is written; absent ones are a dash. */
enum html_number_style {
	HTML_PLAIN,
	HTML_PERCENT,
	HTML_MILLISECONDS,
	HTML_MICROSECONDS, /* these two with the unit that fits */
	HTML_NANOSECONDS,
};

void html_add_value(struct str *out, struct sidecar_number n, enum html_number_style style);
/* The same as a cell of a table. */
void html_add_number(struct str *out, struct sidecar_number n, enum html_number_style style);

/* Appends `before` and the first len characters of the text. */
void html_add_start(struct str *out, const char *before, const char *text, int len);

/* Returns whether both are results of the same test. */
bool html_is_same_test(const struct html_items *all, const struct sidecar *a,
		       const struct sidecar *b);

/* Appends the failures, each once with all places where it occurs. -ENOMEM with a message. */
int html_add_broken(struct str *out, const struct html_items *all);
/* Appends "ktstr replay RECORD" and so on, as links if there is a file. */
void html_add_commands(struct str *out, const struct html_item *item);
/* Finds auto-repro's explanation in a failure text; NULL = none. */
const char *html_find_explanation(const struct sidecar *s);
/* Appends its events as a timeline; nothing if there are none. */
void html_add_story(struct str *out, const char *explanation);

int html_add_matrix(struct str *out, const struct html_items *all);
void html_add_result(struct str *out, const struct html_items *all, const struct html_item *item);

/* Pictures; nothing without samples. */
void html_add_histogram(struct str *out, const char *title, const struct latency *const *parts,
			size_t count);
void html_add_timeline(struct str *out, const struct sidecar *s);
/* Appends plots of the monitor's samples over the phases of the test. */
void html_add_plots(struct str *out, const struct sidecar *s);
/* Appends its CPUs and tasks, collapsed; nothing if no events were counted. */
void html_add_events(struct str *out, const struct sidecar_phase *p);
/* Appends its metrics, with a line plot of earlier runs. -ENOMEM with a message. */
int html_add_figures(struct str *out, const struct html_item *item, const struct runs *history);

/* Student's t distribution. */

/* Probability of a |t| at least this large; 0 for an infinite t. */
double student_two_sided(double t, double degrees);

/* The t below which a fraction (0.5 to 1) of all values is. */
double student_quantile(double share, double degrees);

#endif

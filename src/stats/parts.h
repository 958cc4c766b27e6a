/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share: parts of comparisons, trends and pages. */
#ifndef KTSTR_STATS_PARTS_H
#define KTSTR_STATS_PARTS_H

#include "check/sidecar.h"
#include "check/verdict.h"
#include "stats/compare.h"

/*
 * Where a series of figures changed its level: optimal partitioning (Jackson et al. 2005, and what
 * PELT finds) for changes of the mean. A level costs 3 log n times the variance of the noise, which is
 * told from the differences of neighbours. What Welch's t-test does not separate from the level before
 * it at 1 % is no change.
 */

/* A level lasts for so many figures at least. */
#define CHANGE_POINTS_MIN 3

/*
 * at[] (as many as count) gets the first figure of each level but the first, in order; *found how
 * many there are. -ENOMEM with a message.
 */
int change_points_find(const double *values, size_t count, size_t *at, size_t *found);

/* Records in groups: pairs of `stats compare`, and rows of `stats`. */

struct record {
	const char *key; /* of the group */
	const struct sidecar *s;
};

/* In the order of their keys. */
typedef VEC(struct record) record_list;

/* The first record behind those with the key of the one at from. */
size_t record_list_end(const record_list *r, size_t from);

/* Between the files of `stats compare`. */

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

/* Earlier records of a test, as far as runs are kept: since when it fails, among others. */

struct history {
	size_t not_passed;	 /* earlier runs in a row that did not pass, ending with the last */
	char *since, *since_run; /* the first of that row; NULL = this run is the first */
	char *since_commit;	 /* of the project then; or NULL */
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

/* Between the files of the HTML report. */

extern const char html_report_style[];
extern const char html_report_script[];

/* A record and its place on the page. */
struct html_item {
	const struct sidecar *s;
	const struct run *run;
	const char *path;
	size_t id;		/* #r17 */
	struct history history; /* of those that failed */
};

struct html_items {
	VEC(struct html_item) list;
	size_t counts[VERDICT_COUNT]; /* by verdict_index() */
	bool has_kernels;	      /* more than one */
	bool has_schedulers, has_work_types, has_programs;
	const struct runs *history;
};

/* "pass" and the like, as class and for people; a sign that needs no colour. */
const char *html_verdict_class(enum ktstr_verdict v);
const char *html_verdict_sign(enum ktstr_verdict v);

/* "two_cgroups", with what tells it from others of that name. */
void html_add_name(struct str *out, const struct html_items *all, const struct sidecar *s);
void html_add_duration_ns(struct str *out, double ns);

/* The first len characters of a text that may be longer, behind words of ours. */
void html_add_start(struct str *out, const char *before, const char *text, int len);

/* Whether both are results of one test, under one name. */
bool html_is_same_test(const struct html_items *all, const struct sidecar *a,
		       const struct sidecar *b);

/* Failures, each once with the places where it shows. -ENOMEM with a message. */
int html_add_broken(struct str *out, const struct html_items *all);
/* "ktstr replay RECORD" and the like, as links where there is a file. */
void html_add_commands(struct str *out, const struct html_item *item);
/* The explanation among the words of a failure; NULL = there is none. */
const char *html_find_explanation(const struct sidecar *s);
/* Its events as a timeline; nothing where it has none. */
void html_add_story(struct str *out, const char *explanation);

int html_add_matrix(struct str *out, const struct html_items *all);
void html_add_result(struct str *out, const struct html_items *all, const struct html_item *item);

/* Pictures. Nothing where there is no sample. */
void html_add_histogram(struct str *out, const char *title,
			const struct sidecar_latency *const *parts, size_t count);
void html_add_timeline(struct str *out, const struct sidecar *s);
/* What the monitor sampled, over the time of the phases. */
void html_add_plots(struct str *out, const struct sidecar *s);
/* Its metrics, and those of earlier runs as a line. -ENOMEM with a message. */
int html_add_figures(struct str *out, const struct html_item *item, const struct runs *history);

/* Student's t distribution. */

/* The chance of a t at least this far from 0 on either side. An infinite t has none. */
double student_two_sided(double t, double degrees);

/* The t that a share (0.5 to 1) of all values stays below. */
double student_quantile(double share, double degrees);

#endif

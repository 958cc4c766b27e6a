/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of the HTML report. */
#ifndef KTSTR_STATS_HTML_PARTS_H
#define KTSTR_STATS_HTML_PARTS_H

#include "base/str.h"
#include "base/vec.h"
#include "check/sidecar.h"
#include "check/verdict.h"
#include "stats/history.h"
#include "stats/runs.h"

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
};

/* "pass" and the like, as class and for people; a sign that needs no colour. */
const char *html_verdict_class(enum ktstr_verdict v);
const char *html_verdict_sign(enum ktstr_verdict v);

/* "two_cgroups", with what tells it from others of that name. */
void html_add_name(struct str *out, const struct html_items *all, const struct sidecar *s);
void html_add_duration_ns(struct str *out, double ns);

int html_add_matrix(struct str *out, const struct html_items *all);
void html_add_result(struct str *out, const struct html_items *all, const struct html_item *item);

/* Pictures. Nothing where there is no sample. */
void html_add_histogram(struct str *out, const char *title,
			const struct sidecar_latency *const *parts, size_t count);
void html_add_timeline(struct str *out, const struct sidecar *s);

#endif

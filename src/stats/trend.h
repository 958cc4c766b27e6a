/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics of tests over the stored runs, and their change points. */
#ifndef KTSTR_STATS_TREND_H
#define KTSTR_STATS_TREND_H

#include "stats/registry.h"
#include "stats/runs.h"

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

/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of tests over the runs that are kept, and where they changed. */
#ifndef KTSTR_STATS_TREND_H
#define KTSTR_STATS_TREND_H

#include "stats/registry.h"
#include "stats/runs.h"

/* A run that passed; of several records, such as those of seeds, what they fold to. */
struct trend_point {
	const struct run *run;
	const struct sidecar *s; /* the first of its records */
	const char *path;	 /* of that */
	double value;
};

/* One of the registry, or one that a payload or a test reports. */
struct trend_metric {
	const char *name, *unit;
	const char *better;			  /* "lower", "higher", "target" or "unknown" */
	const struct registry_metric *registered; /* or NULL, and then */
	const struct sidecar_metric *own;
};

struct trend_series {
	const char *test; /* with what tells it from others */
	struct trend_metric metric;
	struct trend_point *points; /* the oldest first */
	size_t count;
	size_t *changes; /* the first points of new levels */
	size_t change_count;
};

struct trend {
	struct arena arena;
	VEC(struct trend_series) series;
};

struct trend_request {
	const char *metric; /* only this one; NULL = all that say what is better */
	const char *test;   /* only tests with this in their names; or NULL */
};

/* The runs have to be loaded, and to stay. */
int trend_make(struct trend *t, const struct runs *runs, const struct trend_request *r);
void trend_finish(struct trend *t);

#define _trend_ _cleanup_(trend_finish)

/* The mean of the level that begins at change i; -1 = the first level. */
double trend_level(const struct trend_series *s, long i);

int trend_text(const struct trend *t, struct str *out);
void trend_json(const struct trend *t, struct json *j);
/* One page, a plot for each series; with links from where the page will be to the records. */
int trend_html(const struct trend *t, const char *page, struct str *out);

#endif

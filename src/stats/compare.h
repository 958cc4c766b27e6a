/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Comparison of two sets of runs. The dimensions in which the filters of the sides differ are
 * compared (slicing); runs that agree in all other dimensions form pairs. If two runs are named,
 * they are the sides themselves: dimensions in which each has a single value, different from the
 * other's, are compared, too.
 */
#ifndef KTSTR_STATS_COMPARE_H
#define KTSTR_STATS_COMPARE_H

#include "check/change.h"
#include "record/sidecar.h"
#include "stats/runs.h"

/* Dimensions of runs: kernel, scheduler, topology, ... */

enum dimension {
	DIMENSION_KERNEL,
	DIMENSION_SCHEDULER,
	DIMENSION_TOPOLOGY,
	DIMENSION_WORK_TYPE,
	DIMENSION_PROJECT_COMMIT,
	DIMENSION_KERNEL_COMMIT,
	DIMENSION_RUN_SOURCE,
	DIMENSION_FLAG,
	DIMENSION_CPU_BUDGET,
	DIMENSION_ACCEL,
	DIMENSION_PROGRAM,
	DIMENSION_COUNT,
};

struct dimension_info {
	const char *option; /* --work-type, --a-work-type */
	const char *name;   /* in output: "work_type" */
	const char *values; /* in list-values: "commit" */
};

extern const struct dimension_info dimensions[DIMENSION_COUNT];

/* Appends the run's value as text; false if unknown. Flags are joined by '+'. */
bool dimension_value(const struct sidecar *s, enum dimension d, struct str *out);

/* Selection of the records of one side. */

/* Allowed values per dimension; none = all. */
struct side_filter {
	struct texts values[DIMENSION_COUNT];
	struct texts hashes[DIMENSION_COUNT]; /* commits of revisions */
};

int side_filter_add(struct side_filter *f, enum dimension d, const char *value);
void side_filter_finish(struct side_filter *f);

/*
 * Allows git revisions and ranges as values of commit dimensions: values that no record has
 * literally are resolved in the current repository and in that of KTSTR_KERNEL. A revision and the
 * hash of its commit select the same runs: those of the unmodified commit. The suffix "-dirty"
 * selects runs with modified files.
 */
int side_filter_resolve_commits(struct side_filter *f, const struct runs *runs);

bool side_filter_is_same(const struct side_filter *a, const struct side_filter *b,
			 enum dimension d);
bool side_filter_matches(const struct side_filter *f, const struct sidecar *s);
bool side_filter_matches_dimension(const struct side_filter *f, const struct sidecar *s,
				   enum dimension d);

/* "6.14" matches the series, "6.14.2" only itself. */
bool side_filter_kernel_matches(const char *filter, const char *version);

/* Threshold of relative changes: --threshold, --policy, or the metric's default. */

struct policy_metric {
	char *name;
	double percent;
};

struct policy {
	bool has_default;
	double default_percent;
	VEC(struct policy_metric) metrics;
};

/* Parses {"default_percent":N,"per_metric_percent":{metric:N}}. -EINVAL with the position. */
int policy_parse(struct policy *p, char *text, size_t len);
int policy_read(struct policy *p, const char *path);
void policy_finish(struct policy *p);

/* Parses "12.5": a non-negative percentage. -EINVAL without a message. */
int policy_parse_percent(const char *text, double *percent);

/* Relative threshold of a metric, as a fraction. */
double policy_gate(const struct policy *p, const char *metric, double default_rel);

struct compare_options {
	const struct run *sides[2];    /* loaded; NULL = all runs, selected by the filters */
	struct side_filter filters[2]; /* effective ones, A and B */
	const char *expression;	       /* substring of the names; or NULL */
	bool no_average;
	bool gates_single; /* one run per side is enough for a verdict */
	struct policy policy;
};

struct compare_row {
	const char *test; /* scenario and what distinguishes the pair from others */
	const char *metric, *unit;
	double a, b;
	enum change change;
	bool is_gated; /* false: a side has a single run, or neither direction is better */
};

/* One side of a pair. */
struct compare_cell {
	size_t passes, total;
	enum ktstr_verdict worst;
};

struct compare_pair {
	const char *test;
	bool is_there[2];
	struct compare_cell cells[2];
};

/* A program used as the scheduler of some runs; version may be NULL. */
struct compare_program {
	const char *scheduler, *version, *hash;
};

struct comparison {
	struct arena arena;
	enum dimension slicing[DIMENSION_COUNT], pairing[DIMENSION_COUNT];
	size_t slicing_count, pairing_count;
	const char *labels[2];
	size_t contributors[2]; /* number of averaged records */
	size_t passes[2], totals[2];
	VEC(struct compare_row) rows;	  /* significant ones, ordered by test */
	VEC(struct compare_pair) skipped; /* a side failed or was skipped */
	size_t regressions, improvements, unchanged, ungated, neutral, added, removed;
	bool is_averaged, is_by_run, gates_single;
	bool has_sim; /* a record is from sim */
	const struct host_context *hosts[2];
	VEC(struct compare_program) programs[2]; /* without duplicates */
};

/*
 * -EINVAL with a message if the sides are the same, or one is empty. With named runs `runs` may be
 * empty.
 */
int compare_runs(const struct runs *runs, struct compare_options *options, struct comparison *to);
void comparison_finish(struct comparison *c);

#define _comparison_ _cleanup_(comparison_finish)

int comparison_text(const struct comparison *c, bool has_colour, struct str *out);
void comparison_json(const struct comparison *c, struct json *j);

void compare_programs_text(const struct comparison *c, struct str *out);
void compare_programs_json(const struct comparison *c, int side, struct json *j);

void host_delta_text(const struct host_context *a, const struct host_context *b,
		     const char *const labels[2], struct str *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers out of what a program printed. */
#ifndef KTSTR_PAYLOAD_METRICS_H
#define KTSTR_PAYLOAD_METRICS_H

#include <ktstr/payload.h>

#include "base/base.h"

/* Leaves deeper than this are left out, and this metric says so with the depth as its value. */
#define METRICS_MAX_DEPTH 64
#define METRICS_TRUNCATED "__walk_json_leaves_truncated"
/* More numbers than anyone compares; the rest is left out with a note. */
#define METRICS_MAX_COUNT 65536

struct payload_metric {
	char *name; /* dotted path: "jobs.0.read.iops" */
	double value;
	enum ktstr_polarity polarity;
	double target;
	const char *unit;   /* of the hint, or NULL */
	const char *source; /* "json", "text", "llm" */
	const char *stream; /* "stdout", "stderr", "synthesized" */
};

struct payload_metrics {
	struct payload_metric *items;
	size_t count, cap;
	bool is_cut; /* there were more than METRICS_MAX_COUNT */
};

/*
 * The numeric leaves of the first JSON document: all of the text, or else the first
 * bracketed region that is one. -ENOENT without a message when there is none, -ENOMEM.
 * Of a name that comes twice the last value counts, unless keep_duplicates is set.
 */
int metrics_from_json(struct payload_metrics *m, const char *text, size_t len, const char *source,
		      const char *stream, bool keep_duplicates);

/* stdout, or when that has no number and stderr has text, stderr; never both. */
int metrics_from_output(struct payload_metrics *m, const struct str *out, const struct str *err);

/* Polarity, target and unit of the declared ones. */
void metrics_apply_hints(struct payload_metrics *m, const struct ktstr_metric_hint *hints);

/* One more, under whatever name; beyond METRICS_MAX_COUNT it is left out and is_cut is set. */
int metrics_add(struct payload_metrics *m, const char *name, double value, const char *source,
		const char *stream);

struct payload_metric *metrics_find(const struct payload_metrics *m, const char *name);
void metrics_finish(struct payload_metrics *m);

/* A number in the shortest form that reads back as the same. */
void metrics_add_number(struct str *out, double value);

/*
 * Numbers out of the text of benchmarks whose format is known: schbench, hackbench, stress-ng,
 * cyclictest, sysbench, perf bench. Everything else that is written for people needs a language model.
 */

/* Names that a text may bring; the rest is left out with a note. */
#define TEXT_MAX_METRICS 1024

/*
 * -ENOENT without a message when the text is of no known format, -ENOMEM. Of a figure that is
 * printed more than once, as in reports of intervals, the last value counts. Figures that people
 * quote have a polarity and a unit.
 */
int metrics_from_text(struct payload_metrics *m, const char *text, size_t len, const char *stream);

/* stdout, or when that has none, stderr: text of a known format, or else a JSON document. */
int metrics_from_known_output(struct payload_metrics *m, const struct str *out,
			      const struct str *err);

/* ---- the formats (text_formats.c) ---- */

#define TEXT_MAX_NUMBERS 9

/*
 * A line, as the beginning of it has to look. In a pattern a blank is any number of blanks, also
 * none; % is a number, and @ a word. In a name @ is that word, $ the section, and # the first
 * number of the line (~ with one decimal).
 */
struct text_row {
	const char *program;
	const char *pattern;
	const char *begins;		     /* the section that begins with this line, or NULL */
	bool follows;			     /* only in a section of the same program */
	bool is_last;			     /* what comes after it is not a figure of the run */
	const char *names[TEXT_MAX_NUMBERS]; /* of the numbers; NULL = not a metric */
};

/* In the order in which they are tried; program NULL is the end. */
extern const struct text_row text_rows[];
/* What is better of their figures, as long as a payload does not say so; * is anything in a name. */
extern const struct ktstr_metric_hint text_quoted[];

#endif

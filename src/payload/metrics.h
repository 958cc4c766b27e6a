/* SPDX-License-Identifier: GPL-2.0-only */
/* Extracts numbers from a program's output. */
#ifndef KTSTR_PAYLOAD_METRICS_H
#define KTSTR_PAYLOAD_METRICS_H

#include <ktstr/payload.h>

#include "base/base.h"

/* Deeper leaves are left out, and this metric reports that, with the depth as its value. */
#define METRICS_MAX_DEPTH 64
#define METRICS_TRUNCATED "__walk_json_leaves_truncated"
/* Maximum number of metrics; the rest is left out with a note. */
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
 * Adds the numeric leaves of the first JSON document: the whole text, or else the first
 * bracketed region that is one. Returns -ENOENT without a message if there is none, or
 * -ENOMEM. Of a repeated name, the last value counts, unless keep_duplicates is set.
 */
int metrics_from_json(struct payload_metrics *m, const char *text, size_t len, const char *source,
		      const char *stream, bool keep_duplicates);

/* Uses stdout or, if it has no numbers and stderr has text, stderr; never both. */
int metrics_from_output(struct payload_metrics *m, const struct str *out, const struct str *err);

/* Sets polarity, target and unit of declared metrics. */
void metrics_apply_hints(struct payload_metrics *m, const struct ktstr_metric_hint *hints);

/* Adds a metric; beyond METRICS_MAX_COUNT it is left out and is_cut is set. */
int metrics_add(struct payload_metrics *m, const char *name, double value, const char *source,
		const char *stream);

struct payload_metric *metrics_find(const struct payload_metrics *m, const char *name);
void metrics_finish(struct payload_metrics *m);

/* Appends a number in the shortest form that reads back as the same value. */
void metrics_add_number(struct str *out, double value);

/*
 * Extracts numbers from the text of benchmarks whose format is known: schbench, hackbench,
 * stress-ng, cyclictest, sysbench, perf bench. All other prose needs a language model.
 */

/* Maximum number of names in a text; the rest is left out with a note. */
#define TEXT_MAX_METRICS 1024

/*
 * Returns -ENOENT without a message if the format is unknown, or -ENOMEM. Of a figure that
 * is printed repeatedly, as in interval reports, the last value counts. Commonly quoted
 * figures have a polarity and a unit.
 */
int metrics_from_text(struct payload_metrics *m, const char *text, size_t len, const char *stream);

/* Uses stdout or, if it has none, stderr: text of a known format, or else a JSON document. */
int metrics_from_known_output(struct payload_metrics *m, const struct str *out,
			      const struct str *err);

/* ---- the formats (text_formats.c) ---- */

#define TEXT_MAX_NUMBERS 9

/*
 * A line format; the pattern must match the beginning of the line. In a pattern, a blank is
 * any number of blanks, including none; % is a number, and @ a word. In a name, @ is that
 * word, $ the section, and # the first number of the line (~ with one decimal).
 */
struct text_row {
	const char *program;
	const char *pattern;
	const char *begins;		     /* section that this line begins, or NULL */
	bool follows;			     /* only valid in a section of the same program */
	bool is_last;			     /* later lines are not figures of the run */
	const char *names[TEXT_MAX_NUMBERS]; /* of the numbers; NULL = not a metric */
};

/* In the order in which they are tried; ends with program NULL. */
extern const struct text_row text_rows[];
/* Default polarity of their figures, unless a payload sets it; * matches anything in a name. */
extern const struct ktstr_metric_hint text_quoted[];

#endif

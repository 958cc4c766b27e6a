/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers out of the text of benchmarks whose format is known: schbench, hackbench, stress-ng,
 * cyclictest, perf bench. Everything else that is written for people needs a language model.
 */
#ifndef KTSTR_PAYLOAD_TEXT_METRICS_H
#define KTSTR_PAYLOAD_TEXT_METRICS_H

#include "payload/metrics.h"

/* Names that a text may bring; the rest is left out with a note. */
#define TEXT_MAX_METRICS 1024

/*
 * -ENOENT without a message when the text is of no known format, -ENOMEM. Of a figure that is
 * printed more than once, as in reports of intervals, the last value counts.
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
	bool is_last;			     /* what comes after it is no figure of the run */
	const char *names[TEXT_MAX_NUMBERS]; /* of the numbers; NULL = not a metric */
};

/* In the order in which they are tried; program NULL is the end. */
extern const struct text_row text_rows[];

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* One measured or merged value, on its way from a group to a cell. */
#ifndef KTSTR_CTPROF_VALUE_H
#define KTSTR_CTPROF_VALUE_H

#include "ctprof/metric.h"

enum value_kind {
	VALUE_ABSENT,
	VALUE_UNSIGNED,
	VALUE_REAL,
	VALUE_RANGE,
	VALUE_MODE,
	VALUE_AFFINITY,
	VALUE_TEXT,	  /* shown as it is */
	VALUE_HUNDREDTHS, /* of a percent, as pressure averages are kept */
};

/* The most frequent word of a group's threads. */
struct mode {
	const char *word;
	uint32_t hits, total;
};

/* Sets of CPUs: all the same one, or sets of min to max CPUs. */
struct affinity {
	const char *set; /* NULL when they differ */
	uint32_t min, max;
};

struct value {
	enum value_kind kind;
	union {
		uint64_t u;
		double real;
		struct {
			int64_t min, max;
		} range;
		struct mode mode;
		struct affinity affinity;
		const char *text;
		uint32_t hundredths;
	};
};

struct value value_unsigned(uint64_t u);
struct value value_real(double real);	   /* NaN is absent */
struct value value_text(const char *text); /* NULL is absent */
struct value value_hundredths(uint32_t hundredths);

/* The middle of ranges and sets; NaN for what is absent or a word. */
double value_number(const struct value *v);

/* Appends the cell: "8.697K", "-5..10", "SCHED_OTHER (9/10)", "-". */
void value_add_text(struct str *out, const struct value *v, enum metric_ladder ladder);

/* As JSON: a number, a word, {"min","max"} or null. */
void value_to_json(struct json *j, const struct value *v);

/* What a comparison of two values gives. */
enum delta_kind { DELTA_NONE, DELTA_NUMBER, DELTA_SAME, DELTA_DIFFERS };

struct delta {
	enum delta_kind kind;
	double number;
	double percent; /* of the baseline; NaN when there is none */
};

/* Of what cannot be subtracted. */
struct delta value_no_delta(void);
struct delta value_delta(const struct value *baseline, const struct value *candidate);

/* Whether a difference is an integer: from one to another, or from nothing. */
bool value_is_exact(const struct value *baseline, const struct value *candidate);

/* The same for programs: false where it is no number that fits an integer exactly. */
bool value_exact_delta(const struct value sides[2], const struct delta *d, int64_t *out);

/* Appends "+92.457K", exactly where both are integers or there was nothing before, "same", "differs" or "-". */
void value_add_delta(struct str *out, const struct value *baseline, const struct value *candidate,
		     const struct delta *d, enum metric_ladder ladder);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* The 17 metrics that are computed from a group's merged values, never per thread. */
#ifndef KTSTR_CTPROF_DERIVED_H
#define KTSTR_CTPROF_DERIVED_H

#include "ctprof/metric.h"

enum derived_formula {
	FORMULA_QUOTIENT,   /* a / b */
	FORMULA_SHARE,	    /* a / (a + b) */
	FORMULA_FRACTION,   /* a / max(a, b) */
	FORMULA_DIFFERENCE, /* a - b */
	FORMULA_OFFCPU,	    /* the sum of all delays, see derived.c */
};

struct derived {
	const char *name;
	enum derived_formula formula;
	enum metric_id a, b;
	enum metric_ladder ladder;
	enum metric_section section; /* PRIMARY here means the derived table proper */
	const char *inputs;	     /* the formula as text */
	const char *help;
};

#define DERIVED_COUNT 17
extern const struct derived derived_metrics[DERIVED_COUNT];

/* -1 when there is no such metric. */
int derived_find(const char *name);

/* The metrics that the formula reads; returns how many. */
#define DERIVED_MAX_INPUTS 8
size_t derived_inputs(const struct derived *d, enum metric_id out[static DERIVED_MAX_INPUTS]);

/*
 * The value from merged metrics, where NaN stands for an absent one. NaN when an
 * input is missing or a denominator is zero.
 */
double derived_compute(const struct derived *d, const double values[static METRIC_COUNT]);

/* Primary and derived names, NULL-terminated, for completion and messages. */
const char *const *metric_names(void);

#endif

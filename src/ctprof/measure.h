/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures and the sections that show them. A measure is a primary metric or, numbered
 * from METRIC_COUNT on, a derived one.
 */
#ifndef KTSTR_CTPROF_MEASURE_H
#define KTSTR_CTPROF_MEASURE_H

#include "ctprof/metric.h"

/* The 17 metrics that are computed from a group's merged values, never per thread. */

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

/* The parts a report consists of, as --sections names them. */

enum section_id {
	SECTION_PRIMARY,
	SECTION_TASKSTATS_DELAY,
	SECTION_DERIVED,
	SECTION_CGROUP_STATS,
	SECTION_CGROUP_LIMITS,
	SECTION_CGROUP_PEAKS,
	SECTION_MEMORY_STAT,
	SECTION_MEMORY_EVENTS,
	SECTION_IO_STAT,
	SECTION_PRESSURE,
	SECTION_HOST_PRESSURE,
	SECTION_SMAPS_ROLLUP,
	SECTION_SCHED_EXT,
	SECTION_COUNT
};

struct section {
	const char *name;
	const char *heading; /* "## Primary metrics" */
	bool needs_cgroup_axis;
	const char *help;
};

extern const struct section sections[SECTION_COUNT];

/* Case-blind; -1 when there is no such section. */
int section_find(const char *name);

/* NULL-terminated, for completion and messages. */
const char *const *section_names(void);

#define MEASURE_COUNT (METRIC_COUNT + DERIVED_COUNT)

static inline bool measure_is_derived(unsigned int m)
{
	return m >= METRIC_COUNT;
}

/* -1 when there is no such measure. */
int measure_find(const char *name);

const char *measure_name(unsigned int m);
enum metric_ladder measure_ladder(unsigned int m);

/* SECTION_PRIMARY, SECTION_TASKSTATS_DELAY or SECTION_DERIVED. */
enum section_id measure_section(unsigned int m);

/* Words, which have no order and no difference. */
bool measure_is_categorical(unsigned int m);

/* A sum over threads that only grows while they live. */
bool measure_is_counter(unsigned int m);

/* The most that some thread ever had: it falls only when that thread is gone. */
bool measure_is_peak(unsigned int m);

/* A sum over threads, so that a share per thread or a rate makes sense. */
bool measure_is_sum(unsigned int m);

/* A quotient of sums, which a stretch of time has of its own. */
bool measure_is_ratio(unsigned int m);

void measure_add_tags(unsigned int m, struct str *out);

/* The name of a ladder's base unit for machines: "ns", "bytes", "" without one. */
const char *ladder_unit(enum metric_ladder ladder);

#endif

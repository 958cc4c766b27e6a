/* SPDX-License-Identifier: GPL-2.0-only */
/* A measure is a primary metric or, numbered from METRIC_COUNT on, a derived one. */
#ifndef KTSTR_CTPROF_MEASURE_H
#define KTSTR_CTPROF_MEASURE_H

#include <stdbool.h>

#include "base/str.h"
#include "ctprof/derived.h"
#include "ctprof/metric.h"
#include "ctprof/section.h"

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

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a metric is, and with that how several readings of it become one: those of the cgroups or
 * CPUs of one phase or run, and those of several runs. Pure arithmetic.
 */
#ifndef KTSTR_STATS_KIND_H
#define KTSTR_STATS_KIND_H

#include <stdbool.h>
#include <stddef.h>

enum metric_kind {
	METRIC_COUNTER,	   /* grows: what it grew by */
	METRIC_DELTA_SUM,  /* a count of its phase */
	METRIC_GAUGE_AVG,  /* mean by weight */
	METRIC_GAUGE_LAST, /* the newest reading */
	METRIC_GAUGE_MAX,  /* the largest reading */
	METRIC_PEAK,	   /* the largest of all */
	METRIC_TIMESTAMP,
	METRIC_RATE,		   /* value over weight, both summed */
	METRIC_DISTRIBUTION,	   /* a percentile, mean or the like of samples */
	METRIC_DISTRIBUTION_WORST, /* its largest sample */
	METRIC_WORST_LOWEST,	   /* the lowest cgroup */
	METRIC_PER_PHASE,	   /* of one phase alone */
	METRIC_KIND_COUNT
};

/* Of a rate the two sums; of others a value, and how many samples it stands for. */
struct reading {
	double value, weight;
};

const char *metric_kind_name(enum metric_kind kind);

/*
 * False where nothing is left to fold: readings that are no finite numbers do not count, a counter
 * needs two, and what belongs to one phase is not folded over runs. A counter that fell is 0.
 */
bool metric_fold_phase(enum metric_kind kind, const struct reading *readings, size_t count,
		       struct reading *to);
bool metric_fold_runs(enum metric_kind kind, const struct reading *readings, size_t count,
		      struct reading *to);

/* The figure of a reading. */
double reading_value(enum metric_kind kind, const struct reading *r);

/* Whether a fold over runs grows with their number. */
bool metric_is_summed(enum metric_kind kind);

#endif

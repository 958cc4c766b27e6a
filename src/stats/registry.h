/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics for comparing runs: direction and noise thresholds. */
#ifndef KTSTR_STATS_REGISTRY_H
#define KTSTR_STATS_REGISTRY_H

#include "record/sidecar.h"

/*
 * Kinds of metrics, which determine how several readings are folded into one: those of the cgroups
 * or CPUs of a phase or run, and those of several runs. Pure arithmetic.
 */

enum reading_kind {
	METRIC_COUNTER,	   /* cumulative: its increase */
	METRIC_DELTA_SUM,  /* a count per phase */
	METRIC_GAUGE_AVG,  /* weighted mean */
	METRIC_GAUGE_LAST, /* the newest reading */
	METRIC_GAUGE_MAX,  /* the largest reading */
	METRIC_PEAK,	   /* the largest of all */
	METRIC_TIMESTAMP,
	METRIC_RATE,		   /* value / weight, both summed */
	METRIC_DISTRIBUTION,	   /* a percentile, mean or other figure of samples */
	METRIC_DISTRIBUTION_WORST, /* its largest sample */
	METRIC_WORST_LOWEST,	   /* minimum over cgroups */
	METRIC_PER_PHASE,	   /* of one phase only */
	METRIC_KIND_COUNT
};

/* For a rate the two sums; otherwise a value and the number of samples behind it. */
struct metric_reading {
	double value, weight;
};

const char *metric_kind_name(enum reading_kind kind);

/*
 * False if nothing is left to fold: readings that are not finite are ignored, a counter needs two,
 * and METRIC_PER_PHASE is not folded over runs. A counter that decreased gives 0.
 */
bool metric_fold_phase(enum reading_kind kind, const struct metric_reading *readings, size_t count,
		       struct metric_reading *to);
bool metric_fold_runs(enum reading_kind kind, const struct metric_reading *readings, size_t count,
		      struct metric_reading *to);

/* Value of a reading. */
double reading_value(enum reading_kind kind, const struct metric_reading *r);

/* Returns whether the folded value grows with the number of runs. */
bool metric_is_summed(enum reading_kind kind);

/* Location of a metric in a record. */

enum source_place {
	SOURCE_NOWHERE,
	SOURCE_TOTAL,	  /* member of sidecar_stats */
	SOURCE_MONITOR,	  /* by name in the monitor's numbers */
	SOURCE_CGROUP,	  /* member of each cgroup */
	SOURCE_LATENCY,	  /* figure of a histogram of each cgroup */
	SOURCE_EVENTS,	  /* member of a phase's events */
	SOURCE_CPU,	  /* member of each CPU in a phase's events */
	SOURCE_CALLBACKS, /* ns and calls of the BPF programs */
	SOURCE_VERIFIED,  /* instructions processed by the verifier */
};

enum latency_figure {
	LATENCY_MEAN,
	LATENCY_P50,
	LATENCY_P90,
	LATENCY_P99,
	LATENCY_P999,
	LATENCY_MAX,
	LATENCY_CV,
	LATENCY_TAIL, /* p99 / p50 */
};

struct metric_source {
	enum source_place place;
	const char *name; /* of the monitor's number, if it differs from the metric's */
	size_t offset;	  /* in the struct of that source */
	size_t divisor;	  /* for a rate: offset of the divisor */
	enum latency_figure figure;
	double scale, divisor_scale; /* 0 = 1 */
};

/* Reads and folds by kind. False if the record has no reading. */
bool source_read_run(const struct metric_source *source, enum reading_kind kind, const char *name,
		     const struct sidecar *s, struct metric_reading *to);
/* The same for one phase. */
bool source_read_phase(const struct metric_source *source, enum reading_kind kind,
		       const struct sidecar_phase *p, struct metric_reading *to);

struct registry_metric {
	const char *name;
	enum reading_kind kind;
	bool is_higher_better;
	bool is_neutral; /* neither direction is better: changes are shown, not judged */
	double default_abs, default_rel; /* a smaller change than either is noise */
	const char *unit;
	struct metric_source run, phase;
	const char *outlier; /* name in the report's list of outliers, or NULL */
	bool is_throughput;  /* sim cannot judge it: idle CPUs cost nothing there */
};

extern const struct registry_metric registry_metrics[]; /* terminated by a NULL name */
extern const size_t registry_count;

/* Which direction is better: "lower", "higher" or "neither". */
const char *registry_polarity(const struct registry_metric *m);

/* Appends a line that names the metrics that sim cannot judge. */
void registry_add_sim_note(struct str *out);

const struct registry_metric *registry_find(const char *name);
/* -EINVAL with a message that suggests the closest name, if there is no such metric. */
int registry_require(const char *name);
/* False if the run has no such reading. */
bool registry_reading(const struct registry_metric *m, const struct sidecar *s,
		      struct metric_reading *to);
bool registry_value(const struct registry_metric *m, const struct sidecar *s, double *value);

/* Metrics reported by payloads and tests, which define themselves what is better. */

/* Their noise is unknown: only the relative threshold applies. */
#define OWN_METRIC_ABS 1e-9
#define OWN_METRIC_REL 0.1

/* The same metric of another record: by name, payload and run of the payload; or NULL. */
const struct named_metric *own_metric_find(const struct sidecar *s,
					   const struct named_metric *like);

#endif

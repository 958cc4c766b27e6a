/* SPDX-License-Identifier: GPL-2.0-only */
/* The metrics that runs are compared by: what is better, and what is noise. */
#ifndef KTSTR_STATS_REGISTRY_H
#define KTSTR_STATS_REGISTRY_H

#include "check/sidecar.h"

/*
 * What a metric is, and with that how several readings of it become one: those of the cgroups or
 * CPUs of one phase or run, and those of several runs. Pure arithmetic.
 */

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

/* Where in a record a metric is read. */

enum source_place {
	SOURCE_NOWHERE,
	SOURCE_TOTAL,	  /* number of sidecar_stats */
	SOURCE_MONITOR,	  /* by name in the monitor's numbers */
	SOURCE_CGROUP,	  /* number of each cgroup */
	SOURCE_LATENCY,	  /* figure of a histogram of each cgroup */
	SOURCE_EVENTS,	  /* number of a phase's events */
	SOURCE_CPU,	  /* number of each CPU in a phase's events */
	SOURCE_CALLBACKS, /* ns and calls of the BPF programs */
	SOURCE_VERIFIED,  /* instructions that the verifier went through */
};

enum latency_figure {
	LATENCY_MEAN,
	LATENCY_P50,
	LATENCY_P90,
	LATENCY_P99,
	LATENCY_P999,
	LATENCY_MAX,
	LATENCY_CV,
	LATENCY_TAIL, /* p99 over p50 */
};

struct metric_source {
	enum source_place place;
	const char *name; /* of the monitor's number where it is not that of the metric */
	size_t offset;	  /* in the place's struct */
	size_t divisor;	  /* of a rate: offset of what it is divided by */
	enum latency_figure figure;
	double scale, divisor_scale; /* 0 = 1 */
};

/* Folded by the kind. False where the record has no reading. */
bool source_read_run(const struct metric_source *source, enum metric_kind kind, const char *name,
		     const struct sidecar *s, struct reading *to);
/* The same of one phase alone. */
bool source_read_phase(const struct metric_source *source, enum metric_kind kind,
		       const struct sidecar_phase *p, struct reading *to);

struct registry_metric {
	const char *name;
	enum metric_kind kind;
	bool is_higher_better;
	double default_abs, default_rel; /* a change below either is noise */
	const char *unit;
	struct metric_source run, phase;
	const char *outlier; /* its name in the report's list of outliers, or NULL */
	bool is_throughput;  /* sim cannot judge it: an idle CPU costs nothing there */
};

extern const struct registry_metric registry_metrics[]; /* ends with a NULL name */
extern const size_t registry_count;

/* A line that names what sim cannot judge. */
void registry_add_sim_note(struct str *out);

const struct registry_metric *registry_find(const char *name);
/* -EINVAL with a message that names the closest where there is no such metric. */
int registry_require(const char *name);
/* False where the run has no such reading. */
bool registry_reading(const struct registry_metric *m, const struct sidecar *s, struct reading *to);
bool registry_value(const struct registry_metric *m, const struct sidecar *s, double *value);

/* Metrics of payloads and tests, which say themselves what is better. */

/* They have no noise floor that we know of: the relative gate decides. */
#define OWN_METRIC_ABS 1e-9
#define OWN_METRIC_REL 0.1

/* The same one of another record: by name, payload and run of the payload. Or NULL. */
const struct sidecar_metric *own_metric_find(const struct sidecar *s,
					     const struct sidecar_metric *like);

#endif

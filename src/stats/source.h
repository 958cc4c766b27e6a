/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in a record a metric is read. */
#ifndef KTSTR_STATS_SOURCE_H
#define KTSTR_STATS_SOURCE_H

#include "check/sidecar.h"
#include "stats/kind.h"

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
	size_t offset;	/* in the place's struct */
	size_t divisor; /* of a rate: offset of what it is divided by */
	enum latency_figure figure;
	double scale, divisor_scale; /* 0 = 1 */
};

/* Folded by the kind. False where the record has no reading. */
bool source_read_run(const struct metric_source *source, enum metric_kind kind, const char *name,
		     const struct sidecar *s, struct reading *to);
/* The same of one phase alone. */
bool source_read_phase(const struct metric_source *source, enum metric_kind kind,
		       const struct sidecar_phase *p, struct reading *to);

#endif

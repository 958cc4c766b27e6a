/* SPDX-License-Identifier: GPL-2.0-only */
/* The metrics that runs are compared by: what is better, and what is noise. */
#ifndef KTSTR_STATS_REGISTRY_H
#define KTSTR_STATS_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/source.h"

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
/* The same of one phase, for metrics that phases have. */
bool registry_phase_value(const struct registry_metric *m, const struct sidecar_phase *p,
			  double *value);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* How large a relative change counts: --threshold, --policy, or what the metric says. */
#ifndef KTSTR_STATS_POLICY_H
#define KTSTR_STATS_POLICY_H

#include "base/base.h"

struct policy_metric {
	char *name;
	double percent;
};

struct policy {
	bool has_default;
	double default_percent;
	VEC(struct policy_metric) metrics;
};

/* {"default_percent":N,"per_metric_percent":{metric:N}}. -EINVAL with the place. */
int policy_parse(struct policy *p, char *text, size_t len);
int policy_read(struct policy *p, const char *path);
void policy_finish(struct policy *p);

/* "12.5": a percentage that is not negative. -EINVAL without a message. */
int policy_parse_percent(const char *text, double *percent);

/* The relative gate of a metric, as a share. */
double policy_gate(const struct policy *p, const char *metric, double default_rel);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms summarised in a few numbers. */
#ifndef KTSTR_CHECK_LATENCY_H
#define KTSTR_CHECK_LATENCY_H

#include "check/result.h"

/* All fields are 0 if there are no samples; check count. */
struct latency {
	uint64_t count;
	uint64_t p50_ns, p90_ns, p99_ns, p999_ns, max_ns;
	double mean_ns, cv;
	double tail_ratio; /* p99 over p50; 0 when p50 is */
};

void latency_of(const struct histogram *h, struct latency *out);

/* Over all cgroups: counts are summed, every other figure is the worst of any cgroup. */
void latency_worst(const struct ktstr_result *r, struct latency *wakes, struct latency *timers);
void latency_worst_waits(const struct ktstr_result *r, struct latency *waits,
			 struct latency *wakeup_waits);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* A histogram in a few numbers, as people compare them. */
#ifndef KTSTR_CHECK_LATENCY_H
#define KTSTR_CHECK_LATENCY_H

#include "check/result.h"

/* All of nothing is 0; look at count. */
struct latency {
	uint64_t count;
	uint64_t p50_ns, p90_ns, p99_ns, p999_ns, max_ns;
	double mean_ns, cv;
	double tail_ratio; /* p99 over p50; 0 when p50 is */
};

void latency_of(const struct histogram *h, struct latency *out);

/* Of all cgroups: samples are summed, everything else is the worst of any cgroup. */
void latency_worst(const struct ktstr_result *r, struct latency *wakes, struct latency *timers);
void latency_worst_waits(const struct ktstr_result *r, struct latency *waits,
			 struct latency *wakeup_waits);

#endif

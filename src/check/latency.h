/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms summarised in a few numbers, and without their empty buckets. */
#ifndef KTSTR_CHECK_LATENCY_H
#define KTSTR_CHECK_LATENCY_H

#include "check/result.h"

struct latency_bucket {
	uint32_t index; /* as in work/report.h */
	uint32_t count;
};

/* All fields are 0 if there are no samples; check count. */
struct latency {
	uint64_t count, min_ns, max_ns;
	uint64_t p50_ns, p90_ns, p99_ns, p999_ns;
	double mean_ns, cv;
	double tail_ratio;		      /* p99 over p50; 0 when p50 is */
	const struct latency_bucket *buckets; /* ascending, none empty; only of records */
	size_t bucket_count;
};

/* Sets everything but the buckets. */
void latency_of(const struct histogram *h, struct latency *out);
double latency_tail_ratio(const struct latency *l);

/* Over all cgroups: counts are summed, every other figure is the worst of any cgroup. */
void latency_worst(const struct ktstr_result *r, struct latency *wakes, struct latency *timers);
void latency_worst_waits(const struct ktstr_result *r, struct latency *waits,
			 struct latency *wakeup_waits);

#endif

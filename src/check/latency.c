// SPDX-License-Identifier: GPL-2.0-only
/* Percentiles are nearest rank, as the histogram has them. */
#include "check/parts.h"

double latency_tail_ratio(const struct latency *l)
{
	return l->p50_ns ? (double)l->p99_ns / (double)l->p50_ns : 0;
}

void latency_of(const struct histogram *h, struct latency *out)
{
	*out = (struct latency){ .count = h->count };
	if (!h->count)
		return;
	out->p50_ns = histogram_percentile(h, 0.5);
	out->p90_ns = histogram_percentile(h, 0.9);
	out->p99_ns = histogram_percentile(h, 0.99);
	out->p999_ns = histogram_percentile(h, 0.999);
	out->min_ns = h->min;
	out->max_ns = h->max;
	out->mean_ns = histogram_mean(h);
	out->cv = histogram_cv(h);
	out->tail_ratio = latency_tail_ratio(out);
}

static void add_worst(struct latency *into, const struct histogram *h)
{
	struct latency one;

	latency_of(h, &one);
	into->count += one.count;
	into->p50_ns = MAX(into->p50_ns, one.p50_ns);
	into->p90_ns = MAX(into->p90_ns, one.p90_ns);
	into->p99_ns = MAX(into->p99_ns, one.p99_ns);
	into->p999_ns = MAX(into->p999_ns, one.p999_ns);
	into->max_ns = MAX(into->max_ns, one.max_ns);
	into->mean_ns = MAX(into->mean_ns, one.mean_ns);
	into->cv = MAX(into->cv, one.cv);
	into->tail_ratio = MAX(into->tail_ratio, one.tail_ratio);
}

struct worst_latencies latency_worst(const struct ktstr_result *r)
{
	struct worst_latencies worst = {};

	vec_each(const struct cgroup_stats, c, &r->cgroups) {
		add_worst(&worst.wakes, &c->wakes);
		add_worst(&worst.timers, &c->timers);
		add_worst(&worst.waits, &c->waits);
		add_worst(&worst.wakeup_waits, &c->wakeup_waits);
	}
	return worst;
}

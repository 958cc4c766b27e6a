// SPDX-License-Identifier: GPL-2.0-only
/* Comparing times with the age of their thread. */
#include "ctprof/capture_parts.h"

/* The clock of the scheduler is not that of the boot, and ages are counted in ticks. */
#define SLACK_NS NSEC_PER_SEC
#define SLACK_SHARE 0.02

/* Threads are read while the capture runs, so its end is the latest that any was read. */
static double capture_end_ns(const struct snapshot *s)
{
	double ticks = (double)s->uptime_clock_ticks.value;
	double ms = s->capture_ms.is_known ? (double)s->capture_ms.value : 0;

	return ticks * (double)NSEC_PER_SEC / (double)s->user_hz.value + ms * (double)NSEC_PER_MSEC;
}

/* An average needs its total and its count of the same threads. */
static void drop_count(struct thread_record *t, enum metric_id total, uint64_t *dropped)
{
	for (size_t i = 0; i < DERIVED_COUNT; i++) {
		const struct derived *d = &derived_metrics[i];

		if (d->formula != FORMULA_QUOTIENT || d->a != total || !thread_has(t, d->b))
			continue;
		thread_clear_measured(t, d->b);
		dropped[d->b]++;
	}
}

static uint64_t drop(struct thread_record *t, double longest_ns, const enum metric_id *elapsed,
		     size_t count, uint64_t *dropped)
{
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++) {
		enum metric_id id = elapsed[i];

		if (!thread_has(t, id) || (double)t->values[id].u <= longest_ns)
			continue;
		thread_clear_measured(t, id);
		drop_count(t, id, dropped);
		dropped[id]++;
		total++;
	}
	return total;
}

uint64_t impossible_drop(struct snapshot *s, uint64_t dropped[static METRIC_COUNT])
{
	enum metric_id elapsed[METRIC_COUNT];
	size_t count = 0;
	uint64_t total = 0;
	double end_ns, tick_ns;

	if (!s->uptime_clock_ticks.is_known || !s->user_hz.is_known || !s->user_hz.value)
		return 0;
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		if (metric_is_elapsed(id))
			elapsed[count++] = id;
	end_ns = capture_end_ns(s);
	tick_ns = (double)NSEC_PER_SEC / (double)s->user_hz.value;
	for (size_t i = 0; i < s->thread_count; i++) {
		struct thread_record *t = &s->threads[i];
		double age_ns = end_ns - (double)t->start_ticks.value * tick_ns;

		/* Who started after the end is of another clock. */
		if (!t->start_ticks.is_known || age_ns < 0)
			continue;
		total += drop(t, age_ns * (1 + SLACK_SHARE) + (double)SLACK_NS, elapsed, count,
			      dropped);
	}
	return total;
}

void impossible_forget(struct snapshot *s)
{
	uint64_t dropped[METRIC_COUNT] = {};

	s->parse.impossible_values += impossible_drop(s, dropped);
	for (int id = 0; id < METRIC_COUNT; id++) {
		if (!dropped[id])
			continue;
		s->unread[id].threads += dropped[id];
		if (!s->unread[id].reason)
			s->unread[id].reason = IMPOSSIBLE_REASON;
	}
}

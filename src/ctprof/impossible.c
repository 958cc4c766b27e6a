// SPDX-License-Identifier: GPL-2.0-only
/* Drops times that are longer than the age of their thread. */
#include "ctprof/capture_parts.h"

/* Tolerance: scheduler clock and boot clock differ, and ages are in ticks. */
#define SLACK_NS (100 * NSEC_PER_MSEC)
#define SLACK_SHARE 0.02

/* The end of the capture: the latest time at which a thread can have been read. */
static double capture_end_ns(const struct snapshot *s)
{
	double ticks = (double)s->uptime_clock_ticks.value;
	double ms = s->capture_ms.is_known ? (double)s->capture_ms.value : 0;

	return ticks * (double)NSEC_PER_SEC / (double)s->user_hz.value + ms * (double)NSEC_PER_MSEC;
}

/* Returns 1, or 0 if it was not measured. */
static uint64_t forget(struct thread_record *t, enum metric_id id, uint64_t *dropped)
{
	if (!thread_has(t, id))
		return 0;
	thread_clear_measured(t, id);
	dropped[id]++;
	return 1;
}

/* Total and count of an average must be of the same threads. */
static void drop_count(struct thread_record *t, enum metric_id total, uint64_t *dropped)
{
	array_each(const struct derived, d, derived_metrics, DERIVED_COUNT) {
		if (d->formula == FORMULA_QUOTIENT && d->a == total)
			forget(t, d->b, dropped);
	}
}

static double time_of(const struct thread_record *t, enum metric_id id)
{
	return thread_has(t, id) ? (double)t->values[id].u : 0;
}

/*
 * Maximum possible value. A thread that waits for I/O is on no run queue, so that time excludes
 * running and waiting for a CPU. Impossible values occur since 6.12: a thread may be dequeued late,
 * while another one runs. Then the kernel stores the start of the wait in the other thread, and
 * computes this wait from an old start time.
 */
static double longest_of(const struct thread_record *t, enum metric_id id, double longest_ns)
{
	if (id != M_blkio_delay_total_ns && id != M_blkio_delay_max_ns)
		return longest_ns;
	return longest_ns - time_of(t, M_run_time_ns) - time_of(t, M_wait_time_ns);
}

static uint64_t drop(struct thread_record *t, double longest_ns, const enum metric_id *elapsed,
		     size_t count, uint64_t *dropped)
{
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++) {
		enum metric_id id = elapsed[i];

		if (time_of(t, id) <= MAX(longest_of(t, id, longest_ns), 0))
			continue;
		total += forget(t, id, dropped);
		drop_count(t, id, dropped);
		/* It is unknown which of the waits was too long, so the maximum is dropped, too. */
		if (id == M_blkio_delay_total_ns)
			total += forget(t, M_blkio_delay_max_ns, dropped);
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
	array_each(struct thread_record, t, s->threads, s->thread_count) {
		double age_ns = end_ns - (double)t->start_ticks.value * tick_ns;

		/* A start time after the end is from another clock. */
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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long the workers of a cgroup waited for a CPU, from scheduling events. The observer
 * counts waits by powers of two; each becomes a sample in the middle of its bucket. Only
 * the longest wait is exact.
 */
#include "check/parts.h"

/* No sample may be above the longest wait. */
static void add_buckets(struct histogram *h, const uint32_t *buckets, uint64_t longest_ns)
{
	for (unsigned int i = 0; i < OBSERVE_BUCKETS; i++) {
		uint64_t middle_ns = (UINT64_C(3) << i) / 2;

		histogram_add_many(h, MIN(middle_ns, longest_ns), buckets[i]);
	}
}

/* Length in ns of a wait that was still open at the end of the phase; 0 = none. */
static uint64_t open_wait_ns(const struct observe_task *t, const struct observed *seen)
{
	return t->state == OBSERVE_WAITING && seen->end_ns > t->since_ns ?
		       seen->end_ns - t->since_ns :
		       0;
}

/* Waits are counted when they end, except those whose end is not recorded. */
static void add_open_wait(struct cgroup_stats *s, const struct observe_task *t,
			  const struct observed *seen)
{
	uint64_t ns = open_wait_ns(t, seen);

	if (!ns)
		return;
	histogram_add(&s->waits, ns);
	if (t->was_woken)
		histogram_add(&s->wakeup_waits, ns);
}

static void add_worst_wait(struct cgroup_stats *s, const struct observe_task *t, uint64_t start_ns)
{
	uint64_t end_ns = t->worst.since_ns + t->worst.ns;
	double us = (double)t->worst.ns / 1e3;

	if (t->worst.ns == 0 || us <= s->worst_wait_us)
		return;
	s->worst_wait_us = us;
	s->worst_wait_cpu = t->worst.cpu;
	s->worst_wait_tid = (int)t->pid;
	s->worst_wait_at_ms = end_ns > start_ns ? (end_ns - start_ns) / 1000000 : 0;
}

/* next: the following recording, which counts a wait that continues; or NULL. */
static void add_task(struct cgroup_stats *s, const struct judged_cgroup *cgroup, pid_t tid,
		     const struct observed *seen, const struct observed *next)
{
	const struct observe_task *t = observed_task(seen, tid);

	if (!t)
		return;
	s->wait_ns += t->wait_ns;
	add_buckets(&s->waits, t->wait_histogram, t->worst.ns);
	if (s->waits.count)
		s->waits.max = MAX(s->waits.max, t->worst.ns);
	add_buckets(&s->wakeup_waits, t->wake_histogram, t->worst.ns);
	if (!observed_task(next, tid))
		add_open_wait(s, t, seen);
	add_worst_wait(s, t, cgroup->start_ns);
}

static bool is_seen(const struct judged_cgroup *cgroup, size_t phase)
{
	return phase < cgroup->seen_count && cgroup->seen[phase].is_known;
}

/* A phase that ends with its workers may not have been read yet: then its figures are unknown. */
static bool is_seen_all_its_life(const struct judged_cgroup *cgroup, const struct worker_report *w)
{
	for (unsigned int i = 0; i < w->phase_count && i < WORKER_MAX_PHASES; i++)
		if (worker_counts_of(w, (int)i) && !is_seen(cgroup, i))
			return false;
	return true;
}

static bool has_events(const struct judged_cgroup *cgroup, int phase)
{
	bool is_any = false;

	if (phase != STATS_WHOLE_RUN)
		return is_seen(cgroup, (size_t)phase);
	for (size_t i = 0; i < cgroup->seen_count; i++)
		is_any |= is_seen(cgroup, i);
	for (size_t i = 0; i < cgroup->count; i++)
		is_any &= is_seen_all_its_life(cgroup, cgroup->reports[i]);
	return is_any;
}

void stats_add_events(struct cgroup_stats *s, const struct judged_cgroup *cgroup, int phase)
{
	bool is_whole = phase == STATS_WHOLE_RUN;
	size_t first = is_whole ? 0 : (size_t)phase;
	size_t end = is_whole ? cgroup->seen_count : first + 1;

	s->has_events = has_events(cgroup, phase);
	if (!s->has_events)
		return;
	for (size_t i = first; i < end; i++)
		for (size_t k = 0; k < cgroup->count; k++)
			add_task(s, cgroup, cgroup->reports[k]->tid, &cgroup->seen[i],
				 i + 1 < end ? &cgroup->seen[i + 1] : NULL);
}

void stats_merge_events(struct cgroup_stats *into, const struct cgroup_stats *c)
{
	if (!c->has_events)
		return;
	into->has_events = true;
	into->wait_ns += c->wait_ns;
	histogram_merge(&into->waits, &c->waits);
	histogram_merge(&into->wakeup_waits, &c->wakeup_waits);
	if (c->worst_wait_us <= into->worst_wait_us)
		return;
	into->worst_wait_us = c->worst_wait_us;
	into->worst_wait_cpu = c->worst_wait_cpu;
	into->worst_wait_tid = c->worst_wait_tid;
	into->worst_wait_at_ms = c->worst_wait_at_ms;
}

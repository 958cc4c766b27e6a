// SPDX-License-Identifier: GPL-2.0-only
/* Spread: the workers of a cgroup were off CPU for different parts of their lives. */
#include <math.h>

#include "check/parts.h"

unsigned int judging_timed_workers(const struct judging *j)
{
	unsigned int count = 0;

	for (size_t i = 0; i < j->cgroup->count; i++) {
		const struct worker_report *w = judged_worker(j, i);

		count += w && w->total.wall_time_ns;
	}
	return count;
}

uint64_t judging_life_ns(const struct judging *j)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < j->cgroup->count; i++) {
		const struct worker_report *w = judged_worker(j, i);

		if (w)
			longest = MAX(longest, w->total.wall_time_ns);
	}
	return longest;
}

/* Stores the largest part (percent) of a worker's life in which it was runnable but did not run. */
static bool worst_wait_pct(const struct judging *j, double *pct)
{
	bool is_known = false;

	*pct = 0;
	for (size_t i = 0; i < j->cgroup->count; i++) {
		const struct worker_report *w = judged_worker(j, i);

		if (!w || !w->total.wall_time_ns || !w->total.has_run_delay)
			continue;
		is_known = true;
		*pct = MAX(*pct,
			   (double)w->total.run_delay_ns / (double)w->total.wall_time_ns * 100);
	}
	return is_known;
}

/*
 * True if the cgroup's CPUs are part of an LLC and its workers hardly migrate: the kernel
 * does not balance such CPUs, so a worker that is alone on its CPU stays alone there.
 */
static bool stays_on_part_of_llc(const struct judging *j)
{
	uint64_t migrations = 0, life_ns = 0;

	if (!j->cgroup->cpuset || !cpus_are_narrow(j->cgroup->cpuset, j->cgroup->topology))
		return false;
	for (size_t i = 0; i < j->cgroup->count; i++) {
		const struct worker_report *w = judged_worker(j, i);

		migrations += w ? w->total.migrations : 0;
		life_ns += w ? w->total.wall_time_ns : 0;
	}
	return (double)migrations <= NARROW_MOVES_PER_S * (double)life_ns / 1e9;
}

/*
 * True if lifetimes differ by more than 10 %. A worker that had not started when the cgroup
 * was frozen starts its life when the cgroup is thawed.
 */
static bool lived_unlike(const struct judging *j)
{
	uint64_t longest = judging_life_ns(j), shortest = longest;

	for (size_t i = 0; i < j->cgroup->count; i++) {
		const struct worker_report *w = judged_worker(j, i);

		if (w && w->total.wall_time_ns)
			shortest = MIN(shortest, w->total.wall_time_ns);
	}
	return shortest < longest - longest / 10;
}

/*
 * Returns why the spread does not prove that the scheduler is unfair, or NULL if it does.
 * Load balancing takes a while, and workers that sleep voluntarily differ through no fault
 * of the scheduler.
 */
static const char *lacks_evidence(const struct judging *j, double limit)
{
	double waited;

	if (judging_life_ns(j) < j->cgroup->fair_after_ns)
		return "the workers lived too short a time, in which load balancing may be under way";
	if (j->cgroup->was_frozen && lived_unlike(j))
		return "the test froze it, and its workers lived for different times";
	if (j->cgroup->has_fair_shares)
		return "each worker has a fair share, as far as CPUs can be divided among tasks";
	if (j->stats->spread_pct <= limit + j->cgroup->luck_pct)
		return "others take some of its CPUs, too, and one task more or less on a CPU "
		       "explains it";
	if (stays_on_part_of_llc(j))
		return "its CPUs are a part of an LLC, over which the kernel does not balance a load";
	if (worst_wait_pct(j, &waited) && waited < limit)
		return "no worker waited long enough for a CPU to explain it";
	return NULL;
}

uint64_t judging_spread_ns(const struct judging *j, double spread_pct)
{
	const struct cgroup_stats *s = j->stats;

	return (uint64_t)(spread_pct / 100 * (double)s->wall_time_ns / MAX(s->workers, 1U));
}

/* Returns the compared worker that was off CPU for the largest part of its life. */
static const struct worker_report *most_off_cpu(const struct judging *j)
{
	const struct worker_report *most = NULL;
	double nearest = 0;

	for (size_t i = 0; i < j->cgroup->count; i++) {
		const struct worker_report *w = judged_worker(j, i);
		double off;

		if (!w || !w->total.wall_time_ns)
			continue;
		off = fabs(worker_off_cpu_pct(&w->total) - j->stats->max_off_cpu_pct);
		if (!most || off < nearest) {
			most = w;
			nearest = off;
		}
	}
	return most;
}

static void add_unfair(struct judging *j, bool is_custom, double limit)
{
	const struct cgroup_stats *s = j->stats;
	const char *lack = lacks_evidence(j, limit);
	const struct worker_report *most = most_off_cpu(j);
	_str_ struct str text = {};

	str_addf(&text, "unfair cgroup: spread=%.0f%% (%.0f-%.0f%%) %u workers on %u cpus",
		 s->spread_pct, s->min_off_cpu_pct, s->max_off_cpu_pct, s->workers, s->cpus);
	if (is_custom)
		str_addf(&text, " (threshold %.0f%%)", limit);
	str_addf(&text, ": %s", j->cgroup->name);
	if (most)
		str_addf(&text, "; " WORKER " was off a CPU most", WORKER_ARGS(j, most));
	j->res->failed_alloc |= text.failed;
	if (!lack) {
		result_add(j->res, DETAIL_UNFAIR, KTSTR_FAILED, "%s", str_get(&text));
		result_set_time(j->res, judging_spread_ns(j, s->spread_pct));
	} else if (is_custom)
		result_add(j->res, DETAIL_UNFAIR, KTSTR_INCONCLUSIVE, "%s; not judged: %s",
			   str_get(&text), lack);
	else
		result_add(j->res, DETAIL_NOTE, KTSTR_SKIPPED, "spread=%.0f%% of %s not judged: %s",
			   s->spread_pct, j->cgroup->name, lack);
}

void check_spread(struct judging *j)
{
	double limit;
	bool is_custom;

	if (!judging_limit(j, j->checks->max_spread_pct, SPREAD_LIMIT, &limit, &is_custom))
		return;
	if (j->cgroup->is_pinned_apart && !is_custom)
		return;
	if (judging_timed_workers(j) < 2)
		return;
	if (judging_life_ns(j) >= j->cgroup->fair_after_ns)
		gate_measure(j->res, GATE_SPREAD);
	if (j->stats->spread_pct > limit)
		add_unfair(j, is_custom, limit);
}

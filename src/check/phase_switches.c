// SPDX-License-Identifier: GPL-2.0-only
/*
 * Switch storms: always busy workers lose their CPU again and again, though no wakeup
 * explains it. Slices much shorter than a tick make tasks take turns so often that little
 * work is done, while shares are fair and no task waits long. Each group of workers is also
 * judged by itself: normal turns of other groups would hide it.
 */
#include "check/parts.h"

/* Less CPU time than this proves nothing. */
#define LEAST_RUN_NS UINT64_C(200000000)

/* How often the always busy workers began to run, and their CPU time. */
struct turns {
	uint64_t runs, run_ns;
	const struct observe_task *shortest; /* the one with the shortest mean run */
};

static double mean_run_ns(const struct observe_task *t)
{
	return (double)t->run_ns / (double)MAX(t->runs, UINT64_C(1));
}

/* group: count only the workers of this group; NULL = of all. */
static struct turns add_up(const struct judged_phase *p, const char *group)
{
	struct turns sum = {};

	array_each(const struct known_worker, w, p->workers, p->worker_count) {
		const struct observe_task *t = observed_task(p->seen, w->tid);

		if (!t || !w->is_normal || w->is_restless || w->is_limited ||
		    !shares_is_busy(p, t) || (group && !str_eq(w->group, group)))
			continue;
		sum.runs += t->runs;
		sum.run_ns += t->run_ns;
		if (!sum.shortest || mean_run_ns(t) < mean_run_ns(sum.shortest))
			sum.shortest = t;
	}
	return sum;
}

/* Number of wakeups: each of them may preempt a task. */
static uint64_t all_wakeups(const struct judged_phase *p)
{
	uint64_t count = p->seen->forgotten.wakeups;

	vec_each(const struct observe_task, t, &p->seen->tasks)
		count += t->wakeups;
	return count;
}

/* Returns false if it found a failure. */
static bool judge(const struct judged_phase *p, const char *group, double limit,
		  struct ktstr_result *res)
{
	const struct turns turns = add_up(p, group);
	uint64_t wakeups = all_wakeups(p);
	_str_ struct str name = {};
	double rate;

	if (turns.run_ns < LEAST_RUN_NS || turns.runs <= wakeups)
		return true;
	rate = (double)(turns.runs - wakeups) / ((double)turns.run_ns / 1e9);
	if (rate <= limit)
		return true;
	phase_add_name(p, turns.shortest, &name);
	res->failed_alloc |= name.failed;
	result_add(
		res, DETAIL_SWITCH_STORM, KTSTR_FAILED,
		"%.0f switches per second of CPU time of tasks%s%s that are always busy, without a "
		"wakeup that explains them; %s ran %llu times for %.0fus on average "
		"(threshold %.0f)",
		rate, group ? " of " : "", group ? group : "", str_get(&name),
		ULL(turns.shortest->runs), mean_run_ns(turns.shortest) / 1e3, limit);
	return false;
}

void check_switches(const struct judged_phase *p, const struct ktstr_assert *checks,
		    struct ktstr_result *res)
{
	double limit;

	if (!limit_of(checks->max_switches_per_s, &limit) || !judge(p, NULL, limit, res))
		return;
	array_each(const struct known_worker, w, p->workers, p->worker_count)
		if (phase_is_first_of_group(p, w) && !judge(p, w->group, limit, res))
			return;
}

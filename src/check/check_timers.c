// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timers of TimerLatency workers. If more tasks are runnable than there are CPUs, a woken
 * task waits for the slices of others. So the default limit grows with the load: that of
 * the whole machine, or that of the CPU on which a worker waited longest, in units of the
 * worker's own weight.
 */
#include "check/parts.h"
#include "check/phase.h"

/*
 * Average number of runnable tasks on the CPU of the task's longest wait, in units of its
 * weight.
 */
static double crowd_at(const struct observed *seen, const struct observe_task *t)
{
	double ns = (double)observed_ns(seen), sum = 0;

	for (size_t i = 0; i < seen->tasks.count; i++) {
		const struct observe_task *other = &seen->tasks.items[i];
		double wanted_ns = (double)other->run_ns + (double)other->wait_ns;

		if (other->cpu == t->worst.cpu && ns > 0)
			sum += MIN(wanted_ns / ns, 1.0) * phase_weight(other);
	}
	return sum / phase_weight(t);
}

/* What the scheduling events say about all workers of the cgroup. */
struct timer_load {
	double limit;	 /* the default limit, scaled by the load, in ns */
	double rt_ns;	 /* how long real-time tasks had the CPU in the longest wait of a worker */
	const char *why; /* reason not to judge; NULL = judge */
};

static struct timer_load load_of(const struct judging *j)
{
	struct timer_load l = {};
	double load = 1;

	l.why = j->cgroup->was_frozen ? "the test froze or stopped its workers" : NULL;
	for (size_t i = 0; i < j->cgroup->seen_count; i++) {
		const struct observed *seen = &j->cgroup->seen[i];

		load = MAX(load, observed_load(seen));
		for (size_t k = 0; k < j->cgroup->count; k++) {
			const struct worker_report *w = judged_worker(j, k);
			const struct observe_task *t = w ? observed_task(seen, w->tid) : NULL;

			if (!t)
				continue;
			load = MAX(load, crowd_at(seen, t));
			l.rt_ns = MAX(l.rt_ns, (double)t->worst.rt_ns);
			l.why = l.why ? l.why : phase_excuse(t);
		}
	}
	l.limit = (double)assert_defaults.max_p99_timer_lateness_ns * load;
	return l;
}

static void add_late(struct judging *j, unsigned long long p99, double limit)
{
	result_add(j->res, DETAIL_TIMER, KTSTR_FAILED,
		   "timer lateness p99 %lluns of %s exceeds limit %.0fns (%llu samples)", p99,
		   j->cgroup->name, limit, ULL(j->stats->timers.count));
	result_set_time(j->res, p99);
}

void check_timer_p99(struct judging *j)
{
	const struct histogram *timers = &j->stats->timers;
	double raw = (double)j->checks->max_p99_timer_lateness_ns, limit;
	bool is_default = raw == (double)assert_defaults.max_p99_timer_lateness_ns;
	struct timer_load l = {};
	unsigned long long p99;

	if (!timers->count || !limit_of(raw, &limit) || (is_default && !j->cgroup->seen_count))
		return;
	gate_measure(j->res, GATE_TIMER_LATENESS);
	p99 = histogram_percentile(timers, 0.99);
	if (is_default) {
		l = load_of(j);
		limit = l.limit;
	}
	if ((double)p99 <= limit)
		return;
	if (!l.why && (double)p99 <= limit + l.rt_ns)
		l.why = "real-time tasks had its CPU";
	if (l.why)
		result_add(j->res, DETAIL_NOTE, KTSTR_SKIPPED,
			   "timer lateness of %s not judged: %s", j->cgroup->name, l.why);
	else
		add_late(j, p99, limit);
}

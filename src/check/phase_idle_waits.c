// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work conservation from the view of a task: it waits while a CPU is idle that may run it.
 * A single such wait is a failure if it is long. Repeated ones are a failure if they make
 * up a good part of the time that the task wanted to run. That time may be short, so that
 * no CPU is idle for a large part of the phase because of it.
 */
#include <sched.h>

#include "check/phase.h"

/* Fewer waits than this may be chance. */
#define LEAST_WAITS 8
#define LEAST_NS UINT64_C(50000000)

/* Only workers and kernel threads: whether other tasks have a quota is unknown. */
static bool is_judged(const struct judged_phase *p, const struct observe_task *t)
{
	return t->idle.ns && (phase_worker(p, t->pid) || t->is_kernel) &&
	       !(t->mark & OBSERVE_LIMITED) && t->policy != SCHED_IDLE && t->idle.cpu >= 0 &&
	       worker_cpus_have(p->cpus, (unsigned int)t->idle.cpu);
}

/* Percentage of the time that the task wanted to run. */
static double waited_pct(const struct observe_task *t)
{
	double wanted = (double)t->run_ns + (double)t->wait_ns;

	return wanted > 0 ? (double)t->idle_wait_ns / wanted * 100 : 0;
}

static bool waits_often(const struct judged_phase *p, const struct observe_task *t)
{
	return phase_worker(p, t->pid) && t->idle_waits >= LEAST_WAITS &&
	       t->idle_wait_ns >= LEAST_NS;
}

/* The worst task above the limit, and how many there are. */
struct waiters {
	const struct observe_task *worst;
	double worst_value, limit;
	unsigned int count;
};

static void add_waiter(struct waiters *w, const struct observe_task *t, double value)
{
	if (value <= w->limit)
		return;
	w->count++;
	if (value > w->worst_value) {
		w->worst_value = value;
		w->worst = t;
	}
}

static void add_end(const struct waiters *w, const char *unit, uint64_t ns, struct str *text,
		    struct ktstr_result *res)
{
	if (w->count > 1)
		str_addf(text, "; and %u more task%s", w->count - 1, w->count == 2 ? "" : "s");
	str_addf(text, " (threshold %.0f%s)", w->limit, unit);
	res->failed_alloc |= text->failed;
	result_add(res, DETAIL_WORK_CONSERVATION, KTSTR_FAILED, "%s", str_get(text));
	result_set_time(res, ns);
}

static void add_long(const struct judged_phase *p, const struct waiters *w,
		     struct ktstr_result *res)
{
	const struct observe_idle_wait *idle = &w->worst->idle;
	_str_ struct str text = {};

	str_addf(&text, "cpu%d was idle for %llums of %llums until +%llums in which ", idle->cpu,
		 ULL(idle->ns) / 1000000, ULL(idle->wait_ns) / 1000000,
		 phase_at_ms(p, idle->since_ns + idle->wait_ns));
	phase_add_name(p, w->worst, &text);
	str_add(&text, " waited that may run there");
	add_end(w, "ms", idle->ns, &text, res);
}

static void add_often(const struct judged_phase *p, const struct waiters *w,
		      struct ktstr_result *res)
{
	const struct observe_task *t = w->worst;
	_str_ struct str text = {};

	phase_add_name(p, t, &text);
	str_addf(&text,
		 " waited %llu times beside a CPU that idled and may run it, %llums in all, %.0f%% "
		 "of the time that it wanted to run; %llums at worst beside cpu%d at +%llums",
		 ULL(t->idle_waits), ULL(t->idle_wait_ns) / 1000000, w->worst_value,
		 ULL(t->idle.ns) / 1000000, t->idle.cpu,
		 phase_at_ms(p, t->idle.since_ns + t->idle.wait_ns));
	add_end(w, "%", t->idle_wait_ns, &text, res);
}

void check_idle_waits(const struct judged_phase *p, const struct ktstr_assert *checks,
		      struct ktstr_result *res)
{
	struct waiters longs = {}, often = {};
	bool has_ms = limit_of((double)checks->max_idle_wait_ms, &longs.limit);
	bool has_pct = limit_of(checks->max_idle_wait_pct, &often.limit);

	vec_each(const struct observe_task, t, &p->seen->tasks) {
		if (!is_judged(p, t))
			continue;
		if (has_ms)
			add_waiter(&longs, t, (double)t->idle.ns / 1e6);
		if (has_pct && waits_often(p, t))
			add_waiter(&often, t, waited_pct(t));
	}
	if (longs.count)
		add_long(p, &longs, res);
	if (often.count)
		add_often(p, &often, res);
}

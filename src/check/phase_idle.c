// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work conservation: no CPU is idle for a large part of a phase while a task waits that may
 * run there. Short waits are normal on the way from a wakeup to an idle CPU, so the long
 * waits of all tasks that may run there must add up to at least half of that time.
 */
#include <math.h>

#include "check/phase.h"

/*
 * Part of the limit for all CPUs that each CPU may reach: balancing leaves some CPUs idle,
 * not all.
 */
#define EACH 0.5
/* Shorter idle times may be due to load balancing that is still under way. */
#define LEAST_NS UINT64_C(100000000)

/* True if t is the better example of a waiting task: workers first, then longer waits. */
static bool tells_more(const struct judged_phase *p, const struct observe_task *t,
		       const struct observe_task *than)
{
	bool is_worker = phase_worker(p, t->pid) && t->long_wait_ns > 0;
	bool was_worker = than && phase_worker(p, than->pid) && than->long_wait_ns > 0;

	if (!than || is_worker != was_worker)
		return !than || is_worker;
	return t->long_wait_ns > than->long_wait_ns;
}

/* Sum of the long waits of tasks that may run on the CPU, in ns; *worst: the task to report. */
static uint64_t waited_for(const struct judged_phase *p, unsigned int cpu,
			   const struct observe_task **worst)
{
	uint64_t ns = 0;

	*worst = NULL;
	vec_each(const struct observe_task, t, &p->seen->tasks) {
		if (t->mark & OBSERVE_LIMITED || !phase_may_run(p, t, cpu))
			continue;
		ns += t->long_wait_ns;
		if (tells_more(p, t, *worst))
			*worst = t;
	}
	return ns;
}

/* True if the CPU was online during the whole phase or since it came back. */
static bool is_there(const struct judged_phase *p, unsigned int cpu)
{
	return worker_cpus_have(p->cpus, cpu) ||
	       (p->returned && worker_cpus_have(p->returned, cpu));
}

static double there_ns(const struct observe_cpu *c)
{
	return (double)(c->busy_ns + c->idle_ns);
}

static bool is_wasted(const struct judged_phase *p, unsigned int cpu)
{
	const struct observe_cpu *c = &p->seen->cpus.items[cpu];
	const struct observe_task *worst;

	return is_there(p, cpu) && c->wanted_ns >= LEAST_NS &&
	       waited_for(p, cpu, &worst) >= c->wanted_ns / 2;
}

/*
 * True if only pinned tasks ever ran on the CPU, and it was idle most of the time. A CPU
 * that its pinned tasks keep busy is rightly left alone, and is idle only between them.
 */
static bool is_dead(const struct observe_cpu *c)
{
	return c->busy_ns <= c->pinned_ns && c->idle_ns > c->busy_ns;
}

static void add_waiter(const struct judged_phase *p, unsigned int cpu, struct str *out)
{
	const struct observe_task *t;

	waited_for(p, cpu, &t);
	if (!t)
		return;
	str_add(out, "; ");
	phase_add_name(p, t, out);
	str_addf(out, " waited %llums in all, %llums at worst on cpu%d at +%llums",
		 ULL(t->wait_ns) / 1000000, ULL(t->worst.ns) / 1000000, t->worst.cpu,
		 phase_at_ms(p, t->worst.since_ns + t->worst.ns));
}

static void add_dead(const struct judged_phase *p, unsigned int cpu, struct ktstr_result *res)
{
	_str_ struct str text = {};

	str_addf(&text,
		 "cpu%u never ran a task that may run elsewhere, for %.0fms, while tasks waited",
		 cpu, there_ns(&p->seen->cpus.items[cpu]) / 1e6);
	add_waiter(p, cpu, &text);
	res->failed_alloc |= text.failed;
	result_add(res, DETAIL_DEAD_CPU, KTSTR_FAILED, "%s", str_get(&text));
	result_set_time(res, p->seen->cpus.items[cpu].wanted_ns);
}

/* all_pct: part of the time of all CPUs, if that is what exceeds the limit; else 0. */
static void add_wasted(const struct judged_phase *p, unsigned int cpu, unsigned int more,
		       double limit, double all_pct, struct ktstr_result *res)
{
	const struct observe_cpu *c = &p->seen->cpus.items[cpu];
	_str_ struct str text = {};

	str_addf(&text, "cpu%u was idle for %llums of %.0fms while tasks waited that may run there",
		 cpu, ULL(c->wanted_ns) / 1000000, there_ns(c) / 1e6);
	add_waiter(p, cpu, &text);
	if (more)
		str_addf(&text, "; and %u more CPU%s", more, more == 1 ? "" : "s");
	if (all_pct > 0)
		str_addf(&text, "; %.0f%% of the time of all CPUs", all_pct);
	str_addf(&text, " (threshold %.0f%%)", limit);
	res->failed_alloc |= text.failed;
	result_add(res, DETAIL_WORK_CONSERVATION, KTSTR_FAILED, "%s", str_get(&text));
	result_set_time(res, c->wanted_ns);
}

/* CPUs that were idle for a good part of the phase while tasks waited. */
struct wasted_cpus {
	double sum_ns, worst_part;
	unsigned int worst, count; /* count: CPUs that were idle at all while tasks waited */
	unsigned int above;	   /* CPUs above the limit */
};

static void add_cpu(const struct judged_phase *p, struct wasted_cpus *w, unsigned int cpu,
		    double limit)
{
	const struct observe_cpu *c = &p->seen->cpus.items[cpu];
	double part = (double)c->wanted_ns / there_ns(c) * 100;

	w->count++;
	w->above += part > limit;
	w->sum_ns += (double)c->wanted_ns;
	if (part > w->worst_part) {
		w->worst_part = part;
		w->worst = cpu;
	}
}

/* Idle percentage of the CPU that was idle least while tasks waited; 0 = one CPU was not. */
static double least_part(const struct judged_phase *p)
{
	double least = 100;

	for (unsigned int cpu = 0; cpu < p->seen->cpus.count; cpu++) {
		const struct observe_cpu *c = &p->seen->cpus.items[cpu];

		if (!worker_cpus_have(p->cpus, cpu))
			continue;
		if (!is_wasted(p, cpu))
			return 0;
		least = MIN(least, (double)c->wanted_ns / there_ns(c) * 100);
	}
	return least;
}

static bool judge_wasted(const struct judged_phase *p, const struct wasted_cpus *w, double limit,
			 const struct ktstr_assert *checks, struct ktstr_result *res)
{
	double all_limit;
	double all_ns = (double)observed_ns(p->seen) * MAX(phase_cpu_count(p), 1U);
	double all = w->sum_ns / all_ns * 100;

	if (w->above)
		add_wasted(p, w->worst, w->above - 1, limit, 0, res);
	else if (limit_of(checks->max_all_idle_wait_pct, &all_limit) && w->count &&
		 (all > all_limit || least_part(p) > EACH * all_limit))
		add_wasted(p, w->worst, w->count - 1,
			   all > all_limit ? all_limit : EACH * all_limit, all, res);
	else
		return false;
	return true;
}

/*
 * The CPU with the longest uninterrupted idle time while tasks waited; -1 = none above the
 * limit.
 */
static int longest_idle(const struct judged_phase *p, double limit_ms)
{
	double most = limit_ms * 1e6;
	int longest = -1;

	for (unsigned int cpu = 0; cpu < p->seen->cpus.count; cpu++) {
		const struct observe_cpu *c = &p->seen->cpus.items[cpu];

		if (!worker_cpus_have(p->cpus, cpu) || (double)c->idle.ns <= most ||
		    !is_wasted(p, cpu))
			continue;
		most = (double)c->idle.ns;
		longest = (int)cpu;
	}
	return longest;
}

/* Catches many waits, one after the other, beside the same idle CPU, none of which is long. */
static bool judge_stretch(const struct judged_phase *p, const struct ktstr_assert *checks,
			  struct ktstr_result *res)
{
	_str_ struct str text = {};
	const struct observe_wait *idle;
	double limit;
	int cpu = limit_of((double)checks->max_idle_wait_ms, &limit) ? longest_idle(p, limit) : -1;

	if (cpu < 0)
		return false;
	idle = &p->seen->cpus.items[cpu].idle;
	str_addf(
		&text,
		"cpu%d was idle for %llums until +%llums while there was always a task that waited "
		"and may run there",
		cpu, ULL(idle->ns) / 1000000, phase_at_ms(p, idle->since_ns + idle->ns));
	add_waiter(p, (unsigned int)cpu, &text);
	str_addf(&text, " (threshold %.0fms)", limit);
	res->failed_alloc |= text.failed;
	result_add(res, DETAIL_WORK_CONSERVATION, KTSTR_FAILED, "%s", str_get(&text));
	result_set_time(res, idle->ns);
	return true;
}

bool check_idle(const struct judged_phase *p, const struct ktstr_assert *checks,
		struct ktstr_result *res)
{
	double limit;
	bool is_wasteful;
	struct wasted_cpus w = {};
	unsigned int dead = 0;

	if (!limit_of(checks->max_idle_wait_pct, &limit))
		limit = INFINITY;
	for (unsigned int cpu = 0; cpu < p->seen->cpus.count; cpu++) {
		if (!is_wasted(p, cpu))
			continue;
		if (checks->no_dead_cpus == KTSTR_ON && is_dead(&p->seen->cpus.items[cpu])) {
			add_dead(p, cpu, res);
			dead++;
		} else {
			add_cpu(p, &w, cpu, limit);
		}
	}
	is_wasteful = judge_wasted(p, &w, limit, checks, res);
	return is_wasteful || dead || judge_stretch(p, checks, res);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Helpers shared by the checks of a phase: names, times, CPUs, weights. */
#include "check/phase.h"

#include <math.h>
#include <sched.h>

#define NICE_0_WEIGHT 1024.0
#define NICE_STEP 1.25 /* one nice level changes the weight by 25 % */
#define IDLE_WEIGHT 3.0

const struct known_worker *phase_worker(const struct judged_phase *p, uint32_t tid)
{
	for (size_t i = 0; i < p->worker_count; i++)
		if ((uint32_t)p->workers[i].tid == tid)
			return &p->workers[i];
	return NULL;
}

bool phase_is_first_of_group(const struct judged_phase *p, const struct known_worker *w)
{
	array_each(const struct known_worker, before, p->workers, (size_t)(w - p->workers))
		if (str_eq(before->group, w->group))
			return false;
	return true;
}

void phase_add_name(const struct judged_phase *p, const struct observe_task *t, struct str *out)
{
	const struct known_worker *w = phase_worker(p, t->pid);
	const struct known_worker *process = t->tgid ? phase_worker(p, t->tgid) : NULL;

	if (w)
		str_addf(out, "%s/%u (tid %d)", w->group, w->index, (int)w->tid);
	else if (process)
		str_addf(out, "%s/%u (thread %u)", process->group, process->index, t->pid);
	else
		str_addf(out, "%.*s (%s %u)", OBSERVE_COMM, t->comm,
			 t->is_kernel ? "kernel thread" : "pid", t->pid);
}

unsigned long long phase_at_ms(const struct judged_phase *p, uint64_t ns)
{
	return ns > p->start_ns ? (ns - p->start_ns) / 1000000 : 0;
}

bool phase_may_run(const struct judged_phase *p, const struct observe_task *t, unsigned int cpu)
{
	const struct observe_set *s;

	if (t->allowed_cpus == 1)
		return t->cpu == (int)cpu;
	if (!t->last_set || t->last_set > p->seen->sets.count || cpu >= OBSERVE_MAX_CPUS)
		return false;
	s = &p->seen->sets.items[t->last_set - 1];
	return s->cpus[cpu / 64] >> cpu % 64 & 1;
}

double phase_weight(const struct observe_task *t)
{
	if (t->policy == SCHED_IDLE)
		return IDLE_WEIGHT;
	return NICE_0_WEIGHT * pow(NICE_STEP, NICE_0_PRIO - t->static_prio);
}

bool phase_weigh_alike(const struct observe_task *a, const struct observe_task *b)
{
	return a->static_prio == b->static_prio &&
	       (a->policy == SCHED_IDLE) == (b->policy == SCHED_IDLE);
}

const char *phase_excuse(const struct observe_task *t)
{
	if (t->mark & OBSERVE_LIMITED)
		return "its CPU time is limited by cpu.max";
	if (t->policy == SCHED_IDLE)
		return "SCHED_IDLE runs when nobody else does";
	return NULL;
}

uint64_t phase_own_wait_ns(const struct observe_wait *w, uint64_t time_to_move_ns)
{
	uint64_t elsewhere_ns = w->rt_ns - w->all_rt_ns;

	return w->ns - w->all_rt_ns - MIN(elsewhere_ns, time_to_move_ns);
}

double phase_demand(const struct judged_phase *p, const struct observe_task *t)
{
	double ns = (double)observed_ns(p->seen);
	double wanted = (double)t->run_ns + (double)t->wait_ns;

	return ns > 0 ? MIN(wanted / ns, 1.0) : 0;
}

unsigned int phase_cpu_count(const struct judged_phase *p)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < WORKER_MAX_CPUS; i++)
		count += worker_cpus_have(p->cpus, i);
	return count;
}

void check_phase(const struct judged_phase *p, const struct ktstr_assert *checks,
		 struct ktstr_result *res)
{
	if (!p->seen->is_known)
		return;
	check_waits(p, checks, false, res);
	/*
	 * check_idle() has found an idle CPU: tasks that waited beside it are part of that
	 * finding.
	 */
	if (!check_idle(p, checks, res))
		check_idle_waits(p, checks, res);
	check_shares(p, checks, res);
	check_waits(p, checks, true, res);
	check_pinned(p, checks, res);
	check_sleepers(p, checks, res);
	check_wakeups(p, checks, res);
	check_turns(p, checks, res);
	check_migration_rate(p, checks, res);
	check_switches(p, checks, res);
	check_scheduler_time(p, checks, res);
}

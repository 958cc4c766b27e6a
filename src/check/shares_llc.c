// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shares by LLC. On single CPUs, running whole tasks makes large differences: one worker
 * may have a CPU for itself and another a third of one. Over an LLC these even out. How
 * many workers run in an LLC is the scheduler's decision; balancing may leave one more or
 * one less than its part.
 */
#include "check/parts.h"

#include <math.h>

#define ALMOST 0.1 /* of a task: nothing is exact */

static unsigned int cpus_of(const struct judged_phase *p, const struct contest *c,
			    const struct topology_llc *llc)
{
	unsigned int count = 0;

	for (size_t i = 0; i < llc->cpu_count; i++)
		count += worker_cpus_have(p->cpus, llc->cpus[i]) &&
			 phase_may_run(p, c->rivals[0]->task, llc->cpus[i]);
	return count;
}

static bool has_cpu(const struct topology_llc *llc, int cpu)
{
	for (size_t i = 0; i < llc->cpu_count; i++)
		if ((int)llc->cpus[i] == cpu)
			return true;
	return false;
}

unsigned int shares_llc_cpus(const struct judged_phase *p, const struct observe_task *t)
{
	unsigned int count = 0;

	for (size_t i = 0; p->topology && i < p->topology->llc_count; i++) {
		const struct topology_llc *llc = &p->topology->llcs[i];

		for (size_t k = 0; has_cpu(llc, t->cpu) && k < llc->cpu_count; k++)
			count += phase_may_run(p, t, llc->cpus[k]);
	}
	return count;
}

/*
 * Counts rivals by the LLC where they ran last: if workers stay in their LLC, these are all
 * of it.
 */
static void add_up(const struct contest *c, const struct topology_llc *llc, struct llc_share *s)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct rival *r = c->rivals[i];

		if (!has_cpu(llc, r->task->cpu))
			continue;
		s->least = !s->least || r->task->run_ns < s->least->task->run_ns ? r : s->least;
		s->most = !s->most || r->task->run_ns > s->most->task->run_ns ? r : s->most;
		s->count++;
		s->run_ns += (double)r->task->run_ns;
		s->share_ns += shares_due(c, r);
	}
}

/* Balancing between nodes is slower, so two less than its part are allowed. */
static void set_allowance(const struct contest *c, struct llc_share *s, unsigned int cpus,
			  unsigned int all_cpus, unsigned int levels)
{
	double part = (double)c->count * cpus / all_cpus,
	       due = MIN(1, (double)all_cpus / (double)c->count);
	double most = ceil(part - ALMOST) + 1, least = MAX(floor(part + ALMOST) - levels, 1);

	s->less = MAX(0, 1 - MIN(1, cpus / most) / due);
	s->more = MAX(0, MIN(1, cpus / least) / due - 1);
}

double llc_share_error(const struct llc_share *s)
{
	return s->share_ns > 0 ? s->run_ns / s->share_ns - 1 : 0;
}

bool shares_by_llc(const struct judged_phase *p, const struct contest *c, struct llc_share *low,
		   struct llc_share *high)
{
	unsigned int levels = shares_coarse_levels(p, c->rivals[0]->task), all_cpus = 0;

	*low = *high = (struct llc_share){};
	if (!levels || c->rivals[0]->cpu >= 0)
		return false;
	for (size_t i = 0; i < p->topology->llc_count; i++)
		all_cpus += cpus_of(p, c, &p->topology->llcs[i]);
	for (size_t i = 0; all_cpus && i < p->topology->llc_count; i++) {
		const struct topology_llc *llc = &p->topology->llcs[i];
		struct llc_share s = { .first_cpu = llc->cpus[0] };

		add_up(c, llc, &s);
		if (!s.count)
			continue;
		set_allowance(c, &s, cpus_of(p, c, llc), all_cpus, levels);
		if (!low->count || llc_share_error(&s) + s.less < llc_share_error(low) + low->less)
			*low = s;
		if (!high->count ||
		    llc_share_error(&s) - s.more > llc_share_error(high) - high->more)
			*high = s;
	}
	return low->count && high->count && low->first_cpu != high->first_cpu;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happened when: the phases between the events of the steps, with the
 * throughput that the events themselves carry.
 */
#include <math.h>

#include "run/judge.h"

/* A change of throughput of this much, relative to the phase before, is told. */
#define NOTABLE_CHANGE 0.3

static uint64_t end_of(const struct ktstr_result *r, size_t i)
{
	uint64_t last = r->stimuli.items[r->stimuli.count - 1].elapsed_ms;

	if (i + 1 < r->stimuli.count)
		return r->stimuli.items[i + 1].elapsed_ms;
	for (size_t k = 0; k < r->phases.count; k++)
		if (r->phases.items[k].end_ms > last)
			last = r->phases.items[k].end_ms;
	return last;
}

/* Iterations per second from event i to the next; 0 = not known. */
static double throughput_of(const struct ktstr_result *r, size_t i)
{
	const struct stimulus *a = &r->stimuli.items[i], *b = a + 1;

	if (i + 1 >= r->stimuli.count || b->elapsed_ms <= a->elapsed_ms ||
	    b->total_iterations <= a->total_iterations)
		return 0;
	return (double)(b->total_iterations - a->total_iterations) * 1000 /
	       (b->elapsed_ms - a->elapsed_ms);
}

/* Without a figure in any phase there is nothing to compare. */
static bool has_figures(const struct ktstr_result *r)
{
	for (size_t i = 0; i < r->stimuli.count; i++)
		if (throughput_of(r, i) > 0)
			return true;
	return false;
}

static void add_header(const struct variant *v, const struct ktstr_result *r,
		       const struct timeline_facts *facts, struct str *out)
{
	str_add(out, "\n--- timeline ---\n");
	if (facts->kernel)
		str_addf(out, "kernel: %s  ", facts->kernel);
	str_addf(out, "topology: %s (%u cpus)  ", topology_text(&v->topology),
		 vm_topology_cpus(&v->topology));
	if (facts->scheduler)
		str_addf(out, "scheduler: %s  ", facts->scheduler);
	str_addf(out, "scenario: %s  duration: %.1fs\n", v->test->name,
		 (double)end_of(r, r->stimuli.count - 1) / 1000);
}

static void add_change(struct str *out, double before, double now)
{
	double change = before > 0 && now > 0 ? (now - before) / before : 0;

	if (fabs(change) > NOTABLE_CHANGE)
		str_addf(out, "  >>> %s: throughput %+.1f\n",
			 change < 0 ? "DEGRADATION" : "IMPROVEMENT", now - before);
}

static void add_phase(const struct ktstr_result *r, size_t i, struct str *out)
{
	const struct stimulus *s = &r->stimuli.items[i];
	double throughput = throughput_of(r, i);
	uint64_t end = end_of(r, i);

	str_addf(out, "\nPhase %zu: StepStart[%u] ops=%u (%llums, 0 samples):\n", i + 1, s->step,
		 s->op_count, (unsigned long long)(end > s->elapsed_ms ? end - s->elapsed_ms : 0));
	if (throughput > 0)
		str_addf(out, "  throughput: %.0f iter/s (stimulus-derived)\n", throughput);
	else
		str_add(out, "  [no samples]\n");
	str_addf(out, "  >>> StepStart[%u]: ops=%u (%u cgroups, %u workers)\n", s->step,
		 s->op_count, s->cgroup_count, s->worker_count);
	if (i > 0)
		add_change(out, throughput_of(r, i - 1), throughput);
}

void timeline_add(const struct variant *v, const struct ktstr_result *r,
		  const struct timeline_facts *facts, struct str *out)
{
	if (!has_figures(r))
		return;
	add_header(v, r, facts, out);
	str_addf(out, "\nBASELINE (settle, %ums, 0 samples):\n  [no samples]\n",
		 r->stimuli.items[0].elapsed_ms);
	for (size_t i = 0; i < r->stimuli.count; i++)
		add_phase(r, i, out);
}

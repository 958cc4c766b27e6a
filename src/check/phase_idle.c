// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work conservation: no CPU idles for a large part of a phase while somebody waits who
 * may run there. Short waits are the way of a wakeup to an idle CPU; so the tasks that
 * may run there must have waited long for at least half of that time, all together.
 */
#include "check/assert.h"
#include "check/phase.h"

/* Less than this is load balancing under way. */
#define LEAST_NS UINT64_C(100000000)

/* A worker is better known than others. */
static bool tells_more(const struct judged_phase *p, const struct observe_task *t,
		       const struct observe_task *than)
{
	bool is_worker = phase_worker(p, t->pid) && t->long_wait_ns > 0;
	bool was_worker = than && phase_worker(p, than->pid) && than->long_wait_ns > 0;

	if (!than || is_worker != was_worker)
		return !than || is_worker;
	return t->long_wait_ns > than->long_wait_ns;
}

/* Long waits of tasks that may run there, and who waited most. */
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

static bool is_wasted(const struct judged_phase *p, unsigned int cpu)
{
	const struct observe_cpu *c = &p->seen->cpus.items[cpu];
	const struct observe_task *worst;

	return worker_cpus_have(p->cpus, cpu) && c->wanted_ns >= LEAST_NS &&
	       waited_for(p, cpu, &worst) >= c->wanted_ns / 2;
}

/* Nobody who could have run elsewhere ever ran there. */
static bool is_dead(const struct observe_cpu *c)
{
	return c->busy_ns <= c->pinned_ns;
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
		 "cpu%u never ran a task that may run elsewhere, for %llums, while tasks waited",
		 cpu, ULL(observed_ns(p->seen)) / 1000000);
	add_waiter(p, cpu, &text);
	res->failed_alloc |= text.failed;
	result_add(res, DETAIL_DEAD_CPU, KTSTR_FAILED, "%s", str_get(&text));
	result_set_time(res, p->seen->cpus.items[cpu].wanted_ns);
}

static void add_wasted(const struct judged_phase *p, unsigned int cpu, unsigned int more,
		       double limit, struct ktstr_result *res)
{
	const struct observe_cpu *c = &p->seen->cpus.items[cpu];
	_str_ struct str text = {};

	str_addf(&text, "cpu%u was idle for %llums of %llums while tasks waited that may run there",
		 cpu, ULL(c->wanted_ns) / 1000000, ULL(observed_ns(p->seen)) / 1000000);
	add_waiter(p, cpu, &text);
	if (more)
		str_addf(&text, "; and %u more CPU%s", more, more == 1 ? "" : "s");
	str_addf(&text, " (threshold %.0f%%)", limit);
	res->failed_alloc |= text.failed;
	result_add(res, DETAIL_WORK_CONSERVATION, KTSTR_FAILED, "%s", str_get(&text));
	result_set_time(res, c->wanted_ns);
}

bool check_idle(const struct judged_phase *p, const struct ktstr_assert *checks,
		struct ktstr_result *res)
{
	double limit, part, worst_part = 0, length = (double)observed_ns(p->seen);
	bool has_limit = limit_of(checks->max_idle_wait_pct, &limit);
	unsigned int worst = 0, wasted = 0, dead = 0;

	for (unsigned int cpu = 0; cpu < p->seen->cpus.count; cpu++) {
		const struct observe_cpu *c = &p->seen->cpus.items[cpu];

		if (!is_wasted(p, cpu))
			continue;
		part = (double)c->wanted_ns / length * 100;
		if (checks->no_dead_cpus == KTSTR_ON && is_dead(c)) {
			add_dead(p, cpu, res);
			dead++;
			continue;
		}
		if (!has_limit || part <= limit)
			continue;
		wasted++;
		if (part > worst_part) {
			worst_part = part;
			worst = cpu;
		}
	}
	if (wasted)
		add_wasted(p, worst, wasted - 1, limit, res);
	return wasted || dead;
}

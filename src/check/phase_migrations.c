// SPDX-License-Identifier: GPL-2.0-only
/*
 * A storm of migrations. A wakeup may end on another CPU, unless that on which the task ran
 * before is idle. A scheduler that decides in two steps, first for all on a central CPU, moves a
 * woken task twice. Who is preempted by a woken task may go elsewhere. All other migrations are
 * the scheduler's own.
 */
#include "check/assert.h"
#include "check/phase.h"

static uint64_t needless(const struct observe_task *t)
{
	return MIN(t->needless, MIN(t->wakeups, t->migrations));
}

/* Beyond those on its way out of sleep. */
static uint64_t surplus(const struct observe_task *t)
{
	return t->migrations - MIN(t->migrations, t->wakeups + t->handed_on);
}

static uint64_t unexplained(const struct observe_task *t)
{
	return needless(t) + surplus(t);
}

/* Workers that change their own CPUs, or yield all the time, migrate by themselves. */
static bool is_restless(const struct judged_phase *p, const struct observe_task *t)
{
	const struct known_worker *w = phase_worker(p, t->pid);

	return w && w->is_restless;
}

void check_migration_rate(const struct judged_phase *p, const struct ktstr_assert *checks,
			  struct ktstr_result *res)
{
	double limit, seconds = (double)observed_ns(p->seen) / 1e9, rate;
	const struct observe_task *worst = NULL;
	unsigned int cpus = phase_cpu_count(p);
	_str_ struct str name = {};
	uint64_t needless_sum = 0, surplus_sum = 0, wakeups = 0;

	if (!limit_of(checks->max_migrations_per_s, &limit) || !cpus || seconds <= 0)
		return;
	vec_each(const struct observe_task, t, &p->seen->tasks) {
		if (is_restless(p, t))
			continue;
		needless_sum += needless(t);
		surplus_sum += surplus(t);
		wakeups += t->wakeups;
		if (!worst || unexplained(t) > unexplained(worst))
			worst = t;
	}
	surplus_sum -= MIN(surplus_sum, wakeups);
	rate = (double)(needless_sum + surplus_sum) / seconds / cpus;
	if (!worst || rate <= limit)
		return;
	phase_add_name(p, worst, &name);
	res->failed_alloc |= name.failed;
	result_add(
		res, DETAIL_MIGRATION_STORM, KTSTR_FAILED,
		"%.0f migrations/s per CPU that no wakeup explains, in %.1f s on %u CPUs; %s moved "
		"%llu times, was woken %llu times, and left an idle CPU %llu times "
		"(threshold %.0f)",
		rate, seconds, cpus, str_get(&name), ULL(worst->migrations), ULL(worst->wakeups),
		ULL(worst->needless), limit);
}

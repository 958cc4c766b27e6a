// SPDX-License-Identifier: GPL-2.0-only
/*
 * A storm of migrations. A wakeup may end on another CPU, unless that on which the task ran
 * before is idle. A scheduler that decides in two steps, first for all on a central CPU, moves a
 * woken task twice. Who is preempted by a woken task may go elsewhere. All other migrations are
 * the scheduler's own. They may serve to share CPUs: who waited in a queue runs where there is room.
 * Who had not waited and goes elsewhere has gained nothing.
 */
#include "check/assert.h"
#include "check/phase.h"

/* Less CPU time of all than this proves nothing. */
#define LEAST_RUN_NS UINT64_C(200000000)
/* With so many tasks waiting on average, short turns that go around serve all of them. */
#define WAITING 0.5

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

/* What all tasks did, but for those that migrate by themselves; and the worst of them. */
struct migrations {
	uint64_t needless, surplus, hasty, wakeups, run_ns, wait_ns;
	const struct observe_task *storming, *hastiest;
};

static struct migrations add_up(const struct judged_phase *p)
{
	struct migrations m = {};

	vec_each(const struct observe_task, t, &p->seen->tasks) {
		if (is_restless(p, t))
			continue;
		m.needless += needless(t);
		m.surplus += surplus(t);
		m.hasty += t->hasty;
		m.wakeups += t->wakeups;
		m.run_ns += t->run_ns;
		m.wait_ns += t->wait_ns;
		if (!m.storming || unexplained(t) > unexplained(m.storming))
			m.storming = t;
		if (!m.hastiest || t->hasty > m.hastiest->hasty)
			m.hastiest = t;
	}
	return m;
}

static bool judge_storm(const struct judged_phase *p, const struct migrations *m, double limit,
			struct ktstr_result *res)
{
	uint64_t count = m->needless + m->surplus - MIN(m->surplus, m->wakeups);
	double seconds = (double)observed_ns(p->seen) / 1e9, rate;
	unsigned int cpus = phase_cpu_count(p);
	const struct observe_task *t = m->storming;
	_str_ struct str name = {};

	if (!cpus || seconds <= 0 || !t)
		return false;
	rate = (double)count / seconds / cpus;
	if (rate <= limit)
		return false;
	phase_add_name(p, t, &name);
	res->failed_alloc |= name.failed;
	result_add(
		res, DETAIL_MIGRATION_STORM, KTSTR_FAILED,
		"%.0f migrations/s per CPU that no wakeup explains, in %.1f s on %u CPUs; %s moved "
		"%llu times, was woken %llu times, and left an idle CPU %llu times "
		"(threshold %.0f)",
		rate, seconds, cpus, str_get(&name), ULL(t->migrations), ULL(t->wakeups),
		ULL(t->needless), limit);
	return true;
}

static void judge_haste(const struct judged_phase *p, const struct migrations *m, double limit,
			struct ktstr_result *res)
{
	double seconds = (double)m->run_ns / 1e9, rate;
	_str_ struct str name = {};

	if (m->run_ns < LEAST_RUN_NS || m->hasty <= m->wakeups ||
	    (double)m->wait_ns > WAITING * (double)observed_ns(p->seen))
		return;
	rate = (double)(m->hasty - m->wakeups) / seconds;
	if (rate <= limit)
		return;
	phase_add_name(p, m->hastiest, &name);
	res->failed_alloc |= name.failed;
	result_add(res, DETAIL_MIGRATION_STORM, KTSTR_FAILED,
		   "%.0f migrations per second of CPU time of tasks that had not waited, nor been "
		   "woken; %s moved %llu times so in %.1f s of CPU time (threshold %.0f)",
		   rate, str_get(&name), ULL(m->hastiest->hasty), (double)m->hastiest->run_ns / 1e9,
		   limit);
}

void check_migration_rate(const struct judged_phase *p, const struct ktstr_assert *checks,
			  struct ktstr_result *res)
{
	const struct migrations m = add_up(p);
	double limit;

	if (limit_of(checks->max_migrations_per_s, &limit) && judge_storm(p, &m, limit, res))
		return;
	if (limit_of(checks->max_hasty_migrations_per_s, &limit))
		judge_haste(p, &m, limit, res);
}

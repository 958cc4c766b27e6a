// SPDX-License-Identifier: GPL-2.0-only
/*
 * Migration storms. A wakeup may move a task to another CPU, unless the CPU on which it ran
 * before is idle. A scheduler that decides in two steps, first on a central CPU for all,
 * moves a woken task twice. A task that is preempted by a woken task may move, too. All
 * other migrations are the scheduler's own decision. They may serve to share CPUs: a task
 * that waited in a queue runs where there is room. A task that moves without having waited
 * gains nothing. Nor does a task that is woken and leaves an idle CPU together with its
 * cache contents: that may have reasons now and then, but not most of the time.
 */
#include "check/parts.h"
#include "check/phase.h"

/* Less CPU time of all tasks than this proves nothing. */
#define LEAST_RUN_NS UINT64_C(200000000)
/* Fewer wakeups than this prove nothing. */
#define LEAST_WAKEUPS 100
/*
 * A task that leaves an idle CPU may take the CPU of another task, which then has to move,
 * too. Such migrations are no fault of their own. But if nearly all wakeups are needless or
 * follow from needless ones, the scheduler causes all of them: their sum has a limit that is
 * this many times higher.
 */
#define CHAIN 1.5
/* With so many tasks waiting on average, short turns on changing CPUs serve all of them. */
#define WAITING 0.5

static uint64_t needless(const struct observe_task *t)
{
	return MIN(t->needless, MIN(t->wakeups, t->migrations));
}

/* Needless migrations, and those of tasks whose CPU was taken by a needless one. */
static uint64_t in_chain(const struct observe_task *t)
{
	return MIN(t->needless + t->displaced, MIN(t->wakeups, t->migrations));
}

/* Migrations beyond those that wakeups and preemption by woken tasks explain. */
static uint64_t surplus(const struct observe_task *t)
{
	return t->migrations - MIN(t->migrations, t->wakeups + t->handed_on);
}

static uint64_t unexplained(const struct observe_task *t)
{
	return needless(t) + surplus(t);
}

/*
 * Workers that change their own CPU affinity, or yield all the time, cause migrations
 * themselves.
 */
static bool is_restless(const struct judged_phase *p, const struct observe_task *t)
{
	const struct known_worker *w = phase_worker(p, t->pid);

	return w && w->is_restless;
}

/* Sums over all tasks that are not restless, and the worst tasks. */
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

/* Wakeups of the workers of a group. */
struct wakeups {
	uint64_t all, needless, in_chain;
	size_t count;
	const struct observe_task *most;	  /* left an idle CPU most often */
	const struct observe_task *most_in_chain; /* or one that such a task had taken */
};

static struct wakeups wakeups_of(const struct judged_phase *p, const char *group)
{
	struct wakeups sum = {};

	array_each(const struct known_worker, w, p->workers, p->worker_count) {
		const struct observe_task *t = observed_task(p->seen, w->tid);

		if (!t || w->is_restless || t->allowed_cpus == 1 || !str_eq(w->group, group))
			continue;
		sum.all += t->wakeups;
		sum.needless += needless(t);
		sum.in_chain += in_chain(t);
		sum.count++;
		if (!sum.most || needless(t) > needless(sum.most))
			sum.most = t;
		if (!sum.most_in_chain || in_chain(t) > in_chain(sum.most_in_chain))
			sum.most_in_chain = t;
	}
	return sum;
}

static bool judge_chain(const struct judged_phase *p, const char *group, const struct wakeups *w,
			double limit, struct ktstr_result *res)
{
	_str_ struct str name = {};

	if ((double)w->in_chain * 100 <= CHAIN * limit * (double)w->all)
		return true;
	phase_add_name(p, w->most_in_chain, &name);
	res->failed_alloc |= name.failed;
	result_add(res, DETAIL_MIGRATION_STORM, KTSTR_FAILED,
		   "needless migrations: %zu worker%s of %s left an idle CPU, or one that such a "
		   "task had taken, in %llu of %llu wakeups; %s in %llu of %llu (threshold %.0f%%)",
		   w->count, w->count == 1 ? "" : "s", group, ULL(w->in_chain), ULL(w->all),
		   str_get(&name), ULL(in_chain(w->most_in_chain)), ULL(w->most_in_chain->wakeups),
		   CHAIN * limit);
	return false;
}

/* Returns false if it found a failure. */
static bool judge_wakeups(const struct judged_phase *p, const char *group, double limit,
			  struct ktstr_result *res)
{
	const struct wakeups w = wakeups_of(p, group);
	_str_ struct str name = {};

	if (w.all < LEAST_WAKEUPS)
		return true;
	gate_measure(res, GATE_NEEDLESS_WAKEUPS);
	if ((double)w.needless * 100 <= limit * (double)w.all)
		return judge_chain(p, group, &w, limit, res);
	phase_add_name(p, w.most, &name);
	res->failed_alloc |= name.failed;
	result_add(
		res, DETAIL_MIGRATION_STORM, KTSTR_FAILED,
		"needless migrations: %zu worker%s of %s left an idle CPU for another one in %llu "
		"of %llu wakeups; %s in %llu of %llu (threshold %.0f%%)",
		w.count, w.count == 1 ? "" : "s", group, ULL(w.needless), ULL(w.all),
		str_get(&name), ULL(needless(w.most)), ULL(w.most->wakeups), limit);
	return false;
}

/* Reports one group only: what is wrong there is wrong everywhere. */
static void judge_groups(const struct judged_phase *p, double limit, struct ktstr_result *res)
{
	array_each(const struct known_worker, w, p->workers, p->worker_count)
		if (phase_is_first_of_group(p, w) && !judge_wakeups(p, w->group, limit, res))
			return;
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
	if (limit_of(checks->max_needless_wakeup_pct, &limit))
		judge_groups(p, limit, res);
}

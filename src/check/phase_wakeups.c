// SPDX-License-Identifier: GPL-2.0-only
/*
 * Late wakeups: a task that sleeps at times does not wait longer for a CPU than always busy
 * tasks that compete for the same CPUs and have the same weight. A single queue for all
 * makes them wait alike, and most schedulers favour a woken task; the rest of a running
 * task's slice makes no difference. A task that has had its fair share already may have to
 * wait.
 *
 * Judged are, in this order:
 * - all workers of a cgroup and nice value together, and if these are in time, each of
 *   them: one that is always late is hidden in the mean of many;
 * - the workers of a group beside those of other groups that sleep at times as well: the
 *   kind of wakeup must not make a task wait longer;
 * - single wakeups of all workers: a few that take many times as long as any busy task ever
 *   waited are hidden in every mean;
 * - all tasks that were born in the phase and are not workers, such as children of workers,
 *   together or one alone;
 * - the kernel threads of a CPU, and each kernel thread that may run on several CPUs.
 */
#include <sched.h>

#include "check/parts.h"

/* A round of turns: this factor times the longest of a busy task, within these bounds in ns. */
#define ROUNDS 1.25
#define LEAST_NS 10e6
#define ENOUGH_NS 25e6
#define LEAST_WAITS 8
/*
 * Of the limit, if neither an always busy task nor another kind of sleeper waits longer
 * than that.
 */
#define BESIDE_BOTH (2.0 / 3)
/*
 * For turns of always busy tasks: fewer waits are enough, if they are long. OTHERS: least
 * number of equals to compare with.
 */
#define LEAST_TURN_NS 50e6
#define LEAST_TURNS 4
#define OTHERS 3
/* A task that had this part of a fair share may have to wait; lower beside other sleepers. */
#define FAIR 0.9
#define FAIR_FOR_KIND 0.5
/* Tasks born in the phase that had this part of the CPU time of all workers have had enough. */
#define FAIR_FOR_NEW 0.1
#define POLICY_EXT 7
/* Kernel threads of a CPU seldom wait, but another task depends on each of these waits. */
#define LEAST_KERNEL_NS 50e6
#define LEAST_KERNEL_WAITS 3
/* Single late wakeups: least number, and the first bucket of the histogram that counts (67 ms). */
#define LEAST_LATE_ONES 3
#define LEAST_LATE_BUCKET 26

struct wakeups_judging {
	double limit;
	struct ktstr_result *res;
};

static double mean_wait_ns(const struct equals *e)
{
	return e->waits ? e->wait_ns / (double)e->waits : 0;
}

/* If the test sets cgroup weights, only tasks of the same cgroup are comparable. */
static bool is_comparable(const struct contest *c, const struct rival *a, const struct rival *b)
{
	return !shares_have_cgroup_weight(c) || rivals_share_cgroup(a, b);
}

/* How many times as long a task may wait beside a heavier one. */
static double patience(const struct rival *of, const struct rival *beside)
{
	return MAX(1, beside->weight / of->weight);
}

static bool is_kind(const struct rival *a, const struct rival *b)
{
	return !a->is_busy && !b->is_busy && str_eq(a->worker->group, b->worker->group);
}

/*
 * The always busy rival, or the sleeper of another kind, that allows this one the longest
 * mean wait, or NULL.
 */
static const struct rival *most_patient(const struct contest *c, const struct rival *of,
					bool is_busy)
{
	const struct rival *most = NULL;

	for (size_t i = 0; i < c->count; i++) {
		const struct rival *r = c->rivals[i];

		if (r->is_busy != is_busy || !is_comparable(c, r, of))
			continue;
		if (!is_busy && (is_kind(r, of) || r->task->waits < LEAST_WAITS))
			continue;
		if (!most || rival_mean_wait_ns(r) * patience(of, r) >
				     rival_mean_wait_ns(most) * patience(of, most))
			most = r;
	}
	return most;
}

static bool has_busy(const struct contest *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->rivals[i]->is_busy)
			return true;
	return false;
}

/*
 * How long a task may have to wait for its turn in a single queue, in ns: for the slice of
 * a busy task, and for that task's own wait, which is short if all others have short turns.
 */
static double round_ns(const struct contest *c)
{
	bool is_anybody = !has_busy(c);
	double longest = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct rival *r = c->rivals[i];

		if ((is_anybody || r->is_busy) && r->task->runs)
			longest = MAX(longest, (double)r->task->run_ns / (double)r->task->runs +
						       (is_anybody ? 0 : rival_mean_wait_ns(r)));
	}
	return MIN(MAX(ROUNDS * longest, LEAST_NS), ENOUGH_NS);
}

/* True if e had the given part of a fair share: equal among tasks or among cgroups, the smaller. */
static bool has_fair_share(const struct contest *c, const struct equals *e, double part)
{
	const struct rival *of = e->latest;
	double by_task = c->total_ns / (double)c->count, by_cgroup;
	size_t cgroups = 0, here = 0;

	for (size_t i = 0; i < c->count; i++) {
		bool is_first = true;

		for (size_t k = 0; k < i; k++)
			is_first &= !rivals_share_cgroup(c->rivals[k], c->rivals[i]);
		cgroups += is_first;
		here += rivals_share_cgroup(c->rivals[i], of);
	}
	by_cgroup = c->total_ns / (double)cgroups / (double)here;
	return e->run_ns >= part * (double)e->count * MIN(by_task, by_cgroup);
}

static void add_late(const struct judged_phase *p, const struct equals *e, const char *who,
		     const struct observe_task *latest, const struct rival *beside,
		     const struct wakeups_judging *j)
{
	_str_ struct str text = {};

	str_add(&text, "late wakeups: ");
	if (e->count > 1)
		str_addf(&text, "%zu %s waited %.0fms on average, longest of them ", e->count, who,
			 mean_wait_ns(e) / 1e6);
	phase_add_name(p, latest, &text);
	str_addf(&text,
		 e->count > 1		   ? " with %.0fms; " :
		 latest->is_kernel	   ? " waited %.0fms on average; " :
		 shares_is_busy(p, latest) ? ", which is always busy, waited %.0fms on average; " :
					     ", which sleeps at times, waited %.0fms on average; ",
		 (e->count > 1 ? task_mean_wait_ns(latest) : mean_wait_ns(e)) / 1e6);
	phase_add_name(p, beside->task, &text);
	str_addf(&text, ", which %s, waited %.0fms; %llu waits (threshold %g times)",
		 beside->is_busy ? "is always busy" : "sleeps as well",
		 rival_mean_wait_ns(beside) / 1e6, (unsigned long long)e->waits, j->limit);
	j->res->failed_alloc |= text.failed;
	result_add(j->res, DETAIL_LATE_WAKEUP, KTSTR_FAILED, "%s", str_get(&text));
	result_set_time(j->res, (uint64_t)e->wait_ns);
}

static void add_late_workers(const struct judged_phase *p, const struct equals *e,
			     const struct rival *beside, const struct wakeups_judging *j)
{
	_str_ struct str who = {};

	str_addf(&who, "workers of %s", e->label);
	if (e->latest->task->static_prio != NICE_0_PRIO)
		str_addf(&who, " at nice %d", e->latest->task->static_prio - NICE_0_PRIO);
	str_add(&who, " that sleep at times");
	j->res->failed_alloc |= who.failed;
	add_late(p, e, str_get(&who), e->latest->task, beside, j);
}

static struct equals alone(const struct rival *r)
{
	return (struct equals){ .latest = r,
				.label = r->worker->group,
				.count = 1,
				.waits = r->task->waits,
				.wait_ns = task_own_wait_ns(r->task),
				.run_ns = (double)r->task->run_ns };
}

/* times: how many times as long as the busy task it may wait. */
static bool waits_long(const struct contest *c, const struct equals *e, const struct rival *busy,
		       double times, double limit)
{
	return e->waits >= LEAST_WAITS && mean_wait_ns(e) > times * round_ns(c) &&
	       mean_wait_ns(e) > times * limit * rival_mean_wait_ns(busy);
}

static bool is_late(const struct contest *c, const struct equals *e, const struct rival *beside,
		    double limit)
{
	return beside && waits_long(c, e, beside, patience(e->latest, beside), limit) &&
	       !has_fair_share(c, e, FAIR);
}

/* Reports the one of these equals that is late by itself and has the longest mean wait. */
static bool judge_each(const struct judged_phase *p, const struct contest *c, size_t first,
		       const struct rival *busy, const struct wakeups_judging *j)
{
	struct equals worst = {};

	for (size_t i = first; i < c->count; i++) {
		struct equals e = alone(c->rivals[i]);

		if (shares_are_equals(c->rivals[first], c->rivals[i]) &&
		    is_late(c, &e, busy, j->limit) && mean_wait_ns(&e) > mean_wait_ns(&worst))
			worst = e;
	}
	if (worst.count)
		add_late_workers(p, &worst, busy, j);
	return worst.count > 0;
}

static bool is_first_of_kind(const struct contest *c, size_t of)
{
	for (size_t i = 0; i < of; i++)
		if (is_kind(c->rivals[i], c->rivals[of]))
			return false;
	return !c->rivals[of]->is_busy;
}

static struct equals kind_of(const struct contest *c, size_t first)
{
	struct equals e = { .label = c->rivals[first]->worker->group };

	for (size_t i = first; i < c->count; i++) {
		const struct rival *r = c->rivals[i];

		if (!is_kind(r, c->rivals[first]))
			continue;
		e.count++;
		e.waits += r->task->waits;
		e.wait_ns += task_own_wait_ns(r->task);
		e.run_ns += (double)r->task->run_ns;
		if (!e.latest || rival_mean_wait_ns(r) > rival_mean_wait_ns(e.latest))
			e.latest = r;
	}
	return e;
}

/*
 * Reports only the group of the latest worker if it is late by itself, or is all of the
 * equals: the other groups may be in time.
 */
static void add_late_equals(const struct judged_phase *p, const struct contest *c,
			    const struct equals *e, const struct rival *busy,
			    const struct wakeups_judging *j)
{
	struct equals kind;
	size_t first = 0;

	while (first < c->count - 1 && !is_kind(c->rivals[first], e->latest))
		first++;
	kind = kind_of(c, first);
	if (kind.latest && (kind.count >= e->count || is_late(c, &kind, busy, j->limit)))
		add_late_workers(p, &kind, busy, j);
	else
		add_late_workers(p, e, busy, j);
}

/*
 * Finds a kind of sleepers that waits longer than other kinds and than always busy tasks.
 * If there are both, a lower limit applies.
 */
static bool judge_kinds(const struct judged_phase *p, const struct contest *c,
			const struct wakeups_judging *j)
{
	bool is_any_late = false;

	for (size_t i = 0; i < c->count; i++) {
		const struct rival *busy = most_patient(c, c->rivals[i], true);
		const struct rival *sleeper = most_patient(c, c->rivals[i], false);
		struct wakeups_judging k = *j;
		struct equals e;

		if (!sleeper || !is_first_of_kind(c, i))
			continue;
		e = kind_of(c, i);
		k.limit *= busy ? BESIDE_BOTH : 1;
		if (has_fair_share(c, &e, FAIR_FOR_KIND))
			continue;
		if (is_late(c, &e, sleeper, k.limit) && (!busy || is_late(c, &e, busy, k.limit))) {
			add_late_workers(p, &e, sleeper, &k);
			is_any_late = true;
		}
	}
	return is_any_late;
}

/* The busy rival whose longest wait, times patience, allows this one most; NULL = none. */
static const struct rival *longest_beside(const struct contest *c, const struct rival *of,
					  double *ns)
{
	const struct rival *longest = NULL;

	*ns = 0;
	for (size_t i = 0; i < c->count; i++) {
		const struct rival *r = c->rivals[i];
		double wait = (double)r->task->worst.ns * patience(of, r);

		if (!r->is_busy || !is_comparable(c, r, of) || (longest && wait <= *ns))
			continue;
		longest = r;
		*ns = wait;
	}
	return longest;
}

/* The first bucket that begins at ns or later; OBSERVE_BUCKETS = none. */
static unsigned int bucket_from(double ns)
{
	unsigned int i = LEAST_LATE_BUCKET;

	while (i < OBSERVE_BUCKETS && (double)(UINT64_C(1) << i) < ns)
		i++;
	return i;
}

static uint64_t wakeups_from(const struct observe_task *t, unsigned int bucket)
{
	uint64_t count = 0;

	for (unsigned int i = bucket; i < OBSERVE_BUCKETS; i++)
		count += t->wake_histogram[i];
	return count;
}

/* Late wakeups of workers that sleep at times, and the worker with the longest one. */
struct late_ones {
	uint64_t late, all;
	unsigned int bucket; /* first bucket that counts as late */
	const struct rival *longest, *beside;
};

static void late_ones_add(struct late_ones *l, const struct contest *c, const struct rival *r,
			  double limit)
{
	struct equals e = alone(r);
	double most;
	const struct rival *beside = longest_beside(c, r, &most);
	unsigned int bucket;
	uint64_t late;

	/* If real-time tasks had its CPU, it is unknown in which of its waits. */
	if (!beside || r->task->rt_wait_ns > r->task->wait_ns / 20 ||
	    has_fair_share(c, &e, FAIR_FOR_KIND))
		return;
	l->all += r->task->wakeups;
	bucket = bucket_from(limit * most);
	late = wakeups_from(r->task, bucket);
	l->late += late;
	if (late && (!l->longest || r->task->worst.ns > l->longest->task->worst.ns)) {
		l->longest = r;
		l->beside = beside;
		l->bucket = bucket;
	}
}

/*
 * Catches, for example, a lost wakeup that a timer repairs 200 ms later: that is shorter
 * than a task may wait once, and does not show in a mean.
 */
static void judge_late_ones(const struct judged_phase *p, const struct contest *c,
			    const struct wakeups_judging *j)
{
	const struct observe_wait *worst;
	_str_ struct str text = {};
	struct late_ones l = {};

	for (size_t i = 0; i < c->count; i++)
		if (!c->rivals[i]->is_busy)
			late_ones_add(&l, c, c->rivals[i], j->limit);
	if (l.late < LEAST_LATE_ONES)
		return;
	worst = &l.longest->task->worst;
	str_addf(&text,
		 "late wakeups: workers that sleep at times waited %llums and longer %llu of %llu "
		 "times, longest of them ",
		 (1ULL << l.bucket) / 1000000, ULL(l.late), ULL(l.all));
	phase_add_name(p, l.longest->task, &text);
	str_addf(&text, " with %llums on cpu%d at +%llums; ", ULL(worst->ns) / 1000000, worst->cpu,
		 phase_at_ms(p, worst->since_ns + worst->ns));
	phase_add_name(p, l.beside->task, &text);
	str_addf(&text, ", which is always busy, waited %llums at most (threshold %g times)",
		 ULL(l.beside->task->worst.ns) / 1000000, j->limit);
	j->res->failed_alloc |= text.failed;
	result_add(j->res, DETAIL_LATE_WAKEUP, KTSTR_FAILED, "%s", str_get(&text));
	result_set_time(j->res, worst->ns);
}

/*
 * True for a task of a program, born in the phase, with the CPUs and the weight of these
 * workers.
 */
static bool is_new(const struct judged_phase *p, const struct observe_task *t,
		   const struct rival *beside)
{
	return !phase_worker(p, t->pid) && !t->is_kernel && !(t->mark & OBSERVE_LIMITED) &&
	       t->first_ns > p->seen->start_ns && phase_weigh_alike(t, beside->task) &&
	       (t->policy == SCHED_OTHER || t->policy == POLICY_EXT) &&
	       shares_have_same_cpus(t, beside->task);
}

static void add_new(struct equals *e, const struct observe_task *t)
{
	e->count++;
	e->waits += t->waits;
	e->wait_ns += task_own_wait_ns(t);
	e->run_ns += (double)t->run_ns;
}

/*
 * Judges single tasks that live for long, such as threads: many short-lived ones would hide
 * them.
 */
static void judge_new_one(const struct judged_phase *p, const struct contest *c,
			  const struct rival *busy, const struct wakeups_judging *j)
{
	double fair = FAIR_FOR_KIND * c->total_ns / (double)c->count;
	const struct observe_task *latest = NULL;
	struct equals worst = {};

	vec_each(const struct observe_task, t, &p->seen->tasks) {
		struct equals e = {};

		if (!is_new(p, t, busy))
			continue;
		add_new(&e, t);
		if (waits_long(c, &e, busy, 1, j->limit) && e.run_ns < fair &&
		    (!latest || mean_wait_ns(&e) > mean_wait_ns(&worst))) {
			latest = t;
			worst = e;
		}
	}
	if (latest)
		add_late(p, &worst, "", latest, busy, j);
}

static void judge_new(const struct judged_phase *p, const struct contest *c,
		      const struct rival *busy, const struct wakeups_judging *j)
{
	const struct observe_task *latest = NULL;
	struct equals e = {};

	vec_each(const struct observe_task, t, &p->seen->tasks) {
		if (!is_new(p, t, busy))
			continue;
		add_new(&e, t);
		if (!latest || task_mean_wait_ns(t) > task_mean_wait_ns(latest))
			latest = t;
	}
	if (e.count > 1 && waits_long(c, &e, busy, 1, j->limit) &&
	    e.run_ns < FAIR_FOR_NEW * c->total_ns)
		add_late(p, &e, "tasks that are not workers and were born meanwhile", latest, busy,
			 j);
	else
		judge_new_one(p, c, busy, j);
}

/* Kernel threads that are judged together, and the one with the longest mean wait. */
struct late_kernel {
	struct equals sum;
	const struct observe_task *latest;
};

static void kernel_add(struct late_kernel *k, const struct observe_task *t)
{
	uint64_t waits = t->waits + (t->state == OBSERVE_WAITING);

	if (!waits)
		return;
	k->sum.count++;
	k->sum.waits += waits;
	k->sum.wait_ns += task_own_wait_ns(t);
	if (!k->latest || task_mean_wait_ns(t) > task_mean_wait_ns(k->latest))
		k->latest = t;
}

static bool kernel_is_late(const struct late_kernel *k, const struct rival *busy, double limit)
{
	return k->sum.waits >= LEAST_KERNEL_WAITS && mean_wait_ns(&k->sum) > LEAST_KERNEL_NS &&
	       mean_wait_ns(&k->sum) > limit * rival_mean_wait_ns(busy);
}

/* Judges the kernel threads of one CPU together: they all wait for the same CPU. */
static void judge_kernel(const struct judged_phase *p, unsigned int cpu, const struct rival *busy,
			 const struct wakeups_judging *j)
{
	struct late_kernel k = {};
	_str_ struct str who = {};

	if (!phase_may_run(p, busy->task, cpu))
		return;
	vec_each(const struct observe_task, t, &p->seen->tasks) {
		if (t->is_kernel && t->allowed_cpus == 1 && t->cpu == (int)cpu)
			kernel_add(&k, t);
	}
	if (!kernel_is_late(&k, busy, j->limit))
		return;
	str_addf(&who, "kernel thread%s of cpu%u", k.sum.count == 1 ? "" : "s", cpu);
	j->res->failed_alloc |= who.failed;
	add_late(p, &k.sum, str_get(&who), k.latest, busy, j);
}

/*
 * Judges each kernel thread that may run anywhere, such as the one that ends RCU grace
 * periods, by itself, and reports the one with the longest mean wait. A thread that is
 * nicer than the busy workers may have to wait.
 */
static void judge_free_kernel(const struct judged_phase *p, const struct rival *busy,
			      const struct wakeups_judging *j)
{
	struct late_kernel worst = {};

	vec_each(const struct observe_task, t, &p->seen->tasks) {
		struct late_kernel k = {};

		if (!t->is_kernel || t->allowed_cpus == 1 || t->policy != SCHED_OTHER ||
		    t->static_prio > busy->task->static_prio)
			continue;
		kernel_add(&k, t);
		if (kernel_is_late(&k, busy, j->limit) &&
		    (!worst.latest || mean_wait_ns(&k.sum) > mean_wait_ns(&worst.sum)))
			worst = k;
	}
	if (worst.latest)
		add_late(p, &worst.sum, "", worst.latest, busy, j);
}

/* Sums over the equals of this rival, without itself; wait_ns is the sum of their mean waits. */
static struct equals others_of(const struct contest *c, const struct rival *but)
{
	struct equals e = { .latest = but };

	for (size_t i = 0; i < c->count; i++) {
		const struct rival *r = c->rivals[i];

		if (r == but || !shares_are_equals(r, but))
			continue;
		e.count++;
		e.waits += r->task->waits;
		e.wait_ns += rival_mean_wait_ns(r);
	}
	return e;
}

/*
 * An always busy task waits for its turn each time, and so do its equals: if the slices on
 * one CPU are much longer than on others, their waits differ, though all get their share.
 */
static void judge_turns(const struct judged_phase *p, const struct contest *c,
			const struct wakeups_judging *j)
{
	const struct rival *worst = NULL;
	_str_ struct str text = {};
	double mean = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct rival *r = c->rivals[i];
		struct equals others = others_of(c, r);
		double wait = rival_mean_wait_ns(r);

		if (!r->is_busy || others.count < OTHERS || r->task->waits < LEAST_TURNS ||
		    wait <= LEAST_TURN_NS ||
		    wait * (double)others.count <= j->limit * others.wait_ns)
			continue;
		if (worst && wait <= rival_mean_wait_ns(worst))
			continue;
		worst = r;
		mean = others.wait_ns / (double)others.count;
	}
	if (!worst)
		return;
	str_add(&text, "late turns: ");
	phase_add_name(p, worst->task, &text);
	str_addf(&text,
		 ", which is always busy, waited %.0fms on average, its equals %.0fms; %llu waits, "
		 "%llums at worst on cpu%d at +%llums (threshold %g times)",
		 rival_mean_wait_ns(worst) / 1e6, mean / 1e6, ULL(worst->task->waits),
		 ULL(worst->task->worst.ns) / 1000000, worst->task->worst.cpu,
		 phase_at_ms(p, worst->task->worst.since_ns + worst->task->worst.ns), j->limit);
	j->res->failed_alloc |= text.failed;
	result_add(j->res, DETAIL_LATE_WAKEUP, KTSTR_FAILED, "%s", str_get(&text));
	result_set_time(j->res, worst->task->wait_ns);
}

static bool has_two_kinds(const struct contest *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (!c->rivals[i]->is_busy && most_patient(c, c->rivals[i], false))
			return true;
	return false;
}

/* check_shares() has already reported why shares of busy workers cannot be judged. */
static void judge(const struct judged_phase *p, const struct contest *c, const char *why_not,
		  void *data)
{
	const struct wakeups_judging *j = data;
	const struct rival *first_busy = NULL;
	bool is_late_already = false;

	/* Other tasks on the same CPUs are no excuse for waits. */
	if (why_not && (!c || !c->is_disturbed))
		return;
	for (size_t i = 0; i < c->count; i++) {
		const struct rival *busy;
		struct equals e;

		if (c->rivals[i]->is_busy && !first_busy)
			first_busy = most_patient(c, c->rivals[i], true);
		if (c->rivals[i]->is_busy || !shares_is_first_of_equals(c, i))
			continue;
		busy = most_patient(c, c->rivals[i], true);
		shares_add_up(c, i, &e);
		if (is_late(c, &e, busy, j->limit)) {
			add_late_equals(p, c, &e, busy, j);
			is_late_already = true;
		} else if (e.count > 1) {
			is_late_already |= judge_each(p, c, i, busy, j);
		}
	}
	if (!is_late_already && !judge_kinds(p, c, j))
		judge_late_ones(p, c, j);
	judge_turns(p, c, j);
	if (first_busy || has_two_kinds(c))
		gate_measure(j->res, GATE_WAKEUP_WAIT_RATIO);
	if (!first_busy)
		return;
	if (!shares_have_cgroup_weight(c))
		judge_new(p, c, first_busy, j);
	for (unsigned int cpu = 0; cpu < p->seen->cpus.count; cpu++)
		judge_kernel(p, cpu, first_busy, j);
	judge_free_kernel(p, first_busy, j);
}

void check_wakeups(const struct judged_phase *p, const struct ktstr_assert *checks,
		   struct ktstr_result *res)
{
	struct wakeups_judging j = { .res = res };

	if (limit_of(checks->max_wakeup_wait_ratio, &j.limit) &&
	    shares_each(p, true, judge, &j) < 0)
		res->failed_alloc = true;
}

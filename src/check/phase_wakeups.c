// SPDX-License-Identifier: GPL-2.0-only
/*
 * Late wakeups: who sleeps at times does not wait longer for a CPU than those that are always
 * busy, compete for the same CPUs and have the same weight. A queue for all makes them wait
 * alike, and most schedulers serve first who comes back; the rest of somebody's slice makes no
 * difference. Who has had a fair share already may have to wait.
 * Judged are all workers of a cgroup and nice value together; where these are in time, each of
 * them: one that is late each time is hidden in the mean of many. Then the workers of a group, beside
 * those of other groups that sleep at times as well: who is woken in another way is not served later. Then single
 * wakeups of all of them: a few that take many times as long as anybody busy ever waited are hidden in every mean. And
 * together all tasks that were born meanwhile and are not workers, such as the children of workers, or one of them; the
 * kernel threads of a CPU; and each kernel thread that may run on several.
 */
#include <sched.h>

#include "check/assert.h"
#include "check/parts.h"

/* A round of turns: so much of the longest that somebody busy has, within these bounds. */
#define ROUNDS 1.25
#define LEAST_NS 10e6
#define ENOUGH_NS 25e6
#define LEAST_WAITS 8
/* Of the limit, where neither who is always busy nor who sleeps, too, waits longer than that. */
#define BESIDE_BOTH (2.0 / 3)
/* The same for turns of who is always busy: few if they are long. So many others there must be. */
#define LEAST_TURN_NS 50e6
#define LEAST_TURNS 4
#define OTHERS 3
/* Of a fair share: who had so much may wait. Beside others that sleep it is who had half of one. */
#define FAIR 0.9
#define FAIR_FOR_KIND 0.5
/* Of the CPU time of all workers: tasks that were born meanwhile and had more have had enough. */
#define FAIR_FOR_NEW 0.1
#define POLICY_EXT 7
/* Kernel threads of a CPU do little: few waits, but each of them is somebody's. */
#define LEAST_KERNEL_NS 50e6
#define LEAST_KERNEL_WAITS 3
/* Single wakeups that are late: so many, from this bucket of the histogram on (67 ms). */
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

/* Where the test gives cgroups weights, only those of one cgroup are alike. */
static bool is_comparable(const struct contest *c, const struct rival *a, const struct rival *b)
{
	return !shares_have_cgroup_weight(c) || rivals_share_cgroup(a, b);
}

/* So many times as long may one wait that weighs less. */
static double patience(const struct rival *of, const struct rival *beside)
{
	return MAX(1, beside->weight / of->weight);
}

/* The always busy one beside which this one may wait longest each time, or NULL. */
static const struct rival *most_patient(const struct contest *c, const struct rival *of)
{
	const struct rival *most = NULL;

	for (size_t i = 0; i < c->count; i++) {
		const struct rival *r = c->rivals[i];

		if (!r->is_busy || !is_comparable(c, r, of))
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
 * How long somebody may have to wait until it is its turn in a queue for all: for the slice of a busy one, and for
 * whatever that one waits for itself. The latter is little where all others have short turns.
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

/* Equal among tasks or among cgroups first: the smaller of both. */
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

/* times: as long as the busy one may it wait. */
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

/* The one of these that waits longest each time and is late by itself. */
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

static bool is_kind(const struct rival *a, const struct rival *b)
{
	return !a->is_busy && !b->is_busy && str_eq(a->worker->group, b->worker->group);
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

/* Those of one group of a cgroup may be the ones that are late, and make the others' mean. */
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

/* Of the other kinds that sleep the one beside which this one may wait longest each time, or NULL. */
static const struct rival *most_patient_sleeper(const struct contest *c, const struct rival *of)
{
	const struct rival *most = NULL;

	for (size_t i = 0; i < c->count; i++) {
		const struct rival *r = c->rivals[i];

		if (r->is_busy || is_kind(r, of) || !is_comparable(c, r, of) ||
		    r->task->waits < LEAST_WAITS)
			continue;
		if (!most || rival_mean_wait_ns(r) * patience(of, r) >
				     rival_mean_wait_ns(most) * patience(of, most))
			most = r;
	}
	return most;
}

/*
 * A kind of sleepers that waits longer than all others: than other kinds, and than who is always busy.
 * Where both are there, less is enough.
 */
static bool judge_kinds(const struct judged_phase *p, const struct contest *c,
			const struct wakeups_judging *j)
{
	bool is_any_late = false;

	for (size_t i = 0; i < c->count; i++) {
		const struct rival *busy = most_patient(c, c->rivals[i]);
		const struct rival *sleeper = most_patient_sleeper(c, c->rivals[i]);
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

/* The busy one whose longest wait excuses most, or NULL: patience counts. */
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

/* The bucket that begins at this time or after it; OBSERVE_BUCKETS = none does. */
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

/* Those of workers that sleep at times: how many were late, and whose took longest. */
struct late_ones {
	uint64_t late, all;
	unsigned int bucket; /* from which on these were */
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

	/* Real-time tasks had its CPU: which of its waits that was is not known. */
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
 * A wakeup that was lost, and that a timer finds a fifth of a second later: below what a task may wait once, and
 * no part of a mean.
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

/* A program's new task that competes with these workers and is as important as they are. */
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

/* One that lives for long, such as a thread: many that live for a moment would hide it. */
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

/* Kernel threads that are judged together: they waited so long on average, and which of them longest. */
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

/* The threads of one CPU: all of them wait for what that CPU does. */
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
 * A thread that may run anywhere, such as the one that ends grace periods of RCU, is judged by itself: the one that
 * waits longest each time. Who is nicer than the busy ones may have to wait.
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

/* Those that are always busy, but for this one. */
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
 * Who is always busy waits for its turn each time, and its equals do so, too: slices of one CPU that
 * are much longer than those of others make a difference, though all get their share.
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

/* What cannot be judged of those that are busy was told already. */
static void judge(const struct judged_phase *p, const struct contest *c, const char *why_not,
		  void *data)
{
	const struct wakeups_judging *j = data;
	const struct rival *first_busy = NULL;
	bool is_late_already = false;

	/* That others took some of the CPUs is no excuse for waits. */
	if (why_not && (!c || !c->is_disturbed))
		return;
	for (size_t i = 0; i < c->count; i++) {
		const struct rival *busy;
		struct equals e;

		if (c->rivals[i]->is_busy && !first_busy)
			first_busy = most_patient(c, c->rivals[i]);
		if (c->rivals[i]->is_busy || !shares_is_first_of_equals(c, i))
			continue;
		busy = most_patient(c, c->rivals[i]);
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

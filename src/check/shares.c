// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shares: workers that were always busy and competed for the same CPUs got CPU time in
 * proportion to their weights.
 *
 * Two notions of fair are common: equal among tasks, and equal among cgroups first. If the
 * test sets no weights, anything between the two is fair; if it sets a cgroup's weight,
 * cgroups come first. A task can use at most one CPU: the rest of its share goes to the
 * others.
 *
 * Only workers that may run on exactly the same CPUs are compared. Load balancing takes
 * time, so a short phase proves nothing; nor does a phase in which no worker had to wait.
 */
#include "check/parts.h"

#include <math.h>
#include <sched.h>

#define BUSY 0.9		      /* part of the phase in which a worker must be runnable */
#define LEAST_NS UINT64_C(1000000000) /* see docs/guide/writing-tests.md for how it was chosen */
#define SOME_WAKEUPS 10		      /* to start, and to receive commands */
#define LEAST_WAIT 0.02		      /* of what the competitors wanted */
#define LEAST_ERROR 0.04	      /* of the phase: less than that is a matter of slices */
#define ALMOST 0.1		      /* of a task: nothing is exact */
#define SOME_MOVES 3		      /* migrations of a task */
#define RUNS_PER_MOVE 25	      /* at most, for a task that moves freely */
#define MOST_OTHERS 0.1		      /* of the CPUs' time: other tasks disturb CPUs unequally */

/* Workers, and threads of their processes that are always busy. */
struct rivals {
	struct rival *items;
	size_t count;
	bool has_wanderers; /* workers whose competitors are unknown */
};

/*
 * True if the task is woken all the time, so it sleeps voluntarily: its waits say nothing
 * of a share.
 */
static bool is_sleeper(const struct observe_task *t)
{
	return t->wakeups > SOME_WAKEUPS && t->wakeups * 10 > t->waits;
}

bool shares_is_busy(const struct judged_phase *p, const struct observe_task *t)
{
	return !is_sleeper(t) && phase_demand(p, t) >= BUSY;
}

static bool is_background(const struct observe_task *t)
{
	return t->policy == SCHED_IDLE;
}

static bool is_rival(const struct judged_phase *p, const struct observe_task *t,
		     const struct known_worker *w, bool has_sleepers)
{
	return t && w->is_normal && !w->is_restless && !w->is_limited &&
	       (has_sleepers ? !is_background(t) : shares_is_busy(p, t)) &&
	       t->first_ns <= p->seen->start_ns + observed_ns(p->seen) / 10;
}

bool shares_have_same_cpus(const struct observe_task *a, const struct observe_task *b)
{
	if (a->allowed_cpus == 1 || b->allowed_cpus == 1)
		return a->allowed_cpus == b->allowed_cpus && a->cpu == b->cpu;
	return a->last_set && a->last_set == b->last_set;
}

/*
 * On part of an LLC, only tasks that stayed on the same CPU compete, or those that move all
 * the time.
 */
static bool compete(const struct rival *a, const struct rival *b)
{
	return shares_have_same_cpus(a->task, b->task) && a->cpu == b->cpu;
}

static bool is_on_part_of_llc(const struct judged_phase *p, const struct observe_task *t)
{
	struct worker_cpus cpus = {};

	if (t->allowed_cpus == 1 || !p->topology)
		return false;
	for (unsigned int cpu = 0; cpu < WORKER_MAX_CPUS; cpu++)
		if (phase_may_run(p, t, cpu))
			worker_cpus_add(&cpus, cpu);
	return cpus_are_narrow(&cpus, p->topology);
}

/* True if the task does not stay on a CPU. */
static bool moves_freely(const struct observe_task *t)
{
	return t->migrations >= SOME_MOVES && t->migrations >= t->runs / RUNS_PER_MOVE;
}

static bool moves_all_the_time(const struct judged_phase *p, const struct observe_task *t)
{
	return moves_freely(t) ||
	       (double)t->migrations > NARROW_MOVES_PER_S * (double)observed_ns(p->seen) / 1e9;
}

bool shares_have_cgroup_weight(const struct contest *c)
{
	for (size_t i = 0; i < c->count; i++)
		for (unsigned int k = 0; k < KNOWN_LEVELS; k++)
			if (c->rivals[i]->worker->cpu_weights[k])
				return true;
	return false;
}

static bool has_nice(const struct contest *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (!phase_weigh_alike(c->rivals[i]->task, c->rivals[0]->task))
			return true;
	return false;
}

static size_t count_foreground(const struct contest *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		count += !is_background(c->rivals[i]->task);
	return count;
}

double shares_mean_ns(const struct contest *c)
{
	return c->total_ns / (double)MAX(count_foreground(c), (size_t)1);
}

/* On a single CPU, what the other cgroup levels get elsewhere is unknown. */
static bool is_too_nested(const struct contest *c)
{
	unsigned int most = c->rivals[0]->cpu >= 0 ? 1 : KNOWN_LEVELS;

	for (size_t i = 0; i < c->count; i++)
		if (rival_depth(c->rivals[i]) > most)
			return true;
	return false;
}

double shares_due(const struct contest *c, const struct rival *r)
{
	double run = (double)r->task->run_ns;
	double low = MIN(r->by_task, r->by_cgroup), high = MAX(r->by_task, r->by_cgroup);

	if (shares_have_cgroup_weight(c))
		return r->by_cgroup;
	return run < low ? low : run > high ? high : run;
}

double shares_error(const struct contest *c, const struct rival *r)
{
	double run = (double)r->task->run_ns, wanted = shares_due(c, r);

	if ((run > wanted ? run - wanted : wanted - run) < LEAST_ERROR * c->cap_ns)
		return 0;
	return (run - wanted) / shares_mean_ns(c);
}

bool shares_are_equals(const struct rival *a, const struct rival *b)
{
	return rivals_share_cgroup(a, b) && phase_weigh_alike(a->task, b->task) &&
	       a->is_busy == b->is_busy;
}

void shares_add_up(const struct contest *c, size_t first, struct equals *e)
{
	*e = (struct equals){ .least = c->rivals[first],
			      .most = c->rivals[first],
			      .latest = c->rivals[first],
			      .label = c->rivals[first]->worker->group };
	for (size_t i = first; i < c->count; i++) {
		const struct rival *r = c->rivals[i];

		if (!shares_are_equals(c->rivals[first], r))
			continue;
		e->least = r->task->run_ns < e->least->task->run_ns ? r : e->least;
		e->most = r->task->run_ns > e->most->task->run_ns ? r : e->most;
		e->latest = rival_mean_wait_ns(r) > rival_mean_wait_ns(e->latest) ? r : e->latest;
		if (!str_eq(r->worker->group, e->label) && r->worker->cgroup)
			e->label = r->worker->cgroup;
		e->count++;
		e->waits += r->task->waits;
		e->wait_ns += task_own_wait_ns(r->task);
		e->run_ns += (double)c->rivals[i]->task->run_ns;
		e->share_ns += shares_due(c, c->rivals[i]);
	}
}

bool shares_is_first_of_equals(const struct contest *c, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (shares_are_equals(c->rivals[k], c->rivals[i]))
			return false;
	return true;
}

double shares_error_of_equals(const struct contest *c, const struct equals *e)
{
	return (e->run_ns - e->share_ns) / (shares_mean_ns(c) * (double)e->count);
}

unsigned int shares_coarse_levels(const struct judged_phase *p, const struct observe_task *t)
{
	const struct topology_llc *first = NULL;
	unsigned int levels = 0;

	for (size_t i = 0; p->topology && i < p->topology->llc_count; i++) {
		const struct topology_llc *llc = &p->topology->llcs[i];

		if (!phase_may_run(p, t, llc->cpus[0]))
			continue;
		if (first)
			levels = MAX(levels, first->node == llc->node ? 1U : 2U);
		else
			first = llc;
	}
	return levels;
}

/*
 * Sets the deviations that running whole tasks on CPUs explains: if each task is due 40 %
 * of a CPU, two or three of them share one. Between LLCs and nodes, balancing is coarser
 * and slower: an LLC may have one task more than its part, and a CPU one or two less.
 */
static void set_allowance(const struct judged_phase *p, const struct contest *c, struct rival *r)
{
	double share = shares_due(c, r) / c->cap_ns, each = shares_mean_ns(c);
	double here = share > 0 ? 1 / share : 0;
	unsigned int levels = shares_coarse_levels(p, r->task);
	unsigned int cpus = MAX(shares_llc_cpus(p, r->task), 1U);
	double most = levels ? ceil((ceil(here * cpus - ALMOST) + 1) / cpus) : ceil(here - ALMOST);
	double least = floor(here + ALMOST) - levels;

	r->less = r->more = 0;
	if (here <= 1 || (c->is_anywhere && !levels))
		return;
	r->less = MAX(0, (share - 1 / most) * c->cap_ns / each);
	r->more = MAX(0, (1 / MAX(least, 1) - share) * c->cap_ns / each);
}

static double lacks(const struct contest *c, const struct rival *r)
{
	return -shares_error(c, r) - r->less;
}

static double exceeds(const struct contest *c, const struct rival *r)
{
	return shares_error(c, r) - r->more;
}

void shares_extremes(const struct contest *c, struct share_extremes *x)
{
	struct equals e;

	*x = (struct share_extremes){};
	for (size_t i = 0; i < c->count; i++) {
		const struct rival *r = c->rivals[i];
		bool is_judged = !is_background(r->task);

		if (is_judged && (!x->low || lacks(c, r) > lacks(c, x->low)))
			x->low = r;
		if (is_judged && (!x->high || exceeds(c, r) > exceeds(c, x->high)))
			x->high = r;
		if (!shares_is_first_of_equals(c, i))
			continue;
		shares_add_up(c, i, &e);
		if (is_judged &&
		    (!x->low_equals.count ||
		     shares_error_of_equals(c, &e) < shares_error_of_equals(c, &x->low_equals)))
			x->low_equals = e;
		if (!x->high_equals.count ||
		    shares_error_of_equals(c, &e) > shares_error_of_equals(c, &x->high_equals))
			x->high_equals = e;
	}
}

/* True if the workers had to wait for one another. */
static bool is_contested(const struct contest *c)
{
	double wait = 0, run = 0;

	for (size_t i = 0; i < c->count; i++) {
		wait += (double)c->rivals[i]->task->wait_ns;
		run += (double)c->rivals[i]->task->run_ns;
	}
	return wait > LEAST_WAIT * (wait + run);
}

/* CPU time of other tasks on the same CPUs, as a part of that of the rivals. */
static double part_of_others(const struct judged_phase *p, const struct contest *c)
{
	const struct observe_task *rival = c->rivals[0]->task;
	double ns = 0;

	vec_each(const struct observe_task, t, &p->seen->tasks) {
		bool is_here = c->rivals[0]->cpu >= 0 ?
				       t->cpu == c->rivals[0]->cpu :
				       t->cpu >= 0 && phase_may_run(p, rival, (unsigned int)t->cpu);

		if (is_here)
			ns += (double)t->run_ns;
	}
	ns -= c->total_ns;
	return c->total_ns > 0 ? ns / c->total_ns : 1;
}

double shares_luck_pct(const struct judged_phase *p, const struct contest *c)
{
	const struct observe_task *rival = c->rivals[0]->task;
	unsigned int levels = shares_coarse_levels(p, rival), cpus = 0;
	double demand = 0, most, least;

	if (c->is_anywhere || rival->allowed_cpus == 1)
		return 0;
	for (unsigned int cpu = 0; cpu < WORKER_MAX_CPUS; cpu++)
		cpus += worker_cpus_have(p->cpus, cpu) && phase_may_run(p, rival, cpu);
	vec_each(const struct observe_task, t, &p->seen->tasks) {
		if (t->cpu >= 0 && phase_may_run(p, rival, (unsigned int)t->cpu))
			demand += phase_demand(p, t);
	}
	demand /= MAX(cpus, 1U);
	most = ceil(demand - ALMOST) + MIN(levels, 1U);
	least = floor(demand + ALMOST) - levels;
	return MAX(0, 1 / MAX(least, 1) - 1 / MAX(most, 1)) * 100;
}

/* Why the shares of these rivals cannot be judged, or NULL. */
static const char *why_not(const struct contest *c, bool ignores_weights)
{
	if (c->is_disturbed)
		return "shares not judged: tasks that were not always busy took their CPUs, too";
	if (is_too_nested(c))
		return "shares not judged: cgroups lie in one another, more than four levels of them "
		       "or on a part of an LLC";
	if (ignores_weights && (has_nice(c) || shares_have_cgroup_weight(c)))
		return "weights not judged: the scheduler declares .ignores_weights";
	return NULL;
}

/*
 * True if it does not matter which CPU each rival has: all have the same one, or they move
 * all the time.
 */
static bool is_anywhere(const struct contest *c)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct observe_task *t = c->rivals[i]->task;

		if (t->allowed_cpus == 1 || c->rivals[i]->cpu >= 0)
			continue;
		if (!moves_freely(t))
			return false;
	}
	return true;
}

static int set_due(const struct judged_phase *p, struct contest *c)
{
	if (shares_expect(c) < 0)
		return -1;
	for (size_t i = 0; i < c->count; i++)
		set_allowance(p, c, c->rivals[i]);
	return 0;
}

/* Collects the rivals that compete with the first. */
static void collect(const struct judged_phase *p, struct rival *all, size_t count, size_t first,
		    struct contest *c)
{
	c->count = 0;
	c->is_disturbed = false;
	c->total_ns = 0;
	c->cap_ns = (double)observed_ns(p->seen);
	for (size_t i = first; i < count; i++) {
		if (all[i].is_done || !compete(&all[first], &all[i]))
			continue;
		all[i].is_done = true;
		c->rivals[c->count++] = &all[i];
		c->total_ns += (double)all[i].task->run_ns;
	}
}

/* True if another worker may use some, but not exactly the same, of these CPUs. */
static bool is_overlapped(const struct judged_phase *p, const struct rival *all, size_t count,
			  const struct contest *c)
{
	const struct observe_task *t = c->count ? c->rivals[0]->task : NULL;

	for (size_t i = 0; t && i < count; i++) {
		if (shares_have_same_cpus(all[i].task, t) || is_background(all[i].task))
			continue;
		for (unsigned int cpu = 0; cpu < p->seen->cpus.count; cpu++)
			if (phase_may_run(p, all[i].task, cpu) && phase_may_run(p, t, cpu))
				return true;
	}
	return false;
}

/* Returns false if the task changed CPUs on part of an LLC, so that its competitors are unknown. */
static bool set_cpu(const struct judged_phase *p, struct rival *r)
{
	r->cpu = -1;
	if (!is_on_part_of_llc(p, r->task) || moves_all_the_time(p, r->task))
		return true;
	r->cpu = r->task->cpu;
	return r->task->migrations == 0;
}

static void add_rival(const struct judged_phase *p, struct rivals *all,
		      const struct observe_task *t, const struct known_worker *w)
{
	struct rival *r = &all->items[all->count];

	*r = (struct rival){
		.task = t, .worker = w, .is_busy = shares_is_busy(p, t), .weight = phase_weight(t)
	};
	if (set_cpu(p, r))
		all->count++;
	else
		all->has_wanderers = true;
}

/* The worker of whose process the task is another thread, or NULL. */
static const struct known_worker *worker_of_thread(const struct judged_phase *p,
						   const struct observe_task *t)
{
	return t->pid != t->tgid ? phase_worker(p, t->tgid) : NULL;
}

static void find_rivals(const struct judged_phase *p, bool has_sleepers, struct rivals *all)
{
	array_each(const struct known_worker, w, p->workers, p->worker_count) {
		const struct observe_task *t = observed_task(p->seen, w->tid);

		if (is_rival(p, t, w, has_sleepers))
			add_rival(p, all, t, w);
	}
	vec_each(const struct observe_task, t, &p->seen->tasks) {
		const struct known_worker *w = worker_of_thread(p, t);

		if (w && shares_is_busy(p, t) && is_rival(p, t, w, false))
			add_rival(p, all, t, w);
	}
	shares_set_parts(all->items, all->count);
}

static int visit_contest(const struct judged_phase *p, struct contest *c, bool is_overlapped,
			 shares_visit *visit, void *data)
{
	const char *reason = "shares not judged: workers compete on CPUs of which others may use "
			     "only some";

	if (!is_overlapped) {
		if (c->count < 2 || !is_contested(c) || !count_foreground(c))
			return 0;
		c->is_disturbed = part_of_others(p, c) > MOST_OTHERS;
		c->is_anywhere = is_anywhere(c);
		reason = why_not(c, p->ignores_weights);
	}
	if (!reason && set_due(p, c) < 0)
		return -1;
	visit(p, c, reason, data);
	return 0;
}

int shares_each(const struct judged_phase *p, bool has_sleepers, shares_visit *visit, void *data)
{
	size_t most = p->worker_count + p->seen->tasks.count + 1;
	_free_ struct rival *items = calloc(most, sizeof(*items));
	_free_ struct rival **rivals = calloc(most, sizeof(void *));
	struct rivals all = { .items = items };
	struct contest c = { .rivals = rivals };
	int rc = 0;

	if (!items || !rivals)
		return -1;
	find_rivals(p, has_sleepers, &all);
	if (all.count >= 2 && observed_ns(p->seen) < LEAST_NS) {
		visit(p, NULL,
		      "shares not judged: less than 1 s, in which load balancing may be under way",
		      data);
		return 0;
	}
	if (all.has_wanderers)
		visit(p, NULL,
		      "some shares not judged: workers changed the CPU now and then on CPUs that "
		      "are a part of an LLC",
		      data);
	for (size_t i = 0; rc == 0 && i < all.count; i++) {
		if (items[i].is_done)
			continue;
		collect(p, items, all.count, i, &c);
		rc = visit_contest(p, &c, is_overlapped(p, items, all.count, &c), visit, data);
	}
	return rc;
}

/* ---- largest errors ---- */

static void raise_errors(const struct judged_phase *p _unused_, const struct contest *c,
			 const char *why, void *data)
{
	struct share_errors *worst = data;
	struct share_extremes x;

	if (why)
		return;
	shares_extremes(c, &x);
	if (!x.low || !x.high)
		return;
	worst->is_known = true;
	worst->single_pct = MAX(worst->single_pct, -shares_error(c, x.low) * 100);
	worst->single_pct = MAX(worst->single_pct, shares_error(c, x.high) * 100);
	worst->equals_pct = MAX(worst->equals_pct, -shares_error_of_equals(c, &x.low_equals) * 100);
	worst->equals_pct = MAX(worst->equals_pct, shares_error_of_equals(c, &x.high_equals) * 100);
}

int shares_worst(const struct judged_phase *p, struct share_errors *worst)
{
	*worst = (struct share_errors){};
	return shares_each(p, false, raise_errors, worst);
}

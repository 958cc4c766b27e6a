// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shares: workers that were busy all the time and competed for the same CPUs got CPU
 * time by their weights.
 *
 * Two notions of fair are common: equal among tasks, and equal among cgroups first. Where
 * the test asks for nothing, anything between the two is fair; where it sets a cgroup's
 * weight, cgroups come first. Nobody can use more than one CPU: what is left of somebody's
 * share goes to the others.
 *
 * Judged are workers that may run on exactly the same CPUs. It takes time until a load
 * is balanced over CPUs, so a short phase proves nothing; nor does one in which nobody
 * had to wait.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "check/assert.h"
#include "check/phase.h"

#define BUSY 0.9		      /* of the phase that a worker must want to run */
#define LEAST_NS UINT64_C(1000000000) /* see docs/guide/writing-tests.md for how it was chosen */
#define SOME_WAKEUPS 10		      /* to start and to be told things */
#define LEAST_WAIT 0.02		      /* of what competitors wanted */
#define LEAST_ERROR 0.04	      /* of the phase: below that it is a matter of slices */
#define MOST_OTHERS 0.1		      /* of the CPUs' time: others disturb each CPU differently */
#define ONE_ALONE 2		      /* times the limit, for a single worker */
#define DEFAULT_CPU_WEIGHT 100
#define NICE_0_PRIO 120

struct rival {
	const struct observe_task *task;
	const struct known_worker *worker;
	bool is_done;			   /* was compared with its rivals */
	double weight, by_task, by_cgroup; /* expected ns, by either notion */
};

struct contest {
	struct rival **rivals;
	size_t count;
	double total_ns, cap_ns;
};

/* One that is woken all the time sleeps by itself: what it waits for is not its share. */
static bool is_sleeper(const struct observe_task *t)
{
	return t->wakeups > SOME_WAKEUPS && t->wakeups * 10 > t->waits;
}

static bool is_rival(const struct judged_phase *p, const struct observe_task *t,
		     const struct known_worker *w)
{
	return t && w->is_normal && !w->is_restless && !w->is_limited && !is_sleeper(t) &&
	       phase_demand(p, t) >= BUSY &&
	       t->first_ns <= p->seen->start_ns + observed_ns(p->seen) / 10;
}

static bool share_cpus(const struct observe_task *a, const struct observe_task *b)
{
	if (a->allowed_cpus == 1 || b->allowed_cpus == 1)
		return a->allowed_cpus == b->allowed_cpus && a->cpu == b->cpu;
	return a->last_set && a->last_set == b->last_set;
}

/* Divides what there is by weight; who has enough leaves the rest to the others. */
static void divide(const double *weights, const double *caps, size_t count, double total,
		   double *out)
{
	double left = total, weight = 0;
	bool has_changed = true;

	for (size_t i = 0; i < count; i++) {
		out[i] = -1;
		weight += weights[i];
	}
	while (has_changed && weight > 0) {
		has_changed = false;
		for (size_t i = 0; i < count; i++) {
			if (out[i] >= 0 || left * weights[i] / weight < caps[i])
				continue;
			out[i] = caps[i];
			left -= caps[i];
			weight -= weights[i];
			has_changed = true;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (out[i] < 0)
			out[i] = weight > 0 ? MAX(left, 0) * weights[i] / weight : 0;
}

static bool is_same_cgroup(const struct rival *a, const struct rival *b)
{
	const char *x = a->worker->cgroup, *y = b->worker->cgroup;

	return x && y ? str_eq(x, y) : x == y;
}

static double cgroup_weight(const struct known_worker *w)
{
	return w->cpu_weight ? w->cpu_weight : DEFAULT_CPU_WEIGHT;
}

/* Room for the calculations of one contest. */
struct scratch {
	double *weights, *caps, *out;
	size_t *members;
};

static void expect_by_task(struct contest *c, struct scratch *s)
{
	for (size_t i = 0; i < c->count; i++) {
		s->weights[i] = c->rivals[i]->weight;
		s->caps[i] = c->cap_ns;
	}
	divide(s->weights, s->caps, c->count, c->total_ns, s->out);
	for (size_t i = 0; i < c->count; i++)
		c->rivals[i]->by_task = s->out[i];
}

static void expect_inside(struct contest *c, size_t first, double total, struct scratch *s)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (!is_same_cgroup(c->rivals[i], c->rivals[first]))
			continue;
		s->members[count] = i;
		s->weights[count] = c->rivals[i]->weight;
		s->caps[count++] = c->cap_ns;
	}
	divide(s->weights, s->caps, count, total, s->out);
	for (size_t i = 0; i < count; i++)
		c->rivals[s->members[i]]->by_cgroup = s->out[i];
}

static bool is_first_of_cgroup(const struct contest *c, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_same_cgroup(c->rivals[i], c->rivals[k]))
			return false;
	return true;
}

static int expect_by_cgroup(struct contest *c, struct scratch *s)
{
	_free_ size_t *firsts = calloc(c->count, sizeof(*firsts));
	_free_ double *totals = calloc(c->count, sizeof(*totals));
	size_t cgroups = 0;

	if (!firsts || !totals)
		return -1;
	for (size_t i = 0; i < c->count; i++) {
		if (!is_first_of_cgroup(c, i))
			continue;
		firsts[cgroups] = i;
		s->weights[cgroups] = cgroup_weight(c->rivals[i]->worker);
		s->caps[cgroups] = 0;
		for (size_t k = i; k < c->count; k++)
			if (is_same_cgroup(c->rivals[i], c->rivals[k]))
				s->caps[cgroups] += c->cap_ns;
		cgroups++;
	}
	divide(s->weights, s->caps, cgroups, c->total_ns, s->out);
	memcpy(totals, s->out, cgroups * sizeof(*totals));
	for (size_t i = 0; i < cgroups; i++)
		expect_inside(c, firsts[i], totals[i], s);
	return 0;
}

static bool has_cgroup_weight(const struct contest *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->rivals[i]->worker->cpu_weight)
			return true;
	return false;
}

static bool has_nice(const struct contest *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->rivals[i]->task->static_prio != c->rivals[0]->task->static_prio)
			return true;
	return false;
}

/* What those are due depends on all levels. */
static bool is_nested(const struct contest *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->rivals[i]->worker->cgroup && strchr(c->rivals[i]->worker->cgroup, '/'))
			return true;
	return false;
}

/* The expected time that the worker is nearest to. */
static double nearest(const struct contest *c, const struct rival *r)
{
	double run = (double)r->task->run_ns;
	double low = MIN(r->by_task, r->by_cgroup), high = MAX(r->by_task, r->by_cgroup);

	if (has_cgroup_weight(c))
		return r->by_cgroup;
	return run < low ? low : run > high ? high : run;
}

/*
 * How far it is from its share, as a part of what all of them have on average: small
 * shares are no more exact than large ones. Less than nothing: it got too little.
 */
static double error_of(const struct contest *c, const struct rival *r)
{
	double run = (double)r->task->run_ns, wanted = nearest(c, r);

	if ((run > wanted ? run - wanted : wanted - run) < LEAST_ERROR * c->cap_ns)
		return 0;
	return (run - wanted) / (c->total_ns / (double)c->count);
}

static void add_share(const struct rival *r, double run_ns, double share_ns, struct str *out)
{
	str_addf(out, " ran %.0fms of a share of %.0fms", run_ns / 1e6, share_ns / 1e6);
	if (r->task->static_prio != NICE_0_PRIO)
		str_addf(out, " at nice %d", r->task->static_prio - NICE_0_PRIO);
	if (r->worker->cpu_weight)
		str_addf(out, " with cpu.weight %u", r->worker->cpu_weight);
}

/* Workers of one cgroup and one nice value: one worker's luck is not theirs. */
struct equals {
	const struct rival *least, *most;
	size_t count;
	double run_ns, share_ns;
};

static bool are_equals(const struct rival *a, const struct rival *b)
{
	return is_same_cgroup(a, b) && a->task->static_prio == b->task->static_prio;
}

static void add_up(const struct contest *c, size_t first, struct equals *e)
{
	*e = (struct equals){ .least = c->rivals[first], .most = c->rivals[first] };
	for (size_t i = first; i < c->count; i++) {
		const struct rival *r = c->rivals[i];

		if (!are_equals(c->rivals[first], r))
			continue;
		e->least = r->task->run_ns < e->least->task->run_ns ? r : e->least;
		e->most = r->task->run_ns > e->most->task->run_ns ? r : e->most;
		e->count++;
		e->run_ns += (double)c->rivals[i]->task->run_ns;
		e->share_ns += nearest(c, c->rivals[i]);
	}
}

static bool is_first_of_equals(const struct contest *c, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (are_equals(c->rivals[k], c->rivals[i]))
			return false;
	return true;
}

static double error_of_equals(const struct contest *c, const struct equals *e)
{
	return (e->run_ns - e->share_ns) / (c->total_ns / (double)c->count * (double)e->count);
}

static void add_equals(const struct judged_phase *p, const struct equals *e, bool is_low,
		       struct str *out)
{
	const struct rival *r = is_low ? e->least : e->most;

	str_addf(out, "the %zu workers of %s", e->count, r->worker->group);
	add_share(r, e->run_ns, e->share_ns, out);
	str_add(out, is_low ? ", least of them " : ", most of them ");
	phase_add_name(p, r->task, out);
	str_addf(out, " with %llums", (unsigned long long)r->task->run_ns / 1000000);
}

static void add_end(const struct contest *c, double limit, struct str *text,
		    struct ktstr_result *res)
{
	str_addf(text, "; %zu busy workers, %.1f s (threshold %.0f%%)", c->count, c->cap_ns / 1e9,
		 limit);
	res->failed_alloc |= text->failed;
	result_add(res, DETAIL_SHARE, KTSTR_FAILED, "%s", str_get(text));
}

static bool judge_equals(const struct judged_phase *p, const struct contest *c, double limit,
			 struct ktstr_result *res)
{
	struct equals low = {}, high = {}, e;
	_str_ struct str text = {};

	for (size_t i = 0; i < c->count; i++) {
		if (!is_first_of_equals(c, i))
			continue;
		add_up(c, i, &e);
		if (!low.count || error_of_equals(c, &e) < error_of_equals(c, &low))
			low = e;
		if (!high.count || error_of_equals(c, &e) > error_of_equals(c, &high))
			high = e;
	}
	if (!low.least || !high.most)
		return true;
	if (-error_of_equals(c, &low) * 100 <= limit && error_of_equals(c, &high) * 100 <= limit)
		return true;
	str_add(&text, "unfair share: ");
	add_equals(p, &low, true, &text);
	str_add(&text, "; ");
	add_equals(p, &high, false, &text);
	add_end(c, limit, &text, res);
	return false;
}

static void add_rival(const struct judged_phase *p, const struct contest *c, const struct rival *r,
		      struct str *out)
{
	phase_add_name(p, r->task, out);
	add_share(r, (double)r->task->run_ns, nearest(c, r), out);
}

/* A single one may have bad luck on a CPU that balancing has not reached yet: twice the limit. */
static void judge_each(const struct judged_phase *p, const struct contest *c, double limit,
		       struct ktstr_result *res)
{
	const struct rival *low = c->rivals[0], *high = c->rivals[0];
	_str_ struct str text = {};

	for (size_t i = 1; i < c->count; i++) {
		if (error_of(c, c->rivals[i]) < error_of(c, low))
			low = c->rivals[i];
		if (error_of(c, c->rivals[i]) > error_of(c, high))
			high = c->rivals[i];
	}
	if (-error_of(c, low) * 100 <= limit && error_of(c, high) * 100 <= limit)
		return;
	str_add(&text, "unfair share: ");
	add_rival(p, c, low, &text);
	str_add(&text, "; ");
	add_rival(p, c, high, &text);
	add_end(c, limit, &text, res);
}

/* Whether workers had to wait for one another at all. */
static bool is_contested(const struct contest *c)
{
	double wait = 0, run = 0;

	for (size_t i = 0; i < c->count; i++) {
		wait += (double)c->rivals[i]->task->wait_ns;
		run += (double)c->rivals[i]->task->run_ns;
	}
	return wait > LEAST_WAIT * (wait + run);
}

/* Others that ran on the same CPUs, as a part of what the rivals had. */
static double part_of_others(const struct judged_phase *p, const struct contest *c)
{
	const struct observe_task *rival = c->rivals[0]->task;
	double ns = 0;

	for (size_t i = 0; i < p->seen->tasks.count; i++) {
		const struct observe_task *t = &p->seen->tasks.items[i];
		bool is_here = t->cpu >= 0 && phase_may_run(p, rival, (unsigned int)t->cpu);

		if (is_here)
			ns += (double)t->run_ns;
	}
	ns -= c->total_ns;
	return c->total_ns > 0 ? ns / c->total_ns : 1;
}

static void note(struct ktstr_result *res, const char *why)
{
	result_add(res, DETAIL_NOTE, KTSTR_SKIPPED, "shares not judged: %s", why);
}

static void compare(const struct judged_phase *p, struct contest *c, double limit,
		    struct ktstr_result *res)
{
	_free_ double *room = calloc(c->count * 3, sizeof(*room));
	_free_ size_t *members = calloc(c->count, sizeof(*members));
	struct scratch s = { .weights = room, .members = members };

	if (c->count < 2 || !is_contested(c))
		return;
	if (part_of_others(p, c) > MOST_OTHERS) {
		note(res, "tasks that were not always busy took their CPUs, too");
		return;
	}
	if (is_nested(c)) {
		note(res, "cgroups lie in one another");
		return;
	}
	if (p->ignores_weights && (has_nice(c) || has_cgroup_weight(c))) {
		result_add(res, DETAIL_NOTE, KTSTR_SKIPPED,
			   "weights not judged: the scheduler declares .ignores_weights");
		return;
	}
	if (!room || !members) {
		res->failed_alloc = true;
		return;
	}
	s.caps = s.weights + c->count;
	s.out = s.caps + c->count;
	expect_by_task(c, &s);
	if (expect_by_cgroup(c, &s) < 0)
		res->failed_alloc = true;
	if (judge_equals(p, c, limit, res))
		judge_each(p, c, ONE_ALONE * limit, res);
}

/* Those that may run on the same CPUs as the first, and only there. */
static void collect(const struct judged_phase *p, struct rival *all, size_t count, size_t first,
		    struct contest *c)
{
	c->count = 0;
	c->total_ns = 0;
	c->cap_ns = (double)observed_ns(p->seen);
	for (size_t i = first; i < count; i++) {
		if (all[i].is_done || !share_cpus(all[first].task, all[i].task))
			continue;
		all[i].is_done = true;
		c->rivals[c->count++] = &all[i];
		c->total_ns += (double)all[i].task->run_ns;
	}
}

/* Somebody busy with other CPUs, of which some are the same. */
static bool is_overlapped(const struct judged_phase *p, const struct rival *all, size_t count,
			  const struct contest *c)
{
	const struct observe_task *t = c->count ? c->rivals[0]->task : NULL;

	for (size_t i = 0; t && i < count; i++) {
		if (share_cpus(all[i].task, t))
			continue;
		for (unsigned int cpu = 0; cpu < p->seen->cpus.count; cpu++)
			if (phase_may_run(p, all[i].task, cpu) && phase_may_run(p, t, cpu))
				return true;
	}
	return false;
}

static size_t find_rivals(const struct judged_phase *p, struct rival *all)
{
	size_t count = 0;

	for (size_t i = 0; i < p->worker_count; i++) {
		const struct known_worker *w = &p->workers[i];
		const struct observe_task *t = observed_task(p->seen, w->tid);

		if (is_rival(p, t, w))
			all[count++] =
				(struct rival){ .task = t, .worker = w, .weight = phase_weight(t) };
	}
	return count;
}

void check_shares(const struct judged_phase *p, const struct ktstr_assert *checks,
		  struct ktstr_result *res)
{
	_free_ struct rival *all = calloc(p->worker_count + 1, sizeof(*all));
	_free_ struct rival **rivals = calloc(p->worker_count + 1, sizeof(void *));
	struct contest c = { .rivals = rivals };
	double limit;
	size_t count;

	if (!limit_of(checks->max_share_error_pct, &limit))
		return;
	if (!all || !rivals) {
		res->failed_alloc = true;
		return;
	}
	count = find_rivals(p, all);
	if (count >= 2 && observed_ns(p->seen) < LEAST_NS) {
		note(res, "less than 1 s, in which load balancing may be under way");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (all[i].is_done)
			continue;
		collect(p, all, count, i, &c);
		if (is_overlapped(p, all, count, &c))
			note(res, "workers compete on CPUs of which others may use only some");
		else
			compare(p, &c, limit, res);
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/* Shares: workers that competed for the same CPUs got CPU time in proportion to their weights. */
#include <math.h>
#include <sched.h>

#include "check/parts.h"

#define ALONE 2.5     /* times the limit, for a single worker */
#define TURNS 2	      /* least difference in turns that counts if all are due the same */
#define PLACED 1.25   /* times the limit, on top of what running whole tasks on CPUs explains */
#define ANYWHERE 0.75 /* of the limit, if workers move freely between CPUs */

static void add_share(const struct rival *r, double run_ns, double share_ns, struct str *out)
{
	unsigned int depth = rival_depth(r);
	uint32_t weight = depth ? r->worker->cpu_weights[depth - 1] : 0;

	str_addf(out, " ran %.0fms of a share of %.0fms", run_ns / 1e6, share_ns / 1e6);
	if (r->task->policy == SCHED_IDLE)
		str_add(out, " as SCHED_IDLE");
	else if (r->task->static_prio != NICE_0_PRIO)
		str_addf(out, " at nice %d", r->task->static_prio - NICE_0_PRIO);
	if (weight)
		str_addf(out, " with cpu.weight %u", weight);
}

static void add_rival(const struct judged_phase *p, const struct contest *c, const struct rival *r,
		      struct str *out)
{
	phase_add_name(p, r->task, out);
	add_share(r, (double)r->task->run_ns, shares_due(c, r), out);
}

static void add_equals(const struct judged_phase *p, const struct contest *c,
		       const struct equals *e, bool is_low, struct str *out)
{
	const struct rival *r = is_low ? e->least : e->most;

	if (e->count == 1) {
		add_rival(p, c, r, out);
		return;
	}
	str_addf(out, "the %zu workers of %s", e->count, e->label);
	add_share(r, e->run_ns, e->share_ns, out);
	str_add(out, is_low ? ", least of them " : ", most of them ");
	phase_add_name(p, r->task, out);
	str_addf(out, " with %llums", ULL(r->task->run_ns) / 1000000);
}

/* Shares that differ by more than this are not the same, however wide the limit is. */
#define MOST_ALIKE_PCT 25.0

/* The share if all rivals got the same, SCHED_IDLE ones included. */
static double same_for_all(const struct contest *c, const struct rival *r)
{
	(void)r;
	return c->total_ns / (double)c->count;
}

/*
 * Stores how far rival i, and the mean of its equals, are from the share that said()
 * returns, in percent of an average share.
 */
static void get_distance(const struct contest *c, size_t i,
			 double (*said)(const struct contest *, const struct rival *), double *one,
			 double *equals)
{
	double sum = 0, count = 0, percent = 100 / same_for_all(c, NULL);

	for (size_t k = 0; k < c->count; k++) {
		const struct rival *r = c->rivals[k];

		if (!shares_are_equals(r, c->rivals[i]))
			continue;
		sum += (double)r->task->run_ns - said(c, r);
		count++;
	}
	*one = fabs((double)c->rivals[i]->task->run_ns - said(c, c->rivals[i])) * percent;
	*equals = fabs(sum / count) * percent;
}

/*
 * True if all rivals got what said() returns. Single workers have good or bad luck under
 * any scheduler: a deviation of one does not prove that the scheduler honours weights.
 */
static bool is_what_all_got(const struct contest *c, double limit,
			    double (*said)(const struct contest *, const struct rival *))
{
	for (size_t i = 0; i < c->count; i++) {
		double one, equals;

		get_distance(c, i, said, &one, &equals);
		if (one > ALONE * limit || equals > limit)
			return false;
	}
	return true;
}

static double by_nice_value(const struct contest *c, const struct rival *r)
{
	(void)c;
	return r->by_task;
}

/* True if all got the same though they are due different shares. */
static bool ignores_weights(const struct contest *c, double limit)
{
	bool is_weighted = false;

	for (size_t i = 0; i < c->count; i++)
		is_weighted |= shares_due(c, c->rivals[i]) != shares_due(c, c->rivals[0]);
	return is_weighted && is_what_all_got(c, limit, same_for_all);
}

/* True if shares follow the nice values alone though cgroups have weights. */
static bool ignores_cgroup_weights(const struct contest *c, double limit)
{
	return shares_have_cgroup_weight(c) && is_what_all_got(c, limit, by_nice_value);
}

static const char *explain(const struct contest *c, double limit)
{
	limit = MIN(limit, MOST_ALIKE_PCT);
	return ignores_weights(c, limit)	? RESULT_IGNORES_WEIGHTS :
	       ignores_cgroup_weights(c, limit) ? "; as by nice values alone, whatever cpu.weight" :
						  "";
}

/* off_ns: difference between the CPU time that a worker got and what it was due. */
static void add_end(const struct contest *c, double limit, double off_ns, struct str *text,
		    struct ktstr_result *res)
{
	str_addf(text, "; %zu busy workers, %.1f s (threshold %.0f%%)%s", c->count, c->cap_ns / 1e9,
		 limit, explain(c, limit));
	res->failed_alloc |= text->failed;
	result_add(res, DETAIL_SHARE, KTSTR_FAILED, "%s", str_get(text));
	result_set_time(res, (uint64_t)fabs(off_ns));
}

/* luck: deviation that running whole tasks on CPUs explains, as a part of a mean share. */
static double limit_with(double luck, double limit)
{
	return luck > 0 ? PLACED * limit + luck * 100 : limit;
}

/*
 * Of several equals, one has more and another less, which averages out; a single one has no
 * such partner, so luck counts.
 */
static double limit_of_equals(const struct equals *e, double limit, bool is_low)
{
	return e->count > 1 ? limit : limit_with(is_low ? e->least->less : e->most->more, limit);
}

/*
 * Difference, as a part of the phase, by which a worker that started late is due less than
 * others.
 */
static double latest_start(const struct contest *c)
{
	double least = 1, most = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct observe_task *t = c->rivals[i]->task;
		double wanted = (double)t->run_ns + (double)t->wait_ns;

		least = MIN(least, wanted / c->cap_ns);
		most = MAX(most, MIN(wanted / c->cap_ns, 1));
	}
	return MAX(0, most - least);
}

/* A phase may end in the middle of a round, when one task has had a turn and another has not. */
static double even_limit(const struct contest *c, double limit, double even)
{
	double each = shares_mean_ns(c), longest = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct observe_task *t = c->rivals[i]->task;

		longest = MAX(longest, (double)t->run_ns / (double)MAX(t->runs, UINT64_C(1)));
	}
	return MIN(limit, MAX(even, TURNS * longest / each * 100) + latest_start(c) * 100);
}

static bool judge_equals(const struct judged_phase *p, const struct contest *c,
			 const struct share_extremes *x, double limit, struct ktstr_result *res)
{
	double all = c->is_anywhere ? even_limit(c, limit, ANYWHERE * limit) : limit;
	double low = limit_of_equals(&x->low_equals, all, true);
	double high = limit_of_equals(&x->high_equals, all, false);
	bool is_low = -shares_error_of_equals(c, &x->low_equals) * 100 > low;
	const struct equals *e = is_low ? &x->low_equals : &x->high_equals;
	_str_ struct str text = {};

	/* SCHED_IDLE workers may use what no other task missed. */
	if (!is_low && (x->high_equals.most->task->policy == SCHED_IDLE ||
			shares_error_of_equals(c, &x->high_equals) * 100 <= high))
		return true;
	str_add(&text, "unfair share: ");
	add_equals(p, c, &x->low_equals, true, &text);
	str_add(&text, "; ");
	add_equals(p, c, &x->high_equals, false, &text);
	add_end(c, is_low ? low : high, e->run_ns - e->share_ns, &text, res);
	return false;
}

static bool are_even(const struct contest *c)
{
	for (size_t i = 1; i < c->count; i++)
		if (c->rivals[i]->by_task != c->rivals[0]->by_task ||
		    c->rivals[i]->by_cgroup != c->rivals[0]->by_cgroup)
			return false;
	return true;
}

static double missing_ns(const struct contest *c, const struct rival *r)
{
	return shares_due(c, r) - (double)r->task->run_ns;
}

/*
 * The rival to report beside the one that fails: the one that misses most (has_least) or
 * has most, however small the difference. NULL = all of them are SCHED_IDLE.
 */
static const struct rival *opposite(const struct contest *c, bool has_least)
{
	const struct rival *found = NULL;

	for (size_t i = 0; i < c->count; i++) {
		const struct rival *r = c->rivals[i];

		if (r->task->policy == SCHED_IDLE)
			continue;
		if (!found || (has_least ? missing_ns(c, r) > missing_ns(c, found) :
					   missing_ns(c, r) < missing_ns(c, found)))
			found = r;
	}
	return found;
}

/*
 * A single worker may have bad luck on a CPU that balancing has not reached yet, but not if
 * it moves between CPUs all the time.
 */
static bool judge_each(const struct judged_phase *p, const struct contest *c,
		       const struct share_extremes *x, double limit, double even,
		       struct ktstr_result *res)
{
	double alone = !c->is_anywhere ? ALONE * limit :
		       are_even(c)     ? even_limit(c, limit, even) :
					 limit;
	double low = x->low->less > 0 ? MAX(alone, limit_with(x->low->less, limit)) : alone;
	double high = alone + x->high->more * 100;
	bool is_low = -shares_error(c, x->low) * 100 > low;
	const struct rival *r = is_low ? x->low : x->high;
	_str_ struct str text = {};

	if (!is_low && shares_error(c, x->high) * 100 <= high)
		return true;
	str_add(&text, "unfair share: ");
	add_rival(p, c, is_low ? r : opposite(c, true) ?: x->low, &text);
	str_add(&text, "; ");
	add_rival(p, c, is_low ? opposite(c, false) ?: x->high : r, &text);
	add_end(c, is_low ? low : high, (double)r->task->run_ns - shares_due(c, r), &text, res);
	return false;
}

static void add_llc(const struct judged_phase *p, const struct llc_share *s, const struct rival *r,
		    const char *which, struct str *out)
{
	str_addf(out,
		 "%zu worker%s in the LLC of cpu%u ran %.0fms of a share of %.0fms, %s of them ",
		 s->count, s->count == 1 ? "" : "s", s->first_cpu, s->run_ns / 1e6,
		 s->share_ns / 1e6, which);
	phase_add_name(p, r->task, out);
	str_addf(out, " with %llums", ULL(r->task->run_ns) / 1000000);
}

/* Judges whole LLCs with too many or too few workers, if all are due the same. */
static bool judge_llcs(const struct judged_phase *p, const struct contest *c, double limit,
		       struct ktstr_result *res)
{
	struct llc_share low, high, *worst;
	_str_ struct str text = {};
	double less, more;
	bool is_low;

	if (!are_even(c) || !shares_by_llc(p, c, &low, &high))
		return true;
	less = PLACED * limit + low.less * 100;
	more = PLACED * limit + high.more * 100;
	is_low = -llc_share_error(&low) * 100 > less;
	if (!is_low && llc_share_error(&high) * 100 <= more)
		return true;
	str_add(&text, "unfair share: ");
	add_llc(p, &low, low.least, "least", &text);
	str_add(&text, "; ");
	add_llc(p, &high, high.most, "most", &text);
	worst = is_low ? &low : &high;
	add_end(c, is_low ? less : more, worst->run_ns - worst->share_ns, &text, res);
	return false;
}

struct share_judging {
	double limit;
	double even; /* limit of one worker if workers move freely and all are due the same */
	struct ktstr_result *res;
};

static void mark_fair(const struct judged_phase *p, const struct contest *c)
{
	for (size_t i = 0; p->shares && i < c->count; i++)
		p->shares[c->rivals[i]->worker - p->workers].is_fair = true;
}

static void mark_luck(const struct judged_phase *p, const struct contest *c)
{
	double luck = shares_luck_pct(p, c);

	for (size_t i = 0; p->shares && i < c->count; i++)
		p->shares[c->rivals[i]->worker - p->workers].luck_pct = luck;
}

static void judge(const struct judged_phase *p, const struct contest *c, const char *why_not,
		  void *data)
{
	struct share_judging *j = data;
	struct share_extremes x;

	if (why_not) {
		if (c && c->is_disturbed)
			mark_luck(p, c);
		result_add(j->res, DETAIL_NOTE, KTSTR_SKIPPED, "%s", why_not);
		return;
	}
	gate_measure(j->res, GATE_SHARE_ERROR);
	if (are_even(c))
		gate_measure(j->res, GATE_EVEN_SHARE_ERROR);
	shares_extremes(c, &x);
	if (judge_equals(p, c, &x, j->limit, j->res) &&
	    judge_each(p, c, &x, j->limit, j->even, j->res) && judge_llcs(p, c, j->limit, j->res))
		mark_fair(p, c);
}

void check_shares(const struct judged_phase *p, const struct ktstr_assert *checks,
		  struct ktstr_result *res)
{
	struct share_judging j = { .res = res };

	if (!limit_of(checks->max_share_error_pct, &j.limit))
		return;
	if (!limit_of(checks->max_even_share_error_pct, &j.even))
		j.even = j.limit;
	if (shares_each(p, false, judge, &j) < 0)
		res->failed_alloc = true;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Long turns: of workers that are equal and always busy, none keeps its CPU many times as
 * long as the others while a task waits for it. All may get their share in the end, but a
 * task that comes to that CPU waits for the whole of such a turn.
 */
#include "check/parts.h"

#define LEAST_TURN_NS 50e6
#define OTHERS 3 /* least number of equals */

struct turns_judging {
	double limit;
	struct ktstr_result *res;
};

static double turn_ns(const struct observe_task *t)
{
	return t->runs ? (double)t->run_ns / (double)t->runs : 0;
}

/* Mean run time of the rival's equals, in ns; 0 = there are too few. */
static double turn_of_others(const struct contest *c, const struct rival *but)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->rivals[i] == but || !shares_are_equals(c->rivals[i], but))
			continue;
		sum += turn_ns(c->rivals[i]->task);
		count++;
	}
	return count < OTHERS ? 0 : sum / (double)count;
}

/* The task that waited longest behind the hog, or NULL. */
static const struct observe_task *victim_of(const struct judged_phase *p,
					    const struct observe_task *hog)
{
	const struct observe_task *worst = NULL;

	vec_each(const struct observe_task, t, &p->seen->tasks) {
		if (t->worst.by != (int)hog->pid || t->mark & OBSERVE_LIMITED ||
		    (double)t->worst.ns < LEAST_TURN_NS)
			continue;
		if (!worst || t->worst.ns > worst->worst.ns)
			worst = t;
	}
	return worst;
}

static void add_long(const struct judged_phase *p, const struct rival *r, double others_ns,
		     const struct observe_task *victim, const struct turns_judging *j)
{
	_str_ struct str text = {};

	str_add(&text, "long turns: ");
	phase_add_name(p, r->task, &text);
	str_addf(&text, " ran for %.0fms at a time on average, its equals for %.0fms; ",
		 turn_ns(r->task) / 1e6, others_ns / 1e6);
	phase_add_name(p, victim, &text);
	str_addf(&text, " waited %llums behind it on cpu%d at +%llums (threshold %g times)",
		 ULL(victim->worst.ns) / 1000000, victim->worst.cpu,
		 phase_at_ms(p, victim->worst.since_ns + victim->worst.ns), j->limit);
	j->res->failed_alloc |= text.failed;
	result_add(j->res, DETAIL_LATE_WAKEUP, KTSTR_FAILED, "%s", str_get(&text));
	result_set_time(j->res, victim->worst.ns);
}

/* Other tasks on the same CPUs (is_disturbed) are no excuse for long turns. */
static void judge(const struct judged_phase *p, const struct contest *c, const char *why_not,
		  void *data)
{
	const struct turns_judging *j = data;
	const struct observe_task *victim = NULL;
	const struct rival *worst = NULL;

	if (why_not && (!c || !c->is_disturbed))
		return;
	for (size_t i = 0; i < c->count; i++) {
		const struct rival *r = c->rivals[i];
		double others = turn_of_others(c, r);

		if (!r->is_busy || others <= 0 || turn_ns(r->task) < LEAST_TURN_NS ||
		    turn_ns(r->task) <= j->limit * others || !victim_of(p, r->task))
			continue;
		if (worst && turn_ns(r->task) <= turn_ns(worst->task))
			continue;
		worst = r;
		victim = victim_of(p, r->task);
	}
	if (worst)
		add_long(p, worst, turn_of_others(c, worst), victim, j);
}

void check_turns(const struct judged_phase *p, const struct ktstr_assert *checks,
		 struct ktstr_result *res)
{
	struct turns_judging j = { .res = res };

	if (limit_of(checks->max_wakeup_wait_ratio, &j.limit) &&
	    shares_each(p, true, judge, &j) < 0)
		res->failed_alloc = true;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sleepers: a task that sleeps at times may run at once when it wakes up, but gets no more
 * CPU time in all than always busy tasks that compete for the same CPUs and have the same
 * weight.
 */
#include "check/parts.h"

#define LENIENCE 2	 /* times the limit: a sleeper is placed anew at each wakeup */
#define LEAST_EXTRA 0.04 /* of the phase, per task: less than that is a matter of slices */

struct sleepers_judging {
	double limit;
	struct ktstr_result *res;
};

/* The always busy rival with the least CPU time, or NULL. */
static const struct rival *poorest(const struct contest *c)
{
	const struct rival *least = NULL;

	for (size_t i = 0; i < c->count; i++) {
		const struct rival *r = c->rivals[i];

		if (r->is_busy && (!least || r->task->run_ns < least->task->run_ns))
			least = r;
	}
	return least;
}

/* CPU time above the share, in percent of it, less what running whole tasks on CPUs explains. */
static double excess_pct(const struct contest *c, const struct equals *e)
{
	double extra = e->run_ns - e->share_ns, each = c->total_ns / (double)c->count;

	if (extra < LEAST_EXTRA * c->cap_ns * (double)e->count || e->share_ns <= 0)
		return 0;
	return (extra - e->most->more * each * (double)e->count) / e->share_ns * 100;
}

static void add_sleepers(const struct judged_phase *p, const struct contest *c,
			 const struct equals *e, const struct rival *busy, double limit,
			 struct ktstr_result *res)
{
	_str_ struct str text = {};

	str_add(&text, "unfair share: ");
	if (e->count > 1)
		str_addf(&text,
			 "%zu workers of %s that sleep at times ran %.0fms of a share of "
			 "%.0fms, most of them ",
			 e->count, e->label, e->run_ns / 1e6, e->share_ns / 1e6);
	phase_add_name(p, e->most->task, &text);
	str_addf(&text, e->count > 1 ? " with %llums; " : ", which sleeps at times, ran %llums",
		 ULL(e->most->task->run_ns) / 1000000);
	if (e->count == 1)
		str_addf(&text, " of a share of %.0fms; ", e->share_ns / 1e6);
	phase_add_name(p, busy->task, &text);
	str_addf(&text,
		 ", which is always busy, ran %llums; %zu workers, %.1f s (threshold %.0f%%)",
		 ULL(busy->task->run_ns) / 1000000, c->count, c->cap_ns / 1e9, limit);
	res->failed_alloc |= text.failed;
	result_add(res, DETAIL_SHARE, KTSTR_FAILED, "%s", str_get(&text));
	result_set_time(res, (uint64_t)(e->run_ns - e->share_ns));
}

/* check_shares() has already reported why shares of busy workers cannot be judged. */
static void judge(const struct judged_phase *p, const struct contest *c, const char *why_not,
		  void *data)
{
	const struct sleepers_judging *j = data;
	const struct rival *busy = why_not ? NULL : poorest(c);

	for (size_t i = 0; busy && i < c->count; i++) {
		struct equals e;

		if (c->rivals[i]->is_busy || !shares_is_first_of_equals(c, i))
			continue;
		shares_add_up(c, i, &e);
		if (excess_pct(c, &e) > LENIENCE * j->limit)
			add_sleepers(p, c, &e, busy, LENIENCE * j->limit, j->res);
	}
}

void check_sleepers(const struct judged_phase *p, const struct ktstr_assert *checks,
		    struct ktstr_result *res)
{
	struct sleepers_judging j = { .res = res };

	if (limit_of(checks->max_share_error_pct, &j.limit) && shares_each(p, true, judge, &j) < 0)
		res->failed_alloc = true;
}

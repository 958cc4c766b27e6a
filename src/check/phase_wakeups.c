// SPDX-License-Identifier: GPL-2.0-only
/*
 * Late wakeups: who sleeps at times does not wait longer for a CPU than those that are always
 * busy, compete for the same CPUs and have the same weight. A queue for all makes them wait
 * alike, and most schedulers serve first who comes back; slices of up to 25 ms make no difference.
 * Judged are all workers of a cgroup and nice value together; where these are in time, each of
 * them: one that is late each time is hidden in the mean of many.
 */
#include "check/assert.h"
#include "check/parts.h"

/* Less than this on average is the rest of somebody's slice. */
#define LEAST_NS 25e6
#define LEAST_WAITS 8

struct wakeups_judging {
	double limit;
	struct ktstr_result *res;
};

static double mean_wait_ns(const struct equals *e)
{
	return e->waits ? e->wait_ns / (double)e->waits : 0;
}

/* The always busy one of the same weight that waits longest each time, or NULL. */
static const struct rival *most_patient(const struct contest *c, const struct rival *as)
{
	const struct rival *most = NULL;

	for (size_t i = 0; i < c->count; i++) {
		const struct rival *r = c->rivals[i];

		if (!r->is_busy || r->weight != as->weight)
			continue;
		if (!most || rival_mean_wait_ns(r) > rival_mean_wait_ns(most))
			most = r;
	}
	return most;
}

static void add_late(const struct judged_phase *p, const struct equals *e, const struct rival *busy,
		     const struct wakeups_judging *j)
{
	_str_ struct str text = {};

	str_add(&text, "late wakeups: ");
	if (e->count > 1)
		str_addf(&text,
			 "%zu workers of %s that sleep at times waited %.0fms on average, longest "
			 "of them ",
			 e->count, e->latest->worker->group, mean_wait_ns(e) / 1e6);
	phase_add_name(p, e->latest->task, &text);
	str_addf(&text,
		 e->count > 1 ? " with %.0fms; " :
				", which sleeps at times, waited %.0fms on average; ",
		 rival_mean_wait_ns(e->latest) / 1e6);
	phase_add_name(p, busy->task, &text);
	str_addf(&text, ", which is always busy, waited %.0fms; %llu waits (threshold %g times)",
		 rival_mean_wait_ns(busy) / 1e6, (unsigned long long)e->waits, j->limit);
	j->res->failed_alloc |= text.failed;
	result_add(j->res, DETAIL_LATE_WAKEUP, KTSTR_FAILED, "%s", str_get(&text));
	result_set_time(j->res, (uint64_t)e->wait_ns);
}

static struct equals alone(const struct rival *r)
{
	return (struct equals){ .latest = r,
				.count = 1,
				.waits = r->task->waits,
				.wait_ns = (double)r->task->wait_ns };
}

static bool is_late(const struct equals *e, const struct rival *busy, double limit)
{
	return busy && e->waits >= LEAST_WAITS && mean_wait_ns(e) > LEAST_NS &&
	       mean_wait_ns(e) > limit * rival_mean_wait_ns(busy);
}

/* The one of these that waits longest each time and is late by itself. */
static void judge_each(const struct judged_phase *p, const struct contest *c, size_t first,
		       const struct rival *busy, const struct wakeups_judging *j)
{
	struct equals worst = {};

	for (size_t i = first; i < c->count; i++) {
		struct equals e = alone(c->rivals[i]);

		if (shares_are_equals(c->rivals[first], c->rivals[i]) &&
		    is_late(&e, busy, j->limit) && mean_wait_ns(&e) > mean_wait_ns(&worst))
			worst = e;
	}
	if (worst.count)
		add_late(p, &worst, busy, j);
}

/* What cannot be judged of those that are busy was told already. */
static void judge(const struct judged_phase *p, const struct contest *c, const char *why_not,
		  void *data)
{
	const struct wakeups_judging *j = data;

	for (size_t i = 0; !why_not && i < c->count; i++) {
		const struct rival *busy;
		struct equals e;

		if (c->rivals[i]->is_busy || !shares_is_first_of_equals(c, i))
			continue;
		busy = most_patient(c, c->rivals[i]);
		shares_add_up(c, i, &e);
		if (is_late(&e, busy, j->limit))
			add_late(p, &e, busy, j);
		else if (e.count > 1)
			judge_each(p, c, i, busy, j);
	}
}

void check_wakeups(const struct judged_phase *p, const struct ktstr_assert *checks,
		   struct ktstr_result *res)
{
	struct wakeups_judging j = { .res = res };

	if (limit_of(checks->max_wakeup_wait_ratio, &j.limit) &&
	    shares_each(p, true, judge, &j) < 0)
		res->failed_alloc = true;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Starved: a worker of the cgroup did no work at all, possibly because of the scheduler. */
#include "check/parts.h"

#define NSEC_PER_SEC_F 1e9
/* A worker that neither ran nor waited for a CPU for this part of its life was asleep. */
#define ASLEEP 0.75

/* Workers with the same finding, reported in one detail. */
struct alike {
	const struct worker_report *first;
	unsigned int count;
};

static void alike_add(struct alike *a, const struct worker_report *w)
{
	a->first = a->first ? a->first : w;
	a->count++;
}

/* " (and 2 more alike)" */
static void add_more(struct judging *j, const struct alike *a, struct str *text)
{
	if (a->count > 1)
		str_addf(text, " (and %u more alike)", a->count - 1);
	j->res->failed_alloc |= text->failed;
}

/*
 * True if the worker had plenty of CPU time. Custom work that never reports progress looks
 * starved.
 */
static bool is_silent(const struct worker_report *w)
{
	return w->total.cpu_time_ns > w->total.wall_time_ns / 2;
}

static void add_silent(struct judging *j, const struct alike *a)
{
	_str_ struct str more = {};

	if (!a->count)
		return;
	add_more(j, a, &more);
	result_add(j->res, DETAIL_NOTE, KTSTR_SKIPPED,
		   WORKER " had %.1f s on a CPU%s: its work has to call ktstr_worker_did()",
		   WORKER_ARGS(j, a->first), (double)a->first->total.cpu_time_ns / NSEC_PER_SEC_F,
		   str_get(&more));
}

static void add_asleep(struct judging *j, const struct alike *a)
{
	_str_ struct str more = {};

	if (!a->count)
		return;
	add_more(j, a, &more);
	result_add(j->res, DETAIL_NOTE, KTSTR_SKIPPED,
		   "progress of " WORKER
		   "%s not judged: it slept for nearly all of the time, while others of %s worked",
		   WORKER_ARGS(j, a->first), str_get(&more), j->cgroup->name);
}

/*
 * The worker was stopped before the end of the scenario, and lived for less than a task may
 * wait.
 */
static bool is_brief(const struct judging *j, const struct worker_report *w)
{
	return j->cgroup->ends_early &&
	       w->total.wall_time_ns < (uint64_t)assert_defaults.max_wait_ms * NSEC_PER_MSEC;
}

/*
 * True if the worker slept nearly all of the time: for example, it finds a full queue at
 * each wakeup and sleeps again, however soon it runs. That is not the scheduler's fault.
 */
static bool is_asleep(const struct judging *j, const struct worker_report *w)
{
	double awake_ns = 0;

	for (size_t i = 0; i < j->cgroup->seen_count; i++) {
		const struct observe_task *t = observed_task(&j->cgroup->seen[i], w->tid);

		if (!j->cgroup->seen[i].is_known)
			return false;
		awake_ns += t ? (double)t->run_ns + (double)t->wait_ns : 0;
	}
	return j->cgroup->seen_count && awake_ns < (1 - ASLEEP) * (double)w->total.wall_time_ns;
}

/*
 * True if any worker made progress. If none did, they all slept for a reason that should
 * not let the test pass.
 */
static bool has_progress(const struct judging *j)
{
	for (size_t i = 0; i < j->cgroup->count; i++) {
		const struct worker_report *w = judged_worker(j, i);

		if (w && w->total.work_units)
			return true;
	}
	return false;
}

static void add_frozen(struct judging *j)
{
	result_add(j->res, DETAIL_NOTE, KTSTR_SKIPPED,
		   "progress of %s not judged: the test froze its cgroup", j->cgroup->name);
}

static void add_starved(struct judging *j, const struct worker_report *w)
{
	result_add(j->res, DETAIL_STARVED, KTSTR_FAILED, "tid %d starved (0 work units): %s/%u",
		   w->tid, j->cgroup->name, w->index);
	result_set_time(j->res, w->total.wall_time_ns);
}

void check_starved(struct judging *j)
{
	struct alike silent = {}, asleep = {};

	if (!j->is_not_starved)
		return;
	if (j->cgroup->was_frozen) {
		add_frozen(j);
		return;
	}
	for (size_t i = 0; i < j->cgroup->count; i++) {
		const struct worker_report *w = judged_worker(j, i);

		if (!w || w->total.work_units || is_brief(j, w))
			continue;
		if (has_progress(j) && is_asleep(j, w)) {
			alike_add(&asleep, w);
			continue;
		}
		add_starved(j, w);
		if (is_silent(w))
			alike_add(&silent, w);
	}
	add_silent(j, &silent);
	add_asleep(j, &asleep);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Computes how long a thread was runnable without running between the snapshots. */
#include "ctprof/group.h"

#include <math.h>

/* Threads are read one after the other: this part of the window is uncertain. */
#define INEXACT_SHARE 0.02

static bool is_ready(const struct thread_record *t)
{
	return thread_has(t, M_state) && t->values[M_state].s && *t->values[M_state].s == 'R';
}

/* Each sleep is a voluntary switch, so a runnable thread without any has not slept. */
static bool has_never_slept(const struct thread_record *now, const struct thread_record *before)
{
	uint64_t from = before ? before->values[M_voluntary_csw].u : 0;

	if (!is_ready(now) || (before && !is_ready(before)))
		return false;
	return thread_has(now, M_voluntary_csw) &&
	       (!before || thread_has(before, M_voluntary_csw)) &&
	       now->values[M_voluntary_csw].u == from;
}

double thread_growth(const struct thread_record *now, const struct thread_record *before,
		     enum metric_id m)
{
	uint64_t from = before ? before->values[m].u : 0;

	if (!thread_measured(now, m) || (before && !thread_measured(before, m)) ||
	    now->values[m].u < from)
		return NAN;
	return (double)(now->values[m].u - from);
}

/*
 * The kernel adds a wait when it ends: a current one is not counted yet, and one that began before
 * the window is counted completely. A thread that never slept was runnable whenever it did not run,
 * and no wait is longer than the time not running.
 */
double thread_queued_ns(const struct thread_record *now, const struct thread_record *before,
			const struct window *w)
{
	double ran = thread_growth(now, before, M_run_time_ns);
	double waited = thread_growth(now, before, M_wait_time_ns);
	double alive = w->seconds * (double)NSEC_PER_SEC, rest;

	if (isnan(waited))
		waited = thread_growth(now, before, M_cpu_delay_total_ns);
	if (isnan(ran) || isnan(waited) || !w->is_one_boot || !(alive > 0))
		return waited;
	if (!before)
		alive *= window_alive(w, now->start_ticks.value);
	rest = fmax(alive - ran, 0);
	if (has_never_slept(now, before) && rest - waited > alive * INEXACT_SHARE)
		return rest;
	return fmin(waited, rest);
}

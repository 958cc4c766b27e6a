// SPDX-License-Identifier: GPL-2.0-only
/* Finds the groups that ran and waited most in the window, and those that mostly slept. */
#include "ctprof/report.h"

#include <math.h>

/* Thresholds for threads that wait for locks or messages: they sleep and wake all the time. */
#define MANY_SLEEPS_PER_SECOND 1000
#define SLEEPS_PER_SECOND 20
#define SLEEPS_PER_THREAD 0.5
#define MOSTLY 0.5 /* part of its time that a sleeper slept */

const struct time_column time_columns[TIME_KINDS] = {
	[TIME_RAN] = { "ran", "ran_ns" },
	[TIME_CPU] = { "CPU wait", "cpu_wait_ns" },
	[TIME_BLOCK_IO] = { "I/O wait", "block_io_wait_ns" },
	[TIME_OTHER] = { "other wait", "other_wait_ns" },
	[TIME_ASLEEP] = { "asleep", "asleep_ns" },
};

/* nr_threads is set for leaders only. Many processes of one thread each often just poll. */
static bool has_peers(const struct aggregate *a)
{
	return a->threads > 1 && a->threads >= 2 * a->measured[M_nr_threads];
}

/* Kernel workers sleep between work items, so they are excluded. */
static bool is_restless(const struct group *g, const struct window *w)
{
	const struct aggregate *a = g->sides[CANDIDATE];
	double thread_seconds = group_alive_ns(g, w) / (double)NSEC_PER_SEC;
	double sleeps = group_sleeps(g, w);

	if (a->kernel_threads || isnan(thread_seconds) || isnan(sleeps))
		return false;
	if (sleeps >= MANY_SLEEPS_PER_SECOND * w->seconds)
		return true;
	return has_peers(a) && sleeps >= SLEEPS_PER_SECOND * w->seconds &&
	       sleeps >= SLEEPS_PER_THREAD * thread_seconds;
}

static double sleep_of(const struct group *g, const struct report *r)
{
	double ns = group_asleep_ns(g, &r->window);

	return is_restless(g, &r->window) && ns >= group_alive_ns(g, &r->window) * MOSTLY ? ns : 0;
}

static double sleeps_of(const struct group *g, const struct report *r)
{
	return sleep_of(g, r) > 0 ? group_sleeps(g, &r->window) : 0;
}

struct top_few find_sleepers(const struct report *r)
{
	struct top_few longest = find_top(r, sleep_of), busiest = find_top(r, sleeps_of);

	for (size_t i = 0; i < top_told(&longest); i++)
		if (longest.items[i] == busiest.items[0])
			return longest;
	/* Adds the group with most sleeps: large groups that poll may have longer total sleep. */
	if (busiest.count) {
		longest.items[TOLD - 1] = busiest.items[0];
		longest.weights[TOLD - 1] = sleep_of(busiest.items[0], r);
	}
	return longest;
}

/* Returns whether all threads that were counted in the window have the measure. */
static bool is_of_all(const struct group *g, unsigned int measure)
{
	for (enum fate fate = FATE_SURVIVED; fate <= FATE_BORN; fate++)
		if (g->fates[fate] && g->fates[fate]->measured[measure] < g->fates[fate]->threads)
			return false;
	return true;
}

static void mark_partial(struct time_row *row)
{
	bool *partial = row->is_partial;

	partial[TIME_RAN] = !is_of_all(row->group, M_run_time_ns) &&
			    !is_of_all(row->group, M_utime_clock_ticks);
	partial[TIME_CPU] = !is_of_all(row->group, M_wait_time_ns) &&
			    !is_of_all(row->group, M_cpu_delay_total_ns);
	partial[TIME_BLOCK_IO] = !is_of_all(row->group, M_blkio_delay_total_ns) &&
				 !is_of_all(row->group, M_iowait_sum);
	partial[TIME_OTHER] = !is_of_all(row->group, M_freepages_delay_total_ns);
	/* Time asleep is the rest of the lifetime, so it depends on the other parts. */
	partial[TIME_ASLEEP] = partial[TIME_RAN] || partial[TIME_CPU] ||
			       (partial[TIME_BLOCK_IO] && !isnan(row->ns[TIME_BLOCK_IO]));
}

static struct time_row make_row(const struct group *g, const struct report *r)
{
	struct noticed_times n = group_notice(g, &r->window);
	struct time_row row = {
		.group = g,
		.ns = { [TIME_RAN] = n.cpu_ns,
			[TIME_CPU] = n.waits_ns[WAIT_CPU],
			[TIME_BLOCK_IO] = n.waits_ns[WAIT_BLOCK_IO],
			[TIME_OTHER] = notice_other(&n),
			[TIME_ASLEEP] = group_asleep_ns(g, &r->window) },
	};

	mark_partial(&row);
	return row;
}

static double time_of(const struct group *g, const struct report *r)
{
	struct noticed_times n = group_notice(g, &r->window);

	return notice_total(&n);
}

static void add_time_row(struct time_table *t, const struct group *g, const struct report *r)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->rows[i].group == g)
			return;
	t->rows[t->count++] = make_row(g, r);
}

struct time_table find_times(const struct report *r)
{
	struct top_few longest, sleepers;
	struct time_table t = {};

	if (!has_summary(r) || !r->kept.is_joined)
		return t;
	longest = find_top(r, time_of);
	sleepers = find_sleepers(r);
	for (size_t i = 0; i < longest.count; i++)
		if (longest.weights[i] >= longest.weights[0] * LITTLE_SHARE)
			add_time_row(&t, longest.items[i], r);
	for (size_t i = 0; i < top_told(&sleepers); i++)
		add_time_row(&t, sleepers.items[i], r);
	return t;
}

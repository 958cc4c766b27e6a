// SPDX-License-Identifier: GPL-2.0-only
/* Maps counters to kinds of time. */
#include "ctprof/report.h"

#include <math.h>

const char *const wait_names[WAIT_KINDS] = {
	[WAIT_CPU] = "for a CPU",
	[WAIT_BLOCK_IO] = "for block I/O",
	[WAIT_SWAP] = "for pages from swap",
	[WAIT_RECLAIM] = "for memory to be reclaimed",
	[WAIT_COMPACTION] = "for memory to be compacted",
	[WAIT_COPY] = "for pages to be copied on write",
	[WAIT_INTERRUPT] = "for interrupts",
};

/* The first measured one is used; METRIC_COUNT = there is no second one. */
static const unsigned int wait_measures[WAIT_KINDS][2] = {
	[WAIT_CPU] = { M_wait_time_ns, M_cpu_delay_total_ns },
	[WAIT_BLOCK_IO] = { M_blkio_delay_total_ns, M_iowait_sum },
	[WAIT_SWAP] = { M_swapin_delay_total_ns, M_thrashing_delay_total_ns },
	[WAIT_RECLAIM] = { M_freepages_delay_total_ns, METRIC_COUNT },
	[WAIT_COMPACTION] = { M_compact_delay_total_ns, METRIC_COUNT },
	[WAIT_COPY] = { M_wpcopy_delay_total_ns, METRIC_COUNT },
	[WAIT_INTERRUPT] = { M_irq_delay_total_ns, METRIC_COUNT },
};

static double growth(const struct group *g, unsigned int measure)
{
	struct value from = aggregate_value(g->sides[BASELINE], measure);
	struct value to = aggregate_value(g->sides[CANDIDATE], measure);

	if (!g->sides[BASELINE])
		return value_number(&to);
	return value_number(&to) - value_number(&from);
}

double group_activity(const struct group *g, unsigned int measure, const struct window *w)
{
	struct value v = g->is_joined ? group_window_value(g, measure) :
					value_real(growth(g, measure));
	struct delta d = { .kind = DELTA_NUMBER, .number = value_number(&v) };

	return is_beyond_window(g, measure, &d, w) ? NAN : d.number;
}

static double cpu_time(const struct group *g, const struct window *w)
{
	double ns = group_activity(g, M_run_time_ns, w);
	double ticks;

	if (!isnan(ns) || !w->user_hz)
		return ns;
	ticks = group_activity(g, M_utime_clock_ticks, w) +
		group_activity(g, M_stime_clock_ticks, w);
	return ticks * (double)NSEC_PER_SEC / w->user_hz;
}

/* NaN if no thread has it. */
static double queued_time(const struct group *g)
{
	double ns = NAN;

	for (enum fate fate = FATE_SURVIVED; fate <= FATE_BORN; fate++)
		if (g->fates[fate] && g->fates[fate]->queued_threads)
			ns = (isnan(ns) ? 0 : ns) + g->fates[fate]->queued_ns;
	return ns;
}

static double wait_time(const struct group *g, enum wait_kind kind, const struct window *w)
{
	double ns;

	if (kind == WAIT_CPU && g->is_joined)
		return queued_time(g);
	ns = group_activity(g, wait_measures[kind][0], w);
	if (isnan(ns) && wait_measures[kind][1] < METRIC_COUNT)
		return group_activity(g, wait_measures[kind][1], w);
	return ns;
}

struct noticed_times group_notice(const struct group *g, const struct window *w)
{
	struct noticed_times n = { .cpu_ns = cpu_time(g, w), .waited_ns = NAN };

	for (enum wait_kind kind = 0; kind < WAIT_KINDS; kind++) {
		n.waits_ns[kind] = wait_time(g, kind, w);
		if (isnan(n.waits_ns[kind]))
			continue;
		n.waited_ns = (isnan(n.waited_ns) ? 0 : n.waited_ns) + n.waits_ns[kind];
	}
	return n;
}

double notice_other(const struct noticed_times *n)
{
	double ns = NAN;

	for (enum wait_kind kind = WAIT_SWAP; kind < WAIT_KINDS; kind++)
		if (!isnan(n->waits_ns[kind]))
			ns = (isnan(ns) ? 0 : ns) + n->waits_ns[kind];
	return ns;
}

double group_alive_ns(const struct group *g, const struct window *w)
{
	const struct aggregate *a = g->sides[CANDIDATE];

	if (!g->is_joined || !(w->seconds > 0) || !a || a->known_starts < a->threads)
		return NAN;
	return a->alive_sum * w->seconds * (double)NSEC_PER_SEC;
}

double group_asleep_ns(const struct group *g, const struct window *w)
{
	struct noticed_times n = group_notice(g, w);
	double io = n.waits_ns[WAIT_BLOCK_IO];
	double ns = group_alive_ns(g, w) - n.cpu_ns - n.waits_ns[WAIT_CPU] - (isnan(io) ? 0 : io);

	return isnan(ns) ? NAN : fmax(ns, 0);
}

double group_sleeps(const struct group *g, const struct window *w)
{
	double for_disk = group_activity(g, M_blkio_delay_count, w);
	double all = group_activity(g, M_voluntary_csw, w);

	return for_disk > 0 ? fmax(all - for_disk, 0) : all;
}

double notice_total(const struct noticed_times *n)
{
	return (isnan(n->cpu_ns) ? 0 : fabs(n->cpu_ns)) +
	       (isnan(n->waited_ns) ? 0 : fabs(n->waited_ns));
}

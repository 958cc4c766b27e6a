// SPDX-License-Identifier: GPL-2.0-only
/* Values over the time of a test, summed over all CPUs, from the monitor's samples. */
#include "run/parts.h"

#include <math.h>

#define MAX_POINTS 96 /* per plot in a record */
#define FEWEST_POINTS 3

static double runnable_of(const struct cpu_sample *before _unused_, const struct cpu_sample *now)
{
	return now->nr_running;
}

static double idle_of(const struct cpu_sample *before _unused_, const struct cpu_sample *now)
{
	return now->is_known && !now->nr_running;
}

static double depth_of(const struct cpu_sample *before _unused_, const struct cpu_sample *now)
{
	return now->local_dsq_depth;
}

/* Time in ms that tasks waited for a CPU since the previous sample. */
static double waits_of(const struct cpu_sample *before, const struct cpu_sample *now)
{
	const uint64_t *a = &before->stats[STAT_RQ_RUN_DELAY], *b = &now->stats[STAT_RQ_RUN_DELAY];

	return *b > *a ? (double)(*b - *a) / NSEC_PER_MSEC : 0;
}

const struct plot plots[PLOT_COUNT] = {
	{ "runnable", runnable_of },
	{ "idle CPUs", idle_of },
	{ "local DSQs", depth_of },
	{ "waits, ms", waits_of },
};

/* Sum over all CPUs at sample i. */
static double value_at(const struct plot *plot, const struct series *s, size_t i)
{
	const struct guest_sample *now = &s->samples.items[i], *before = i ? now - 1 : now;
	double sum = 0;

	for (size_t k = 0; k < s->cpu_count; k++)
		sum += plot->of(&before->cpus[k], &now->cpus[k]);
	return sum;
}

double plot_most(const struct plot *plot, const struct series *s, size_t from, size_t to)
{
	double most = 0;

	for (size_t i = from; i < to; i++)
		most = fmax(most, value_at(plot, s, i));
	return most;
}

uint64_t plots_end_ms(const struct ktstr_result *r)
{
	uint64_t last = r->stimuli.count ? r->stimuli.items[r->stimuli.count - 1].elapsed_ms : 0;

	vec_each(const struct phase_stats, p, &r->phases)
		last = MAX(last, p->end_ms);
	return last;
}

/*
 * Start of the test on the clock of the samples, in ns. Sampling stops at the end of the test, so
 * its last phase ended with the last sample. A test without an end is assumed to have started with
 * the first sample, when its scheduler attached. Either is accurate to about one sampling interval.
 */
uint64_t plots_zero(const struct ktstr_result *r, const struct series *s)
{
	uint64_t first = s->samples.items[0].time_ns;
	uint64_t last = s->samples.items[s->samples.count - 1].time_ns;
	uint64_t end_ns = plots_end_ms(r) * NSEC_PER_MSEC;

	return r->phases.count && last > end_ns ? last - end_ns : first;
}

/* One decimal is enough for a plot. */
static double rounded(double value)
{
	return round(value * 10) / 10;
}

static double ms_since(uint64_t zero, const struct guest_sample *s)
{
	return rounded((double)(s->time_ns - zero) / NSEC_PER_MSEC);
}

static bool record_plot(const struct plot *plot, const struct series *s, size_t first,
			struct sidecar *to, struct sidecar_plot *out)
{
	size_t count = s->samples.count - first, columns = MIN(count, (size_t)MAX_POINTS);
	double *points = arena_alloc(&to->arena, columns * sizeof(*points));

	if (!points)
		return false;
	for (size_t i = 0; i < columns; i++)
		points[i] = rounded(plot_most(plot, s, first + i * count / columns,
					      first + (i + 1) * count / columns));
	out->name = plot->name;
	out->points = (struct sidecar_points){ points, columns };
	return true;
}

/* Omits plots that are 0 throughout, as the text does. */
void plots_record(const struct ktstr_result *r, const struct series *s, struct sidecar *to)
{
	struct sidecar_plot *out = arena_alloc(&to->arena, PLOT_COUNT * sizeof(*out));
	size_t first = 0, last = s->samples.count - 1, count = 0;
	uint64_t zero;

	if (!out || s->samples.count < FEWEST_POINTS)
		return;
	zero = plots_zero(r, s);
	while (first < last && s->samples.items[first].time_ns < zero)
		first++;
	if (last + 1 - first < FEWEST_POINTS)
		return;
	for (size_t i = 0; i < PLOT_COUNT; i++) {
		struct sidecar_plot p = { .from_ms = ms_since(zero, &s->samples.items[first]),
					  .to_ms = ms_since(zero, &s->samples.items[last]) };

		if (plot_most(&plots[i], s, first, last + 1) > 0 &&
		    record_plot(&plots[i], s, first, to, &p))
			out[count++] = p;
	}
	to->monitor.plots = out;
	to->monitor.plot_count = count;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timeline of a test: the phases between step events, with the throughput that the events carry and
 * the monitor's samples of the same time.
 */
#include "run/parts.h"

#include <math.h>

#define PLOT_WIDTH 48
#define PLOT_SAMPLES 3 /* fewer do not make a plot */
#define MAX_SHOWN 32   /* phases; a step may be a loop of many rounds */

/* Values of a phase: from its start to the start of the next. */
struct figures {
	uint64_t ms;
	double throughput; /* 0 = unknown */
	struct series part;
	struct monitor_summary sum;
};

/* Time of the next event, or of the end, in ms. */
static uint64_t end_of(const struct ktstr_result *r, size_t i)
{
	return i + 1 < r->stimuli.count ? r->stimuli.items[i + 1].elapsed_ms : plots_end_ms(r);
}

/* Iterations per second from event i to the next; 0 = unknown. */
static double throughput_of(const struct ktstr_result *r, size_t i)
{
	const struct stimulus *a = &r->stimuli.items[i], *b = a + 1;

	if (i + 1 >= r->stimuli.count || b->elapsed_ms <= a->elapsed_ms ||
	    b->total_iterations <= a->total_iterations)
		return 0;
	return (double)(b->total_iterations - a->total_iterations) * 1000 /
	       (b->elapsed_ms - a->elapsed_ms);
}

/* Returns whether any phase has a throughput. */
static bool has_figures(const struct ktstr_result *r)
{
	for (size_t i = 0; i < r->stimuli.count; i++)
		if (throughput_of(r, i) > 0)
			return true;
	return false;
}

static void add_header(const struct variant *v, const struct timeline_facts *facts,
		       uint64_t duration_ms, struct str *out)
{
	str_add(out, "\n--- timeline ---\n");
	if (facts->kernel)
		str_addf(out, "kernel: %s  ", facts->kernel);
	str_addf(out, "topology: %s (%u cpus)  ", topology_text(&v->topology),
		 vm_topology_cpus(&v->topology));
	if (facts->scheduler)
		str_addf(out, "scheduler: %s  ", facts->scheduler);
	str_addf(out, "scenario: %s  duration: %.1fs\n", v->test->name, (double)duration_ms / 1000);
}

/* Time of the last sample in ms on the test's clock. */
static uint64_t last_ms(const struct ktstr_result *r, const struct series *s)
{
	return (s->samples.items[s->samples.count - 1].time_ns - plots_zero(r, s)) / NSEC_PER_MSEC;
}

static void take_part(struct figures *f, const struct ktstr_result *r, const struct series *s,
		      uint64_t from_ms, uint64_t to_ms)
{
	uint64_t zero = plots_zero(r, s);
	size_t first = 0, end;

	while (first < s->samples.count &&
	       s->samples.items[first].time_ns < zero + from_ms * NSEC_PER_MSEC)
		first++;
	end = first;
	while (end < s->samples.count &&
	       s->samples.items[end].time_ns < zero + to_ms * NSEC_PER_MSEC)
		end++;
	f->part.cpu_count = s->cpu_count;
	f->part.samples.items = s->samples.items + first;
	f->part.samples.count = end - first;
	monitor_summarize(&f->part, &f->sum);
}

/* Values of the phase after event i; -1 = the baseline before the first event. */
static void look_at(struct figures *f, const struct ktstr_result *r,
		    const struct timeline_facts *facts, int i)
{
	uint64_t from = i < 0 ? 0 : r->stimuli.items[i].elapsed_ms;
	uint64_t to = i < 0 ? r->stimuli.items[0].elapsed_ms : end_of(r, (size_t)i);
	bool is_last = (size_t)(i + 1) == r->stimuli.count;

	*f = (struct figures){ .throughput = i < 0 ? 0 : throughput_of(r, (size_t)i) };
	if (facts->series && facts->series->samples.count) {
		take_part(f, r, facts->series, from, is_last ? UINT32_MAX : to);
		if (is_last)
			to = MAX(to, last_ms(r, facts->series));
	}
	f->ms = to > from ? to - from : 0;
}

/* All phases use the scale of the whole run. A column shows the maximum of its samples. */
static void add_plot(const struct plot *plot, const struct series *all, const struct series *part,
		     struct str *out)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const size_t steps = ARRAY_SIZE(bars) - 1;
	size_t first = (size_t)(part->samples.items - all->samples.items);
	size_t count = part->samples.count, columns = MIN(count, PLOT_WIDTH);
	double scale = plot_most(plot, all, 0, all->samples.count);

	if (scale <= 0)
		return;
	str_addf(out, "  %-10s ", plot->name);
	for (size_t i = 0; i < columns; i++) {
		double most = plot_most(plot, all, first + i * count / columns,
					first + (i + 1) * count / columns);

		str_add(out, bars[(size_t)(most / scale * (double)steps + 0.5)]);
	}
	str_addf(out, " max %.0f\n", plot_most(plot, all, first, first + count));
}

static void add_rates(const struct monitor_summary *m, struct str *out)
{
	if (m->events[SCX_EV_FALLBACK].is_known)
		str_addf(out, " | fallback: %.0f/s", m->events[SCX_EV_FALLBACK].per_s);
	if (m->events[SCX_EV_KEEP_LAST].is_known)
		str_addf(out, " | keep_last: %.0f/s", m->events[SCX_EV_KEEP_LAST].per_s);
}

static void add_figures(const struct figures *f, const struct series *all, struct str *out)
{
	const struct monitor_summary *m = &f->sum;

	if (!m->valid_samples) {
		if (f->throughput > 0)
			str_addf(out, "  throughput: %.0f iter/s (stimulus-derived)\n",
				 f->throughput);
		else
			str_add(out, "  [no samples]\n");
		return;
	}
	str_addf(out, "  imbalance: avg=%.1f max=%.1f | dsq: avg=%.0f max=%u | nr_run: avg=%.1f",
		 m->mean_imbalance, m->max_imbalance, m->mean_depth, m->max_depth, m->mean_running);
	add_rates(m, out);
	if (f->throughput > 0)
		str_addf(out, " | throughput: %.0f iter/s", f->throughput);
	str_addc(out, '\n');
	for (size_t i = 0; i < PLOT_COUNT && f->part.samples.count >= PLOT_SAMPLES; i++)
		add_plot(&plots[i], all, &f->part, out);
	if (m->stall_count)
		str_addf(out, "  stalls: %zu\n", m->stall_count);
}

static void add_cgroup(const struct cgroup_stats *c, struct str *out)
{
	str_add(out, "  ");
	text_add_printable(out, c->name ? c->name : "cgroup");
	str_add(out, ":");
	if (c->has_off_cpu)
		str_addf(out, " off-cpu avg=%.1f%% min=%.1f%% max=%.1f%% spread=%.1f%% |",
			 c->mean_off_cpu_pct, c->min_off_cpu_pct, c->max_off_cpu_pct,
			 c->spread_pct);
	if (c->has_run_delay)
		str_addf(out, " run-delay mean=%.0fµs worst=%.0fµs |", c->mean_run_delay_us,
			 c->worst_run_delay_us);
	str_addf(out, " iters=%llu migrations=%llu", ULL(c->iterations), ULL(c->migrations));
	if (c->gap_cpu >= 0)
		str_addf(out, " | gap=%llums@cpu%d", ULL(c->gap_ms), c->gap_cpu);
	str_addc(out, '\n');
}

/*
 * Phases of the test that belong to event i: a phase starts before its step does anything, and the
 * event is sent when the step is done.
 */
static void add_cgroups(const struct ktstr_result *r, size_t i, struct str *out)
{
	const struct stimulus *s = &r->stimuli.items[i];

	vec_each(const struct phase_stats, p, &r->phases) {
		if (p->start_ms > s->elapsed_ms || (i && p->start_ms <= s[-1].elapsed_ms))
			continue;
		vec_each(const struct cgroup_stats, c, &p->cgroups)
			add_cgroup(c, out);
	}
}

/* Reports a change by more than the limit; grows_worse: a larger value is worse. */
static void add_change(struct str *out, const char *name, double before, double now, double limit,
		       bool grows_worse)
{
	if (fabs(now - before) > limit)
		str_addf(out, "  >>> %s: %s %+.1f\n",
			 (now > before) == grows_worse ? "DEGRADATION" : "IMPROVEMENT", name,
			 now - before);
}

static void add_changes(const struct figures *a, const struct figures *b, struct str *out)
{
	const struct monitor_summary *x = &a->sum, *y = &b->sum;

	if (x->valid_samples && y->valid_samples) {
		add_change(out, "imbalance", x->mean_imbalance, y->mean_imbalance, 0.5, true);
		add_change(out, "dsq_depth", x->mean_depth, y->mean_depth, 3, true);
		add_change(out, "fallback", x->events[SCX_EV_FALLBACK].per_s,
			   y->events[SCX_EV_FALLBACK].per_s, 10, true);
		add_change(out, "keep_last", x->events[SCX_EV_KEEP_LAST].per_s,
			   y->events[SCX_EV_KEEP_LAST].per_s, 10, true);
	}
	if (a->throughput > 0 && b->throughput > 0)
		add_change(out, "throughput", a->throughput, b->throughput, 0.3 * a->throughput,
			   false);
}

static void add_phase(const struct ktstr_result *r, const struct timeline_facts *facts, size_t i,
		      const struct figures *before, const struct figures *f, struct str *out)
{
	const struct stimulus *s = &r->stimuli.items[i];

	str_addf(out, "\nPhase %zu: StepStart[%u] ops=%u (%llums, %zu samples):\n", i + 1, s->step,
		 s->op_count, ULL(f->ms), f->part.samples.count);
	add_figures(f, facts->series, out);
	add_cgroups(r, i, out);
	str_addf(out, "  >>> StepStart[%u]: ops=%u (%u cgroups, %u workers)\n", s->step,
		 s->op_count, s->cgroup_count, s->worker_count);
	add_changes(before, f, out);
}

/* For a test without step events, for instance one that hung: all samples together. */
static void add_whole(const struct variant *v, const struct timeline_facts *facts, struct str *out)
{
	const struct series *s = facts->series;
	struct figures all = { .part = { .cpu_count = s->cpu_count } };

	all.part.samples.items = s->samples.items;
	all.part.samples.count = s->samples.count;
	all.ms = (s->samples.items[s->samples.count - 1].time_ns - s->samples.items[0].time_ns) /
		 NSEC_PER_MSEC;
	monitor_summarize(&all.part, &all.sum);
	add_header(v, facts, all.ms, out);
	str_addf(out, "\nWhole run (%llums, %zu samples):\n", ULL(all.ms), s->samples.count);
	add_figures(&all, s, out);
}

void timeline_add(const struct variant *v, const struct ktstr_result *r,
		  const struct timeline_facts *facts, struct str *out)
{
	bool has_samples = facts->series && facts->series->samples.count;
	size_t count = r->stimuli.count, left_out = count > MAX_SHOWN ? count - MAX_SHOWN : 0;
	struct figures before, now;

	if (!count && has_samples)
		add_whole(v, facts, out);
	if (!count || (!has_figures(r) && !has_samples))
		return;
	/* If the body did not end, the last sample is the end. */
	add_header(v, facts,
		   has_samples ? MAX(plots_end_ms(r), last_ms(r, facts->series)) : plots_end_ms(r),
		   out);
	look_at(&before, r, facts, -1);
	str_addf(out, "\nBASELINE (settle, %llums, %zu samples):\n", ULL(before.ms),
		 before.part.samples.count);
	add_figures(&before, facts->series, out);
	/* Skip the first ones: problems show in the last phases. */
	if (left_out) {
		str_addf(out, "\n[%zu phases are not shown]\n", left_out);
		look_at(&before, r, facts, (int)left_out - 1);
	}
	for (size_t i = left_out; i < count; i++) {
		look_at(&now, r, facts, (int)i);
		add_phase(r, facts, i, &before, &now, out);
		before = now;
	}
}

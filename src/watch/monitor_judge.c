// SPDX-License-Identifier: GPL-2.0-only
/* A threshold is violated if it is exceeded in several consecutive samples. */
#include "watch/parts.h"

#include "check/check.h"

#define MAX_PLAUSIBLE_DEPTH 10000

/* The longest sequence of violating samples, and the worst value in it. */
struct stretch {
	size_t length, end, longest, longest_end;
	double worst, longest_worst;
	unsigned int cpu, longest_cpu;
};

static void stretch_step(struct stretch *s, bool is_broken, size_t index, double value,
			 unsigned int cpu)
{
	if (!is_broken) {
		s->length = 0;
		return;
	}
	if (!s->length++ || value >= s->worst) {
		s->worst = value;
		s->cpu = cpu;
	}
	s->end = index;
	if (s->length > s->longest) {
		s->longest = s->length;
		s->longest_end = s->end;
		s->longest_worst = s->worst;
		s->longest_cpu = s->cpu;
	}
}

struct monitor_judging {
	const struct series *series;
	size_t first; /* first sample that counts */
	size_t sustained;
	struct monitor_verdict *out;
};

static void add_detail(struct monitor_judging *j, const char *field, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void add_detail(struct monitor_judging *j, const char *field, const char *fmt, ...)
{
	struct monitor_verdict *v = j->out;
	struct monitor_detail detail = { .field = field };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(detail.text, sizeof(detail.text), fmt, ap);
	va_end(ap);
	v->violation_count++;
	if (v->detail_count < MONITOR_MAX_DETAILS)
		v->details[v->detail_count++] = detail;
}

static void judge_imbalance(struct monitor_judging *j, double limit)
{
	struct stretch s = {};

	for (size_t i = j->first; i < j->series->samples.count; i++) {
		double ratio = monitor_imbalance(&j->series->samples.items[i]);

		stretch_step(&s, ratio > limit, i, ratio, 0);
	}
	if (s.longest >= j->sustained)
		add_detail(j, "max_imbalance_ratio",
			   "imbalance ratio %.1f exceeded threshold %.1f for %zu consecutive "
			   "samples (ending at sample %zu)",
			   s.longest_worst, limit, s.longest, s.longest_end);
}

static void judge_depth(struct monitor_judging *j, double limit)
{
	struct stretch s = {};

	for (size_t i = j->first; i < j->series->samples.count; i++) {
		unsigned int cpu;
		uint32_t depth = monitor_depth(&j->series->samples.items[i], &cpu);

		stretch_step(&s, depth > limit, i, depth, cpu);
	}
	if (s.longest >= j->sustained)
		add_detail(j, "max_local_dsq_depth",
			   "local DSQ depth %.0f on cpu%u exceeded threshold %.0f for %zu "
			   "consecutive samples (ending at sample %zu)",
			   s.longest_worst, s.longest_cpu, limit, s.longest, s.longest_end);
}

static void judge_stall_of(struct monitor_judging *j, unsigned int cpu)
{
	const struct guest_sample *samples = j->series->samples.items;
	struct stretch s = {};

	for (size_t i = j->first + 1; i < j->series->samples.count; i++)
		stretch_step(&s,
			     monitor_is_stalled(&samples[i - 1].cpus[cpu], &samples[i].cpus[cpu]),
			     i, 0, cpu);
	if (s.longest >= j->sustained)
		add_detail(j, "fail_on_stall",
			   "rq_clock stall on cpu%u for %zu consecutive samples (ending at sample "
			   "%zu, clock=%llu)",
			   cpu, s.longest, s.longest_end,
			   ULL(samples[s.longest_end].cpus[cpu].clock_ns));
}

/* Rate of an event between two samples, over all CPUs; false = unknown. */
static bool rate_between(const struct guest_sample *a, const struct guest_sample *b,
			 enum scx_counter event, double *rate)
{
	int64_t grown = 0;

	for (size_t i = 0; i < b->cpu_count; i++) {
		if (!(a->cpus[i].known_events & b->cpus[i].known_events & 1U << event))
			return false;
		grown = (int64_t)((uint64_t)grown + (uint64_t)b->cpus[i].events[event] -
				  (uint64_t)a->cpus[i].events[event]);
	}
	*rate = grown > 0 && b->time_ns > a->time_ns ?
			(double)grown * NSEC_PER_SEC / (double)(b->time_ns - a->time_ns) :
			0;
	return true;
}

static void judge_rate(struct monitor_judging *j, const char *field, const char *name,
		       enum scx_counter event, double limit)
{
	const struct guest_sample *samples = j->series->samples.items;
	struct stretch s = {};

	for (size_t i = j->first + 1; i < j->series->samples.count; i++) {
		double rate = 0;
		bool is_known = rate_between(&samples[i - 1], &samples[i], event, &rate);

		stretch_step(&s, is_known && rate > limit, i, rate, 0);
	}
	if (s.longest >= j->sustained)
		add_detail(j, field,
			   "%s rate %.1f/s exceeded threshold %.1f/s for %zu consecutive intervals "
			   "(ending at sample %zu)",
			   name, s.longest_worst, limit, s.longest, s.longest_end);
}

/* False if depths are implausible or clocks never differ: the data was not initialized yet. */
static bool is_initialized(const struct series *s)
{
	uint64_t clock = 0;
	bool differs = false;
	size_t readings = 0;
	unsigned int cpu;

	vec_each(const struct guest_sample, sample, &s->samples) {
		if (monitor_depth(sample, &cpu) > MAX_PLAUSIBLE_DEPTH)
			return false;
		for (size_t k = 0; k < sample->cpu_count; k++) {
			if (!sample->cpus[k].is_known)
				continue;
			differs |= readings++ && sample->cpus[k].clock_ns != clock;
			clock = sample->cpus[k].clock_ns;
		}
	}
	return differs || readings == 1;
}

/* Checks imbalance, local DSQ depth and stalls. */
static void judge_states(struct monitor_judging *j, const struct ktstr_assert *a)
{
	double limit;

	if (limit_of(a->max_imbalance_ratio, &limit))
		judge_imbalance(j, limit);
	if (limit_of((double)a->max_local_dsq_depth, &limit))
		judge_depth(j, limit);
	if (a->fail_on_stall == KTSTR_ON)
		for (unsigned int i = 0; i < j->series->cpu_count; i++)
			judge_stall_of(j, i);
}

static void judge_rates(struct monitor_judging *j, const struct ktstr_assert *a)
{
	double limit;

	if (limit_of(a->max_fallback_rate, &limit))
		judge_rate(j, "max_fallback_rate", "fallback", SCX_EV_FALLBACK, limit);
	if (limit_of(a->max_keep_last_rate, &limit))
		judge_rate(j, "max_keep_last_rate", "keep_last", SCX_EV_KEEP_LAST, limit);
}

static size_t sustained_of(const struct ktstr_assert *limits)
{
	double sustained;

	return limit_of((double)limits->sustained_samples, &sustained) ? (size_t)sustained : 1;
}

void monitor_judge(const struct series *s, const struct ktstr_assert *limits,
		   struct monitor_verdict *out)
{
	struct monitor_judging j = { .series = s, .sustained = sustained_of(limits), .out = out };

	*out = (struct monitor_verdict){};
	if (!s->samples.count) {
		out->state = MONITOR_NO_SAMPLES;
		return;
	}
	if (!is_initialized(s)) {
		out->state = MONITOR_NOT_INITIALIZED;
		return;
	}
	j.first = s->samples.count > MONITOR_SETTLING ? MONITOR_SETTLING : 0;
	judge_states(&j, limits);
	judge_rates(&j, limits);
	out->state = out->violation_count ? MONITOR_FAILED : MONITOR_OK;
}

bool monitor_is_sustained(const struct series *s, const struct ktstr_assert *limits, bool settles,
			  struct monitor_detail *what)
{
	struct monitor_verdict found = {};
	struct monitor_judging j = { .series = s,
				     .sustained = sustained_of(limits),
				     .out = &found };
	size_t count = s->samples.count, settled = settles ? MONITOR_SETTLING : 0;
	size_t window = j.sustained + 1; /* a stall is between two samples */

	if (count <= settled)
		return false;
	j.first = MAX(settled, count > window ? count - window : 0);
	judge_states(&j, limits);
	if (!found.detail_count || !is_initialized(s))
		return false;
	*what = found.details[0];
	return true;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Summary of a run from its samples. */
#include "watch/parts.h"

#define MAX_PLAUSIBLE_DEPTH 10000
#define PREEMPTED_TICKS 10
#define TICK_NS (NSEC_PER_SEC / 250) /* HZ of the kernels that ktstr downloads */

double monitor_imbalance(const struct guest_sample *s)
{
	uint32_t most = 0, least = UINT32_MAX;

	for (size_t i = 0; i < s->cpu_count; i++) {
		if (!s->cpus[i].is_known)
			continue;
		most = MAX(most, s->cpus[i].nr_running);
		least = MIN(least, s->cpus[i].nr_running);
	}
	return least == UINT32_MAX ? 1 : (double)most / MAX(1, least);
}

uint32_t monitor_depth(const struct guest_sample *s, unsigned int *cpu)
{
	uint32_t deepest = 0;

	*cpu = 0;
	for (unsigned int i = 0; i < s->cpu_count; i++)
		if (s->cpus[i].is_known && s->cpus[i].local_dsq_depth > deepest) {
			deepest = s->cpus[i].local_dsq_depth;
			*cpu = i;
		}
	return deepest;
}

/* Returns whether the host kept the vCPU from running: then its clock cannot have advanced. */
static bool is_preempted(const struct cpu_sample *before, const struct cpu_sample *after)
{
	return before->vcpu_ns && after->vcpu_ns &&
	       after->vcpu_ns - before->vcpu_ns < PREEMPTED_TICKS * TICK_NS;
}

bool monitor_is_stalled(const struct cpu_sample *before, const struct cpu_sample *after)
{
	return before->is_known && after->is_known && after->clock_ns &&
	       after->clock_ns == before->clock_ns && before->nr_running && after->nr_running &&
	       !is_preempted(before, after);
}

static bool is_valid(const struct guest_sample *s)
{
	unsigned int cpu;

	return s->cpu_count && monitor_depth(s, &cpu) <= MAX_PLAUSIBLE_DEPTH;
}

static void add_sample(struct monitor_summary *m, const struct guest_sample *s)
{
	double imbalance = monitor_imbalance(s), running = 0, depth = 0;
	unsigned int cpu;

	m->valid_samples++;
	m->max_imbalance = MAX(m->max_imbalance, imbalance);
	m->mean_imbalance += imbalance;
	m->max_depth = MAX(m->max_depth, monitor_depth(s, &cpu));
	for (size_t i = 0; i < s->cpu_count; i++) {
		running += s->cpus[i].nr_running;
		depth += s->cpus[i].local_dsq_depth;
	}
	m->mean_running += running / (double)s->cpu_count;
	m->mean_depth += depth / (double)s->cpu_count;
}

static void add_stalls(struct monitor_summary *m, const struct guest_sample *before,
		       const struct guest_sample *after)
{
	for (size_t i = 0; i < after->cpu_count; i++)
		m->stall_count += monitor_is_stalled(&before->cpus[i], &after->cpus[i]);
}

/* Reads one counter of a CPU; false = unknown there. */
typedef bool counter_fn(const struct cpu_sample *c, size_t index, int64_t *value);

static bool event_of(const struct cpu_sample *c, size_t index, int64_t *value)
{
	*value = c->events[index];
	return c->known_events >> index & 1;
}

static bool stat_of(const struct cpu_sample *c, size_t index, int64_t *value)
{
	*value = (int64_t)c->stats[index];
	return c->known_stats >> index & 1;
}

static bool switches_of(const struct cpu_sample *c, size_t index, int64_t *value)
{
	(void)index;
	*value = (int64_t)c->switches;
	return c->is_known;
}

/* Sum over all CPUs; false = unknown for one of them. */
static bool sum_of(const struct guest_sample *s, counter_fn *get, size_t index, int64_t *sum)
{
	int64_t value;

	*sum = 0;
	for (size_t i = 0; i < s->cpu_count; i++) {
		if (!get(&s->cpus[i], index, &value))
			return false;
		*sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
	}
	return s->cpu_count > 0;
}

static struct monitor_counter count(const struct series *s, counter_fn *get, size_t index,
				    bool *has_fallen)
{
	const struct guest_sample *first = NULL, *last = NULL;
	int64_t begin = 0, end = 0, value;
	struct monitor_counter c = {};

	for (size_t i = 0; i < s->samples.count; i++) {
		if (!sum_of(&s->samples.items[i], get, index, &value))
			continue;
		last = &s->samples.items[i];
		end = value;
		if (!first)
			first = last, begin = value;
	}
	if (!first)
		return c;
	c.is_known = true;
	*has_fallen |= end < begin;
	c.total = end > begin ? (uint64_t)end - (uint64_t)begin : 0;
	if (last->time_ns > first->time_ns)
		c.per_s = (double)c.total * NSEC_PER_SEC / (double)(last->time_ns - first->time_ns);
	return c;
}

static uint64_t largest_burst(const struct series *s, counter_fn *get, size_t index)
{
	uint64_t burst = 0;

	for (size_t i = 1; i < s->samples.count; i++) {
		int64_t before, after;

		if (sum_of(&s->samples.items[i - 1], get, index, &before) &&
		    sum_of(&s->samples.items[i], get, index, &after) && after > before)
			burst = MAX(burst, (uint64_t)after - (uint64_t)before);
	}
	return burst;
}

static void count_all(const struct series *s, struct monitor_summary *m)
{
	for (size_t i = 0; i < SCX_COUNTERS; i++)
		m->events[i] = count(s, event_of, i, &m->has_fallen);
	for (size_t i = 0; i < SCHEDSTAT_COUNT; i++)
		m->stats[i] = count(s, stat_of, i, &m->has_fallen);
	m->switches = count(s, switches_of, 0, &m->has_fallen);
	m->max_fallback_burst = largest_burst(s, event_of, SCX_EV_FALLBACK);
}

void monitor_summarize(const struct series *s, struct monitor_summary *out)
{
	const struct guest_sample *samples = s->samples.items;

	*out = (struct monitor_summary){ .total_samples = s->samples.count };
	for (size_t i = 0; i < s->samples.count; i++) {
		if (is_valid(&samples[i]))
			add_sample(out, &samples[i]);
		if (i && is_valid(&samples[i]) && is_valid(&samples[i - 1]))
			add_stalls(out, &samples[i - 1], &samples[i]);
	}
	if (out->valid_samples) {
		out->mean_imbalance /= (double)out->valid_samples;
		out->mean_running /= (double)out->valid_samples;
		out->mean_depth /= (double)out->valid_samples;
	}
	if (s->samples.count > 1)
		out->seconds =
			(double)(samples[s->samples.count - 1].time_ns - samples[0].time_ns) /
			NSEC_PER_SEC;
	count_all(s, out);
}

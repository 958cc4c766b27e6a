// SPDX-License-Identifier: GPL-2.0-only
/* Reads whole run queues, those of all CPUs together, so that a sample needs few system calls. */
#include "watch/parts.h"

#define MAX_SPAN 16384

const char *const scx_counter_names[SCX_COUNTERS] = {
#define X(member, name) [SCX_##member] = #name,
	SCX_COUNTER_ROWS(X)
#undef X
};

const char *const schedstat_names[SCHEDSTAT_COUNT] = {
#define X(member, name) [STAT_##member] = #name,
	SCHEDSTATS(X)
#undef X
};

static const enum watch_member event_members[SCX_COUNTERS] = {
#define X(member, name) [SCX_##member] = M_##member,
	SCX_COUNTER_ROWS(X)
#undef X
};

static const enum watch_member stat_members[SCHEDSTAT_COUNT] = {
#define X(member, name) [STAT_##member] = M_##member,
	SCHEDSTATS(X)
#undef X
};

/* Number of bytes of a struct to read for these members. */
static size_t span_of(const struct watch_layout *l, enum watch_member first, enum watch_member last)
{
	size_t span = 0;

	for (enum watch_member m = first; m <= last; m++)
		if (layout_has(l, m))
			span = MAX(span, l->members[m] + sizeof(uint64_t));
	return span;
}

static void take_stats(struct cpu_sample *c, const struct watch_layout *l, const char *rq)
{
	for (size_t i = 0; i < SCHEDSTAT_COUNT; i++) {
		if (!layout_has(l, stat_members[i]))
			continue;
		c->known_stats |= 1U << i;
		c->stats[i] = layout_number(l, rq, stat_members[i]);
	}
}

/* Copies of all CPUs, to be freed; NULL = read each CPU separately. */
static char *read_cpus(struct space *space, uint64_t address, size_t cpu_count, size_t span)
{
	char *all = span ? malloc(cpu_count * span) : NULL;

	if (all && space_read_cpus(space, address, (unsigned int)cpu_count, span, all))
		return all;
	free(all);
	return NULL;
}

/* Copy of a single CPU. */
static bool read_cpu(struct space *space, uint64_t address, unsigned int cpu, char *out,
		     size_t span)
{
	uint64_t at;

	return space_of_cpu(space, address, cpu, &at) && space_read(space, at, out, span);
}

static void take_queue(struct cpu_sample *c, const struct watch_layout *l, const char *rq)
{
	c->is_known = true;
	c->has_scx = layout_has(l, M_RQ_LOCAL_NR) && layout_has(l, M_RQ_SCX_NR_RUNNING);
	c->nr_running = (uint32_t)layout_number(l, rq, M_RQ_NR_RUNNING);
	c->clock_ns = layout_number(l, rq, M_RQ_CLOCK);
	c->switches = layout_number(l, rq, M_RQ_SWITCHES);
	c->scx_nr_running = (uint32_t)layout_number(l, rq, M_RQ_SCX_NR_RUNNING);
	c->scx_flags = (uint32_t)layout_number(l, rq, M_RQ_SCX_FLAGS);
	c->local_dsq_depth = (uint32_t)layout_number(l, rq, M_RQ_LOCAL_NR);
	take_stats(c, l, rq);
}

static void take_events(struct cpu_sample *c, const struct watch_layout *l, const char *stats)
{
	for (size_t i = 0; i < SCX_COUNTERS; i++) {
		if (!layout_has(l, event_members[i]))
			continue;
		c->known_events |= 1U << i;
		c->events[i] = (int64_t)layout_number(l, stats, event_members[i]);
	}
}

/* Fills one part of the samples of all CPUs, from span bytes at each CPU's copy of address. */
static void take_part(struct guest_sample *s, struct space *space, uint64_t address, size_t span,
		      void (*take)(struct cpu_sample *c, const struct watch_layout *l,
				   const char *data))
{
	_free_ char *all = read_cpus(space, address, s->cpu_count, span);
	char one[MAX_SPAN];

	for (unsigned int i = 0; i < s->cpu_count && span; i++)
		if (all || read_cpu(space, address, i, one, span))
			take(&s->cpus[i], space->layout, all ? all + i * span : one);
}

void sample_take(struct guest_sample *s, struct space *space)
{
	const struct watch_layout *l = space->layout;
	size_t queue = span_of(l, M_RQ_NR_RUNNING, M_RQ_TTWU_LOCAL);
	size_t events = span_of(l, M_EV_FALLBACK, M_EV_SUB_BYPASS);
	uint64_t inside = layout_has(l, M_PCPU_EVENTS) ? l->members[M_PCPU_EVENTS] : 0;
	uint64_t instance = scx_instance(space), per_cpu = 0;
	bool has_events = instance && layout_has(l, M_SCHED_PCPU) &&
			  space_read_u64(space, instance + l->members[M_SCHED_PCPU], &per_cpu);

	s->has_scheduler = instance != 0;
	memset(s->cpus, 0, s->cpu_count * sizeof(*s->cpus));
	if (queue <= MAX_SPAN)
		take_part(s, space, space_symbol(space, SYM_RUNQUEUES), queue, take_queue);
	if (has_events && per_cpu && events <= MAX_SPAN)
		take_part(s, space, per_cpu + inside, events, take_events);
}

// SPDX-License-Identifier: GPL-2.0-only
/* From worker reports to statistics, and from cgroups to totals. */
#include "check/parts.h"

#include "work/types.h"

const struct worker_counts *worker_counts_of(const struct worker_report *w, int phase)
{
	const struct worker_counts *c;

	if (phase == STATS_WHOLE_RUN)
		return &w->total;
	if ((unsigned int)phase >= w->phase_count || phase >= WORKER_MAX_PHASES)
		return NULL;
	c = &w->phases[phase];
	return c->wall_time_ns || c->iterations ? c : NULL;
}

double worker_off_cpu_pct(const struct worker_counts *c)
{
	if (c->cpu_time_ns >= c->wall_time_ns)
		return 0;
	return (double)(c->wall_time_ns - c->cpu_time_ns) / (double)c->wall_time_ns * 100;
}

static double run_delay_pct(const struct worker_counts *c)
{
	return (double)c->run_delay_ns / (double)c->wall_time_ns * 100;
}

static bool is_node_of_cpuset(const struct judged_cgroup *cgroup, unsigned int node)
{
	array_each(const struct topology_cpu, cpu, cgroup->topology->cpus,
		   cgroup->topology->cpu_count)
		if (cpu->node == node && worker_cpus_have(cgroup->cpuset, cpu->id))
			return true;
	return false;
}

struct page_counts worker_pages(const struct worker_report *w, const struct judged_cgroup *cgroup)
{
	struct page_counts pages = {};

	if (!w || !w->has_numa_pages || !cgroup->cpuset || !cgroup->topology)
		return pages;
	for (unsigned int node = 0; node < WORKER_MAX_NODES; node++) {
		if (!w->numa_pages[node])
			continue;
		pages.total += w->numa_pages[node];
		if (is_node_of_cpuset(cgroup, node))
			pages.local += w->numa_pages[node];
	}
	return pages;
}

void cgroup_stats_init(struct cgroup_stats *s)
{
	*s = (struct cgroup_stats){ .gap_cpu = -1, .worst_wait_cpu = -1 };
	histogram_init(&s->wakes);
	histogram_init(&s->timers);
	histogram_init(&s->waits);
	histogram_init(&s->wakeup_waits);
}

static void add_cpus(struct worker_cpus *into, const struct worker_cpus *cpus)
{
	for (size_t i = 0; i < ARRAY_SIZE(into->bits); i++)
		into->bits[i] |= cpus->bits[i];
}

static void add_counters(struct cgroup_stats *s, const struct worker_counts *c,
			 const struct worker_report *w)
{
	uint64_t gap_ms = c->max_gap_ns / 1000000;

	s->workers++;
	s->migrations += c->migrations;
	s->iterations += c->iterations;
	s->work_units += c->work_units;
	s->cpu_time_ns += c->cpu_time_ns;
	s->wall_time_ns += c->wall_time_ns;
	s->work_kinds |= UINT64_C(1) << work_type_kind(w->work_kind);
	if (w->nice >= WORKER_MIN_NICE && w->nice < WORKER_MIN_NICE + WORKER_NICE_COUNT)
		s->nice_cpu_time_ns[w->nice - WORKER_MIN_NICE] += c->cpu_time_ns;
	if (c->max_gap_cpu >= 0 && (gap_ms > s->gap_ms || s->gap_cpu < 0)) {
		s->gap_ms = gap_ms;
		s->gap_cpu = c->max_gap_cpu;
		s->gap_tid = w->tid;
	}
	histogram_merge(&s->wakes, &c->wakes);
	histogram_merge(&s->timers, &c->timers);
	add_cpus(&s->cpu_list, &c->cpus_used);
}

struct range {
	unsigned int count;
	double min, max;
};

static void range_add(struct range *r, double value)
{
	r->min = r->count ? MIN(r->min, value) : value;
	r->max = r->count ? MAX(r->max, value) : value;
	r->count++;
}

/*
 * Sums over the workers that finished. Ranges are per role: a sender and the worker that
 * waits for it differ by design, whatever the scheduler does.
 */
struct shares {
	unsigned int timed, delayed;
	struct range off[WORKER_MAX_ROLES], delay[WORKER_MAX_ROLES];
};

/* The range of the role whose workers differ most. */
static struct range widest(const struct range *ranges)
{
	struct range found = {};

	for (size_t i = 0; i < WORKER_MAX_ROLES; i++)
		if (ranges[i].count &&
		    (!found.count || ranges[i].max - ranges[i].min > found.max - found.min))
			found = ranges[i];
	return found;
}

static void add_shares(struct cgroup_stats *s, const struct worker_counts *c, unsigned int role,
		       struct shares *sum)
{
	double off;

	if (!c->wall_time_ns)
		return;
	role = MIN(role, WORKER_MAX_ROLES - 1U);
	off = worker_off_cpu_pct(c);
	range_add(&sum->off[role], off);
	s->mean_off_cpu_pct += off;
	sum->timed++;
	if (!c->has_run_delay)
		return;
	range_add(&sum->delay[role], run_delay_pct(c));
	s->mean_run_delay_us += (double)c->run_delay_ns / 1000;
	s->worst_run_delay_us = MAX(s->worst_run_delay_us, (double)c->run_delay_ns / 1000);
	sum->delayed++;
}

static void divide_shares(struct cgroup_stats *s, const struct shares *sum)
{
	struct range off = widest(sum->off), delay = widest(sum->delay);

	s->has_off_cpu = sum->timed > 0;
	s->has_run_delay = sum->delayed > 0;
	if (s->has_off_cpu)
		s->mean_off_cpu_pct /= sum->timed;
	if (s->has_run_delay)
		s->mean_run_delay_us /= sum->delayed;
	s->min_off_cpu_pct = off.min;
	s->max_off_cpu_pct = off.max;
	s->spread_pct = off.max - off.min;
	s->run_delay_spread_pct = delay.max - delay.min;
}

static void add_pages(struct cgroup_stats *s, const struct judged_cgroup *cgroup)
{
	struct page_counts all = {};
	uint64_t migrated = 0;

	for (size_t i = 0; i < cgroup->count; i++) {
		const struct worker_report *w = cgroup->reports[i];
		struct page_counts pages = worker_pages(w, cgroup);

		all.local += pages.local;
		all.total += pages.total;
		/* Counted for the whole machine, so every worker saw the same count. */
		if (pages.total && w->has_pages_migrated)
			migrated = MAX(migrated, w->pages_migrated);
	}
	s->has_page_locality = all.total > 0;
	if (!all.total)
		return;
	s->page_locality = (double)all.local / (double)all.total;
	s->cross_node_migration_ratio = (double)migrated / (double)all.total;
}

static unsigned int count_cpus(const struct worker_cpus *cpus)
{
	unsigned int count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(cpus->bits); i++)
		count += (unsigned int)__builtin_popcountll(cpus->bits[i]);
	return count;
}

bool stats_of_cgroup(struct cgroup_stats *s, const struct judged_cgroup *cgroup, int phase)
{
	struct shares sum = {};

	cgroup_stats_init(s);
	for (size_t i = 0; i < cgroup->count; i++) {
		const struct worker_report *w = cgroup->reports[i];
		const struct worker_counts *c = worker_counts_of(w, phase);

		if (!c)
			continue;
		add_counters(s, c, w);
		if (w->end == WORKER_COMPLETED)
			add_shares(s, c, w->role, &sum);
	}
	divide_shares(s, &sum);
	s->cpus = count_cpus(&s->cpu_list);
	if (s->iterations)
		s->migration_ratio = (double)s->migrations / (double)s->iterations;
	if (s->workers)
		s->iterations_per_worker = (double)s->iterations / s->workers;
	if (phase == STATS_WHOLE_RUN)
		add_pages(s, cgroup);
	stats_add_events(s, cgroup, phase);
	return s->workers > 0;
}

/* ---- totals ---- */

static void lowest_not_zero(double *into, double value)
{
	if (value > 0 && (*into <= 0 || value < *into))
		*into = value;
}

static void add_sums(struct cgroup_stats *t, const struct cgroup_stats *c)
{
	t->workers += c->workers;
	add_cpus(&t->cpu_list, &c->cpu_list);
	t->migrations += c->migrations;
	t->iterations += c->iterations;
	t->work_units += c->work_units;
	t->cpu_time_ns += c->cpu_time_ns;
	t->wall_time_ns += c->wall_time_ns;
	t->work_kinds |= c->work_kinds;
	for (size_t i = 0; i < WORKER_NICE_COUNT; i++)
		t->nice_cpu_time_ns[i] += c->nice_cpu_time_ns[i];
	histogram_merge(&t->wakes, &c->wakes);
	histogram_merge(&t->timers, &c->timers);
}

static void add_off_cpu(struct cgroup_stats *t, const struct cgroup_stats *c)
{
	if (!c->has_off_cpu)
		return;
	t->min_off_cpu_pct = t->has_off_cpu ? MIN(t->min_off_cpu_pct, c->min_off_cpu_pct) :
					      c->min_off_cpu_pct;
	t->max_off_cpu_pct = MAX(t->max_off_cpu_pct, c->max_off_cpu_pct);
	t->mean_off_cpu_pct = MAX(t->mean_off_cpu_pct, c->mean_off_cpu_pct);
	t->has_off_cpu = true;
}

static void add_worst(struct cgroup_stats *t, const struct cgroup_stats *c)
{
	if (c->gap_cpu >= 0 && (c->gap_ms > t->gap_ms || t->gap_cpu < 0)) {
		t->gap_ms = c->gap_ms;
		t->gap_cpu = c->gap_cpu;
		t->gap_tid = c->gap_tid;
	}
	t->spread_pct = MAX(t->spread_pct, c->spread_pct);
	t->migration_ratio = MAX(t->migration_ratio, c->migration_ratio);
	t->has_run_delay |= c->has_run_delay;
	t->mean_run_delay_us = MAX(t->mean_run_delay_us, c->mean_run_delay_us);
	t->worst_run_delay_us = MAX(t->worst_run_delay_us, c->worst_run_delay_us);
	t->run_delay_spread_pct = MAX(t->run_delay_spread_pct, c->run_delay_spread_pct);
	t->has_page_locality |= c->has_page_locality;
	t->cross_node_migration_ratio =
		MAX(t->cross_node_migration_ratio, c->cross_node_migration_ratio);
	lowest_not_zero(&t->page_locality, c->page_locality);
	lowest_not_zero(&t->iterations_per_worker, c->iterations_per_worker);
}

void result_totals(const struct ktstr_result *r, struct cgroup_stats *totals)
{
	cgroup_stats_init(totals);
	for (size_t i = 0; i < r->cgroups.count; i++) {
		add_sums(totals, &r->cgroups.items[i]);
		add_off_cpu(totals, &r->cgroups.items[i]);
		add_worst(totals, &r->cgroups.items[i]);
		stats_merge_events(totals, &r->cgroups.items[i]);
	}
	totals->cpus = count_cpus(&totals->cpu_list);
}

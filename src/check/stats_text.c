// SPDX-License-Identifier: GPL-2.0-only
/*
 * The statistics below a failure. The first lines have a fixed format that programs parse;
 * further figures follow, one line per cgroup.
 */
#include "check/events.h"
#include "check/parts.h"

static void add_time(struct str *out, double ns)
{
	if (ns < 1e3)
		str_addf(out, "%.0fns", ns);
	else if (ns < 1e6)
		str_addf(out, "%.1fus", ns / 1e3);
	else if (ns < 1e9)
		str_addf(out, "%.1fms", ns / 1e6);
	else
		str_addf(out, "%.2fs", ns / 1e9);
}

static void add_latency(struct str *out, const char *what, const struct histogram *h)
{
	struct latency l;

	latency_of(h, &l);
	if (!l.count)
		return;
	str_addf(out, " %s(%llu)", what, ULL(l.count));
	str_add(out, " p50=");
	add_time(out, (double)l.p50_ns);
	str_add(out, " p90=");
	add_time(out, (double)l.p90_ns);
	str_add(out, " p99=");
	add_time(out, (double)l.p99_ns);
	str_add(out, " p99.9=");
	add_time(out, (double)l.p999_ns);
	str_add(out, " max=");
	add_time(out, (double)l.max_ns);
}

static void add_cgroup(struct str *out, size_t i, const struct cgroup_stats *c)
{
	str_addf(out,
		 "  cg%zu: workers=%u cpus=%u spread=%.1f%% gap=%llums migrations=%llu iter=%llu\n",
		 i, c->workers, c->cpus, c->spread_pct, ULL(c->gap_ms), ULL(c->migrations),
		 ULL(c->iterations));
}

static void add_more(struct str *out, size_t i, const struct cgroup_stats *c)
{
	str_addf(out, "  cg%zu (%s):", i, c->name);
	if (c->has_off_cpu)
		str_addf(out, " off_cpu=%.1f%%", c->mean_off_cpu_pct);
	if (c->has_run_delay) {
		str_addf(out, " run_delay_spread=%.1f%% run_delay=", c->run_delay_spread_pct);
		add_time(out, c->mean_run_delay_us * 1e3);
		str_add(out, " worst=");
		add_time(out, c->worst_run_delay_us * 1e3);
	} else {
		str_add(out, " run_delay=-");
	}
	if (c->gap_cpu >= 0)
		str_addf(out, " gap_on=cpu%d gap_tid=%d", c->gap_cpu, c->gap_tid);
	add_latency(out, "wake", &c->wakes);
	add_latency(out, "timer", &c->timers);
	if (c->has_page_locality)
		str_addf(out, " page_locality=%.4f", c->page_locality);
	str_addc(out, '\n');
}

static void add_waits(struct str *out, size_t i, const struct cgroup_stats *c)
{
	if (!c->has_events)
		return;
	str_addf(out, "  cg%zu (%s): waited=", i, c->name);
	add_time(out, (double)c->wait_ns);
	if (c->worst_wait_cpu >= 0) {
		str_add(out, " worst_wait=");
		add_time(out, c->worst_wait_us * 1e3);
		str_addf(out, " wait_on=cpu%d wait_tid=%d wait_at=+%llums", c->worst_wait_cpu,
			 c->worst_wait_tid, ULL(c->worst_wait_at_ms));
	}
	add_latency(out, "wait", &c->waits);
	add_latency(out, "wakeup", &c->wakeup_waits);
	str_addc(out, '\n');
}

/* Figures of the whole machine. */
static void add_events(struct str *out, const struct ktstr_result *r)
{
	const struct events_worst w = events_worst_of(r);

	if (!w.is_known)
		return;
	str_addf(out, "  events: migrations=%.0f/s", w.migrations_per_s);
	if (w.idle_cpu)
		str_addf(out, " worst_idle_wait=%.1f%% on cpu%u in phase %s", w.idle_wait_pct,
			 w.idle_cpu->cpu, w.idle_phase->name);
	if (w.system) {
		str_add(out, " worst_system_wait=");
		add_time(out, (double)w.system->worst_wait_ns);
		str_addf(out, " of %s (pid %d)", w.system->name, w.system->tid);
	}
	str_addc(out, '\n');
}

void result_add_stats_text(const struct ktstr_result *r, struct str *out)
{
	_free_ struct cgroup_stats *t = malloc(sizeof(*t));

	if (!t) {
		out->failed = true;
		return;
	}
	if (!r->cgroups.count)
		return;
	result_totals(r, t);
	str_add(out, "--- stats ---\n");
	str_addf(out,
		 "%u workers, %u cpus, %llu migrations, worst_spread=%.1f%%, worst_gap=%llums\n",
		 t->workers, t->cpus, ULL(t->migrations), t->spread_pct, ULL(t->gap_ms));
	for (size_t i = 0; i < r->cgroups.count; i++)
		add_cgroup(out, i, &r->cgroups.items[i]);
	for (size_t i = 0; i < r->cgroups.count; i++)
		add_more(out, i, &r->cgroups.items[i]);
	for (size_t i = 0; i < r->cgroups.count; i++)
		add_waits(out, i, &r->cgroups.items[i]);
	add_events(out, r);
}

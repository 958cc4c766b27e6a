// SPDX-License-Identifier: GPL-2.0-only
/* The section "--- monitor ---". */
#include "watch/parts.h"

void monitor_add_verdict(const struct monitor_verdict *v, struct str *out)
{
	static const char *const words[] = {
		[MONITOR_OK] = "monitor OK",
		[MONITOR_FAILED] = "monitor FAILED",
		[MONITOR_NO_SAMPLES] = "no monitor samples",
		[MONITOR_NOT_INITIALIZED] = "monitor data not yet initialized",
	};

	str_add(out, words[v->state]);
	if (v->state == MONITOR_FAILED)
		str_addf(out, ": %zu violation(s)", v->violation_count);
}

static void add_events(const struct monitor_summary *m, struct str *out)
{
	static const enum scx_counter more[] = {
		SCX_EV_REENQ_IMMED,	SCX_EV_REENQ_LOCAL,	SCX_EV_REFILL_SLICE,
		SCX_EV_BYPASS_ACTIVATE, SCX_EV_BYPASS_DISPATCH, SCX_EV_BYPASS_DURATION,
		SCX_EV_NOT_OWNED,	SCX_EV_SUB_BYPASS,
	};
	bool has_more = false;

	if (!m->events[SCX_EV_FALLBACK].is_known)
		return;
	str_addf(out, "events: fallback=%llu (%.1f/s) keep_last=%llu (%.1f/s) offline=%llu\n",
		 ULL(m->events[SCX_EV_FALLBACK].total), m->events[SCX_EV_FALLBACK].per_s,
		 ULL(m->events[SCX_EV_KEEP_LAST].total), m->events[SCX_EV_KEEP_LAST].per_s,
		 ULL(m->events[SCX_EV_OFFLINE].total));
	for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
		if (!m->events[more[i]].total)
			continue;
		str_addf(out, "%s%s=%llu%s",
			 has_more ? " " : "events+: ", scx_counter_names[more[i]],
			 ULL(m->events[more[i]].total),
			 more[i] == SCX_EV_BYPASS_DURATION ? "ns" : "");
		has_more = true;
	}
	if (has_more)
		str_addc(out, '\n');
}

static void add_schedstat(const struct monitor_summary *m, struct str *out)
{
	if (!m->stats[STAT_RQ_SCHED_COUNT].is_known)
		return;
	str_addf(out, "schedstat: csw=%llu (%.0f/s) run_delay=%.0fns/s ttwu=%llu goidle=%llu\n",
		 ULL(m->stats[STAT_RQ_SCHED_COUNT].total), m->stats[STAT_RQ_SCHED_COUNT].per_s,
		 m->stats[STAT_RQ_RUN_DELAY].per_s, ULL(m->stats[STAT_RQ_TTWU_COUNT].total),
		 ULL(m->stats[STAT_RQ_GOIDLE].total));
}

static void add_programs(const struct series *s, struct str *out)
{
	vec_each(const struct series_program, p, &s->programs) {
		if (!p->calls)
			continue;
		str_add(out, "bpf: ");
		text_add_printable(out, p->name);
		str_addf(out, " cnt=%llu %lluns/call\n", ULL(p->calls), ULL(p->ns / p->calls));
	}
}

static void add_verdict_line(const struct monitor_verdict *v, struct str *out)
{
	str_add(out, "verdict: ");
	monitor_add_verdict(v, out);
	for (size_t i = 0; i < v->detail_count; i++)
		str_addf(out, "%s%s", i ? "; " : ": ", v->details[i].text);
	str_addc(out, '\n');
}

void monitor_add_block(const struct series *s, const struct monitor_summary *m,
		       const struct monitor_verdict *v, struct str *out)
{
	if (*s->problem) {
		str_addf(out, "off: %s\n", s->problem);
		return;
	}
	str_addf(out, "samples=%zu max_imbalance=%.2f max_dsq_depth=%u stall=%s\n",
		 m->total_samples, m->max_imbalance, m->max_depth,
		 m->stall_count ? "true" : "false");
	str_addf(out, "avg: imbalance=%.2f nr_running/cpu=%.1f dsq/cpu=%.1f\n", m->mean_imbalance,
		 m->mean_running, m->mean_depth);
	add_events(m, out);
	add_schedstat(m, out);
	add_programs(s, out);
	if (s->unreadable)
		str_addf(out, "unreadable: %llu reads\n", ULL(s->unreadable));
	if (s->overruns)
		str_addf(out, "overruns: %llu samples took longer than 10 ms\n", ULL(s->overruns));
	if (m->has_fallen)
		str_add(out, "warning: a counter went back; it counts as not grown\n");
	add_verdict_line(v, out);
}

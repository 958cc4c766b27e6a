// SPDX-License-Identifier: GPL-2.0-only
/* Evaluation of monitor data in a judgement. */
#include "run/parts.h"

#include "check/check.h"

#define MONITOR_EXPECTED_MS 1000 /* ten samples; sampling starts with the scheduler */

int run_monitor_read(struct run_monitor *m, const struct str *samples,
		     const struct ktstr_assert *limits)
{
	int rc;

	*m = (struct run_monitor){};
	if (!samples->len)
		return 0;
	rc = series_decode(&m->series, samples->s, samples->len);
	if (rc < 0)
		return rc;
	m->is_known = true;
	monitor_summarize(&m->series, &m->summary);
	monitor_judge(&m->series, limits, &m->verdict);
	return 0;
}

void run_monitor_finish(struct run_monitor *m)
{
	series_finish(&m->series);
	*m = (struct run_monitor){};
}

static bool is_set(const struct ktstr_assert *limits, const struct assert_field *f)
{
	double raw = assert_raw(limits, f), limit;

	return limit_of(raw, &limit) && raw != assert_raw(&assert_defaults, f);
}

static bool is_own(const struct ktstr_assert *limits, const struct assert_field *f)
{
	return f->is_of_monitor && is_set(limits, f);
}

static bool is_own_by_name(const struct ktstr_assert *limits, const char *name)
{
	const struct assert_field *f = array_find(assert_fields, ASSERT_FIELDS, name, name);

	return f && is_own(limits, f);
}

/*
 * For tests without limits of their own and without samples. A test that was monitored and ran long
 * enough for samples is inconclusive. If the monitor was off, a note says so, and the verdict
 * depends on everything else.
 */
static void add_unseen(const struct run_monitor *m, const char *why, struct ktstr_result *r)
{
	uint64_t ms = plots_end_ms(r);

	if (!m->is_known)
		return;
	if (*m->series.problem)
		result_add(r, DETAIL_NOTE, KTSTR_SKIPPED, "the monitor was off: %s", why);
	else if (ms < MONITOR_EXPECTED_MS)
		result_add(r, DETAIL_NOTE, KTSTR_SKIPPED, "%s", why);
	else
		result_add(r, DETAIL_MONITOR, KTSTR_INCONCLUSIVE, "%s: the test ran for %llu ms",
			   why, ULL(ms));
}

static void add_blind(const struct run_monitor *m, const struct ktstr_assert *limits,
		      struct ktstr_result *r)
{
	_str_ struct str names = {}, why = {};

	for (size_t i = 0; i < ASSERT_FIELDS; i++)
		if (is_own(limits, &assert_fields[i]))
			str_addf(&names, "%s%s", names.len ? ", " : "", assert_fields[i].name);
	if (!m->is_known)
		str_add(&why, "the guest was not watched");
	else if (*m->series.problem)
		str_add(&why, m->series.problem);
	else
		monitor_add_verdict(&m->verdict, &why);
	if (names.len)
		result_add(r, DETAIL_MONITOR, KTSTR_INCONCLUSIVE, "%s could not be judged: %s",
			   str_get(&names), str_get(&why));
	else
		add_unseen(m, str_get(&why), r);
}

bool run_monitor_judge(const struct run_monitor *m, const struct ktstr_assert *limits,
		       struct ktstr_result *r)
{
	bool is_broken = false;
	double sustained = 1;

	limit_of((double)limits->sustained_samples, &sustained);
	if (!m->is_known ||
	    (m->verdict.state != MONITOR_OK && m->verdict.state != MONITOR_FAILED)) {
		add_blind(m, limits, r);
		return false;
	}
	array_each(const struct monitor_detail, d, m->verdict.details, m->verdict.detail_count) {
		if (!is_own_by_name(limits, d->field))
			continue;
		result_add(r, DETAIL_MONITOR, KTSTR_FAILED, "%s", d->text);
		result_set_time(r, (uint64_t)sustained * SERIES_PERIOD_NS);
		is_broken = true;
	}
	return is_broken;
}

void run_monitor_without_scheduler(const struct ktstr_assert *limits, struct ktstr_result *r)
{
	_str_ struct str names = {};

	array_each(const struct assert_field, f, assert_fields, ASSERT_FIELDS) {
		if ((f->is_of_monitor || f->is_of_scheduler) && is_set(limits, f))
			str_addf(&names, "%s%s", names.len ? ", " : "", f->name);
	}
	if (names.len)
		result_add(r, DETAIL_MONITOR, KTSTR_INCONCLUSIVE,
			   "%s could not be judged: the test has no scheduler", str_get(&names));
}

void run_monitor_add_section(const struct run_monitor *m, struct str *out)
{
	if (!m->is_known)
		return;
	str_add(out, "\n--- monitor ---\n");
	monitor_add_block(&m->series, &m->summary, &m->verdict, out);
}

/* Collects the pairs of a sidecar. */
struct pairs {
	struct sidecar *sidecar;
	VEC(struct sidecar_pair) list;
};

static void add(struct pairs *p, const char *name, double value)
{
	(void)vec_push(&p->list, (struct sidecar_pair){ .name = name, .value = value });
}

static void add_counter(struct pairs *p, const char *name, const struct monitor_counter *c)
{
	_free_ char *full = str_fmt("total_%s", name);
	const char *kept = full ? arena_copy(&p->sidecar->arena, full, strlen(full)) : NULL;

	if (kept && c->is_known)
		add(p, kept, (double)c->total);
}

static void collect(struct pairs *p, const struct monitor_summary *m)
{
	add(p, "total_samples", (double)m->total_samples);
	add(p, "max_imbalance_ratio", m->max_imbalance);
	add(p, "mean_imbalance_ratio", m->mean_imbalance);
	add(p, "max_dsq_depth", m->max_depth);
	add(p, "mean_nr_running", m->mean_running);
	add(p, "mean_dsq_depth", m->mean_depth);
	add(p, "stall_count", (double)m->stall_count);
	if (m->events[SCX_EV_FALLBACK].is_known) {
		add(p, "total_fallback", (double)m->events[SCX_EV_FALLBACK].total);
		add(p, "fallback_rate", m->events[SCX_EV_FALLBACK].per_s);
		add(p, "max_fallback_burst", (double)m->max_fallback_burst);
		add(p, "total_keep_last", (double)m->events[SCX_EV_KEEP_LAST].total);
		add(p, "keep_last_rate", m->events[SCX_EV_KEEP_LAST].per_s);
		add(p, "total_dispatch_offline", (double)m->events[SCX_EV_OFFLINE].total);
	}
	for (size_t i = SCX_EV_SKIP_EXITING; i < SCX_COUNTERS; i++)
		add_counter(p, scx_counter_names[i], &m->events[i]);
	for (size_t i = 0; i < SCHEDSTAT_COUNT; i++)
		add_counter(p, schedstat_names[i], &m->stats[i]);
	if (m->stats[STAT_RQ_RUN_DELAY].is_known)
		add(p, "run_delay_rate", m->stats[STAT_RQ_RUN_DELAY].per_s);
	if (m->stats[STAT_RQ_SCHED_COUNT].is_known)
		add(p, "sched_count_rate", m->stats[STAT_RQ_SCHED_COUNT].per_s);
	add_counter(p, "switches", &m->switches);
}

static void record_programs(const struct series *series, struct sidecar *s)
{
	size_t count = series->programs.count;
	struct sidecar_callback *items = arena_alloc(&s->arena, count * sizeof(*items));

	for (size_t i = 0; items && i < count; i++) {
		const struct series_program *p = &series->programs.items[i];
		const char *name = arena_copy(&s->arena, p->name, strlen(p->name));

		if (!name)
			return;
		items[i] = (struct sidecar_callback){ name, p->calls, p->ns };
	}
	s->monitor.callbacks = items;
	s->monitor.callback_count = items ? count : 0;
}

void run_monitor_record(const struct run_monitor *m, const struct ktstr_result *r,
			struct sidecar *s)
{
	struct pairs p = { .sidecar = s };
	_str_ struct str summary = {};
	struct sidecar_pair *items;

	if (!m->is_known || *m->series.problem)
		return;
	collect(&p, &m->summary);
	monitor_add_verdict(&m->verdict, &summary);
	items = arena_alloc(&s->arena, p.list.count * sizeof(*items));
	s->monitor.summary = arena_copy(&s->arena, str_get(&summary), summary.len);
	if (items && s->monitor.summary) {
		memcpy(items, p.list.items, p.list.count * sizeof(*items));
		s->monitor.is_known = true;
		s->monitor.numbers = (struct sidecar_pairs){ true, items, p.list.count };
		record_programs(&m->series, s);
		plots_record(r, &m->series, s);
	}
	free(p.list.items);
}

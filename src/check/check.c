// SPDX-License-Identifier: GPL-2.0-only
/*
 * Judges the workers of one cgroup. Each check is a function of its own; the order of the
 * list at the end is the order in which details appear.
 */

#include <math.h>
#include <signal.h>

#include "check/parts.h"

#define NSEC_PER_SEC_F 1e9
#define CUT_SHORT_NS UINT64_C(100000000)

#ifdef __OPTIMIZE__
static bool is_release = true;
#else
static bool is_release;
#endif

void check_set_release(bool release)
{
	is_release = release;
}

/*
 * In the simulator, time advances with the instructions of all CPUs together, so a worker
 * that waits makes the others faster.
 */
static bool is_sim;

void check_set_sim(bool sim)
{
	is_sim = sim;
}

bool check_is_release(void)
{
	return is_release;
}

/* ---- workers that are gone, or were refused something ---- */

/*
 * Adds a failure for a worker that did not finish because it never got a CPU, which is the
 * scheduler's fault. The worker may have been killed by now, so its wait may have ended
 * after the last phase. Returns false if it was not waiting when it was told to stop.
 */
static bool add_still_waiting(struct judging *j, const struct worker_report *w)
{
	const struct judged_cgroup *c = j->cgroup;
	const struct observe_task *t = c->after ? observed_task(c->after, w->tid) : NULL;
	uint64_t end_ns = c->seen_count ? c->seen[c->seen_count - 1].end_ns : 0;

	if (!t || t->worst.since_ns > end_ns || t->worst.since_ns + t->worst.ns <= end_ns)
		return false;
	result_add(j->res, DETAIL_STUCK, KTSTR_FAILED,
		   "stuck %llums on cpu%d at +%llums: " WORKER
		   " was runnable, and did not run when it was told to stop",
		   ULL(t->worst.ns) / 1000000, t->worst.cpu,
		   ULL(t->worst.since_ns + t->worst.ns - c->start_ns) / 1000000, WORKER_ARGS(j, w));
	result_set_time(j->res, t->worst.ns);
	return true;
}

static void check_lost(struct judging *j)
{
	for (size_t i = 0; i < j->cgroup->count; i++) {
		const struct worker_report *w = j->cgroup->reports[i];
		const char *signal_name;

		if (w->end != WORKER_COMPLETED && add_still_waiting(j, w))
			continue;
		switch (w->end) {
		case WORKER_COMPLETED:
			break;
		case WORKER_EXITED:
			result_add(j->res, DETAIL_WORKER_LOST, KTSTR_FAILED,
				   WORKER " lost: exited with code %d without a complete report",
				   WORKER_ARGS(j, w), w->end_value);
			break;
		case WORKER_SIGNALED:
			signal_name = sigabbrev_np(w->end_value);
			result_add(j->res, DETAIL_WORKER_LOST, KTSTR_FAILED,
				   WORKER " lost: killed by signal %d (SIG%s)", WORKER_ARGS(j, w),
				   w->end_value, signal_name ? signal_name : "?");
			break;
		case WORKER_TIMED_OUT:
			result_add(j->res, DETAIL_WORKER_LOST, KTSTR_FAILED,
				   WORKER " lost: did not stop within 5 s", WORKER_ARGS(j, w));
			result_set_time(j->res, WORKER_STOP_LIMIT_NS);
			break;
		case WORKER_WAIT_FAILED:
			result_add(j->res, DETAIL_WORKER_LOST, KTSTR_FAILED,
				   WORKER " lost: waiting for it failed: %s", WORKER_ARGS(j, w),
				   strerror(w->end_value));
			break;
		}
	}
}

/* The kernel refused something that the test asked for, so the run measured something else. */
static void check_setup(struct judging *j)
{
	for (size_t i = 0; i < j->cgroup->count; i++) {
		const struct worker_report *w = j->cgroup->reports[i];

		if (w->problem[0])
			result_add(j->res, DETAIL_WORKER_SETUP, KTSTR_INCONCLUSIVE, WORKER ": %.*s",
				   WORKER_ARGS(j, w), WORKER_PROBLEM_SIZE, w->problem);
	}
}

/* ---- not_starved and its parts ---- */

bool judging_limit(const struct judging *j, double raw, double fallback, double *limit,
		   bool *is_custom)
{
	*is_custom = raw != 0;
	if (*is_custom)
		return limit_of(raw, limit);
	*limit = fallback;
	return j->is_not_starved;
}

static void add_stuck(struct judging *j, const struct worker_report *w, bool is_custom,
		      double limit)
{
	const struct worker_counts *c = &w->total;
	unsigned long long gap_ms = c->max_gap_ns / 1000000, at_ms = c->max_gap_at_ns / 1000000;
	_str_ struct str text = {};

	str_addf(&text, "stuck %llums on cpu%d at +%llums: " WORKER " made no progress", gap_ms,
		 c->max_gap_cpu, at_ms, WORKER_ARGS(j, w));
	if (is_custom)
		str_addf(&text, " (threshold %.0fms)", limit);
	j->res->failed_alloc |= text.failed;
	result_add(j->res, DETAIL_STUCK, KTSTR_FAILED, "%s", str_get(&text));
	result_set_time(j->res, c->max_gap_ns);
}

/*
 * True if one recorded wait for a CPU makes up most of the worker's gap: check_waits() has
 * judged it.
 */
static bool is_waiting_for_cpu(const struct judging *j, const struct worker_report *w)
{
	uint64_t worst = 0;

	for (size_t i = 0; i < j->cgroup->seen_count; i++) {
		const struct observe_task *t = observed_task(&j->cgroup->seen[i], w->tid);

		worst = t ? MAX(worst, t->worst.ns) : worst;
	}
	return worst > w->total.max_gap_ns / 2;
}

static void check_gap(struct judging *j)
{
	double limit;
	bool is_custom;

	if (!judging_limit(j, (double)j->checks->max_gap_ms, is_release ? 2000 : 3000, &limit,
			   &is_custom) ||
	    j->cgroup->was_frozen)
		return;
	for (size_t i = 0; i < j->cgroup->count; i++) {
		const struct worker_report *w = judged_worker(j, i);

		if (w && w->total.max_gap_cpu >= 0 &&
		    (double)w->total.max_gap_ns / 1e6 >= limit + 1 && !is_waiting_for_cpu(j, w))
			add_stuck(j, w, is_custom, limit);
	}
}

static void check_run_delay_spread(struct judging *j)
{
	const struct cgroup_stats *s = j->stats;
	double limit;
	bool is_measured = s->has_run_delay && judging_timed_workers(j) >= 2;

	if (!limit_of(j->checks->max_run_delay_spread_pct, &limit))
		return;
	gate_note(j->res, GATE_RUN_DELAY_SPREAD, is_measured);
	if (!is_measured || s->run_delay_spread_pct <= limit)
		return;
	result_add(j->res, DETAIL_UNFAIR, KTSTR_FAILED,
		   "unfair cgroup: run delay spread=%.0f%% %u workers on %u cpus "
		   "(threshold %.0f%%)",
		   s->run_delay_spread_pct, s->workers, s->cpus, limit);
	result_set_time(j->res, judging_spread_ns(j, s->run_delay_spread_pct));
}

/* ---- isolation ---- */

static void add_unexpected_cpus(const struct worker_report *w, const struct worker_cpus *allowed,
				struct str *out)
{
	for (unsigned int cpu = 0; cpu < WORKER_MAX_CPUS; cpu++)
		if (worker_cpus_have(&w->total.cpus_used, cpu) && !worker_cpus_have(allowed, cpu))
			str_addf(out, "%s%u", out->len ? ", " : "", cpu);
}

static void check_isolation(struct judging *j)
{
	if (j->checks->isolation != KTSTR_ON || !j->cgroup->cpuset)
		return;
	for (size_t i = 0; i < j->cgroup->count; i++) {
		const struct worker_report *w = j->cgroup->reports[i];
		_str_ struct str cpus = {};

		add_unexpected_cpus(w, j->cgroup->cpuset, &cpus);
		if (cpus.len)
			result_add(j->res, DETAIL_ISOLATION, KTSTR_FAILED,
				   "tid %d ran on unexpected CPUs {%s}: %s/%u", w->tid,
				   str_get(&cpus), j->cgroup->name, w->index);
		j->res->failed_alloc |= cpus.failed;
	}
}

/* ---- throughput ---- */

/* Work units per second on a CPU. */
static bool work_rate(const struct worker_report *w, double *rate)
{
	if (!w || !w->total.cpu_time_ns)
		return false;
	*rate = (double)w->total.work_units / ((double)w->total.cpu_time_ns / NSEC_PER_SEC_F);
	return true;
}

static void check_throughput_cv(struct judging *j)
{
	double limit, rate, least = 0, sum = 0, squares = 0, mean, cv;
	const struct worker_report *slowest = NULL;
	size_t count = 0;
	bool is_measured;

	if (!limit_of(j->checks->max_throughput_cv, &limit))
		return;
	for (size_t i = 0; i < j->cgroup->count; i++) {
		if (!work_rate(judged_worker(j, i), &rate))
			continue;
		if (!slowest || rate < least) {
			slowest = judged_worker(j, i);
			least = rate;
		}
		sum += rate;
		squares += rate * rate;
		count++;
	}
	is_measured = count >= 2 && sum > 0;
	gate_note(j->res, GATE_THROUGHPUT_CV, is_measured);
	if (!is_measured)
		return;
	mean = sum / (double)count;
	cv = sqrt(MAX(0, squares / (double)count - mean * mean)) / mean;
	if (cv > limit)
		result_add(
			j->res, DETAIL_BENCHMARK, KTSTR_FAILED,
			"throughput CV %.3f exceeds limit %.3f (mean=%.0f work/cpu_s), least of " WORKER
			" with %.0f",
			cv, limit, mean, WORKER_ARGS(j, slowest), least);
}

/* Sets the time that the worker lost: without it, the rate would have been at the limit. */
static void set_missing_time(struct judging *j, double rate, double limit, uint64_t time_ns)
{
	result_set_time(j->res, (uint64_t)((1 - rate / limit) * (double)time_ns));
}

static void check_work_rate(struct judging *j)
{
	double limit, rate;

	if (!limit_of(j->checks->min_work_rate, &limit))
		return;
	for (size_t i = 0; i < j->cgroup->count; i++) {
		const struct worker_report *w = judged_worker(j, i);
		bool is_measured = work_rate(w, &rate);

		gate_note(j->res, GATE_WORK_RATE, is_measured);
		if (!is_measured || rate >= limit)
			continue;
		result_add(j->res, DETAIL_BENCHMARK, KTSTR_FAILED,
			   "worker %d throughput %.0f work/cpu_s below floor %.0f: %s/%u", w->tid,
			   rate, limit, j->cgroup->name, w->index);
		set_missing_time(j, rate, limit, w->total.cpu_time_ns);
	}
}

static void check_iteration_rate(struct judging *j)
{
	double limit, rate;

	if (!limit_of(j->checks->min_iteration_rate, &limit))
		return;
	for (size_t i = 0; i < j->cgroup->count; i++) {
		const struct worker_report *w = judged_worker(j, i);
		uint64_t time_ns = !w ? 0 : is_sim ? w->total.cpu_time_ns : w->total.wall_time_ns;

		gate_note(j->res, GATE_ITERATION_RATE, time_ns > 0);
		if (!time_ns)
			continue;
		rate = (double)w->total.iterations / ((double)time_ns / NSEC_PER_SEC_F);
		if (rate >= limit)
			continue;
		result_add(j->res, DETAIL_BENCHMARK, KTSTR_FAILED,
			   "worker %d iteration rate %.1f/s%s below floor %.1f/s: %s/%u", w->tid,
			   rate, is_sim ? " of CPU time" : "", limit, j->cgroup->name, w->index);
		set_missing_time(j, rate, limit, time_ns);
	}
}

/* ---- wake latency, over the pooled samples of the cgroup ---- */

static void check_wake_p99(struct judging *j)
{
	const struct histogram *wakes = &j->stats->wakes;
	unsigned long long p99;
	double limit;

	if (!limit_of((double)j->checks->max_p99_wake_latency_ns, &limit))
		return;
	gate_note(j->res, GATE_P99_WAKE, wakes->count > 0);
	if (!wakes->count)
		return;
	p99 = histogram_percentile(wakes, 0.99);
	if ((double)p99 <= limit)
		return;
	result_add(j->res, DETAIL_BENCHMARK, KTSTR_FAILED,
		   "p99 wake latency %lluns exceeds limit %.0fns (%llu samples)", p99, limit,
		   ULL(wakes->count));
	result_set_time(j->res, p99);
}

static void check_wake_cv(struct judging *j)
{
	const struct histogram *wakes = &j->stats->wakes;
	double limit, cv;

	if (!limit_of(j->checks->max_wake_latency_cv, &limit))
		return;
	gate_note(j->res, GATE_WAKE_CV, wakes->count >= 2);
	if (wakes->count < 2)
		return;
	cv = histogram_cv(wakes);
	if (cv <= limit)
		return;
	result_add(j->res, DETAIL_BENCHMARK, KTSTR_FAILED,
		   "wake latency CV %.3f exceeds limit %.3f (mean=%.0fns)", cv, limit,
		   histogram_mean(wakes));
	result_set_time(j->res, (uint64_t)(cv * histogram_mean(wakes)));
}

/* ---- migrations and memory ---- */

static void check_migrations(struct judging *j)
{
	const struct cgroup_stats *s = j->stats;
	double limit;

	if (!limit_of(j->checks->max_migration_ratio, &limit))
		return;
	gate_note(j->res, GATE_MIGRATION_RATIO, s->iterations > 0);
	if (s->migration_ratio > limit)
		result_add(j->res, DETAIL_MIGRATION, KTSTR_FAILED,
			   "migration ratio %.4f exceeds threshold %.4f (%llu migrations / %llu "
			   "iterations)",
			   s->migration_ratio, limit, ULL(s->migrations), ULL(s->iterations));
}

/* The three page checks differ in what they count, in their bound and in their message. */
struct page_check {
	enum gate gate;
	enum detail_kind kind;
	double raw;
	bool is_floor;
	const char *fmt;
};

static void judge_pages(struct judging *j, const struct page_check *check, uint64_t counted,
			uint64_t total)
{
	double limit, ratio;

	if (!limit_of(check->raw, &limit))
		return;
	gate_note(j->res, check->gate, total > 0);
	if (!total)
		return;
	ratio = (double)counted / (double)total;
	if (check->is_floor ? ratio >= limit : ratio <= limit)
		return;
	result_add(j->res, check->kind, KTSTR_FAILED, check->fmt, ratio, limit, ULL(counted),
		   ULL(total));
}

static void check_pages(struct judging *j)
{
	const struct ktstr_assert *a = j->checks;
	/* clang-format off */
	const struct page_check locality = {
		GATE_PAGE_LOCALITY, DETAIL_PAGE_LOCALITY, a->min_page_locality, true,
		"page locality %.4f below threshold %.4f (%llu/%llu pages local)" };
	const struct page_check cross_node = {
		GATE_CROSS_NODE, DETAIL_CROSS_NODE_MIGRATION, a->max_cross_node_migration_ratio, false,
		"cross-node migration ratio %.4f exceeds threshold %.4f (%llu/%llu pages migrated)" };
	const struct page_check slow_tier = {
		GATE_SLOW_TIER, DETAIL_SLOW_TIER, a->max_slow_tier_ratio, false,
		"slow-tier page ratio %.4f exceeds threshold %.4f (%llu/%llu pages on non-CPU nodes)" };
	/* clang-format on */

	for (size_t i = 0; i < j->cgroup->count; i++) {
		const struct worker_report *w = j->cgroup->reports[i];
		struct page_counts pages = worker_pages(w, j->cgroup);

		judge_pages(j, &locality, pages.local, pages.total);
		judge_pages(j, &cross_node, w->pages_migrated,
			    w->has_pages_migrated ? pages.total : 0);
		judge_pages(j, &slow_tier, pages.total - pages.local, pages.total);
	}
}

/* ---- all together ---- */

/* Checks that are valid however short the run was. */
static void (*const instant_checks[])(struct judging *j) = {
	check_lost,
	check_setup,
	check_isolation,
};

static void (*const all_checks[])(struct judging *j) = {
	check_lost,	  check_setup,	       check_starved,
	check_spread,	  check_gap,	       check_run_delay_spread,
	check_isolation,  check_throughput_cv, check_work_rate,
	check_wake_p99,	  check_wake_cv,       check_iteration_rate,
	check_migrations, check_pages,	       check_timer_p99,
};

static void run_checks(struct judging *j)
{
	bool had_time = !j->cgroup->was_cut_short || judging_life_ns(j) >= CUT_SHORT_NS;

	if (had_time)
		for (size_t i = 0; i < ARRAY_SIZE(all_checks); i++)
			all_checks[i](j);
	else
		for (size_t i = 0; i < ARRAY_SIZE(instant_checks); i++)
			instant_checks[i](j);
}

/* An explicit "off" counts as configured: a test that switches everything off means it. */
static bool has_worker_check(const struct ktstr_assert *a)
{
	for (size_t i = 0; i < ASSERT_FIELDS; i++)
		if (!assert_fields[i].is_of_monitor && !assert_fields[i].is_of_events &&
		    assert_raw(a, &assert_fields[i]) != 0)
			return true;
	return false;
}

static bool has_benchmark_check(const struct ktstr_assert *a)
{
	double ignored;

	return limit_of(a->max_throughput_cv, &ignored) || limit_of(a->min_work_rate, &ignored) ||
	       limit_of((double)a->max_p99_wake_latency_ns, &ignored) ||
	       limit_of(a->max_wake_latency_cv, &ignored) ||
	       limit_of(a->min_iteration_rate, &ignored);
}

static void push_stats(struct ktstr_result *res, struct cgroup_stats *s, const char *name,
		       int phase)
{
	int rc;

	s->name = strdup(name);
	if (!s->name)
		rc = -ENOMEM;
	else if (phase == STATS_WHOLE_RUN)
		rc = vec_push(&res->cgroups, *s);
	else
		rc = vec_push(&res->phases.items[phase].cgroups, *s);
	if (rc == 0)
		return;
	free(s->name);
	res->failed_alloc = true;
}

static void add_phases(const struct judged_cgroup *cgroup, struct cgroup_stats *s,
		       struct ktstr_result *res)
{
	for (size_t i = 0; i < res->phases.count; i++)
		if (stats_of_cgroup(s, cgroup, (int)i))
			push_stats(res, s, cgroup->name, (int)i);
}

void check_cgroup(const struct judged_cgroup *cgroup, const struct ktstr_assert *checks,
		  struct ktstr_result *res)
{
	_free_ struct cgroup_stats *s = malloc(sizeof(*s));
	struct judging j = {
		.cgroup = cgroup,
		.checks = checks,
		.stats = s,
		.res = res,
		.is_not_starved = checks->not_starved == KTSTR_ON || !has_worker_check(checks),
	};

	if (!s) {
		res->failed_alloc = true;
		return;
	}
	if (!stats_of_cgroup(s, cgroup, STATS_WHOLE_RUN)) {
		if (has_benchmark_check(checks))
			result_add(res, DETAIL_SKIP, KTSTR_SKIPPED,
				   "no worker reports - benchmark skipped");
		return;
	}
	result_pass(res);
	run_checks(&j);
	push_stats(res, s, cgroup->name, STATS_WHOLE_RUN);
	add_phases(cgroup, s, res);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Results in records: figures that are known, those that are not, and sums of them. */
#include "unit.h"

#include "base/err.h"
#include "check/result.h"
#include "record/sidecar.h"

/* A result of so many cgroups without any figures. */
static void result_with(struct ktstr_result *r, size_t cgroups)
{
	result_init(r);
	for (size_t i = 0; i < cgroups; i++) {
		struct cgroup_stats *c = calloc(1, sizeof(*c));

		assert_non_null(c);
		cgroup_stats_init(c);
		c->name = strdup("cg");
		assert_int_equal(vec_push(&r->cgroups, *c), 0);
		free(c);
	}
}

static void record_of(struct sidecar *s, struct ktstr_result *r)
{
	sidecar_init(s);
	assert_int_equal(sidecar_set_result(s, r), 0);
	result_finish(r);
}

static void assert_known(struct sidecar_number n, double value)
{
	assert_true(n.is_known);
	assert_true(n.value == value);
}

/* Unknown numbers are 0, so that equal records have equal bytes. */
static void assert_unknown(struct sidecar_number n)
{
	assert_false(n.is_known);
	assert_true(n.value == 0);
}

static void a_result_without_cgroups_has_no_totals(void **state)
{
	_sidecar_ struct sidecar s;
	struct ktstr_result r;

	(void)state;
	result_with(&r, 0);
	record_of(&s, &r);
#define X(member) assert_unknown(s.stats.member);
	SIDECAR_TOTAL_NUMBERS(X)
#undef X
	assert_int_equal(s.stats.cgroup_count, 0);
	assert_int_equal(s.phase_count, 0);
	assert_null(s.work_type);
}

/* Counts of a cgroup that did nothing are 0; what was not measured is unknown. */
static void a_cgroup_without_figures_has_counts_of_0(void **state)
{
	_sidecar_ struct sidecar s;
	struct ktstr_result r;

	(void)state;
	result_with(&r, 1);
	record_of(&s, &r);
	assert_known(s.stats.total_workers, 0);
	assert_known(s.stats.total_cpus, 0);
	assert_known(s.stats.total_migrations, 0);
	assert_known(s.stats.total_iterations, 0);
	assert_known(s.stats.worst_migration_ratio, 0);
	assert_unknown(s.stats.worst_spread);
	assert_unknown(s.stats.worst_gap_ms);
	assert_unknown(s.stats.worst_gap_cpu);
	assert_unknown(s.stats.worst_mean_run_delay_us);
	assert_unknown(s.stats.worst_run_delay_us);
	assert_unknown(s.stats.worst_iterations_per_worker);
	assert_unknown(s.stats.worst_page_locality);
	assert_unknown(s.stats.worst_cross_node_migration_ratio);
	assert_unknown(s.stats.worst_wait_us);
	assert_unknown(s.stats.worst_wait_cpu);
	assert_unknown(s.stats.total_wait_ms);
	assert_unknown(s.stats.worst_p99_wake_latency_us);
	assert_unknown(s.stats.worst_median_wake_latency_us);
	assert_unknown(s.stats.worst_wake_latency_cv);
	assert_unknown(s.stats.worst_wake_latency_tail_ratio);
	assert_unknown(s.stats.worst_p99_wait_us);
	assert_unknown(s.stats.worst_p99_wakeup_wait_us);
	assert_unknown(s.stats.cgroups[0].gap_ms);
	assert_unknown(s.stats.cgroups[0].gap_cpu);
	assert_unknown(s.stats.cgroups[0].worst_wait_cpu);
}

static void fill_cgroup(struct cgroup_stats *c)
{
	c->workers = 3;
	c->cpu_list.bits[0] = 0x7;
	c->migrations = 5;
	c->iterations = 7;
	c->has_off_cpu = true;
	c->spread_pct = 11;
	c->gap_ms = 13;
	c->gap_cpu = 0; /* the first CPU is one, too */
	c->migration_ratio = 0.25;
	c->has_run_delay = true;
	c->mean_run_delay_us = 17;
	c->worst_run_delay_us = 19;
	c->iterations_per_worker = 0.5;
	c->has_page_locality = true;
	c->page_locality = 0.75;
	c->cross_node_migration_ratio = 0.125;
	c->has_events = true;
	c->worst_wait_us = 23;
	c->worst_wait_cpu = 0;
	c->worst_wait_at_ms = 29;
	c->worst_wait_tid = 31;
	c->wait_ns = 2500000;
}

static void totals_are_the_figures_of_the_only_cgroup(void **state)
{
	_sidecar_ struct sidecar s;
	struct ktstr_result r;

	(void)state;
	result_with(&r, 1);
	fill_cgroup(&r.cgroups.items[0]);
	record_of(&s, &r);
	assert_known(s.stats.total_workers, 3);
	assert_known(s.stats.total_cpus, 3);
	assert_known(s.stats.total_migrations, 5);
	assert_known(s.stats.total_iterations, 7);
	assert_known(s.stats.worst_spread, 11);
	assert_known(s.stats.worst_gap_ms, 13);
	assert_known(s.stats.worst_gap_cpu, 0);
	assert_known(s.stats.worst_migration_ratio, 0.25);
	assert_known(s.stats.worst_mean_run_delay_us, 17);
	assert_known(s.stats.worst_run_delay_us, 19);
	assert_known(s.stats.worst_iterations_per_worker, 0.5);
	assert_known(s.stats.worst_page_locality, 0.75);
	assert_known(s.stats.worst_cross_node_migration_ratio, 0.125);
	assert_known(s.stats.worst_wait_us, 23);
	assert_known(s.stats.worst_wait_cpu, 0);
	assert_known(s.stats.total_wait_ms, 2.5);
	assert_known(s.stats.cgroups[0].gap_ms, 13);
	assert_known(s.stats.cgroups[0].gap_cpu, 0);
	assert_known(s.stats.cgroups[0].worst_wait_cpu, 0);
	assert_known(s.stats.cgroups[0].worst_wait_at_ms, 29);
	assert_known(s.stats.cgroups[0].worst_wait_tid, 31);
}

static void waits_are_summed_over_all_cgroups(void **state)
{
	_sidecar_ struct sidecar s;
	struct ktstr_result r;

	(void)state;
	result_with(&r, 3);
	for (size_t i = 0; i < r.cgroups.count; i++) {
		r.cgroups.items[i].has_events = true;
		r.cgroups.items[i].wait_ns = 1000000 << i;
	}
	record_of(&s, &r);
	assert_known(s.stats.total_wait_ms, 7);
	/* Events were recorded, and no worker waited. */
	assert_known(s.stats.worst_wait_us, 0);
	assert_unknown(s.stats.worst_wait_cpu);
}

/* A gap or a wait of which no CPU is known did not happen: its other figures are dropped. */
static void a_gap_or_wait_without_a_cpu_is_unknown(void **state)
{
	_sidecar_ struct sidecar s;
	struct phase_stats *phase;
	struct ktstr_result r;

	(void)state;
	result_with(&r, 2);
	assert_int_equal(result_add_phase(&r, "a", 0), 0);
	phase = &r.phases.items[0];
	for (size_t i = 0; i < 2; i++) {
		struct cgroup_stats *c = &r.cgroups.items[i], copy;

		fill_cgroup(c);
		c->gap_cpu = i ? 0 : -1;
		c->worst_wait_cpu = i ? -1 : 0;
		copy = *c;
		copy.name = strdup("cg");
		assert_int_equal(vec_push(&phase->cgroups, copy), 0);
	}
	record_of(&s, &r);
	assert_int_equal(s.stats.cgroup_count, 2);
	assert_int_equal(s.phases[0].cgroup_count, 2);
	for (int in_phase = 0; in_phase < 2; in_phase++) {
		const struct sidecar_cgroup *c = in_phase ? s.phases[0].cgroups : s.stats.cgroups;

		assert_unknown(c[0].gap_ms);
		assert_unknown(c[0].gap_cpu);
		assert_known(c[0].worst_wait_cpu, 0);
		assert_known(c[0].worst_wait_at_ms, 29);
		assert_known(c[0].worst_wait_tid, 31);
		assert_known(c[1].gap_ms, 13);
		assert_known(c[1].gap_cpu, 0);
		assert_unknown(c[1].worst_wait_cpu);
		assert_unknown(c[1].worst_wait_at_ms);
		assert_unknown(c[1].worst_wait_tid);
		assert_known(c[1].worst_wait_us, 23);
	}
}

/* Two latencies each, with other figures for wakeups, waits and waits after a wakeup. */
static void latencies_are_those_of_their_histograms(void **state)
{
	_sidecar_ struct sidecar s;
	struct cgroup_stats *c;
	struct ktstr_result r;

	(void)state;
	result_with(&r, 1);
	c = &r.cgroups.items[0];
	c->has_events = true;
	histogram_add(&c->wakes, 10);
	histogram_add(&c->wakes, 30);
	histogram_add(&c->waits, 40);
	histogram_add(&c->wakeup_waits, 50);
	record_of(&s, &r);
	assert_known(s.stats.worst_p99_wake_latency_us, 0.03);
	assert_known(s.stats.worst_median_wake_latency_us, 0.01);
	assert_known(s.stats.worst_wake_latency_cv, 0.5);
	assert_known(s.stats.worst_p99_wait_us, 0.04);
	assert_known(s.stats.worst_p99_wakeup_wait_us, 0.05);
}

/* Of 100 iterations or more; a median of 0 has no ratio. */
static void a_tail_needs_iterations_and_a_median(void **state)
{
	static const struct {
		uint64_t iterations, median, slowest;
		bool is_known;
		double ratio;
	} rows[] = {
		{ 100, 10, 20, true, 2 }, { 99, 10, 20, false, 0 }, { 100, 0, 20, false, 0 },
		{ 99, 0, 20, false, 0 },  { 100, 10, 10, true, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_sidecar_ struct sidecar s;
		struct ktstr_result r;

		result_with(&r, 1);
		r.cgroups.items[0].iterations = rows[i].iterations;
		histogram_add(&r.cgroups.items[0].wakes, rows[i].median);
		histogram_add(&r.cgroups.items[0].wakes, rows[i].slowest);
		record_of(&s, &r);
		assert_int_equal(s.stats.worst_wake_latency_tail_ratio.is_known, rows[i].is_known);
		assert_true(s.stats.worst_wake_latency_tail_ratio.value == rows[i].ratio);
		assert_true(s.stats.worst_p99_wake_latency_us.is_known);
	}
}

/* All buckets of a histogram, the first and the last, too. */
static void each_bucket_of_a_histogram_is_recorded(void **state)
{
	const struct latency *l;
	struct histogram *wakes;
	struct ktstr_result r;
	struct sidecar s;

	(void)state;
	result_with(&r, 1);
	wakes = &r.cgroups.items[0].wakes;
	histogram_add(wakes, 0);
	histogram_add_many(wakes, 1, 2);
	histogram_add_many(wakes, UINT64_MAX, 3);
	/* What follows the buckets of one histogram are the figures of the next. */
	histogram_add(&r.cgroups.items[0].timers, 1);
	record_of(&s, &r);
	l = &s.stats.cgroups[0].wakes;
	assert_int_equal(l->bucket_count, 3);
	assert_int_equal(l->buckets[0].index, 0);
	assert_int_equal(l->buckets[0].count, 1);
	assert_int_equal(l->buckets[1].index, 1);
	assert_int_equal(l->buckets[1].count, 2);
	assert_int_equal(l->buckets[2].index, HISTOGRAM_BUCKETS - 1);
	assert_int_equal(l->buckets[2].count, 3);
	assert_int_equal(s.stats.cgroups[0].timers.bucket_count, 1);
	assert_int_equal(s.stats.cgroups[0].waits.bucket_count, 0);
	sidecar_finish(&s);
}

/* ---- events ---- */

static struct phase_stats *add_phase(struct ktstr_result *r, bool has_events)
{
	static uint64_t start_ms;
	int i = result_add_phase(r, "phase", start_ms += 10);
	struct phase_stats *p;

	assert_true(i >= 0);
	p = &r->phases.items[i];
	p->events.is_known = has_events;
	p->events.observed_ns = 1000;
	return p;
}

static void add_idle_cpu(struct phase_stats *p, uint64_t idle_wait_ns, bool is_known)
{
	const struct cpu_events c = { .has_idle_wait = is_known, .idle_wait_ns = idle_wait_ns };

	assert_int_equal(vec_push(&p->events.cpus, c), 0);
}

static void add_waiting(struct phase_stats *p, uint64_t ns, bool is_worker)
{
	struct task_events t = {
		.is_worker = is_worker, .has_wait = true, .worst_wait_ns = ns, .worst_wait_cpu = 0
	};

	t.name = strdup("task");
	assert_int_equal(vec_push(&p->events.tasks, t), 0);
}

static void events_of_each_phase_have_their_worst(void **state)
{
	_sidecar_ struct sidecar s;
	struct phase_stats *p;
	struct ktstr_result r;

	(void)state;
	result_with(&r, 1);
	p = add_phase(&r, true);
	add_idle_cpu(p, 100, true);
	add_idle_cpu(p, 250, true);
	add_waiting(p, 2000, false);
	add_waiting(p, 9000, true);
	add_phase(&r, false);
	p = add_phase(&r, true);
	add_idle_cpu(p, 500, true);
	add_waiting(p, 3500, false);
	record_of(&s, &r);
	assert_int_equal(s.phase_count, 3);
	assert_known(s.phases[0].events.idle_wait_pct, 25);
	assert_known(s.phases[0].events.system_wait_us, 2);
	assert_false(s.phases[1].events.is_known);
	assert_unknown(s.phases[1].events.idle_wait_pct);
	assert_unknown(s.phases[1].events.system_wait_us);
	assert_known(s.phases[2].events.idle_wait_pct, 50);
	assert_known(s.phases[2].events.system_wait_us, 3.5);
	assert_known(s.stats.worst_idle_wait_pct, 50);
	assert_known(s.stats.worst_system_wait_us, 3.5);
}

/* If no other task than workers waited, the longest wait of such a task is 0, not unknown. */
static void without_a_waiting_system_task_its_wait_is_0(void **state)
{
	_sidecar_ struct sidecar s;
	struct phase_stats *p;
	struct ktstr_result r;

	(void)state;
	result_with(&r, 1);
	p = add_phase(&r, true);
	p->events.migrations_per_s = 3;
	add_idle_cpu(p, 100, false);
	add_waiting(p, 9000, true);
	record_of(&s, &r);
	assert_known(s.phases[0].events.system_wait_us, 0);
	assert_known(s.stats.worst_system_wait_us, 0);
	assert_known(s.stats.worst_migrations_per_s, 3);
	/* Only CPUs that were online all the time are judged, and nothing competed for them. */
	assert_unknown(s.phases[0].events.idle_wait_pct);
	assert_unknown(s.stats.worst_idle_wait_pct);
	assert_unknown(s.stats.worst_share_error_pct);
	assert_unknown(s.stats.worst_single_share_error_pct);
}

static void shares_are_known_if_tasks_competed(void **state)
{
	_sidecar_ struct sidecar s;
	struct phase_stats *p;
	struct ktstr_result r;

	(void)state;
	result_with(&r, 1);
	p = add_phase(&r, true);
	p->events.has_shares = true;
	p->events.share_error_pct = 12;
	p->events.single_share_error_pct = 34;
	record_of(&s, &r);
	assert_known(s.stats.worst_share_error_pct, 12);
	assert_known(s.stats.worst_single_share_error_pct, 34);
	assert_known(s.phases[0].events.share_error_pct, 12);
	assert_known(s.phases[0].events.single_share_error_pct, 34);
}

/* ---- kinds of work ---- */

static void set_work(struct ktstr_result *r, uint64_t first, uint64_t second)
{
	result_with(r, 2);
	r->cgroups.items[0].work_kinds = first;
	r->cgroups.items[1].work_kinds = second;
}

#define KIND(name) (UINT64_C(1) << KTSTR_WORK_##name)

static void kinds_of_work_are_joined_in_their_order(void **state)
{
	static const struct {
		uint64_t first, second;
		const char *names;
	} rows[] = {
		{ KIND(CPU_SPIN), 0, "CpuSpin" },
		{ 0, KIND(CPU_SPIN), "CpuSpin" },
		{ KIND(YIELD_HEAVY), KIND(CPU_SPIN), "CpuSpin+YieldHeavy" },
		{ KIND(CPU_SPIN), KIND(CPU_SPIN), "CpuSpin" },
		{ KIND(EXEC_STORM), KIND(YIELD_HEAVY), "YieldHeavy+ExecStorm" },
		/* The default is the first kind, under its own number. */
		{ KIND(DEFAULT), 0, "CpuSpin" },
		/* A kind of a later version has no name here. */
		{ KIND(CPU_SPIN) | KIND(COUNT), 0, "CpuSpin" },
		{ 0, 0, "as before" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_sidecar_ struct sidecar s;
		struct ktstr_result r;

		sidecar_init(&s);
		s.work_type = "as before";
		set_work(&r, rows[i].first, rows[i].second);
		assert_int_equal(sidecar_set_result(&s, &r), 0);
		assert_string_equal(s.work_type, rows[i].names);
		result_finish(&r);
	}
}

/* Room that a list has in reserve does not belong to it. */
static void only_cgroups_of_the_result_count(void **state)
{
	_sidecar_ struct sidecar s;
	struct ktstr_result r;

	(void)state;
	set_work(&r, KIND(CPU_SPIN), KIND(YIELD_HEAVY));
	r.cgroups.items[1].has_events = r.cgroups.items[0].has_events = true;
	r.cgroups.items[1].wait_ns = 5000000;
	free(r.cgroups.items[1].name);
	r.cgroups.count = 1;
	record_of(&s, &r);
	assert_string_equal(s.work_type, "CpuSpin");
	assert_known(s.stats.total_wait_ms, 0);
	assert_int_equal(s.stats.cgroup_count, 1);
}

/* The record of a second result has nothing of the first. */
static void a_second_result_replaces_the_first(void **state)
{
	_sidecar_ struct sidecar s;
	struct ktstr_result r;

	(void)state;
	sidecar_init(&s);
	result_with(&r, 1);
	fill_cgroup(&r.cgroups.items[0]);
	assert_int_equal(sidecar_set_result(&s, &r), 0);
	result_finish(&r);
	result_with(&r, 0);
	assert_int_equal(sidecar_set_result(&s, &r), 0);
	result_finish(&r);
#define X(member) assert_unknown(s.stats.member);
	SIDECAR_TOTAL_NUMBERS(X)
#undef X
	assert_int_equal(s.stats.cgroup_count, 0);
	assert_null(s.stats.cgroups);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_result_without_cgroups_has_no_totals),
		cmocka_unit_test(a_cgroup_without_figures_has_counts_of_0),
		cmocka_unit_test(totals_are_the_figures_of_the_only_cgroup),
		cmocka_unit_test(waits_are_summed_over_all_cgroups),
		cmocka_unit_test(a_gap_or_wait_without_a_cpu_is_unknown),
		cmocka_unit_test(latencies_are_those_of_their_histograms),
		cmocka_unit_test(a_tail_needs_iterations_and_a_median),
		cmocka_unit_test(each_bucket_of_a_histogram_is_recorded),
		cmocka_unit_test(events_of_each_phase_have_their_worst),
		cmocka_unit_test(without_a_waiting_system_task_its_wait_is_0),
		cmocka_unit_test(shares_are_known_if_tasks_competed),
		cmocka_unit_test(kinds_of_work_are_joined_in_their_order),
		cmocka_unit_test(only_cgroups_of_the_result_count),
		cmocka_unit_test(a_second_result_replaces_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Results of several cgroups and parts: what is summed, and which is the worst. */
#include "unit.h"

#include <errno.h>

#include "base/err.h"
#include "check/events.h"
#include "check/parts.h"
#include "record/sidecar.h"

#define MS UINT64_C(1000000)

static struct cgroup_stats *add_cgroup(struct ktstr_result *r, const char *name)
{
	struct cgroup_stats s;

	cgroup_stats_init(&s);
	s.name = strdup(name);
	s.workers = 1;
	assert_non_null(s.name);
	assert_int_equal(vec_push(&r->cgroups, s), 0);
	return &r->cgroups.items[r->cgroups.count - 1];
}

/* Two cgroups; each is the worse one in something. */
static void add_two(struct ktstr_result *r)
{
	struct cgroup_stats *a, *b;

	result_init(r);
	add_cgroup(r, "a");
	add_cgroup(r, "b");
	a = &r->cgroups.items[0];
	b = &r->cgroups.items[1];
	a->has_off_cpu = b->has_off_cpu = true;
	a->min_off_cpu_pct = 10;
	b->min_off_cpu_pct = 5;
	a->max_off_cpu_pct = 60;
	b->max_off_cpu_pct = 70;
	a->mean_off_cpu_pct = 40;
	b->mean_off_cpu_pct = 30;
	a->spread_pct = 50;
	b->spread_pct = 65;
	a->gap_ms = 7;
	a->gap_cpu = 0;
	a->gap_tid = 77;
	b->gap_ms = 6;
	b->gap_cpu = 3;
	b->gap_tid = 88;
	a->migrations = 3;
	b->migrations = 4;
	a->iterations = 50;
	b->iterations = 49;
	a->work_units = 10;
	b->work_units = 20;
	a->cpu_time_ns = 100;
	b->cpu_time_ns = 11;
	a->wall_time_ns = 200;
	b->wall_time_ns = 22;
	a->work_kinds = 1U << 1;
	b->work_kinds = 1U << 2;
	a->nice_cpu_time_ns[0] = 5;
	b->nice_cpu_time_ns[0] = 6;
	a->migration_ratio = 0.5;
	b->migration_ratio = 0.25;
	a->has_run_delay = true;
	a->mean_run_delay_us = 2;
	a->worst_run_delay_us = 3;
	a->run_delay_spread_pct = 4;
	b->has_page_locality = true;
	b->page_locality = 0.5;
	b->cross_node_migration_ratio = 0.125;
	a->iterations_per_worker = 50;
	b->iterations_per_worker = 49;
	a->has_events = b->has_events = true;
	a->wait_ns = 3 * MS;
	b->wait_ns = 2 * MS;
	a->worst_wait_us = 10;
	a->worst_wait_cpu = 0;
	a->worst_wait_tid = 100;
	a->worst_wait_at_ms = 11;
	b->worst_wait_us = 9;
	b->worst_wait_cpu = 1;
	histogram_add(&a->wakes, 10);
	histogram_add(&a->wakes, 30);
	histogram_add(&b->wakes, 20);
	histogram_add(&a->timers, 5);
	histogram_add(&b->waits, 7);
	histogram_add(&b->wakeup_waits, 8);
}

static void totals_are_sums_and_the_worst(void **state)
{
	struct cgroup_stats *t = calloc(1, sizeof(*t));
	struct ktstr_result r;

	(void)state;
	assert_non_null(t);
	add_two(&r);
	result_totals(&r, t);
	assert_int_equal(t->workers, 2);
	assert_int_equal(t->migrations, 7);
	assert_int_equal(t->iterations, 99);
	assert_int_equal(t->work_units, 30);
	assert_int_equal(t->cpu_time_ns, 111);
	assert_int_equal(t->wall_time_ns, 222);
	assert_int_equal(t->work_kinds, 6);
	assert_int_equal(t->nice_cpu_time_ns[0], 11);
	assert_true(t->has_off_cpu && t->has_run_delay && t->has_page_locality && t->has_events);
	assert_true(t->min_off_cpu_pct == 5 && t->max_off_cpu_pct == 70);
	assert_true(t->mean_off_cpu_pct == 40 && t->spread_pct == 65);
	assert_int_equal(t->gap_ms, 7);
	assert_int_equal(t->gap_cpu, 0);
	assert_int_equal(t->gap_tid, 77);
	assert_true(t->migration_ratio == 0.5 && t->mean_run_delay_us == 2);
	assert_true(t->worst_run_delay_us == 3 && t->run_delay_spread_pct == 4);
	assert_true(t->page_locality == 0.5 && t->cross_node_migration_ratio == 0.125);
	assert_true(t->iterations_per_worker == 49);
	assert_int_equal(t->wait_ns, 5 * MS);
	assert_true(t->worst_wait_us == 10);
	assert_int_equal(t->worst_wait_cpu, 0);
	assert_int_equal(t->worst_wait_tid, 100);
	assert_int_equal(t->worst_wait_at_ms, 11);
	assert_int_equal(t->wakes.count, 3);
	assert_int_equal(t->timers.count, 1);
	assert_int_equal(t->waits.count, 1);
	assert_int_equal(t->wakeup_waits.count, 1);
	result_finish(&r);
	free(t);
}

/* Each percentile is that of the cgroup in which it is worst. */
static void latencies_are_the_worst_of_any_cgroup(void **state)
{
	struct worst_latencies worst;
	struct cgroup_stats *c;
	struct ktstr_result r;

	(void)state;
	result_init(&r);
	for (int i = 0; i < 2; i++)
		add_cgroup(&r, "x");
	c = r.cgroups.items;
	for (int i = 0; i < 95; i++)
		histogram_add(&c[0].wakes, 4);
	for (int i = 0; i < 5; i++)
		histogram_add(&c[0].wakes, 40);
	for (int i = 0; i < 10; i++)
		histogram_add(&c[1].wakes, 20);
	histogram_add(&c[1].timers, 1);
	histogram_add(&c[1].waits, 2);
	histogram_add(&c[0].wakeup_waits, 3);
	worst = latency_worst(&r);
	assert_int_equal(worst.wakes.count, 110);
	assert_int_equal(worst.wakes.p50_ns, 20);
	assert_int_equal(worst.wakes.p90_ns, 20);
	assert_int_equal(worst.wakes.p99_ns, 40);
	assert_int_equal(worst.wakes.p999_ns, 40);
	assert_int_equal(worst.wakes.max_ns, 40);
	assert_true(worst.wakes.mean_ns == 20);
	assert_true(worst.wakes.cv > 1.3 && worst.wakes.cv < 1.4);
	assert_true(worst.wakes.tail_ratio == 10);
	assert_int_equal(worst.timers.max_ns, 1);
	assert_int_equal(worst.waits.max_ns, 2);
	assert_int_equal(worst.wakeup_waits.max_ns, 3);
	result_finish(&r);
}

/* The unit with which a time is short and not below one. */
static void times_have_a_unit_that_fits(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} rows[] = {
		{ 999, "waited=999ns" },	 { 1000, "waited=1.0us" },
		{ 999900, "waited=999.9us" },	 { MS, "waited=1.0ms" },
		{ 999900000, "waited=999.9ms" }, { 1000 * MS, "waited=1.00s" },
		{ 1250 * MS, "waited=1.25s" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str text = {};
		struct ktstr_result r;

		result_init(&r);
		add_cgroup(&r, "a");
		r.cgroups.items[0].has_events = true;
		r.cgroups.items[0].wait_ns = rows[i].ns;
		result_add_stats_text(&r, &text);
		if (!strstr(str_get(&text), rows[i].text))
			fail_msg("no '%s' in '%s'", rows[i].text, str_get(&text));
		result_finish(&r);
	}
}

/* On CPU 0 as on any other; and nothing where nothing was measured. */
static void lines_have_what_was_measured(void **state)
{
	_str_ struct str text = {};
	struct ktstr_result r;

	(void)state;
	add_two(&r);
	add_cgroup(&r, "c");
	result_add_stats_text(&r, &text);
	assert_string_equal(
		str_get(&text),
		"--- stats ---\n"
		"3 workers, 0 cpus, 7 migrations, worst_spread=65.0%, worst_gap=7ms\n"
		"  cg0: workers=1 cpus=0 spread=50.0% gap=7ms migrations=3 iter=50\n"
		"  cg1: workers=1 cpus=0 spread=65.0% gap=6ms migrations=4 iter=49\n"
		"  cg2: workers=1 cpus=0 spread=0.0% gap=0ms migrations=0 iter=0\n"
		"  cg0 (a): off_cpu=40.0% run_delay_spread=4.0% run_delay=2.0us worst=3.0us "
		"gap_on=cpu0 gap_tid=77 wake(2) p50=10ns p90=30ns p99=30ns p99.9=30ns max=30ns "
		"timer(1) p50=5ns p90=5ns p99=5ns p99.9=5ns max=5ns\n"
		"  cg1 (b): off_cpu=30.0% run_delay=- gap_on=cpu3 gap_tid=88 wake(1) p50=20ns "
		"p90=20ns p99=20ns p99.9=20ns max=20ns page_locality=0.5000\n"
		"  cg2 (c): run_delay=-\n"
		"  cg0 (a): waited=3.0ms worst_wait=10.0us wait_on=cpu0 wait_tid=100 wait_at=+11ms\n"
		"  cg1 (b): waited=2.0ms worst_wait=9.0us wait_on=cpu1 wait_tid=0 wait_at=+0ms "
		"wait(1) p50=7ns p90=7ns p99=7ns p99.9=7ns max=7ns wakeup(1) p50=8ns p90=8ns "
		"p99=8ns p99.9=8ns max=8ns\n");
	result_finish(&r);
}

static void records_have_sums_and_the_worst(void **state)
{
	const struct sidecar_stats *t;
	struct ktstr_result r;
	struct sidecar s;

	(void)state;
	sidecar_init(&s);
	add_two(&r);
	add_cgroup(&r, "c");
	/* From 100 iterations on there is a tail. */
	for (int i = 0; i < 2; i++) {
		r.cgroups.items[1].iterations = (uint64_t)(49 + i);
		assert_int_equal(sidecar_set_result(&s, &r), 0);
		t = &s.stats;
		assert_int_equal(t->worst_wake_latency_tail_ratio.is_known, i);
	}
	assert_true(t->worst_wake_latency_tail_ratio.value == 3);
	assert_true(t->total_workers.value == 3 && t->total_migrations.value == 7);
	assert_true(t->total_iterations.value == 100);
	assert_true(t->worst_spread.value == 65);
	assert_true(t->worst_gap_ms.value == 7 && t->worst_gap_cpu.value == 0);
	assert_true(t->worst_gap_cpu.is_known);
	assert_true(t->worst_migration_ratio.value == 0.5);
	assert_true(t->worst_mean_run_delay_us.value == 2 && t->worst_run_delay_us.value == 3);
	assert_true(t->worst_cross_node_migration_ratio.value == 0.125);
	assert_true(t->worst_iterations_per_worker.value == 49);
	assert_true(t->worst_page_locality.value == 0.5);
	assert_true(t->worst_p99_wake_latency_us.value == 0.03);
	assert_true(t->worst_median_wake_latency_us.value == 0.02);
	assert_true(t->worst_wake_latency_cv.value == 0.5);
	assert_true(t->total_wait_ms.value == 5);
	assert_true(t->worst_wait_us.value == 10);
	assert_true(t->worst_wait_cpu.is_known && t->worst_wait_cpu.value == 0);
	assert_true(t->worst_p99_wait_us.value == 0.007);
	assert_true(t->worst_p99_wakeup_wait_us.value == 0.008);
	assert_false(t->worst_idle_wait_pct.is_known || t->worst_system_wait_us.is_known);
	assert_false(t->cgroups[2].gap_ms.is_known || t->cgroups[2].gap_cpu.is_known);
	assert_true(t->cgroups[0].worst_wait_cpu.is_known);
	assert_false(t->cgroups[1].run_delay_spread.is_known);
	assert_int_equal(t->cgroups[0].wakes.bucket_count, 2);
	assert_int_equal(t->cgroups[0].wakes.buckets[1].count, 1);
	assert_string_equal(s.work_type, "CpuSpin+YieldHeavy");
	sidecar_finish(&s);
	result_finish(&r);
}

/* The CPU that idled most beside somebody, in whichever phase, and the largest of each figure. */
static void the_worst_events_of_all_phases_are_found(void **state)
{
	struct cpu_events first[] = { { .cpu = 0, .has_idle_wait = true, .idle_wait_ns = 10 },
				      { .cpu = 1, .has_idle_wait = true, .idle_wait_ns = 30 },
				      { .cpu = 2, .has_idle_wait = true, .idle_wait_ns = 20 },
				      { .cpu = 3, .idle_wait_ns = 90 } };
	struct cpu_events second[] = { { .cpu = 4, .has_idle_wait = true, .idle_wait_ns = 30 } };
	struct task_events tasks[] = {
		{ .tid = 1, .has_wait = true, .worst_wait_ns = 5 },
		{ .tid = 2, .has_wait = true, .worst_wait_ns = 6 },
		{ .tid = 3, .worst_wait_ns = 9 },
		{ .tid = 4, .is_worker = true, .has_wait = true, .worst_wait_ns = 9 }
	};
	struct phase_stats phases[] = {
		{ .events = { .is_known = true,
			      .observed_ns = 100,
			      .migrations_per_s = 7,
			      .has_shares = true,
			      .share_error_pct = 3,
			      .single_share_error_pct = 8,
			      .cpus = { .items = first, .count = 4 },
			      .tasks = { .items = tasks, .count = 4 } } },
		{ .events = { .is_known = true,
			      .observed_ns = 50,
			      .migrations_per_s = 6,
			      .has_shares = true,
			      .share_error_pct = 4,
			      .single_share_error_pct = 2,
			      .cpus = { .items = second, .count = 1 } } },
		{ .events = { .is_known = true } },
		{ .events = { .migrations_per_s = 99, .has_shares = true, .share_error_pct = 99 } },
	};
	struct ktstr_result r = { .phases = { .items = phases, .count = 1 } };
	struct events_worst w = events_worst_of(&r);

	(void)state;
	assert_true(w.is_known && w.has_shares);
	assert_true(w.idle_wait_pct == 30);
	assert_int_equal(w.idle_cpu->cpu, 1);
	assert_int_equal(w.system->tid, 2);
	r.phases.count = 4;
	w = events_worst_of(&r);
	assert_true(w.idle_wait_pct == 60);
	assert_int_equal(w.idle_cpu->cpu, 4);
	assert_ptr_equal(w.idle_phase, &phases[1]);
	assert_true(w.migrations_per_s == 7 && w.share_error_pct == 4);
	assert_true(w.single_share_error_pct == 8);
	r.phases.items = &phases[2];
	r.phases.count = 1;
	w = events_worst_of(&r);
	assert_true(w.is_known && !w.has_shares && !w.idle_cpu && !w.system);
}

static void metrics_know_where_they_are_from(void **state)
{
	const struct named_metric *m;
	struct ktstr_result r;

	(void)state;
	result_init(&r);
	ktstr_result_metric(&r, "other", 1, KTSTR_LOWER_BETTER, NULL);
	ktstr_result_metric(&r, "iops", 2, KTSTR_HIGHER_BETTER, "1/s");
	result_metric_origin(&r, 7.5, "jobs.0", "stdout", "fio", 3);
	assert_null(r.metrics.items[0].source);
	m = &r.metrics.items[1];
	assert_true(m->target == 7.5);
	assert_string_equal(m->source, "jobs.0");
	assert_string_equal(m->stream, "stdout");
	assert_string_equal(m->payload, "fio");
	assert_int_equal(m->run_index, 3);
	result_finish(&r);
}

/* What was asked for and what was measured, in any part; and what failed in one. */
static void parts_add_their_gates(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct ktstr_result r, part;

		result_init(&r);
		result_init(&part);
		gate_note(&r, GATE_WORK_RATE, true);
		gate_note(&part, GATE_P99_WAKE, i > 0);
		r.failed_alloc = false;
		part.failed_alloc = i == 2;
		result_merge(&r, &part);
		result_close(&r);
		assert_int_equal(r.details.count, i != 1);
		if (i == 0)
			assert_string_equal(r.details.items[0].message,
					    "max_p99_wake_latency_ns could not be judged: no "
					    "worker measured a wake latency");
		if (i == 2)
			assert_string_equal(r.details.items[0].message,
					    "out of memory: the result is incomplete");
		result_finish(&r);
	}
}

/* A reason is added unless there is one: a note is none. */
static void a_returned_verdict_has_a_reason(void **state)
{
	static const struct {
		enum ktstr_verdict before, returned, after;
		enum detail_kind kind;
		size_t details;
	} rows[] = {
		{ KTSTR_PASSED, KTSTR_PASSED, KTSTR_PASSED, DETAIL_NOTE, 1 },
		{ KTSTR_PASSED, KTSTR_SKIPPED, KTSTR_SKIPPED, DETAIL_NOTE, 2 },
		{ KTSTR_SKIPPED, KTSTR_SKIPPED, KTSTR_SKIPPED, DETAIL_SKIP, 1 },
		{ KTSTR_FAILED, KTSTR_FAILED, KTSTR_FAILED, DETAIL_OTHER, 1 },
		{ KTSTR_PASSED, KTSTR_FAILED, KTSTR_FAILED, DETAIL_NOTE, 2 },
		{ KTSTR_FAILED, KTSTR_PASSED, KTSTR_FAILED, DETAIL_OTHER, 1 },
		{ KTSTR_INCONCLUSIVE, KTSTR_SKIPPED, KTSTR_INCONCLUSIVE, DETAIL_OTHER, 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ktstr_result r;

		result_init(&r);
		result_add(&r, rows[i].kind, rows[i].before, "something");
		result_add_returned(&r, rows[i].returned);
		assert_int_equal(r.verdict, rows[i].after);
		assert_int_equal(r.details.count, rows[i].details);
		if (r.details.count == 2)
			assert_int_equal(r.details.items[1].kind,
					 rows[i].returned == KTSTR_SKIPPED ? DETAIL_SKIP :
									     DETAIL_OTHER);
		result_finish(&r);
	}
}

static void ignored_weights_are_the_only_failures(void **state)
{
	struct ktstr_result r;

	(void)state;
	result_init(&r);
	result_set_time(&r, 5); /* of nothing */
	assert_false(result_ignores_weights(&r));
	result_add(&r, DETAIL_NOTE, KTSTR_PASSED, "a note");
	assert_false(result_ignores_weights(&r));
	result_add(&r, DETAIL_SHARE, KTSTR_FAILED, "x%s", RESULT_IGNORES_WEIGHTS);
	assert_true(result_ignores_weights(&r));
	assert_true(result_has(&r, DETAIL_SHARE));
	assert_false(result_has(&r, DETAIL_STUCK));
	result_add(&r, DETAIL_STUCK, KTSTR_FAILED, "x%s", RESULT_IGNORES_WEIGHTS);
	assert_false(result_ignores_weights(&r));
	result_finish(&r);
}

static void malformed_pairs_are_refused(void **state)
{
	static const char *const members[] = {
		"\"nice_cpu_time_ns\":[[-21,1]]",
		"\"nice_cpu_time_ns\":[[0,-1]]",
		"\"nice_cpu_time_ns\":[[0]]",
		"\"nice_cpu_time_ns\":[[[0],1]]",
		"\"nice_cpu_time_ns\":[[0,{\"a\":1}]]",
		"\"nice_cpu_time_ns\":[4294967296]",
		"\"nice_cpu_time_ns\":[[4294967296,1]]",
		"\"nice_cpu_time_ns\":3",
		"\"wakes\":{\"count\":1,\"buckets\":[[1000001,1]]}",
		"\"wakes\":{\"count\":1,\"buckets\":[[1,-1]]}",
		"\"wakes\":{\"count\":1,\"buckets\":[[1,[1]]]}",
		"\"wakes\":{\"count\":4294967296,\"buckets\":[[1,4294967296]]}",
		"\"wakes\":{\"count\":2,\"buckets\":[[1,1],[1,1]]}",
		"\"wakes\":{\"count\":1,\"buckets\":[[18446744073709551615,1]]}",
		"\"wakes\":{\"count\":1,\"buckets\":3}",
		"\"wakes\":3",
		"\"work_types\":[3]",
		"\"work_types\":3",
		"\"cpu_list\":3",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		_free_ char *text =
			str_fmt("{\"schema_version\":1,\"verdict\":\"pass\",\"cgroups\":"
				"[{\"name\":\"a\",%s}]}",
				members[i]);
		struct ktstr_result r;

		if (result_from_json(&r, text, strlen(text)) != -EINVAL)
			fail_msg("'%s' was taken", members[i]);
	}
}

/* The ends of each range, and kinds of work that we do not know. */
static void pairs_at_the_ends_are_taken(void **state)
{
	char text[] =
		"{\"schema_version\":1,\"verdict\":\"pass\",\"cgroups\":[{\"name\":\"a\","
		"\"nice_cpu_time_ns\":[[-20,1],[19,2]],\"work_types\":[\"YieldHeavy\","
		"\"FromTheFuture\"],\"wakes\":{\"count\":4294967296,\"buckets\":[[1,4294967295],"
		"[2,1]]}}]}";
	const struct cgroup_stats *c;
	struct ktstr_result r;

	(void)state;
	assert_int_equal(result_from_json(&r, text, strlen(text)), 0);
	c = r.cgroups.items;
	assert_int_equal(c->nice_cpu_time_ns[0], 1);
	assert_int_equal(c->nice_cpu_time_ns[WORKER_NICE_COUNT - 1], 2);
	assert_int_equal(c->work_kinds, UINT64_C(1) << KTSTR_WORK_YIELD_HEAVY);
	assert_int_equal(c->wakes.count, UINT64_C(4294967296));
	result_finish(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_are_sums_and_the_worst),
		cmocka_unit_test(latencies_are_the_worst_of_any_cgroup),
		cmocka_unit_test(times_have_a_unit_that_fits),
		cmocka_unit_test(lines_have_what_was_measured),
		cmocka_unit_test(records_have_sums_and_the_worst),
		cmocka_unit_test(the_worst_events_of_all_phases_are_found),
		cmocka_unit_test(metrics_know_where_they_are_from),
		cmocka_unit_test(parts_add_their_gates),
		cmocka_unit_test(a_returned_verdict_has_a_reason),
		cmocka_unit_test(ignored_weights_are_the_only_failures),
		cmocka_unit_test(malformed_pairs_are_refused),
		cmocka_unit_test(pairs_at_the_ends_are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

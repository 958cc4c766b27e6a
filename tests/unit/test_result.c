// SPDX-License-Identifier: GPL-2.0-only
/* Results: merging, the texts of the seeds, and JSON there and back. */
#include "unit.h"

#include <errno.h>

#include "base/err.h"
#include "report_maker.h"
#include "check/versus.h"

static void test_verdicts_merge_to_the_worst(void **state)
{
	static const enum ktstr_verdict order[] = { KTSTR_SKIPPED, KTSTR_PASSED, KTSTR_INCONCLUSIVE,
						    KTSTR_FAILED };

	(void)state;
	for (size_t a = 0; a < ARRAY_SIZE(order); a++) {
		for (size_t b = 0; b < ARRAY_SIZE(order); b++) {
			struct ktstr_result into, part;

			result_init(&into);
			result_init(&part);
			result_add(&into, DETAIL_NOTE, order[a], "a");
			result_add(&part, DETAIL_NOTE, order[b], "b");
			result_merge(&into, &part);
			assert_int_equal(into.verdict, order[MAX(a, b)]);
			assert_int_equal(into.details.count, 2);
			assert_int_equal(part.details.count, 0);
			result_finish(&into);
			result_finish(&part);
		}
	}
}

static void test_expected_errors(void **state)
{
	(void)state;
	assert_int_equal(verdict_expected(KTSTR_FAILED, false, false), KTSTR_FAILED);
	assert_int_equal(verdict_expected(KTSTR_FAILED, true, false), KTSTR_PASSED);
	assert_int_equal(verdict_expected(KTSTR_PASSED, true, false), KTSTR_FAILED);
	assert_int_equal(verdict_expected(KTSTR_SKIPPED, true, false), KTSTR_SKIPPED);
	assert_int_equal(verdict_expected(KTSTR_INCONCLUSIVE, true, false), KTSTR_INCONCLUSIVE);
	assert_int_equal(verdict_expected(KTSTR_INCONCLUSIVE, false, true), KTSTR_SKIPPED);
}

static void add_cgroup(struct ktstr_result *r, const char *name, struct cgroup_stats s)
{
	s.name = strdup(name);
	histogram_init(&s.wakes);
	histogram_init(&s.timers);
	assert_non_null(s.name);
	assert_int_equal(vec_push(&r->cgroups, s), 0);
}

/* The seeds' sample. */
static void test_failure_text_of_the_seeds(void **state)
{
	static const char expected[] =
		"ktstr_test 'two_cgroups' [topo=1n1l2c1t] failed:\n"
		"  stuck 3500ms on cpu1 at +1200ms\n"
		"\n"
		"--- stats ---\n"
		"4 workers, 2 cpus, 8 migrations, worst_spread=12.3%, worst_gap=3500ms\n"
		"  cg0: workers=2 cpus=2 spread=5.1% gap=3500ms migrations=4 iter=15230\n"
		"  cg1: workers=2 cpus=2 spread=12.3% gap=890ms migrations=4 iter=14870\n"
		"  cg0 (cg_0): run_delay=- gap_on=cpu1 gap_tid=77\n"
		"  cg1 (cg_1): off_cpu=40.0% run_delay_spread=2.0% run_delay=1.5ms worst=2.0ms "
		"gap_on=cpu0 gap_tid=78\n";
	struct result_title title = { .test = "two_cgroups", .topology = "1n1l2c1t" };
	_str_ struct str text = {};
	struct ktstr_result r;

	(void)state;
	result_init(&r);
	result_add(&r, DETAIL_STUCK, KTSTR_FAILED, "stuck 3500ms on cpu1 at +1200ms");
	result_add(&r, DETAIL_NOTE, KTSTR_PASSED, "a note is no reason to fail");
	add_cgroup(&r, "cg_0",
		   (struct cgroup_stats){ .workers = 2,
					  .cpus = 2,
					  .cpu_list = { { 0x3 } },
					  .spread_pct = 5.1,
					  .gap_ms = 3500,
					  .gap_cpu = 1,
					  .gap_tid = 77,
					  .migrations = 4,
					  .iterations = 15230 });
	add_cgroup(&r, "cg_1",
		   (struct cgroup_stats){ .workers = 2,
					  .cpus = 2,
					  .cpu_list = { { 0x3 } },
					  .spread_pct = 12.3,
					  .gap_ms = 890,
					  .gap_cpu = 0,
					  .gap_tid = 78,
					  .has_off_cpu = true,
					  .mean_off_cpu_pct = 40,
					  .has_run_delay = true,
					  .mean_run_delay_us = 1500,
					  .worst_run_delay_us = 2000,
					  .run_delay_spread_pct = 2,
					  .migrations = 4,
					  .iterations = 14870 });
	result_add_failure_text(&r, &title, &text);
	assert_string_equal(str_get(&text), expected);
	str_reset(&text);
	title.scheduler = "scx_my_sched";
	result_add_failure_text(&r, &title, &text);
	assert_ptr_equal(strstr(str_get(&text),
				"ktstr_test 'two_cgroups' [sched=scx_my_sched] [topo=1n1l2c1t] "
				"failed:\n"),
			 str_get(&text));
	result_finish(&r);
}

static void test_totals(void **state)
{
	struct cgroup_stats *t = calloc(1, sizeof(*t));
	struct ktstr_result r;

	(void)state;
	assert_non_null(t);
	result_init(&r);
	add_cgroup(&r, "a",
		   (struct cgroup_stats){ .workers = 2,
					  .cpus = 3,
					  .cpu_list = { { 0x3, 1 } },
					  .gap_cpu = -1,
					  .iterations_per_worker = 0,
					  .page_locality = 0.5,
					  .has_page_locality = true });
	add_cgroup(&r, "b",
		   (struct cgroup_stats){ .workers = 1,
					  .cpus = 2,
					  .cpu_list = { { 0x6 } },
					  .gap_cpu = 3,
					  .iterations_per_worker = 9,
					  .page_locality = 0.25,
					  .has_page_locality = true });
	add_cgroup(
		&r, "c",
		(struct cgroup_stats){ .workers = 1, .gap_cpu = -1, .iterations_per_worker = 12 });
	result_totals(&r, t);
	assert_int_equal(t->workers, 4);
	assert_int_equal(t->cpus, 4); /* 0, 1, 2, 64: each once */
	assert_int_equal(t->gap_cpu, 3);
	assert_true(t->iterations_per_worker == 9); /* the lowest that is not zero */
	assert_true(t->page_locality == 0.25);
	result_finish(&r);
	free(t);
}

/* A result with something of everything. */
static void fill(struct ktstr_result *r)
{
	struct made_cgroup made;

	result_init(r);
	made_init(&made, 2);
	for (uint64_t ns = 1; ns < 40000000; ns = ns * 5 / 4 + 1)
		histogram_add(&made.reports[0]->total.wakes, ns);
	histogram_add(&made.reports[1]->total.timers, 12345);
	made.reports[0]->phase_count = 1;
	made.reports[0]->phases[0] = made.reports[0]->total;
	made.reports[1]->total.work_units = 0;
	made.reports[1]->nice = 5;
	made.reports[1]->work_kind = KTSTR_WORK_YIELD_HEAVY;
	assert_int_equal(result_add_phase(r, "split \"cpusets\"", 250), 0);
	check_cgroup(&made.cgroup, &assert_defaults, r);
	ktstr_result_metric(r, "iops", 1234.5, KTSTR_HIGHER_BETTER, "1/s");
	ktstr_result_metric(r, "plain", -1e-3, KTSTR_POLARITY_UNKNOWN, NULL);
	ktstr_result_inconclusive(r, "line one\nline \xc3\xa4 %d", 2);
	assert_int_equal(vec_push(&r->stimuli, (struct stimulus){ .elapsed_ms = 5,
								  .step = 1,
								  .op_count = 2,
								  .op_kinds = 0x1fff,
								  .cgroup_count = 3,
								  .worker_count = 4,
								  .total_iterations = 1ULL << 40 }),
			 0);
	made_finish(&made);
}

static void test_events_of_steps_are_put_in_order(void **state)
{
	static const struct stimulus frames[] = {
		{ .elapsed_ms = 900, .step = 2, .total_iterations = 7 },
		{ .elapsed_ms = 100 },
		{ .elapsed_ms = 500, .step = 1, .total_iterations = 5 },
		{ .elapsed_ms = 100 },
		{ .elapsed_ms = 500, .step = 1, .total_iterations = 4 },
		{ .elapsed_ms = 500, .step = 0 },
	};
	static const uint32_t ms[] = { 100, 500, 500, 900 }, steps[] = { 0, 0, 1, 2 };
	struct ktstr_result r;

	(void)state;
	result_init(&r);
	assert_int_equal(result_take_stimuli(&r, "", 0), 0);
	assert_int_equal(result_take_stimuli(&r, frames, sizeof(*frames) - 1), 0);
	assert_int_equal(r.stimuli.count, 0);
	assert_int_equal(result_take_stimuli(&r, frames, sizeof(frames)), 0);
	assert_int_equal(r.stimuli.count, ARRAY_SIZE(ms));
	for (size_t i = 0; i < ARRAY_SIZE(ms); i++) {
		assert_int_equal(r.stimuli.items[i].elapsed_ms, ms[i]);
		assert_int_equal(r.stimuli.items[i].step, steps[i]);
	}
	assert_int_equal(r.stimuli.items[2].total_iterations, 5);
	result_finish(&r);
}

static char *to_json(const struct ktstr_result *r)
{
	struct str text = {};
	struct json j;

	json_init(&j, &text, false);
	result_to_json(r, &j);
	assert_int_equal(str_check(&text), 0);
	return str_take(&text);
}

/* Totals are for those who read JSON: nothing of ours reads them back. */
static void test_json_has_totals(void **state)
{
	static const char *const parts[] = {
		"\"totals\":{\"workers\":2,\"cpus\":2,\"min_off_cpu_pct\":50,",
		"\"migration_ratio\":0.002,\"iterations\":2000,\"work_units\":1024000,",
		"\"worst_wait_tid\":null,\"cpu_list\":\"0-1\",\"gap_tid\":100,\"wakes\":{\"count\":74,"
		"\"p50_ns\":10495,\"p90_ns\":8388607,\"p99_ns\":39869967,",
		"\"timers\":{\"count\":1,\"p50_ns\":12345,\"p90_ns\":12345,\"p99_ns\":12345,"
		"\"p999_ns\":12345,\"max_ns\":12345,\"cv\":null,\"tail_ratio\":1},\"waits\":null,"
		"\"wakeup_waits\":null},\"cgroups\":[",
	};
	struct ktstr_result r;
	char *text;

	(void)state;
	fill(&r);
	text = to_json(&r);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strstr(text, parts[i]))
			fail_msg("expected '%s' in '%s'", parts[i], text);
	result_finish(&r);
	free(text);
}

static void test_json_there_and_back(void **state)
{
	struct ktstr_result r, back;
	char *first, *second, *work;

	(void)state;
	fill(&r);
	first = to_json(&r);
	work = strdup(first);
	assert_int_equal(result_from_json(&back, work, strlen(work)), 0);
	second = to_json(&back);
	assert_string_equal(first, second);
	assert_int_equal(back.verdict, KTSTR_FAILED);
	assert_int_equal(back.cgroups.items[0].wakes.count, r.cgroups.items[0].wakes.count);
	assert_memory_equal(back.cgroups.items[0].wakes.buckets, r.cgroups.items[0].wakes.buckets,
			    sizeof(r.cgroups.items[0].wakes.buckets));
	assert_int_equal(back.phases.items[0].cgroups.count, 1);
	assert_int_equal(back.cgroups.items[0].cpus, 2);
	assert_memory_equal(&back.cgroups.items[0].cpu_list, &r.cgroups.items[0].cpu_list,
			    sizeof(r.cgroups.items[0].cpu_list));
	assert_true(worker_cpus_have(&back.cgroups.items[0].cpu_list, 0));
	assert_true(back.cgroups.items[0].nice_cpu_time_ns[5 - WORKER_MIN_NICE] > 0);
	assert_true(back.cgroups.items[0].work_kinds ==
		    (UINT64_C(1) << KTSTR_WORK_CPU_SPIN | UINT64_C(1) << KTSTR_WORK_YIELD_HEAVY));
	assert_string_equal(back.metrics.items[0].unit, "1/s");
	result_finish(&r);
	result_finish(&back);
	free(first);
	free(second);
	free(work);
}

static void test_json_without_readings_has_nulls(void **state)
{
	struct ktstr_result r, back;
	char *text;

	(void)state;
	result_init(&r);
	add_cgroup(&r, "a", (struct cgroup_stats){ .workers = 1, .gap_cpu = -1 });
	text = to_json(&r);
	assert_non_null(strstr(text, "\"spread_pct\":null"));
	assert_non_null(strstr(text, "\"mean_run_delay_us\":null"));
	assert_non_null(strstr(text, "\"p99_ns\":null"));
	assert_int_equal(result_from_json(&back, text, strlen(text)), 0);
	assert_false(back.cgroups.items[0].has_off_cpu);
	assert_int_equal(back.cgroups.items[0].gap_cpu, -1);
	result_finish(&r);
	result_finish(&back);
	free(text);
}

static void test_bad_json(void **state)
{
	static const struct {
		const char *text, *problem;
	} cases[] = {
		{ "", "result: " },
		{ "[]", "expected an object" },
		{ "{\"schema_version\":1}", "result: there is no verdict" },
		{ "{\"schema_version\":2,\"verdict\":\"pass\"}",
		  "result: schema version 2, this ktstr knows version 1" },
		{ "{\"schema_version\":1,\"verdict\":\"great\"}", "result: there is no verdict" },
		{ "{\"schema_version\":1,\"verdict\":\"pass\"", "result: " },
		{ "{\"schema_version\":1,\"verdict\":\"pass\",\"cgroups\":[{\"workers\":1}]}",
		  "there is no name" },
		{ "{\"schema_version\":1,\"verdict\":\"pass\",\"cgroups\":[{\"name\":\"a\","
		  "\"workers\":-1}]}",
		  "a value of another kind" },
		{ "{\"schema_version\":1,\"verdict\":\"pass\",\"cgroups\":[{\"name\":\"a\","
		  "\"cpu_list\":\"0-9999\"}]}",
		  "a value of another kind" },
		{ "{\"schema_version\":1,\"verdict\":\"pass\",\"cgroups\":[{\"name\":\"a\","
		  "\"nice_cpu_time_ns\":[[20,1]]}]}",
		  "no such nice value" },
		{ "{\"schema_version\":1,\"verdict\":\"pass\",\"cgroups\":[{\"name\":\"a\","
		  "\"nice_cpu_time_ns\":[[]]}]}",
		  "no such nice value" },
		{ "{\"schema_version\":1,\"verdict\":\"pass\",\"cgroups\":[{\"name\":\"a\","
		  "\"wakes\":{\"count\":2,\"buckets\":[[1,1]]}}]}",
		  "do not add up" },
		{ "{\"schema_version\":1,\"verdict\":\"pass\",\"cgroups\":[{\"name\":\"a\","
		  "\"wakes\":{\"count\":2,\"buckets\":[[5,1],[1,1]]}}]}",
		  "ascending" },
		{ "{\"schema_version\":1,\"verdict\":\"pass\",\"details\":[{\"kind\":\"Stuck\"}]}",
		  "there is no verdict at byte " },
		{ "{\"schema_version\":1,\"verdict\":\"pass\",\"metrics\":[{\"name\":\"x\"}]}",
		  "there is no value" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *work = strdup(cases[i].text);
		struct ktstr_result r;

		assert_int_equal(result_from_json(&r, work, strlen(work)), -EINVAL);
		if (!strstr(err_text(-EINVAL), cases[i].problem))
			fail_msg("case %zu: '%s' lacks '%s'", i, err_text(-EINVAL),
				 cases[i].problem);
		free(work);
	}
}

static void test_phases_of_parts_become_one(void **state)
{
	struct ktstr_result whole, part;

	(void)state;
	result_init(&whole);
	result_init(&part);
	result_add_phase(&whole, "a", 0);
	result_add_phase(&part, "a", 0);
	result_add_phase(&part, "b", 10);
	result_merge(&whole, &part);
	assert_int_equal(whole.phases.count, 2);
	assert_int_equal(whole.phases.items[0].end_ms, 10);
	result_finish(&whole);
}

static void add_phase(struct ktstr_result *r, const char *name, uint64_t start_ms,
		      struct cgroup_stats s, uint64_t wake_ns)
{
	int i = result_add_phase(r, name, start_ms);

	assert_true(i >= 0);
	s.name = strdup("a");
	histogram_init(&s.wakes);
	histogram_init(&s.timers);
	if (wake_ns)
		histogram_add(&s.wakes, wake_ns);
	r->phases.items[i].end_ms = start_ms + 2000;
	assert_int_equal(vec_push(&r->phases.items[i].cgroups, s), 0);
}

static void test_versus_table(void **state)
{
	static const char expected[] =
		"--- versus eevdf ---\n"
		" PHASE   METRIC        scx_x  EEVDF  DELTA  %        CHANGE\n"
		" steady  iterations/s  150    300    -150   -50.0%   worse\n"
		" steady  worst gap ms  8      -      -      -\n"
		" steady  migrations    30     0      +30    -        worse\n"
		" steady  wake p50 us   0.03   600    -600   -100.0%  better\n"
		" steady  wake p99 us   0.03   600    -600   -100.0%  better\n"
		" steady  wake max us   0.03   600    -600   -100.0%  better\n"
		" steady  CPU time ms   0      0      +0     -\n";
	_versus_ struct versus none = {}, versus = {};
	_str_ struct str text = {};
	struct ktstr_result r;
	struct json j;

	(void)state;
	result_init(&r);
	assert_int_equal(versus_collect(&r, &none), 0);
	assert_int_equal(versus_add_table(&none, &text), 0);
	add_phase(&r, "scx_x: steady", 0,
		  (struct cgroup_stats){ .workers = 1,
					 .iterations = 300,
					 .gap_ms = 8,
					 .gap_cpu = 1,
					 .migrations = 30 },
		  30);
	assert_int_equal(text.len, 0);
	add_phase(&r, "eevdf: steady", 2000,
		  (struct cgroup_stats){ .workers = 1, .iterations = 600, .gap_cpu = -1 }, 600000);
	r.phases.items[0].end_ms = 2000;
	assert_int_equal(versus_collect(&r, &versus), 0);
	assert_int_equal(versus_add_table(&versus, &text), 0);
	assert_string_equal(str_get(&text), expected);
	str_reset(&text);
	json_init(&j, &text, false);
	json_object(&j);
	versus_put_json(&versus, &j);
	json_object_end(&j);
	assert_non_null(strstr(str_get(&text),
			       "\"scheduler\":150,\"eevdf\":300,\"delta\":-150,\"percent\":-50,"
			       "\"change\":\"worse\"}"));
	assert_non_null(strstr(str_get(&text), "\"eevdf\":null,\"delta\":null,\"percent\":null,"
					       "\"change\":null}"));
	result_finish(&r);
}

#define MS UINT64_C(1000000)

/* Only the test knows whether a CPU should be busy. */
static void test_versus_does_not_judge_how_busy_cpus_were(void **state)
{
	static const char *const rows[] = {
		" p      CPUs busy %           25     12.5   +12.5  +100.0%  other\n",
		" p      longest unpicked ms   70     700    -630   -90.0%   other\n",
	};
	/* By scheduler, the second one was offline at times. */
	static const struct cpu_events cpus[2][2] = {
		{ { .busy_ns = 1500 * MS,
		    .idle_ns = 500 * MS,
		    .has_idle_wait = true,
		    .longest_unpicked_ns = 70 * MS },
		  { .idle_ns = 4000 * MS } },
		{ { .busy_ns = 500 * MS,
		    .idle_ns = 1500 * MS,
		    .has_idle_wait = true,
		    .longest_unpicked_ns = 700 * MS },
		  { .idle_ns = 2000 * MS } },
	};
	_versus_ struct versus versus = {};
	_str_ struct str text = {};
	struct ktstr_result r;

	(void)state;
	result_init(&r);
	add_phase(&r, "scx_x: p", 0, (struct cgroup_stats){ .workers = 1, .gap_cpu = -1 }, 30);
	add_phase(&r, "eevdf: p", 2000, (struct cgroup_stats){ .workers = 1, .gap_cpu = -1 }, 30);
	for (size_t i = 0; i < 2; i++) {
		struct phase_events *e = &r.phases.items[i].events;

		e->is_known = true;
		e->observed_ns = 4000 * MS;
		for (size_t k = 0; k < 2; k++)
			assert_int_equal(vec_push(&e->cpus, cpus[i][k]), 0);
	}
	assert_int_equal(versus_collect(&r, &versus), 0);
	assert_int_equal(versus_add_table(&versus, &text), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strstr(str_get(&text), rows[i]))
			fail_msg("no row '%s' in\n%s", rows[i], str_get(&text));
	result_finish(&r);
}

static void add_to_phase(struct ktstr_result *r, size_t phase, const char *name, uint64_t ms,
			 int nice_value)
{
	struct cgroup_stats s;

	cgroup_stats_init(&s);
	s.name = strdup(name);
	s.workers = 1;
	s.cpu_time_ns = s.nice_cpu_time_ns[nice_value - WORKER_MIN_NICE] = ms * 1000000;
	assert_int_equal(vec_push(&r->phases.items[phase].cgroups, s), 0);
}

/* A scheduler that looks at no weight gives everybody the same; the gates are 5 points and 10 %. */
static void test_versus_shows_shares(void **state)
{
	static const char *const rows[] = {
		" run    share % of a        50     90     -40    -44.4%   other\n",
		" run    share % of b        50     10     +40    +400.0%  other\n",
		" run    share % of nice -5  50     90     -40    -44.4%   other\n",
		" run    share % of nice 19  50     10     +40    +400.0%  other\n",
		" equal  share % of a        50     53     -3     -5.7%\n",
	};
	_versus_ struct versus versus = {};
	_str_ struct str text = {};
	struct ktstr_result r;

	(void)state;
	result_init(&r);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(result_add_phase(&r,
						  (const char *[]){ "scx_x: run", "scx_x: equal",
								    "eevdf: run",
								    "eevdf: equal" }[i],
						  i * 1000),
				 i);
	add_to_phase(&r, 0, "a", 500, -5);
	add_to_phase(&r, 0, "b", 500, 19);
	add_to_phase(&r, 1, "a", 500, 0);
	add_to_phase(&r, 1, "b", 500, 0);
	add_to_phase(&r, 2, "b", 100, 19); /* by name, whatever the order */
	add_to_phase(&r, 2, "a", 900, -5);
	add_to_phase(&r, 3, "a", 530, 0);
	add_to_phase(&r, 3, "b", 470, 0);
	assert_int_equal(versus_collect(&r, &versus), 0);
	assert_int_equal(versus_add_table(&versus, &text), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strstr(str_get(&text), rows[i]))
			fail_msg("no row '%s' in\n%s", rows[i], str_get(&text));
	assert_null(strstr(str_get(&text), "nice 0")); /* alone: nothing to share */
	result_finish(&r);
}

/* Of very little time, too: shares are parts of what there was, of nothing else. */
static void test_versus_divides_little_time_as_well(void **state)
{
	_versus_ struct versus versus = {};
	_str_ struct str text = {};
	struct ktstr_result r;

	(void)state;
	result_init(&r);
	assert_int_equal(result_add_phase(&r, "scx_x: run", 0), 0);
	assert_int_equal(result_add_phase(&r, "eevdf: run", 1000), 1);
	add_to_phase(&r, 0, "a", 0, -5);
	add_to_phase(&r, 0, "b", 0, 19);
	add_to_phase(&r, 1, "a", 0, -5);
	add_to_phase(&r, 1, "b", 0, 19);
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < 2; i++) {
			struct cgroup_stats *s = &r.phases.items[side].cgroups.items[i];

			s->cpu_time_ns = side && i ? 3 : 1;
			s->nice_cpu_time_ns[(i ? 19 : -5) - WORKER_MIN_NICE] = s->cpu_time_ns;
		}
	assert_int_equal(versus_collect(&r, &versus), 0);
	assert_int_equal(versus_add_table(&versus, &text), 0);
	assert_non_null(strstr(str_get(&text), " share % of a        50     25 "));
	assert_non_null(strstr(str_get(&text), " share % of nice -5  50     25 "));
	result_finish(&r);
}

/* Whatever stands in the place of a number, it is the pair that is told to be wrong. */
static void test_odd_pairs_are_refused(void **state)
{
	static const char *const pairs[] = { "[[8,2],[4,1]]", "[[4,2],[[1],7],[8,1]]",
					     "[[4,2],[{\"a\":1},7],[8,1]]", "[[4,2],[[],{}]]" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		_free_ char *text = str_fmt(
			"{\"schema_version\":1,\"verdict\":\"pass\",\"details\":[],\"cgroups\":"
			"[{\"name\":\"a\",\"wakes\":{\"count\":3,\"buckets\":%s}}]}",
			pairs[i]);
		struct ktstr_result r;

		result_init(&r);
		assert_int_equal(result_from_json(&r, text, strlen(text)), -EINVAL);
		if (!strstr(err_text(-EINVAL), "no such bucket, or not in ascending order"))
			fail_msg("%s: %s", pairs[i], err_text(-EINVAL));
		result_finish(&r);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versus_divides_little_time_as_well),
		cmocka_unit_test(test_odd_pairs_are_refused),
		cmocka_unit_test(test_verdicts_merge_to_the_worst),
		cmocka_unit_test(test_expected_errors),
		cmocka_unit_test(test_failure_text_of_the_seeds),
		cmocka_unit_test(test_totals),
		cmocka_unit_test(test_json_has_totals),
		cmocka_unit_test(test_json_there_and_back),
		cmocka_unit_test(test_json_without_readings_has_nulls),
		cmocka_unit_test(test_bad_json),
		cmocka_unit_test(test_phases_of_parts_become_one),
		cmocka_unit_test(test_events_of_steps_are_put_in_order),
		cmocka_unit_test(test_versus_table),
		cmocka_unit_test(test_versus_does_not_judge_how_busy_cpus_were),
		cmocka_unit_test(test_versus_shows_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

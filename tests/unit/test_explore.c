// SPDX-License-Identifier: GPL-2.0-only
/* What explore, shrink, bisect and replay make of runs, without any run. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/util.h"
#include "check/result.h"
#include "explore/explore.h"
#include "explore/lab.h"
#include "explore/parts.h"
#include "stats/stats.h"
#include "unit.h"

/* ---- signatures ---- */

static const struct {
	const char *text, *signature;
} texts[] = {
	{ "", "" },
	{ "no numbers", "no numbers" },
	{ "worker 17 stuck 3500ms on cpu 1", "worker # stuck #ms on cpu #" },
	{ "spread=26% (29-55%)", "spread=#% (#%)" },
	{ "spread=26.125% of 1e+06", "spread=#% of #" },
	{ "cpus 0-3,7 and 0x1fF", "cpus # and #" },
	{ "cg_0: 1.5.", "cg_#: #." },
	{ "two\nlines", "two lines" },
	{ "0x is not a number, x12 is", "#x is not a number, x# is" },
	{ "runnable task stall: kworker/0:1[17] failed to run for 4.592s",
	  "runnable task stall: TASK[#] failed to run for #s" },
	{ "runnable task stall: Web Content[9] failed to run for 5.012s",
	  "runnable task stall: TASK[#] failed to run for #s" },
	{ "my worker[9] failed to run for 5s", "TASK[#] failed to run for #s" },
	{ "gone (rcu_preempt[17] failed to run for 4s)", "gone (TASK[#] failed to run for #s)" },
	{ "ktstr-test[3] waited for cg_0/2[12]", "TASK[#] waited for TASK[#]" },
	{ "stuck 662ms on cpu1 at +2034ms: naps/2 (tid 135) was runnable; busy/1 (tid 129) ran there",
	  "stuck #ms on cpu# at +#ms: TASK (tid #) was runnable; TASK (tid #) ran there" },
	{ "stuck 9ms: kworker/1:1-eve (kernel thread 59) and ktstr-test (pid 123) waited",
	  "stuck #ms: TASK (kernel thread #) and TASK (pid #) waited" },
	{ "mixed:Threads/0 (thread 137), x (tid y), (tid 5", "TASK (thread #), x (tid y), (tid #" },
	{ "[5] and x[] and y[7", "[#] and x[] and y[#" },
};

static void numbers_are_no_part_of_a_signature(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_str_ struct str out = {};

		signature_add_text(&out, texts[i].text);
		assert_string_equal(str_get(&out), texts[i].signature);
	}
}

static void add_failure(struct ktstr_result *r, enum detail_kind kind, const char *text)
{
	result_add(r, kind, KTSTR_FAILED, "%s", text);
}

static void signatures_know_no_order_and_no_repetition(void **state)
{
	_str_ struct str a = {}, b = {};
	struct ktstr_result x, y;

	(void)state;
	result_init(&x);
	result_init(&y);
	add_failure(&x, DETAIL_STUCK, "worker 1 stuck 5ms");
	add_failure(&x, DETAIL_UNFAIR, "spread 40%");
	add_failure(&y, DETAIL_UNFAIR, "spread 41%");
	add_failure(&y, DETAIL_STUCK, "worker 2 stuck 7ms");
	add_failure(&y, DETAIL_STUCK, "worker 3 stuck 9ms");
	result_add(&y, DETAIL_NOTE, KTSTR_PASSED, "a note 5");
	assert_int_equal(signature_add(&a, &x), 0);
	assert_int_equal(signature_add(&b, &y), 0);
	assert_string_equal(str_get(&a), "Stuck: worker # stuck #ms; Unfair: spread #%");
	assert_string_equal(str_get(&a), str_get(&b));
	result_finish(&x);
	result_finish(&y);
}

static void a_signature_knows_its_sentences_and_the_first(void **state)
{
	_str_ struct str all = {}, first = {};
	struct ktstr_result r;

	(void)state;
	result_init(&r);
	result_add(&r, DETAIL_NOTE, KTSTR_PASSED, "a note 5");
	add_failure(&r, DETAIL_STUCK, "worker 1 stuck 5ms; it ran");
	add_failure(&r, DETAIL_LATE_WAKEUP, "late 7ms");
	assert_int_equal(signature_add(&all, &r), 0);
	assert_int_equal(signature_add_first(&first, &r), 0);
	assert_string_equal(str_get(&first), "Stuck: worker # stuck #ms; it ran");
	assert_true(signature_has(str_get(&all), str_get(&first)));
	assert_true(signature_has(str_get(&all), "LateWakeup: late #ms"));
	assert_true(signature_has(str_get(&all), str_get(&all)));
	assert_false(signature_has(str_get(&all), "Stuck: worker # stuck"));
	assert_false(signature_has(str_get(&all), "worker # stuck #ms; it ran"));
	assert_false(signature_has("; ; a", "b"));
	result_finish(&r);
}

/* Which task a stalled scheduler starves is chance. */
static void a_stall_of_another_task_is_the_same_failure(void **state)
{
	static const char *const messages[] = {
		"the kernel took the scheduler down: runnable task stall: kworker/u8:2[34] failed to "
		"run for 1.476s (1.5s into test)",
		"the kernel took the scheduler down: runnable task stall: cg_0/2[120] failed to run "
		"for 2.001s (12.5s into test)",
	};
	struct str signatures[ARRAY_SIZE(messages)] = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		struct ktstr_result r;

		result_init(&r);
		add_failure(&r, DETAIL_SCHEDULER_DIED, messages[i]);
		assert_int_equal(signature_add(&signatures[i], &r), 0);
		result_finish(&r);
	}
	assert_string_equal(str_get(&signatures[0]), str_get(&signatures[1]));
	str_finish(&signatures[1]);
	str_finish(&signatures[0]);
}

static struct trial failed_trial(uint64_t seed, char *signature)
{
	return (struct trial){
		.seed = seed, .is_done = true, .status = TEST_FAILED, .signature = signature
	};
}

static void failures_are_grouped_the_most_frequent_first(void **state)
{
	char rare[] = "rare", often[] = "often";
	struct trial trials[] = {
		failed_trial(1, rare),
		failed_trial(2, often),
		{ .seed = 3, .is_done = true, .status = TEST_PASSED },
		{ .seed = 4, .status = TEST_FAILED }, /* never ran */
		failed_trial(5, often),
	};
	struct failure_groups g;

	(void)state;
	trials[4].status = TEST_TIMED_OUT;
	assert_int_equal(failure_groups_make(trials, ARRAY_SIZE(trials), &g), 0);
	assert_int_equal(g.items.count, 2);
	assert_string_equal(g.items.items[0].first->signature, "often");
	assert_int_equal(g.items.items[0].first->seed, 2);
	assert_int_equal(g.items.items[0].count, 2);
	assert_int_equal(g.items.items[0].seeds.items[1], 5);
	assert_int_equal(g.items.items[1].count, 1);
	failure_groups_finish(&g);
}

/* ---- seeds ---- */

static void shards_share_the_seeds(void **state)
{
	bool is_seen[10] = {};

	(void)state;
	for (unsigned int part = 0; part < 3; part++) {
		struct explore_options o = { .first_seed = 100,
					     .seeds = 10,
					     .shard = { .index = part, .count = 3 } };
		_free_ uint64_t *seeds = NULL;
		size_t count;

		assert_int_equal(explore_seeds(&o, &seeds, &count), 0);
		assert_in_range(count, 3, 4);
		for (size_t i = 0; i < count; i++) {
			assert_in_range(seeds[i], 100, 109);
			assert_false(is_seen[seeds[i] - 100]);
			is_seen[seeds[i] - 100] = true;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(is_seen); i++)
		assert_true(is_seen[i]);
}

static void seeds_do_not_wrap(void **state)
{
	struct explore_options o = { .first_seed = UINT64_MAX, .seeds = 2 };
	_free_ uint64_t *seeds = NULL;
	size_t count;

	(void)state;
	assert_int_equal(explore_seeds(&o, &seeds, &count), -EINVAL);
}

/* ---- distributions ---- */

static void percentiles_are_values_that_were_seen(void **state)
{
	struct distributions d = {};
	struct distribution_summary s;

	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++)
		assert_int_equal(distributions_add(&d, "gap", seed, (double)(101 - seed)), 0);
	assert_int_equal(distributions_add(&d, "one", 7, 2.5), 0);
	assert_int_equal(d.items.count, 2);
	distribution_summarize(&d.items.items[0], &s);
	assert_int_equal(s.count, 100);
	assert_true(s.min == 1 && s.p50 == 50 && s.p90 == 90 && s.max == 100);
	assert_int_equal(s.max_seed, 1);
	distribution_summarize(&d.items.items[1], &s);
	assert_true(s.min == 2.5 && s.p50 == 2.5 && s.p90 == 2.5 && s.max == 2.5);
	assert_int_equal(s.max_seed, 7);
	distributions_finish(&d);
}

static void the_first_of_equal_maxima_is_named(void **state)
{
	struct distributions d = {};
	struct distribution_summary s;

	(void)state;
	assert_int_equal(distributions_add(&d, "x", 9, 5), 0);
	assert_int_equal(distributions_add(&d, "x", 4, 5), 0);
	assert_int_equal(distributions_add(&d, "x", 2, 1), 0);
	distribution_summarize(&d.items.items[0], &s);
	assert_int_equal(s.max_seed, 4);
	distributions_finish(&d);
}

static void unknown_figures_are_left_out(void **state)
{
	struct distributions d = {};
	struct ktstr_result r;

	(void)state;
	result_init(&r);
	assert_int_equal(distributions_add_result(&d, 1, &r), 0);
	for (size_t i = 0; i < d.items.count; i++)
		assert_string_not_equal(d.items.items[i].name, "worst_gap_ms");
	distributions_finish(&d);
	result_finish(&r);
}

/* How many CPUs there were, and which had the longest gap, are no figures to compare. */
static void numbers_of_cpus_are_no_figures(void **state)
{
	struct distributions d = {};
	struct cgroup_stats stats;
	struct ktstr_result r;
	size_t found = 0;

	(void)state;
	result_init(&r);
	cgroup_stats_init(&stats);
	stats.name = strdup("a");
	stats.workers = stats.cpus = 2;
	stats.gap_cpu = 1;
	stats.gap_ms = 7;
	worker_cpus_add(&stats.cpu_list, 0);
	worker_cpus_add(&stats.cpu_list, 1);
	assert_int_equal(vec_push(&r.cgroups, stats), 0);
	assert_int_equal(distributions_add_result(&d, 1, &r), 0);
	for (size_t i = 0; i < d.items.count; i++) {
		assert_string_not_equal(d.items.items[i].name, "total_cpus");
		assert_string_not_equal(d.items.items[i].name, "worst_gap_cpu");
		found += strcmp(d.items.items[i].name, "worst_gap_ms") == 0;
	}
	assert_int_equal(found, 1);
	distributions_finish(&d);
	result_finish(&r);
}

/* The smallest value that so many percent do not exceed, of any number of them. */
static void percentiles_of_few_and_many(void **state)
{
	static const struct {
		uint64_t count;
		double p50, p90;
	} rows[] = { { 1, 1, 1 },   { 2, 1, 2 },     { 3, 2, 3 },      { 10, 5, 9 },
		     { 11, 6, 10 }, { 101, 51, 91 }, { 150, 75, 135 }, { 1000, 500, 900 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct distributions d = {};
		struct distribution_summary s;

		for (uint64_t seed = 1; seed <= rows[i].count; seed++)
			assert_int_equal(distributions_add(&d, "x", seed, (double)seed), 0);
		distribution_summarize(&d.items.items[0], &s);
		assert_true(s.p50 == rows[i].p50 && s.p90 == rows[i].p90);
		distributions_finish(&d);
	}
}

static void the_last_seeds_can_be_taken(void **state)
{
	static const struct {
		uint64_t first, count;
		int expected;
	} rows[] = { { UINT64_MAX, 1, 0 },
		     { UINT64_MAX, 2, -EINVAL },
		     { UINT64_MAX - 1, 2, 0 },
		     { UINT64_MAX - 1, 3, -EINVAL },
		     { 0, 1, 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(trial_seeds_check(rows[i].first, rows[i].count), rows[i].expected);
}

/* ---- differences ---- */

static void options_that_differ_are_told_as_a_whole(void **state)
{
	static const char *words[] = { "--workers", "3", "--steps", "1" };
	struct sidecar was = { .run_options = { .items = words, .count = 4 } }, is = {};
	_str_ struct str out = {};

	(void)state;
	identity_add_differences(&was, &is, &out);
	assert_string_equal(str_get(&out), "the options (--workers 3 --steps 1, now none)");
}

/* ---- bisect ---- */

struct fake_row {
	const char *verdicts; /* g, b, u */
	size_t judged;
	size_t most;
};

static int judge_fake(void *ctx, size_t i, enum bisect_verdict *verdict)
{
	struct fake_row *f = ctx;

	f->judged++;
	*verdict = f->verdicts[i] == 'g' ? BISECT_GOOD :
		   f->verdicts[i] == 'b' ? BISECT_BAD :
					   BISECT_UNTESTABLE;
	return 0;
}

static void every_first_bad_one_is_found(void **state)
{
	char row[18] = {};

	(void)state;
	for (size_t length = 2; length < sizeof(row); length++) {
		for (size_t bad = 1; bad < length; bad++) {
			struct fake_row f = { .verdicts = row };
			struct bisect_result r;

			memset(row, 0, sizeof(row));
			memset(row, 'g', bad);
			memset(row + bad, 'b', length - bad);
			assert_int_equal(bisect_run(length, judge_fake, &f, &r), 0);
			assert_int_equal(r.first_bad, bad);
			assert_int_equal(r.last_good, bad - 1);
			assert_int_equal(r.steps, f.judged);
			/* Two ends and the logarithm of what is between. */
			assert_in_range(r.steps, 2, 7);
		}
	}
}

static void what_cannot_be_tested_is_stepped_around(void **state)
{
	static const struct {
		const char *row;
		size_t last_good, first_bad;
	} rows[] = {
		{ "gub", 0, 2 },    { "guub", 0, 3 },	{ "gugb", 2, 3 },   { "gbub", 0, 1 },
		{ "gguuub", 1, 5 }, { "guuubb", 0, 4 }, { "gguubb", 1, 4 }, { "gugubub", 2, 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fake_row f = { .verdicts = rows[i].row };
		struct bisect_result r;

		assert_int_equal(bisect_run(strlen(rows[i].row), judge_fake, &f, &r), 0);
		assert_int_equal(r.last_good, rows[i].last_good);
		assert_int_equal(r.first_bad, rows[i].first_bad);
		assert_in_range(f.judged, 2, strlen(rows[i].row));
	}
}

/* Fails at the candidate that is judged as number most, from 1. */
static int judge_or_fail(void *ctx, size_t i, enum bisect_verdict *verdict)
{
	struct fake_row *f = ctx;

	judge_fake(ctx, i, verdict);
	return f->judged == f->most ? err_set(EIO, "no QEMU") : 0;
}

static void the_first_error_ends_a_bisection(void **state)
{
	(void)state;
	for (size_t at = 1; at <= 5; at++) {
		struct fake_row f = { .verdicts = "ggggggbbb", .most = at };
		struct bisect_result r;

		assert_int_equal(bisect_run(9, judge_or_fail, &f, &r), -EIO);
		assert_int_equal(f.judged, at);
		assert_int_equal(r.steps, at);
	}
}

static void ends_that_are_not_what_they_should_be_are_refused(void **state)
{
	static const struct {
		const char *row, *why;
	} rows[] = {
		{ "bb", "the good end is not good: the test fails there" },
		{ "ub", "the good end is not good: the test cannot run there" },
		{ "gg", "the bad end is not bad: the test passes there" },
		{ "gu", "the bad end is not bad: the test cannot run there" },
		{ "g", "there is nothing between" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fake_row f = { .verdicts = rows[i].row };
		struct bisect_result r;
		int rc = bisect_run(strlen(rows[i].row), judge_fake, &f, &r);

		assert_int_equal(rc, -EINVAL);
		assert_non_null(strstr(err_text(rc), rows[i].why));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_no_part_of_a_signature),
		cmocka_unit_test(signatures_know_no_order_and_no_repetition),
		cmocka_unit_test(a_signature_knows_its_sentences_and_the_first),
		cmocka_unit_test(a_stall_of_another_task_is_the_same_failure),
		cmocka_unit_test(failures_are_grouped_the_most_frequent_first),
		cmocka_unit_test(shards_share_the_seeds),
		cmocka_unit_test(seeds_do_not_wrap),
		cmocka_unit_test(percentiles_are_values_that_were_seen),
		cmocka_unit_test(the_first_of_equal_maxima_is_named),
		cmocka_unit_test(unknown_figures_are_left_out),
		cmocka_unit_test(numbers_of_cpus_are_no_figures),
		cmocka_unit_test(percentiles_of_few_and_many),
		cmocka_unit_test(the_last_seeds_can_be_taken),
		cmocka_unit_test(options_that_differ_are_told_as_a_whole),
		cmocka_unit_test(every_first_bad_one_is_found),
		cmocka_unit_test(what_cannot_be_tested_is_stepped_around),
		cmocka_unit_test(the_first_error_ends_a_bisection),
		cmocka_unit_test(ends_that_are_not_what_they_should_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

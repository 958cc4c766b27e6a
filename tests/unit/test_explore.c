// SPDX-License-Identifier: GPL-2.0-only
/* What explore, shrink, bisect and replay make of runs, without any run. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file_hash.h"
#include "base/str.h"
#include "base/util.h"
#include "check/result.h"
#include "explore/bisect.h"
#include "explore/distribution.h"
#include "explore/explore.h"
#include "explore/identity.h"
#include "explore/lab.h"
#include "explore/repeat.h"
#include "explore/shrink.h"
#include "explore/signature.h"
#include "explore/strategy.h"
#include "run/knobs.h"
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
	{ "0x is no number, x12 is", "#x is no number, x# is" },
	{ "runnable task stall: kworker/0:1[17] failed to run for 4.592s",
	  "runnable task stall: TASK[#] failed to run for #s" },
	{ "runnable task stall: Web Content[9] failed to run for 5.012s",
	  "runnable task stall: TASK[#] failed to run for #s" },
	{ "my worker[9] failed to run for 5s", "TASK[#] failed to run for #s" },
	{ "gone (rcu_preempt[17] failed to run for 4s)", "gone (TASK[#] failed to run for #s)" },
	{ "ktstr-test[3] waited for cg_0/2[12]", "TASK[#] waited for TASK[#]" },
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

/* ---- shrink ---- */

/* A failure that needs so much and is the same with more. */
struct fake_bug {
	unsigned int cpus, workers;
	uint64_t ms;
	unsigned int fixed_workers; /* the body has its own number */
	uint64_t fixed_ms;	    /* and its own duration */
	uint64_t steps;		    /* as bits: these have to be there */
	unsigned int fixed_steps;   /* the body takes all of them, whatever it is told */
	unsigned int hold_percent;
	size_t judged;
};

static int judge_bug(void *ctx, struct shrink_form *form, bool *is_same)
{
	struct fake_bug *b = ctx;
	const struct run_knobs *k = &form->knobs;
	unsigned int workers = b->fixed_workers ? b->fixed_workers : k->workers ? k->workers : 8;
	uint64_t ms;

	b->judged++;
	assert_int_equal(k->topology.llcs % k->topology.nodes, 0);
	*is_same = (!k->steps || (k->steps & b->steps) == b->steps) &&
		   (!k->hold_percent || k->hold_percent >= b->hold_percent) &&
		   vm_topology_cpus(&k->topology) >= b->cpus && workers >= b->workers &&
		   (!k->duration_ms || k->duration_ms >= b->ms);
	form->workers = workers;
	ms = b->fixed_ms ? b->fixed_ms : k->duration_ms ? k->duration_ms : 5000;
	form->guest_ns = ms * 1000000 + 4000000000 +
			 (k->hold_percent ? k->hold_percent : 100) * UINT64_C(1000000);
	form->seed = 7;
	if (form->steps && !b->fixed_steps && k->steps)
		form->steps = (size_t)__builtin_popcountll(k->steps & 0x3f);
	return 0;
}

static const struct shrink_start start = { .topology = { 1, 2, 2, 2 },
					   .duration_ms = 5000,
					   .workers = 8 };

static struct shrink_form shrunk(struct fake_bug *b)
{
	struct shrink_form form = {
		.knobs = RUN_KNOBS_DEFAULT, .seed = 3, .workers = 8, .guest_ns = 9100000000
	};

	form.knobs.topology = start.topology;
	assert_int_equal(shrink_run(&start, judge_bug, b, &form), 0);
	return form;
}

static void a_failure_becomes_as_small_as_it_can(void **state)
{
	struct fake_bug anything = { .cpus = 1 }, some = { .cpus = 2, .workers = 3, .ms = 900 };
	struct shrink_form form = shrunk(&anything);

	(void)state;
	assert_int_equal(vm_topology_cpus(&form.knobs.topology), 1);
	assert_int_equal(form.knobs.workers, 1);
	assert_in_range(form.knobs.duration_ms, 1, 10);
	form = shrunk(&some);
	assert_int_equal(vm_topology_cpus(&form.knobs.topology), 2);
	assert_int_equal(form.knobs.workers, 3);
	assert_in_range(form.knobs.duration_ms, 900, 960);
	assert_int_equal(form.seed, 7);
	assert_false(form.is_beginning);
	assert_in_range(some.judged, 1, 32);
}

/* Powers of two are not all there is. */
static void every_number_of_workers_and_cpus_is_found(void **state)
{
	(void)state;
	for (unsigned int needed = 1; needed <= 8; needed++) {
		struct fake_bug b = { .cpus = needed, .workers = needed, .ms = 40 * needed };
		struct shrink_start from = { .topology = { 1, 1, 8, 1 },
					     .duration_ms = 5000,
					     .workers = 8 };
		struct shrink_form form = { .knobs = RUN_KNOBS_DEFAULT,
					    .workers = 8,
					    .guest_ns = 9100000000 };

		form.knobs.topology = from.topology;
		assert_int_equal(shrink_run(&from, judge_bug, &b, &form), 0);
		assert_int_equal(vm_topology_cpus(&form.knobs.topology), needed);
		assert_int_equal(form.workers, needed);
		assert_in_range(form.knobs.duration_ms, b.ms, b.ms + b.ms / 8);
	}
}

/* A run that is only cut needs no other seed; every other form may. */
static int judge_and_count_cuts(void *ctx, struct shrink_form *form, bool *is_same)
{
	size_t *counts = ctx;
	struct fake_bug b = { .cpus = 2, .ms = 1000 };

	counts[form->is_beginning]++;
	return judge_bug(&b, form, is_same);
}

static void only_cut_runs_are_beginnings(void **state)
{
	size_t counts[2] = {};
	struct shrink_start from = { .topology = { 1, 1, 4, 1 }, .duration_ms = 5000 };
	struct shrink_form form = { .knobs = RUN_KNOBS_DEFAULT, .guest_ns = 9100000000 };

	(void)state;
	form.knobs.topology = from.topology;
	assert_int_equal(shrink_run(&from, judge_and_count_cuts, counts, &form), 0);
	assert_in_range(counts[true], 2, 24);
	assert_int_equal(counts[false], 2); /* of 4 cores 1 and 2 */
}

static void what_cannot_shrink_stays_as_it_is(void **state)
{
	struct fake_bug all = { .cpus = 8, .workers = 8, .ms = 5000 };
	struct shrink_form form = shrunk(&all);

	(void)state;
	assert_int_equal(vm_topology_cpus(&form.knobs.topology), 8);
	assert_int_equal(form.knobs.workers, 0);
	assert_int_equal(form.knobs.duration_ms, 0);
	assert_int_equal(form.seed, 3);
}

static void an_option_without_effect_is_not_taken(void **state)
{
	struct fake_bug fixed = { .cpus = 1, .fixed_workers = 8, .fixed_ms = 5000 };
	struct shrink_form form = shrunk(&fixed);

	(void)state;
	assert_int_equal(form.knobs.workers, 0);
	assert_int_equal(form.workers, 8);
	assert_int_equal(form.knobs.duration_ms, 0);
}

static struct shrink_form shrunk_steps(struct fake_bug *b)
{
	struct shrink_form form = { .knobs = RUN_KNOBS_DEFAULT,
				    .seed = 3,
				    .workers = 8,
				    .steps = 6,
				    .guest_ns = 9100000000 };

	form.knobs.topology = start.topology;
	assert_int_equal(shrink_run(&start, judge_bug, b, &form), 0);
	return form;
}

static void steps_that_are_not_needed_go(void **state)
{
	struct fake_bug one = { .cpus = 1, .steps = 1 << 2 };
	struct fake_bug two = { .cpus = 1, .steps = 1 << 1 | 1 << 4, .hold_percent = 30 };
	struct fake_bug all = { .cpus = 1, .steps = 0x3f, .hold_percent = 100 };
	struct shrink_form form = shrunk_steps(&one);

	(void)state;
	assert_int_equal(form.knobs.steps, 1 << 2);
	assert_int_equal(form.steps, 1);
	assert_in_range(form.knobs.hold_percent, 10, 20);
	form = shrunk_steps(&two);
	assert_int_equal(form.knobs.steps, two.steps);
	assert_int_equal(form.steps, 2);
	assert_int_equal(form.knobs.hold_percent, 50);
	form = shrunk_steps(&all);
	assert_int_equal(form.knobs.steps, 0);
	assert_int_equal(form.steps, 6);
	assert_int_equal(form.knobs.hold_percent, 0);
}

static void steps_that_nobody_leaves_out_stay(void **state)
{
	struct fake_bug fixed = { .cpus = 1, .fixed_steps = 6 };
	struct shrink_form form = shrunk_steps(&fixed);

	(void)state;
	assert_int_equal(form.knobs.steps, 0);
	assert_int_equal(form.steps, 6);
}

static void every_smaller_machine_is_one(void **state)
{
	static const struct vm_topology machines[] = {
		{ 2, 6, 3, 2 }, { 3, 9, 1, 1 }, { 4, 12, 16, 2 }, { 5, 5, 1, 1 }, { 1, 7, 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		struct fake_bug none = { .cpus = UINT32_MAX }, any = { .cpus = 1 };
		struct shrink_start from = { .topology = machines[i] };
		struct shrink_form form = { .knobs = RUN_KNOBS_DEFAULT };

		form.knobs.topology = machines[i];
		/* Every form that is tried is looked at by judge_bug(). */
		assert_int_equal(shrink_run(&from, judge_bug, &none, &form), 0);
		assert_memory_equal(&form.knobs.topology, &machines[i], sizeof(machines[i]));
		assert_int_equal(shrink_run(&from, judge_bug, &any, &form), 0);
		assert_int_equal(vm_topology_cpus(&form.knobs.topology), 1);
		assert_int_equal(any.judged, 1);
	}
}

/* ---- knobs and identity ---- */

static size_t split(char *text, const char **words, size_t max)
{
	size_t count = 0;
	char *save = NULL;

	for (char *w = strtok_r(text, "\n", &save); w && count < max;
	     w = strtok_r(NULL, "\n", &save))
		words[count++] = w;
	return count;
}

static void knobs_survive_as_words(void **state)
{
	struct run_knobs all = { .shift = 3,
				 .slice_us = 500,
				 .has_jitter = true,
				 .is_cold = true,
				 .is_release = true,
				 .versus_eevdf = true,
				 .is_verbose = true,
				 .profile = "ci",
				 .duration_ms = 1250,
				 .workers = 3,
				 .delays = 250,
				 .wake_delay_us = 400,
				 .strategy = "pct",
				 .depth = 4,
				 .events = 1234,
				 .steps = 1 | 1 << 2 | 1 << 3 | UINT64_C(1) << 63,
				 .hold_percent = 25,
				 .topology = { 1, 2, 3, 2 } };
	struct run_knobs usual = RUN_KNOBS_DEFAULT, again;
	_str_ struct str words = {}, none = {}, twice = {};
	const char *items[64];
	size_t count;

	(void)state;
	run_knobs_add_words(&usual, &none);
	assert_string_equal(str_get(&none), "");
	run_knobs_add_words(&all, &words);
	run_knobs_add_words(&all, &twice);
	count = split(words.s, items, ARRAY_SIZE(items));
	assert_int_equal(run_knobs_parse(&again, items, count), 0);
	str_reset(&none);
	run_knobs_add_words(&again, &none);
	assert_string_equal(str_get(&none), str_get(&twice));
	assert_int_equal(again.duration_ms, 1250);
	assert_int_equal(again.topology.threads, 2);
	assert_int_equal(again.steps, all.steps);
	assert_int_equal(again.wake_delay_us, 400);
	assert_non_null(strstr(str_get(&twice), "--steps\n1,3-4,64\n"));
	assert_non_null(strstr(str_get(&twice), "--strategy\npct\n--depth\n4\n--events\n1234\n"));
}

/* What is not said is left to the guest; 0 and the guest's own figure are things to say. */
static void a_slice_is_told_when_it_was_asked_for(void **state)
{
	static const struct {
		uint32_t slice_us;
		const char *words, *settings;
	} cases[] = {
		{ VM_SIM_SLICE_UNSET, "", "KTSTR_SEED=7\n" },
		{ 0, "--sim-slice\n0\n", "KTSTR_SEED=7\nKTSTR_SLICE_US=0\n" },
		{ 500, "--sim-slice\n500\n", "KTSTR_SEED=7\nKTSTR_SLICE_US=500\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct vm_sim sim = { .seed = 7, .slice_us = cases[i].slice_us };
		struct run_knobs k = RUN_KNOBS_DEFAULT;
		_str_ struct str words = {}, settings = {};

		k.slice_us = cases[i].slice_us;
		run_knobs_add_words(&k, &words);
		assert_string_equal(str_get(&words), cases[i].words);
		vm_sim_settings(&sim, &settings);
		assert_string_equal(str_get(&settings), cases[i].settings);
	}
}

/* Arguments come last, whatever they look like. */
static void the_scheduler_of_a_run_is_kept_with_its_arguments(void **state)
{
	static const char *const args[] = { "--slice-us", "--cold", "a b" };
	struct run_knobs k = RUN_KNOBS_DEFAULT, again;
	_str_ struct str words = {};
	const char *items[16];
	size_t count;

	(void)state;
	k.workers = 3;
	k.scheduler = "/x/scx_mine";
	k.scheduler_args = args;
	k.scheduler_arg_count = ARRAY_SIZE(args);
	run_knobs_add_words(&k, &words);
	assert_string_equal(str_get(&words), "--workers\n3\n--scheduler-bin\n/x/scx_mine\n"
					     "--\n--slice-us\n--cold\na b\n");
	count = split(words.s, items, ARRAY_SIZE(items));
	assert_int_equal(run_knobs_parse(&again, items, count), 0);
	assert_int_equal(again.workers, 3);
	assert_false(again.is_cold);
	assert_string_equal(again.scheduler, "/x/scx_mine");
	assert_int_equal(again.scheduler_arg_count, ARRAY_SIZE(args));
	for (size_t i = 0; i < ARRAY_SIZE(args); i++)
		assert_string_equal(again.scheduler_args[i], args[i]);
}

static void knobs_that_make_no_sense_are_refused(void **state)
{
	static const char *const bad[][2] = {
		{ "--sim-shift", "9" },
		{ "--sim-slice", "1" },
		{ "--duration", "soon" },
		{ "--workers", "-1" },
		{ "--topology", "1,1" },
		{ "--nextest-profile", "x" },
		{ "--unknown", "1" },
		{ "--workers", NULL },
		{ "--sim-slice", "99999999999" },
		{ "--steps", "0" },
		{ "--steps", "65" },
		{ "--steps", "1;2" },
		{ "--strategy", "x" },
		{ "--strategy", "pct" },
		{ "--depth", "2" },
		{ "--events", "9" },
		{ "--scheduler-bin", NULL },
	};
	struct run_knobs k;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(run_knobs_parse(&k, bad[i], bad[i][1] ? 2 : 1), -EINVAL);
}

static void a_bound_needs_tasks_and_events(void **state)
{
	struct strategy s = { .name = "pct", .depth = 3, .events = 100, .tasks = 5 };
	_str_ struct str text = {}, none = {};

	(void)state;
	assert_true(strategy_bound(&s) > 1.99e-5 && strategy_bound(&s) < 2.01e-5);
	strategy_add_text(&s, &text);
	assert_string_equal(
		str_get(&text),
		"strategy: pct of depth 3; k = 100 scheduling events, n = 5 tasks\n"
		"in theory a failure of that depth shows in at least 1/(n*k^2) = 2e-05 of the runs\n");
	s.depth = 1; /* only priorities */
	assert_true(strategy_bound(&s) > 0.19 && strategy_bound(&s) < 0.21);
	s.tasks = 0;
	assert_true(strategy_bound(&s) <= 0);
	s = (struct strategy){ .name = "walk" };
	assert_true(strategy_bound(&s) <= 0);
	strategy_add_text(&s, &none);
	assert_string_equal(str_get(&none), "strategy: walk\n");
}

/* A kernel that talks is wanted by a variable, in the command as in records. */
static void a_talking_kernel_stands_in_front_of_the_command(void **state)
{
	static const char *const old[] = { "--verbose" };
	struct test_program program = { .path = (char *)"/t/race.c" };
	struct variant variant = { .program = &program, .name = (char *)"ktstr/race" };
	struct run_kernel kernel = { .image.version = (char *)"7.0.13" };
	const struct task task = { .job.variant = &variant };
	struct lab lab = { .options.label = "ktstr", .task = &task };
	struct run_knobs k;
	_str_ struct str out = {}, words = {};

	(void)state;
	lab.campaign.kernels.items.items = &kernel;
	assert_int_equal(run_knobs_parse(&k, old, 1), 0);
	k.has_jitter = true;
	run_knobs_add_words(&k, &words);
	assert_string_equal(str_get(&words), "--sim-jitter\nKTSTR_VERBOSE=1\n");
	lab_add_command(&lab, &k, 3, &out);
	assert_string_equal(str_get(&out),
			    "KTSTR_VERBOSE=1 ktstr test /t/race.c -E 'test(=ktstr/race)' "
			    "--kernel 7.0.13 --accel sim --seed 3 --sim-jitter");
}

static void each_part_of_the_identity_is_named(void **state)
{
	static const char *const was_options[] = { "QEMU", "-m", "512M" };
	static const char *const is_options[] = { "QEMU", "-m", "1024M" };
	static const char *const words[] = { "--cold" };
	struct sidecar was = { .accel = "sim",
			       .has_seed = true,
			       .seed = 1,
			       .kernel_hash = "aa",
			       .qemu_version = "10.0.2",
			       .topology = "1n1l2c1t",
			       .icount_shift = { true, 1 },
			       .host_cpu_model = "one",
			       .qemu_options = { was_options, 3 } };
	struct sidecar is = was;
	_str_ struct str out = {};

	(void)state;
	identity_add_differences(&was, &is, &out);
	assert_string_equal(str_get(&out), "");
	is.seed = 2;
	identity_add_differences(&was, &is, &out);
	assert_string_equal(str_get(&out), "the seed (1, now 2)");
	str_reset(&out);
	is = was;
	is.kernel_hash = "bb";
	is.icount_shift.value = 3;
	is.sim_jitter = true;
	is.qemu_options.items = is_options;
	is.initramfs_hash = "cc";
	is.scheduler_hash = "dd";
	is.host_cpu_model = "two";
	is.run_options = (struct sidecar_strings){ words, 1 };
	identity_add_differences(&was, &is, &out);
	assert_string_equal(
		str_get(&out),
		"the kernel; the shift (1, now 3); the jitter; the options (none, now --cold); "
		"QEMU's command line (-m 512M, now 1024M); the scheduler's program; the guest's "
		"files (test program, scheduler, include files, settings); the host's CPU (one, now two)");
}

static void kernels_of_records_are_found_again(void **state)
{
	struct sidecar s = { .kernel_version = "6.12.1" };

	(void)state;
	assert_string_equal(repeat_kernel(&s), "6.12.1");
	s.kernel_key = "6.12.1-debian-cloud-x86_64";
	assert_string_equal(repeat_kernel(&s), "6.12.1");
	s.kernel_key = "local-ba51db8-x86_64-kc89d041fb";
	assert_string_equal(repeat_kernel(&s), s.kernel_key);
	s.kernel_key = "6.12.10-tarball-x86_64-kc89d041fb";
	assert_string_equal(repeat_kernel(&s), s.kernel_key);
	assert_null(repeat_kernel(&(struct sidecar){}));
}

static void expect_refused(const struct sidecar *s, const char *why)
{
	const char *path;

	assert_int_equal(repeat_scheduler(s, NULL, true, &path), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), why));
	assert_non_null(strstr(err_text(-EINVAL), "--scheduler-bin PATH"));
}

static void schedulers_of_records_are_found_again(void **state)
{
	char *dir = unit_temp_create(), hash[SHA256_HEX_SIZE];
	_free_ char *program = str_fmt("%s/scx", dir);
	struct sidecar s = { .name = "ktstr/a" };
	const char *path = "";

	(void)state;
	setenv("XDG_CACHE_HOME", dir, 1);
	unit_write(dir, "scx", "one");
	/* Those that have none, and those of a time when it was not recorded. */
	assert_int_equal(repeat_scheduler(&s, NULL, true, &path), 0);
	assert_null(path);
	assert_int_equal(file_hash(program, hash), 0);
	s.scheduler_path = program;
	s.scheduler_hash = hash;
	assert_int_equal(repeat_scheduler(&s, NULL, true, &path), 0);
	assert_string_equal(path, program);
	unit_write(dir, "scx", "another");
	expect_refused(&s, "which is another program now (");
	/* What failed is tried again with what was made better. */
	assert_int_equal(repeat_scheduler(&s, NULL, false, &path), 0);
	assert_string_equal(path, program);
	unlink(program);
	expect_refused(&s, "which cannot be read any more;");
	assert_int_equal(repeat_scheduler(&s, NULL, false, &path), 0);
	assert_null(path);
	assert_int_equal(repeat_scheduler(&s, "./mine", true, &path), 0);
	assert_string_equal(path, "./mine");
	unit_temp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_no_part_of_a_signature),
		cmocka_unit_test(signatures_know_no_order_and_no_repetition),
		cmocka_unit_test(a_stall_of_another_task_is_the_same_failure),
		cmocka_unit_test(failures_are_grouped_the_most_frequent_first),
		cmocka_unit_test(shards_share_the_seeds),
		cmocka_unit_test(seeds_do_not_wrap),
		cmocka_unit_test(percentiles_are_values_that_were_seen),
		cmocka_unit_test(the_first_of_equal_maxima_is_named),
		cmocka_unit_test(unknown_figures_are_left_out),
		cmocka_unit_test(every_first_bad_one_is_found),
		cmocka_unit_test(what_cannot_be_tested_is_stepped_around),
		cmocka_unit_test(ends_that_are_not_what_they_should_be_are_refused),
		cmocka_unit_test(a_failure_becomes_as_small_as_it_can),
		cmocka_unit_test(every_number_of_workers_and_cpus_is_found),
		cmocka_unit_test(only_cut_runs_are_beginnings),
		cmocka_unit_test(what_cannot_shrink_stays_as_it_is),
		cmocka_unit_test(an_option_without_effect_is_not_taken),
		cmocka_unit_test(steps_that_are_not_needed_go),
		cmocka_unit_test(steps_that_nobody_leaves_out_stay),
		cmocka_unit_test(every_smaller_machine_is_one),
		cmocka_unit_test(knobs_survive_as_words),
		cmocka_unit_test(a_slice_is_told_when_it_was_asked_for),
		cmocka_unit_test(the_scheduler_of_a_run_is_kept_with_its_arguments),
		cmocka_unit_test(knobs_that_make_no_sense_are_refused),
		cmocka_unit_test(a_bound_needs_tasks_and_events),
		cmocka_unit_test(a_talking_kernel_stands_in_front_of_the_command),
		cmocka_unit_test(each_part_of_the_identity_is_named),
		cmocka_unit_test(kernels_of_records_are_found_again),
		cmocka_unit_test(schedulers_of_records_are_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Campaigns of `ktstr fuzz` from their first scenario to their last. */
#include "played_fuzz.h"

#include "check/invariant.h"

/* The first five scenarios reach a new line each, the later ones nothing. */
static void reach_five(struct guest *g)
{
	for (size_t i = 0; i < g->count; i++)
		g->scenes[i].line = (uint32_t)MIN(played.scenarios + i, (size_t)4) + 1;
}

static void what_reaches_something_new_is_kept(void **state)
{
	(void)state;
	options.runs = 40;
	played.guest = reach_five;
	run_campaign(RUN_EXIT_PASSED);
	assert_int_equal(fuzz.runs, 40);
	assert_int_equal(fuzz.passed, 40);
	assert_int_equal(played.scenarios, 40);
	assert_int_equal(fuzz.cover.count, 5);
	assert_int_equal(fuzz.corpus.entries.count, 5);
	assert_int_equal(count_files("in-"), 5);
	assert_int_equal(fuzz.bpf.functions.items[0].lines.count, 5);
	/* Four guests with four scenarios each, as long as there are enough. */
	assert_int_equal(played.guests, 10);
	assert_int_equal(fuzz.curve.count, 3);
	assert_int_equal(fuzz.curve.items[0].runs, 16);
	assert_int_equal(fuzz.curve.items[0].features, 5);
	assert_int_equal(fuzz.curve.items[0].kept, 5);
	assert_int_equal(fuzz.curve.items[0].kinds[FUZZ_LINES], 5);
	assert_int_equal(fuzz.curve.items[2].runs, 40);
	assert_int_equal(fuzz.curve.items[2].failures, 0);
	/* The next campaign begins with them. */
	options.runs = 5;
	run_campaign(RUN_EXIT_PASSED);
	assert_int_equal(fuzz.runs, 5);
	assert_int_equal(fuzz.corpus.entries.count, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_true(fuzz.corpus.entries.items[i].is_run);
		assert_int_not_equal(fuzz.corpus.entries.items[i].own[0], 0);
	}
}

static void guests_run_longer_and_longer(void **state)
{
	size_t sum = 0;

	(void)state;
	options.runs = 1000;
	run_campaign(RUN_EXIT_PASSED);
	assert_int_equal(fuzz.runs, 1000);
	for (unsigned int i = 0; i < played.guests; i++) {
		size_t size = sum / 16 > 24 ? 24 : sum / 16 < 4 ? 4 : sum / 16;

		/* A batch of four is planned at once. */
		if (sum + size <= 900)
			assert_in_range(played.chains[i], 4, size);
		if (i % 4 == 0 && sum + size <= 1000)
			assert_int_equal(played.chains[i], size);
		sum += played.chains[i];
	}
	assert_int_equal(sum, 1000);
	assert_int_equal(fuzz.passed, 1000);
	assert_int_equal(fuzz.corpus.entries.count, 0);
}

static void wait_longer(struct guest *g)
{
	for (size_t i = 0; i < g->count; i++)
		g->scenes[i].wait_us = played.scenarios + i == 6 ? 90000 : 500;
}

static void the_longest_wait_is_told(void **state)
{
	(void)state;
	options.runs = 16;
	played.guest = wait_longer;
	run_campaign(RUN_EXIT_PASSED);
	assert_true(fuzz.cover.worst_wait_us == 90000);
	/* The first wait there is, and the one that is longer. */
	assert_int_equal(fuzz.corpus.entries.count, 2);
}

static void uniform_campaigns_keep_nothing(void **state)
{
	(void)state;
	options.runs = 40;
	options.is_uniform = true;
	played.guest = reach_five;
	run_campaign(RUN_EXIT_PASSED);
	assert_int_equal(fuzz.cover.count, 5);
	assert_int_equal(fuzz.corpus.entries.count, 0);
	assert_null(fuzz.random.uses);
}

static void expect_same_seeds(bool is_same, const char *was)
{
	options.corpus = "other";
	run_campaign(RUN_EXIT_PASSED);
	assert_int_equal(str_eq(str_get(&played.seeds), was), is_same);
}

static void a_seed_makes_a_campaign(void **state)
{
	_free_ char *was = NULL;

	(void)state;
	options.runs = 30;
	run_campaign(RUN_EXIT_PASSED);
	was = strdup(str_get(&played.seeds));
	expect_same_seeds(true, was);
	options.seed = 2;
	expect_same_seeds(false, was);
	options.seed = 1;
	options.shard = (struct shard){ .index = 1, .count = 2 };
	expect_same_seeds(false, was);
	/* What was kept makes a difference, too. */
	options.shard = (struct shard){};
	expect_same_seeds(true, was);
	options.corpus = "kept";
	played.guest = reach_five;
	run_campaign(RUN_EXIT_PASSED);
	played.guest = pass;
	run_campaign(RUN_EXIT_PASSED);
	assert_string_not_equal(str_get(&played.seeds), was);
}

static struct fuzz_input first_input;
static unsigned int first_ms;

static void look_at_first(struct guest *g)
{
	const struct trial *t = g->trial;
	struct vm_topology machine;
	unsigned int ms = 0;
	char end[16];

	snprintf(end, sizeof(end), "/%u", played.guests - 1);
	assert_int_equal(fuzz_machine(g->inputs[0].machine, &machine), 0);
	assert_memory_equal(&machine, &t->knobs->topology, sizeof(machine));
	assert_true(t->counts_kernel);
	assert_true(str_eq(strrchr(t->bpf_dir, '/'), end));
	assert_int_equal(t->seed, g->inputs[0].seed);
	for (size_t i = 0; i < g->count; i++) {
		ms += fuzz_input_ms(&g->inputs[i]) + (i ? 200 : 0);
		assert_true(fuzz_place_equal(&g->inputs[i], &g->inputs[0]));
	}
	assert_int_equal(t->test->duration_ms, ms);
	assert_ptr_equal(t->test->strategy, fuzz_strategy(g->inputs[0].strategy));
	first_input = g->inputs[0];
	first_ms = ms;
}

static void guests_are_given_their_scenarios(void **state)
{
	static const char *invariants[] = { "a < 5" };
	static char *args[] = { "--fast", "-v" };

	(void)state;
	options.runs = 16;
	options.kernel = "7.0";
	options.jobs = 3;
	options.invariants = invariants;
	options.invariant_count = 1;
	options.args = args;
	options.arg_count = 2;
	played.guest = look_at_first;
	run_campaign(RUN_EXIT_PASSED);
	assert_string_equal(played.request.label, "ktstr");
	assert_string_equal(played.request.kernel, "7.0");
	assert_int_equal(played.request.jobs, 3);
	assert_true(played.request.is_quiet);
	assert_string_equal(played.request.knobs.scheduler, "scx_mine");
	assert_int_equal(played.request.knobs.scheduler_arg_count, 2);
	assert_ptr_equal(sched.invariants.items, invariants);
	assert_int_equal(sched.invariants.count, 1);
	assert_true(first_input.count > 0 && first_ms > 0);
}

static void look_for_weights(struct guest *g)
{
	_str_ struct str text = {};

	assert_int_equal(file_read(g->trial->input, &text), 0);
	assert_int_equal(str_starts(text.s, FUZZ_UNWEIGHED_LINE), options.ignores_weights);
}

static void schedulers_may_ignore_weights(void **state)
{
	(void)state;
	options.runs = 16;
	played.guest = look_for_weights;
	run_campaign(RUN_EXIT_PASSED);
	options.ignores_weights = true;
	run_campaign(RUN_EXIT_PASSED);
}

static void what_cannot_be_begun_is_told(void **state)
{
	static const char *bad[] = { "a <" }, *many[INVARIANT_MAX + 1];
	static char *lines[] = { "two\nlines" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = "a < 5";
	options.invariants = bad;
	options.invariant_count = 1;
	assert_int_equal(fuzz_open(&fuzz, &options), -EINVAL);
	fuzz_finish(&fuzz);
	options.invariants = many;
	options.invariant_count = INVARIANT_MAX + 1;
	assert_int_equal(fuzz_open(&fuzz, &options), -EINVAL);
	fuzz_finish(&fuzz);
	options.invariant_count = INVARIANT_MAX;
	assert_int_equal(fuzz_open(&fuzz, &options), 0);
	fuzz_finish(&fuzz);
	options.args = lines;
	options.arg_count = 1;
	assert_int_equal(fuzz_open(&fuzz, &options), -EINVAL);
	err_clear();
}

/* ---- the corpus ---- */

static void fill_corpus(size_t count)
{
	struct fuzz_random r = { 99 };
	struct fuzz_corpus c = {};

	assert_int_equal(fuzz_corpus_open(&c, "kept"), 0);
	for (size_t i = 0; i < count; i++) {
		struct fuzz_input in;

		fuzz_input_make(&in, &r);
		in.machine = i % 2;
		in.strategy = 0;
		fuzz_input_repair(&in);
		assert_int_equal(fuzz_corpus_add(&c, &in, (const uint64_t[FUZZ_OWN]){}), 0);
	}
	fuzz_corpus_finish(&c);
}

static void what_was_kept_runs_first(void **state)
{
	(void)state;
	fill_corpus(60);
	options.runs = 61;
	run_campaign(RUN_EXIT_PASSED);
	/* One guest for each machine, and as many scenarios as a guest may have. */
	assert_int_equal(played.chains[0], 24);
	assert_int_equal(played.chains[1], 24);
	assert_int_equal(played.chains[2], 6);
	assert_int_equal(played.chains[3], 6);
	assert_int_equal(played.chains[4], 1);
	assert_int_equal(played.guests, 5);
	assert_int_equal(fuzz.curve.items[0].runs, 60);
	/* No more than is allowed. */
	options.runs = 30;
	run_campaign(RUN_EXIT_PASSED);
	assert_int_equal(played.scenarios, 30);
	assert_int_equal(played.guests, 2);
	assert_int_equal(played.chains[1], 6);
	/* A part of them, if others run the rest. */
	options.runs = 20;
	options.shard = (struct shard){ .index = 0, .count = 3 };
	run_campaign(RUN_EXIT_PASSED);
	assert_int_equal(fuzz.curve.items[0].runs, 20);
}

/* Of three lines that are reached the shortest input each stays. */
static void reach_three(struct guest *g)
{
	for (size_t i = 0; i < g->count; i++)
		g->scenes[i].line = (uint32_t)(played.scenarios + i) % 3 + 1;
}

static void what_brings_nothing_is_removed_if_that_is_asked_for(void **state)
{
	(void)state;
	fill_corpus(10);
	options.minimises = true;
	played.guest = reach_three;
	run_campaign(RUN_EXIT_PASSED);
	assert_int_equal(fuzz.runs, 10);
	assert_int_equal(fuzz.removed, 7);
	assert_int_equal(count_files("in-"), 3);
	for (size_t i = 1; i < 10; i++)
		assert_true(fuzz_input_ms(&fuzz.corpus.entries.items[i - 1].input) <=
			    fuzz_input_ms(&fuzz.corpus.entries.items[i].input));
	/* Otherwise it stays. */
	options.minimises = false;
	options.runs = 3;
	played.guest = pass;
	run_campaign(RUN_EXIT_PASSED);
	assert_int_equal(fuzz.removed, 0);
	assert_int_equal(count_files("in-"), 3);
}

/* ---- ends ---- */

static void skip_and_refuse(struct guest *g)
{
	for (size_t i = 0; i < g->count; i++)
		g->scenes[i].end = i == 0 ? FUZZ_SKIPPED : i == 1 ? FUZZ_INVALID : FUZZ_PASSED;
}

static void ends_of_scenarios_are_counted(void **state)
{
	(void)state;
	options.runs = 16;
	played.guest = skip_and_refuse;
	run_campaign(RUN_EXIT_PASSED);
	assert_int_equal(fuzz.skipped, 4);
	assert_int_equal(fuzz.invalid, 4);
	assert_int_equal(fuzz.passed, 8);
	assert_int_equal(fuzz.runs, 16);
	assert_int_equal(fuzz.failed, 0);
}

static void skip_all(struct guest *g)
{
	for (size_t i = 0; i < g->count; i++)
		g->scenes[i].end = FUZZ_SKIPPED;
}

static void nothing_that_passed_is_no_pass(void **state)
{
	(void)state;
	options.runs = 16;
	played.guest = skip_all;
	run_campaign(RUN_EXIT_NOTHING);
	assert_int_equal(fuzz.skipped, 16);
	assert_int_equal(fuzz.corpus.entries.count, 0);
	/* A kernel that skips scenarios with cookies has no core scheduling. */
	options.runs = 400;
	run_campaign(RUN_EXIT_NOTHING);
	assert_true(fuzz.left_out == FUZZ_OP(COOKIE));
}

static void pass_without_cookies(struct guest *g)
{
	static bool is_left_out;

	if (played.guests == 1)
		is_left_out = false;
	for (size_t i = 0; i < g->count; i++) {
		bool has = fuzz_input_has(&g->inputs[i], FUZZ_OP(COOKIE));

		assert_false(is_left_out && has);
		g->scenes[i].end = has ? FUZZ_SKIPPED : FUZZ_PASSED;
	}
	/* What was planned with it still runs. */
	if (played.guests % 4 == 0)
		is_left_out = fuzz.left_out & FUZZ_OP(COOKIE);
}

static void what_a_kernel_lacks_is_not_tried_again(void **state)
{
	(void)state;
	options.runs = 800;
	played.guest = pass_without_cookies;
	run_campaign(RUN_EXIT_PASSED);
	assert_in_range(fuzz.skipped, 1, 40);
}

static void the_end_of_time_ends_it(void **state)
{
	(void)state;
	options.budget_ns = 0;
	run_campaign(RUN_EXIT_NOTHING);
	assert_int_equal(played.guests, 0);
}

static void an_interrupt_ends_it(void **state)
{
	(void)state;
	played.interrupted_at = 3;
	run_campaign(RUN_EXIT_INTERRUPTED);
	assert_true(fuzz.is_interrupted);
	assert_int_equal(fuzz.runs, 32);
	assert_int_equal(fuzz.passed, 32);
	assert_true(fuzz.seconds >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(what_reaches_something_new_is_kept),
		TEST(guests_run_longer_and_longer),
		TEST(the_longest_wait_is_told),
		TEST(uniform_campaigns_keep_nothing),
		TEST(a_seed_makes_a_campaign),
		TEST(guests_are_given_their_scenarios),
		TEST(schedulers_may_ignore_weights),
		TEST(what_cannot_be_begun_is_told),
		TEST(what_was_kept_runs_first),
		TEST(what_brings_nothing_is_removed_if_that_is_asked_for),
		TEST(ends_of_scenarios_are_counted),
		TEST(nothing_that_passed_is_no_pass),
		TEST(what_a_kernel_lacks_is_not_tried_again),
		TEST(the_end_of_time_ends_it),
		TEST(an_interrupt_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

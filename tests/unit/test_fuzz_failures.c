// SPDX-License-Identifier: GPL-2.0-only
/* Failures of campaigns of `ktstr fuzz`: what is counted, repeated, kept and written. */
#include "played_fuzz.h"

/* A guest fails in the first scenario with these operations, with this message. */
static uint32_t needs;
static const char *message;
static unsigned int failing_guests; /* how many of them fail; the others pass */
static bool tells_late;		    /* the failure is noticed behind the last scenario */

static void fail_in(struct guest *g, size_t at)
{
	g->signature = message;
	if (!tells_late)
		g->scenes[at].end = NULL;
}

static void fail_with_needs(struct guest *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (failing_guests && fuzz_input_has(&g->inputs[i], needs)) {
			failing_guests--;
			fail_in(g, i);
			return;
		}
}

static const char *fail_test(const struct trial *t, const char *file)
{
	(void)t;
	(void)file;
	return message;
}

static int set_up_failures(void **state)
{
	needs = FUZZ_OP(RESTART);
	message = "Stuck: stuck #ms on cpu#";
	failing_guests = UINT32_MAX;
	tells_late = false;
	if (set_up(state) < 0)
		return -1;
	played.guest = fail_with_needs;
	played.test = fail_test;
	options.runs = 200;
	return 0;
}

static uint64_t ended(void)
{
	return fuzz.passed + fuzz.failed + fuzz.skipped + fuzz.invalid;
}

static const struct fuzz_failure *only_failure(void)
{
	assert_int_equal(fuzz.failures.count, 1);
	return &fuzz.failures.items[0];
}

static void expect_in_file(const char *path, const char *part)
{
	_str_ struct str text = {};

	assert_int_equal(file_read(path, &text), 0);
	if (!strstr(str_get(&text), part))
		fail_msg("%s has no '%s':\n%s", path, part, text.s);
}

static void a_failure_is_worked_out_once(void **state)
{
	const struct fuzz_failure *f;

	(void)state;
	run_campaign(RUN_EXIT_FAILED);
	f = only_failure();
	assert_string_equal(f->signature, "Stuck");
	assert_string_equal(f->text, "what the user reads");
	assert_string_equal(f->file, "fuzz-1.c");
	assert_false(f->is_known);
	assert_false(f->is_put_off);
	assert_null(f->trace);
	assert_null(f->explanation);
	assert_int_equal(f->before.count, 0);
	assert_true(fuzz_input_has(&f->input, needs));
	assert_in_range(f->input.count, 3, 5);
	assert_in_range(f->first_run, 1, 40);
	assert_true(f->runs > 1);
	assert_int_equal(f->runs, fuzz.failed);
	assert_in_range(f->tries, 1, 62);
	/* Each guest to repeat it, and the test. */
	assert_int_equal(fuzz.shrinking, f->tries + 1);
	assert_int_equal(played.tests, 1);
	assert_int_equal(fuzz.runs, 200);
	assert_int_equal(ended(), 200);
	assert_int_equal(fuzz.unconfirmed, 0);
	assert_int_equal(count_files("fail-"), 1);
	expect_in_file("fuzz-1.c", "\"/opt/scx_mine\"");
	expect_in_file("fuzz-1.c", "Stuck");
	assert_int_not_equal(access("fuzz-2.c", F_OK), 0);
}

static void a_failure_that_was_told_is_known(void **state)
{
	(void)state;
	run_campaign(RUN_EXIT_FAILED);
	run_campaign(RUN_EXIT_PASSED);
	assert_true(only_failure()->is_known);
	assert_null(only_failure()->file);
	assert_true(only_failure()->runs > 1);
	assert_int_equal(only_failure()->runs, fuzz.failed);
	assert_int_equal(played.tests, 0);
	assert_int_equal(fuzz.shrinking, 0);
	assert_int_not_equal(access("fuzz-2.c", F_OK), 0);
}

static void what_is_muted_is_not_worked_out(void **state)
{
	static const char *const muted[] = { "nothing", "tuc" };

	(void)state;
	options.muted = muted;
	options.muted_count = 1;
	run_campaign(RUN_EXIT_FAILED);
	options.corpus = "other";
	options.muted_count = 2;
	run_campaign(RUN_EXIT_PASSED);
	assert_true(only_failure()->is_known);
	assert_int_equal(fuzz.shrinking, 0);
}

static void the_first_failure_may_be_the_last(void **state)
{
	(void)state;
	options.stops_on_failure = true;
	run_campaign(RUN_EXIT_FAILED);
	assert_in_range(fuzz.runs, 1, 64);
	assert_string_equal(only_failure()->file, "fuzz-1.c");
}

static void fail_always(struct guest *g)
{
	fail_in(g, 0);
}

/* A scheduler that never works is not fuzzed for a night. */
static void failures_without_a_pass_end_a_campaign(void **state)
{
	(void)state;
	options.runs = 0;
	played.guest = fail_always;
	run_campaign(RUN_EXIT_FAILED);
	assert_int_equal(fuzz.failed, 64);
	assert_int_equal(fuzz.runs, 64);
	assert_int_equal(fuzz.passed, 0);
	assert_int_equal(only_failure()->runs, 64);
	assert_int_equal(only_failure()->first_run, 1);
	/* One group and two steps are enough for it. */
	assert_int_equal(only_failure()->input.machine, 0);
	assert_in_range(only_failure()->input.count, 2, 3);
}

static void what_fails_once_only_is_counted(void **state)
{
	(void)state;
	failing_guests = 1;
	run_campaign(RUN_EXIT_PASSED);
	assert_int_equal(fuzz.failures.count, 0);
	assert_int_equal(fuzz.unconfirmed, 1);
	assert_int_equal(fuzz.failed, 1);
	assert_int_equal(ended(), 200);
	assert_int_equal(played.tests, 0);
	assert_int_equal(count_files("fail-"), 0);
}

/* The last scenario is not taken for one that passed. */
static void a_failure_may_be_noticed_late(void **state)
{
	(void)state;
	tells_late = true;
	run_campaign(RUN_EXIT_FAILED);
	assert_int_equal(fuzz.runs, 200);
	assert_int_equal(ended(), 200);
	assert_true(fuzz.failed > 1);
	assert_true(fuzz_input_has(&only_failure()->input, needs));
	assert_int_equal(only_failure()->before.count, 0);
}

static size_t in_corpus;

static void count_corpus(struct guest *g)
{
	in_corpus += g->count;
	if (played.guests == 1)
		fail_in(g, 1);
}

/* Those behind it have not run, and run again. */
static void scenarios_behind_a_failed_one_run_later(void **state)
{
	struct fuzz_random r = { .state = 5 };
	struct fuzz_corpus c = {};

	(void)state;
	assert_int_equal(fuzz_corpus_open(&c, "kept"), 0);
	for (int i = 0; i < 6; i++) {
		struct fuzz_input in;

		fuzz_input_make(&in, &r);
		in.machine = in.strategy = 0;
		fuzz_input_repair(&in);
		assert_int_equal(fuzz_corpus_add(&c, &in, (const uint64_t[FUZZ_OWN]){}), 0);
	}
	fuzz_corpus_finish(&c);
	options.runs = 6;
	in_corpus = 0;
	message = "Other: step # failed: set_cpuset: no";
	played.guest = count_corpus;
	run_campaign(RUN_EXIT_PASSED);
	/* Six, then the four that are left. */
	assert_int_equal(in_corpus, 6 + 4);
	assert_int_equal(fuzz.runs, 6);
	assert_int_equal(fuzz.passed, 5);
	assert_int_equal(fuzz.invalid, 1);
	assert_int_equal(fuzz.failed, 0);
	assert_int_equal(fuzz.failures.count, 0);
}

static void pass_without_a_result(struct guest *g)
{
	g->has_no_result = true;
	for (size_t i = 0; i < g->count; i++)
		g->scenes[i].line = 7;
	fail_with_needs(g);
}

/* How far a guest came that crashed is known by its coverage. */
static void a_guest_that_crashed_has_its_coverage(void **state)
{
	(void)state;
	message = "the guest crashed";
	played.guest = pass_without_a_result;
	run_campaign(RUN_EXIT_FAILED);
	assert_string_equal(only_failure()->signature, "the guest crashed");
	assert_true(fuzz_input_has(&only_failure()->input, needs));
	assert_int_equal(only_failure()->before.count, 0);
	assert_int_equal(fuzz.runs, 200);
	assert_int_equal(ended(), 200);
	assert_int_equal(fuzz.cover.count, 1);
}

static void end_in_silence(struct guest *g)
{
	g->scenes[2].end = NULL;
}

/* Neither a failure nor an end: what comes next was skipped. */
static void a_guest_that_ends_early_skips_the_rest(void **state)
{
	(void)state;
	options.runs = 12;
	played.guest = end_in_silence;
	run_campaign(RUN_EXIT_PASSED);
	assert_int_equal(fuzz.passed, 8);
	assert_int_equal(fuzz.skipped, 4);
	assert_int_equal(fuzz.runs, 12);
}

/* ---- tests ---- */

static uint64_t failing_seed;
static uint64_t seeds[40];

static const char *fail_with_seed(const struct trial *t, const char *file)
{
	assert_string_equal(file, "fuzz-1.c");
	if (played.tests < ARRAY_SIZE(seeds))
		seeds[played.tests] = t->seed;
	return t->seed == failing_seed ? message : NULL;
}

static void another_seed_may_be_needed(void **state)
{
	(void)state;
	failing_seed = 7;
	played.test = fail_with_seed;
	run_campaign(RUN_EXIT_FAILED);
	assert_int_equal(played.tests, 8);
	for (unsigned int i = 1; i < 8; i++)
		assert_int_equal(seeds[i], i);
	assert_int_equal(only_failure()->input.seed, 7);
	assert_string_equal(only_failure()->file, "fuzz-1.c");
	expect_in_file("fuzz-1.c", "7");
	assert_int_equal(fuzz.shrinking, only_failure()->tries + 8);
}

static void a_test_that_fails_with_no_seed_is_removed(void **state)
{
	(void)state;
	failing_seed = 8;
	played.test = fail_with_seed;
	run_campaign(RUN_EXIT_FAILED);
	/* As small as it is, then as it was. */
	assert_int_equal(played.tests, 16);
	assert_null(only_failure()->file);
	assert_int_not_equal(access("fuzz-1.c", F_OK), 0);
	assert_int_equal(count_files("fail-"), 1);
}

static const char *fail_otherwise(const struct trial *t, const char *file)
{
	(void)t;
	(void)file;
	return "Isolation: cpu#";
}

static void a_test_has_to_fail_in_the_same_way(void **state)
{
	(void)state;
	played.test = fail_otherwise;
	run_campaign(RUN_EXIT_FAILED);
	assert_null(only_failure()->file);
}

static void failures_are_explained_if_that_is_asked_for(void **state)
{
	(void)state;
	unit_write(".", "fuzz-1.c", "mine");
	options.explains = true;
	run_campaign(RUN_EXIT_FAILED);
	assert_string_equal(only_failure()->file, "fuzz-2.c");
	assert_string_equal(only_failure()->trace, "fuzz-2.perfetto");
	assert_string_equal(only_failure()->explanation, "fuzz-2.txt");
	expect_in_file("fuzz-2.txt", "explained");
	expect_in_file("fuzz-1.c", "mine");
	assert_int_equal(played.tests, 2);
}

/* ---- hotplug ---- */

static void schedulers_may_leave_hotplug_to_the_kernel(void **state)
{
	static const char *const messages[] = {
		"SchedulerDied: cpu # going offline, exiting scheduler",
		"SchedulerDied: cpu # going online, exiting scheduler",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		needs = FUZZ_OP(OFFLINE);
		message = messages[i];
		options.runs = 600;
		run_campaign(RUN_EXIT_PASSED);
		assert_int_equal(fuzz.failures.count, 0);
		assert_int_equal(fuzz.failed, 0);
		/* Those of the batch in which it was seen. */
		assert_in_range(fuzz.invalid, 1, 4);
		assert_int_equal(fuzz.passed + fuzz.invalid, 600);
		assert_true(fuzz.left_out == (FUZZ_OP(OFFLINE) | FUZZ_OP(ONLINE)));
		assert_int_equal(fuzz.shrinking, 0);
	}
}

static bool ends_at_hotplug;

/* Only a guest that does nothing else says why. */
static void die_at_hotplug(struct guest *g)
{
	if (!fuzz_input_has(&g->inputs[g->count - 1], FUZZ_OP(OFFLINE)) && g->count > 1)
		return;
	message = g->count > 1	  ? "SchedulerDied: scheduler process died" :
		  ends_at_hotplug ? "SchedulerDied: cpu # going offline, exiting scheduler" :
				    "SchedulerDied: scheduler process died";
	fail_in(g, g->count - 1);
}

static void why_a_scheduler_died_is_asked(void **state)
{
	(void)state;
	ends_at_hotplug = true;
	played.guest = die_at_hotplug;
	options.runs = 400;
	run_campaign(RUN_EXIT_PASSED);
	assert_true(fuzz.left_out == (FUZZ_OP(OFFLINE) | FUZZ_OP(ONLINE)));
	assert_int_equal(fuzz.failures.count, 0);
	assert_in_range(fuzz.shrinking, 1, 4);
	/* One that died of something else has failed. */
	ends_at_hotplug = false;
	options.corpus = "other";
	run_campaign(RUN_EXIT_FAILED);
	assert_int_equal(fuzz.left_out, 0);
	assert_string_equal(only_failure()->signature, "SchedulerDied: scheduler process died");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_failures, tear_down)
		TEST(a_failure_is_worked_out_once),
		TEST(a_failure_that_was_told_is_known),
		TEST(what_is_muted_is_not_worked_out),
		TEST(the_first_failure_may_be_the_last),
		TEST(failures_without_a_pass_end_a_campaign),
		TEST(what_fails_once_only_is_counted),
		TEST(a_failure_may_be_noticed_late),
		TEST(scenarios_behind_a_failed_one_run_later),
		TEST(a_guest_that_crashed_has_its_coverage),
		TEST(a_guest_that_ends_early_skips_the_rest),
		TEST(another_seed_may_be_needed),
		TEST(a_test_that_fails_with_no_seed_is_removed),
		TEST(a_test_has_to_fail_in_the_same_way),
		TEST(failures_are_explained_if_that_is_asked_for),
		TEST(schedulers_may_leave_hotplug_to_the_kernel),
		TEST(why_a_scheduler_died_is_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

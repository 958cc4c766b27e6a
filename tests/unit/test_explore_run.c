// SPDX-License-Identifier: GPL-2.0-only
/* Exploring and tracing from the first run to what is printed, with runs that a test plays. */
#include "played_lab.h"

static void expect_explored(const struct explore_options *o, int code, const char *expected)
{
	char *text;
	int rc;

	catch_output();
	rc = explore_run(&lab, o);
	text = caught_output();
	if (rc < 0)
		fail_msg("%s", err_text(rc));
	assert_string_equal(text, expected);
	assert_int_equal(rc, code);
	free(text);
}

/* ---- explore ---- */

static void seeds_that_pass_are_counted(void **state)
{
	(void)state;
	play = play_all_pass;
	expect_explored(&(struct explore_options){ .first_seed = 1, .seeds = 3 }, RUN_EXIT_PASSED,
			"ktstr/race on 1n1l4c1t, kernel 7.0.13, scheduler eevdf\n"
			"3 of 3 seeds: 3 passed, 0 failed; 3.0 s, 60 seeds a minute\n"
			"strategy: " STRATEGY_NONE "\n");
}

static void play_two_failures(struct trial *t)
{
	if (t->seed == 3 || t->seed >= 8)
		come_to(t, TEST_FAILED, "Stuck",
			"one\ntwo \033[31m\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13");
	else if (t->seed == 5)
		come_to(t, TEST_TIMED_OUT, "timeout", "too long");
	else if (t->seed == 6)
		come_to(t, TEST_INCONCLUSIVE, NULL, "no evidence\n");
	else if (t->seed == 7)
		come_to(t, TEST_SKIPPED, NULL, "not here");
	else
		come_to(t, TEST_PASSED, NULL, NULL);
	snprintf(t->digest, sizeof(t->digest), "%s", t->seed == 3 ? "abc" : "");
}

static void failures_are_told_with_their_seeds_and_first_lines(void **state)
{
	(void)state;
	play = play_two_failures;
	expect_explored(
		&(struct explore_options){ .first_seed = 2, .seeds = 20 }, RUN_EXIT_FAILED,
		"ktstr/race on 1n1l4c1t, kernel 7.0.13, scheduler eevdf\n"
		"20 of 20 seeds: 2 passed, 16 failed, 1 inconclusive, 1 skipped; 20.0 s, 60 seeds "
		"a minute\n"
		"strategy: " STRATEGY_NONE "\n"
		"\n"
		"2 distinct failures:\n"
		"\n"
		"  1. Stuck\n"
		"     15 of 20 seeds of " STRATEGY_NONE
		": 3, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, ... 3 more\n"
		"     seed 3:\n"
		"     | one\n"
		"     | two \\x1b[31m\n"
		"     | 3\n     | 4\n     | 5\n     | 6\n     | 7\n     | 8\n     | 9\n"
		"     | 10\n     | 11\n     | 12\n"
		"     | ...\n"
		"     again: " AGAIN "3\n"
		"\n"
		"  2. timeout\n"
		"     1 of 20 seeds of " STRATEGY_NONE ": 5\n"
		"     seed 5:\n"
		"     | too long\n"
		"     again: " AGAIN "5\n"
		"\n"
		"seed 6 was inconclusive:\n"
		"     | no evidence\n");
}

static void programs_read_the_same_as_json(void **state)
{
	(void)state;
	play = play_two_failures;
	expect_explored(
		&(struct explore_options){ .first_seed = 3, .seeds = 2, .is_json = true },
		RUN_EXIT_FAILED,
		"{\n"
		"  \"schema_version\": 1,\n"
		"  \"test\": \"ktstr/race\",\n"
		"  \"kernel\": \"7.0.13\",\n"
		"  \"planned\": 2,\n"
		"  \"passed\": 1,\n"
		"  \"failed\": 1,\n"
		"  \"inconclusive\": 0,\n"
		"  \"skipped\": 0,\n"
		"  \"seconds\": 2,\n"
		"  \"interrupted\": false,\n"
		"  \"strategy\": {\n"
		"    \"name\": \"" STRATEGY_NONE "\",\n"
		"    \"depth\": null,\n"
		"    \"events\": null,\n"
		"    \"tasks\": null,\n"
		"    \"bound\": null\n"
		"  },\n"
		"  \"failures\": [\n"
		"    {\n"
		"      \"signature\": \"Stuck\",\n"
		"      \"seeds\": [\n"
		"        3\n"
		"      ],\n"
		"      \"text\": \"one\\ntwo \\u001b[31m\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n10\\n11\\n12\\n13\",\n"
		"      \"command\": \"" AGAIN "3\"\n"
		"    }\n"
		"  ],\n"
		"  \"metrics\": {},\n"
		"  \"runs\": [\n"
		"    {\n"
		"      \"seed\": 3,\n"
		"      \"outcome\": \"fail\",\n"
		"      \"digest\": \"abc\",\n"
		"      \"signature\": \"Stuck\"\n"
		"    },\n"
		"    {\n"
		"      \"seed\": 4,\n"
		"      \"outcome\": \"pass\",\n"
		"      \"digest\": null,\n"
		"      \"signature\": null\n"
		"    }\n"
		"  ]\n"
		"}\n");
}

/* Several run at once: one that did not come to its end may stand before one that did. */
static void runs_without_an_end_are_left_out(void **state)
{
	const struct explore_options o = { .first_seed = 1, .seeds = 3, .is_json = true };
	char *text;

	(void)state;
	play = play_all_pass;
	hole = 1;
	catch_output();
	assert_int_equal(explore_run(&lab, &o), RUN_EXIT_PASSED);
	text = caught_output();
	assert_null(strstr(text, "\"seed\": 1,"));
	assert_non_null(strstr(text, "\"seed\": 2,"));
	assert_non_null(strstr(text, "\"seed\": 3,"));
	free(text);
}

static int explored(struct explore_options o)
{
	char *text;
	int rc;

	runs = 0;
	catch_output();
	rc = explore_run(&lab, &o);
	text = caught_output();
	free(text);
	return rc;
}

static void play_other_verdicts(struct trial *t)
{
	static const enum test_status by_seed[] = { TEST_SKIPPED, TEST_INCONCLUSIVE };

	come_to(t, by_seed[t->seed % 2], NULL, NULL);
}

static void the_exit_code_is_that_of_the_worst_seed(void **state)
{
	(void)state;
	play = play_other_verdicts;
	assert_int_equal(explored((struct explore_options){ .first_seed = 2, .seeds = 1 }),
			 RUN_EXIT_NOTHING);
	assert_int_equal(explored((struct explore_options){ .first_seed = 2, .seeds = 2 }),
			 RUN_EXIT_INCONCLUSIVE);
	lab_rc = -EINTR;
	assert_int_equal(explored((struct explore_options){ .first_seed = 2, .seeds = 2 }),
			 RUN_EXIT_INTERRUPTED);
	lab_rc = -ENOSPC;
	assert_int_equal(explored((struct explore_options){ .first_seed = 2, .seeds = 2 }),
			 -ENOSPC);
}

static void it_ends_with_the_budget_or_the_first_failure(void **state)
{
	(void)state;
	play = play_two_failures;
	assert_int_equal(explored((struct explore_options){
				 .first_seed = 1, .seeds = 9, .stops_on_failure = true }),
			 RUN_EXIT_FAILED);
	assert_int_equal(runs, 3);
	assert_int_equal(explored((struct explore_options){
				 .first_seed = 1, .seeds = 9, .budget_ns = 2 * NSEC_PER_SEC }),
			 RUN_EXIT_PASSED);
	assert_int_equal(runs, 2);
}

static void progress_is_shown_as_seeds_end(void **state)
{
	(void)state;
	play = play_all_pass;
	assert_int_equal(explored((struct explore_options){ .first_seed = 1, .seeds = 3 }),
			 RUN_EXIT_PASSED);
	assert_string_equal(str_get(&shown), "ktstr: exploring race of 3: 1 2 3 end");
	str_reset(&shown);
	has_terminal = true;
	assert_int_equal(explored((struct explore_options){ .first_seed = 1, .seeds = 3 }),
			 RUN_EXIT_PASSED);
	assert_string_equal(str_get(&shown), "ktstr: exploring race of 3: 0 1 1 2 2 3 end");
}

static void figures_of_results_are_told(void **state)
{
	(void)state;
	play = play_all_pass;
	metric = "ops";
	expect_explored(&(struct explore_options){ .first_seed = 3, .seeds = 2 }, RUN_EXIT_PASSED,
			"ktstr/race on 1n1l4c1t, kernel 7.0.13, scheduler eevdf\n"
			"2 of 2 seeds: 2 passed, 0 failed; 2.0 s, 60 seeds a minute\n"
			"strategy: " STRATEGY_NONE "\n"
			"\n"
			" METRIC  SEEDS  MIN  P50  P90  MAX  MAX AT SEED\n"
			" ops     2      3    3    4    4    4\n");
}

/* ---- traces ---- */

static const char *with_tracer; /* the digest of a run that is traced */

static void play_traced(struct trial *t)
{
	come_to(t, t->seed == 5 ? TEST_FAILED : TEST_PASSED, NULL, NULL);
	if (t->seed == 6)
		t->status = TEST_SKIPPED;
	if (t->trace)
		close(open(t->trace, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644));
	snprintf(t->digest, sizeof(t->digest), "%s",
		 t->seed == 7 ? "" :
		 t->trace     ? with_tracer :
				"0123456789abcdef-plain");
}

static int trace(uint64_t seed, const char *digest, const char *output, char **text)
{
	int rc;

	catch_output();
	rc = tracing_run(&lab, &(struct tracing_options){
				       .seed = seed, .digest = digest, .output = output });
	*text = caught_output();
	return rc;
}

/* Twice, without the tracer and with it; once where it is known what it was. */
static void a_trace_is_of_the_run_that_is_meant(void **state)
{
	static const char same[] = "0123456789abcdef-plain";
	char *dir = unit_temp_create(), *text;
	_free_ char *path = str_fmt("%s/t.svg", dir), *expected = NULL;

	(void)state;
	play = play_traced;
	with_tracer = same;
	assert_int_equal(trace(5, NULL, path, &text), 0);
	expected = str_fmt("%s: ktstr/race, seed 5, which failed; digest 0123456789abcdef with and "
			   "without the tracer\n",
			   path);
	assert_string_equal(text, expected);
	free(text);
	assert_int_equal(runs, 2);
	assert_int_equal(access(path, F_OK), 0);
	runs = 0;
	assert_int_equal(trace(4, same, path, &text), 0);
	assert_non_null(strstr(text, "seed 4, which passed; "));
	free(text);
	assert_int_equal(runs, 1);
	/* Another run: what was written of it goes. */
	with_tracer = "fedcba9876543210-other";
	assert_int_equal(trace(5, NULL, path, &text), -EIO);
	assert_string_equal(text, "");
	free(text);
	assert_true(access(path, F_OK) < 0);
	assert_string_equal(err_text(-EIO),
			    "two runs of seed 5 were not the same (digest 0123456789abcdef, with "
			    "the tracer fedcba9876543210): no trace was written");
	assert_int_equal(trace(4, same, path, &text), -EIO);
	free(text);
	assert_non_null(strstr(err_text(-EIO), "this run differs from the recorded one (digest "
					       "0123456789abcdef, now fedcba9876543210)"));
	/* What is no file stays. */
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(trace(4, same, path, &text), -EIO);
	free(text);
	assert_int_equal(unlink(path), 0);
	/* One that did not run, and one that said nothing. */
	assert_int_equal(trace(6, NULL, path, &text), -EINVAL);
	free(text);
	assert_string_equal(err_text(-EINVAL), "nothing ran: the test was skipped");
	assert_int_equal(trace(7, NULL, path, &text), -EIO);
	free(text);
	assert_string_equal(err_text(-EIO), "the guest said nothing that could be compared");
	unit_temp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_LAB(seeds_that_pass_are_counted),
		IN_LAB(failures_are_told_with_their_seeds_and_first_lines),
		IN_LAB(programs_read_the_same_as_json),
		IN_LAB(runs_without_an_end_are_left_out),
		IN_LAB(the_exit_code_is_that_of_the_worst_seed),
		IN_LAB(it_ends_with_the_budget_or_the_first_failure),
		IN_LAB(progress_is_shown_as_seeds_end),
		IN_LAB(figures_of_results_are_told),
		IN_LAB(a_trace_is_of_the_run_that_is_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

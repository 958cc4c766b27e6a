// SPDX-License-Identifier: GPL-2.0-only
/* A whole run, from its options to its exit status, reports and records. */
#include "played_run.h"

#include <sys/stat.h>

#include "base/interrupt.h"

#define RUN_DIR "runs/7.0.1-1a2b3c4"

/* What an attempt has for a result, by the first letter of the test's name; NULL = as it is. */
static const char *results[PLAYED_TESTS];

static void set_result(struct outcome *o, const char *result)
{
	str_reset(&o->result);
	str_add(&o->result, result);
}

static void play_results(const struct task *t, struct outcome *o)
{
	const char *result = results[*t->job.variant->test->name - 'a'];

	if (result)
		set_result(o, result);
}

static void each_verdict_has_its_exit_status(void **state)
{
	static const struct {
		const char *results[PLAYED_TESTS];
		int expected;
		const char *summary;
	} rows[] = {
		{ { NULL }, RUN_EXIT_PASSED, "3 tests run: 3 passed\n" },
		{ { PLAYED_SKIP }, RUN_EXIT_PASSED, "2 tests run: 2 passed, 1 skipped\n" },
		{ { NULL, PLAYED_UNSURE },
		  RUN_EXIT_INCONCLUSIVE,
		  "3 tests run: 2 passed, 1 inconclusive\n" },
		{ { PLAYED_UNSURE, PLAYED_FAIL },
		  RUN_EXIT_FAILED,
		  "3 tests run: 1 passed, 1 failed, 1 inconclusive\n" },
		{ { PLAYED_SKIP, PLAYED_SKIP, PLAYED_SKIP },
		  RUN_EXIT_NOTHING,
		  "0 tests run: 0 passed, 3 skipped\n" },
		{ { PLAYED_SKIP, PLAYED_UNSURE, PLAYED_SKIP },
		  RUN_EXIT_INCONCLUSIVE,
		  "1 test run: 0 passed, 1 inconclusive, 2 skipped\n" },
	};

	(void)state;
	played.play = play_results;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		memcpy(results, rows[i].results, sizeof(results));
		expect_run(rows[i].expected);
		expect_part(played.out, rows[i].summary);
		assert_string_equal(str_get(&played.ran), "ktstr/a:1:5 ktstr/b:1:5 ktstr/c:1:5 ");
	}
}

static void play_second_failure(const struct task *t, struct outcome *o)
{
	if (*t->job.variant->test->name == 'b')
		set_result(o, PLAYED_FAIL);
}

static void the_first_failure_ends_a_run_that_is_to_end_then(void **state)
{
	_free_ char *junit = NULL;

	(void)state;
	played.play = play_second_failure;
	played.options.is_fail_fast = true;
	expect_run(RUN_EXIT_FAILED);
	assert_string_equal(str_get(&played.ran), "ktstr/a:1:5 ktstr/b:1:5 ");
	expect_part(played.out, "2 tests run: 1 passed, 1 failed, 1 not run\n");
	junit = file_text(RUN_DIR "/junit.xml");
	expect_part(junit, " tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"4.000\"");
	expect_part(junit, "<testcase name=\"ktstr/a\" classname=\"suite::mine\" time=\"2.000\">"
			   "</testcase>\n");
	expect_part(junit, "<testcase name=\"ktstr/b\" classname=\"suite::mine\" time=\"2.000\">"
			   "<failure message=\"stuck 900ms\"");
	expect_part(junit, "<testcase name=\"ktstr/c\" classname=\"suite::mine\" time=\"0.000\">"
			   "<skipped message=\"not run: a test failed before ");
}

static void play_interrupt(const struct task *t, struct outcome *o)
{
	if (*t->job.variant->test->name == 'b')
		o->facts.end = OUTCOME_INTERRUPTED;
}

static void what_an_interrupt_cuts_off_has_no_verdict(void **state)
{
	_free_ char *junit = NULL;
	struct sidecar s;

	(void)state;
	played.play = play_interrupt;
	played.execute_rc = -EINTR;
	expect_run(RUN_EXIT_INTERRUPTED);
	assert_string_equal(str_get(&played.ran), "ktstr/a:1:5 ktstr/b:1:5 ");
	expect_part(played.out, "1 test run: 1 passed, 2 not run (interrupted)\n");
	junit = file_text(RUN_DIR "/junit.xml");
	expect_part(junit, "<testcase name=\"ktstr/b\" classname=\"suite::mine\" time=\"0.000\">"
			   "<skipped message=\"not run: interrupted\"");
	assert_true(read_record(RUN_DIR, "a", &s));
	sidecar_finish(&s);
	assert_false(read_record(RUN_DIR, "b", &s));
}

/* A process that is gone is a failure, unless it went because of an interrupt. */
static void play_lost(const struct task *t, struct outcome *o)
{
	if (*t->job.variant->test->name != 'b')
		return;
	set_result(o, "");
	o->facts.end = OUTCOME_LOST;
	str_add(&o->message, "its process was killed");
}

static void a_lost_process_is_a_failure(void **state)
{
	(void)state;
	played.play = play_lost;
	expect_run(RUN_EXIT_FAILED);
	expect_part(played.out, "  its process was killed\n");
	expect_part(played.out, "3 tests run: 2 passed, 1 failed\n");
}

/* ---- further attempts ---- */

static unsigned int failing_attempts;

static void play_first_attempts_fail(const struct task *t, struct outcome *o)
{
	if (*t->job.variant->test->name == 'b' && t->attempt <= failing_attempts)
		set_result(o, PLAYED_FAIL);
}

static void another_attempt_in_sim_is_the_next_seed(void **state)
{
	struct sidecar s;

	(void)state;
	played.play = play_first_attempts_fail;
	played.options.retries = 2;
	failing_attempts = 2;
	expect_run(RUN_EXIT_PASSED);
	assert_string_equal(str_get(&played.ran), "ktstr/a:1:5 ktstr/b:1:5 ktstr/b:2:6 ktstr/b:3:7 "
						  "ktstr/c:1:5 ");
	assert_int_equal(played.wait_ns, 0);
	expect_part(played.out, "    TRY 1 FAIL [   2.00s] suite::mine ktstr/b\n");
	expect_part(played.out, "    FLAKY 3/3 [   2.00s] suite::mine ktstr/b\n");
	expect_part(played.out, "3 tests run: 3 passed, 1 flaky\n");
	assert_true(read_record(RUN_DIR, "b", &s));
	assert_int_equal(s.outcome, KTSTR_PASSED);
	assert_int_equal(s.seed, 7);
	assert_true(s.attempts.value == 3);
	sidecar_finish(&s);
	assert_true(read_record(RUN_DIR "/.attempts/1", "b", &s));
	assert_int_equal(s.outcome, KTSTR_FAILED);
	assert_int_equal(s.seed, 5);
	sidecar_finish(&s);
	assert_true(read_record(RUN_DIR "/.attempts/2", "b", &s));
	sidecar_finish(&s);
	assert_false(read_record(RUN_DIR "/.attempts/3", "b", &s));
	/* One more than is allowed. */
	failing_attempts = 3;
	expect_run(RUN_EXIT_FAILED);
	expect_part(played.out, "3 tests run: 2 passed, 1 failed\n");
	assert_true(read_record(RUN_DIR, "b", &s));
	assert_int_equal(s.outcome, KTSTR_FAILED);
	assert_true(s.attempts.value == 3);
	sidecar_finish(&s);
}

static void play_failure_then_skip(const struct task *t, struct outcome *o)
{
	if (*t->job.variant->test->name == 'b')
		set_result(o, t->attempt == 1 ? PLAYED_FAIL : PLAYED_SKIP);
}

/* Nothing was tried in the attempt that would have to show that the failure is a rare one. */
static void a_skipped_attempt_is_no_excuse_for_a_failed_one(void **state)
{
	(void)state;
	played.play = play_failure_then_skip;
	played.options.retries = 1;
	expect_run(RUN_EXIT_FAILED);
	assert_string_equal(str_get(&played.ran),
			    "ktstr/a:1:5 ktstr/b:1:5 ktstr/b:2:6 ktstr/c:1:5 ");
	expect_part(played.out, "  skipped, after an attempt that failed: ");
	expect_part(played.out, "3 tests run: 2 passed, 1 failed\n");
}

/* From half of it to all of it, which doubles up to a minute. */
static void another_attempt_elsewhere_waits(void **state)
{
	static const unsigned int longest_s[] = { 15, 30, 60, 60 };

	(void)state;
	played.play = play_first_attempts_fail;
	played.accel = VM_ACCEL_KVM;
	played.options.retries = 4;
	for (failing_attempts = 1; failing_attempts <= ARRAY_SIZE(longest_s); failing_attempts++) {
		uint64_t longest = longest_s[failing_attempts - 1] * NSEC_PER_SEC;

		expect_run(RUN_EXIT_PASSED);
		assert_true(played.wait_ns >= longest / 2 && played.wait_ns < longest);
	}
	assert_string_equal(str_get(&played.ran), "ktstr/a:1:5 ktstr/b:1:5 ktstr/b:2:5 ktstr/b:3:5 "
						  "ktstr/b:4:5 ktstr/b:5:5 ktstr/c:1:5 ");
}

static enum outcome_end bad_end;

static void play_bad_end(const struct task *t, struct outcome *o)
{
	if (*t->job.variant->test->name != 'b')
		return;
	set_result(o, bad_end == OUTCOME_EXITED ? PLAYED_UNSURE : "");
	o->facts.end = bad_end;
	str_add(&o->message, "why");
}

static void only_failures_that_another_attempt_may_mend_have_one(void **state)
{
	static const struct {
		enum outcome_end end;
		int expected;
		bool is_retried;
	} rows[] = {
		{ OUTCOME_TIMED_OUT, RUN_EXIT_FAILED, true },
		{ OUTCOME_CRASHED, RUN_EXIT_FAILED, true },
		{ OUTCOME_NOT_RUN, RUN_EXIT_FAILED, false },
		{ OUTCOME_SKIPPED, RUN_EXIT_PASSED, false },
		{ OUTCOME_EXITED, RUN_EXIT_INCONCLUSIVE, false },
	};

	(void)state;
	played.play = play_bad_end;
	played.options.retries = 1;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bad_end = rows[i].end;
		expect_run(rows[i].expected);
		assert_int_equal(strstr(str_get(&played.ran), "b:2:") != NULL, rows[i].is_retried);
	}
}

/* ---- what is told ---- */

static void play_notes(const struct task *t, struct outcome *o)
{
	str_addf(&o->notes, "warning: all\nwarning: only %s\n", t->job.variant->test->name);
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	for (const char *at = text; (at = strstr(at, part)); at++)
		count++;
	return count;
}

static void a_note_of_many_tests_is_told_once(void **state)
{
	(void)state;
	played.play = play_notes;
	expect_run(RUN_EXIT_PASSED);
	assert_int_equal(count_of(played.err, "warning: all\n"), 1);
	assert_int_equal(count_of(played.err, "warning: only "), 3);
}

static void a_skip_fails_where_none_is_allowed(void **state)
{
	(void)state;
	played.play = play_results;
	memset(results, 0, sizeof(results));
	results[2] = PLAYED_SKIP;
	played.options.fails_on_skip = true;
	expect_run(RUN_EXIT_FAILED);
	expect_part(played.out, "skipped, which this run does not allow: too small");
}

static void play_slow(const struct task *t, struct outcome *o)
{
	(void)o;
	((struct task *)t)[1].is_slow = true;
}

static void slow_tests_are_counted(void **state)
{
	(void)state;
	played.test_count = 2;
	played.play = play_slow;
	expect_run(RUN_EXIT_PASSED);
	expect_part(played.out, "    SLOW [>  0.00s] suite::mine ktstr/b\n");
	expect_part(played.out, "2 tests run: 2 passed, 1 slow\n");
}

static void other_formats_name_what_was_run(void **state)
{
	(void)state;
	played.play = play_results;
	memset(results, 0, sizeof(results));
	results[0] = PLAYED_FAIL;
	played.options.format = &run_report_ktap;
	expect_run(RUN_EXIT_FAILED);
	assert_true(str_starts(played.out, "KTAP version 1\n1..3\n"));
	expect_part(played.out, "not ok 1 suite::mine ktstr/a\n");
	expect_part(played.out, "ok 2 suite::mine ktstr/b\n");
	played.options.format = &run_report_json;
	expect_run(RUN_EXIT_FAILED);
	expect_part(played.out, "\"scheduler\":\"mine\"");
	expect_part(played.out, "\"scheduler\":\"eevdf\"");
	expect_part(played.out, "\"accel\":\"sim\"");
}

static void play_output(const struct task *t, struct outcome *o)
{
	str_addf(&o->output, "said by %s\n", t->job.variant->test->name);
	play_first_attempts_fail(t, o);
}

static void programs_are_told_of_each_attempt(void **state)
{
	(void)state;
	played.play = play_output;
	played.test_count = 2;
	played.options.retries = 1;
	failing_attempts = 1;
	played.options.format = &run_report_json;
	expect_run(RUN_EXIT_PASSED);
	expect_part(played.out, "\"run-started\",\"selected\":2,\"run_dirs\":[\"" RUN_DIR "\"]");
	assert_int_equal(count_of(played.out, "\"test-started\""), 3);
	assert_int_equal(count_of(played.out, "\"test-finished\""), 2);
	assert_int_equal(count_of(played.out, "\"test-retried\""), 1);
	assert_int_equal(count_of(played.out, "\"binary\":\"suite::mine\",\"name\":\"ktstr/b\""),
			 4);
	expect_part(played.out, "\"output\":\"said by a\\n\"");
	expect_part(played.out, "\"topology\":\"1n1l2c1t\"");
	expect_part(played.out, "\"seed\":6");
	expect_part(played.out, "\"flaky\":1");
}

static void what_passing_tests_print_is_shown_where_that_is_wanted(void **state)
{
	(void)state;
	played.play = play_output;
	played.test_count = 1;
	failing_attempts = 0;
	expect_run(RUN_EXIT_PASSED);
	assert_null(strstr(played.out, "said by"));
	played.options.shows_output = true;
	expect_run(RUN_EXIT_PASSED);
	expect_part(played.out, "said by a\n");
	/* Without those that pass. */
	played.options.is_quiet = true;
	played.options.shows_output = false;
	expect_run(RUN_EXIT_PASSED);
	assert_null(strstr(played.out, "PASS"));
}

static void the_page_of_github_has_those_that_did_not_pass(void **state)
{
	_free_ char *page = NULL;

	(void)state;
	played.play = play_results;
	memset(results, 0, sizeof(results));
	results[0] = PLAYED_FAIL;
	setenv("GITHUB_STEP_SUMMARY", "page.md", 1);
	expect_run(RUN_EXIT_FAILED);
	page = file_text("page.md");
	assert_true(str_starts(page, "### ktstr: 2 passed, 1 failed, 0 inconclusive, 0 skipped\n"));
	expect_part(page, "| fail | suite::mine | ktstr/a | 2.00 s | stuck 900ms |\n");
	assert_int_equal(count_of(page, "suite::mine"), 1);
}

/* ---- kernels and directories ---- */

static const char *const two_kernels[] = { "7.0", "6.12" };

static void play_new_kernel_fails(const struct task *t, struct outcome *o)
{
	if (t->job.variant->kernel == 0 && *t->job.variant->test->name == 'a')
		set_result(o, PLAYED_FAIL);
}

static void each_kernel_has_its_directory(void **state)
{
	_free_ char *first = NULL, *second = NULL, *programs = NULL, *absolute = NULL;
	struct sidecar s;

	(void)state;
	played.options.kernels = two_kernels;
	played.options.kernel_count = 2;
	played.play = play_new_kernel_fails;
	expect_run(RUN_EXIT_FAILED);
	assert_true(read_record(RUN_DIR, "a", &s));
	assert_int_equal(s.outcome, KTSTR_FAILED);
	assert_string_equal(s.kernel_version, "7.0.1");
	assert_string_equal(s.kernel_key, "key_0");
	sidecar_finish(&s);
	assert_true(read_record("runs/6.12.9-1a2b3c4", "a", &s));
	assert_int_equal(s.outcome, KTSTR_PASSED);
	assert_string_equal(s.kernel_version, "6.12.9");
	sidecar_finish(&s);
	first = file_text(RUN_DIR "/junit.xml");
	second = file_text("runs/6.12.9-1a2b3c4/junit.xml");
	expect_part(first, " tests=\"3\" failures=\"1\"");
	expect_part(second, " tests=\"3\" failures=\"0\"");
	programs = file_text("runs/6.12.9-1a2b3c4/.programs");
	assert_string_equal(programs, "/suite/mine\n");
	expect_part(played.out,
		    "\nktstr: test outputs\n  run: " RUN_DIR "\n  run: runs/6.12.9-1a2b3c4\n");
	/* The table of tests by kernel. */
	expect_part(played.out, "kernel_0");
	assert_string_equal(getenv("KTSTR_KERNEL"), "/kernels/0");
	assert_string_equal(getenv("KTSTR_KERNEL_LIST"), "kernel_0=/kernels/0;kernel_1=/kernels/1");
	assert_string_equal(getenv("KTSTR_ORCHESTRATED"), "1");
	absolute = realpath("runs", NULL);
	assert_string_equal(getenv("KTSTR_RUNS_ROOT"), absolute);
	assert_string_equal(getenv("KTSTR_PROJECT_COMMIT"), "1a2b3c4");
}

static void kernels_of_one_version_do_not_share_a_directory(void **state)
{
	struct sidecar s;

	(void)state;
	played.options.kernels = two_kernels;
	played.options.kernel_count = 2;
	played.versions[1] = "7.0.1";
	expect_run(RUN_EXIT_PASSED);
	assert_true(read_record(RUN_DIR, "a", &s));
	assert_string_equal(s.kernel_key, "key_0");
	sidecar_finish(&s);
	assert_true(read_record("runs/7.0.1_kernel_1-1a2b3c4", "a", &s));
	assert_string_equal(s.kernel_key, "key_1");
	sidecar_finish(&s);
	/* Neither do those whose versions are not known, nor any in a directory that is given. */
	unsetenv("KTSTR_RUN_EPOCH");
	setenv("KTSTR_RUNS_ROOT", "runs", 1);
	played.versions[0] = played.versions[1] = NULL;
	expect_run(RUN_EXIT_PASSED);
	assert_true(read_record("runs/unknown-1a2b3c4", "a", &s));
	sidecar_finish(&s);
	assert_true(read_record("runs/unknown_kernel_1-1a2b3c4", "a", &s));
	sidecar_finish(&s);
	setenv("KTSTR_SIDECAR_DIR", "given", 1);
	expect_run(RUN_EXIT_PASSED);
	assert_true(read_record("given", "a", &s));
	sidecar_finish(&s);
	assert_true(read_record("given/kernel_1", "a", &s));
	sidecar_finish(&s);
}

static void records_of_the_same_run_are_replaced_with_a_word(void **state)
{
	(void)state;
	setenv("KTSTR_RUN_EPOCH", "one", 1);
	expect_run(RUN_EXIT_PASSED);
	assert_null(strstr(played.err, "replaced"));
	expect_run(RUN_EXIT_PASSED);
	expect_part(played.err, "ktstr: this run replaced 3 records of an earlier one in ");
	played.test_count = 1;
	expect_run(RUN_EXIT_PASSED);
	expect_part(played.err, "ktstr: this run replaced 1 record of an earlier one in ");
}

/* A report of an earlier run is not one of this run. */
static void a_record_that_cannot_be_written_ends_the_run(void **state)
{
	_free_ char *junit = NULL;

	(void)state;
	setenv("KTSTR_RUN_EPOCH", "one", 1);
	unit_write(".", RUN_DIR "/.epoch", "one");
	unit_write(".", RUN_DIR "/junit.xml", "old");
	unit_write(".", RUN_DIR "/.attempts", "in the way");
	played.options.retries = 1;
	failing_attempts = 1;
	played.play = play_first_attempts_fail;
	expect_run(-ENOTDIR);
	assert_string_equal(str_get(&played.ran), "ktstr/a:1:5 ktstr/b:1:5 ");
	junit = file_text(RUN_DIR "/junit.xml");
	expect_part(junit, "<skipped message=\"not run: cut off\"");
}

static void play_one_failure(const struct task *t, struct outcome *o)
{
	if (!str_eq(t->job.variant->test->name, "b"))
		return;
	str_reset(&o->result);
	str_add(&o->result, PLAYED_FAIL);
}

/* On a terminal, above which everything else scrolls. */
static void what_runs_is_told_on_one_line(void **state)
{
	(void)state;
	played.has_screen = true;
	played.play = play_one_failure;
	expect_run(RUN_EXIT_FAILED);
	expect_part(played.err, "\r\033[Kktstr: 0/3: ktstr/a (3s), ktstr/b (0s, starting)\r\033[K");
	expect_part(played.err, "\r\033[Kktstr: 3/3, 1 failed\r\033[K");
	unsetenv("KTSTR_RUN_EPOCH");
	played.options.is_quiet = true;
	expect_run(RUN_EXIT_FAILED);
	assert_null(strchr(played.err, '\033'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAYED(each_verdict_has_its_exit_status),
		PLAYED(the_first_failure_ends_a_run_that_is_to_end_then),
		PLAYED(what_an_interrupt_cuts_off_has_no_verdict),
		PLAYED(a_lost_process_is_a_failure),
		PLAYED(another_attempt_in_sim_is_the_next_seed),
		PLAYED(a_skipped_attempt_is_no_excuse_for_a_failed_one),
		PLAYED(another_attempt_elsewhere_waits),
		PLAYED(only_failures_that_another_attempt_may_mend_have_one),
		PLAYED(a_note_of_many_tests_is_told_once),
		PLAYED(a_skip_fails_where_none_is_allowed),
		PLAYED(slow_tests_are_counted),
		PLAYED(other_formats_name_what_was_run),
		PLAYED(programs_are_told_of_each_attempt),
		PLAYED(what_passing_tests_print_is_shown_where_that_is_wanted),
		PLAYED(the_page_of_github_has_those_that_did_not_pass),
		PLAYED(each_kernel_has_its_directory),
		PLAYED(kernels_of_one_version_do_not_share_a_directory),
		PLAYED(what_runs_is_told_on_one_line),
		PLAYED(records_of_the_same_run_are_replaced_with_a_word),
		PLAYED(a_record_that_cannot_be_written_ends_the_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Verdicts where one rule ends and the next begins: statuses, limits, skips and expected errors. */
#include "unit.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/err.h"
#include "check/check.h"
#include "guest/protocol.h"
#include "program/protocol.h"
#include "run/parts.h"
#include "series_fixture.h"

static struct probe_test test;
static struct probe_sched sched;
static struct variant variant;
static struct judge_options options;
static struct outcome o;
static struct judgement j;

#define RESULT(verdict, details) \
	"{\"schema_version\":1,\"verdict\":\"" verdict "\",\"details\":[" details "]}"
#define DETAIL(kind, verdict, message) \
	"{\"kind\":\"" kind "\",\"verdict\":\"" verdict "\",\"message\":\"" message "\"}"
#define PASS RESULT("pass", "")
#define STUCK RESULT("fail", DETAIL("Stuck", "fail", "stuck 900ms"))

static int start(void **state)
{
	(void)state;
	test = (struct probe_test){ .name = "t", .duration_ms = 2000 };
	sched = (struct probe_sched){ .name = "mine", .binary = "scx_mine" };
	variant = (struct variant){
		.name = "ktstr/t", .test = &test, .sched = &sched, .topology = { 1, 1, 2, 1 }
	};
	options = (struct judge_options){};
	o = (struct outcome){};
	j = (struct judgement){};
	return 0;
}

static int stop(void **state)
{
	(void)state;
	judgement_finish(&j);
	outcome_finish(&o);
	o = (struct outcome){};
	return 0;
}

#define JUDGED(f) cmocka_unit_test_setup_teardown(f, start, stop)

/* The next outcome, to which a test may add before it is judged. */
static void end_with(enum outcome_end end, int status, const char *result)
{
	stop(NULL);
	o.facts = (struct outcome_facts){
		.end = end, .status = status, .is_guest = true, .has_started = true
	};
	str_add(&o.result, result);
}

static void expect(enum test_status status, const char *part)
{
	judgement_finish(&j);
	assert_int_equal(judge(&variant, &o, &options, &j), 0);
	if (!strstr(str_get(&j.text), part))
		fail_msg("expected '%s' in '%s'", part, str_get(&j.text));
	assert_int_equal(j.status, status);
	assert_false(j.result.failed_alloc);
}

static void expect_not(const char *part)
{
	if (strstr(str_get(&j.text), part))
		fail_msg("'%s' in '%s'", part, str_get(&j.text));
}

/* ---- the end of the program ---- */

static void statuses_up_to_an_inconclusive_one_say_nothing(void **state)
{
	(void)state;
	for (int status = 0; status <= PROGRAM_INCONCLUSIVE; status++) {
		end_with(OUTCOME_EXITED, status, PASS);
		expect(TEST_PASSED, "");
		assert_int_equal(j.text.len, 0);
	}
	end_with(OUTCOME_EXITED, PROGRAM_INCONCLUSIVE + 1, PASS);
	expect(TEST_FAILED, " after its result");
	/* A guest that did not end of itself has no status. */
	end_with(OUTCOME_TIMED_OUT, 7, PASS);
	expect(TEST_TIMED_OUT, "the guest did not end: ");
	expect_not("status 7");
}

static void a_status_is_a_signal_above_128(void **state)
{
	static const char signalled[] = "{\"end\":\"ran\",\"attached\":true,\"payload_signal\":9}";
	static const struct {
		int status;
		bool is_signalled; /* by init, which had a reason of its own */
		const char *part, *other;
	} rows[] = {
		{ 128, false, "the test program ended with status 128\n", "killed" },
		{ 129, false, "the test program was killed by signal 1 (Hangup)\n", "ended with" },
		{ 128, true, "the test program ended with status 128\n", "killed" },
		{ 129, true, "no test result received from guest", "killed" },
		{ 7, true, "the test program ended with status 7\n", "killed" },
		{ GUEST_STATUS_NO_SCHEDULER, false, "ended with status 125", "killed" },
		{ GUEST_STATUS_NO_SCHEDULER, true, "no test result received", "ended with" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		end_with(OUTCOME_EXITED, rows[i].status, "");
		if (rows[i].is_signalled)
			str_add(&o.sched_report, signalled);
		expect(TEST_FAILED, rows[i].part);
		expect_not(rows[i].other);
		assert_int_equal(j.result.details.count, 1);
	}
}

static void withhold(void)
{
	o.facts.host_time.count = 1;
	o.facts.host_time.threads[0] = (struct vm_thread_time){ NSEC_PER_SEC, 40 * NSEC_PER_SEC };
	for (size_t i = 0; i < VM_TIME_WINDOWS; i++)
		o.facts.host_time.within_ns[i] = (VM_TIME_SHORTEST_NS << i) / 10 * 9;
}

static void a_body_out_of_guest_time_is_one_without_a_result(void **state)
{
	(void)state;
	end_with(OUTCOME_EXITED, 128 + GUEST_LIMIT_SIGNAL, "");
	o.facts.duration_ns = 60 * NSEC_PER_SEC;
	expect(TEST_TIMED_OUT, "the body did not come to its end in guest time");
	end_with(OUTCOME_EXITED, 128 + GUEST_LIMIT_SIGNAL, PASS);
	expect(TEST_FAILED, " after its result");
	expect_not("guest time");
	end_with(OUTCOME_EXITED, 128 + GUEST_LIMIT_SIGNAL, "");
	o.facts.duration_ns = 60 * NSEC_PER_SEC;
	withhold();
	expect(TEST_INCONCLUSIVE, "the host explains it");
}

static void ends_have_their_own_messages(void **state)
{
	static const enum outcome_end ends[] = { OUTCOME_CRASHED, OUTCOME_NOT_RUN, OUTCOME_LOST,
						 OUTCOME_INTERRUPTED, OUTCOME_TIMED_OUT };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		end_with(ends[i], 0, "");
		str_add(&o.message, "why it ended");
		expect(ends[i] == OUTCOME_TIMED_OUT ? TEST_TIMED_OUT : TEST_FAILED,
		       ":\n  why it ended");
		assert_int_equal(j.result.details.count, 1);
	}
	end_with(OUTCOME_SILENT, 0, "");
	expect(TEST_FAILED, "no test result received from guest");
	variant.sched = NULL;
	expect(TEST_FAILED, "test function produced no output");
}

/* ---- the scheduler ---- */

static void an_end_of_the_scheduler_is_told_in_one_sentence(void **state)
{
	static const struct {
		const char *report, *step, *expected;
	} rows[] = {
		{ "{\"end\":\"died\",\"message\":\"why\",\"attached\":false}", "",
		  ":\n  scheduler did not attach: why\n" },
		{ "{\"end\":\"died\",\"message\":\"scheduler did not attach: why\","
		  "\"attached\":false}",
		  "", ":\n  scheduler did not attach: why\n" },
		{ "{\"end\":\"died\",\"message\":\"why\",\"attached\":true}", "", ":\n  why\n" },
		{ "{\"end\":\"stalled\",\"attached\":false}", "", ":\n  stalled\n" },
		{ "{\"end\":\"unregistered\",\"attached\":false}", "", ":\n  unregistered\n" },
		/* A step that is cut off, or none to put in its place. */
		{ "{\"end\":\"died\",\"message\":\"it died during workload (1.0s into test) so\","
		  "\"attached\":true}",
		  "it died after completing step 1 of 2 (1.5s",
		  ":\n  it died during workload (1.0s into test) so\n" },
		{ "{\"end\":\"died\",\"message\":\"it died during workload (1.0s\","
		  "\"attached\":true}",
		  "it died after completing step 1 of 2 (1.5s in)",
		  ":\n  it died during workload (1.0s\n" },
		{ "{\"end\":\"died\",\"message\":\"it died during workload (1.0s into test) so\","
		  "\"attached\":true}",
		  "it died after completing step 1 of 2 (1.5s in)",
		  ":\n  it died after completing step 1 of 2 (1.5s in) so\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		end_with(OUTCOME_EXITED, 1, "");
		str_addf(&o.result, RESULT("fail", DETAIL("SchedulerDied", "fail", "%s")),
			 rows[i].step);
		str_add(&o.sched_report, rows[i].report);
		expect(TEST_FAILED, rows[i].expected);
		assert_int_equal(j.result.details.count, 1);
	}
}

static void a_report_that_cannot_be_read_is_a_failure(void **state)
{
	(void)state;
	end_with(OUTCOME_EXITED, 0, PASS);
	str_add(&o.sched_report, "{\"end\":");
	expect(TEST_FAILED, " failed:\n");
	assert_false(j.has_sched_report);
	assert_int_equal(j.result.details.count, 1);
}

/* As many as are listed need no number. */
static void all_absences_are_listed_or_counted(void **state)
{
	static const char report[] = "{\"end\":\"ran\",\"attached\":true,\"absences\":["
				     "{\"left_ns\":500000000,\"away_ns\":2000000},"
				     "{\"left_ns\":900000000,\"away_ns\":3000000}],"
				     "\"absence_count\":%d}";

	(void)state;
	for (int count = 2; count <= 3; count++) {
		end_with(OUTCOME_EXITED, 0, PASS);
		str_addf(&o.sched_report, report, count);
		expect(TEST_PASSED, "");
		assert_int_equal(j.result.details.count, 2);
		assert_int_equal(j.result.details.items[1].kind, DETAIL_NOTE);
		assert_non_null(strstr(j.result.details.items[0].message, "(no reason known)"));
		assert_null(strstr(j.result.details.items[0].message, "in all"));
		assert_int_equal(str_ends(j.result.details.items[1].message,
					  "; it left 3 times in all"),
				 count == 3);
		assert_int_equal(strstr(j.result.details.items[1].message, "in all") != NULL,
				 count == 3);
		assert_non_null(strstr(str_get(&o.diagnostics), "the scheduler left 0.9s into"));
		assert_non_null(strstr(str_get(&o.notes), "ktstr/t: the scheduler left 0.9s into"));
	}
}

static void a_limit_is_not_missed_before_there_is_a_scheduler(void **state)
{
	static const char report[] = "{\"end\":\"ran\",\"attached\":%s,\"watchdog\":{"
				     "\"requested_s\":4,\"problem\":\"nobody saw it\"}}";

	(void)state;
	end_with(OUTCOME_EXITED, 0, PASS);
	str_addf(&o.sched_report, report, "true");
	expect(TEST_PASSED, "");
	assert_int_equal(j.result.details.count, 1);
	assert_string_equal(j.result.details.items[0].message,
			    "watchdog_timeout_s does not hold: nobody saw it");
	end_with(OUTCOME_EXITED, 0, PASS);
	str_addf(&o.sched_report, report, "false");
	judgement_finish(&j);
	assert_int_equal(judge(&variant, &o, &options, &j), 0);
	assert_null(strstr(str_get(&o.diagnostics), "does not hold"));
}

/* ---- what others found ---- */

static void what_the_monitor_found_explains_a_failure_only(void **state)
{
	_cleanup_(series_finish) struct series series = { .cpu_count = 2 };

	(void)state;
	test.assert.max_imbalance_ratio = 1.5;
	test.assert.sustained_samples = 2;
	for (uint64_t i = 0; i < 5; i++)
		add_sample(&series, 5000 + 100 * i, 3, 1);
	end_with(OUTCOME_EXITED, 0, PASS);
	assert_int_equal(series_encode(&series, &o.samples), 0);
	expect(TEST_FAILED, "passed scenario but monitor failed");
	end_with(OUTCOME_EXITED, 1, STUCK);
	assert_int_equal(series_encode(&series, &o.samples), 0);
	expect(TEST_FAILED, " failed:\n  stuck 900ms\n");
	assert_int_equal(j.result.details.count, 1);
	end_with(OUTCOME_EXITED, 0, PASS);
	str_add(&o.samples, "no samples");
	expect(TEST_FAILED, " failed:\n");
	/* Limits of queues are not missed by a test that was skipped. */
	variant.sched = NULL;
	end_with(OUTCOME_EXITED, 0, RESULT("skip", DETAIL("Other", "skip", "too small")));
	expect(TEST_SKIPPED, "too small");
}

static void a_guest_that_crashed_is_not_asked_for_more(void **state)
{
	(void)state;
	end_with(OUTCOME_CRASHED, 0, "");
	str_add(&o.broken_invariants, "one is 3\n");
	str_add(&o.unknown_invariants, "nobody saw one\n");
	str_add(&o.problems, "nobody wrote\n");
	expect(TEST_FAILED, "\n  one is 3");
	expect_not("nobody");
}

static void a_budget_is_for_more_than_it_allows(void **state)
{
	static const struct {
		uint64_t budget_ms, took_ns;
		bool has_cleanup, is_late;
	} rows[] = {
		{ 100, 100 * NSEC_PER_MSEC, true, false },
		{ 100, 100 * NSEC_PER_MSEC + 1, true, true },
		{ 100, 900 * NSEC_PER_MSEC, false, false },
		{ 0, 900 * NSEC_PER_MSEC, true, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		end_with(OUTCOME_EXITED, 0, PASS);
		test.cleanup_budget_ms = rows[i].budget_ms;
		o.facts.cleanup_ns = rows[i].took_ns;
		o.facts.has_cleanup = rows[i].has_cleanup;
		expect(rows[i].is_late ? TEST_FAILED : TEST_PASSED,
		       rows[i].is_late ? "cleaning up took 100ms, the budget is 100ms" : "");
	}
}

/* ---- expectations ---- */

static void an_error_that_is_expected_is_one_of_the_test(void **state)
{
	(void)state;
	test.expect_err = true;
	end_with(OUTCOME_EXITED, 1, STUCK);
	expect(TEST_PASSED, "");
	end_with(OUTCOME_CRASHED, 0, "");
	expect(TEST_FAILED, "guest crashed");
	/* A pass has no error that could be another one. */
	test.expect_scx_bpf_error_contains = "bad cpu";
	end_with(OUTCOME_EXITED, 0, PASS);
	expect(TEST_FAILED, "passed, but an error was expected");
	expect_not("not the expected one");
}

/* ---- skips ---- */

static void a_skip_without_a_reason_has_one(void **state)
{
	(void)state;
	end_with(OUTCOME_EXITED, 0, RESULT("skip", DETAIL("Note", "skip", "by the way")));
	expect(TEST_SKIPPED, "");
	assert_string_equal(str_get(&j.text), "no check applied");
}

static void only_a_skip_is_refused(void **state)
{
	static const struct {
		bool fails_on_skip, is_retry;
		const char *part;
	} rows[] = {
		{ true, false, ":\n  skipped, which this run does not allow: no KVM\n" },
		{ false, true, ":\n  skipped, after an attempt that failed: no KVM\n" },
		{ true, true, ":\n  skipped, after an attempt that failed: no KVM\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		options.fails_on_skip = rows[i].fails_on_skip;
		options.is_retry = rows[i].is_retry;
		end_with(OUTCOME_SKIPPED, 0, "");
		str_add(&o.message, "no KVM");
		expect(TEST_FAILED, rows[i].part);
		assert_false(str_starts(str_get(&j.text), "no KVM"));
		end_with(OUTCOME_EXITED, 0, PASS);
		expect(TEST_PASSED, "");
		assert_int_equal(j.text.len, 0);
	}
	options = (struct judge_options){};
	end_with(OUTCOME_SKIPPED, 0, "");
	str_add(&o.message, "no KVM\n");
	expect(TEST_SKIPPED, "");
	assert_string_equal(str_get(&j.text), "no KVM");
	judgement_finish(&j);
	assert_int_equal(j.status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		JUDGED(statuses_up_to_an_inconclusive_one_say_nothing),
		JUDGED(a_status_is_a_signal_above_128),
		JUDGED(a_body_out_of_guest_time_is_one_without_a_result),
		JUDGED(ends_have_their_own_messages),
		JUDGED(an_end_of_the_scheduler_is_told_in_one_sentence),
		JUDGED(a_report_that_cannot_be_read_is_a_failure),
		JUDGED(all_absences_are_listed_or_counted),
		JUDGED(a_limit_is_not_missed_before_there_is_a_scheduler),
		JUDGED(what_the_monitor_found_explains_a_failure_only),
		JUDGED(a_guest_that_crashed_is_not_asked_for_more),
		JUDGED(a_budget_is_for_more_than_it_allows),
		JUDGED(an_error_that_is_expected_is_one_of_the_test),
		JUDGED(a_skip_without_a_reason_has_one),
		JUDGED(only_a_skip_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

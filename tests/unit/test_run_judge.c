// SPDX-License-Identifier: GPL-2.0-only
/* Verdicts and texts of outcomes, and outcomes in files. */
#include "check/check.h"
#include "base/clock.h"
#include "run/parts.h"

#include <stdio.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest/protocol.h"
#include "series_fixture.h"
#include "unit.h"
#include "vm/initramfs.h"

static struct probe_test test;
static struct probe_sched sched = { .name = "mine", .binary = "scx_mine" };

static struct variant make_variant(bool has_sched)
{
	test = (struct probe_test){ .name = "t", .duration_ms = 2000 };
	return (struct variant){ .name = "ktstr/t",
				 .test = &test,
				 .sched = has_sched ? &sched : NULL,
				 .topology = { 1, 1, 2, 1 } };
}

static struct outcome make_outcome(enum outcome_end end, int status, const char *result)
{
	struct outcome o = {
		.facts = { .end = end, .status = status, .is_guest = true, .has_started = true }
	};

	str_add(&o.result, result);
	return o;
}

/* Judges and forgets; the status, with the text's beginning compared. */
static enum test_status judged(const struct variant *v, struct outcome *o, bool fails_on_skip,
			       const char *part)
{
	struct judge_options options = { .fails_on_skip = fails_on_skip };
	struct judgement j;
	enum test_status status;

	assert_int_equal(judge(v, o, &options, &j), 0);
	if (!strstr(str_get(&j.text), part))
		fail_msg("expected '%s' in '%s'", part, str_get(&j.text));
	/* Whoever prints it ends the line. */
	assert_false(str_ends(str_get(&j.text), "\n"));
	status = j.status;
	judgement_finish(&j);
	outcome_finish(o);
	return status;
}

#define PASS "{\"schema_version\":1,\"verdict\":\"pass\"}"

static void ends_without_result_are_no_pass(void **state)
{
	static const struct {
		enum outcome_end end;
		int status;
		enum test_status expected;
		const char *text;
	} cases[] = {
		{ OUTCOME_TIMED_OUT, 0, TEST_TIMED_OUT,
		  "ktstr_test 't' [topo=1n1l2c1t] timed out (no result in SHM or COM2):" },
		{ OUTCOME_CRASHED, 0, TEST_FAILED, "guest crashed:" },
		{ OUTCOME_SILENT, 0, TEST_FAILED, "test function produced no output" },
		{ OUTCOME_EXITED, 0, TEST_FAILED, "test function produced no output" },
		{ OUTCOME_EXITED, 139, TEST_FAILED, "killed by signal 11" },
		{ OUTCOME_EXITED, 7, TEST_FAILED, "ended with status 7" },
		{ OUTCOME_EXITED, 128 + GUEST_LIMIT_SIGNAL, TEST_TIMED_OUT, "timed out" },
		{ OUTCOME_NOT_RUN, 0, TEST_FAILED, "failed:" },
		{ OUTCOME_LOST, 0, TEST_FAILED, "failed:" },
	};
	struct variant v = make_variant(false);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct outcome o = make_outcome(cases[i].end, cases[i].status, "");

		assert_int_equal(judged(&v, &o, false, cases[i].text), cases[i].expected);
	}
}

static void broken_results_are_failures(void **state)
{
	static const char *const bad[] = { "{", "[]", "null",
					   "{\"schema_version\":99,\"verdict\":\"pass\"}",
					   "{\"verdict\":\"splendid\"}" };
	struct variant v = make_variant(false);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct outcome o = make_outcome(OUTCOME_EXITED, 0, bad[i]);

		assert_int_equal(judged(&v, &o, false, "result cannot be read"), TEST_FAILED);
	}
}

#define STUCK                                                                          \
	"{\"schema_version\":1,\"verdict\":\"fail\",\"details\":[{\"kind\":\"Stuck\"," \
	"\"verdict\":\"fail\",\"message\":\"stuck 900ms\",\"time_ns\":900000000}]}"

/* The same gap, on a host that was idle and on one that withheld that much. */
static void gaps_that_the_host_made_are_no_failures(void **state)
{
	struct variant v = make_variant(false);
	struct outcome idle = make_outcome(OUTCOME_EXITED, 1, STUCK);
	struct outcome busy = make_outcome(OUTCOME_EXITED, 1, STUCK);

	(void)state;
	idle.facts.host_time.count = busy.facts.host_time.count = 1;
	idle.facts.host_time.threads[0] = (struct vm_thread_time){ NSEC_PER_SEC, 0 };
	busy.facts.host_time.threads[0] = (struct vm_thread_time){ NSEC_PER_SEC, NSEC_PER_SEC };
	for (size_t i = 0; i < VM_TIME_WINDOWS; i++)
		busy.facts.host_time.within_ns[i] = 700 * NSEC_PER_MSEC;
	assert_int_equal(judged(&v, &idle, false, " failed:\n  stuck 900ms"), TEST_FAILED);
	assert_int_equal(judged(&v, &busy, false, "dilation 2.00"), TEST_INCONCLUSIVE);
}

static void withhold(struct outcome *o)
{
	o->facts.host_time.count = 1;
	o->facts.host_time.threads[0] = (struct vm_thread_time){ NSEC_PER_SEC, 40 * NSEC_PER_SEC };
	for (size_t i = 0; i < VM_TIME_WINDOWS; i++)
		o->facts.host_time.within_ns[i] = (VM_TIME_SHORTEST_NS << i) / 10 * 9;
}

/* The kernel's watchdog, the limit of attaching and the runner's own measure time as the host has it. */
static void stalls_that_the_host_made_are_no_failures(void **state)
{
	static const char stalled[] =
		"{\"end\":\"stalled\",\"message\":\"taken down: a[4] failed to run for 1.452s\","
		"\"attached\":true,\"stage\":\"payload\",\"payload_signal\":9}";
	static const char unattached[] =
		"{\"end\":\"timeout\",\"message\":\"timeout, not attached within 30 s\","
		"\"attached\":false,\"stage\":\"attach\"}";
	struct variant v = make_variant(true);
	struct probe_test expecting = *v.test;

	(void)state;
	for (int busy = 0; busy < 2; busy++) {
		struct outcome a = make_outcome(OUTCOME_EXITED, 137, "");
		struct outcome b = make_outcome(OUTCOME_EXITED, 125, "");
		struct outcome c = make_outcome(OUTCOME_TIMED_OUT, 0, "");

		str_add(&a.sched_report, stalled);
		str_add(&b.sched_report, unattached);
		c.facts.duration_ns = 60 * NSEC_PER_SEC;
		if (busy) {
			withhold(&a);
			withhold(&b);
			withhold(&c);
		}
		assert_int_equal(judged(&v, &a, false, busy ? "dilation 41.00" : "1.452s\n"),
				 busy ? TEST_INCONCLUSIVE : TEST_FAILED);
		assert_int_equal(judged(&v, &b, false, busy ? "dilation 41.00" : "30 s\n"),
				 busy ? TEST_INCONCLUSIVE : TEST_FAILED);
		assert_int_equal(judged(&v, &c, false, busy ? "dilation 41.00" : "timed out"),
				 busy ? TEST_INCONCLUSIVE : TEST_TIMED_OUT);
	}
	/* Whoever expects a stall has it. */
	struct outcome d = make_outcome(OUTCOME_EXITED, 137, "");

	str_add(&d.sched_report, stalled);
	withhold(&d);
	expecting.expect_err = true;
	v.test = &expecting;
	assert_int_equal(judged(&v, &d, false, ""), TEST_PASSED);
}

static void a_crash_after_a_pass_is_a_failure(void **state)
{
	struct variant v = make_variant(false);
	struct outcome o = make_outcome(OUTCOME_EXITED, 134, PASS);

	(void)state;
	assert_int_equal(judged(&v, &o, false, "killed by signal 6 (Aborted) after its result"),
			 TEST_FAILED);
}

static void a_dead_scheduler_is_a_failure(void **state)
{
	struct variant v = make_variant(true);
	struct outcome o = make_outcome(OUTCOME_EXITED, 0, PASS);

	(void)state;
	str_add(&o.sched_report,
		"{\"end\":\"stalled\",\"message\":\"it stalled\",\"attached\":true,"
		"\"stage\":\"payload\",\"ended_ns\":2200000000,\"exit\":{\"kind\":1026,"
		"\"reason\":\"runnable task stall\",\"message\":\"x failed to run\"}}");
	assert_int_equal(judged(&v, &o, false,
				"BUG SUMMARY: runnable task stall: x failed to run\n"
				"ktstr_test 't' [sched=scx_mine] [topo=1n1l2c1t] failed:\n"
				"  it stalled\n\n--- diagnostics"),
			 TEST_FAILED);
}

/* Above whatever the body says, and instead of what it says about the scheduler. */
static void the_first_line_says_why(void **state)
{
	static const char result[] =
		"{\"schema_version\":1,\"verdict\":\"fail\",\"details\":["
		"{\"kind\":\"Unfair\",\"verdict\":\"fail\",\"message\":\"unfair cgroup\"},"
		"{\"kind\":\"SchedulerDied\",\"verdict\":\"fail\",\"message\":"
		"\"scheduler process died unexpectedly after completing step 1 of 2\"}]}";
	static const struct {
		const char *attached, *text;
	} rows[] = {
		{ "true,\"stage\":\"payload\"",
		  " failed:\n  taken down: why\n  unfair cgroup\n\n" },
		/* Before anybody saw it attached. */
		{ "true,\"stage\":\"attach\"", " failed:\n  taken down: why\n  unfair cgroup\n\n" },
		{ "false,\"stage\":\"attach\"",
		  " failed:\n  taken down: why\n  unfair cgroup\n\n" },
	};
	struct variant v = make_variant(true);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct outcome o = make_outcome(OUTCOME_EXITED, 1, result);

		str_addf(&o.sched_report,
			 "{\"end\":\"error\",\"message\":\"taken down: why\",\"attached\":%s}",
			 rows[i].attached);
		assert_int_equal(judged(&v, &o, false, rows[i].text), TEST_FAILED);
	}
}

/* The body knows how many steps it had completed. */
static void a_scheduler_that_died_has_the_step(void **state)
{
	static const char result[] =
		"{\"schema_version\":1,\"verdict\":\"fail\",\"details\":["
		"{\"kind\":\"SchedulerDied\",\"verdict\":\"fail\",\"message\":"
		"\"scheduler process died unexpectedly after completing step 1 of 2 (1.5s into test)\"}]}";
	struct variant v = make_variant(true);
	struct outcome o = make_outcome(OUTCOME_EXITED, 1, result);

	(void)state;
	str_add(&o.sched_report,
		"{\"end\":\"died\",\"attached\":true,\"stage\":\"payload\",\"message\":\"scheduler process "
		"died unexpectedly during workload (1.2s into test) (signal 11): last words\"}");
	assert_int_equal(
		judged(&v, &o, false,
		       " failed:\n  scheduler process died unexpectedly after completing step 1 of 2 "
		       "(1.5s into test) (signal 11): last words\n\n"),
		TEST_FAILED);
}

/* That init ended the body after the scheduler had ended is no reason. */
static void our_own_signals_are_no_reason(void **state)
{
	struct variant v = make_variant(true);
	struct outcome o = make_outcome(OUTCOME_EXITED, 137, "");

	(void)state;
	str_add(&o.sched_report, "{\"end\":\"error\",\"message\":\"why\",\"attached\":true,"
				 "\"payload_signal\":9}");
	assert_int_equal(judged(&v, &o, false, " failed:\n  why\n\n--- diagnostics"), TEST_FAILED);
}

static void absences_are_mentioned(void **state)
{
	struct judge_options options = {};
	struct variant v = make_variant(true);
	struct outcome o = make_outcome(OUTCOME_EXITED, 0, PASS);
	struct judgement j;

	(void)state;
	str_add(&o.sched_report,
		"{\"end\":\"ran\",\"attached\":true,\"absences\":[[],{\"left_ns\":500000000,"
		"\"away_ns\":1200000000,\"reason\":\"unregistered from the main kernel\"}],"
		"\"absence_count\":20}");
	assert_int_equal(judge(&v, &o, &options, &j), 0);
	assert_int_equal(j.status, TEST_PASSED);
	assert_string_equal(
		j.result.details.items[0].message,
		"the scheduler left 0.5s into the test (unregistered from the main "
		"kernel) and was back after 1200 ms, in which the kernel's own scheduler "
		"ran; it left 20 times in all");
	assert_non_null(strstr(str_get(&o.notes), "ktstr/t: the scheduler left 0.5s"));
	judgement_finish(&j);
	outcome_finish(&o);
}

/* A pass for which most checks had nothing to judge is not silent. */
static void missing_events_are_mentioned(void **state)
{
	static const struct {
		const char *why, *note;
	} rows[] = {
		{ "load the BPF programs: Permission denied",
		  "migrations are not judged: scheduling events were not recorded: load the BPF "
		  "programs: Permission denied\n" },
		{ "switched off by .observe", NULL },
	};
	struct variant v = make_variant(true);
	size_t observer;

	(void)state;
	observer_program(&observer);
	if (!observer)
		skip();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct judge_options options = {};
		struct outcome o = make_outcome(OUTCOME_EXITED, 0, "");
		struct judgement j;

		str_addf(
			&o.result,
			"{\"schema_version\":1,\"verdict\":\"pass\",\"details\":[{\"kind\":\"Note\","
			"\"verdict\":\"skip\",\"message\":\"waits, idle CPUs, shares and migrations "
			"not judged: scheduling events were not recorded: %s\"}]}",
			rows[i].why);
		assert_int_equal(judge(&v, &o, &options, &j), 0);
		assert_int_equal(j.status, TEST_PASSED);
		if (rows[i].note)
			assert_non_null(strstr(str_get(&o.notes), rows[i].note));
		else
			assert_string_equal(str_get(&o.notes), "");
		judgement_finish(&j);
		outcome_finish(&o);
	}
}

static size_t place_of(const char *text, const char *title)
{
	const char *at = strstr(text, title);

	if (!at)
		fail_msg("no '%s' in '%s'", title, text);
	return (size_t)(at - text);
}

/* The sections in the order in which they have to be. */
static void expect_order(struct variant *v, struct outcome *o, const char *const *titles)
{
	struct judge_options options = {};
	struct judgement j;
	size_t last = 0;

	assert_int_equal(judge(v, o, &options, &j), 0);
	for (; *titles; titles++) {
		assert_true(place_of(str_get(&j.text), *titles) >= last);
		last = place_of(str_get(&j.text), *titles);
	}
	judgement_finish(&j);
	outcome_finish(o);
}

static void the_order_of_sections_depends_on_the_failure(void **state)
{
	static const char *const usual[] = { " failed:",
					     "--- timeline",
					     "--- scheduler log ---",
					     "--- monitor ---",
					     "--- sched_ext dump ---",
					     "--- auto-repro ---",
					     NULL };
	static const char *const silent[] = { "--- diagnostics ---",
					      "--- timeline",
					      "--- scheduler log ---",
					      "--- sched_ext dump ---",
					      "--- monitor ---",
					      "--- auto-repro ---",
					      NULL };
	static const char *const monitor[] = { " passed scenario but monitor failed:",
					       "--- timeline",
					       "--- monitor ---",
					       "--- scheduler log ---",
					       "--- sched_ext dump ---",
					       NULL };
	const struct {
		const char *result;
		const char *const *titles;
	} rows[] = { { STUCK, usual }, { "", silent }, { PASS, monitor } };
	_cleanup_(series_finish) struct series series = { .cpu_count = 2 };
	struct variant v = make_variant(true);

	(void)state;
	test.assert.max_imbalance_ratio = 1.5;
	test.assert.sustained_samples = 2;
	for (uint64_t i = 0; i < 5; i++)
		add_sample(&series, 5000 + 100 * i, 3, 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct outcome o = make_outcome(*rows[i].result ? OUTCOME_EXITED : OUTCOME_CRASHED,
						0, rows[i].result);

		assert_int_equal(series_encode(&series, &o.samples), 0);
		str_add(&o.sched_log, "words");
		str_add(&o.sched_dump, "state");
		str_add(&o.diagnostics, "something\n");
		if (rows[i].titles != monitor)
			str_add(&o.repro_text, "story");
		expect_order(&v, &o, rows[i].titles);
	}
}

/* The test passed, and the guest then hung. */
static void a_guest_that_does_not_end_has_failed(void **state)
{
	struct outcome hung = make_outcome(OUTCOME_TIMED_OUT, 0, PASS);
	struct outcome slow = make_outcome(OUTCOME_TIMED_OUT, 0, PASS);
	struct variant v = make_variant(true);

	(void)state;
	str_add(&hung.message, "the guest hangs: so");
	slow.facts.duration_ns = 4500000000;
	assert_int_equal(judged(&v, &hung, false,
				" did not end after its result:\n  the guest hangs: so"),
			 TEST_TIMED_OUT);
	assert_int_equal(
		judged(&v, &slow, false,
		       "the guest did not end: it was ended after 4.5s of wall-clock time"),
		TEST_TIMED_OUT);
}

/* One that quits is told once, with its status, whether the body saw it or not. */
static void a_scheduler_that_quits_is_told_once(void **state)
{
	static const char *const results[] = {
		PASS,
		"{\"schema_version\":1,\"verdict\":\"fail\",\"details\":[{\"kind\":"
		"\"SchedulerDied\",\"verdict\":\"fail\",\"message\":"
		"\"scheduler process died unexpectedly during workload (2.5s into test)\"}]}",
	};
	struct variant v = make_variant(true);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
		struct outcome o = make_outcome(OUTCOME_EXITED, 0, results[i]);

		str_add(&o.sched_report,
			"{\"end\":\"died\",\"attached\":true,\"stage\":\"payload\","
			"\"ended_ns\":2000000000,\"exit_code\":0,\"message\":"
			"\"scheduler process died unexpectedly during workload (2.0s into test) "
			"(exit code 0)\"}");
		assert_int_equal(judged(&v, &o, false,
					" failed:\n"
					"  scheduler process died unexpectedly during workload "
					"(2.0s into test) (exit code 0)\n\n"),
				 TEST_FAILED);
	}
}

/* Of a log that does not fold a verdict has both ends, however much the guest has sent. */
static void long_logs_lose_their_middle(void **state)
{
	struct variant v = make_variant(true);
	struct outcome o = make_outcome(OUTCOME_EXITED, 0, "");

	(void)state;
	str_add(&o.sched_log, "first\n");
	str_repeat(&o.sched_log, 'x', 3 << 20);
	str_add(&o.sched_log, "\nlast\n");
	assert_int_equal(judged(&v, &o, false, "x\n  | --- 2097164 bytes omitted ---\n  | x"),
			 TEST_FAILED);
	/* What the guest left out before is counted, although its own mark is gone. */
	o = make_outcome(OUTCOME_EXITED, 0, "");
	str_repeat(&o.sched_log, 'x', 3 << 20);
	str_addf(&o.sched_report, "{\"end\":\"died\",\"log_bytes\":%d}", 50 << 20);
	assert_int_equal(judged(&v, &o, false, "x\n  | --- 51380224 bytes omitted ---\n  | x"),
			 TEST_FAILED);
}

/* Where it happened is told first, above the registers. */
static void a_kernel_panic_is_shown_whole(void **state)
{
	struct variant v = make_variant(true);
	struct outcome o = make_outcome(OUTCOME_CRASHED, 0, "");

	(void)state;
	str_add(&o.console, "[1.0] Kernel panic - not syncing: x\n");
	for (int i = 0; i < 30; i++)
		str_addf(&o.console, "[1.0] line %d\n", i);
	assert_int_equal(judged(&v, &o, false, "console (31 lines):\n  | [1.0] Kernel panic"),
			 TEST_FAILED);
	o = make_outcome(OUTCOME_CRASHED, 0, "");
	for (int i = 0; i < 30; i++)
		str_addf(&o.console, "[1.0] line %d\n", i);
	assert_int_equal(judged(&v, &o, false,
				"console (30 lines, truncated):\n  | [1.0] line 10\n"),
			 TEST_FAILED);
}

static void a_limit_that_was_not_set_is_told(void **state)
{
	static const char report[] = "{\"end\":\"ran\",\"attached\":true,\"watchdog\":{"
				     "\"requested_s\":4,\"problem\":\"nobody saw it\"}}";
	struct variant v = make_variant(true);
	struct outcome o = make_outcome(OUTCOME_EXITED, 0, PASS);

	(void)state;
	str_add(&o.sched_report, report);
	assert_int_equal(judged(&v, &o, false, ""), TEST_PASSED);
	o = make_outcome(OUTCOME_EXITED, 9, PASS);
	str_add(&o.sched_report, report);
	assert_int_equal(judged(&v, &o, false, "\nwatchdog_timeout_s does not hold: nobody saw it"),
			 TEST_FAILED);
}

static void a_limit_that_nothing_measures_is_no_pass(void **state)
{
	struct variant v = make_variant(true);
	struct probe_test strict = *v.test, lenient = *v.test;
	struct outcome o = make_outcome(OUTCOME_EXITED, 0, PASS);

	(void)state;
	strict.assert.max_imbalance_ratio = 1.5;
	lenient.assert = assert_defaults;
	lenient.assert.max_imbalance_ratio = KTSTR_OFF;
	v.test = &strict;
	assert_int_equal(
		judged(&v, &o, false,
		       "max_imbalance_ratio could not be judged: the guest was not watched"),
		TEST_INCONCLUSIVE);
	v.test = &lenient;
	o = make_outcome(OUTCOME_EXITED, 0, PASS);
	assert_int_equal(judged(&v, &o, false, ""), TEST_PASSED);
	/* Without a scheduler there are no such queues, and no process of it: nothing is judged. */
	v.test = &strict;
	v.sched = NULL;
	strict.assert.max_scheduler_us_per_run = 7;
	o = make_outcome(OUTCOME_EXITED, 0, PASS);
	assert_int_equal(judged(&v, &o, false,
				"max_imbalance_ratio, max_scheduler_us_per_run could not be "
				"judged: the test has no scheduler"),
			 TEST_INCONCLUSIVE);
	v.test = &lenient;
	o = make_outcome(OUTCOME_EXITED, 0, PASS);
	assert_int_equal(judged(&v, &o, false, ""), TEST_PASSED);
}

#define RAN(ms)                                                                   \
	"{\"schema_version\":1,\"verdict\":\"pass\",\"phases\":[{\"name\":\"1\"," \
	"\"start_ms\":0,\"end_ms\":" #ms ",\"cgroups\":[]}]}"

/* Limits that are there by default decide nothing; that nobody looked is told all the same. */
static void a_long_run_without_samples_is_no_pass(void **state)
{
	static const struct {
		const char *result, *problem, *text, *note;
		enum test_status expected;
	} rows[] = {
		{ RAN(999), "", "", "no monitor samples", TEST_PASSED },
		{ RAN(1000), "", "no monitor samples: the test ran for 1000 ms", NULL,
		  TEST_INCONCLUSIVE },
		{ RAN(1000), "no such kernel", "", "the monitor was off: no such kernel",
		  TEST_PASSED },
	};
	struct variant v = make_variant(true);
	struct judge_options options = {};

	(void)state;
	test.assert = assert_defaults;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct outcome o = make_outcome(OUTCOME_EXITED, 0, rows[i].result);
		struct series series = { .cpu_count = 2 };
		struct judgement j;

		snprintf(series.problem, sizeof(series.problem), "%s", rows[i].problem);
		assert_int_equal(series_encode(&series, &o.samples), 0);
		assert_int_equal(judge(&v, &o, &options, &j), 0);
		assert_int_equal(j.status, rows[i].expected);
		assert_non_null(strstr(str_get(&j.text), rows[i].text));
		assert_int_equal(j.result.details.count, 1);
		if (rows[i].note) {
			assert_int_equal(j.result.details.items[0].kind, DETAIL_NOTE);
			assert_string_equal(j.result.details.items[0].message, rows[i].note);
		}
		judgement_finish(&j);
		outcome_finish(&o);
	}
}

/* A body that hangs has told its steps; one that did not has them in its result. */
static void steps_of_a_body_without_a_result_are_in_the_timeline(void **state)
{
	static const struct stimulus frames[] = { { .elapsed_ms = 250, .step = 1, .op_count = 3 },
						  { .elapsed_ms = 50 } };
	_cleanup_(series_finish) struct series series = { .cpu_count = 2 };
	struct variant v = make_variant(true);
	struct outcome o = make_outcome(OUTCOME_TIMED_OUT, 0, "");

	(void)state;
	for (uint64_t i = 0; i < 5; i++)
		add_sample(&series, 5000 + 100 * i, 3, 1);
	assert_int_equal(series_encode(&series, &o.samples), 0);
	str_addn(&o.stimuli, frames, sizeof(frames));
	assert_int_equal(judged(&v, &o, false, "Phase 2: StepStart[1] ops=3 (150ms, 2 samples):\n"),
			 TEST_TIMED_OUT);
	o = make_outcome(OUTCOME_EXITED, 0, STUCK);
	assert_int_equal(series_encode(&series, &o.samples), 0);
	str_addn(&o.stimuli, frames, sizeof(frames));
	assert_int_equal(judged(&v, &o, false, "\nWhole run (400ms, 5 samples):"), TEST_FAILED);
}

static void expected_errors_must_be_the_expected_ones(void **state)
{
	struct variant v = make_variant(true);
	static const char report[] =
		"{\"end\":\"error\",\"message\":\"m\",\"attached\":true,"
		"\"exit\":{\"reason\":\"scx_bpf_error\",\"message\":\"bad cpu\"}}";
	struct outcome o = make_outcome(OUTCOME_EXITED, 1, "");

	(void)state;
	test.expect_err = true;
	str_add(&o.sched_report, report);
	assert_int_equal(judged(&v, &o, false, ""), TEST_PASSED);
	test.expect_scx_bpf_error_contains = "other";
	o = make_outcome(OUTCOME_EXITED, 1, "");
	str_add(&o.sched_report, report);
	assert_int_equal(judged(&v, &o, false, "not the expected one: 'other'"), TEST_FAILED);
	/* What we could not run is not an error of the test's. */
	o = make_outcome(OUTCOME_NOT_RUN, 0, "");
	assert_int_equal(judged(&v, &o, false, "failed:"), TEST_FAILED);
	o = make_outcome(OUTCOME_EXITED, 0, PASS);
	test.expect_scx_bpf_error_contains = NULL;
	assert_int_equal(judged(&v, &o, false, "passed, but an error was expected:"), TEST_FAILED);
}

static void skips_can_be_refused(void **state)
{
	struct variant v = make_variant(false);
	struct outcome o = make_outcome(OUTCOME_SKIPPED, 0, "");

	(void)state;
	str_add(&o.message, "no KVM");
	assert_int_equal(judged(&v, &o, false, "no KVM"), TEST_SKIPPED);
	o = make_outcome(OUTCOME_SKIPPED, 0, "");
	str_add(&o.message, "no KVM");
	assert_int_equal(judged(&v, &o, true, "skipped, which this run does not allow: no KVM"),
			 TEST_FAILED);
}

static void slow_cleaning_up_can_fail(void **state)
{
	struct variant v = make_variant(false);
	struct outcome idle = make_outcome(OUTCOME_EXITED, 0, PASS);
	struct outcome busy = make_outcome(OUTCOME_EXITED, 0, PASS);

	(void)state;
	test.cleanup_budget_ms = 100;
	idle.facts.has_cleanup = busy.facts.has_cleanup = true;
	idle.facts.cleanup_ns = busy.facts.cleanup_ns = 250000000;
	assert_int_equal(judged(&v, &idle, false, "cleaning up took 250ms, the budget is 100ms"),
			 TEST_FAILED);
	withhold(&busy);
	assert_int_equal(judged(&v, &busy, false, "the budget is 100ms; the host explains it"),
			 TEST_INCONCLUSIVE);
}

/* What the test says on the host counts as what its body says. */
static void what_post_vm_finds_is_judged(void **state)
{
	struct variant v = make_variant(true);
	struct outcome good = make_outcome(OUTCOME_EXITED, 0, PASS);
	struct outcome bad = make_outcome(OUTCOME_EXITED, 0, PASS);
	struct outcome broken = make_outcome(OUTCOME_EXITED, 0, PASS);
	struct outcome unwatched = make_outcome(OUTCOME_EXITED, 0, PASS);

	(void)state;
	str_add(&good.post_vm, PASS);
	assert_int_equal(judged(&v, &good, false, ""), TEST_PASSED);
	str_add(&bad.post_vm, STUCK);
	assert_int_equal(judged(&v, &bad, false, "stuck 900ms"), TEST_FAILED);
	str_add(&broken.post_vm, "{");
	assert_int_equal(judged(&v, &broken, false, "the result of post_vm cannot be read"),
			 TEST_FAILED);
	str_add(&unwatched.problems,
		"bpf_map_write: nobody wrote\nwatch_snapshots: nobody looked\n");
	assert_int_equal(judged(&v, &unwatched, false,
				"  bpf_map_write: nobody wrote\n  watch_snapshots: nobody looked"),
			 TEST_FAILED);
}

static void outcomes_survive_a_file(void **state)
{
	struct outcome o = make_outcome(OUTCOME_EXITED, 3, "{}"), back;
	int fd = memfd_create("test", 0), empty = memfd_create("test", 0);

	(void)state;
	str_addn(&o.output, "a\0b", 3);
	assert_int_equal(outcome_write(&o, fd), 0);
	assert_int_equal(outcome_read(&back, fd), 0);
	assert_int_equal(back.facts.status, 3);
	assert_int_equal(back.output.len, 3);
	assert_memory_equal(back.output.s, "a\0b", 3);
	assert_string_equal(str_get(&back.result), "{}");
	outcome_finish(&back);
	/* What comes after the end belongs to something else, or to a longer outcome. */
	assert_int_equal(pwrite(fd, "x", 1, lseek(fd, 0, SEEK_END)), 1);
	assert_int_equal(outcome_read(&back, fd), -EIO);
	assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - 1), 0);
	assert_int_equal(outcome_read(&back, fd), 0);
	outcome_finish(&back);
	assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - 1), 0);
	assert_int_equal(outcome_read(&back, fd), -EIO);
	assert_int_equal(ftruncate(fd, 100), 0);
	assert_int_equal(outcome_read(&back, fd), -EIO);
	assert_int_equal(outcome_read(&back, empty), -EIO);
	outcome_finish(&o);
	close(fd);
	close(empty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_without_result_are_no_pass),
		cmocka_unit_test(broken_results_are_failures),
		cmocka_unit_test(gaps_that_the_host_made_are_no_failures),
		cmocka_unit_test(stalls_that_the_host_made_are_no_failures),
		cmocka_unit_test(a_crash_after_a_pass_is_a_failure),
		cmocka_unit_test(a_dead_scheduler_is_a_failure),
		cmocka_unit_test(the_first_line_says_why),
		cmocka_unit_test(a_scheduler_that_died_has_the_step),
		cmocka_unit_test(our_own_signals_are_no_reason),
		cmocka_unit_test(absences_are_mentioned),
		cmocka_unit_test(missing_events_are_mentioned),
		cmocka_unit_test(the_order_of_sections_depends_on_the_failure),
		cmocka_unit_test(a_guest_that_does_not_end_has_failed),
		cmocka_unit_test(a_limit_that_was_not_set_is_told),
		cmocka_unit_test(a_scheduler_that_quits_is_told_once),
		cmocka_unit_test(long_logs_lose_their_middle),
		cmocka_unit_test(a_kernel_panic_is_shown_whole),
		cmocka_unit_test(a_limit_that_nothing_measures_is_no_pass),
		cmocka_unit_test(a_long_run_without_samples_is_no_pass),
		cmocka_unit_test(steps_of_a_body_without_a_result_are_in_the_timeline),
		cmocka_unit_test(expected_errors_must_be_the_expected_ones),
		cmocka_unit_test(skips_can_be_refused),
		cmocka_unit_test(slow_cleaning_up_can_fail),
		cmocka_unit_test(what_post_vm_finds_is_judged),
		cmocka_unit_test(outcomes_survive_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

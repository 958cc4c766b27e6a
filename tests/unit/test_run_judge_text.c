// SPDX-License-Identifier: GPL-2.0-only
/* What the text of a failure has besides its sentences, and errors that a test wants. */
#include "unit.h"

#include "base/clock.h"
#include "check/check.h"
#include "guest/protocol.h"
#include "run/parts.h"
#include "watch/parts.h"

#define PASS "{\"schema_version\":1,\"verdict\":\"pass\"}"
#define FAIL                                                                           \
	"{\"schema_version\":1,\"verdict\":\"fail\",\"details\":[{\"kind\":\"Stuck\"," \
	"\"verdict\":\"fail\",\"message\":\"stuck 900ms\"}]}"
#define BROKE                                                                                    \
	"{\"end\":\"error\",\"message\":\"it broke\",\"attached\":true,\"exit\":{\"kind\":1025," \
	"\"reason\":\"scx_bpf_error\",\"message\":\"bad cpu 9\"}}"

static struct probe_test test;
static struct probe_sched sched;
static struct variant variant;
static struct outcome outcome;
static struct judgement verdict;
static struct judge_options options;

static int start(void **state)
{
	(void)state;
	test = (struct probe_test){ .name = "t", .duration_ms = 2000 };
	sched = (struct probe_sched){ .name = "mine", .binary = "scx_mine" };
	variant = (struct variant){
		.name = "ktstr/t", .test = &test, .sched = &sched, .topology = { 1, 1, 2, 1 }
	};
	outcome = (struct outcome){
		.facts = { .end = OUTCOME_EXITED, .is_guest = true, .has_started = true }
	};
	options = (struct judge_options){};
	return 0;
}

static int stop(void **state)
{
	(void)state;
	outcome_finish(&outcome);
	judgement_finish(&verdict);
	return 0;
}

#define JUDGED(f) cmocka_unit_test_setup_teardown(f, start, stop)

static void set(struct str *to, const char *text)
{
	str_reset(to);
	str_add(to, text);
}

static const char *judged(enum test_status expected)
{
	judgement_finish(&verdict);
	assert_int_equal(judge(&variant, &outcome, &options, &verdict), 0);
	if (verdict.status != expected)
		fail_msg("%d: %s", (int)verdict.status, str_get(&verdict.text));
	return str_get(&verdict.text);
}

static void expect_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("expected '%s' in '%s'", part, text);
}

static void dumps_are_shown_with_their_queues_and_programs(void **state)
{
	static const char dump[] =
		"{\"programs\":[{\"name\":\"mine_enqueue\",\"cnt\":5,\"nsecs\":700}],"
		"\"programs_truncated\":true}";
	const char *text;

	(void)state;
	set(&outcome.result, FAIL);
	set(&outcome.dump, dump);
	text = judged(TEST_FAILED);
	expect_part(text, "\n--- programs ---\n");
	expect_part(text, "mine_enqueue");
	assert_null(strstr(text, "early"));
	assert_null(strstr(text, "--- queues ---"));
	/* Of an earlier moment only the queues. */
	set(&outcome.early, dump);
	assert_null(strstr(judged(TEST_FAILED), "early"));
	set(&outcome.early, "{\"snapshots\":[{\"dsqs\":[],\"longest_wait\":{\"pid\":7}}]}");
	judged(TEST_FAILED);
	set(&outcome.early, "no JSON");
	set(&outcome.dump, "[");
	text = judged(TEST_FAILED);
	expect_part(text, "\n--- early queues ---\nnot shown: ");
	expect_part(text, "\n--- queues ---\nnot shown: ");
}

/* One that ran undisturbed has no line of its host. */
static void the_host_is_told_where_it_interfered(void **state)
{
	static const struct {
		uint64_t run_ms, wait_ms;
		bool is_told;
	} rows[] = {
		{ 1000, 0, false }, { 1000, 49, false }, { 1000, 50, true }, { 1000, 60, true }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set(&outcome.result, FAIL);
		outcome.facts.host_time.count = 1;
		outcome.facts.host_time.threads[0] =
			(struct vm_thread_time){ rows[i].run_ms * NSEC_PER_MSEC,
						 rows[i].wait_ms * NSEC_PER_MSEC };
		assert_int_equal(strstr(judged(TEST_FAILED), "\nhost: ") != NULL, rows[i].is_told);
	}
}

/* Of a guest that ran, where that is wanted or there is nothing else to look at. */
static void diagnostics_are_of_guests_that_tell_nothing_else(void **state)
{
	static const struct {
		const char *result, *report, *log, *found;
		bool is_guest, is_verbose;
		enum outcome_end end;
		bool is_there;
	} rows[] = {
		{ FAIL, "", "", "", true, false, OUTCOME_EXITED, false },
		{ FAIL, "", "", "", true, true, OUTCOME_EXITED, true },
		{ FAIL, "", "", "found\n", true, false, OUTCOME_EXITED, true },
		{ FAIL, BROKE, "", "", true, false, OUTCOME_EXITED, true },
		{ FAIL, "{\"end\":\"ran\",\"attached\":true}", "", "", true, false, OUTCOME_EXITED,
		  false },
		{ "", "", "", "", true, false, OUTCOME_CRASHED, true },
		{ "", "", "said\n", "", true, false, OUTCOME_CRASHED, false },
		{ "", "", "", "found\n", true, true, OUTCOME_NOT_RUN, false },
		{ "", "", "", "found\n", false, true, OUTCOME_EXITED, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *text;

		set(&outcome.result, rows[i].result);
		set(&outcome.sched_report, rows[i].report);
		set(&outcome.sched_log, rows[i].log);
		set(&outcome.diagnostics, rows[i].found);
		set(&outcome.message, "why");
		outcome.facts.is_guest = rows[i].is_guest;
		outcome.facts.end = rows[i].end;
		options.is_verbose = rows[i].is_verbose;
		text = judged(TEST_FAILED);
		if ((strstr(text, "\n--- diagnostics ---\nstage: ") != NULL) != rows[i].is_there)
			fail_msg("%zu: %s", i, text);
		assert_int_equal(strstr(text, "\nexit_code=0\n") != NULL ||
					 str_ends(text, "\nexit_code=0"),
				 rows[i].is_there && rows[i].end == OUTCOME_EXITED);
	}
}

/* Twenty lines, and all of them after a panic of the kernel or of init. */
static void of_a_long_console_the_end_is_shown(void **state)
{
	static const struct {
		const char *first;
		int lines;
		const char *shown;
	} rows[] = {
		{ "line", 19, "console (20 lines):\n  | line\n  | line 0\n" },
		{ "line", 20, "console (21 lines, truncated):\n  | line 0\n" },
		{ "Kernel panic - not syncing: x", 20, "console (21 lines):\n  | Kernel panic" },
		{ GUEST_LINE_PANIC "x", 20, "console (21 lines):\n  | " GUEST_LINE_PANIC },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set(&outcome.result, "");
		outcome.facts.end = OUTCOME_CRASHED;
		str_reset(&outcome.console);
		str_addf(&outcome.console, "%s\n", rows[i].first);
		for (int k = 0; k < rows[i].lines; k++)
			str_addf(&outcome.console, "line %d\n", k);
		expect_part(judged(TEST_FAILED), rows[i].shown);
	}
	set(&outcome.console, "");
	assert_null(strstr(judged(TEST_FAILED), "console"));
}

static void a_reason_of_the_kernel_stands_first(void **state)
{
	static const struct {
		const char *report, *summary;
	} rows[] = {
		{ BROKE, "BUG SUMMARY: scx_bpf_error: bad cpu 9\nktstr_test" },
		{ "{\"end\":\"error\",\"attached\":true,\"exit\":{\"reason\":\"bad\"}}",
		  "BUG SUMMARY: bad\nktstr_test" },
		{ "{\"end\":\"error\",\"attached\":true}", NULL },
		{ "{\"end\":\"died\",\"attached\":true,\"exit\":{\"reason\":\"bad\"}}", NULL },
		{ "{\"end\":\"ran\",\"attached\":true,\"exit\":{\"reason\":\"bad\"}}", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *text;

		set(&outcome.result, FAIL);
		set(&outcome.sched_report, rows[i].report);
		text = judged(TEST_FAILED);
		assert_true(str_starts(text, rows[i].summary ? rows[i].summary : "ktstr_test"));
	}
}

/* What the guest had left out before shows only where something is left out. */
static void a_short_log_is_whole(void **state)
{
	(void)state;
	set(&outcome.result, FAIL);
	set(&outcome.sched_log, "words\n");
	set(&outcome.sched_report, "{\"end\":\"ran\",\"attached\":true,\"log_bytes\":5000000}");
	set(&outcome.repro_pipeline, "through it\n");
	expect_part(judged(TEST_FAILED), "\n--- scheduler log ---\n  | words\n");
	assert_null(strstr(str_get(&verdict.text), "omitted"));
	expect_part(str_get(&verdict.text), "\n--- probe pipeline ---\n  | through it");
}

static void a_scheduler_goes_by_its_program(void **state)
{
	(void)state;
	assert_string_equal(scheduler_label(&variant), "scx_mine");
	sched.binary = NULL;
	sched.binary_path = "/opt/scx_mine";
	assert_string_equal(scheduler_label(&variant), "/opt/scx_mine");
	sched.binary_path = NULL;
	assert_string_equal(scheduler_label(&variant), "kernel");
	variant.sched = NULL;
	assert_null(scheduler_label(&variant));
}

/* ---- errors that are wanted ---- */

static void an_error_has_to_match_in_the_exit_or_the_log(void **state)
{
	static const struct {
		const char *contains, *matches;
		enum test_status expected;
	} rows[] = {
		{ "scx_bpf_error", NULL, TEST_PASSED }, { "bad cpu", NULL, TEST_PASSED },
		{ "from the log", NULL, TEST_PASSED },	{ "nowhere", NULL, TEST_FAILED },
		{ NULL, "bad cpu [0-9]", TEST_PASSED }, { NULL, "bad cpu [a-z]", TEST_FAILED },
		{ "bad", "cpu 9", TEST_PASSED },	{ "bad", "cpu 8", TEST_FAILED },
		{ "good", "cpu 9", TEST_FAILED },
	};

	(void)state;
	test.expect_err = true;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		test.expect_scx_bpf_error_contains = rows[i].contains;
		test.expect_scx_bpf_error_matches = rows[i].matches;
		set(&outcome.sched_report, BROKE);
		set(&outcome.sched_log, "a line from the log\n");
		judged(rows[i].expected);
	}
}

static void what_is_inconclusive_may_be_allowed(void **state)
{
	static const char unsure[] =
		"{\"schema_version\":1,\"verdict\":\"inconclusive\",\"details\":"
		"[{\"kind\":\"Other\",\"verdict\":\"inconclusive\","
		"\"message\":\"too dark\"}]}";

	(void)state;
	set(&outcome.result, unsure);
	judged(TEST_INCONCLUSIVE);
	test.allow_inconclusive = true;
	set(&outcome.result, unsure);
	judged(TEST_SKIPPED); /* which is no pass, either */
}

static void all_reasons_of_a_skip_are_told(void **state)
{
	(void)state;
	set(&outcome.result,
	    "{\"schema_version\":1,\"verdict\":\"skip\",\"details\":["
	    "{\"kind\":\"Other\",\"verdict\":\"skip\",\"message\":\"too small\"},"
	    "{\"kind\":\"Note\",\"verdict\":\"skip\",\"message\":\"by the way\"},"
	    "{\"kind\":\"Other\",\"verdict\":\"skip\",\"message\":\"too slow\"}]}");
	assert_string_equal(judged(TEST_SKIPPED), "too small; too slow");
}

/* ---- invariants, and ends ---- */

static void broken_invariants_fail_whatever_the_body_says(void **state)
{
	(void)state;
	set(&outcome.result, PASS);
	set(&outcome.broken_invariants, "x > 0: x is 0\ny > 0: y is 0\n");
	expect_part(judged(TEST_FAILED), "  x > 0: x is 0\n  y > 0: y is 0");
	assert_int_equal(verdict.result.details.count, 2);
	assert_int_equal(verdict.result.details.items[1].kind, DETAIL_INVARIANT);
	str_reset(&outcome.broken_invariants);
	set(&outcome.result, PASS);
	set(&outcome.unknown_invariants, "z > 0: nobody could read z\n");
	expect_part(judged(TEST_INCONCLUSIVE), "nobody could read z");
	/* Of a body without a result there is enough to tell. */
	set(&outcome.result, "");
	assert_null(strstr(judged(TEST_FAILED), "nobody could read z"));
}

static void a_status_is_explained_once(void **state)
{
	static const struct {
		int status;
		const char *result, *report, *text;
		bool is_there;
	} rows[] = {
		{ 2, FAIL, "", "ended with status", false },
		{ 4, FAIL, "", "the test program ended with status 4 after its result", true },
		{ 4, "", "", "the test program ended with status 4", true },
		{ 128 + 9, FAIL, "", "killed by signal 9 (Killed) after its result", true },
		{ 128, FAIL, "", "the test program ended with status 128", true },
		/* Init did that. */
		{ GUEST_STATUS_NO_SCHEDULER, "", BROKE, "ended with status", false },
		{ GUEST_STATUS_NO_SCHEDULER, "", "", "ended with status", true },
		{ 128 + 9, "",
		  "{\"end\":\"error\",\"message\":\"why\",\"attached\":true,\"payload_signal\":9}",
		  "killed by signal", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set(&outcome.result, rows[i].result);
		set(&outcome.sched_report, rows[i].report);
		outcome.facts.status = rows[i].status;
		if ((strstr(judged(TEST_FAILED), rows[i].text) != NULL) != rows[i].is_there)
			fail_msg("%zu: %s", i, str_get(&verdict.text));
	}
}

/* ---- a timeline's changes ---- */

/* Two phases of five samples each, with so many runnable, in queues, and events in 100 ms. */
static void add_part(struct series *s, uint64_t from, uint32_t first, uint32_t depth,
		     int64_t events)
{
	static int64_t counted;

	for (uint64_t i = 0; i < 5; i++) {
		struct cpu_sample cpus[2] = {};
		struct guest_sample sample = { .time_ns = (from + 100 * i) * NSEC_PER_MSEC,
					       .has_scheduler = true,
					       .cpu_count = 2,
					       .cpus = cpus };

		counted += events;
		for (size_t k = 0; k < 2; k++) {
			cpus[k] = (struct cpu_sample){ .is_known = true,
						       .has_scx = true,
						       .nr_running = k ? 2 : first,
						       .local_dsq_depth = depth,
						       .clock_ns = from + 100 * i + k,
						       .known_events = 1U << SCX_EV_FALLBACK |
								       1U << SCX_EV_KEEP_LAST };
			cpus[k].events[SCX_EV_FALLBACK] = cpus[k].events[SCX_EV_KEEP_LAST] =
				counted / 2;
		}
		assert_int_equal(series_add(s, &sample), 0);
	}
}

static void changes_of_a_phase_are_told_beyond_their_limits(void **state)
{
	static const struct {
		uint32_t first[2], depth[2];
		int64_t events[2];
		uint64_t iterations[2]; /* in 500 ms each */
		const char *text;
		bool is_there;
	} rows[] = {
		{ { 2, 3 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, "DEGRADATION: imbalance", false },
		{ { 2, 4 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, "DEGRADATION: imbalance +1.0", true },
		{ { 4, 2 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, "IMPROVEMENT: imbalance -1.0", true },
		{ { 2, 2 }, { 0, 3 }, { 0, 0 }, { 0, 0 }, "DEGRADATION: dsq_depth", false },
		{ { 2, 2 }, { 0, 4 }, { 0, 0 }, { 0, 0 }, "DEGRADATION: dsq_depth +4.0", true },
		{ { 2, 2 }, { 0, 0 }, { 0, 20 }, { 0, 0 }, "DEGRADATION: fallback +", true },
		{ { 2, 2 }, { 0, 0 }, { 20, 0 }, { 0, 0 }, "IMPROVEMENT: keep_last -", true },
		{ { 2, 2 }, { 0, 0 }, { 0, 0 }, { 1000, 700 }, "throughput -", false },
		{ { 2, 2 },
		  { 0, 0 },
		  { 0, 0 },
		  { 1000, 600 },
		  "DEGRADATION: throughput -800.0",
		  true },
		{ { 2, 2 },
		  { 0, 0 },
		  { 0, 0 },
		  { 1000, 1400 },
		  "IMPROVEMENT: throughput +800.0",
		  true },
		{ { 2, 2 }, { 0, 0 }, { 0, 0 }, { 0, 600 }, "throughput +", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(series_finish) struct series series = { .cpu_count = 2 };
		struct timeline_facts facts = { .series = &series };
		_str_ struct str out = {};
		struct ktstr_result r;

		result_init(&r);
		add_part(&series, 5000, rows[i].first[0], rows[i].depth[0], rows[i].events[0]);
		add_part(&series, 5500, rows[i].first[1], rows[i].depth[1], rows[i].events[1]);
		for (uint32_t k = 0; k < 3; k++)
			assert_int_equal(
				vec_push(&r.stimuli,
					 ((struct stimulus){
						 .step = k,
						 .elapsed_ms = 500 * k,
						 .total_iterations =
							 k == 0 ? 0 :
							 k == 1 ? rows[i].iterations[0] :
								  rows[i].iterations[0] +
									  rows[i].iterations[1] })),
				0);
		timeline_add(&variant, &r, &facts, &out);
		if ((strstr(str_get(&out), rows[i].text) != NULL) != rows[i].is_there)
			fail_msg("%zu: %s", i, str_get(&out));
		expect_part(str_get(&out), " | fallback: ");
		expect_part(str_get(&out), " | keep_last: ");
		result_finish(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		JUDGED(dumps_are_shown_with_their_queues_and_programs),
		JUDGED(the_host_is_told_where_it_interfered),
		JUDGED(diagnostics_are_of_guests_that_tell_nothing_else),
		JUDGED(of_a_long_console_the_end_is_shown),
		JUDGED(a_reason_of_the_kernel_stands_first),
		JUDGED(a_short_log_is_whole),
		JUDGED(a_scheduler_goes_by_its_program),
		JUDGED(an_error_has_to_match_in_the_exit_or_the_log),
		JUDGED(what_is_inconclusive_may_be_allowed),
		JUDGED(all_reasons_of_a_skip_are_told),
		JUDGED(broken_invariants_fail_whatever_the_body_says),
		JUDGED(a_status_is_explained_once),
		JUDGED(changes_of_a_phase_are_told_beyond_their_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

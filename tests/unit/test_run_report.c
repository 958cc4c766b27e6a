// SPDX-License-Identifier: GPL-2.0-only
/* What each format makes of the same events. */
#include "run/parts.h"

#include <stdio.h>

#include "base/str.h"
#include "base/text.h"
#include "unit.h"

static const struct test_event passed = { .binary_id = "my_crate::my_sched_tests",
					  .name = "ktstr/two_cgroups",
					  .status = TEST_PASSED,
					  .seconds = 11.34,
					  .attempt = 1,
					  .attempts = 1 };

static const struct test_event failed = {
	.binary_id = "my_crate::my_sched_tests",
	.name = "ktstr/two_cgroups",
	.status = TEST_FAILED,
	.seconds = 12.05,
	.attempt = 1,
	.attempts = 1,
	.sidecar = "target/ktstr/x/two_cgroups-1.ktstr.json",
	.seed = 7,
	.text = "ktstr_test 'two_cgroups' [topo=1n1l2c1t] failed:\n"
		"  stuck 3500ms on cpu1 at +1200ms\n"
		"\n"
		"--- stats ---\n"
		"4 workers, 2 cpus, 8 migrations, worst_spread=12.3%, worst_gap=3500ms",
};

static const struct test_event skipped = {
	.binary_id = "a::b", .name = "ktstr/smt", .status = TEST_SKIPPED, .text = "need >=2 LLCs"
};

/* The bytes that a format writes for these events. */
static char *render(const struct report_format *format, struct run_report_options options,
		    const struct test_event *const *events, size_t count,
		    const struct run_totals *totals)
{
	struct run_report r;
	char *text = NULL;
	size_t len;

	options.out = open_memstream(&text, &len);
	options.label = "ktstr";
	run_report_begin(&r, format, &options, count);
	for (size_t i = 0; i < count; i++)
		run_report_tell(&r, REPORT_ENDED, events[i]);
	assert_int_equal(run_report_finish(&r, totals), 0);
	fclose(options.out);
	return text;
}

#define EVENTS(...)                        \
	(const struct test_event *const[]) \
	{                                  \
		__VA_ARGS__                \
	}

static const char *const two_dirs[] = { "target/ktstr/x", "target/ktstr/y" };

static void human_lines_are_those_of_the_readme(void **state)
{
	struct run_totals t = { .selected = 3,
				.passed = 1,
				.failed = 1,
				.skipped = 1,
				.seconds = 23.39,
				.filtered_out = 15 };
	_free_ char *text =
		render(&run_report_human,
		       (struct run_report_options){ .run_dirs = two_dirs, .run_dir_count = 2 },
		       EVENTS(&passed, &failed, &skipped), 3, &t);

	(void)state;
	assert_string_equal(
		text,
		"    PASS [  11.34s] my_crate::my_sched_tests ktstr/two_cgroups\n"
		"    FAIL [  12.05s] my_crate::my_sched_tests ktstr/two_cgroups\n"
		"\n"
		"--- STDERR ---\n"
		"ktstr_test 'two_cgroups' [topo=1n1l2c1t] failed:\n"
		"  stuck 3500ms on cpu1 at +1200ms\n"
		"\n"
		"--- stats ---\n"
		"4 workers, 2 cpus, 8 migrations, worst_spread=12.3%, worst_gap=3500ms\n"
		"\n"
		"    SKIP [   0.00s] a::b ktstr/smt\n"
		"ktstr: SKIP: need >=2 LLCs\n"
		"------------\n"
		"    Summary [  23.39s] 2 tests run: 1 passed, 1 failed, 1 skipped, 15 not selected\n"
		"\n"
		"ktstr: test outputs\n"
		"  run: target/ktstr/x\n"
		"  run: target/ktstr/y\n"
		"  my_crate::my_sched_tests ktstr/two_cgroups\n"
		"    stats:  target/ktstr/x/two_cgroups-1.ktstr.json\n"
		"    replay: ktstr replay target/ktstr/x/two_cgroups-1.ktstr.json\n"
		"    seed:   7\n");
}

static char *one(struct run_report_options options, const struct test_event *e)
{
	const struct run_totals none = { .selected = 1 };

	return render(&run_report_human, options, &e, 1, &none);
}

static void expect_in(struct run_report_options options, const struct test_event *e,
		      const char *part, bool is_there)
{
	_free_ char *text = one(options, e);

	if ((strstr(text, part) != NULL) != is_there)
		fail_msg("'%s' in '%s'", part, text);
}

/* Notes of a pass follow its line, its output where that is wanted. */
static void a_pass_has_its_notes_and_its_output(void **state)
{
	const struct run_report_options all = { .shows_output = true }, usual = {};
	struct test_event e = passed;

	(void)state;
	e.note = "a note";
	e.output = "a word\n";
	expect_in(usual, &e, "two_cgroups\n\na note\n-----", true);
	expect_in(all, &e, "two_cgroups\n\na note\n  | a word\n-----", true);
	e.note = "";
	expect_in(usual, &e, "two_cgroups\n-----", true);
	expect_in(all, &e, "two_cgroups\n  | a word\n-----", true);
	e.output = "";
	expect_in(all, &e, "two_cgroups\n-----", true);
	e = failed;
	e.note = "a note\n";
	e.output = "a word\n";
	expect_in(usual, &e,
		  "\n--- scheduler and EEVDF ---\na note\n\n--- OUTPUT ---\n  | a word\n", true);
	e.note = e.output = "";
	expect_in(usual, &e, "scheduler and EEVDF", false);
	expect_in(usual, &e, "OUTPUT", false);
}

static void a_skip_has_its_reason_unless_all_is_to_be_quiet(void **state)
{
	const struct run_report_options quiet = { .is_quiet = true }, usual = {};
	struct test_event e = skipped;

	(void)state;
	expect_in(usual, &e, "ktstr: SKIP: need >=2 LLCs\n", true);
	expect_in(quiet, &e, "SKIP", false);
	e.text = "";
	expect_in(usual, &e, "ktstr: SKIP", false);
	e = failed;
	expect_in(usual, &e, "ktstr: SKIP", false);
}

static void formats_have_names(void **state)
{
	const char *const *names = run_report_format_names();
	size_t count = 0;

	(void)state;
	for (; names[count]; count++)
		assert_string_equal(run_report_format_by_name(names[count])->name, names[count]);
	assert_true(count > 2);
	assert_null(run_report_format_by_name("none"));
}

/* Records of which there are none are not named. */
static void a_run_in_which_nothing_ended_has_no_outputs(void **state)
{
	struct run_totals none = { .selected = 2, .is_interrupted = true };
	struct run_totals one = { .selected = 1, .passed = 1 };
	const struct run_report_options options = { .run_dirs = two_dirs, .run_dir_count = 2 };
	_free_ char *nothing = render(&run_report_human, options, NULL, 0, &none);
	_free_ char *nowhere =
		render(&run_report_human, (struct run_report_options){}, EVENTS(&passed), 1, &one);
	_free_ char *both = render(&run_report_human, options, EVENTS(&passed), 1, &one);

	(void)state;
	assert_null(strstr(nothing, "test outputs"));
	assert_non_null(strstr(nothing, "0 tests run: 0 passed, 2 not run (interrupted)\n"));
	assert_null(strstr(nowhere, "test outputs"));
	assert_non_null(strstr(nowhere, "1 test run: 1 passed\n"));
	assert_non_null(strstr(both, "ktstr: test outputs\n  run: target/ktstr/x\n"));
}

/* A path that is pasted into a shell, and names that would write to the terminal. */
static void names_and_hints_are_safe_on_a_terminal_and_in_a_shell(void **state)
{
	static const char *const dirs[] = { "target/\033[2J" };
	struct test_event e = failed;
	struct run_totals t = { .selected = 1, .failed = 1 };
	_free_ char *text = NULL;

	(void)state;
	e.name = "ktstr/\033]0;title\a";
	e.binary_id = "a\033[31m";
	e.sidecar = "it's here; $(reboot)/x.json";
	text = render(&run_report_human,
		      (struct run_report_options){ .run_dirs = dirs, .run_dir_count = 1 },
		      EVENTS(&e), 1, &t);
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "a\\x1b[31m ktstr/\\x1b]0;title\\x07\n"));
	assert_non_null(strstr(text, "  run: target/\\x1b[2J\n"));
	assert_non_null(strstr(text, "replay: ktstr replay 'it'\\''s here; $(reboot)/x.json'\n"));
}

/* A run of sim can be told from another: a failed one always, the others with --verbose. */
static void digests_of_sim_are_told(void **state)
{
	struct test_event sim = failed, good = passed, real = passed;
	struct run_report_options options = { .run_dirs = two_dirs, .run_dir_count = 1 };
	struct run_totals t = { .selected = 3, .passed = 2, .failed = 1 };
	_free_ char *usual = NULL, *verbose = NULL;

	(void)state;
	sim.has_seed = good.has_seed = true;
	good.seed = 3;
	sim.digest = good.digest = real.digest = "0123456789abcdef0123456789abcdef";
	usual = render(&run_report_human, options, EVENTS(&sim, &good, &real), 3, &t);
	assert_non_null(strstr(usual, "    seed:   7\n    digest: 0123456789abcdef\n"));
	assert_non_null(
		strstr(usual, "PASS [  11.34s] my_crate::my_sched_tests ktstr/two_cgroups\n"));
	assert_null(strstr(usual, "(seed"));
	options.is_verbose = true;
	verbose = render(&run_report_human, options, EVENTS(&sim, &good, &real), 3, &t);
	assert_non_null(strstr(verbose, "    PASS [  11.34s] my_crate::my_sched_tests "
					"ktstr/two_cgroups (seed 3, digest 0123456789abcdef)\n"
					"    PASS [  11.34s] my_crate::my_sched_tests "
					"ktstr/two_cgroups\n"));
}

static void ci_shows_failures_last(void **state)
{
	struct run_totals t = { .selected = 2, .passed = 1, .failed = 1 };
	_free_ char *text = render(&run_report_human,
				   (struct run_report_options){ .shows_failures_last = true },
				   EVENTS(&failed, &passed), 2, &t);

	(void)state;
	assert_true(strstr(text, "--- STDERR ---") > strstr(text, "    PASS"));
	assert_true(strstr(text, "--- STDERR ---") < strstr(text, "    Summary"));
}

static void quiet_leaves_out_what_passed(void **state)
{
	struct run_totals t = { .selected = 2, .passed = 1, .failed = 1 };
	_free_ char *text = render(&run_report_human,
				   (struct run_report_options){ .is_quiet = true },
				   EVENTS(&failed, &passed), 2, &t);

	(void)state;
	assert_null(strstr(text, "PASS"));
	assert_non_null(strstr(text, "    FAIL ["));
}

static void retries_and_slow_ones_have_lines(void **state)
{
	struct test_event flaky = passed, retried = failed, slow = passed;
	struct run_report_options options = {};
	struct run_report r;
	char *text = NULL;
	size_t len;

	(void)state;
	flaky.attempt = 2;
	flaky.attempts = 3;
	retried.sidecar = "runs/.attempts/1/x.ktstr.json";
	retried.seed = 4;
	slow.seconds = 60;
	options.label = "ktstr";
	options.run_dirs = (const char *const[]){ "runs" };
	options.run_dir_count = 1;
	options.out = open_memstream(&text, &len);
	run_report_begin(&r, &run_report_human, &options, 1);
	run_report_tell(&r, REPORT_SLOW, &slow);
	run_report_tell(&r, REPORT_RETRIED, &retried);
	run_report_tell(&r, REPORT_ENDED, &flaky);
	run_report_finish(&r, &(struct run_totals){ .selected = 1, .passed = 1, .flaky = 1 });
	fclose(options.out);
	assert_non_null(strstr(text, "    SLOW [> 60.00s] my_crate"));
	assert_non_null(strstr(text, "    TRY 1 FAIL [  12.05s] my_crate"));
	assert_non_null(strstr(text, "    FLAKY 2/3 [  11.34s] my_crate"));
	/* What repeats the try that failed. */
	assert_non_null(strstr(text, " (try 1)\n    stats:  runs/.attempts/1/x.ktstr.json\n"
				     "    replay: ktstr replay runs/.attempts/1/x.ktstr.json\n"
				     "    seed:   4\n"));
	free(text);
}

/* What tests and schedulers print does not reach the terminal raw; our colours do. */
static void only_our_own_escapes_are_shown(void **state)
{
	static const struct run_report_options options[] = {
		{ .has_colour = true, .shows_output = true },
		{ .has_colour = true, .shows_failures_last = true, .shows_output = true },
	};
	struct run_totals t = { .selected = 3, .passed = 1, .failed = 1, .skipped = 1 };
	struct test_event good = passed, bad = failed, none = skipped;

	(void)state;
	good.output = "\033]0;title\007";
	bad.text = "failed:\n\t\033[2Jlog";
	bad.output = "\001 é\n";
	none.text = "why\r";
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		_free_ char *text =
			render(&run_report_human, options[i], EVENTS(&good, &bad, &none), 3, &t);

		assert_non_null(strstr(text, "    \033[32;1mPASS\033[0m ["));
		assert_non_null(strstr(text, "\n  | \\x1b]0;title\\x07\n"));
		assert_non_null(strstr(text, "--- STDERR ---\nfailed:\n\t\\x1b[2Jlog\n"));
		assert_non_null(strstr(text, "--- OUTPUT ---\n  | \\x01 é\n"));
		assert_non_null(strstr(text, "ktstr: SKIP: why\\x0d\n"));
	}
}

/* How often somebody who greps would count it. */
static size_t count_lines(const char *text, const char *start)
{
	size_t count = 0;

	for (const char *line = text; line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		count += strncmp(line + strspn(line, " "), start, strlen(start)) == 0;
	return count;
}

static void nobody_forges_a_line(void **state)
{
	static const char forged[] = "x\n    PASS [   1.00s] a::b c\nok 9 c\nnot ok 8 c\n"
				     "# Totals: pass:9\nTotals: pass:9\n";
	static const struct run_report_options options[] = {
		{ .shows_output = true },
		{ .shows_failures_last = true, .shows_output = true },
	};
	struct run_totals t = { .selected = 3, .passed = 1, .failed = 1, .skipped = 1 };
	struct test_event good = passed, bad = failed, none = skipped;
	_str_ struct str text = {};
	_free_ char *ktap = NULL;

	(void)state;
	/* As judge() has it: what others said is marked. */
	str_add(&text, "failed:\n");
	text_add_marked(&text, forged);
	good.output = bad.output = none.text = forged;
	bad.text = str_get(&text);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		_free_ char *human =
			render(&run_report_human, options[i], EVENTS(&good, &bad, &none), 3, &t);

		assert_int_equal(count_lines(human, "PASS ["), 1);
	}
	ktap = render(&run_report_ktap, options[0], EVENTS(&good, &bad, &none), 3, &t);
	assert_int_equal(count_lines(ktap, "ok "), 2);
	assert_int_equal(count_lines(ktap, "not ok "), 1);
	assert_int_equal(count_lines(ktap, "# Totals: "), 1);
}

static void ktap_is_numbered_and_marked(void **state)
{
	struct run_totals t = { .selected = 5,
				.passed = 1,
				.failed = 1,
				.timed_out = 1,
				.inconclusive = 1,
				.skipped = 1 };
	struct test_event late = failed, unclear = failed, odd = passed;
	_free_ char *text = NULL;

	(void)state;
	late.status = TEST_TIMED_OUT;
	unclear.status = TEST_INCONCLUSIVE;
	unclear.text = "ok 7 forged\nnot ok 8 forged";
	odd.name = "ktstr/a # SKIP b";
	text = render(&run_report_ktap, (struct run_report_options){},
		      EVENTS(&odd, &failed, &late, &unclear, &skipped), 5, &t);
	assert_true(str_starts(text, "KTAP version 1\n1..5\n"
				     "ok 1 my_crate::my_sched_tests ktstr/a _ SKIP b\n"
				     "# ktstr_test 'two_cgroups' [topo=1n1l2c1t] failed:\n"
				     "#   stuck 3500ms on cpu1 at +1200ms\n"));
	assert_non_null(strstr(text, "\nnot ok 2 my_crate::my_sched_tests ktstr/two_cgroups\n"));
	assert_non_null(
		strstr(text, "\nnot ok 3 my_crate::my_sched_tests ktstr/two_cgroups # TIMEOUT\n"));
	assert_non_null(strstr(text, "\n# ok 7 forged\n# not ok 8 forged\nnot ok 4 "));
	assert_non_null(strstr(text, "\nok 5 a::b ktstr/smt # SKIP need >=2 LLCs\n"));
	assert_non_null(strstr(text, "# Totals: pass:1 fail:2 xfail:0 xpass:0 skip:1 error:1\n"));
}

/* A plan of three and one result is a crash to the kernel's reader. */
static void ktap_has_a_result_for_each_of_the_plan(void **state)
{
	struct run_totals t = { .selected = 3, .failed = 1 };
	struct test_event unrun = skipped;
	char *text = NULL;
	size_t len;
	struct run_report_options options = { .out = open_memstream(&text, &len),
					      .label = "ktstr" };
	struct run_report r;

	(void)state;
	unrun.text = "not run: interrupted";
	run_report_begin(&r, &run_report_ktap, &options, 3);
	run_report_tell(&r, REPORT_ENDED, &failed);
	run_report_tell(&r, REPORT_UNRUN, &unrun);
	run_report_tell(&r, REPORT_UNRUN, &unrun);
	assert_int_equal(run_report_finish(&r, &t), 0);
	fclose(options.out);
	assert_non_null(strstr(text, "\nok 2 a::b ktstr/smt # SKIP not run: interrupted\n"
				     "ok 3 a::b ktstr/smt # SKIP not run: interrupted\n"
				     "# Totals: pass:0 fail:1 xfail:0 xpass:0 skip:2 error:0\n"));
	free(text);
}

static void junit_escapes_what_xml_cannot_hold(void **state)
{
	struct run_totals t = { .selected = 3, .passed = 1, .failed = 1, .skipped = 1 };
	struct test_event odd = failed;
	_free_ char *text = NULL;

	(void)state;
	odd.text = "a < b & \"c\" > d\n\x01 \xff end";
	odd.output = "]]> printed";
	text = render(&run_report_junit, (struct run_report_options){},
		      EVENTS(&passed, &odd, &skipped), 3, &t);
	assert_true(str_starts(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "
				     "name=\"ktstr\" tests=\"3\" failures=\"1\" errors=\"0\" "
				     "skipped=\"1\""));
	assert_non_null(strstr(text, "<testcase name=\"ktstr/two_cgroups\" "
				     "classname=\"my_crate::my_sched_tests\" "
				     "time=\"11.340\"></testcase>"));
	assert_non_null(strstr(text, "<failure message=\"a &lt; b &amp; &quot;c&quot; &gt; d\" "
				     "type=\"failed\">a &lt; b &amp; &quot;c&quot; &gt; d\n"
				     "\\x01 \\xff end</failure>"));
	assert_non_null(strstr(text, "<system-out>]]&gt; printed</system-out>"));
	assert_non_null(strstr(text, "<skipped message=\"need &gt;=2 LLCs\">"));
}

static void json_is_one_object_per_line(void **state)
{
	struct run_totals t = { .selected = 1, .failed = 1 };
	_free_ char *text =
		render(&run_report_json,
		       (struct run_report_options){ .run_dirs = two_dirs, .run_dir_count = 1 },
		       EVENTS(&failed), 1, &t);
	_free_ char *two =
		render(&run_report_json,
		       (struct run_report_options){ .run_dirs = two_dirs, .run_dir_count = 2 },
		       EVENTS(&failed), 1, &t);
	_free_ char *both = str_fmt("\"run_dirs\":[\"%s\",\"%s\"]}\n", two_dirs[0], two_dirs[1]);
	size_t lines = 0;

	(void)state;
	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, 3);
	assert_true(str_starts(text,
			       "{\"schema_version\":1,\"event\":\"run-started\",\"selected\":1,"
			       "\"run_dirs\":[\"target/ktstr/x\"]}\n"));
	assert_non_null(strstr(two, both));
	assert_non_null(strstr(text, "\"event\":\"test-finished\""));
	assert_non_null(strstr(text, "\"status\":\"fail\""));
	assert_non_null(strstr(text, "\"seed\":null"));
	assert_non_null(strstr(text, "\"event\":\"run-finished\""));
}

static void github_gets_a_row_for_each_that_did_not_pass(void **state)
{
	struct run_totals t = { .selected = 2, .passed = 1, .failed = 1 };
	_str_ struct str rows = {}, page = {};

	(void)state;
	github_add_row(&rows, &passed);
	github_add_row(&rows, &failed);
	github_add_document(&page, &rows, &t);
	assert_string_equal(str_get(&page),
			    "### ktstr: 1 passed, 1 failed, 0 inconclusive, 0 skipped\n\n"
			    "| verdict | program | test | time | reason |\n"
			    "| --- | --- | --- | --- | --- |\n"
			    "| fail | my_crate::my_sched_tests | ktstr/two_cgroups | 12.05 s | "
			    "stuck 3500ms on cpu1 at +1200ms |\n\n");
}

static void github_has_the_kernels_reason(void **state)
{
	struct test_event taken_down = failed;
	_str_ struct str rows = {};

	(void)state;
	taken_down.text =
		"BUG SUMMARY: runtime error: no such queue\nktstr_test 'x' failed:\n  y\n";
	github_add_row(&rows, &taken_down);
	assert_non_null(strstr(str_get(&rows), "| runtime error: no such queue |\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pass_has_its_notes_and_its_output),
		cmocka_unit_test(a_skip_has_its_reason_unless_all_is_to_be_quiet),
		cmocka_unit_test(formats_have_names),
		cmocka_unit_test(a_run_in_which_nothing_ended_has_no_outputs),
		cmocka_unit_test(human_lines_are_those_of_the_readme),
		cmocka_unit_test(names_and_hints_are_safe_on_a_terminal_and_in_a_shell),
		cmocka_unit_test(digests_of_sim_are_told),
		cmocka_unit_test(ci_shows_failures_last),
		cmocka_unit_test(quiet_leaves_out_what_passed),
		cmocka_unit_test(retries_and_slow_ones_have_lines),
		cmocka_unit_test(only_our_own_escapes_are_shown),
		cmocka_unit_test(ktap_is_numbered_and_marked),
		cmocka_unit_test(ktap_has_a_result_for_each_of_the_plan),
		cmocka_unit_test(junit_escapes_what_xml_cannot_hold),
		cmocka_unit_test(json_is_one_object_per_line),
		cmocka_unit_test(github_gets_a_row_for_each_that_did_not_pass),
		cmocka_unit_test(github_has_the_kernels_reason),
		cmocka_unit_test(nobody_forges_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The screen of a battery: its limits and plurals, and what differs without a scheduler. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "made_battery.h"

#define WIDTH 100

static char *screen_of(const struct battery *b)
{
	struct str out = {};

	assert_int_equal(battery_add_text(b, &out), 0);
	return str_take(&out);
}

static void expect_in(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("expected\n%s\nin\n%s", part, text);
}

static void expect_not_in(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("did not expect\n%s\nin\n%s", part, text);
}

/* ---- the head ---- */

static void one_run_of_one_seed_has_no_plural(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;
	_free_ char *text = NULL;

	(void)state;
	make_up(&m);
	m.options.arg_count = 0;
	m.options.seed = 4;
	m.battery.is_interrupted = true;
	m.battery.campaign.chosen.items.count = 1;
	m.battery.campaign.dir_name_count = 2;
	add_run(&m.battery, CELL(0, 0, 0, 4), TEST_FAILED, true);
	/* A run that did not end counts for nothing, whatever its seed and status. */
	add_run(&m.battery, CELL(0, 1, 0, 9), TEST_FAILED, true);
	m.battery.trials.items[1].is_done = false;
	add_run(&m.battery, CELL(0, 1, 1, 12), TEST_FAILED, true);
	hide_last_run(&m.battery);
	text = screen_of(&m.battery);
	assert_string_equal(text,
			    "./scx_mine: 1 run in 61 s, seed 4 (interrupted)\n"
			    "\n"
			    " loads on  one LLC  two LLCs\n"
			    " 7.2.13    yes      -\n"
			    " 7.0.13    -        -\n"
			    "\n"
			    "1 test:\n"
			    "  1 failed: loads\n"
			    "\n"
			    "1 distinct failure:\n"
			    "\n"
			    "  1. first line\n"
			    "     | second \\x1b[31mline\n"
			    "     1 run of loads; on one LLC; kernel 7.2.13; seed 4\n"
			    "     again: ktstr check ./scx_mine -E 'test(=ktstr/loads)' --topology "
			    "1,1,4,1 --kernel 7.2.13 --seed 4 --seeds 1\n"
			    "\n"
			    "records: target/ktstr/7.2.13-x, hidden\n");
}

/* Runs end in any order: the first may have the last seed. */
static void the_last_seed_is_that_of_any_run(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;
	_free_ char *text = NULL;

	(void)state;
	make_up(&m);
	m.options.arg_count = 0;
	add_run(&m.battery, CELL(1, 0, 0, 3), TEST_PASSED, true);
	add_run(&m.battery, CELL(1, 0, 0, 2), TEST_PASSED, true);
	text = screen_of(&m.battery);
	assert_true(str_starts(text, "./scx_mine: 2 runs in 61 s, seeds 1 to 3\n"));
}

static void the_scheduler_of_the_kernel_is_not_loaded(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;
	_str_ struct str json = {};
	_free_ char *text = NULL;
	struct json j;

	(void)state;
	make_up(&m);
	m.options.arg_count = 0;
	m.options.scheduler = NULL;
	m.battery.scheduler = NULL;
	m.battery.is_interrupted = true;
	add_run(&m.battery, CELL(1, 0, 0, 1), TEST_FAILED, false);
	text = screen_of(&m.battery);
	assert_true(str_starts(text, "EEVDF: 1 run in 61 s, seed 1 (interrupted)\n\n3 tests:\n"));
	expect_in(text, "\n     again: ktstr check --eevdf -E ");
	json_init(&j, &json, false);
	assert_int_equal(battery_put_json(&m.battery, &j), 0);
	expect_in(str_get(&json), "\"scheduler\":null,\"args\":[],");
	expect_in(str_get(&json), ",\"interrupted\":true,");
	expect_in(str_get(&json), ",\"loads\":[],");
}

static void programs_read_what_did_not_load(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;
	_str_ struct str json = {};
	struct json j;

	(void)state;
	make_up(&m);
	add_run(&m.battery, CELL(0, 0, 1, 1), TEST_FAILED, false);
	add_run(&m.battery, CELL(0, 0, 0, 1), TEST_FAILED, false);
	hide_last_run(&m.battery);
	json_init(&j, &json, false);
	assert_int_equal(battery_put_json(&m.battery, &j), 0);
	expect_in(str_get(&json),
		  "{\"kernel\":\"7.2.13\",\"machine\":\"two LLCs\",\"answer\":\"not tried\"},"
		  "{\"kernel\":\"7.0.13\",\"machine\":\"one LLC\",\"answer\":\"does not load\"},");
	expect_in(str_get(&json), "\"passed\":0,\"failed\":1,");
	expect_in(str_get(&json),
		  "--seeds 1 -- --opt 'two words'\",\"runs\":[{\"test\":\"loads\",");
	assert_null(strstr(strstr(str_get(&json), "does not load") + 1, "does not load"));
	expect_not_in(str_get(&json), "hidden");
}

/* ---- counts of tests ---- */

static void rows_are_told_by_their_worst_run(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;
	_free_ char *text = NULL, *expected = NULL;

	(void)state;
	make_up(&m);
	add_run(&m.battery, CELL(0, 0, 0, 1), TEST_INCONCLUSIVE, true);
	add_run(&m.battery, CELL(0, 0, 0, 1), TEST_PASSED, true);
	add_run(&m.battery, CELL(0, 0, 0, 1), TEST_SKIPPED, true);
	add_run(&m.battery, CELL(1, 0, 0, 1), TEST_SKIPPED, true);
	add_run(&m.battery, CELL(2, 0, 0, 1), TEST_SKIPPED, true);
	add_run(&m.battery, CELL(2, 0, 0, 1), TEST_PASSED, true);
	add_run(&m.battery, CELL(1, 0, 0, 1), TEST_FAILED, true);
	hide_last_run(&m.battery);
	text = screen_of(&m.battery);
	expected = str_fmt("\n3 tests:\n"
			   "  1 inconclusive: loads (1 of 3 runs)\n"
			   "  1 passed\n"
			   "  1 skipped: %s\n"
			   "\n"
			   "loads was inconclusive:\n"
			   "\n"
			   "%s was skipped:\n"
			   "\n",
			   battery_rows[1].name, "loads");
	expect_in(text, expected);
}

/* Every row of the table is selected. */
static void select_all(struct battery *b, struct variant **variants, struct probe_test **tests)
{
	size_t count = battery_row_count();

	*variants = calloc(count, sizeof(**variants));
	*tests = calloc(count, sizeof(**tests));
	assert_true(*variants && *tests);
	b->campaign.chosen.items.count = 0;
	for (size_t i = 0; i < count; i++) {
		(*tests)[i].name = battery_rows[i].name;
		(*variants)[i].test = &(*tests)[i];
		assert_int_equal(vec_push(&b->campaign.chosen.items,
					  (const struct variant *)&(*variants)[i]),
				 0);
	}
}

static void add_names(struct str *out, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		str_addf(out, "%s%s", i > from ? ", " : "", battery_rows[i].name);
}

static void long_lists_of_names_are_wrapped(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;
	_str_ struct str names = {}, expected = {}, places = {};
	_free_ struct probe_test *tests = NULL;
	_free_ struct variant *variants = NULL;
	_free_ char *text = NULL;
	size_t half = battery_row_count() / 2;

	(void)state;
	make_up(&m);
	select_all(&m.battery, &variants, &tests);
	for (size_t i = 0; i < half; i++)
		add_run(&m.battery, CELL(i, 0, 0, 1), TEST_FAILED, true);
	text = screen_of(&m.battery);
	str_addf(&names, "%zu not run: ", battery_row_count() - half);
	add_names(&names, half, battery_row_count());
	str_add(&expected, "\n  ");
	text_wrap(&expected, str_get(&names), 4, WIDTH);
	str_add(&expected, "\n\n1 distinct failure:\n");
	expect_in(text, str_get(&expected));
	assert_non_null(strstr(str_get(&expected), "\n    "));
	str_reset(&names);
	str_addf(&names, "%zu runs of ", half);
	add_names(&names, 0, half);
	str_add(&names, "; on one LLC; kernel 7.2.13; seed 1");
	str_add(&places, "\n     ");
	text_wrap(&places, str_get(&names), 5, WIDTH);
	str_add(&places, "\n     again: ");
	expect_in(text, str_get(&places));
}

/* ---- failures ---- */

static void seeds_of_a_failure_are_told_once_and_six_of_them(void **state)
{
	static const uint64_t seeds[] = { 1, 1, 2, 3, 4, 5, 6, 6, 7, 7, 8 };
	_cleanup_(made_up_finish) struct made_up m;
	_free_ char *text = NULL, *all = NULL;

	(void)state;
	make_up(&m);
	for (size_t i = 0; i < 8; i++)
		add_run(&m.battery, CELL(1, 0, 0, seeds[i]), TEST_FAILED, true);
	all = screen_of(&m.battery);
	expect_in(all, "kernel 7.2.13; seed 1, 2, 3, 4, 5, 6\n");
	for (size_t i = 8; i < ARRAY_SIZE(seeds); i++)
		add_run(&m.battery, CELL(1, 0, 0, seeds[i]), TEST_FAILED, true);
	text = screen_of(&m.battery);
	expect_in(text, "     11 runs of ");
	expect_in(text, "kernel 7.2.13; seed 1, 2, 3, 4, 5, 6, ... 2 more\n");
}

static void add_failure(struct battery *b, const char *signature, const char *text)
{
	add_told_run(b, CELL(1, 0, 0, 1), TEST_FAILED, true, signature, text);
}

static void a_reason_has_four_lines_of_the_first_paragraph(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;
	_free_ char *text = NULL;

	(void)state;
	make_up(&m);
	add_failure(&m.battery, "A", "  1\n\n  after the gap\n");
	add_failure(&m.battery, "B", "ktstr_test 'x' failed:\n    1\n  two\n   3\n4\n5\n");
	text = screen_of(&m.battery);
	expect_in(text, "\n2 distinct failures:\n\n  1. 1\n     1 run of ");
	expect_in(text, "\n\n  2. 1\n     | two\n     | 3\n     | 4\n     1 run of ");
}

static void five_failures_are_told(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;
	_free_ char *five = NULL, *seven = NULL;

	(void)state;
	make_up(&m);
	for (char name[] = "A"; *name < 'F'; ++*name)
		add_failure(&m.battery, name, name);
	five = screen_of(&m.battery);
	expect_in(five, "\n5 distinct failures:\n\n  1. A\n");
	expect_in(five, "\n\n  5. E\n");
	expect_not_in(five, "--json");
	add_failure(&m.battery, "F", "F");
	add_failure(&m.battery, "G", "G");
	seven = screen_of(&m.battery);
	expect_in(seven, "\n\n  5. E\n");
	expect_not_in(seven, "  6. F\n");
	expect_in(seven, "\n\n  ... 2 more: --json and --html have all of them\n\nrecords: ");
}

/* ---- what is neither passed nor failed ---- */

static void one_run_of_each_kind_gives_its_reason(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;
	_free_ char *text = NULL, *expected = NULL;

	(void)state;
	make_up(&m);
	add_told_run(&m.battery, CELL(2, 0, 0, 1), TEST_SKIPPED, true, NULL, "not ended");
	m.battery.trials.items[0].is_done = false;
	add_told_run(&m.battery, CELL(1, 0, 0, 1), TEST_SKIPPED, true, NULL, "no room\nfor it\n");
	add_told_run(&m.battery, CELL(0, 0, 0, 1), TEST_SKIPPED, true, NULL, "another");
	add_told_run(&m.battery, CELL(0, 0, 0, 1), TEST_INCONCLUSIVE, true, NULL, "no evidence");
	text = screen_of(&m.battery);
	expected = str_fmt("\nloads was inconclusive:\n  no evidence\n"
			   "\n%s was skipped:\n  no room\n  for it\n\nrecords: ",
			   battery_rows[1].name);
	expect_in(text, expected);
	expect_not_in(text, "another");
	expect_not_in(text, "not ended");
}

static void runs_behind_the_last_give_no_reason(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;
	_free_ char *text = NULL;

	(void)state;
	make_up(&m);
	add_run(&m.battery, CELL(0, 0, 0, 1), TEST_PASSED, true);
	add_run(&m.battery, CELL(0, 0, 0, 1), TEST_SKIPPED, true);
	hide_last_run(&m.battery);
	text = screen_of(&m.battery);
	expect_not_in(text, "was skipped");
	expect_not_in(text, "distinct");
	expect_in(text, "  1 passed\n");
}

static void note(struct battery *b, size_t run, const char *message)
{
	_cleanup_(result_finish) struct ktstr_result r = {};

	result_init(&r);
	result_add(&r, DETAIL_NOTE, KTSTR_SKIPPED, "%s", message);
	assert_int_equal(battery_note_unjudged(b, run, &r), 0);
}

static void four_reasons_for_no_judgement_are_told(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
	_cleanup_(made_up_finish) struct made_up m;
	_free_ char *four = NULL, *six = NULL;

	(void)state;
	make_up(&m);
	add_run(&m.battery, CELL(0, 0, 0, 1), TEST_PASSED, true);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_free_ char *message = str_fmt("%s not judged: x=1", names[i]);

		if (i == 4)
			four = screen_of(&m.battery);
		note(&m.battery, 0, message);
	}
	expect_in(four, "\nnot judged:\n  a: x=1 (1 run of loads)\n  b: ");
	expect_in(four, "\n  d: x=1 (1 run of loads)\n\nrecords: ");
	six = screen_of(&m.battery);
	expect_in(six, "\n  d: x=1 (1 run of loads)\n  ... 2 more: --json has all of them\n");
	expect_not_in(six, "  e: ");
}

static void a_long_reason_is_wrapped(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;
	_str_ struct str line = {}, expected = {};
	_free_ char *text = NULL;

	(void)state;
	make_up(&m);
	for (size_t i = 0; i < 20; i++) {
		add_run(&m.battery, CELL(i, 0, 0, 1), TEST_PASSED, true);
		note(&m.battery, i, "shares not judged: less than 1 s");
	}
	text = screen_of(&m.battery);
	str_add(&line, "shares: less than 1 s (20 runs of ");
	add_names(&line, 0, 20);
	str_addc(&line, ')');
	str_add(&expected, "\nnot judged:\n  ");
	text_wrap(&expected, str_get(&line), 4, WIDTH);
	str_add(&expected, "\n\nrecords: ");
	expect_in(text, str_get(&expected));
	assert_non_null(strstr(str_get(&expected), "\n    "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_run_of_one_seed_has_no_plural),
		cmocka_unit_test(the_last_seed_is_that_of_any_run),
		cmocka_unit_test(the_scheduler_of_the_kernel_is_not_loaded),
		cmocka_unit_test(programs_read_what_did_not_load),
		cmocka_unit_test(rows_are_told_by_their_worst_run),
		cmocka_unit_test(long_lists_of_names_are_wrapped),
		cmocka_unit_test(seeds_of_a_failure_are_told_once_and_six_of_them),
		cmocka_unit_test(a_reason_has_four_lines_of_the_first_paragraph),
		cmocka_unit_test(five_failures_are_told),
		cmocka_unit_test(one_run_of_each_kind_gives_its_reason),
		cmocka_unit_test(runs_behind_the_last_give_no_reason),
		cmocka_unit_test(four_reasons_for_no_judgement_are_told),
		cmocka_unit_test(a_long_reason_is_wrapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
